//! Bodies and frames.

use super::index::{BodyIndex, FrameIndex, JointIndex};
use super::mounting::Mounting;
use crate::Scalar;
use crate::math::{RigidTransform, SpatialInertia};

/// A rigid body of a tree.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct Body<T> {
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) index: BodyIndex,
    pub(super) name: String,
    pub(super) inertia: SpatialInertia<T>,
    /// Whether the rotational inertia must be one that a distribution of mass can have.
    pub(super) is_checked: bool,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) inboard_joint: Option<JointIndex>,
    /// The mobilized body that it belongs to.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) mobilized: usize,
    /// Its pose on the body that the mobilized body's joint carries, unless it is that body.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) welded_pose: Option<RigidTransform<T>>,
}

impl<T: Scalar> Body<T> {
    pub(super) fn new(
        index: BodyIndex,
        name: String,
        inertia: SpatialInertia<T>,
        is_checked: bool,
    ) -> Self {
        Body {
            index,
            name,
            inertia,
            is_checked,
            inboard_joint: None,
            mobilized: 0,
            welded_pose: None,
        }
    }

    /// Its index in the tree.
    pub fn index(&self) -> BodyIndex {
        self.index
    }

    /// The full name, a path like `"quadruped/FL_shank"`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Mass, centre of mass and rotational inertia, in the body's frame.
    pub fn inertia(&self) -> &SpatialInertia<T> {
        &self.inertia
    }

    /// The joint that carries the body; `None` for the world.
    pub fn inboard_joint(&self) -> Option<JointIndex> {
        self.inboard_joint
    }

    pub(super) fn cast<U: Scalar>(&self) -> Body<U> {
        Body {
            index: self.index,
            name: self.name.clone(),
            inertia: self.inertia.cast(),
            is_checked: self.is_checked,
            inboard_joint: self.inboard_joint,
            mobilized: self.mobilized,
            welded_pose: self.welded_pose.as_ref().map(RigidTransform::cast),
        }
    }
}

/// A named frame that is fixed on a body: a sensor mount, a tool point.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct Frame<T> {
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) index: FrameIndex,
    pub(super) name: String,
    pub(super) body: BodyIndex,
    pub(super) mounting: Mounting<T>,
}

impl<T: Scalar> Frame<T> {
    /// Its index in the tree.
    pub fn index(&self) -> FrameIndex {
        self.index
    }

    /// The full name, a path like `"quadruped/imu"`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The body that carries the frame.
    pub fn body(&self) -> BodyIndex {
        self.body
    }

    /// The pose `X_BF` of the frame on its body.
    pub fn pose_in_body(&self) -> &RigidTransform<T> {
        &self.mounting.pose
    }

    pub(super) fn cast<U: Scalar>(&self) -> Frame<U> {
        Frame {
            index: self.index,
            name: self.name.clone(),
            body: self.body,
            mounting: self.mounting.cast(),
        }
    }
}
