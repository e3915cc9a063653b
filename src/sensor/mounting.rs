//! Where a sensor sits on a body.

use super::error::SensorError;
use crate::math::{RigidTransform, rotation};
use crate::parameter::{Parameter, visit_vector};
use crate::tree::{BodyIndex, RigidBodyTree, check_pose};
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Vector3};

/// A pose `X_BS` on a body, `R_BS = R₀ exp φ`, whose constant `R₀` is the orientation that it was made
/// with and whose rotation vector φ, at first zero, carries its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mounting<T> {
    pub body: BodyIndex,
    origin: Vector3<T>,
    orientation: Matrix3<f64>,
    rotation: Vector3<T>,
}

impl<T: Scalar> Mounting<T> {
    pub fn new(body: BodyIndex, pose: &RigidTransform<T>) -> Result<Self, InvalidInput> {
        check_pose(pose)?;
        Ok(Mounting {
            body,
            origin: pose.translation,
            orientation: pose.rotation.map(|x| x.re()),
            rotation: Vector3::zeros(),
        })
    }

    pub fn cast<U: Scalar>(&self) -> Mounting<U> {
        Mounting {
            body: self.body,
            origin: self.origin.map(|x| U::from(x.re())),
            orientation: self.orientation,
            rotation: self.rotation.map(|x| U::from(x.re())),
        }
    }

    /// The pose `X_BS`.
    pub fn pose(&self) -> RigidTransform<T> {
        RigidTransform {
            rotation: self.orientation.map(T::from) * rotation::exp(&self.rotation),
            translation: self.origin,
        }
    }

    /// Shows `name/origin/{x,y,z}` and `name/rotation/{x,y,z}`.
    pub fn visit_parameters(&mut self, name: &str, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        visit_vector(visit, format_args!("{name}/origin"), "m", &mut self.origin);
        let path = format_args!("{name}/rotation");
        visit_vector(visit, path, "rad", &mut self.rotation);
    }

    pub fn validate(&self, name: &str, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
        tree.body(self.body)?;
        let invalid = SensorError::invalid(name);
        InvalidInput::check_finite("orientation", self.orientation.as_slice()).map_err(&invalid)?;
        InvalidInput::check_finite("origin", self.origin.as_slice()).map_err(&invalid)?;
        InvalidInput::check_finite("rotation", self.rotation.as_slice()).map_err(invalid)
    }
}
