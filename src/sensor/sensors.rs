//! The sensors of a machine, in order, with their outputs and states.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use super::{
    ContactForce, Delayed, Encoder, ForceTorque, FramePose, FullState, Imu, Lidar, RemoteSensor,
    Touch,
};
use crate::default_scalar::ScalarName;
use crate::erased::{delegate, element_list, erase, take, take_mut};
use crate::error::{check_element, element_label};
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{ElementKink, Scalar};
use std::any::Any;
use std::fmt;

erase! {
    /// A sensor of any type.
    AnySensor, ErasedSensor, Sensor,
    listed: ContactForce, Delayed<f64>, Encoder<f64>, ForceTorque, FramePose, FullState, Imu<f64>, Lidar<f64>, RemoteSensor<f64>, Touch,
}

delegate! { AnySensor: Sensor {
    get fn num_outputs() -> usize;
    get fn visit_output_names(visit: &mut dyn FnMut(fmt::Arguments<'_>));
    get fn measure(context: &SensorContext<'_, T>, state: &[T], normal: &mut dyn FnMut() -> f64, out: &mut [T]) -> Result<(), SensorError>;
    get fn num_states() -> usize;
    get fn write_initial_state(state: &mut [T]);
    get fn state_derivative(context: &SensorContext<'_, T>, state: &[T], rate: &mut [T]) -> Result<(), SensorError>;
    get fn advance(context: &SensorContext<'_, T>, dt: T, state: &mut [T]) -> Result<(), SensorError>;
    get fn update(context: &SensorContext<'_, T>, dt: T, normal: &mut dyn FnMut() -> f64, state: &mut [T]) -> Result<(), SensorError>;
    get fn is_sampled() -> bool;
    get fn needs_joint_reactions() -> bool;
    get fn check_states(context: &SensorContext<'_, T>, state: &[T]) -> Result<(), SensorError>;
    lend fn visit_kinks(context: &SensorContext<'_, T>, state: &[T]) -> Result<(), SensorError>;
    set fn visit_parameters(visit: &mut dyn FnMut(Parameter<'_, T>));
    get fn validate(tree: &RigidBodyTree<T>) -> Result<(), SensorError>;
} }

element_list! {
    /// The sensors of a machine, in the order in which they were added; so are their outputs and states.
    Sensors of AnySensor
}

const STATES: &str = "states of the sensors";
const OUTPUTS: &str = "outputs of the sensors";

impl<T: Scalar> Sensors<T> {
    pub fn num_outputs(&self) -> usize {
        self.iter().map(|s| s.num_outputs()).sum()
    }

    pub fn num_states(&self) -> usize {
        self.iter().map(|s| s.num_states()).sum()
    }

    pub fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        self.iter().for_each(|s| s.visit_output_names(visit));
    }

    pub fn is_sampled(&self) -> bool {
        self.iter().any(|s| s.is_sampled())
    }

    pub fn need_joint_reactions(&self) -> bool {
        self.iter().any(|s| s.needs_joint_reactions())
    }

    pub fn measure(
        &self,
        context: &SensorContext<'_, T>,
        mut state: &[T],
        normal: &mut dyn FnMut() -> f64,
        mut out: &mut [T],
    ) -> Result<(), SensorError> {
        for s in self.iter() {
            let x = take(&mut state, s.num_states(), STATES)?;
            let y = take_mut(&mut out, s.num_outputs(), OUTPUTS)?;
            s.measure(context, x, normal, y)?;
            check(s, "output", y)?;
        }
        Ok(())
    }

    pub fn write_initial_state(&self, mut state: &mut [T]) {
        for s in self.iter() {
            let size = s.num_states().min(state.len());
            if let Ok(x) = take_mut(&mut state, size, STATES) {
                s.write_initial_state(x);
            }
        }
    }

    pub fn state_derivative(
        &self,
        context: &SensorContext<'_, T>,
        mut state: &[T],
        mut rate: &mut [T],
    ) -> Result<(), SensorError> {
        for s in self.iter() {
            let x = take(&mut state, s.num_states(), STATES)?;
            let rate = take_mut(&mut rate, x.len(), STATES)?;
            s.state_derivative(context, x, rate)?;
            check(s, "the rate of state", rate)?;
        }
        Ok(())
    }

    pub fn advance(
        &self,
        context: &SensorContext<'_, T>,
        dt: T,
        mut state: &mut [T],
    ) -> Result<(), SensorError> {
        for s in self.iter() {
            let x = take_mut(&mut state, s.num_states(), STATES)?;
            s.advance(context, dt, x)?;
            check(s, "state", x)?;
        }
        Ok(())
    }

    /// Takes the samples of those that do.
    pub fn update(
        &self,
        context: &SensorContext<'_, T>,
        dt: T,
        normal: &mut dyn FnMut() -> f64,
        mut state: &mut [T],
    ) -> Result<(), SensorError> {
        for s in self.iter() {
            let x = take_mut(&mut state, s.num_states(), STATES)?;
            if s.is_sampled() {
                s.update(context, dt, normal, x)?;
                check(s, "state", x)?;
            }
        }
        Ok(())
    }

    pub fn check_states(
        &self,
        context: &SensorContext<'_, T>,
        mut state: &[T],
    ) -> Result<(), SensorError> {
        for s in self.iter() {
            let x = take(&mut state, s.num_states(), STATES)?;
            s.check_states(context, x)?;
        }
        Ok(())
    }

    pub fn visit_kinks<'a>(
        &'a self,
        context: &SensorContext<'_, T>,
        mut state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), SensorError> {
        for s in self.iter() {
            let x = take(&mut state, s.num_states(), STATES)?;
            s.visit_kinks(context, x, visit)?;
        }
        Ok(())
    }

    pub fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.iter_mut().for_each(|s| s.visit_parameters(visit));
    }

    pub fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
        self.iter().try_for_each(|s| s.validate(tree))
    }
}

/// Checks what a sensor gave, which is called by the name of its first output.
fn check<T: Scalar>(sensor: &AnySensor<T>, what: &str, values: &[T]) -> Result<(), SensorError> {
    let label = || {
        let mut name = None;
        sensor.visit_output_names(&mut |output| {
            name.get_or_insert_with(|| output.to_string());
        });
        element_label("sensor", &name.unwrap_or_default(), sensor.short_type())
    };
    Ok(check_element(values, label, |i| format!("{what} {i}"))?)
}
