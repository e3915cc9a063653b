//! Reaction forces of joints.
//!
//! The force that the inboard body of a joint exerts on the outboard body B, about Bo, is what B and all that it carries
//! take of their motion, less what acts on them from outside:
//!
//! ```text
//! F_B = I_B a_B + bias − F_ext + Σ_C F_C,      C the bodies that B carries, each moved to Bo
//! ```
//!
//! This is the inward recursion of [inverse dynamics](RigidBodyTree::inverse_dynamics) before its projection on the
//! axes of the joints, for every body rather than for every body that moves by itself, so that it is known across fixed
//! joints, too.

use super::error::TreeError;
use super::inertia::Inertia;
use super::inverse_dynamics::inertial_force;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::math::SpatialForce;
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

impl<T: Scalar> RigidBodyTree<T> {
    /// The forces that the inboard bodies of all joints exert on the outboard bodies when the velocity coordinates
    /// change at the rate `vdot`, in the order of the joints: torque about the origin of the outboard body and force,
    /// expressed in W, in N m and N. Those of floating joints are zero in a motion that the `external` forces cause.
    ///
    /// What acts along the axes of a joint is in it: the torque of a motor, of damping, of a limit. The armature of a
    /// joint is not; it turns in the inboard body. `external` are forces on the bodies, as those of
    /// [inverse dynamics](Self::inverse_dynamics).
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when a size is wrong or an entry not finite (of the result, when numbers overflow),
    /// [`TreeError::ForeignWorkspace`], [`TreeError::OutdatedWorkspace`].
    #[inline(never)]
    pub fn joint_reactions(
        &self,
        workspace: &mut TreeWorkspace<T>,
        vdot: &[T],
        external: Option<&[SpatialForce<T>]>,
        out: &mut [SpatialForce<T>],
    ) -> Result<(), TreeError> {
        self.check_velocity_vector("vdot", vdot)?;
        self.check_dynamics(workspace, external, vdot)?;
        InvalidInput::check_size("forces across joints", out.len(), self.num_joints())?;
        self.propagate_accelerations(workspace, -self.gravity, |coordinate| vdot[coordinate]);
        out.fill(SpatialForce::zero());
        for &index in self.outward().iter().rev() {
            let body = self.body(index)?;
            let Some(inboard) = body.inboard_joint() else {
                continue;
            };
            let w = workspace.velocities[body.mobilized].spatial.angular;
            let acceleration = body.acceleration(workspace);
            let pose = self.body_pose(workspace, index)?;
            let (r, inertia) = (&pose.rotation, Inertia::of_body(body.inertia(), None));
            let moment = r * inertia.first_moment;
            let mut force = inertial_force(&inertia, r, &moment, &w, &acceleration);
            if let Some(external) = external {
                force -= external[index.get()];
            }
            let across = &mut out[inboard.get()];
            *across += force;
            InvalidInput::check_finite("torques across joints", across.torque.as_slice())?;
            InvalidInput::check_finite("forces across joints", across.force.as_slice())?;
            let (joint, across) = (self.joint(inboard)?, *across);
            if let Some(next) = self.body(joint.parent())?.inboard_joint() {
                let origin = self.body_pose(workspace, joint.parent())?.translation;
                let to_parent: Vector3<T> = origin - pose.translation;
                out[next.get()] += across.shift(&to_parent);
            }
        }
        Ok(())
    }
}
