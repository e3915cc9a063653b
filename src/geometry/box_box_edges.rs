//! Box against box, edge–edge contact.
//!
//! The normal is the [common normal](super::common_normal) of the edges, on the outward side of B's;
//! the contact is where it meets them. Where it meets both edges, not their continuations, the
//! distance along it is that of the edges.
//!
//! *Singular state.* Parallel edges have no contact of their own, a face is in contact then. Should
//! the edges be evaluated when they have become parallel, the normal is the outward direction of B's
//! edge, and the point of A the middle of its edge.

use super::ContactPoint;
use super::common_normal::{CommonNormal, PARALLEL, common_normal};
use super::feature::BoxFeature;
use super::placed_box::PlacedBox;
use crate::Scalar;

/// The distance of two edges along their common normal, if it meets both.
pub(super) fn distance_if_met(
    edges: (BoxFeature, BoxFeature),
    a: &PlacedBox<f64>,
    b: &PlacedBox<f64>,
) -> Option<f64> {
    let (axis_a, axis_b) = (edges.0.edge_axis(), edges.1.edge_axis());
    if a.axis(axis_a).cross(&b.axis(axis_b)).norm() < PARALLEL {
        return None;
    }
    let normal = edges_common_normal(edges, a, b);
    let meets_a = normal.s.abs() <= a.half(axis_a);
    let meets_b = normal.t.abs() <= b.half(axis_b);
    (meets_a && meets_b).then_some(normal.distance)
}

/// How far the boxes are from where the common normal of the edges begins to meet both, or ceases
/// to.
pub(super) fn meeting_margin(
    edges: (BoxFeature, BoxFeature),
    a: &PlacedBox<f64>,
    b: &PlacedBox<f64>,
) -> f64 {
    let (axis_a, axis_b) = (edges.0.edge_axis(), edges.1.edge_axis());
    let sine = a.axis(axis_a).cross(&b.axis(axis_b)).norm();
    edges_common_normal(edges, a, b).meeting_margin(sine, a.half(axis_a), b.half(axis_b))
}

/// The contact of an edge of the box A with an edge of the box B.
pub(super) fn contact_point<T: Scalar>(
    edges: (BoxFeature, BoxFeature),
    a: &PlacedBox<T>,
    b: &PlacedBox<T>,
) -> ContactPoint<T> {
    let normal = edges_common_normal(edges, a, b);
    let p_WCa = a.center(edges.0) + a.axis(edges.0.edge_axis()) * normal.s;
    ContactPoint::new(p_WCa, normal.nhat, normal.distance)
}

fn edges_common_normal<T: Scalar>(
    edges: (BoxFeature, BoxFeature),
    a: &PlacedBox<T>,
    b: &PlacedBox<T>,
) -> CommonNormal<T> {
    common_normal(
        (&a.center(edges.0), &a.axis(edges.0.edge_axis())),
        (&b.center(edges.1), &b.axis(edges.1.edge_axis())),
        &b.outward(edges.1),
    )
}
