//! Box against half space.
//!
//! Every vertex is a contact of its own, as a [point](super::points_half_space) fixed in the box at
//! `sᵢ hᵢ`, with half the size `h` and the signs `s` of the [`BoxFeature`]. The signed distance is
//! that of the lowest vertex. Exact, and without singular states.

use super::{BoxFeature, ContactPoint, Witness, points_half_space};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// Calls `visit` with every vertex and its distance. Features never change.
pub(super) fn visit_contact_features(
    size: &Vector3<f64>,
    X_WA: &RigidTransform<f64>,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    for vertex in BoxFeature::vertices() {
        let contact = contact_point(vertex, size, X_WA, X_WB);
        visit(Witness::BoxHalfSpace(vertex), -contact.penetration);
    }
    f64::INFINITY
}

/// The contact of a vertex of the box A with the half space B.
pub(super) fn contact_point<T: Scalar>(
    vertex: BoxFeature,
    size: &Vector3<T>,
    X_WA: &RigidTransform<T>,
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    points_half_space::contact_point(&vertex.center(size), X_WA, X_WB)
}
