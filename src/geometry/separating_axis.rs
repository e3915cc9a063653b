//! The separating axis theorem (SAT) for two boxes.
//!
//! Along a unit vector `n` the boxes are separated by `s(n) = |n · d| − r_A(n) − r_B(n)`, where `d`
//! leads from the centre of B to that of A and `r(n) = Σ hᵢ |n · eᵢ|` is the radius of a box with axes
//! `eᵢ` and half size `h`. Two convex polyhedra are apart exactly when `s(n) > 0` for one of the face
//! normals or a cross product of two edges, 15 for boxes, and when they overlap the largest `s` among
//! these is the negative of the penetration depth (Gottschalk, Lin & Manocha 1996, *SIGGRAPH*,
//! 171–180). When they are apart it is a lower bound of their distance.

use super::common_normal::PARALLEL;
use super::feature::{BoxFeature, sign};
use super::placed_box::PlacedBox;
use crate::Scalar;
use nalgebra::Vector3;

/// One of the 15 directions along which two boxes may be separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    /// A face normal of A.
    FaceOfFirst(usize),
    /// A face normal of B.
    FaceOfSecond(usize),
    /// The cross product of an edge direction of A and one of B.
    Edges(usize, usize),
}

impl Axis {
    /// All of them, in the order of their indices.
    pub(super) fn all() -> impl Iterator<Item = Axis> {
        let edges = (0..9).map(|e| Axis::Edges(e / 3, e % 3));
        let faces = (0..3).map(Axis::FaceOfFirst);
        faces.chain((0..3).map(Axis::FaceOfSecond)).chain(edges)
    }

    pub(super) fn is_face(self) -> bool {
        !matches!(self, Axis::Edges(..))
    }

    fn bit(self) -> u16 {
        let index = match self {
            Axis::FaceOfFirst(k) => k,
            Axis::FaceOfSecond(k) => 3 + k,
            Axis::Edges(i, j) => 6 + 3 * i + j,
        };
        1 << index
    }
}

/// Directions along which two boxes are about equally far apart, among which their contact is
/// divided.
#[doc(alias = "SAT")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct AxisSet(u16);

impl AxisSet {
    pub(super) fn insert(&mut self, axis: Axis) {
        self.0 |= axis.bit();
    }

    pub(super) fn contains(self, axis: Axis) -> bool {
        self.0 & axis.bit() != 0
    }

    pub(super) fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Axis> {
        Axis::all().filter(move |axis| self.contains(*axis))
    }
}

/// How far two boxes are apart along an axis.
#[derive(Clone, Copy)]
pub(super) struct Separation<T> {
    /// Unit vector along the axis, from the centre of B to the side of that of A, in the world.
    pub(super) normal: Vector3<T>,
    /// Negative when they overlap along it.
    pub(super) distance: T,
}

/// The separation along an axis; `None` for the cross product of parallel edges.
pub(super) fn separation<T: Scalar>(
    axis: Axis,
    a: &PlacedBox<T>,
    b: &PlacedBox<T>,
) -> Option<Separation<T>> {
    let n = match axis {
        Axis::FaceOfFirst(k) => a.axis(k),
        Axis::FaceOfSecond(k) => b.axis(k),
        Axis::Edges(i, j) => {
            let m = a.axis(i).cross(&b.axis(j));
            let length = T::norm_lifted(m.as_slice());
            if length.re() < PARALLEL {
                return None;
            }
            m.map(|x| x.div_lifted(length))
        }
    };
    let along = n.dot(&(a.pose.translation - b.pose.translation));
    let (normal, along) = if along.re() < 0.0 {
        (-n, -along)
    } else {
        (n, along)
    };
    let radius = |of: &PlacedBox<T>, face: Option<usize>, edge: Option<usize>| match face {
        Some(k) => of.half(k),
        None => (0..3)
            .filter(|&k| edge != Some(k))
            .fold(T::zero(), |sum, k| {
                sum + of.half(k) * normal.dot(&of.axis(k)).abs_lifted()
            }),
    };
    let (in_a, in_b) = match axis {
        Axis::FaceOfFirst(k) => (radius(a, Some(k), None), radius(b, None, None)),
        Axis::FaceOfSecond(k) => (radius(a, None, None), radius(b, Some(k), None)),
        Axis::Edges(i, j) => (radius(a, None, Some(i)), radius(b, None, Some(j))),
    };
    Some(Separation {
        normal,
        distance: along - in_a - in_b,
    })
}

/// The face of a box, normal to its axis `k`, that looks along a direction in the world.
pub(super) fn face_along(of: &PlacedBox<f64>, k: usize, direction: &Vector3<f64>) -> BoxFeature {
    BoxFeature::face(k, sign(of.axis(k).dot(direction)))
}

/// The edges of A and B along their axes `i` and `j` that are nearest to the other box, where
/// `normal` points from B to A.
pub(super) fn supporting_edges(
    (i, j): (usize, usize),
    normal: &Vector3<f64>,
    a: &PlacedBox<f64>,
    b: &PlacedBox<f64>,
) -> (BoxFeature, BoxFeature) {
    let edge = |of: &PlacedBox<f64>, axis: usize, direction: Vector3<f64>| {
        BoxFeature::new([0, 1, 2].map(|k| match k == axis {
            true => 0,
            false => sign(of.axis(k).dot(&direction)),
        }))
    };
    (edge(a, i, -normal), edge(b, j, *normal))
}
