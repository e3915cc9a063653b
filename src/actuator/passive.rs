//! Force elements as actuators.

use super::element::Actuator;
use crate::force::{ForceContext, ForceElement, ForceError, Forces};
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{ElementKink, Scalar};
use std::fmt;

/// A force element, or a sum of them, as an actuator without inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Passive<F>(pub F);

impl<T: Scalar, F: ForceElement<T>> Actuator<T> for Passive<F> {
    type Cast<U: Scalar> = Passive<F::Cast<U>>;

    fn cast<U: Scalar>(&self) -> Self::Cast<U> {
        Passive(self.0.cast())
    }

    fn num_inputs(&self) -> usize {
        0
    }

    fn visit_input_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        self.0.add_forces(context, forces)
    }

    fn depends_on_velocity(&self) -> bool {
        self.0.depends_on_velocity()
    }

    fn potential_energy(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
    ) -> Result<T, ForceError> {
        self.0.potential_energy(context)
    }

    fn conservative_power(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
    ) -> Result<T, ForceError> {
        self.0.conservative_power(context)
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        visit: &mut dyn FnMut(ElementKink<'a>),
    ) -> Result<(), ForceError> {
        self.0.visit_kinks(context, visit)
    }

    fn set_time_step(&mut self, dt: T) {
        self.0.set_time_step(dt);
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.0.visit_parameters(visit);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        self.0.validate(tree)
    }
}
