//! Where a joint or a frame sits on a body.

#[cfg(feature = "serde")]
use super::document::MountingDocument;
use crate::Scalar;
use crate::math::{RigidTransform, rotation};
use crate::parameter::{Parameter, visit_vector};
use nalgebra::{Matrix3, Vector3};
use std::fmt;

/// A pose whose origin and orientation are parameters: `R = R₀ exp φ`, with the orientation `R₀`
/// that it was made with and a rotation vector φ, at first zero.
///
/// At every `R₀` the three components of φ turn about three different axes (angles of roll, pitch
/// and yaw lose one where the pitch is a right angle, as it often is), what is set is what is read,
/// and `φ = 0` gives `R₀` bit for bit.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        try_from = "MountingDocument<T>",
        into = "MountingDocument<T>",
        bound = "T: crate::io::json::Number"
    )
)]
pub(super) struct Mounting<T> {
    /// Belongs to the parameters after [`Self::update`].
    pub pose: RigidTransform<T>,
    pub orientation: Matrix3<T>,
    pub rotation: Vector3<T>,
}

impl<T: Scalar> Mounting<T> {
    pub fn new(pose: RigidTransform<T>) -> Self {
        Mounting {
            pose,
            orientation: pose.rotation,
            rotation: Vector3::zeros(),
        }
    }

    /// Shows `path/origin/{x,y,z}` and `path/rotation/{x,y,z}`.
    pub fn visit_parameters(
        &mut self,
        path: fmt::Arguments<'_>,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        let origin = &mut self.pose.translation;
        visit_vector(visit, format_args!("{path}/origin"), "m", origin);
        let rotation = &mut self.rotation;
        visit_vector(visit, format_args!("{path}/rotation"), "rad", rotation);
    }

    /// Brings the pose up to date with the rotation vector.
    pub fn update(&mut self) {
        self.pose.rotation = if T::NDERIV == 0 && self.rotation == Vector3::zeros() {
            self.orientation
        } else {
            self.orientation * rotation::exp(&self.rotation)
        };
    }

    pub fn cast<U: Scalar>(&self) -> Mounting<U> {
        Mounting {
            pose: self.pose.cast(),
            orientation: self.orientation.map(|x| U::from(x.re())),
            rotation: self.rotation.map(|x| U::from(x.re())),
        }
    }
}
