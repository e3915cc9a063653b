//! States where a direction is undefined or a choice is tied: everything stays finite, and follows
//! the documented rule.

use super::support::*;
use dualbody::Scalar;
use dualbody::geometry::{
    CapsuleFeature, ContactPoint, CylinderFeature, End, Shape, Witness, signed_distance,
};
use dualbody::math::{RigidTransform, rotation};
use nalgebra::Vector3;
use num_dual::{Dual3_64, HyperHyperDual64};
use std::f64::consts::FRAC_PI_2;

/// A pose that moves along a curve.
pub fn moving<T: Scalar>(X: &Pose, s: T, w: [f64; 3], v: [f64; 3]) -> RigidTransform<T> {
    let X = X.cast::<T>();
    let along = |v: [f64; 3]| Vector3::from(v.map(|v| s * v));
    RigidTransform::new(
        rotation::exp(&along(w)) * X.rotation,
        X.translation + along(v),
    )
}

fn components<T: Scalar>(c: &ContactPoint<T>) -> Vec<T> {
    let vectors = [c.nhat_BA_W, c.p_WCa, c.p_WCb];
    let components = vectors.iter().flat_map(|v| v.iter().copied());
    components.chain([c.penetration, c.weight]).collect()
}

/// Evaluates every contact, and the distance, in motion, and checks derivatives up to the third.
fn assert_finite(pair: &Pair) {
    let motions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, -0.5, 0.7]];
    assert!(pair.signed_distance().is_finite());
    for (witness, c) in pair.contacts(10.0) {
        assert!(
            (c.nhat_BA_W.norm() - 1.0).abs() < 1e-12,
            "{witness:?} {c:?}"
        );
        for (w, v) in motions.iter().flat_map(|w| motions.map(|v| (*w, v))) {
            let s = Dual3_64::new(0.0, 1.0, 0.0, 0.0);
            let (X_WA, X_WB) = (moving(&pair.X_WA, s, w, v), moving(&pair.X_WB, s, v, w));
            let (a, b) = (pair.a.cast(), pair.b.cast());
            let c = witness.contact_point(&a, &X_WA, &b, &X_WB).unwrap();
            let distance = signed_distance(&a, &X_WA, &b, &X_WB).unwrap();
            for y in components(&c).into_iter().chain([distance]) {
                let finite = [y.re, y.v1, y.v2, y.v3].iter().all(|y| y.is_finite());
                assert!(finite, "{y:?} in {witness:?}");
            }
            // The points stay apart by the penetration along the normal, to every order.
            let largest = |ys: &[Dual3_64]| {
                let parts = ys.iter().flat_map(|y| [y.re, y.v1, y.v2, y.v3]);
                parts.fold(0.0, |largest: f64, part| largest.max(part.abs()))
            };
            let gap = c.p_WCb - c.p_WCa - c.nhat_BA_W * c.penetration;
            let tolerance = 1e-12 * (1.0 + largest(&components(&c)));
            assert!(
                largest(gap.as_slice()) < tolerance,
                "{gap:?} in {witness:?}"
            );
            let s = HyperHyperDual64::new(0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0);
            let (X_WA, X_WB) = (moving(&pair.X_WA, s, w, v), moving(&pair.X_WB, s, v, w));
            let (a, b) = (pair.a.cast(), pair.b.cast());
            let c = witness.contact_point(&a, &X_WA, &b, &X_WB).unwrap();
            for y in components(&c) {
                let parts = [
                    y.eps1,
                    y.eps2,
                    y.eps3,
                    y.eps1eps2,
                    y.eps1eps3,
                    y.eps2eps3,
                    y.eps1eps2eps3,
                ];
                assert!(parts.iter().all(|y| y.is_finite()), "{y:?} in {witness:?}");
            }
        }
    }
}

pub fn check_in_both_orders(pair: &Pair) {
    assert_finite(pair);
    assert_finite(&pair.swapped());
    assert_finite(&pair.moved(&pose([0.3, 1.0, -0.5], [0.1, 0.2, 0.3])));
}

#[test]
fn coincident_centers() {
    let turned = pose([0.0, 0.0, FRAC_PI_2], [1.0, 2.0, 3.0]);
    for (b, depth) in [
        (sphere(0.5), 0.8),
        (capsule(0.5, 2.0), 0.8),
        (cylinder(0.5, 2.0), 0.8),
        (cuboid(1.0, 2.0, 3.0), 0.8),
    ] {
        let pair = Pair {
            a: sphere(0.3),
            X_WA: turned,
            b,
            X_WB: turned,
        };
        check_in_both_orders(&pair);
        let (_, c) = pair.only_contact(0.0);
        assert!((c.penetration - depth).abs() < 1e-15);
        // The x axis of B, which is the world's y axis.
        assert_close(&c.nhat_BA_W, &Vector3::y(), 1e-15);
        // As A moves along the normal the penetration falls, and only then.
        for (v, slope) in [([0.0, 1.0, 0.0], -1.0), ([1.0, 0.0, 0.0], 0.0)] {
            let s = Dual3_64::new(0.0, 1.0, 0.0, 0.0);
            let X_WA = moving(&pair.X_WA, s, [0.0; 3], v);
            let (a, b) = (pair.a.cast(), pair.b.cast());
            let witness = pair.witnesses(0.0)[0];
            let c = (witness.contact_point(&a, &X_WA, &b, &pair.X_WB.cast())).unwrap();
            assert!((c.penetration.v1 - slope).abs() < 1e-15);
        }
    }
}

#[test]
fn sphere_center_on_axes_surfaces_and_edges() {
    let center = |x, y, z, b: &Shape<f64>| Pair::in_b(sphere(0.3), at(x, y, z), b.clone());
    let (tube, can, brick) = (capsule(0.5, 2.0), cylinder(0.5, 2.0), cuboid(1.0, 2.0, 3.0));
    let x = Vector3::x();
    let z = Vector3::z();
    // On the axis of the capsule, at the centre of its cap, on its surface.
    for (pair, nhat, penetration) in [
        (center(0.0, 0.0, 0.7, &tube), x, 0.8),
        (center(0.0, 0.0, 1.0, &tube), x, 0.8),
        (center(0.0, 0.0, 1.5, &tube), z, 0.3),
        (center(0.5, 0.0, 0.2, &tube), x, 0.3),
        // On the axis of the cylinder, near its side, near its cap, beyond it; on side, cap, rim.
        (center(0.0, 0.0, 0.2, &can), x, 0.8),
        (center(0.0, 0.0, 0.8, &can), z, 0.5),
        (center(0.0, 0.0, 1.2, &can), z, 0.1),
        (center(0.5, 0.0, 0.2, &can), x, 0.3),
        (center(0.2, 0.0, 1.0, &can), z, 0.3),
        (center(0.5, 0.0, 1.0, &can), z, 0.3),
        // On a face, an edge, a vertex of the box; ties go to the first axis.
        (center(0.2, 0.3, 1.5, &brick), z, 0.3),
        (center(0.5, 0.3, 1.5, &brick), x, 0.3),
        (center(0.5, 1.0, 1.5, &brick), x, 0.3),
        (center(0.2, 0.7, 0.3, &brick), x, 0.6),
    ] {
        check_in_both_orders(&pair);
        let (witness, c) = pair.only_contact(0.0);
        assert_close(&c.nhat_BA_W, &nhat, 1e-15);
        assert!((c.penetration - penetration).abs() < 1e-15, "{witness:?}");
    }
}

#[test]
fn features_evaluated_where_they_vanish() {
    // A witness found near by, evaluated with the centre exactly on the rim, edge or vertex.
    let h = std::f64::consts::FRAC_1_SQRT_2;
    for (b, near, there, nhat) in [
        (
            cylinder(0.5, 2.0),
            at(0.6, 0.0, 1.1),
            at(0.5, 0.0, 1.0),
            Vector3::new(h, 0.0, h),
        ),
        (
            cuboid(1.0, 2.0, 3.0),
            at(0.6, 0.3, 1.6),
            at(0.5, 0.3, 1.5),
            Vector3::new(h, 0.0, h),
        ),
        (
            cuboid(1.0, 2.0, 3.0),
            at(0.6, 1.1, 1.6),
            at(0.5, 1.0, 1.5),
            Vector3::repeat(1.0 / 3.0f64.sqrt()),
        ),
    ] {
        let near = Pair::in_b(sphere(0.3), near, b.clone());
        let there = Pair::in_b(sphere(0.3), there, b);
        let (witness, _) = near.only_contact(1.0);
        let c = there.contact(witness);
        assert_close(&c.nhat_BA_W, &nhat, 1e-15);
        assert!((c.penetration - 0.3).abs() < 1e-15);
    }
}

#[test]
fn capsules_and_boxes_parallel_to_the_plane() {
    let flat = pose([0.0, FRAC_PI_2, 0.0], [0.0, 0.0, 0.3]);
    let lying = Pair::in_b(capsule(0.3, 1.0), flat, Shape::HalfSpace);
    check_in_both_orders(&lying);
    assert_eq!(lying.contacts(1e-9).len(), 2);
    assert_eq!(
        Pair::in_b(cuboid(1.0, 1.0, 0.6), at(0.0, 0.0, 0.3), Shape::HalfSpace)
            .contacts(1e-9)
            .len(),
        4
    );
}

#[test]
fn capsules_that_meet_on_their_axes() {
    use CapsuleFeature::{Cap, Side};
    let (a, b) = (|| capsule(0.2, 1.0), || capsule(0.3, 2.0));
    let across = pose([FRAC_PI_2, 0.0, 0.0], [0.0; 3]);
    // Axes that cross, that coincide, that are parallel, end to end, cap on axis.
    for (X_BA, witness, penetration) in [
        (across, (Side, Side), 0.5),
        (at(0.0, 0.0, 0.2), (Cap(End::Lower), Side), 0.5),
        (at(0.4, 0.0, 0.2), (Cap(End::Lower), Side), 0.1),
        (at(0.0, 0.0, 1.5), (Cap(End::Lower), Side), 0.5),
        (at(0.0, 0.0, 1.8), (Cap(End::Lower), Cap(End::Upper)), 0.2),
        (
            pose([FRAC_PI_2, 0.0, 0.0], [0.0, 0.5, 0.1]),
            (Cap(End::Upper), Side),
            0.5,
        ),
    ] {
        let pair = Pair::in_b(a(), X_BA, b());
        check_in_both_orders(&pair);
        let witness = Witness::CapsuleCapsule(witness.0, witness.1);
        let contacts = pair.contacts(0.0);
        let found = contacts.iter().find(|(w, _)| *w == witness);
        let (_, c) = found.unwrap_or_else(|| panic!("{witness:?} in {contacts:?}"));
        assert!((c.penetration - penetration).abs() < 1e-15, "{c:?}");
    }
    // Crossed sides evaluated when the axes have become parallel.
    let crossed = Pair::in_b(a(), across, b()).witnesses(0.0);
    let sides = Witness::CapsuleCapsule(Side, Side);
    assert!(crossed.contains(&sides));
    let c = Pair::in_b(a(), at(0.4, 0.0, 0.0), b()).contact(sides);
    assert_close(&c.nhat_BA_W, &Vector3::x(), 1e-15);
    Pair::in_b(a(), at(0.0, 0.0, 0.0), b()).contact(sides);
}

#[test]
fn boxes_with_parallel_edges() {
    for X_BA in [
        at(0.0, 0.0, 0.0),
        at(0.2, 0.0, 0.9),
        at(0.9, 0.9, 0.9),
        pose([0.0, 0.0, 0.5], [0.1, 0.2, 0.9]),
        pose([FRAC_PI_2, 0.0, 0.0], [0.1, 0.2, 0.9]),
        pose([1e-9, 0.0, 0.0], [0.1, 0.2, 0.9]),
        pose([1e-7, 1e-8, 0.0], [0.1, 0.2, 0.9]),
        pose([1e-7, 1e-5, 1e-6], [0.0, 0.0, 0.9]),
    ] {
        check_in_both_orders(&Pair::in_b(
            cuboid(1.0, 1.0, 1.0),
            X_BA,
            cuboid(1.0, 1.0, 1.0),
        ));
    }
}

#[test]
fn touching_exactly_is_not_nearer_than_a_zero_margin() {
    for (a, b, X_BA) in [
        (sphere(0.5), sphere(0.5), at(1.0, 0.0, 0.0)),
        (sphere(0.5), cuboid(1.0, 1.0, 1.0), at(1.0, 0.0, 0.0)),
        (sphere(0.5), capsule(0.5, 1.0), at(1.0, 0.0, 0.0)),
        (sphere(0.5), cylinder(0.5, 1.0), at(0.0, 0.0, -1.0)),
        (sphere(0.5), Shape::HalfSpace, at(0.0, 0.0, 0.5)),
        (cuboid(1.0, 1.0, 1.0), Shape::HalfSpace, at(0.0, 0.0, 0.5)),
        (cylinder(0.5, 1.0), Shape::HalfSpace, at(0.0, 0.0, 0.5)),
        (
            cuboid(1.0, 1.0, 1.0),
            cuboid(1.0, 1.0, 1.0),
            at(0.0, 0.0, 1.0),
        ),
    ] {
        let pair = Pair::in_b(a, X_BA, b);
        assert!(pair.contacts(0.0).is_empty());
        assert!(!pair.contacts(1e-12).is_empty());
        assert_eq!(pair.signed_distance(), 0.0);
        check_in_both_orders(&pair);
    }
    let can = CylinderFeature::Cap(End::Lower);
    let (witness, _) =
        Pair::in_b(sphere(0.5), at(0.0, 0.0, -1.0), cylinder(0.5, 1.0)).only_contact(1e-12);
    assert_eq!(witness, Witness::SphereCylinder(can));
}
