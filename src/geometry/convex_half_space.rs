//! Convex polyhedron against half space.
//!
//! Every vertex is a contact of its own, as a [point](super::points_half_space) fixed in the polyhedron, with a weight
//! `wᵢ` that does not depend on the pose. So, with the depths `xᵢ` below the plane,
//!
//! ```text
//! Σ ½ k wᵢ xᵢ²
//! ```
//!
//! is the energy of the contact: forces are its gradient, continuous in the pose, and a polyhedron that falls on its
//! vertices in any order gets back no more than it gave.
//!
//! A polyhedron that stands on one of its faces is to be about as stiff as four points, like a [box](super::box_half_space),
//! however finely it is divided: vertices share by their integral curvature `ωᵢ`, the angle that their faces lack of a
//! full turn. With the heights `hⱼ` above a face and a band `β` of half a percent of half the diagonal, it is
//!
//! ```text
//! wᵢ = max over its faces 4 ωᵢ/Σ ωⱼ ((1 − hⱼ/β)₊)²
//! ```
//!
//! Boxes, and prisms on an end, have the four of a box between the vertices that touch. By Gauss and Bonnet the
//! curvatures of an edge that is rounded by many vertices add up to that of the sharp one, so that a fine division is
//! that of the surface that it stands for: a ball has the energy `2 k x³/β`.
//!
//! Weights are those at the time when the hull was taken. The signed distance is that of the lowest vertex.
//! Exact, and without singular states.

use super::{ContactPoint, ConvexPolyhedron, Witness, points_half_space};
use crate::{Scalar, math::RigidTransform};

/// Calls `visit` with every vertex and its distance. Features never change.
pub(super) fn visit_contact_features<T: Scalar>(
    a: &ConvexPolyhedron<T>,
    X_WA: &RigidTransform<f64>,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let (offset, normal) = points_half_space::height(&X_WA.translation, X_WB);
    let normal = X_WA.rotation.tr_mul(&normal);
    for (index, p) in a.vertices().iter().enumerate() {
        let height = normal.dot(&p.map(|x| x.re())) + offset;
        visit(Witness::ConvexHalfSpace(index), height);
    }
    f64::INFINITY
}

/// The contact of a vertex of the polyhedron A with the half space B; `None` if there is no such vertex.
pub(super) fn contact_point<T: Scalar>(
    vertex: usize,
    a: &ConvexPolyhedron<T>,
    X_WA: &RigidTransform<T>,
    X_WB: &RigidTransform<T>,
) -> Option<ContactPoint<T>> {
    let p = a.vertices().get(vertex)?;
    let contact = points_half_space::contact_point(p, X_WA, X_WB);
    Some(contact.weighted(T::from(a.weights()[vertex])))
}
