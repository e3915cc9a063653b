//! Convex polyhedron against half space.
//!
//! Contacts are the vertices that are below the plane or little above the lowest one. Together they are
//! as stiff as four points, like a [box](super::box_half_space) on its face, however fine the polyhedron
//! is: with the height `hᵢ` of a vertex, its integral curvature `ωᵢ` (the angle that its faces lack of a
//! full turn) and a band `β` of half a percent of half the diameter, the weight of a vertex is
//!
//! ```text
//! wᵢ = 4 ωᵢ yᵢ²/Σ ωⱼ yⱼ²,     yᵢ = (β − hᵢ + max(0, minⱼ hⱼ))₊
//! ```
//!
//! A vertex enters with weight zero and first derivative zero, so that total force and moment are
//! continuously differentiable functions of the pose while the polyhedron touches, whichever of its
//! vertices are in contact. By Gauss and Bonnet the curvatures of a corner that is rounded by many
//! vertices add up to that of the sharp corner: how finely a surface is divided does not matter.
//!
//! The curvatures and the band are those at the time when the hull was taken. The signed distance is that
//! of the lowest vertex. Exact, and without singular states; above the plane, the weights have a kink where
//! another vertex becomes the lowest.

use super::points_half_space::{self, height};
use super::{ContactPoint, ConvexPolyhedron, Witness};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// As many points as a polyhedron is as stiff as.
const POINTS: f64 = 4.0;

/// The half space in the frame of the polyhedron: the height of a point is `normal · p + offset`.
struct Plane<T> {
    normal: Vector3<T>,
    offset: T,
}

impl<T: Scalar> Plane<T> {
    fn new(X_WA: &RigidTransform<T>, X_WB: &RigidTransform<T>) -> Self {
        let (offset, normal) = height(&X_WA.translation, X_WB);
        Plane {
            normal: X_WA.rotation.tr_mul(&normal),
            offset,
        }
    }

    fn height(&self, p: &Vector3<T>) -> T {
        self.normal.dot(p) + self.offset
    }

    fn real(&self) -> Plane<f64> {
        Plane {
            normal: self.normal.map(|x| x.re()),
            offset: self.offset.re(),
        }
    }
}

impl Plane<f64> {
    fn height_of<T: Scalar>(&self, p: &Vector3<T>) -> f64 {
        self.height(&p.map(|x| x.re()))
    }

    /// The lowest vertex and its height, and the height of the next.
    fn lowest<T: Scalar>(&self, a: &ConvexPolyhedron<T>) -> (usize, f64, f64) {
        let (mut lowest, mut least, mut next) = (0, f64::INFINITY, f64::INFINITY);
        for (index, p) in a.vertices().iter().enumerate() {
            let height = self.height_of(p);
            if height < least {
                (lowest, next, least) = (index, least, height);
            } else {
                next = next.min(height);
            }
        }
        (lowest, least, next)
    }
}

/// Calls `visit` with the vertices that share the contact and their distances. Returns how far the
/// nearest change of the lowest vertex is, where that matters.
pub(super) fn visit_witnesses<T: Scalar>(
    a: &ConvexPolyhedron<T>,
    X_WA: &RigidTransform<f64>,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let plane = Plane::new(X_WA, X_WB);
    let (_, least, next) = plane.lowest(a);
    let limit = a.band() + least.max(0.0);
    for (index, p) in a.vertices().iter().enumerate() {
        let height = plane.height_of(p);
        if height < limit {
            visit(Witness::ConvexHalfSpace(index), height);
        }
    }
    if least > 0.0 {
        0.5 * (next - least)
    } else {
        f64::INFINITY
    }
}

/// Whether a vertex shares the contact.
pub(super) fn is_low<T: Scalar>(
    vertex: usize,
    a: &ConvexPolyhedron<T>,
    X_WA: &RigidTransform<f64>,
    X_WB: &RigidTransform<f64>,
) -> bool {
    let plane = Plane::new(X_WA, X_WB);
    let limit = a.band() + plane.lowest(a).1.max(0.0);
    plane.height_of(&a.vertices()[vertex]) < limit
}

/// The contact of a vertex of the polyhedron A with the half space B; `None` if there is no such vertex.
pub(super) fn contact_point<T: Scalar>(
    vertex: usize,
    a: &ConvexPolyhedron<T>,
    X_WA: &RigidTransform<T>,
    X_WB: &RigidTransform<T>,
) -> Option<ContactPoint<T>> {
    let p = a.vertices().get(vertex)?;
    let plane = Plane::new(X_WA, X_WB);
    let real = plane.real();
    let (lowest, least, _) = real.lowest(a);
    let mut limit = T::from(a.band());
    if least > 0.0 {
        limit += plane.height(&a.vertices()[lowest]);
    }
    let worth = |index: usize| {
        let below = limit - plane.height(&a.vertices()[index]);
        below * below * a.curvatures()[index]
    };
    let is_below = |index: usize| real.height_of(&a.vertices()[index]) < limit.re();
    let all = (0..a.vertices().len()).filter(|&index| is_below(index));
    let sum = all.fold(T::zero(), |sum, index| sum + worth(index));
    let own = if is_below(vertex) {
        worth(vertex)
    } else {
        T::zero()
    };
    let contact = points_half_space::contact_point(p, X_WA, X_WB);
    Some(contact.weighted(own.div_lifted(sum) * POINTS))
}
