//! A delay line.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use super::sensors::AnySensor;
use crate::erased::casts_by_list;
use crate::tree::RigidBodyTree;
use crate::{ElementKink, InvalidInput, Scalar, constants};
use std::fmt;

/// Reads what another sensor measured some samples ago; zero before there is such a sample.
///
/// The state is that of the sensor, then the outputs of the last samples, the oldest first.
#[derive(Debug, Clone)]
pub struct Delayed<T: Scalar> {
    pub(crate) sensor: AnySensor<T>,
    pub(crate) samples: usize,
}

impl<T: Scalar> Delayed<T> {
    /// Delays a sensor by a number of samples, at most a million; zero is no delay.
    pub fn new(sensor: impl Sensor<T> + Clone, samples: usize) -> Self {
        let sensor = AnySensor::new(sensor);
        Delayed { sensor, samples }
    }

    fn check_samples(&self, _: &RigidBodyTree<T>) -> Result<(), SensorError> {
        let samples = [self.samples as f64];
        let expected = "at most a million";
        Ok(InvalidInput::check_range(
            "samples of delay",
            &samples,
            expected,
            |n| n <= 1e6,
        )?)
    }

    fn check_state(&self, state: &[T]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("state of the delay line", state.len(), self.num_states())
    }
}

impl<T: Scalar> Sensor<T> for Delayed<T> {
    casts_by_list! {}
    constants! { Sensor for Delayed, named "", checked by check_samples {
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

    fn check_states(&self, context: &SensorContext<'_, T>, state: &[T]) -> Result<(), SensorError> {
        self.check_state(state)?;
        self.sensor
            .check_states(context, &state[..self.sensor.num_states()])
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

    fn needs_joint_reactions(&self) -> bool {
        self.sensor.needs_joint_reactions()
    }

    fn is_sampled(&self) -> bool {
        self.samples > 0 || self.sensor.is_sampled()
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &SensorContext<'_, T>,
        state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
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
