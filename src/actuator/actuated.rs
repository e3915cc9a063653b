//! Actuators at given inputs, as a force element.

use super::element::Actuator;
use crate::force::{ForceContext, ForceElement, ForceError, Forces};
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{ElementKink, InvalidInput, Scalar};

/// A set of actuators with the inputs and states that they have during a step.
///
/// This is how a time-stepping system carries actuators: their forces act at the velocity of the end
/// of the step.
#[derive(Debug, Clone, PartialEq)]
pub struct Actuated<T, A> {
    pub(crate) actuators: A,
    input: Vec<T>,
    state: Vec<T>,
}

impl<T: Scalar, A: Actuator<T>> Actuated<T, A> {
    /// With zero inputs and the initial states.
    pub fn new(actuators: A) -> Self {
        let mut state = vec![T::zero(); actuators.num_states()];
        actuators.write_initial_state(&mut state);
        Actuated {
            input: vec![T::zero(); actuators.num_inputs()],
            state,
            actuators,
        }
    }

    /// The actuators.
    pub fn actuators(&self) -> &A {
        &self.actuators
    }

    /// Sets inputs and states; of values in another scalar the real parts.
    ///
    /// # Errors
    /// [`InvalidInput`] when a size is wrong or an entry not finite.
    pub fn set<U: Scalar>(
        &mut self,
        input: &[U],
        state: &[U],
        convert: impl Fn(U) -> T,
    ) -> Result<(), InvalidInput> {
        InvalidInput::check_size("inputs", input.len(), self.input.len())?;
        InvalidInput::check_size("states of actuators", state.len(), self.state.len())?;
        InvalidInput::check_finite("inputs", input)?;
        InvalidInput::check_finite("states of actuators", state)?;
        for (targets, values) in [(&mut self.input, input), (&mut self.state, state)] {
            for (target, &value) in targets.iter_mut().zip(values) {
                *target = convert(value);
            }
        }
        Ok(())
    }
}

impl<T: Scalar, A: Actuator<T>> ForceElement<T> for Actuated<T, A> {
    type Cast<U: Scalar> = Actuated<U, A::Cast<U>>;

    fn cast<U: Scalar>(&self) -> Self::Cast<U> {
        let cast = |values: &[T]| values.iter().map(|x| U::from(x.re())).collect();
        Actuated {
            actuators: self.actuators.cast(),
            input: cast(&self.input),
            state: cast(&self.state),
        }
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        (self.actuators).add_forces(context, &self.input, &self.state, forces)
    }

    fn depends_on_velocity(&self) -> bool {
        self.actuators.depends_on_velocity()
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        (self.actuators).potential_energy(context, &self.input, &self.state)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        (self.actuators).conservative_power(context, &self.input, &self.state)
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        visit: &mut dyn FnMut(ElementKink<'a>),
    ) -> Result<(), ForceError> {
        (self.actuators).visit_kinks(context, &self.input, &self.state, visit)
    }

    fn set_time_step(&mut self, dt: T) {
        self.actuators.set_time_step(dt);
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.actuators.visit_parameters(visit);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        self.actuators.validate(tree)
    }
}
