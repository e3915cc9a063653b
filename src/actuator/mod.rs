//! Actuators: forces that follow from the state and from named inputs.
//!
//! An [`Actuator`] adds forces like a [`ForceElement`], but also reads inputs, and may hold a state of
//! its own. Inputs of a machine are those of its actuators; a new machine has none. It takes any number of actuators of
//! any types: [`add_actuator`](crate::system::RigidBodySystem::add_actuator) adds one,
//! [`with_actuators`](crate::system::RigidBodySystem::with_actuators) several,
//! [`with_generalized_forces`](crate::system::RigidBodySystem::with_generalized_forces) an input for each velocity
//! coordinate. [`AnyActuator`] holds one of any type, for lists of different ones.
//!
//! | actuator | inputs |
//! |---|---|
//! | [`GeneralizedForce`], [`GeneralizedForces`] | a force on one velocity coordinate, on each of them |
//! | [`TorqueSource`] | torque of a motor with gear ratio and limit |
//! | [`PdServo`] | target position and rate of a joint |
//! | [`SpatialForceSource`] | torque and force at a frame |
//! | [`SpringDamper`] | change of the rest length |
//! | [`Propeller`] | speed of the rotor |
//! | [`RemoteActuator`] | none: another process has those of an actuator |
//! | [`BristleContact`] | none: a point on a plane that sticks by a spring, with its deflection as a state |
//! | [`FirstOrderLag`] | those of another actuator, which follow with a delay |
//! | [`Saturation`] | those of another actuator, each within a range |
//!
//! In a discrete step, forces take positions at its start and velocities at its end; see [`system`](crate::system).
//!
//! # An actuator of one's own
//! Constants in the scalar `T` are declared by [`constants!`](crate::constants!), as those of a force
//! element; this one has none.
//!
//! ```
//! use dualbody::actuator::Actuator;
//! use dualbody::force::{ForceContext, ForceError, Forces};
//! use dualbody::{DefaultScalar, Scalar};
//! use std::fmt;
//!
//! /// A drive whose torque falls with its speed: τ = u (1 − v/v₀).
//! #[derive(Debug, Clone)]
//! struct Drive {
//!     coordinate: usize,
//!     no_load_speed: f64,
//! }
//!
//! impl<T: Scalar> Actuator<T> for Drive {
//!     type Cast<U: DefaultScalar> = Drive;
//!     fn cast<U: DefaultScalar>(&self) -> Drive {
//!         self.clone()
//!     }
//!     fn num_inputs(&self) -> usize {
//!         1
//!     }
//!     fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
//!         visit(format_args!("drive/stall_torque"));
//!     }
//!     fn add_forces(
//!         &self,
//!         context: &ForceContext<'_, T>,
//!         input: &[T],
//!         _: &[T],
//!         forces: &mut Forces<T>,
//!     ) -> Result<(), ForceError> {
//!         let speed = context.v()[self.coordinate];
//!         let torque = input[0] * (-speed / self.no_load_speed + 1.0);
//!         forces.add_generalized(self.coordinate, torque)
//!     }
//! }
//! ```
//!
//! [`ForceElement`]: crate::force::ForceElement

mod actuators;
mod bristle_contact;
mod element;
mod first_order_lag;
mod generalized_force;
mod generalized_forces;
mod pd_servo;
mod propeller;
mod remote;
mod saturation;
mod spatial_force_source;
mod spring_damper;
mod torque_source;

pub(crate) use actuators::Actuators;
pub use actuators::AnyActuator;
pub use bristle_contact::BristleContact;
pub use element::Actuator;
pub use first_order_lag::FirstOrderLag;
pub use generalized_force::GeneralizedForce;
pub use generalized_forces::GeneralizedForces;
pub use pd_servo::PdServo;
pub use propeller::Propeller;
pub use remote::RemoteActuator;
pub use saturation::Saturation;
pub use spatial_force_source::SpatialForceSource;
pub use spring_damper::SpringDamper;
pub use torque_source::TorqueSource;

use crate::force::ForceError;
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{InvalidInput, Scalar};

/// Checks that a joint has one degree of freedom of its own.
fn check_coordinate<T: Scalar>(
    name: &str,
    tree: &RigidBodyTree<T>,
    joint: JointIndex,
) -> Result<(), ForceError> {
    let joint = tree.joint(joint)?;
    let followers = usize::from(joint.mimic().is_some());
    InvalidInput::check_size("degrees of freedom", joint.num_velocities(), 1)
        .and_then(|()| InvalidInput::check_size("joints that the joint follows", followers, 0))
        .map_err(ForceError::invalid(name))
}

/// The entries of an input or a state, of which an actuator has `N`.
fn entries<T: Scalar, const N: usize>(
    quantity: &'static str,
    values: &[T],
) -> Result<[T; N], ForceError> {
    match <[T; N]>::try_from(values) {
        Ok(entries) => Ok(entries),
        Err(_) => Err(InvalidInput::Dimension {
            quantity,
            expected: N,
            actual: values.len(),
        }
        .into()),
    }
}

/// A coordinate of the state.
fn coordinate<T: Scalar>(values: &[T], index: usize) -> Result<T, ForceError> {
    (values.get(index).copied()).ok_or(ForceError::Invalid(InvalidInput::Dimension {
        quantity: "coordinates of the state",
        expected: index + 1,
        actual: values.len(),
    }))
}
