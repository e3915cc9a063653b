//! Residuals of a machine, written once for all scalars and differentiated by dual numbers.

use crate::ControlError;
use crate::lift::{Lift, MachinePoint};
use crate::machine_dynamics::MachineDynamics;
use crate::residual::{Point, Residual};
use dualbody::autodiff::{ChunkDual, HessianDual};
use dualbody::math::{RigidTransform, SpatialVelocity};
use dualbody::system::{State, Step, StepWorkspace, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, TreeWorkspace};
use dualbody::{DefaultScalar, InvalidInput, Scalar};
use nalgebra::{DMatrix, Vector3};
use std::fmt::Debug;

/// A machine in a state, with its bodies placed, and the step that it makes from there.
#[derive(Debug)]
pub struct Configuration<'a, T: Scalar> {
    /// The machine.
    pub system: &'a TimeSteppingRigidBodySystem<T>,
    /// Poses and velocities of its bodies.
    pub placed: &'a TreeWorkspace<T>,
    /// The state, with the time in s.
    pub state: &'a State<T>,
    /// The inputs; none at the end of a horizon.
    pub input: &'a [T],
    workspace: &'a mut Option<Box<StepWorkspace<T>>>,
}

impl<'a, T: Scalar> Configuration<'a, T> {
    pub(crate) fn new(
        system: &'a TimeSteppingRigidBodySystem<T>,
        placed: &'a TreeWorkspace<T>,
        workspace: &'a mut Option<Box<StepWorkspace<T>>>,
        state: &'a State<T>,
        input: &'a [T],
    ) -> Self {
        Configuration {
            system,
            placed,
            state,
            input,
            workspace,
        }
    }

    /// The pose `X_WB` of a body.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn body_pose(&self, body: BodyIndex) -> Result<RigidTransform<T>, ControlError> {
        Ok(self.system.tree().body_pose(self.placed, body)?)
    }

    /// The velocity `[w_WB; v_WBo]` of a body about its origin, in W.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn body_velocity(&self, body: BodyIndex) -> Result<SpatialVelocity<T>, ControlError> {
        Ok(self.system.tree().body_velocity(self.placed, body)?)
    }

    /// The position of the centre of mass in W, m.
    ///
    /// # Errors
    /// When the machine has no mass.
    pub fn center_of_mass(&self) -> Result<Vector3<T>, ControlError> {
        Ok(self.system.tree().center_of_mass(self.placed)?)
    }

    /// The step from this state with these inputs: its contacts and their forces, those of constraints, the outputs of
    /// sensors, the losses of energy. It is made when it is asked for; once in a function is enough.
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::step`], and at the end of a horizon, where there are no inputs.
    pub fn step(&mut self) -> Result<Step<'_, T>, ControlError> {
        let inputs = self.system.num_inputs();
        InvalidInput::check_size("inputs of the step", self.input.len(), inputs)?;
        let made = match self.workspace.take() {
            Some(workspace) => workspace,
            None => Box::new(self.system.workspace()?),
        };
        let workspace = self.workspace.insert(made);
        Ok(self.system.step(workspace, self.state, self.input)?)
    }
}

/// A residual of a machine, written once for all scalars; [`ByDuals`] makes a [`Residual`] of it.
///
/// ```
/// use dualbody::DefaultScalar;
/// use dualbody_control::{Configuration, ControlError, MachineFunction};
///
/// /// How high the centre of mass is above a height in m.
/// #[derive(Debug, Clone)]
/// struct Height(f64);
///
/// impl MachineFunction for Height {
///     fn size(&self) -> usize {
///         1
///     }
///
///     fn evaluate<T: DefaultScalar>(
///         &self,
///         at: &mut Configuration<'_, T>,
///         out: &mut [T],
///     ) -> Result<(), ControlError> {
///         out[0] = at.center_of_mass()?.z - self.0;
///         Ok(())
///     }
/// }
/// ```
pub trait MachineFunction: Clone + Debug + Send + 'static {
    /// Number of entries.
    fn size(&self) -> usize;

    /// Writes the entries.
    ///
    /// # Errors
    /// As the function says.
    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError>;
}

/// A [`MachineFunction`] as a [`Residual`], with derivatives by dual numbers, eight directions at a time.
///
/// It has a copy of the machine, which a solver keeps up with its own.
#[derive(Debug, Clone)]
pub struct ByDuals<F> {
    pub(crate) function: F,
    pub(crate) real: Lift<f64>,
    pub(crate) dual: Lift<ChunkDual>,
    /// For second derivatives, when they are asked for.
    second: Option<Box<Lift<HessianDual>>>,
}

impl<F: MachineFunction> ByDuals<F> {
    /// Of a machine.
    pub fn new(system: &TimeSteppingRigidBodySystem<f64>, function: F) -> Self {
        ByDuals {
            function,
            real: Lift::new(system),
            dual: Lift::new(system),
            second: None,
        }
    }

    /// The function.
    pub fn function(&self) -> &F {
        &self.function
    }
}

/// Where a residual of a machine is evaluated.
fn place<'a, D: MachineDynamics>(at: &Point<'a, D>) -> MachinePoint<'a> {
    let (state, values) = at.dynamics.parts(at.state);
    MachinePoint {
        state,
        parameters: at.dynamics.parameters(),
        values,
        input: at.input,
    }
}

impl<D: MachineDynamics, F: MachineFunction> Residual<D> for ByDuals<F> {
    fn size(&self, _: &D) -> usize {
        self.function.size()
    }

    fn follow(&mut self, dynamics: &D) {
        *self = ByDuals::new(dynamics.system(), self.function.clone());
    }

    fn evaluate(&mut self, at: &Point<'_, D>, value: &mut [f64]) -> Result<(), ControlError> {
        self.real.evaluate(&self.function, &place(at), value)
    }

    fn linearize(
        &mut self,
        at: &Point<'_, D>,
        value: &mut [f64],
        by_state: &mut DMatrix<f64>,
        by_input: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let jacobians = [by_state, by_input];
        (self.dual).differentiate(&self.function, &place(at), value, jacobians)
    }

    fn add_curvature(
        &mut self,
        at: &Point<'_, D>,
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let new = || Box::new(Lift::new(at.dynamics.system()));
        let second = self.second.get_or_insert_with(new);
        second.add_curvature(&self.function, &place(at), covector, curvature)
    }
}
