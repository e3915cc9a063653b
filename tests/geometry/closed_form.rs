//! Contacts whose answer can be written down.

use super::support::*;
use dualbody::geometry::{CapsuleFeature, CylinderFeature, End, Shape, Witness};
use nalgebra::Vector3;
use std::f64::consts::FRAC_PI_2;

const TIGHT: f64 = 1e-14;

/// Asserts witness, penetration, normal and both points of the only contact.
#[track_caller]
fn check(pair: &Pair, witness: Witness, penetration: f64, nhat: [f64; 3], p_WCa: [f64; 3]) {
    let (found, contact) = pair.only_contact(10.0);
    assert_eq!(found, witness);
    let nhat = Vector3::from(nhat);
    assert!(
        (contact.penetration - penetration).abs() < TIGHT,
        "{contact:?}"
    );
    assert_close(&contact.nhat_BA_W, &nhat, TIGHT);
    assert_close(&contact.p_WCa, &Vector3::from(p_WCa), TIGHT);
    let p_WCb = Vector3::from(p_WCa) + nhat * penetration;
    assert_close(&contact.p_WCb, &p_WCb, TIGHT);
    assert!((pair.signed_distance() + penetration).abs() < TIGHT);
}

#[test]
fn two_spheres() {
    // Centres 5 apart along (3, 0, 4)/5.
    let pair = Pair::in_b(sphere(2.0), at(3.0, 0.0, 4.0), sphere(3.5));
    let n = [0.6, 0.0, 0.8];
    check(&pair, Witness::SphereSphere, 0.5, n, [1.8, 0.0, 2.4]);
}

#[test]
fn sphere_and_capsule() {
    let b = || capsule(0.5, 2.0);
    let side = Pair::in_b(sphere(0.3), at(0.0, -0.7, 0.9), b());
    let witness = Witness::SphereCapsule(CapsuleFeature::Side);
    check(&side, witness, 0.1, [0.0, -1.0, 0.0], [0.0, -0.4, 0.9]);
    let cap = Pair::in_b(sphere(0.3), at(0.6, 0.0, -1.8), b());
    let witness = Witness::SphereCapsule(CapsuleFeature::Cap(End::Lower));
    check(&cap, witness, -0.2, [0.6, 0.0, -0.8], [0.42, 0.0, -1.56]);
}

#[test]
fn sphere_and_cylinder() {
    let at_center = |x, y, z| Pair::in_b(sphere(0.25), at(x, y, z), cylinder(1.0, 3.0));
    let witness = Witness::SphereCylinder;
    let check = |p: [f64; 3], feature, penetration, n, p_WCa| {
        check(
            &at_center(p[0], p[1], p[2]),
            witness(feature),
            penetration,
            n,
            p_WCa,
        );
    };
    let side = CylinderFeature::Side;
    check(
        [1.2, 0.0, 1.0],
        side,
        0.05,
        [1.0, 0.0, 0.0],
        [0.95, 0.0, 1.0],
    );
    check(
        [0.0, 0.9, 1.0],
        side,
        0.35,
        [0.0, 1.0, 0.0],
        [0.0, 0.65, 1.0],
    );
    let top = CylinderFeature::Cap(End::Upper);
    check(
        [0.5, 0.2, 1.7],
        top,
        0.05,
        [0.0, 0.0, 1.0],
        [0.5, 0.2, 1.45],
    );
    let bottom = CylinderFeature::Cap(End::Lower);
    check(
        [0.5, 0.2, -1.4],
        bottom,
        0.35,
        [0.0, 0.0, -1.0],
        [0.5, 0.2, -1.15],
    );
    let rim = CylinderFeature::Rim(End::Lower);
    check(
        [1.3, 0.0, -1.9],
        rim,
        -0.25,
        [0.6, 0.0, -0.8],
        [1.15, 0.0, -1.7],
    );
}

#[test]
fn sphere_and_box() {
    let signs = |s: [i8; 3]| {
        let corner = Vector3::from(s.map(f64::from));
        let far = corner.component_mul(&Vector3::new(1.5, 2.5, 3.5));
        let (witness, _) = Pair::in_b(sphere(0.5), at(far.x, far.y, far.z), cuboid(2.0, 4.0, 6.0))
            .only_contact(10.0);
        let Witness::SphereBox(feature) = witness else {
            panic!("{witness:?}")
        };
        assert_eq!(feature.signs(), s);
        witness
    };
    let at_center = |x, y, z| Pair::in_b(sphere(0.5), at(x, y, z), cuboid(2.0, 4.0, 6.0));
    let face = signs([0, -1, 0]);
    check(
        &at_center(0.5, -2.25, 1.0),
        face,
        0.25,
        [0.0, -1.0, 0.0],
        [0.5, -1.75, 1.0],
    );
    // Inside, 0.25 from the face at +x.
    let inside = signs([1, 0, 0]);
    check(
        &at_center(0.75, 0.5, 1.0),
        inside,
        0.75,
        [1.0, 0.0, 0.0],
        [0.25, 0.5, 1.0],
    );
    let edge = signs([1, 0, -1]);
    check(
        &at_center(1.3, 1.0, -3.4),
        edge,
        0.0,
        [0.6, 0.0, -0.8],
        [1.0, 1.0, -3.0],
    );
    // (2, 3, 6)/7 beyond a vertex.
    let vertex = signs([1, 1, 1]);
    let n = [2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0];
    let p = [1.0 + 0.5 * n[0], 2.0 + 0.5 * n[1], 3.0 + 0.5 * n[2]];
    check(
        &at_center(1.0 + n[0], 2.0 + n[1], 3.0 + n[2]),
        vertex,
        -0.5,
        n,
        p,
    );
}

#[test]
fn sphere_on_a_slope() {
    // A half space turned by 90° about y: its normal is the world's x axis.
    let pair = Pair {
        a: sphere(0.5),
        X_WA: at(2.4, 1.0, 1.0),
        b: Shape::HalfSpace,
        X_WB: pose([0.0, FRAC_PI_2, 0.0], [2.0, 7.0, 7.0]),
    };
    check(
        &pair,
        Witness::SphereHalfSpace,
        0.1,
        [1.0, 0.0, 0.0],
        [1.9, 1.0, 1.0],
    );
}

#[test]
fn capsule_on_the_ground() {
    let angle = 0.3f64;
    let pair = Pair::in_b(
        capsule(0.2, 1.0),
        pose([0.0, FRAC_PI_2 + angle, 0.0], [0.0, 0.0, 0.3]),
        Shape::HalfSpace,
    );
    // The axis points down by `angle` towards +x; the upper end is the lower one in the world.
    let contacts = pair.contacts(10.0);
    let expected = [(End::Lower, 0.5), (End::Upper, -0.5)];
    for ((witness, c), (end, half)) in contacts.iter().zip(expected) {
        assert_eq!(*witness, Witness::CapsuleHalfSpace(end));
        let height = 0.3 + half * angle.sin() - 0.2;
        assert!((c.penetration + height).abs() < TIGHT);
        let p_WCa = Vector3::new(-half * angle.cos(), 0.0, height);
        assert_close(&c.p_WCa, &p_WCa, TIGHT);
        assert_close(&c.nhat_BA_W, &Vector3::z(), 0.0);
    }
    assert_eq!(contacts.len(), 2);
    assert_eq!(pair.contacts(0.0).len(), 1);
}

#[test]
fn cylinder_lying_tilted_and_standing() {
    let on_ground = |tilt: f64, z| {
        Pair::in_b(
            cylinder(0.5, 2.0),
            pose([0.0, tilt, 0.0], [0.0, 0.0, z]),
            Shape::HalfSpace,
        )
    };
    // Lying along x: both rims, right below the axis.
    let lying = on_ground(FRAC_PI_2, 0.49).contacts(0.0);
    assert_eq!(lying.len(), 2);
    for ((witness, c), (end, x)) in lying.iter().zip([(End::Lower, -1.0), (End::Upper, 1.0)]) {
        assert_eq!(*witness, Witness::CylinderHalfSpace { end, quarter: 0 });
        assert!((c.penetration - 0.01).abs() < TIGHT);
        assert_close(&c.p_WCa, &Vector3::new(x, 0.0, -0.01), TIGHT);
    }
    // Rolled by any angle about its axis, they stay there.
    let mut rolled = on_ground(FRAC_PI_2, 0.49);
    rolled.X_WA = rolled.X_WA * pose([0.0, 0.0, 1.234], [0.0; 3]);
    for ((_, c), (_, before)) in rolled.contacts(0.0).iter().zip(&lying) {
        assert_close(&c.p_WCa, &before.p_WCa, TIGHT);
    }
    // Tilted by 30° towards +x, resting on its lower rim.
    let tilt = 30.0f64.to_radians();
    let height = tilt.cos() + 0.5 * tilt.sin();
    let (witness, c) = on_ground(tilt, height - 0.01).only_contact(0.0);
    let end = End::Lower;
    assert_eq!(witness, Witness::CylinderHalfSpace { end, quarter: 0 });
    let x = -tilt.sin() + 0.5 * tilt.cos();
    assert_close(&c.p_WCa, &Vector3::new(x, 0.0, -0.01), TIGHT);
    assert_close(&c.p_WCb, &Vector3::new(x, 0.0, 0.0), TIGHT);
    // Standing: four points of the lower rim, spread evenly, equally deep.
    let standing = on_ground(0.0, 0.99).contacts(0.0);
    assert_eq!(standing.len(), 4);
    let sum = standing
        .iter()
        .fold(Vector3::zeros(), |sum, (_, c)| sum + c.p_WCa);
    assert_close(&sum, &Vector3::new(0.0, 0.0, -0.04), TIGHT);
    for (_, c) in &standing {
        assert!((c.p_WCa.xy().norm() - 0.5).abs() < TIGHT);
        assert!((c.penetration - 0.01).abs() < TIGHT);
    }
}

#[test]
fn box_and_points_on_the_ground() {
    let X_WA = pose([0.3, -0.2, 0.7], [0.1, 0.2, 0.4]);
    let half = [1.0, 1.5, 0.5];
    let corners: Vec<[f64; 3]> = (0..8)
        .map(|i| {
            [0, 1, 2].map(|axis| {
                if i >> axis & 1 == 0 {
                    -half[axis]
                } else {
                    half[axis]
                }
            })
        })
        .collect();
    let solid = Pair::in_b(cuboid(2.0, 3.0, 1.0), X_WA, Shape::HalfSpace);
    let cloud = Pair::in_b(points(&corners), X_WA, Shape::HalfSpace);
    let (solid, cloud) = (solid.contacts(10.0), cloud.contacts(10.0));
    assert_eq!((solid.len(), cloud.len()), (8, 8));
    for (i, ((witness, c), (of_cloud, d))) in solid.iter().zip(&cloud).enumerate() {
        assert_eq!(*of_cloud, Witness::PointsHalfSpace(i));
        let Witness::BoxHalfSpace(vertex) = witness else {
            panic!("{witness:?}")
        };
        assert_eq!(vertex.dimension(), 0);
        assert_eq!(vertex.signs().map(f64::from), corners[i].map(f64::signum));
        let p_W = X_WA.transform_point(&Vector3::from(corners[i]));
        assert_close(&c.p_WCa, &p_W, TIGHT);
        assert!((c.penetration + p_W.z).abs() < TIGHT);
        assert_eq!(c, d);
    }
}

#[test]
fn two_capsules() {
    use CapsuleFeature::{Cap, Side};
    let a = || capsule(0.2, 1.0);
    let b = || capsule(0.3, 2.0);
    // Crossed at right angles, A along y above B's axis z shifted along x.
    let crossed = Pair::in_b(a(), pose([FRAC_PI_2, 0.0, 0.0], [0.4, 0.1, 0.2]), b());
    let deepest = crossed.contacts(0.0);
    let found = deepest
        .iter()
        .find(|(w, _)| *w == Witness::CapsuleCapsule(Side, Side));
    let (_, c) = found.unwrap();
    assert!((c.penetration - 0.1).abs() < TIGHT);
    assert_close(&c.nhat_BA_W, &Vector3::x(), TIGHT);
    assert_close(&c.p_WCa, &Vector3::new(0.2, 0.0, 0.2), TIGHT);
    assert!((crossed.signed_distance() + 0.1).abs() < TIGHT);
    // Side by side: the two ends of the shorter one, and no other.
    let beside = Pair::in_b(a(), at(0.45, 0.0, 0.2), b()).contacts(10.0);
    let witnesses: Vec<_> = beside.iter().map(|(w, _)| *w).collect();
    let expected = End::ALL.map(|end| Witness::CapsuleCapsule(Cap(end), Side));
    assert_eq!(witnesses, expected);
    // Side by side, staggered: the two ends of the overlap, z from 0.6 to 1.
    let parallel = Pair::in_b(a(), at(0.0, 0.45, 1.1), b()).contacts(0.0);
    let witnesses: Vec<_> = parallel.iter().map(|(w, _)| *w).collect();
    let expected = [(Cap(End::Lower), Side), (Side, Cap(End::Upper))];
    assert_eq!(
        witnesses,
        expected.map(|(a, b)| Witness::CapsuleCapsule(a, b))
    );
    for ((_, c), z) in parallel.iter().zip([0.6, 1.0]) {
        assert!((c.penetration - 0.05).abs() < TIGHT);
        assert_close(&c.p_WCa, &Vector3::new(0.0, 0.25, z), TIGHT);
    }
    // End to end: the centres of the caps are 5/10 apart, along (3, 0, 4)/5.
    let c = Pair::in_b(a(), at(0.3, 0.0, 1.9), b())
        .deepest(10.0)
        .unwrap();
    assert!(c.penetration.abs() < TIGHT);
    assert_close(&c.nhat_BA_W, &Vector3::new(0.6, 0.0, 0.8), TIGHT);
    assert_close(&c.p_WCa, &Vector3::new(0.18, 0.0, 1.24), TIGHT);
}
