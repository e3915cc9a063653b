//! Sums of force elements: none, several of one type, several of different types.

use super::context::ForceContext;
use super::element::{ElementEnergy, ForceElement};
use super::error::ForceError;
use super::forces::Forces;
use crate::Scalar;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;

/// No force.
impl<T: Scalar> ForceElement<T> for () {
    type Cast<U: Scalar> = ();

    fn cast<U: Scalar>(&self) {}

    fn add_forces(&self, _: &ForceContext<'_, T>, _: &mut Forces<T>) -> Result<(), ForceError> {
        Ok(())
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn visit_energies(
        &self,
        _: &ForceContext<'_, T>,
        _: &mut Forces<T>,
        _: &mut dyn FnMut(&str, ElementEnergy<T>),
    ) -> Result<(), ForceError> {
        Ok(())
    }
}

/// The sum of elements of one type.
impl<T: Scalar, F: ForceElement<T>> ForceElement<T> for Vec<F> {
    type Cast<U: Scalar> = Vec<F::Cast<U>>;

    fn cast<U: Scalar>(&self) -> Self::Cast<U> {
        self.iter().map(|f| f.cast()).collect()
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        self.iter().try_for_each(|f| f.add_forces(context, forces))
    }

    fn depends_on_velocity(&self) -> bool {
        self.iter().any(|f| f.depends_on_velocity())
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        (self.iter()).try_fold(T::zero(), |sum, f| Ok(sum + f.potential_energy(context)?))
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        (self.iter()).try_fold(T::zero(), |sum, f| Ok(sum + f.conservative_power(context)?))
    }

    fn visit_energies(
        &self,
        context: &ForceContext<'_, T>,
        scratch: &mut Forces<T>,
        visit: &mut dyn FnMut(&str, ElementEnergy<T>),
    ) -> Result<(), ForceError> {
        self.iter()
            .try_for_each(|f| f.visit_energies(context, scratch, visit))
    }

    fn set_time_step(&mut self, dt: T) {
        self.iter_mut().for_each(|f| f.set_time_step(dt));
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.iter_mut().for_each(|f| f.visit_parameters(visit));
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        self.iter().try_for_each(|f| f.validate(tree))
    }
}

macro_rules! sum_of_elements {
    ($($element:ident $field:tt),+) => {
        /// The sum of elements of different types.
        impl<T: Scalar, $($element: ForceElement<T>),+> ForceElement<T> for ($($element,)+) {
            type Cast<U: Scalar> = ($($element::Cast<U>,)+);

            fn cast<U: Scalar>(&self) -> Self::Cast<U> {
                ($(self.$field.cast(),)+)
            }

            fn add_forces(
                &self,
                context: &ForceContext<'_, T>,
                forces: &mut Forces<T>,
            ) -> Result<(), ForceError> {
                $(self.$field.add_forces(context, forces)?;)+
                Ok(())
            }

            fn depends_on_velocity(&self) -> bool {
                $(self.$field.depends_on_velocity())||+
            }

            fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
                let mut sum = T::zero();
                $(sum += self.$field.potential_energy(context)?;)+
                Ok(sum)
            }

            fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
                let mut sum = T::zero();
                $(sum += self.$field.conservative_power(context)?;)+
                Ok(sum)
            }

            fn visit_energies(
                &self,
                context: &ForceContext<'_, T>,
                scratch: &mut Forces<T>,
                visit: &mut dyn FnMut(&str, ElementEnergy<T>),
            ) -> Result<(), ForceError> {
                $(self.$field.visit_energies(context, scratch, visit)?;)+
                Ok(())
            }

            fn set_time_step(&mut self, dt: T) {
                $(self.$field.set_time_step(dt);)+
            }

            fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
                $(self.$field.visit_parameters(visit);)+
            }

            fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
                $(self.$field.validate(tree)?;)+
                Ok(())
            }
        }
    };
}

sum_of_elements!(A 0);
sum_of_elements!(A 0, B 1);
sum_of_elements!(A 0, B 1, C 2);
sum_of_elements!(A 0, B 1, C 2, D 3);
sum_of_elements!(A 0, B 1, C 2, D 3, E 4);
sum_of_elements!(A 0, B 1, C 2, D 3, E 4, G 5);
sum_of_elements!(A 0, B 1, C 2, D 3, E 4, G 5, H 6);
sum_of_elements!(A 0, B 1, C 2, D 3, E 4, G 5, H 6, I 7);
