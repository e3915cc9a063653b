//! The force of compliant contact at a point.

use super::machine::Machine;
use crate::Scalar;
use crate::contact::{ContactForceLaw, PointContact};
use crate::tree::{TreeError, TreeWorkspace};
use nalgebra::Vector3;

impl<T: Scalar> Machine<'_, T> {
    /// The force on A in the contact frame, at the relative velocity `velocity` there, over a step of length
    /// `dt`, zero in continuous time.
    pub(super) fn contact_force(
        &self,
        point: &PointContact<T>,
        dt: T,
        velocity: &Vector3<T>,
    ) -> Vector3<T> {
        let law = ContactForceLaw {
            time_step: dt,
            stiction_tolerance: self.stiction_tolerance,
            softening: self.softening(),
        };
        point.force(&law, velocity)
    }

    /// The velocity of A relative to B at a contact, in the contact frame, at the state of a workspace.
    pub(super) fn relative_velocity(
        &self,
        placed: &TreeWorkspace<T>,
        point: &PointContact<T>,
    ) -> Result<Vector3<T>, TreeError> {
        let motion = |body| {
            let origin = self.tree.body_pose(placed, body)?.translation;
            Ok::<_, TreeError>((self.tree.body_velocity(placed, body)?, origin))
        };
        let ((va, pa), (vb, pb)) = (motion(point.body_a)?, motion(point.body_b)?);
        Ok(point.relative_velocity((&va, &pa), (&vb, &pb)))
    }
}
