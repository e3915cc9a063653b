//! The torque and the force of compliant contact at a point.

use super::rigid_body_system::RigidBodySystem;
use crate::Scalar;
use crate::contact::{ContactForceLaw, PointContact};
use crate::math::{SpatialForce, SpatialVelocity};

impl<T: Scalar> RigidBodySystem<T> {
    /// The torque and the force on A at C in the contact frame, at the relative motion there, over a step of length
    /// `dt`, zero in continuous time.
    pub(super) fn contact_force(
        &self,
        point: &PointContact<T>,
        dt: T,
        motion: &SpatialVelocity<T>,
    ) -> SpatialForce<T> {
        let law = ContactForceLaw {
            time_step: dt,
            stiction_tolerance: self.regularization.stiction_tolerance,
            softening: self.regularization.softening(),
        };
        point.wrench(&law, motion)
    }
}
