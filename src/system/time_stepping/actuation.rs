//! Inputs and states of the actuators of a system, for the steps to come.

use super::step_derivatives::{Dual, StepDifferentiator};
use super::system::TimeSteppingRigidBodySystem;
use crate::actuator::{Actuated, Actuator};
use crate::force::ForceElement;
use crate::{InvalidInput, Scalar};

/// A system with actuators, in duals.
type DualSystem<A> =
    TimeSteppingRigidBodySystem<Dual, Actuated<Dual, <A as Actuator<f64>>::Cast<Dual>>>;

impl<T: Scalar, A: Actuator<T>> TimeSteppingRigidBodySystem<T, Actuated<T, A>> {
    /// Sets the inputs and states of the actuators for the steps to come.
    ///
    /// # Errors
    /// [`InvalidInput`] when a size is wrong or an entry not finite.
    pub fn set_actuation(&mut self, input: &[T], state: &[T]) -> Result<(), InvalidInput> {
        self.model.forces.set(input, state, |x| x)?;
        self.real.forces.set(input, state, |x: T| x.re())?;
        match &mut self.damping {
            Some(damping) => (damping.forces).set(input, state, |x: T| x.re().into()),
            None => Ok(()),
        }
    }

    /// Lets actuators act as at the start of a step, as steps with rigid contact apply them.
    pub(in crate::system) fn set_actuation_explicit(&mut self) {
        self.model.forces.set_time_step(T::zero());
    }
}

impl<A: Actuator<f64>> StepDifferentiator<Actuated<f64, A>> {
    /// Sets the inputs and states of the actuators for the steps to come.
    pub(in crate::system) fn set_actuation(
        &mut self,
        input: &[f64],
        state: &[f64],
    ) -> Result<(), InvalidInput> {
        self.system.set_actuation(input, state)?;
        for system in &mut self.systems {
            (system.model.forces).set(input, state, |x: f64| Dual::from_re(x))?;
        }
        Ok(())
    }

    /// The system in duals with constant parameters, and those with each chunk of [`CHUNK`] parameters
    /// as variables.
    pub(in crate::system) fn dual_systems(&self) -> (&DualSystem<A>, &[DualSystem<A>]) {
        (&self.systems[0], &self.systems[1..])
    }
}
