//! Residuals of a machine, written once for all scalars and differentiated by dual numbers.

use crate::ControlError;
use crate::lift::Lift;
use crate::machine::Machine;
use crate::residual::{Point, Residual};
use dualbody::autodiff::ChunkDual;
use dualbody::math::{RigidTransform, SpatialVelocity};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, TreeWorkspace};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::{DMatrix, Vector3};
use std::fmt::Debug;

/// A machine in a state, with its bodies placed.
#[derive(Debug, Clone, Copy)]
pub struct Configuration<'a, T: Scalar> {
    /// The machine.
    pub system: &'a TimeSteppingRigidBodySystem<T>,
    /// Poses and velocities of its bodies.
    pub placed: &'a TreeWorkspace<T>,
    /// The state, with the time in s.
    pub state: &'a State<T>,
    /// The inputs; none at the end of a horizon.
    pub input: &'a [T],
}

impl<T: Scalar> Configuration<'_, T> {
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
///         at: &Configuration<'_, T>,
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
        at: &Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError>;
}

/// A [`MachineFunction`] as a [`Residual`], with derivatives by dual numbers, eight directions at a time.
///
/// It has a copy of the machine: parameters that are changed afterwards are not seen.
#[derive(Debug, Clone)]
pub struct ByDuals<F> {
    function: F,
    system: TimeSteppingRigidBodySystem<f64>,
    placed: TreeWorkspace<f64>,
    dual: TimeSteppingRigidBodySystem<ChunkDual>,
    dual_placed: TreeWorkspace<ChunkDual>,
    lift: Lift,
}

/// Places the bodies of a machine at a state.
fn place<'a, T: Scalar>(
    system: &'a TimeSteppingRigidBodySystem<T>,
    placed: &'a mut TreeWorkspace<T>,
    state: &'a State<T>,
    input: &'a [T],
) -> Result<Configuration<'a, T>, ControlError> {
    let (q, v) = (state.q.as_slice(), state.v.as_slice());
    system.tree().set_state(placed, q, v)?;
    Ok(Configuration {
        system,
        placed,
        state,
        input,
    })
}

impl<F: MachineFunction> ByDuals<F> {
    /// Of a machine.
    pub fn new(system: &TimeSteppingRigidBodySystem<f64>, function: F) -> Self {
        let dual = system.cast::<ChunkDual>();
        ByDuals {
            function,
            placed: system.tree().workspace(),
            system: system.clone(),
            lift: Lift::new(&dual),
            dual_placed: dual.tree().workspace(),
            dual,
        }
    }

    /// The function.
    pub fn function(&self) -> &F {
        &self.function
    }
}

impl<F: MachineFunction> Residual<Machine> for ByDuals<F> {
    fn size(&self, _: &Machine) -> usize {
        self.function.size()
    }

    fn evaluate(&mut self, at: &Point<'_, Machine>, value: &mut [f64]) -> Result<(), ControlError> {
        let placed = place(&self.system, &mut self.placed, at.state, at.input)?;
        self.function.evaluate(&placed, value)
    }

    fn linearize(
        &mut self,
        at: &Point<'_, Machine>,
        value: &mut [f64],
        by_state: &mut DMatrix<f64>,
        by_input: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let ByDuals {
            function,
            dual,
            dual_placed,
            lift,
            ..
        } = self;
        lift.differentiate(
            dual,
            (at.state, at.input),
            value,
            [by_state, by_input],
            |state, input, out| function.evaluate(&place(dual, dual_placed, state, input)?, out),
        )
    }
}
