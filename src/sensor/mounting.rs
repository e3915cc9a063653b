//! The mounting pose of a sensor on a body.

use crate::constants::TreeReference;
use crate::math::{RigidTransform, rotation};
use crate::tree::{BodyIndex, RigidBodyTree, TreeError, check_pose};
use crate::{InvalidInput, Scalar, constants};
use nalgebra::Vector3;

/// A pose `X_BS` on a body, as its origin and the rotation vector φ of `R_BS = exp φ`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub(crate) struct Mounting<T> {
    pub body: BodyIndex,
    origin: Vector3<T>,
    rotation: Vector3<T>,
}

impl<T: Scalar> Mounting<T> {
    constants! { struct Mounting {
        body;
        origin: any("m");
        rotation: any("rad");
    } }

    pub fn new(body: BodyIndex, pose: &RigidTransform<T>) -> Result<Self, InvalidInput> {
        check_pose(pose)?;
        let quaternion = rotation::quaternion_from_matrix(&pose.rotation);
        Ok(Mounting {
            body,
            origin: pose.translation,
            rotation: rotation::log(&quaternion),
        })
    }

    /// The pose `X_BS`.
    pub fn pose(&self) -> RigidTransform<T> {
        RigidTransform {
            rotation: rotation::exp(&self.rotation),
            translation: self.origin,
        }
    }
}

impl<S> TreeReference for Mounting<S> {
    fn check_in<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), TreeError> {
        self.body.check_in(tree)
    }
}
