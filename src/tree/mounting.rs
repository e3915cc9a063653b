//! Mounting poses of joints and frames on bodies.

#[cfg(feature = "serde")]
use super::document::MountingDocument;
use super::orientation::Orientation;
use crate::Scalar;
use crate::math::RigidTransform;
use crate::parameter::{Parameter, visit_vector};
use std::fmt;

/// A pose whose origin and orientation are parameters.
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
    pub orientation: Orientation<T>,
}

impl<T: Scalar> Mounting<T> {
    pub fn new(pose: RigidTransform<T>) -> Self {
        Mounting {
            pose,
            orientation: Orientation::new(pose.rotation),
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
        self.orientation.visit_parameters(path, visit);
    }

    /// Brings the pose up to date with the rotation vector.
    pub fn update(&mut self) {
        self.pose.rotation = self.orientation.matrix();
    }

    pub fn cast<U: Scalar>(&self) -> Mounting<U> {
        Mounting {
            pose: self.pose.cast(),
            orientation: self.orientation.cast(),
        }
    }
}
