//! Point clouds against convex shapes.
//!
//! Every point is a contact of its own, as a [sphere](super::sphere_box) without radius. The signed distance is that of
//! the deepest point. Exact, with the singular states of a sphere against the shape.

use super::feature::ConvexFeature;
use super::{ContactPoint, Shape, Witness, convex_pair, dispatch};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

fn ball<T: Scalar>() -> Shape<T> {
    Shape::Sphere { radius: T::zero() }
}

/// The pose of a point fixed in B.
fn pose<T: Scalar>(p_B: &Vector3<T>, X_WB: &RigidTransform<T>) -> RigidTransform<T> {
    RigidTransform::new(X_WB.rotation, X_WB.transform_point(p_B))
}

/// The part of a shape that a sphere touches.
fn part(witness: &Witness) -> Option<ConvexFeature> {
    Some(match *witness {
        Witness::SphereSphere => ConvexFeature::Vertex(0),
        Witness::SphereCapsule(part) => part.into(),
        Witness::SphereCylinder(part) => part.into(),
        Witness::SphereBox(part) => part.into(),
        Witness::Convex(_, part) => part,
        _ => return None,
    })
}

/// Calls `visit` with every point nearer than the margin to the shape A and its distance. Returns how far the nearest
/// change of features is.
pub(super) fn visit_contact_features<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<f64>,
    points: &[Vector3<T>],
    X_WB: &RigidTransform<f64>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let mut least = f64::INFINITY;
    for (index, p) in points.iter().enumerate() {
        let X_WP = pose(&p.map(|x| x.re()), X_WB);
        let mut is_near = false;
        let found = &mut |witness: Witness, distance: f64| {
            if let (true, Some(part)) = (distance < margin, part(&witness)) {
                is_near = true;
                visit(Witness::Points(index, part), distance);
            }
        };
        let change = dispatch::visit_contact_features(&ball(), &X_WP, a, X_WA, margin, found);
        if let (true, Some(change)) = (is_near, change) {
            least = least.min(change);
        }
    }
    least
}

/// The contact of a part of the shape A with the point `p_B`; `None` if A has no such part.
pub(super) fn contact_point<T: Scalar>(
    part: ConvexFeature,
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    p_B: &Vector3<T>,
    X_WB: &RigidTransform<T>,
) -> Option<ContactPoint<T>> {
    let witness = Witness::Convex(ConvexFeature::Vertex(0), part);
    convex_pair::contact_point(&witness, &ball(), &pose(p_B, X_WB), a, X_WA)
        .map(ContactPoint::swapped)
}
