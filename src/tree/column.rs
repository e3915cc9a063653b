//! Columns of a joint's motion subspace.

use crate::Scalar;
use crate::math::SpatialForce;
use nalgebra::{Matrix3, Vector3};

/// What a degree of freedom does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    /// Turns the child about an axis through its origin.
    Rotation,
    /// Moves the child along an axis.
    Translation,
}

/// One degree of freedom of a joint, driven by one velocity coordinate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub kind: ColumnKind,
    pub axis: Axis,
    /// The velocity coordinate that drives it.
    pub coordinate: usize,
}

impl Column {
    pub fn new(kind: ColumnKind, axis: Vector3<f64>, coordinate: usize) -> Self {
        Column {
            kind,
            axis: Axis::new(axis),
            coordinate,
        }
    }

    /// The generalized force of a force about the child's origin, from the axis expressed in the
    /// same frame.
    pub fn component<T: Scalar>(&self, axis: &Vector3<T>, force: &SpatialForce<T>) -> T {
        match self.kind {
            ColumnKind::Rotation => axis.dot(&force.torque),
            ColumnKind::Translation => axis.dot(&force.force),
        }
    }
}

/// An axis that is fixed in a joint's frame F.
///
/// Most axes of real robots are along an axis of F, and then rotating them is picking a column.
#[derive(Debug, Clone, Copy)]
pub(super) enum Axis {
    /// Along the axis of this number, with this factor.
    Aligned(usize, f64),
    General(Vector3<f64>),
}

impl Axis {
    /// Components below round-off of the longest count as zero.
    pub fn new(axis: Vector3<f64>) -> Self {
        let longest = axis.iamax();
        let negligible = f64::EPSILON * axis[longest].abs();
        if (0..3).all(|i| i == longest || axis[i].abs() < negligible) {
            Axis::Aligned(longest, axis[longest])
        } else {
            Axis::General(axis)
        }
    }

    pub fn scaled(self, factor: f64) -> Self {
        match self {
            Axis::Aligned(i, length) => Axis::Aligned(i, length * factor),
            Axis::General(axis) => Axis::General(axis * factor),
        }
    }

    /// The vector of this length along the axis.
    pub fn times<T: Scalar>(&self, length: T) -> Vector3<T> {
        let components = match *self {
            Axis::Aligned(i, component) => Vector3::ith(i, component),
            Axis::General(axis) => axis,
        };
        components.map(|c| length * c)
    }

    /// The axis expressed in A, from `R_AF`.
    pub fn rotated<T: Scalar>(&self, r: &Matrix3<T>) -> Vector3<T> {
        match *self {
            Axis::Aligned(i, 1.0) => r.column(i).into(),
            Axis::Aligned(i, length) => r.column(i).map(|x| x * length),
            Axis::General(a) => {
                Vector3::from_fn(|i, _| r[(i, 0)] * a.x + r[(i, 1)] * a.y + r[(i, 2)] * a.z)
            }
        }
    }
}
