//! A box with its pose in the world.

use super::feature::BoxFeature;
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// A box and the pose of its frame.
#[derive(Clone, Copy)]
pub(super) struct PlacedBox<'a, T> {
    pub(super) size: &'a Vector3<T>,
    pub(super) pose: &'a RigidTransform<T>,
}

impl<'a, T: Scalar> PlacedBox<'a, T> {
    pub(super) fn new(size: &'a Vector3<T>, pose: &'a RigidTransform<T>) -> Self {
        PlacedBox { size, pose }
    }

    /// Half the extent along an axis.
    pub(super) fn half(&self, axis: usize) -> T {
        self.size[axis] * 0.5
    }

    /// Unit vector along an axis, in the world.
    pub(super) fn axis(&self, axis: usize) -> Vector3<T> {
        self.pose.rotation.column(axis).into_owned()
    }

    /// Centre of a feature, in the world.
    pub(super) fn center(&self, feature: BoxFeature) -> Vector3<T> {
        self.pose.transform_point(&feature.center(self.size))
    }

    /// Outward direction of a feature, in the world.
    pub(super) fn outward(&self, feature: BoxFeature) -> Vector3<T> {
        self.pose.rotation * feature.outward()
    }
}
