//! The serialised form of a tree.

use super::body::{Body, Frame};
use super::builder::RigidBodyTreeBuilder;
use super::error::{TreeError, invalid};
use super::joint::Joint;
use super::mounting::Mounting;
use super::rigid_body_tree::RigidBodyTree;
use super::validation::{check_axes, check_pose};
use crate::InvalidInput;
use crate::io::json::Number;
use crate::math::RigidTransform;
use nalgebra::{Matrix3, Vector3};

/// All bodies but the world, in the order of their indices; joints and frames likewise.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, bound = "T: Number")]
pub(super) struct TreeDocument<T> {
    gravity: Vector3<T>,
    bodies: Vec<Body<T>>,
    joints: Vec<Joint<T>>,
    frames: Vec<Frame<T>>,
}

impl<T: Number> From<RigidBodyTree<T>> for TreeDocument<T> {
    fn from(mut tree: RigidBodyTree<T>) -> Self {
        tree.bodies.remove(0);
        TreeDocument {
            gravity: tree.gravity,
            bodies: tree.bodies,
            joints: tree.joints,
            frames: tree.frames,
        }
    }
}

/// As the builder, except that axes stay as they are: normalised again they could lose their last bit.
impl<T: Number> TryFrom<TreeDocument<T>> for RigidBodyTree<T> {
    type Error = TreeError;

    fn try_from(document: TreeDocument<T>) -> Result<Self, TreeError> {
        let mut builder = RigidBodyTreeBuilder::new();
        builder.set_gravity(document.gravity)?;
        for body in document.bodies {
            builder.push_body(body.name, body.inertia, body.is_checked)?;
        }
        let mut followers = Vec::new();
        for joint in document.joints {
            check_axes(&joint.kind).map_err(|e| invalid("joint", &joint.name, e))?;
            let index = builder.push_checked_joint(
                joint.name,
                joint.kind,
                joint.parent,
                joint.mounting,
                joint.child,
            )?;
            builder.set_damping(index, &joint.damping)?;
            builder.set_friction(index, &joint.friction)?;
            if !joint.armature.is_empty() {
                builder.set_armature(index, &joint.armature)?;
            }
            let limits = joint.limits;
            builder.set_position_limits(index, &limits.lower, &limits.upper)?;
            builder.set_velocity_limits(index, &limits.velocity)?;
            builder.set_effort_limits(index, &limits.effort)?;
            followers.extend(joint.mimic.map(|mimic| (index, mimic)));
        }
        for (index, mimic) in followers {
            builder.set_mimic(index, mimic)?;
        }
        for frame in document.frames {
            builder.push_frame(frame.name, frame.body, frame.mounting)?;
        }
        builder.finish()
    }
}

/// The parameters of a mounting, and the orientation that it was made with.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, bound = "T: Number")]
pub(super) struct MountingDocument<T> {
    origin: Vector3<T>,
    orientation: Matrix3<T>,
    rotation: Vector3<T>,
}

impl<T: Number> From<Mounting<T>> for MountingDocument<T> {
    fn from(mounting: Mounting<T>) -> Self {
        MountingDocument {
            origin: mounting.pose.translation,
            orientation: mounting.orientation.nominal,
            rotation: mounting.orientation.rotation,
        }
    }
}

impl<T: Number> TryFrom<MountingDocument<T>> for Mounting<T> {
    type Error = InvalidInput;

    fn try_from(document: MountingDocument<T>) -> Result<Self, InvalidInput> {
        let pose = RigidTransform::new(document.orientation, document.origin);
        check_pose(&pose)?;
        InvalidInput::check_finite("rotation", document.rotation.as_slice())?;
        let mut mounting = Mounting::new(pose);
        mounting.orientation.rotation = document.rotation;
        mounting.update();
        Ok(mounting)
    }
}
