//! A multibody machine as dynamics.
//!
//! A and B are the [Jacobians of a step](StepDifferentiator::tangent_jacobian) in the tangent space.

use crate::ControlError;
use crate::by_duals::{Configuration, MachineFunction};
use crate::dynamics::Dynamics;
use crate::lift::{Lift, MachinePoint};
use crate::matrix::check_shape;
use dualbody::autodiff::{ChunkDual, HessianDual};
use dualbody::math::rotation;
use dualbody::system::{
    State, StepDifferentiator, StepJacobian, StepWorkspace, TimeSteppingRigidBodySystem,
};
use dualbody::{DefaultScalar, InvalidInput, Parameters, Scalar};
use nalgebra::DMatrix;

/// A [`TimeSteppingRigidBodySystem`] that can be controlled, by any scheme, with exact derivatives of its steps.
///
/// Displacements are `[δq; δv; δa; δs]`, as [`LinearModel`](dualbody::system::LinearModel) has them: n = 2 nv and the
/// states of actuators and sensors.
#[derive(Debug, Clone)]
pub struct Machine {
    // In boxes, because they are large and machines are moved.
    differentiator: Box<StepDifferentiator>,
    workspace: Box<StepWorkspace<f64>>,
    jacobian: StepJacobian,
    /// For second derivatives, when they are asked for.
    second: Option<Box<Lift<HessianDual>>>,
    /// For radii, when they are asked for.
    observed: Option<Box<Lift<ChunkDual>>>,
    displacements: usize,
    /// Where quaternions are in `q`, and their angular velocities in `v`.
    quaternions: Vec<(usize, usize)>,
}

impl Machine {
    /// Of a system, which is copied.
    ///
    /// # Errors
    /// As [`StepDifferentiator::new`].
    pub fn new(system: &TimeSteppingRigidBodySystem<f64>) -> Result<Self, ControlError> {
        Self::with_derivatives(system, &[])
    }

    /// With derivatives by parameters of these names.
    pub(crate) fn with_derivatives(
        system: &TimeSteppingRigidBodySystem<f64>,
        parameters: &[&str],
    ) -> Result<Self, ControlError> {
        let joints = system.tree().joints();
        let turning = joints.filter(|j| j.mimic().is_none() && j.kind().has_quaternion());
        Ok(Machine {
            differentiator: Box::new(StepDifferentiator::new(system, parameters)?),
            workspace: Box::new(system.workspace()?),
            jacobian: StepJacobian::default(),
            second: None,
            observed: None,
            displacements: system.neutral_state().num_displacements(),
            quaternions: turning
                .map(|j| (j.position_start(), j.velocity_start()))
                .collect(),
        })
    }

    /// Sets parameters by their positions.
    pub(crate) fn tune(&mut self, values: &[(usize, f64)]) -> Result<(), ControlError> {
        Ok(self.differentiator.set_parameters(values)?)
    }

    /// Makes a step, and says its derivatives.
    pub(crate) fn differentiate(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        next: &mut State<f64>,
    ) -> Result<&StepJacobian, ControlError> {
        let Machine {
            differentiator,
            jacobian,
            ..
        } = self;
        differentiator.expect_velocity(next.v.as_slice())?;
        next.clone_from(differentiator.tangent_jacobian(state, input, jacobian)?);
        Ok(jacobian)
    }

    /// As [`Dynamics::add_curvature`], with parameters and their values as displacements after those of the state.
    pub(crate) fn add_curvature_at(
        &mut self,
        at: &MachinePoint<'_>,
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let advance = self.advance(at)?;
        let system = self.differentiator.system();
        let second = (self.second).get_or_insert_with(|| Box::new(Lift::new(system)));
        second.add_curvature(&advance, at, covector, curvature)
    }

    /// As [`Dynamics::radius`], with parameters and their values as displacements after those of the state.
    pub(crate) fn radius_at(
        &mut self,
        at: &MachinePoint<'_>,
        radius: &mut [f64],
    ) -> Result<(), ControlError> {
        let advance = self.advance(at)?;
        let system = self.differentiator.system();
        let observed = (self.observed).get_or_insert_with(|| Box::new(Lift::new(system)));
        observed.radius(&advance, at, radius)
    }

    fn advance(&mut self, at: &MachinePoint<'_>) -> Result<Advance, ControlError> {
        let system = self.differentiator.system();
        let step = system.step(&mut self.workspace, at.state, at.input)?;
        Ok(Advance {
            size: self.displacements,
            end: step.state().clone(),
        })
    }

    /// The system.
    pub fn system(&self) -> &TimeSteppingRigidBodySystem<f64> {
        self.differentiator.system()
    }

    /// Sets parameters by name.
    ///
    /// # Errors
    /// For an unknown name, and values that the machine rejects; it is then as before.
    pub fn set_parameters(&mut self, values: &[(&str, f64)]) -> Result<(), ControlError> {
        let mut system = self.system().clone();
        for &(name, value) in values {
            system.set_parameter(name, value)?;
        }
        *self = Machine::new(&system)?;
        Ok(())
    }
}

impl Dynamics for Machine {
    type State = State<f64>;

    fn num_displacements(&self) -> usize {
        self.displacements
    }

    fn num_inputs(&self) -> usize {
        self.system().num_inputs()
    }

    fn time_step(&self) -> f64 {
        self.system().time_step()
    }

    fn displace(
        &self,
        state: &State<f64>,
        displacement: &[f64],
        to: &mut State<f64>,
    ) -> Result<(), ControlError> {
        Ok(state.displace(self.system().tree(), displacement, to)?)
    }

    fn difference(
        &self,
        from: &State<f64>,
        to: &State<f64>,
        displacement: &mut [f64],
    ) -> Result<(), ControlError> {
        Ok(from.difference(self.system().tree(), to, displacement)?)
    }

    fn advance_clock(&self, state: &mut State<f64>, time: f64) {
        state.time += time;
    }

    fn set_clock(&self, state: &mut State<f64>, before: &State<f64>, time: f64) {
        state.time = before.time + time;
    }

    fn difference_derivative(
        &self,
        from: &State<f64>,
        to: &State<f64>,
        derivative: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        // With parameters it has more rows.
        let rows = derivative.nrows().max(self.displacements);
        check_shape("derivative", derivative, (rows, rows))?;
        let positions = self.system().tree().num_positions();
        for state in [from, to] {
            InvalidInput::check_size("positions", state.q.len(), positions)?;
        }
        derivative.fill_with_identity();
        let at = |state: &State<f64>, i: usize| {
            let q = &state.q.as_slice()[i..i + 4];
            nalgebra::Quaternion::new(q[0], q[1], q[2], q[3])
        };
        for &(i, k) in &self.quaternions {
            let turn = rotation::log(&(at(to, i) * at(from, i).conjugate()));
            let inverse = rotation::inverse_left_jacobian(&turn);
            derivative.fixed_view_mut::<3, 3>(k, k).copy_from(&inverse);
        }
        Ok(())
    }

    fn step(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        next: &mut State<f64>,
    ) -> Result<(), ControlError> {
        self.workspace.expect_velocity(next.v.as_slice())?;
        let system = self.differentiator.system();
        let step = system.step(&mut self.workspace, state, input)?;
        next.clone_from(step.state());
        Ok(())
    }

    fn linearize(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        next: &mut State<f64>,
        a: &mut DMatrix<f64>,
        b: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let jacobian = self.differentiate(state, input, next)?;
        for (quantity, target, source) in [("A", a, &jacobian.state), ("B", b, &jacobian.input)] {
            check_shape(quantity, target, source.shape())?;
            target.copy_from(source);
        }
        Ok(())
    }

    fn radius(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        radius: &mut [f64],
    ) -> Result<(), ControlError> {
        self.radius_at(&MachinePoint::new(state, input), radius)
    }

    fn add_curvature(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.add_curvature_at(&MachinePoint::new(state, input), covector, curvature)
    }
}

/// `f(x, u) ⊖ end`.
#[derive(Debug, Clone)]
struct Advance {
    size: usize,
    end: State<f64>,
}

impl MachineFunction for Advance {
    fn size(&self) -> usize {
        self.size
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        let mut end = at.state.clone();
        lift_state(&self.end, &mut end)?;
        let system = at.system;
        Ok(end.difference(system.tree(), at.step()?.state(), out)?)
    }
}

/// Takes a state over as a constant.
///
/// # Errors
/// For a state of another machine.
pub(crate) fn lift_state<T: Scalar>(
    from: &State<f64>,
    to: &mut State<T>,
) -> Result<(), InvalidInput> {
    to.time = T::from(from.time);
    for (part, to, from) in [
        ("positions", &mut to.q, &from.q),
        ("velocities", &mut to.v, &from.v),
        ("states of actuators", &mut to.actuators, &from.actuators),
        ("states of sensors", &mut to.sensors, &from.sensors),
    ] {
        InvalidInput::check_size(part, from.len(), to.len())?;
        for (to, &from) in to.iter_mut().zip(from) {
            *to = T::from(from);
        }
    }
    Ok(())
}
