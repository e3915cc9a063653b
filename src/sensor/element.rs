//! The trait of sensors.

use super::context::SensorContext;
use super::error::SensorError;
use crate::erased::casts_of_its_own;
use crate::integrator::{classical_step, moves_at_rest};
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{DefaultScalar, ElementKink, Scalar};
use std::fmt;

/// A measurement of the state of a system, with constants in the scalar `T`.
///
/// See the [module](super) for a sensor written outside this crate. An implementation for every
/// scalar is all that derivatives need.
///
/// States are continuous or discrete, as those of an [actuator](crate::actuator::Actuator#states), and need a rate or
/// samples.
pub trait Sensor<T: Scalar>: fmt::Debug + Send + Sync + 'static {
    /// The same sensor with constants in another scalar.
    type Cast<U: DefaultScalar>: Sensor<U> + Clone
    where
        Self: Sized;

    /// The same sensor in another scalar; only real parts are carried over.
    fn cast<U: DefaultScalar>(&self) -> Self::Cast<U>
    where
        Self: Sized;

    casts_of_its_own! { AnySensor }

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

    /// Writes the rate of the state; zero for discrete states, which all are unless the sensor says otherwise.
    ///
    /// # Errors
    /// As the sensor says; by default [`SensorError::StateWithoutRate`] for a state that is not
    /// [sampled](Self::is_sampled).
    fn state_derivative(
        &self,
        context: &SensorContext<'_, T>,
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), SensorError> {
        let _ = (context, state);
        if !rate.is_empty() && !self.is_sampled() {
            let sensor = std::any::type_name::<Self>();
            return Err(SensorError::StateWithoutRate { sensor });
        }
        rate.fill(T::zero());
        Ok(())
    }

    /// Brings the continuous states over a step of `dt` seconds in a constant context, that of the start
    /// of the step.
    ///
    /// One step of the classical Runge–Kutta method with [`Self::state_derivative`], unless the sensor
    /// knows better.
    ///
    /// # Errors
    /// As the sensor says.
    fn advance(
        &self,
        context: &SensorContext<'_, T>,
        dt: T,
        state: &mut [T],
    ) -> Result<(), SensorError> {
        classical_step(dt, state, &mut |state, rate| {
            self.state_derivative(context, state, rate)
        })
    }

    /// Brings the discrete states to what they are after a sample, with the context of the sample; the
    /// next one is `dt` seconds later. Called if the sensor [is sampled](Self::is_sampled), before continuous entries of
    /// `state` are brought over the step that begins with the sample.
    ///
    /// # Errors
    /// As the sensor says.
    fn update(
        &self,
        context: &SensorContext<'_, T>,
        dt: T,
        normal: &mut dyn FnMut() -> f64,
        state: &mut [T],
    ) -> Result<(), SensorError> {
        let _ = (context, dt, normal, state);
        Ok(())
    }

    /// Whether [`Self::update`] does something, so that in continuous time samples have to be taken; it does not depend on
    /// parameters.
    fn is_sampled(&self) -> bool {
        false
    }

    /// Whether the sensor measures [forces across joints](SensorContext::joint_reaction), which are found for those that
    /// do; by default not.
    fn needs_joint_reactions(&self) -> bool {
        false
    }

    /// Checks that every state moves in continuous time as in steps: by a rate, or at samples. Nothing to write oneself.
    ///
    /// A sensor that is sampled and has no rate at this state must not [advance](Self::advance) it. What else cannot be
    /// done at this state may be possible at others.
    ///
    /// # Errors
    /// [`SensorError::StateWithoutRate`].
    fn check_states(&self, context: &SensorContext<'_, T>, state: &[T]) -> Result<(), SensorError> {
        let mut rate = vec![T::zero(); state.len()];
        match self.state_derivative(context, state, &mut rate) {
            Err(error @ SensorError::StateWithoutRate { .. }) => Err(error),
            Ok(())
                if moves_at_rest(state, &rate, &mut |end| {
                    self.advance(context, T::one(), end)
                }) =>
            {
                let sensor = std::any::type_name::<Self>();
                Err(SensorError::StateWithoutRate { sensor })
            }
            _ => Ok(()),
        }
    }

    /// Calls `visit` with every state near the given one at which an output is not smooth; with none
    /// unless the sensor says otherwise.
    ///
    /// # Errors
    /// As [`Self::measure`].
    fn visit_kinks<'a>(
        &'a self,
        context: &SensorContext<'_, T>,
        state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), SensorError> {
        let _ = (context, state, visit);
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

    /// The sensor itself, if it is [valid](Self::validate); the last line of a constructor.
    ///
    /// # Errors
    /// What does not fit.
    fn validated(self, tree: &RigidBodyTree<T>) -> Result<Self, SensorError>
    where
        Self: Sized,
    {
        self.validate(tree)?;
        Ok(self)
    }
}

/// Names the components of two vectors: `{name}/{quantity}/{x,y,z}`.
pub(super) fn visit_vector_names(
    name: &str,
    quantities: [&str; 2],
    visit: &mut dyn FnMut(fmt::Arguments<'_>),
) {
    for quantity in quantities {
        for axis in ["x", "y", "z"] {
            visit(format_args!("{name}/{quantity}/{axis}"));
        }
    }
}
