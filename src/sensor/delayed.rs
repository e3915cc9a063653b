//! A delay line.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use crate::tree::RigidBodyTree;
use crate::{ElementKink, InvalidInput, Scalar, constants};
use std::fmt;

/// Reads what another sensor measured some samples ago; zero before there is such a sample.
///
/// The state is that of the sensor, then the outputs of the last samples, the oldest first.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Delayed<S> {
    sensor: S,
    samples: usize,
}

impl<S> Delayed<S> {
    /// Delays a sensor by a number of samples, at most a million; zero is no delay.
    pub fn new(sensor: S, samples: usize) -> Self {
        Delayed { sensor, samples }
    }
}

impl<S> Delayed<S> {
    fn check_samples<T: Scalar>(&self, _: &RigidBodyTree<T>) -> Result<(), SensorError> {
        let samples = [self.samples as f64];
        let expected = "at most a million";
        Ok(InvalidInput::check_range(
            "samples of delay",
            &samples,
            expected,
            |n| n <= 1e6,
        )?)
    }

    fn check_state<T: Scalar>(&self, state: &[T]) -> Result<(), InvalidInput>
    where
        S: Sensor<T>,
    {
        InvalidInput::check_size("state of the delay line", state.len(), self.num_states())
    }
}

impl<T: Scalar, S: Sensor<T>> Sensor<T> for Delayed<S> {
    constants! { Sensor for Delayed as Delayed<S::Cast<U>>, named "", checked by check_samples {
        sensor: element;
        samples;
    } }

    fn num_outputs(&self) -> usize {
        self.sensor.num_outputs()
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        self.sensor.visit_output_names(visit);
    }

    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        state: &[T],
        normal: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        let own = self.sensor.num_states();
        self.check_state(state)?;
        InvalidInput::check_size("outputs", out.len(), self.sensor.num_outputs())?;
        if self.samples == 0 {
            return self.sensor.measure(context, state, normal, out);
        }
        out.copy_from_slice(&state[own..own + out.len()]);
        Ok(())
    }

    fn num_states(&self) -> usize {
        self.sensor.num_states() + self.samples * self.sensor.num_outputs()
    }

    fn write_initial_state(&self, state: &mut [T]) {
        let (own, line) = state.split_at_mut(self.sensor.num_states().min(state.len()));
        self.sensor.write_initial_state(own);
        line.fill(T::zero());
    }

    fn state_derivative(
        &self,
        context: &SensorContext<'_, T>,
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), SensorError> {
        self.check_state(state)?;
        self.check_state(rate)?;
        let own = self.sensor.num_states();
        let (own_rate, line) = rate.split_at_mut(own);
        line.fill(T::zero());
        self.sensor
            .state_derivative(context, &state[..own], own_rate)
    }

    fn advance(
        &self,
        context: &SensorContext<'_, T>,
        dt: T,
        state: &mut [T],
    ) -> Result<(), SensorError> {
        self.check_state(state)?;
        let own = self.sensor.num_states();
        self.sensor.advance(context, dt, &mut state[..own])
    }

    fn is_sampled(&self) -> bool {
        self.samples > 0 || self.sensor.is_sampled()
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &SensorContext<'_, T>,
        state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a>),
    ) -> Result<(), SensorError> {
        self.check_state(state)?;
        let own = self.sensor.num_states();
        self.sensor.visit_kinks(context, &state[..own], visit)
    }

    fn update(
        &self,
        context: &SensorContext<'_, T>,
        dt: T,
        normal: &mut dyn FnMut() -> f64,
        state: &mut [T],
    ) -> Result<(), SensorError> {
        self.check_state(state)?;
        let outputs = self.sensor.num_outputs();
        let (own, line) = state.split_at_mut(self.sensor.num_states());
        if self.samples > 0 {
            line.rotate_left(outputs);
            let newest = line.len() - outputs;
            (self.sensor).measure(context, own, normal, &mut line[newest..])?;
        }
        if self.sensor.is_sampled() {
            self.sensor.update(context, dt, normal, own)?;
        }
        Ok(())
    }
}
