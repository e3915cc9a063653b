//! The torque and the force of compliant contact at a point.

use super::machine::Machine;
use crate::Scalar;
use crate::contact::{ContactForceLaw, PointContact};
use crate::math::{SpatialForce, SpatialVelocity};
use crate::tree::{TreeError, TreeWorkspace};
use nalgebra::Vector3;

impl<T: Scalar> Machine<'_, T> {
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
            stiction_tolerance: self.stiction_tolerance,
            softening: self.softening(),
        };
        point.wrench(&law, motion)
    }

    /// The motion of A relative to B at a contact, in the contact frame, at the state of a workspace.
    pub(super) fn relative_motion(
        &self,
        placed: &TreeWorkspace<T>,
        point: &PointContact<T>,
    ) -> Result<SpatialVelocity<T>, TreeError> {
        let motion = |body| {
            let origin = self.tree.body_pose(placed, body)?.translation;
            Ok::<_, TreeError>((self.tree.body_velocity(placed, body)?, origin))
        };
        let ((va, pa), (vb, pb)) = (motion(point.body_a)?, motion(point.body_b)?);
        Ok(point.relative_motion((&va, &pa), (&vb, &pb)))
    }

    /// Its velocity.
    pub(super) fn relative_velocity(
        &self,
        placed: &TreeWorkspace<T>,
        point: &PointContact<T>,
    ) -> Result<Vector3<T>, TreeError> {
        Ok(self.relative_motion(placed, point)?.linear)
    }
}
