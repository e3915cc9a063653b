//! Sets of sensors.

use super::contact_force::ContactForce;
pub use super::context::SensorContext;
use super::delayed::Delayed;
pub use super::element::Sensor;
use super::encoder::Encoder;
pub use super::error::SensorError;
use super::frame_pose::FramePose;
use super::full_state::FullState;
use super::imu::Imu;
use super::lidar::Lidar;
pub use crate::composition::*;
pub use crate::parameter::Parameter;
pub use crate::tree::RigidBodyTree;
pub use crate::{ElementKink, Scalar};
pub use std::fmt;

pub const STATES: &str = "states of the sensors";
pub const OUTPUTS: &str = "outputs of the sensors";

#[doc(hidden)]
#[macro_export]
macro_rules! sensor_members {
    ($self:ident, $each:ident $members:tt) => {
        fn num_outputs(&$self) -> usize {
            let mut sum = 0;
            $each!($members, $self, |s| sum += Sensor::<T>::num_outputs(s));
            sum
        }

        fn visit_output_names(&$self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
            $each!($members, $self, |s| Sensor::<T>::visit_output_names(s, visit));
        }

        fn measure(
            &$self,
            context: &SensorContext<'_, T>,
            mut state: &[T],
            normal: &mut dyn FnMut() -> f64,
            mut out: &mut [T],
        ) -> Result<(), SensorError> {
            $each!($members, $self, |s| {
                let x = take(&mut state, Sensor::<T>::num_states(s), STATES)?;
                let y = take_mut(&mut out, Sensor::<T>::num_outputs(s), OUTPUTS)?;
                Sensor::<T>::measure(s, context, x, normal, y)?
            });
            Ok(())
        }

        fn num_states(&$self) -> usize {
            let mut sum = 0;
            $each!($members, $self, |s| sum += Sensor::<T>::num_states(s));
            sum
        }

        fn write_initial_state(&$self, mut state: &mut [T]) {
            $each!($members, $self, |s| {
                let n = Sensor::<T>::num_states(s).min(state.len());
                if let Ok(x) = take_mut(&mut state, n, STATES) {
                    Sensor::<T>::write_initial_state(s, x);
                }
            });
        }

        fn state_derivative(
            &$self,
            context: &SensorContext<'_, T>,
            mut state: &[T],
            mut rate: &mut [T],
        ) -> Result<(), SensorError> {
            $each!($members, $self, |s| {
                let n = Sensor::<T>::num_states(s);
                let x = take(&mut state, n, STATES)?;
                Sensor::<T>::state_derivative(s, context, x, take_mut(&mut rate, n, STATES)?)?
            });
            Ok(())
        }

        fn advance(
            &$self,
            context: &SensorContext<'_, T>,
            dt: T,
            mut state: &mut [T],
        ) -> Result<(), SensorError> {
            $each!($members, $self, |s| {
                let x = take_mut(&mut state, Sensor::<T>::num_states(s), STATES)?;
                Sensor::<T>::advance(s, context, dt, x)?
            });
            Ok(())
        }

        fn update(
            &$self,
            context: &SensorContext<'_, T>,
            dt: T,
            normal: &mut dyn FnMut() -> f64,
            mut state: &mut [T],
        ) -> Result<(), SensorError> {
            $each!($members, $self, |s| {
                let x = take_mut(&mut state, Sensor::<T>::num_states(s), STATES)?;
                if Sensor::<T>::is_sampled(s) {
                    Sensor::<T>::update(s, context, dt, normal, x)?;
                }
            });
            Ok(())
        }

        fn check_states(
            &$self,
            context: &SensorContext<'_, T>,
            mut state: &[T],
        ) -> Result<(), SensorError> {
            $each!($members, $self, |s| {
                let x = take(&mut state, Sensor::<T>::num_states(s), STATES)?;
                Sensor::<T>::check_states(s, context, x)?
            });
            Ok(())
        }

        fn is_sampled(&$self) -> bool {
            let mut any = false;
            $each!($members, $self, |s| any |= Sensor::<T>::is_sampled(s));
            any
        }

        fn visit_kinks<'a>(
            &'a $self,
            context: &SensorContext<'_, T>,
            mut state: &[T],
            visit: &mut dyn FnMut(ElementKink<'a>),
        ) -> Result<(), SensorError> {
            $each!($members, $self, |s| {
                let x = take(&mut state, Sensor::<T>::num_states(s), STATES)?;
                Sensor::<T>::visit_kinks(s, context, x, visit)?
            });
            Ok(())
        }

        fn visit_parameters(&mut $self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
            $each!($members, $self, |s| Sensor::<T>::visit_parameters(s, visit));
        }

        fn validate(&$self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
            $each!($members, $self, |s| Sensor::<T>::validate(s, tree)?);
            Ok(())
        }
    };
}

compose_sets!(Sensor, sensor_members);

compose_enum! {
    /// Any sensor of this crate; a `Vec` of them is what a program has that reads its model from a
    /// file.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(bound = "T: crate::io::json::Number"))]
    #[non_exhaustive]
    pub enum BuiltinSensor<T>: Sensor {
        /// All coordinates.
        FullState(FullState),
        /// A coordinate of a joint.
        Encoder(Encoder<T>),
        /// Specific force and angular rate.
        Imu(Imu<T>),
        /// Distances along rays.
        Lidar(Lidar<T>),
        /// The resultant of contact forces.
        ContactForce(ContactForce),
        /// The pose of a frame.
        FramePose(FramePose),
        /// Any of these, some samples late.
        Delayed(Delayed<Box<BuiltinSensor<T>>>),
    }
}
