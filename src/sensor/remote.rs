//! A sensor in another process.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use super::sensors::AnySensor;
use crate::erased::casts_by_list;
use crate::remote::{RemoteChannel, RemoteError};
use crate::{InvalidInput, Scalar, constants};
use std::fmt;

/// Measures what another process makes of the outputs of a sensor here: [`FullState`](super::FullState), say, of which a
/// process with the same machine computes the distances that a lidar sees.
///
/// Outputs are `{name}/{output}`, without derivatives. The state is that of the sensor here.
#[derive(Debug, Clone)]
pub struct RemoteSensor<T: Scalar> {
    name: String,
    channel: RemoteChannel,
    /// Its number at both ends.
    element: usize,
    sensor: AnySensor<T>,
    outputs: Vec<String>,
}

impl<T: Scalar> RemoteSensor<T> {
    /// Announces the sensor to the other process, with the outputs of `sensor` as what it receives and `outputs` as what it
    /// answers.
    ///
    /// # Errors
    /// [`SensorError::Remote`], when that process does not know a sensor with these signals.
    pub fn new(
        name: impl Into<String>,
        channel: &RemoteChannel,
        sensor: impl Sensor<T> + Clone,
        outputs: &[&str],
    ) -> Result<Self, SensorError> {
        let (name, sensor) = (name.into(), AnySensor::new(sensor));
        let mut sent = Vec::new();
        sensor.visit_output_names(&mut |output| sent.push(output.to_string()));
        let outputs: Vec<_> = outputs.iter().map(|&output| output.to_owned()).collect();
        let announced = channel.announce(&name, &sent, &outputs);
        Ok(RemoteSensor {
            element: announced.map_err(|source| failed(&name, source))?,
            channel: channel.clone(),
            name,
            sensor,
            outputs,
        })
    }
}

fn failed(name: &str, source: RemoteError) -> SensorError {
    SensorError::Remote {
        name: name.to_owned(),
        source,
    }
}

impl<T: Scalar> Sensor<T> for RemoteSensor<T> {
    casts_by_list! {}
    constants! { Sensor for RemoteSensor {
        name;
        channel;
        element;
        sensor: element;
        outputs;
    } }

    fn num_outputs(&self) -> usize {
        self.outputs.len()
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        for output in &self.outputs {
            visit(format_args!("{}/{output}", self.name));
        }
    }

    /// # Errors
    /// [`SensorError::Remote`], and those of the sensor here.
    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        state: &[T],
        normal: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        InvalidInput::check_size("outputs", out.len(), self.outputs.len())?;
        let mut values = vec![T::zero(); self.sensor.num_outputs()];
        self.sensor.measure(context, state, normal, &mut values)?;
        let sent = (context.time(), values.iter());
        (self.channel.exchange(self.element, sent, out)).map_err(|e| failed(&self.name, e))
    }

    fn num_states(&self) -> usize {
        self.sensor.num_states()
    }

    fn write_initial_state(&self, state: &mut [T]) {
        self.sensor.write_initial_state(state);
    }

    fn state_derivative(
        &self,
        context: &SensorContext<'_, T>,
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), SensorError> {
        self.sensor.state_derivative(context, state, rate)
    }

    fn advance(
        &self,
        context: &SensorContext<'_, T>,
        dt: T,
        state: &mut [T],
    ) -> Result<(), SensorError> {
        self.sensor.advance(context, dt, state)
    }

    fn update(
        &self,
        context: &SensorContext<'_, T>,
        dt: T,
        normal: &mut dyn FnMut() -> f64,
        state: &mut [T],
    ) -> Result<(), SensorError> {
        (self.channel.check_step(dt.re())).map_err(|error| failed(&self.name, error))?;
        match self.sensor.is_sampled() {
            true => self.sensor.update(context, dt, normal, state),
            false => Ok(()),
        }
    }

    /// Always: at samples the step is compared with that of the channel.
    fn is_sampled(&self) -> bool {
        true
    }

    fn needs_joint_reactions(&self) -> bool {
        self.sensor.needs_joint_reactions()
    }

    fn check_states(&self, context: &SensorContext<'_, T>, state: &[T]) -> Result<(), SensorError> {
        self.sensor.check_states(context, state)
    }
}
