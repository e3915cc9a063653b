//! Rigid transforms: poses of frames.

use super::rotation::{applied, product};
use crate::Scalar;
use nalgebra::{Matrix3, Vector3};

/// The pose `X_AB` of a frame B in a frame A.
///
/// Takes points given in B to A: `p_AoQ_A = X_AB p_BoQ_B`. The rotation is stored as a matrix, which
/// every algorithm of this crate multiplies with; it must be orthonormal, with determinant +1.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct RigidTransform<T> {
    /// `R_AB`, whose columns are the axes of B expressed in A.
    pub rotation: Matrix3<T>,
    /// `p_AoBo_A`, in metres.
    pub translation: Vector3<T>,
}

impl<T: Scalar> RigidTransform<T> {
    /// The pose of a frame that coincides with its reference.
    pub fn identity() -> Self {
        RigidTransform {
            rotation: Matrix3::identity(),
            translation: Vector3::zeros(),
        }
    }

    /// A pose from `R_AB` and `p_AoBo_A`.
    pub fn new(rotation: Matrix3<T>, translation: Vector3<T>) -> Self {
        RigidTransform {
            rotation,
            translation,
        }
    }

    /// A pose with parallel axes.
    pub fn from_translation(translation: Vector3<T>) -> Self {
        RigidTransform {
            rotation: Matrix3::identity(),
            translation,
        }
    }

    /// A pose with a common origin.
    pub fn from_rotation(rotation: Matrix3<T>) -> Self {
        RigidTransform {
            rotation,
            translation: Vector3::zeros(),
        }
    }

    /// `X_BA`.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        RigidTransform {
            rotation,
            translation: -applied(&rotation, &self.translation),
        }
    }

    /// `p_AoQ_A` from `p_BoQ_B`.
    pub fn transform_point(&self, p: &Vector3<T>) -> Vector3<T> {
        applied(&self.rotation, p) + self.translation
    }

    /// `p_BoQ_B` from `p_AoQ_A`.
    pub fn inverse_transform_point(&self, p: &Vector3<T>) -> Vector3<T> {
        self.rotation.tr_mul(&(p - self.translation))
    }

    /// The same pose in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> RigidTransform<U> {
        RigidTransform {
            rotation: self.rotation.map(|x| U::from(x.re())),
            translation: self.translation.map(|x| U::from(x.re())),
        }
    }
}

/// `X_AC = X_AB X_BC`.
impl<T: Scalar> std::ops::Mul for RigidTransform<T> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        RigidTransform {
            rotation: product(&self.rotation, &other.rotation),
            translation: self.transform_point(&other.translation),
        }
    }
}
