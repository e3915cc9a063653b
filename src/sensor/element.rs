//! What a sensor is.

use super::context::SensorContext;
use super::error::SensorError;
use crate::Scalar;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use std::fmt;

/// A measurement of the state of a system, with constants in the scalar `T`.
///
/// See the [module](super) for a sensor written outside this crate. An implementation for every
/// scalar is all that derivatives need.
pub trait Sensor<T: Scalar>: Clone + fmt::Debug {
    /// The same sensor with constants in another scalar.
    type Cast<U: Scalar>: Sensor<U>;

    /// The same sensor in another scalar; only real parts are carried over.
    fn cast<U: Scalar>(&self) -> Self::Cast<U>;

    /// Number of outputs.
    fn num_outputs(&self) -> usize;

    /// Calls `visit` with the name of each output, a path that starts with the sensor's own.
    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>));

    /// Writes the outputs at the state of `context` and the sensor's own `state`.
    ///
    /// `normal` gives independent standard normal numbers.
    ///
    /// # Errors
    /// As the sensor says.
    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        state: &[T],
        normal: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError>;

    /// Number of entries of the sensor's own state.
    fn num_states(&self) -> usize {
        0
    }

    /// Writes the state to start from; zero unless the sensor says otherwise.
    fn write_initial_state(&self, state: &mut [T]) {
        state.fill(T::zero());
    }

    /// Brings the state from one sample to the next, `dt` seconds later, with the context of the
    /// first.
    ///
    /// # Errors
    /// As the sensor says.
    fn advance(
        &self,
        context: &SensorContext<'_, T>,
        dt: T,
        normal: &mut dyn FnMut() -> f64,
        state: &mut [T],
    ) -> Result<(), SensorError> {
        let _ = (context, dt, normal, state);
        Ok(())
    }

    /// Calls `visit` with every constant that can be differentiated, in an order that does not
    /// depend on values; names start with that of the sensor.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let _ = visit;
    }

    /// Checks the constants, and that the tree has what the sensor is on.
    ///
    /// # Errors
    /// What does not fit.
    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
        let _ = tree;
        Ok(())
    }
}
