//! What an actuator is.

use crate::Scalar;
use crate::force::{ForceContext, ForceError, Forces};
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use std::fmt;

/// Forces that follow from the state of a tree, inputs and a state of their own.
///
/// See the [module](super) for an actuator written outside this crate. `input` and `state` have the
/// sizes that the actuator says, wherever a system calls it.
pub trait Actuator<T: Scalar>: Clone + fmt::Debug {
    /// The same actuator with constants in another scalar.
    type Cast<U: Scalar>: Actuator<U>;

    /// The same actuator in another scalar; only real parts are carried over.
    fn cast<U: Scalar>(&self) -> Self::Cast<U>;

    /// Number of inputs.
    fn num_inputs(&self) -> usize;

    /// Calls `visit` with the name of each input, a path that starts with the actuator's own.
    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>));

    /// Adds the forces at the state of `context`.
    ///
    /// # Errors
    /// As the actuator says.
    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError>;

    /// Whether the forces depend on velocities; an actuator that says no must mean it.
    fn depends_on_velocity(&self) -> bool {
        true
    }

    /// The energy that the actuator stores as a spring does, in J; zero unless it says otherwise.
    ///
    /// # Errors
    /// As [`Self::add_forces`].
    fn potential_energy(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        let _ = (context, input, state);
        Ok(T::zero())
    }

    /// The rate at which the actuator gives stored energy away at constant input and state, in W; zero
    /// unless it says otherwise.
    ///
    /// # Errors
    /// As [`Self::add_forces`].
    fn conservative_power(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
    ) -> Result<T, ForceError> {
        let _ = (context, input, state);
        Ok(T::zero())
    }

    /// Number of entries of the actuator's own state.
    fn num_states(&self) -> usize {
        0
    }

    /// Writes the state to start from; zero unless the actuator says otherwise.
    fn write_initial_state(&self, state: &mut [T]) {
        state.fill(T::zero());
    }

    /// Writes the rate of the state, for continuous time.
    ///
    /// # Errors
    /// As the actuator says.
    fn state_derivative(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), ForceError> {
        let _ = (context, input, state);
        rate.fill(T::zero());
        Ok(())
    }

    /// Brings the state over a time step of `dt` seconds at constant input, for discrete time; the
    /// context is that of the start of the step.
    ///
    /// # Errors
    /// As the actuator says.
    fn advance(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        let _ = (context, input, dt, state);
        Ok(())
    }

    /// Tells the actuator the step over which it acts: zero in continuous time.
    ///
    /// A time-stepping system calls this, for actuators whose positions are implicit in time.
    fn set_time_step(&mut self, dt: T) {
        let _ = dt;
    }

    /// Calls `visit` with every constant that can be differentiated, in an order that does not
    /// depend on values; names start with that of the actuator.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let _ = visit;
    }

    /// Checks the constants, and that the tree has what the actuator acts on.
    ///
    /// # Errors
    /// What does not fit.
    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let _ = tree;
        Ok(())
    }
}
