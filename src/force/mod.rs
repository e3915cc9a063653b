//! Force elements: springs, dampers, bushings, drag, and those of the user.
//!
//! A [`ForceElement`] reads poses and velocities from a [`ForceContext`] and adds forces on bodies
//! and on joints to [`Forces`]. A machine takes any number of elements of any types, and adds their forces:
//! [`add_force`](crate::system::RigidBodySystem::add_force) adds one element,
//! [`with_forces`](crate::system::RigidBodySystem::with_forces) several. [`AnyForce`] holds one of any type, for lists of
//! different ones.
//!
//! | element | force |
//! |---|---|
//! | [`LinearBushingRollPitchYaw`], [`ConservativeBushing`] | compliant connection of two frames |
//! | [`LinearSpringDamper`] | along the line between two points |
//! | [`JointSpring`], [`JointStops`], [`JointFriction`] | on joints |
//! | [`AppliedForce`], [`UniformGravity`] | constant, on one body or on all |
//! | [`AerodynamicDrag`], [`FlatPlateWing`] | of the air |
//! | [`DirectContact`] | of a point on a plane, explicit |
//!
//! # Kinks
//! Where a stop begins to push or an angle jumps, forces are not smooth. Elements say how far such a state
//! is ([`ForceElement::visit_kinks`]); on it, derivatives are those of the side on which the stop, the
//! limit or the contact does not act.
//!
//! # An element of one's own
//! A law with a norm or a root has no derivative at rest, where NaN comes of it: see
//! [`norm_lifted`](crate::Scalar::norm_lifted), and the page on [forces of one's own](crate::guide::own_forces).
//!
//! One generic implementation makes an element that steps, and that is differentiated like the ones
//! of this crate: its constants become parameters, its damping is implicit in time.
//!
//! ```
//! use dualbody::force::{ForceContext, ForceElement, ForceError, Forces};
//! use dualbody::math::SpatialForce;
//! use dualbody::tree::BodyIndex;
//! use dualbody::{Parameters, Scalar, constants};
//! use nalgebra::Vector3;
//!
//! /// A body in oil: the force −c v at its origin.
//! #[derive(Debug, Clone)]
//! struct Oil<T> {
//!     body: BodyIndex,
//!     viscosity: T,
//! }
//!
//! impl<T: Scalar> ForceElement<T> for Oil<T> {
//!     constants! { ForceElement for Oil, named "oil" {
//!         body: in_tree;
//!         viscosity: not_negative("N s/m");
//!     } }
//!
//!     fn add_forces(
//!         &self,
//!         context: &ForceContext<'_, T>,
//!         forces: &mut Forces<T>,
//!     ) -> Result<(), ForceError> {
//!         let velocity = context.body_velocity(self.body)?.linear;
//!         let force = SpatialForce::new(Vector3::zeros(), velocity * -self.viscosity);
//!         forces.add_on_body(self.body, &force)
//!     }
//! }
//!
//! use dualbody::contact::ContactModel;
//! use dualbody::math::SpatialInertia;
//! use dualbody::system::TimeSteppingRigidBodySystem;
//! use dualbody::tree::RigidBodyTreeBuilder;
//! use num_dual::Dual64;
//!
//! let mut builder = RigidBodyTreeBuilder::new();
//! let inertia = SpatialInertia::solid_box(2.0, &Vector3::repeat(0.1));
//! let body = builder.add_body("body", inertia)?;
//! let tree = builder.finish()?;
//! let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.01)?
//!     .with_forces([Oil { body, viscosity: 1e4 }])?;
//!
//! // How does the speed of sinking after one step depend on the viscosity?
//! let mut system = system.cast::<Dual64>();
//! system.set_parameter("oil/viscosity", Dual64::from(1e4).derivative())?;
//! let mut workspace = system.workspace()?;
//! let step = system.step(&mut workspace, &system.neutral_state(), &[])?;
//! let speed = step.state().v[5];
//!
//! // m v⁺ = −m g δt − c v⁺ δt, stable however large c δt/m is.
//! let (m, g, dt, c) = (2.0, 9.81, 0.01, 1e4);
//! assert!((speed.re / (-m * g * dt / (m + c * dt)) - 1.0).abs() < 1e-12);
//! assert!((speed.eps / (m * g * dt * dt / (m + c * dt).powi(2)) - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aerodynamics;
mod applied_force;
mod attachment;
mod body_point;
pub mod bushing;
mod context;
mod direct_contact;
mod element;
mod error;
mod force_elements;
mod forces;
mod joint_coordinate;
mod joint_friction;
mod joint_spring;
mod joint_stops;
mod spring_damper;
mod uniform_gravity;

pub use aerodynamics::{AerodynamicDrag, FlatPlateWing};
pub use applied_force::{AppliedForce, ExpressedIn};
pub use attachment::Attachment;
pub use body_point::BodyPoint;
pub use bushing::{ConservativeBushing, LinearBushingRollPitchYaw};
pub use context::ForceContext;
pub use direct_contact::DirectContact;
pub use element::{ElementEnergy, ForceElement};
pub use error::ForceError;
pub use force_elements::AnyForce;
pub(crate) use force_elements::ForceElements;
pub use forces::Forces;
pub(crate) use forces::check_alone;
pub use joint_coordinate::JointMotion;
pub use joint_friction::JointFriction;
pub use joint_spring::JointSpring;
pub use joint_stops::JointStops;
pub use spring_damper::LinearSpringDamper;
pub use uniform_gravity::UniformGravity;
