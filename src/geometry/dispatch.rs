//! Dispatch of pairs of shapes to the modules that compute their contacts.

use super::convex_core::has_core;
use super::placed_box::PlacedBox;
use super::{
    ContactPoint, Shape, Witness, box_box, box_half_space, capsule_capsule, capsule_half_space,
    convex_half_space, convex_pair, cylinder_half_space, ellipsoid_half_space,
    height_field_contact, points_convex, points_half_space, sphere_box, sphere_capsule,
    sphere_cylinder, sphere_half_space, sphere_sphere,
};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

fn real<T: Scalar>(v: &Vector3<T>) -> Vector3<f64> {
    v.map(|x| x.re())
}

/// Calls `visit` with the candidates for a contact of kinds in their order, and their distances; of
/// two boxes, with those nearer than the margin. Returns how far the nearest change of features is;
/// `None` if the pair is not supported.
pub(super) fn visit_contact_features<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<f64>,
    b: &Shape<T>,
    X_WB: &RigidTransform<f64>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> Option<f64> {
    use Shape::{
        Box, Capsule, Convex, Cylinder, Ellipsoid, HalfSpace, HeightField, Points, Sphere,
    };
    let p_WAo = &X_WA.translation;
    Some(match (a, b) {
        (Sphere { radius: r_A }, Sphere { radius: r_B }) => {
            sphere_sphere::visit_contact_features(r_A.re(), p_WAo, r_B.re(), X_WB, visit)
        }
        (Sphere { radius: r_A }, Capsule { radius, length }) => {
            let b = (radius.re(), length.re());
            sphere_capsule::visit_contact_features(r_A.re(), p_WAo, b, X_WB, visit)
        }
        (Sphere { radius: r_A }, Cylinder { radius, length }) => {
            let b = (radius.re(), length.re());
            sphere_cylinder::visit_contact_features(r_A.re(), p_WAo, b, X_WB, visit)
        }
        (Sphere { radius: r_A }, Box { size }) => {
            sphere_box::visit_contact_features(r_A.re(), p_WAo, &real(size), X_WB, visit)
        }
        (Sphere { radius: r_A }, HalfSpace) => {
            sphere_half_space::visit_contact_features(r_A.re(), p_WAo, X_WB, visit)
        }
        (
            Capsule { radius, length },
            Capsule {
                radius: r_B,
                length: length_B,
            },
        ) => {
            let (a, b) = ((radius.re(), length.re()), (r_B.re(), length_B.re()));
            capsule_capsule::visit_contact_features((a, X_WA), (b, X_WB), margin, visit)
        }
        (Capsule { radius, length }, HalfSpace) => {
            let a = (radius.re(), length.re());
            capsule_half_space::visit_contact_features(a, X_WA, X_WB, visit)
        }
        (Cylinder { radius, length }, HalfSpace) => {
            let a = (radius.re(), length.re());
            cylinder_half_space::visit_contact_features(a, X_WA, X_WB, visit)
        }
        (Box { size: size_A }, Box { size: size_B }) => {
            let (size_A, size_B) = (real(size_A), real(size_B));
            let (a, b) = (PlacedBox::new(&size_A, X_WA), PlacedBox::new(&size_B, X_WB));
            box_box::visit_contact_features(&a, &b, margin, visit)
        }
        (Box { size }, HalfSpace) => {
            box_half_space::visit_contact_features(&real(size), X_WA, X_WB, visit)
        }
        (Ellipsoid { semi_axes }, HalfSpace) => {
            ellipsoid_half_space::visit_contact_features(&real(semi_axes), X_WA, X_WB, visit)
        }
        (Convex { polyhedron }, HalfSpace) => {
            convex_half_space::visit_contact_features(polyhedron, X_WA, X_WB, visit)
        }
        (Points { points }, HalfSpace) => {
            points_half_space::visit_contact_features(points, X_WA, X_WB, visit)
        }
        (a, Points { points }) if has_core(a.kind()) => {
            points_convex::visit_contact_features(a, X_WA, points, X_WB, margin, visit)
        }
        (a, HeightField { field }) if height_field_contact::is_supported(a.kind()) => {
            height_field_contact::visit_contact_features(a, X_WA, field, X_WB, margin, visit)
        }
        (a, b) if has_core(a.kind()) && has_core(b.kind()) => {
            convex_pair::visit_contact_features(a, X_WA, b, X_WB, margin, visit)
        }
        _ => return None,
    })
}

/// The contact of kinds in their order; `None` if the features are not those of the shapes.
#[inline(never)]
pub(super) fn contact_point<T: Scalar>(
    witness: &Witness,
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    b: &Shape<T>,
    X_WB: &RigidTransform<T>,
) -> Option<ContactPoint<T>> {
    use Shape::{
        Box, Capsule, Convex, Cylinder, Ellipsoid, HalfSpace, HeightField, Points, Sphere,
    };
    let p_WAo = &X_WA.translation;
    Some(match (*witness, a, b) {
        (Witness::SphereSphere, Sphere { radius: r_A }, Sphere { radius: r_B }) => {
            sphere_sphere::contact_point(*r_A, p_WAo, *r_B, X_WB)
        }
        (Witness::SphereCapsule(feature), Sphere { radius: r_A }, Capsule { radius, length }) => {
            sphere_capsule::contact_point(feature, *r_A, p_WAo, (*radius, *length), X_WB)
        }
        (Witness::SphereCylinder(feature), Sphere { radius: r_A }, Cylinder { radius, length }) => {
            sphere_cylinder::contact_point(feature, *r_A, p_WAo, (*radius, *length), X_WB)
        }
        (Witness::SphereBox(feature), Sphere { radius: r_A }, Box { size }) => {
            sphere_box::contact_point(feature, *r_A, p_WAo, size, X_WB)
        }
        (Witness::SphereHalfSpace, Sphere { radius: r_A }, HalfSpace) => {
            sphere_half_space::contact_point(*r_A, p_WAo, X_WB)
        }
        (
            Witness::CapsuleCapsule(feature_A, feature_B),
            Capsule { radius, length },
            Capsule {
                radius: r_B,
                length: length_B,
            },
        ) => {
            let (a, b) = ((*radius, *length), (*r_B, *length_B));
            capsule_capsule::contact_point((feature_A, feature_B), (a, X_WA), (b, X_WB))
        }
        (Witness::CapsuleHalfSpace(end), Capsule { radius, length }, HalfSpace) => {
            capsule_half_space::contact_point(end, (*radius, *length), X_WA, X_WB)
        }
        (
            Witness::CylinderHalfSpace {
                end,
                quarter: quarter @ 0..=3,
            },
            Cylinder { radius, length },
            HalfSpace,
        ) => {
            let a = (*radius, *length);
            cylinder_half_space::contact_point(end, quarter, a, X_WA, X_WB)
        }
        (Witness::Convex(..) | Witness::ConvexPatch { .. }, a, b) => {
            convex_pair::contact_point(witness, a, X_WA, b, X_WB)?
        }
        (Witness::Points(index, part), a, Points { points }) => {
            points_convex::contact_point(part, a, X_WA, points.get(index)?, X_WB)?
        }
        (_, a, HeightField { field }) => {
            height_field_contact::contact_point(witness, a, X_WA, field, X_WB)?
        }
        (_, Box { size: size_A }, Box { size: size_B }) => {
            let (a, b) = (PlacedBox::new(size_A, X_WA), PlacedBox::new(size_B, X_WB));
            box_box::contact_point(witness, &a, &b)?
        }
        (Witness::BoxHalfSpace(vertex), Box { size }, HalfSpace) if vertex.dimension() == 0 => {
            box_half_space::contact_point(vertex, size, X_WA, X_WB)
        }
        (Witness::EllipsoidHalfSpace, Ellipsoid { semi_axes }, HalfSpace) => {
            ellipsoid_half_space::contact_point(semi_axes, X_WA, X_WB)
        }
        (Witness::ConvexHalfSpace(vertex), Convex { polyhedron }, HalfSpace) => {
            convex_half_space::contact_point(vertex, polyhedron, X_WA, X_WB)?
        }
        (Witness::PointsHalfSpace(index), Points { points }, HalfSpace) => {
            points_half_space::contact_point(points.get(index)?, X_WA, X_WB)
        }
        _ => return None,
    })
}
