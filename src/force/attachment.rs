//! Where a force element is attached: a body or a frame.

use super::context::ForceContext;
use super::error::ForceError;
use super::forces::Forces;
use crate::Scalar;
use crate::math::{RigidTransform, SpatialForce, SpatialVelocity};
use crate::tree::{BodyIndex, FrameIndex, RigidBodyTree, TreeError};

/// A frame that a force element is fixed on: that of a body, or one that was added to the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub enum Attachment {
    /// The frame of a body, or of the world.
    Body(BodyIndex),
    /// A frame of the tree.
    Frame(FrameIndex),
}

impl From<BodyIndex> for Attachment {
    fn from(body: BodyIndex) -> Self {
        Attachment::Body(body)
    }
}

impl From<FrameIndex> for Attachment {
    fn from(frame: FrameIndex) -> Self {
        Attachment::Frame(frame)
    }
}

impl Attachment {
    /// The body that carries the frame.
    ///
    /// # Errors
    /// [`TreeError`] when the tree does not have the body or the frame.
    pub fn body<T: Scalar>(self, tree: &RigidBodyTree<T>) -> Result<BodyIndex, TreeError> {
        match self {
            Attachment::Body(body) => tree.body(body).map(|_| body),
            Attachment::Frame(frame) => Ok(tree.frame(frame)?.body()),
        }
    }

    /// The pose `X_WF` of the frame.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when the tree does not have it.
    pub fn pose<T: Scalar>(
        self,
        context: &ForceContext<'_, T>,
    ) -> Result<RigidTransform<T>, ForceError> {
        match self {
            Attachment::Body(body) => context.body_pose(body),
            Attachment::Frame(frame) => context.frame_pose(frame),
        }
    }

    /// The velocity `[w_WF; v_WFo]` of the frame about its origin, expressed in W.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when the tree does not have it.
    pub fn velocity<T: Scalar>(
        self,
        context: &ForceContext<'_, T>,
    ) -> Result<SpatialVelocity<T>, ForceError> {
        match self {
            Attachment::Body(body) => context.body_velocity(body),
            Attachment::Frame(frame) => context.frame_velocity(frame),
        }
    }

    /// Adds a force on the body that carries the frame: torque about the frame's origin and force,
    /// expressed in W.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when the tree does not have it.
    pub fn add_force<T: Scalar>(
        self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
        force: &SpatialForce<T>,
    ) -> Result<(), ForceError> {
        match self {
            Attachment::Body(body) => forces.add_on_body(body, force),
            Attachment::Frame(frame) => {
                let body = context.tree().frame(frame)?.body();
                let origin = context.frame_pose(frame)?.translation;
                forces.add_at_point(context, body, &origin, force)
            }
        }
    }
}
