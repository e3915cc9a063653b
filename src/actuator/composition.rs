//! Sets of actuators: none, several of one type, several of different types.

use super::element::Actuator;
use crate::Scalar;
use crate::force::{ForceContext, ForceError, Forces};
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use std::fmt;

/// No actuator.
impl<T: Scalar> Actuator<T> for () {
    type Cast<U: Scalar> = ();

    fn cast<U: Scalar>(&self) {}

    fn num_inputs(&self) -> usize {
        0
    }

    fn visit_input_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}

    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        _: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        Ok(())
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }
}

/// Divides inputs and states among the members of a set, in their order.
struct Parts<'a, T> {
    input: &'a [T],
    state: &'a [T],
}

impl<'a, T: Scalar> Parts<'a, T> {
    fn take<A: Actuator<T>>(&mut self, actuator: &A) -> (&'a [T], &'a [T]) {
        let (input, inputs) = self
            .input
            .split_at(actuator.num_inputs().min(self.input.len()));
        let (state, states) = self
            .state
            .split_at(actuator.num_states().min(self.state.len()));
        (self.input, self.state) = (inputs, states);
        (input, state)
    }
}

/// The entries of `values` that belong to the actuator; `values` goes on after them.
fn take<'a, T: Scalar, A: Actuator<T>>(values: &mut &'a mut [T], actuator: &A) -> &'a mut [T] {
    let all = std::mem::take(values);
    let n = actuator.num_states().min(all.len());
    let (own, rest) = all.split_at_mut(n);
    *values = rest;
    own
}

macro_rules! members {
    // What a set does with each of its members.
    ($self:ident, $each:ident) => {
        fn num_inputs(&$self) -> usize {
            let mut sum = 0;
            $each!($self, |a| sum += a.num_inputs());
            sum
        }

        fn visit_input_names(&$self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
            $each!($self, |a| a.visit_input_names(visit));
        }

        fn add_forces(
            &$self,
            context: &ForceContext<'_, T>,
            input: &[T],
            state: &[T],
            forces: &mut Forces<T>,
        ) -> Result<(), ForceError> {
            let mut parts = Parts { input, state };
            $each!($self, |a| {
                let (input, state) = parts.take(a);
                a.add_forces(context, input, state, forces)?;
            });
            Ok(())
        }

        fn depends_on_velocity(&$self) -> bool {
            let mut any = false;
            $each!($self, |a| any |= a.depends_on_velocity());
            any
        }

        fn potential_energy(
            &$self,
            context: &ForceContext<'_, T>,
            input: &[T],
            state: &[T],
        ) -> Result<T, ForceError> {
            let mut parts = Parts { input, state };
            let mut sum = T::zero();
            $each!($self, |a| {
                let (input, state) = parts.take(a);
                sum += a.potential_energy(context, input, state)?;
            });
            Ok(sum)
        }

        fn conservative_power(
            &$self,
            context: &ForceContext<'_, T>,
            input: &[T],
            state: &[T],
        ) -> Result<T, ForceError> {
            let mut parts = Parts { input, state };
            let mut sum = T::zero();
            $each!($self, |a| {
                let (input, state) = parts.take(a);
                sum += a.conservative_power(context, input, state)?;
            });
            Ok(sum)
        }

        fn num_states(&$self) -> usize {
            let mut sum = 0;
            $each!($self, |a| sum += a.num_states());
            sum
        }

        fn write_initial_state(&$self, mut state: &mut [T]) {
            $each!($self, |a| a.write_initial_state(take(&mut state, a)));
        }

        fn state_derivative(
            &$self,
            context: &ForceContext<'_, T>,
            input: &[T],
            state: &[T],
            mut rate: &mut [T],
        ) -> Result<(), ForceError> {
            let mut parts = Parts { input, state };
            $each!($self, |a| {
                let (input, state) = parts.take(a);
                a.state_derivative(context, input, state, take(&mut rate, a))?;
            });
            Ok(())
        }

        fn advance(
            &$self,
            context: &ForceContext<'_, T>,
            input: &[T],
            dt: T,
            mut state: &mut [T],
        ) -> Result<(), ForceError> {
            let mut parts = Parts { input, state: &[] };
            $each!($self, |a| {
                let (input, _) = parts.take(a);
                a.advance(context, input, dt, take(&mut state, a))?;
            });
            Ok(())
        }

        fn validate(&$self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
            $each!($self, |a| a.validate(tree)?);
            Ok(())
        }
    };
}

macro_rules! each_of_list {
    ($self:ident, |$a:ident| $do:expr) => {
        for $a in $self {
            $do;
        }
    };
}

/// Actuators of one type.
impl<T: Scalar, A: Actuator<T>> Actuator<T> for Vec<A> {
    type Cast<U: Scalar> = Vec<A::Cast<U>>;

    fn cast<U: Scalar>(&self) -> Self::Cast<U> {
        self.iter().map(|a| a.cast()).collect()
    }

    members!(self, each_of_list);

    fn set_time_step(&mut self, dt: T) {
        self.iter_mut().for_each(|a| a.set_time_step(dt));
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.iter_mut().for_each(|a| a.visit_parameters(visit));
    }
}

macro_rules! set_of_actuators {
    ($each:ident, $($actuator:ident $field:tt),+) => {
        macro_rules! $each {
            ($set:ident, |$a:ident| $do:expr) => {
                $({
                    let $a = &$set.$field;
                    $do;
                })+
            };
        }

        /// Actuators of different types.
        impl<T: Scalar, $($actuator: Actuator<T>),+> Actuator<T> for ($($actuator,)+) {
            type Cast<U: Scalar> = ($($actuator::Cast<U>,)+);

            fn cast<U: Scalar>(&self) -> Self::Cast<U> {
                ($(self.$field.cast(),)+)
            }

            members!(self, $each);

            fn set_time_step(&mut self, dt: T) {
                $(self.$field.set_time_step(dt);)+
            }

            fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
                $(self.$field.visit_parameters(visit);)+
            }
        }
    };
}

set_of_actuators!(each_of_1, A 0);
set_of_actuators!(each_of_2, A 0, B 1);
set_of_actuators!(each_of_3, A 0, B 1, C 2);
set_of_actuators!(each_of_4, A 0, B 1, C 2, D 3);
set_of_actuators!(each_of_5, A 0, B 1, C 2, D 3, E 4);
set_of_actuators!(each_of_6, A 0, B 1, C 2, D 3, E 4, F 5);
