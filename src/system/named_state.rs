//! Poses and velocities in a state, by the names of bodies and joints.

use super::error::SystemError;
use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use crate::math::{RigidTransform, SpatialVelocity, rotation};
use crate::tree::{BodyIndex, Joint, JointKind, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;
use std::ops::Range;

/// Where the positions and the velocities of a joint are.
type Ranges = (Range<usize>, Range<usize>);

impl<T: Scalar> RigidBodySystem<T> {
    /// The pose `X_WB` of a body in a state.
    ///
    /// # Errors
    /// [`SystemError::Tree`] for an unknown name, and when the state does not fit the tree.
    #[inline(never)]
    pub fn body_pose(
        &self,
        state: &State<T>,
        body: &str,
    ) -> Result<RigidTransform<T>, SystemError> {
        let kinematics = self.place(state)?;
        Ok(self
            .tree
            .body_pose(&kinematics, self.tree.body_by_name(body)?)?)
    }

    /// The velocity `[w_WB; v_WBo]` of a body in a state, about its origin, expressed in W.
    ///
    /// # Errors
    /// As [`Self::body_pose`].
    #[inline(never)]
    pub fn body_velocity(
        &self,
        state: &State<T>,
        body: &str,
    ) -> Result<SpatialVelocity<T>, SystemError> {
        let kinematics = self.place(state)?;
        Ok(self
            .tree
            .body_velocity(&kinematics, self.tree.body_by_name(body)?)?)
    }

    /// Gives a body that floats in the world the pose `X_WB`.
    ///
    /// # Errors
    /// [`SystemError::Tree`] for an unknown name; [`SystemError::NotFloating`] for a body that a joint
    /// holds, or that floats in relation to another body.
    #[inline(never)]
    pub fn set_body_pose(
        &self,
        state: &mut State<T>,
        body: &str,
        pose: &RigidTransform<T>,
    ) -> Result<(), SystemError> {
        let (joint, (positions, _)) = self.floating(state, body)?;
        let in_joint = joint.pose_in_parent().inverse() * *pose;
        let quaternion = rotation::quaternion_from_matrix(&in_joint.rotation);
        let entries = [quaternion.w, quaternion.i, quaternion.j, quaternion.k];
        let all = entries.iter().chain(in_joint.translation.iter());
        (state.q.as_mut_slice()[positions].iter_mut().zip(all)).for_each(|(q, &x)| *q = x);
        Ok(())
    }

    /// Gives a body that floats in the world the position `p_WBo`, in m.
    ///
    /// # Errors
    /// As [`Self::set_body_pose`].
    #[inline(never)]
    pub fn set_body_position(
        &self,
        state: &mut State<T>,
        body: &str,
        position: Vector3<T>,
    ) -> Result<(), SystemError> {
        let (joint, (positions, _)) = self.floating(state, body)?;
        let in_joint = joint.pose_in_parent().inverse_transform_point(&position);
        state.q.as_mut_slice()[positions.start + 4..positions.end]
            .copy_from_slice(in_joint.as_slice());
        Ok(())
    }

    /// Gives a body that floats in the world the velocity `[w_WB; v_WBo]`, expressed in W, in rad/s and
    /// m/s.
    ///
    /// # Errors
    /// As [`Self::set_body_pose`].
    #[inline(never)]
    pub fn set_body_velocity(
        &self,
        state: &mut State<T>,
        body: &str,
        velocity: &SpatialVelocity<T>,
    ) -> Result<(), SystemError> {
        let (joint, (_, velocities)) = self.floating(state, body)?;
        let to_joint = joint.pose_in_parent().rotation.transpose();
        let [angular, linear] = [velocity.angular, velocity.linear].map(|x| to_joint * x);
        let all = angular.iter().chain(linear.iter());
        (state.v.as_mut_slice()[velocities].iter_mut().zip(all)).for_each(|(v, &x)| *v = x);
        Ok(())
    }

    /// The position coordinates of a joint in a state, in the order and units of its
    /// [`JointKind`].
    ///
    /// # Errors
    /// [`SystemError::Tree`] for an unknown name, [`SystemError::Invalid`] when the state does not fit.
    #[inline(never)]
    pub fn joint_position<'s>(
        &self,
        state: &'s State<T>,
        joint: &str,
    ) -> Result<&'s [T], SystemError> {
        let (positions, _) = self.coordinates(state, joint)?;
        Ok(&state.q.as_slice()[positions])
    }

    /// The velocity coordinates of a joint in a state.
    ///
    /// # Errors
    /// As [`Self::joint_position`].
    #[inline(never)]
    pub fn joint_velocity<'s>(
        &self,
        state: &'s State<T>,
        joint: &str,
    ) -> Result<&'s [T], SystemError> {
        let (_, velocities) = self.coordinates(state, joint)?;
        Ok(&state.v.as_slice()[velocities])
    }

    /// Sets the position coordinates of a joint.
    ///
    /// # Errors
    /// As [`Self::joint_position`], and for another number of coordinates.
    #[inline(never)]
    pub fn set_joint_position(
        &self,
        state: &mut State<T>,
        joint: &str,
        position: &[T],
    ) -> Result<(), SystemError> {
        let (positions, _) = self.coordinates(state, joint)?;
        InvalidInput::check_size("positions of the joint", position.len(), positions.len())?;
        state.q.as_mut_slice()[positions].copy_from_slice(position);
        Ok(())
    }

    /// Sets the velocity coordinates of a joint.
    ///
    /// # Errors
    /// As [`Self::set_joint_position`].
    #[inline(never)]
    pub fn set_joint_velocity(
        &self,
        state: &mut State<T>,
        joint: &str,
        velocity: &[T],
    ) -> Result<(), SystemError> {
        let (_, velocities) = self.coordinates(state, joint)?;
        InvalidInput::check_size("velocities of the joint", velocity.len(), velocities.len())?;
        state.v.as_mut_slice()[velocities].copy_from_slice(velocity);
        Ok(())
    }

    fn place(&self, state: &State<T>) -> Result<TreeWorkspace<T>, SystemError> {
        let mut kinematics = self.tree.workspace();
        (self.tree).set_state(&mut kinematics, state.q.as_slice(), state.v.as_slice())?;
        Ok(kinematics)
    }

    /// The joint by which a body floats in the world, and where its coordinates are.
    fn floating(&self, state: &State<T>, body: &str) -> Result<(&Joint<T>, Ranges), SystemError> {
        let index = self.tree.body_by_name(body)?;
        let joint = match self.tree.body(index)?.inboard_joint() {
            Some(joint) => self.tree.joint(joint)?,
            None => return Err(not_floating(body)),
        };
        if *joint.kind() != JointKind::Floating || joint.parent() != BodyIndex::WORLD {
            return Err(not_floating(body));
        }
        Ok((joint, self.ranges(state, joint)?))
    }

    fn coordinates(&self, state: &State<T>, joint: &str) -> Result<Ranges, SystemError> {
        let joint = self.tree.joint(self.tree.joint_by_name(joint)?)?;
        self.ranges(state, joint)
    }

    fn ranges(&self, state: &State<T>, joint: &Joint<T>) -> Result<Ranges, SystemError> {
        InvalidInput::check_size("q", state.q.len(), self.tree.num_positions())?;
        InvalidInput::check_size("v", state.v.len(), self.tree.num_velocities())?;
        let (q, v) = (joint.position_start(), joint.velocity_start());
        Ok((q..q + joint.num_positions(), v..v + joint.num_velocities()))
    }
}

fn not_floating(body: &str) -> SystemError {
    SystemError::NotFloating {
        body: body.to_owned(),
    }
}
