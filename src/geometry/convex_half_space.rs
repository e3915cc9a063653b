//! Convex polyhedron against half space.
//!
//! Every vertex is a contact of its own, as a [point](super::points_half_space) fixed in the polyhedron, with its
//! integral curvature `ωᵢ` (the angle that its faces lack of a full turn) over a right angle for its weight. So, with
//! the depths `xᵢ` below the plane,
//!
//! ```text
//! Σ ½ k (2 ωᵢ/π) xᵢ²
//! ```
//!
//! is the energy of the contact: forces are its gradient, continuous in the pose, and a polyhedron that falls on its
//! vertices in any order gets back no more than it gave. A box is as stiff as a [box](super::box_half_space), and so is
//! any prism on its end. By Gauss and Bonnet the curvatures of a corner or an edge that is rounded by many vertices add
//! up to that of the sharp one: the sum tends to an integral over the curvature of the surface that the polyhedron
//! stands for, however finely it is divided. Of a ball of radius `r` the energy is `(2k/3r) x³`.
//!
//! The curvatures are those at the time when the hull was taken. The signed distance is that of the lowest vertex.
//! Exact, and without singular states.

use super::{ContactPoint, ConvexPolyhedron, Witness, points_half_space};
use crate::{Scalar, math::RigidTransform};

/// Calls `visit` with every vertex and its distance. Features never change.
pub(super) fn visit_witnesses<T: Scalar>(
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
    Some(contact.weighted(T::from(a.curvatures()[vertex])))
}
