//! The context of a measurement: kinematics, accelerations and contact forces.

use super::error::SensorError;
use crate::contact::{ContactModel, ContactResult};
use crate::math::{RigidTransform, SpatialAcceleration, SpatialForce, SpatialVelocity};
use crate::tree::{BodyIndex, FrameIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// A state of a system, with the accelerations and contact forces that belong to it.
#[derive(Debug, Clone, Copy)]
pub struct SensorContext<'a, T: Scalar> {
    tree: &'a RigidBodyTree<T>,
    workspace: &'a TreeWorkspace<T>,
    contact: &'a ContactModel<T>,
    accelerations: Option<&'a [SpatialAcceleration<T>]>,
    contacts: &'a [ContactResult<T>],
    reactions: Option<&'a [SpatialForce<T>]>,
    time: T,
}

impl<'a, T: Scalar> SensorContext<'a, T> {
    /// The state of a workspace, without accelerations or contact forces.
    #[inline(never)]
    pub fn new(
        tree: &'a RigidBodyTree<T>,
        workspace: &'a TreeWorkspace<T>,
        contact: &'a ContactModel<T>,
    ) -> Self {
        SensorContext {
            tree,
            workspace,
            contact,
            accelerations: None,
            contacts: &[],
            reactions: None,
            time: T::zero(),
        }
    }

    /// Adds the accelerations of all bodies, as [`RigidBodyTree::body_accelerations`] gives them.
    ///
    /// # Errors
    /// [`SensorError::Invalid`] when there are more or fewer than bodies.
    #[inline(never)]
    pub fn with_accelerations(
        mut self,
        accelerations: &'a [SpatialAcceleration<T>],
    ) -> Result<Self, SensorError> {
        let bodies = self.tree.num_bodies();
        InvalidInput::check_size("accelerations of bodies", accelerations.len(), bodies)?;
        self.accelerations = Some(accelerations);
        Ok(self)
    }

    /// Adds the contacts, as [`Step::contacts`](crate::system::Step::contacts) gives them.
    pub fn with_contacts(mut self, contacts: &'a [ContactResult<T>]) -> Self {
        self.contacts = contacts;
        self
    }

    /// Adds the forces across all joints, as [`RigidBodyTree::joint_reactions`] gives them.
    ///
    /// # Errors
    /// [`SensorError::Invalid`] when there are more or fewer than joints.
    pub fn with_joint_reactions(
        mut self,
        reactions: &'a [SpatialForce<T>],
    ) -> Result<Self, SensorError> {
        let joints = self.tree.num_joints();
        InvalidInput::check_size("forces across joints", reactions.len(), joints)?;
        self.reactions = Some(reactions);
        Ok(self)
    }

    /// The same state at a time in seconds; the time is zero otherwise.
    pub fn at_time(mut self, time: T) -> Self {
        self.time = time;
        self
    }

    /// The time in seconds.
    pub fn time(&self) -> T {
        self.time
    }

    /// The tree.
    pub fn tree(&self) -> &'a RigidBodyTree<T> {
        self.tree
    }

    /// The geometries that rays can hit.
    pub fn contact(&self) -> &'a ContactModel<T> {
        self.contact
    }

    /// The contacts.
    pub fn contacts(&self) -> &'a [ContactResult<T>] {
        self.contacts
    }

    /// The position coordinates.
    pub fn q(&self) -> &'a [T] {
        self.workspace.q()
    }

    /// The velocity coordinates.
    pub fn v(&self) -> &'a [T] {
        self.workspace.v()
    }

    /// The pose `X_WB` of a body.
    ///
    /// # Errors
    /// [`SensorError::Tree`] when there is no such body.
    pub fn body_pose(&self, body: BodyIndex) -> Result<RigidTransform<T>, SensorError> {
        Ok(self.tree.body_pose(self.workspace, body)?)
    }

    /// The pose `X_WF` of a frame.
    ///
    /// # Errors
    /// [`SensorError::Tree`] when there is no such frame.
    pub fn frame_pose(&self, frame: FrameIndex) -> Result<RigidTransform<T>, SensorError> {
        Ok(self.tree.frame_pose(self.workspace, frame)?)
    }

    /// The velocity `[w_WB; v_WQ]` of a body about a point that is fixed on it at `p_BoQ_B`,
    /// expressed in W.
    ///
    /// # Errors
    /// [`SensorError::Tree`] when there is no such body.
    pub fn point_velocity(
        &self,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
    ) -> Result<SpatialVelocity<T>, SensorError> {
        Ok(self.tree.point_velocity(self.workspace, body, p_boq_b)?)
    }

    /// The acceleration `[α_WB; a_WBo]` of a body, expressed in W; `None` if accelerations have not
    /// been given.
    pub fn body_acceleration(&self, body: BodyIndex) -> Option<SpatialAcceleration<T>> {
        self.accelerations?.get(body.get()).copied()
    }

    /// The force that holds a body: the one that the inboard body exerts on it through the joint, torque about the origin of
    /// the body and force, expressed in W; `None` if [forces across joints](Self::with_joint_reactions) have not been given,
    /// as none are where no sensor [needs](super::Sensor::needs_joint_reactions) them.
    ///
    /// # Errors
    /// [`SensorError::Tree`] when there is no such body.
    pub fn joint_reaction(&self, body: BodyIndex) -> Result<Option<SpatialForce<T>>, SensorError> {
        let joint = self.tree.body(body)?.inboard_joint();
        Ok(self.reactions.map(|reactions| {
            let reaction = joint.and_then(|joint| reactions.get(joint.get()));
            reaction.copied().unwrap_or_else(SpatialForce::zero)
        }))
    }
}
