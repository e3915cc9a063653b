//! The resultant of several contact forces.
//!
//! A [`ContactResultantForceCalculator`] replaces forces and torques at several points by one
//! [`ContactForce`] with the same effect: their sum at a point P, and a torque that is the moment of
//! all of them about P plus their own torques.
//!
//! # Where P lies
//! With the normal parts `nᵢ` of the forces at `pᵢ`, their sum `N = Σ nᵢ` and moment
//! `M = Σ (pᵢ − O) × nᵢ` about any point O, the moment is smallest, and parallel to N, about all points
//! of the *central axis*
//!
//! ```text
//! O + N × M/‖N‖² + s N/‖N‖
//! ```
//!
//! (Poinsot's theorem). Friction does not move it. P is its point that is farthest against N among the
//! projections of the `pᵢ` on it: `s = min (pᵢ − O − N × M/‖N‖²)·N/‖N‖`, near to where the axis comes
//! out of the surface that pushes. When all points lie in a plane normal to parallel forces `nᵢ`, P is
//! their centre of pressure.
//!
//! [`ContactForce::on_surface`] moves the resultant along its axis onto a shape of the body, to the centre
//! of pressure there.
//!
//! When the normal parts cancel, any point would do; P is the mean of the `pᵢ` and the normal is taken
//! as +x. A single force is its own resultant.
//!
//! A resultant is not one more contact force to be combined with others: resultants of parts of a set
//! do not have the resultant of the set.
//!
//! # Derivatives
//! Force and torque are smooth. P is, where the choice of the farthest projection does not change;
//! [`ContactResultantForceCalculator::kinks`] says how far that is, and the case of parallel contact
//! points, in which all are the farthest, gets the mean of their derivatives.
//!
//! ```
//! use dualbody::contact::ContactResultantForceCalculator;
//! use nalgebra::Vector3;
//!
//! // A foot 0.2 m long, with three quarters of its load on the toe.
//! let mut calculator = ContactResultantForceCalculator::new();
//! let z = Vector3::z();
//! calculator.add_force(Vector3::new(-0.1, 0.0, 0.0), z, Vector3::new(0.0, 0.0, 100.0))?;
//! calculator.add_force(Vector3::new(0.1, 0.0, 0.0), z, Vector3::new(20.0, 0.0, 300.0))?;
//! let resultant = calculator.resultant()?;
//! assert_eq!(resultant.application_point(), &Vector3::new(0.05, 0.0, 0.0));
//! assert_eq!(resultant.force(), &Vector3::new(20.0, 0.0, 400.0));
//! # Ok::<(), dualbody::InvalidInput>(())
//! ```

mod body_pair_contact;
mod calculator;
mod contact_detail;
mod contact_force;
mod on_surface;

pub use body_pair_contact::{BodyPairContact, body_pair_contacts};
pub use calculator::{ContactResultantForceCalculator, ResultantKinks};
pub use contact_detail::ContactDetail;
pub use contact_force::ContactForce;
