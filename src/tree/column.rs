//! Columns of the motion subspace of a joint.

use crate::Scalar;
use crate::default_scalar::is_constant;
use crate::math::{SpatialForce, rotation};
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
pub(super) struct Column<T> {
    pub kind: ColumnKind,
    pub axis: Axis<T>,
    /// The velocity coordinate that drives it.
    pub coordinate: usize,
    /// Inertia that the coordinate has beside that of the bodies.
    pub armature: T,
}

impl<T: Scalar> Column<T> {
    /// The generalized force of a force about the child's origin, from the axis expressed in the
    /// same frame.
    pub fn component(&self, axis: &Vector3<T>, force: &SpatialForce<T>) -> T {
        match self.kind {
            ColumnKind::Rotation => axis.dot(&force.torque),
            ColumnKind::Translation => axis.dot(&force.force),
        }
    }

    pub fn cast<U: Scalar>(&self) -> Column<U> {
        Column {
            kind: self.kind,
            axis: self.axis.cast(),
            coordinate: self.coordinate,
            armature: U::from(self.armature.re()),
        }
    }
}

/// An axis that is fixed in a joint's frame F.
///
/// Most axes of real robots are along an axis of F, and then rotating them is picking a column.
/// Whether a dual number is a constant cannot be told from it, so an axis that a parameter of a tree
/// in dual numbers may have turned is a general one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Axis<T> {
    /// Along the axis of this number, with this factor.
    Aligned(usize, f64),
    General(Vector3<T>),
}

impl<T: Scalar> Axis<T> {
    /// Components below round-off of the longest count as zero.
    pub fn new(axis: Vector3<T>) -> Self {
        let longest = axis.map(|x| x.re()).iamax();
        let negligible = f64::EPSILON * axis[longest].re().abs();
        let is_aligned = (0..3).all(|i| i == longest || axis[i].re().abs() < negligible);
        match (is_aligned, axis.iter().all(is_constant)) {
            (true, true) => Axis::Aligned(longest, axis[longest].re()),
            (true, false) => Axis::General(Vector3::from_fn(|i, _| match i == longest {
                true => axis[i],
                false => axis[i].with_real(0.0),
            })),
            (false, _) => Axis::General(axis),
        }
    }

    pub fn scaled(self, factor: T) -> Self {
        match self {
            Axis::Aligned(i, length) if is_constant(&factor) => {
                Axis::Aligned(i, length * factor.re())
            }
            Axis::Aligned(i, length) => Axis::General(Vector3::ith(i, factor * length)),
            Axis::General(axis) => Axis::General(axis * factor),
        }
    }

    /// The vector of this length along the axis.
    pub fn times(&self, length: T) -> Vector3<T> {
        match *self {
            Axis::Aligned(i, component) => Vector3::ith(i, length * component),
            Axis::General(axis) => axis.map(|c| length * c),
        }
    }

    /// The axis expressed in A, from `R_AF`.
    pub fn rotated(&self, r: &Matrix3<T>) -> Vector3<T> {
        match *self {
            Axis::Aligned(i, 1.0) => r.column(i).into(),
            Axis::Aligned(i, length) => r.column(i).map(|x| x * length),
            Axis::General(a) => rotation::applied(r, &a),
        }
    }

    pub fn cast<U: Scalar>(&self) -> Axis<U> {
        match *self {
            Axis::Aligned(i, length) => Axis::Aligned(i, length),
            Axis::General(axis) => match Axis::new(axis.map(|x| x.re())) {
                Axis::Aligned(i, length) => Axis::Aligned(i, length),
                Axis::General(axis) => Axis::General(axis.map(U::from)),
            },
        }
    }
}
