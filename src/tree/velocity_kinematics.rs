//! Velocities of bodies and frames, and the accelerations that they cause.
//!
//! With `w_rel = Σ a_k v_k` over the rotations of its joint, `v_rel` the same over the
//! translations, and `p = p_PoBo_W`, a mobilized body B has
//!
//! ```text
//! w_B  = w_P + w_rel
//! v_Bo = v_Po + w_P × p + v_rel
//! ```
//!
//! The axes `a_k` turn with P and `ṗ = w_P × p + v_rel`, so the time derivative is
//!
//! ```text
//! α_B  = α_P + w_P × w_rel                      + Σ a_k v̇_k
//! a_Bo = a_Po + α_P × p + w_P × (w_P × p + 2 v_rel) + Σ a_k v̇_k
//! ```
//!
//! (Featherstone 2008, *Rigid Body Dynamics Algorithms*, §5.3, in terms of ordinary accelerations
//! of the body origins). The terms that are products of velocities only depend on the state; they
//! are kept with the velocities.

use super::column::ColumnKind;
use super::error::TreeError;
use super::index::{BodyIndex, FrameIndex};
use super::mobilized_body::MobilizedBody;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::math::{SpatialAcceleration, SpatialVelocity, rotation};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// How a mobilized body moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Velocity<T> {
    /// `[w_B; v_Bo]` in W.
    pub spatial: SpatialVelocity<T>,
    /// What products of velocities add to the parent's acceleration, `[α; a]` in W.
    pub bias: SpatialAcceleration<T>,
}

impl<T: Scalar> Velocity<T> {
    pub fn zero() -> Self {
        Velocity {
            spatial: SpatialVelocity::zero(),
            bias: SpatialAcceleration::zero(),
        }
    }
}

impl<T: Scalar> RigidBodyTree<T> {
    /// The velocity of a body in W: `[w_WB; v_WBo]`, about the body origin, expressed in W.
    ///
    /// # Errors
    /// [`TreeError::NoSuchBody`], [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when numbers overflow.
    #[inline(never)]
    pub fn body_velocity(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
    ) -> Result<SpatialVelocity<T>, TreeError> {
        self.point_velocity(workspace, body, &Vector3::zeros())
    }

    /// The angular velocity `w_WB` of each body, expressed in W.
    ///
    /// # Errors
    /// [`TreeError::ForeignWorkspace`], [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when numbers
    /// overflow.
    pub(crate) fn angular_velocities<'w>(
        &'w self,
        workspace: &'w TreeWorkspace<T>,
    ) -> Result<impl Iterator<Item = Vector3<T>> + 'w, TreeError> {
        self.check_workspace(workspace)?;
        for velocity in &workspace.velocities {
            let velocity = velocity.spatial.to_vector();
            InvalidInput::check_finite("velocity of a point", velocity.as_slice())?;
        }
        let bodies = self.bodies().map(|body| body.mobilized);
        Ok(bodies.map(|mobilized| workspace.velocities[mobilized].spatial.angular))
    }

    /// The velocity of a frame in W: `[w_WF; v_WFo]`, about the frame's origin, expressed in W.
    ///
    /// # Errors
    /// [`TreeError::NoSuchFrame`], [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when numbers overflow.
    #[inline(never)]
    pub fn frame_velocity(
        &self,
        workspace: &TreeWorkspace<T>,
        frame: FrameIndex,
    ) -> Result<SpatialVelocity<T>, TreeError> {
        let frame = self.frame(frame)?;
        self.point_velocity(workspace, frame.body, &frame.pose_in_body().translation)
    }

    /// The velocity in W of a body, about a point that is fixed on it at `p_BoQ_B`: `[w_WB; v_WQ]`,
    /// expressed in W.
    ///
    /// # Errors
    /// As [`Self::body_velocity`], and when `p_boq_b` is not finite.
    #[inline(never)]
    pub fn point_velocity(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
    ) -> Result<SpatialVelocity<T>, TreeError> {
        let (mobilized, offset) = self.point_offset(workspace, body, p_boq_b)?;
        let velocity = workspace.velocities[mobilized].spatial.shift(&offset);
        InvalidInput::check_finite("velocity of a point", velocity.to_vector().as_slice())?;
        Ok(velocity)
    }

    /// The velocities that the bodies would have with the velocity coordinates `u` at the positions
    /// of the workspace, whose own velocity is not used: for each body `[w_WB; v_WBo]`, expressed
    /// in W.
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when the size of `u` is not [`Self::num_velocities`] or that of `out`
    /// not [`Self::num_bodies`], and when numbers overflow; [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`].
    #[inline(never)]
    pub fn body_velocities(
        &self,
        workspace: &TreeWorkspace<T>,
        u: &[T],
        out: &mut [SpatialVelocity<T>],
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        self.check_velocity_vector("u", u)?;
        InvalidInput::check_size("velocities of bodies", out.len(), self.num_bodies())?;
        out[0] = SpatialVelocity::zero();
        for (i, m) in self.mobilized.iter().enumerate().skip(1) {
            let motion = self.joint_motion(workspace, m, u);
            out[m.body.get()] = match m.parent {
                0 => motion,
                parent => {
                    let parent = &out[self.mobilized[parent].body.get()];
                    parent.shift(&workspace.positions[i].offset) + motion
                }
            };
        }
        for (b, body) in self.bodies.iter().enumerate() {
            if let Some(pose) = &body.welded_pose {
                let r = &workspace.positions[body.mobilized].pose.rotation;
                let offset = rotation::applied(r, &pose.translation);
                out[b] = out[self.mobilized[body.mobilized].body.get()].shift(&offset);
            }
            InvalidInput::check_finite("velocities of bodies", out[b].to_vector().as_slice())?;
        }
        Ok(())
    }

    /// The mobilized body of `body`, and the vector in W from its origin to the point at `p_BoQ_B`.
    pub(super) fn point_offset(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
    ) -> Result<(usize, Vector3<T>), TreeError> {
        self.check_workspace(workspace)?;
        InvalidInput::check_finite("p_BoQ", p_boq_b.as_slice())?;
        let (mobilized, welded_pose) = self.placement(body)?;
        let p = match welded_pose {
            Some(x) => x.transform_point(p_boq_b),
            None => *p_boq_b,
        };
        let r = &workspace.positions[mobilized].pose.rotation;
        Ok((mobilized, rotation::applied(r, &p)))
    }

    /// `[w_rel; v_rel]` of a joint with the velocity coordinates `u`.
    pub(super) fn joint_motion(
        &self,
        workspace: &TreeWorkspace<T>,
        m: &MobilizedBody<T>,
        u: &[T],
    ) -> SpatialVelocity<T> {
        let mut motion = SpatialVelocity::zero();
        let axes = &workspace.axes[m.columns.clone()];
        for (column, axis) in self.columns[m.columns.clone()].iter().zip(axes) {
            match column.kind {
                ColumnKind::Rotation => motion.angular += axis * u[column.coordinate],
                ColumnKind::Translation => motion.linear += axis * u[column.coordinate],
            }
        }
        motion
    }

    /// Computes velocities from the positions and velocity coordinates in the workspace.
    pub(super) fn update_velocities(&self, workspace: &mut TreeWorkspace<T>) {
        for (i, m) in self.mobilized.iter().enumerate().skip(1) {
            let relative = self.joint_motion(workspace, m, &workspace.v);
            let parent = workspace.velocities[m.parent].spatial;
            let w = parent.angular;
            let carried = w.cross(&workspace.positions[i].offset);
            workspace.velocities[i] = Velocity {
                spatial: SpatialVelocity::new(
                    w + relative.angular,
                    parent.linear + carried + relative.linear,
                ),
                bias: SpatialAcceleration::new(
                    w.cross(&relative.angular),
                    w.cross(&(carried + relative.linear + relative.linear)),
                ),
            };
        }
    }
}
