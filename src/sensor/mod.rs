//! Sensors: what is measured of the state of a system.
//!
//! A [`Sensor`] reads a [`SensorContext`] and writes named outputs. It may hold a state of its own (a
//! bias, a delay line), continuous or [updated](Sensor::update) from sample to sample. A machine takes any number of
//! sensors of any types: [`add_sensor`](crate::system::RigidBodySystem::add_sensor) adds one,
//! [`with_sensors`](crate::system::RigidBodySystem::with_sensors) several. [`AnySensor`] holds one of any type, for
//! lists of different ones.
//!
//! | sensor | outputs |
//! |---|---|
//! | [`FullState`] | all coordinates |
//! | [`Encoder`] | a coordinate, quantised and as it is, and its rate |
//! | [`Imu`] | specific force and angular rate at a mounting pose, with bias and noise |
//! | [`Lidar`] | distances along rays |
//! | [`RemoteSensor`] | what another process makes of a sensor's outputs |
//! | [`ContactForce`] | the resultant of the contact forces on a body |
//! | [`Touch`] | the normal force in a zone on a body |
//! | [`ForceTorque`] | the force and the torque that hold a body at its joint |
//! | [`FramePose`] | position and quaternion of a frame |
//! | [`Delayed`] | those of another sensor, some samples late |
//!
//! # Noise
//! Random numbers come from the caller, who passes a generator of independent standard normal
//! numbers; `&mut || 0.0` measures without noise. Noise is a constant for the derivative.
//!
//! # A sensor of one's own
//! The page on [sensors of one's own](crate::guide::own_sensors) has one with constants, in a simulation and in a fit.
//!
//! ```
//! use dualbody::contact::ContactModel;
//! use dualbody::math::SpatialInertia;
//! use dualbody::sensor::{Sensor, SensorContext, SensorError};
//! use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
//! use dualbody::{DefaultScalar, Scalar};
//! use nalgebra::Vector3;
//! use std::fmt;
//!
//! /// Height of a body over the ground.
//! #[derive(Debug, Clone)]
//! struct Altimeter(BodyIndex);
//!
//! impl<T: Scalar> Sensor<T> for Altimeter {
//!     type Cast<U: DefaultScalar> = Altimeter;
//!     fn cast<U: DefaultScalar>(&self) -> Altimeter {
//!         self.clone()
//!     }
//!     fn num_outputs(&self) -> usize {
//!         1
//!     }
//!     fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
//!         visit(format_args!("altimeter/height"));
//!     }
//!     fn measure(
//!         &self,
//!         context: &SensorContext<'_, T>,
//!         _: &[T],
//!         _: &mut dyn FnMut() -> f64,
//!         out: &mut [T],
//!     ) -> Result<(), SensorError> {
//!         out[0] = context.body_pose(self.0)?.translation.z;
//!         Ok(())
//!     }
//! }
//!
//! let mut builder = RigidBodyTreeBuilder::<f64>::new();
//! let body = builder.add_body("balloon", SpatialInertia::solid_sphere(1.0, 0.5))?;
//! let tree = builder.finish()?;
//! let mut workspace = tree.workspace();
//! tree.set_positions(&mut workspace, &[1.0, 0.0, 0.0, 0.0, 3.0, 4.0, 5.0])?;
//! let contact = ContactModel::none();
//! let context = SensorContext::new(&tree, &workspace, &contact);
//! let mut height = [0.0];
//! Altimeter(body).measure(&context, &[], &mut || 0.0, &mut height)?;
//! assert_eq!(height, [5.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod contact_force;
mod context;
mod delayed;
mod element;
mod encoder;
mod error;
mod force_torque;
mod frame_pose;
mod full_state;
mod imu;
mod lidar;
mod mounting;
mod remote;
mod sensors;
mod touch;

pub use contact_force::ContactForce;
pub use context::SensorContext;
pub use delayed::Delayed;
pub use element::Sensor;
pub use encoder::Encoder;
pub use error::SensorError;
pub use force_torque::ForceTorque;
pub use frame_pose::FramePose;
pub use full_state::FullState;
pub use imu::{Imu, ImuNoise};
pub use lidar::Lidar;
pub use remote::RemoteSensor;
pub use sensors::AnySensor;
pub(crate) use sensors::Sensors;
pub use touch::Touch;
