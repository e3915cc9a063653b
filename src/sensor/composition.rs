//! Sets of sensors: none, several of one type, several of different types.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar};
use std::fmt;

/// No sensor.
impl<T: Scalar> Sensor<T> for () {
    type Cast<U: Scalar> = ();

    fn cast<U: Scalar>(&self) {}

    fn num_outputs(&self) -> usize {
        0
    }

    fn visit_output_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}

    fn measure(
        &self,
        _: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        _: &mut [T],
    ) -> Result<(), SensorError> {
        Ok(())
    }
}

/// The first `n` entries, and the rest.
fn split<'a, T>(
    values: &'a [T],
    n: usize,
    what: &'static str,
) -> Result<(&'a [T], &'a [T]), SensorError> {
    InvalidInput::check_size(what, values.len().min(n), n)?;
    Ok(values.split_at(n))
}

fn split_mut<'a, T>(
    values: &'a mut [T],
    n: usize,
    what: &'static str,
) -> Result<(&'a mut [T], &'a mut [T]), SensorError> {
    InvalidInput::check_size(what, values.len().min(n), n)?;
    Ok(values.split_at_mut(n))
}

const STATE: &str = "state of the sensors";
const OUTPUTS: &str = "outputs of the sensors";

/// Sensors of one type.
impl<T: Scalar, S: Sensor<T>> Sensor<T> for Vec<S> {
    type Cast<U: Scalar> = Vec<S::Cast<U>>;

    fn cast<U: Scalar>(&self) -> Self::Cast<U> {
        self.iter().map(|s| s.cast()).collect()
    }

    fn num_outputs(&self) -> usize {
        self.iter().map(|s| s.num_outputs()).sum()
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        self.iter().for_each(|s| s.visit_output_names(visit));
    }

    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        mut state: &[T],
        normal: &mut dyn FnMut() -> f64,
        mut out: &mut [T],
    ) -> Result<(), SensorError> {
        for s in self {
            let (own, rest) = split(state, s.num_states(), STATE)?;
            let (written, others) = split_mut(out, s.num_outputs(), OUTPUTS)?;
            s.measure(context, own, normal, written)?;
            (state, out) = (rest, others);
        }
        Ok(())
    }

    fn num_states(&self) -> usize {
        self.iter().map(|s| s.num_states()).sum()
    }

    fn write_initial_state(&self, mut state: &mut [T]) {
        for s in self {
            let (own, rest) = state.split_at_mut(s.num_states().min(state.len()));
            s.write_initial_state(own);
            state = rest;
        }
    }

    fn advance(
        &self,
        context: &SensorContext<'_, T>,
        dt: T,
        normal: &mut dyn FnMut() -> f64,
        mut state: &mut [T],
    ) -> Result<(), SensorError> {
        for s in self {
            let (own, rest) = split_mut(state, s.num_states(), STATE)?;
            s.advance(context, dt, normal, own)?;
            state = rest;
        }
        Ok(())
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.iter_mut().for_each(|s| s.visit_parameters(visit));
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
        self.iter().try_for_each(|s| s.validate(tree))
    }
}

macro_rules! set_of_sensors {
    ($($sensor:ident $field:tt),+) => {
        /// Sensors of different types.
        impl<T: Scalar, $($sensor: Sensor<T>),+> Sensor<T> for ($($sensor,)+) {
            type Cast<U: Scalar> = ($($sensor::Cast<U>,)+);

            fn cast<U: Scalar>(&self) -> Self::Cast<U> {
                ($(self.$field.cast(),)+)
            }

            fn num_outputs(&self) -> usize {
                0 $(+ self.$field.num_outputs())+
            }

            fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
                $(self.$field.visit_output_names(visit);)+
            }

            fn measure(
                &self,
                context: &SensorContext<'_, T>,
                state: &[T],
                normal: &mut dyn FnMut() -> f64,
                out: &mut [T],
            ) -> Result<(), SensorError> {
                $(
                    let (own, state) = split(state, self.$field.num_states(), STATE)?;
                    let (written, out) = split_mut(out, self.$field.num_outputs(), OUTPUTS)?;
                    self.$field.measure(context, own, normal, written)?;
                )+
                let _ = (state, out);
                Ok(())
            }

            fn num_states(&self) -> usize {
                0 $(+ self.$field.num_states())+
            }

            fn write_initial_state(&self, state: &mut [T]) {
                $(
                    let n = self.$field.num_states().min(state.len());
                    let (own, state) = state.split_at_mut(n);
                    self.$field.write_initial_state(own);
                )+
                let _ = state;
            }

            fn advance(
                &self,
                context: &SensorContext<'_, T>,
                dt: T,
                normal: &mut dyn FnMut() -> f64,
                state: &mut [T],
            ) -> Result<(), SensorError> {
                $(
                    let (own, state) = split_mut(state, self.$field.num_states(), STATE)?;
                    self.$field.advance(context, dt, normal, own)?;
                )+
                let _ = state;
                Ok(())
            }

            fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
                $(self.$field.visit_parameters(visit);)+
            }

            fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
                $(self.$field.validate(tree)?;)+
                Ok(())
            }
        }
    };
}

set_of_sensors!(A 0);
set_of_sensors!(A 0, B 1);
set_of_sensors!(A 0, B 1, C 2);
set_of_sensors!(A 0, B 1, C 2, D 3);
set_of_sensors!(A 0, B 1, C 2, D 3, E 4);
set_of_sensors!(A 0, B 1, C 2, D 3, E 4, F 5);
