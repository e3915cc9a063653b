//! Boxes on faces and edges of each other.

use super::support::*;
use crate::cases::cases;
use dualbody::geometry::{BoxReference, ContactPoint, Witness};
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4};

const TIGHT: f64 = 1e-12;

/// Asserts that the contacts are at these places seen from above, all equally deep along z.
#[track_caller]
fn check_flat(pair: &Pair, penetration: f64, expected: &[[f64; 2]]) {
    let contacts = pair.contacts(0.1);
    assert_eq!(contacts.len(), expected.len(), "{contacts:?}");
    for (_, c) in &contacts {
        assert!((c.penetration - penetration).abs() < TIGHT, "{c:?}");
        assert_close(&c.nhat_BA_W, &Vector3::z(), TIGHT);
    }
    for p in expected {
        let is_here = |c: &ContactPoint<f64>| (c.p_WCa.xy() - Vector2::from(*p)).norm() < TIGHT;
        let count = contacts.iter().filter(|(_, c)| is_here(c)).count();
        assert_eq!(count, 1, "{p:?} in {contacts:?}");
    }
    // The same contacts when the other box is the first.
    let swapped = pair.swapped().contacts(0.1);
    assert_eq!(swapped.len(), expected.len());
    for (_, c) in swapped {
        assert!((c.penetration - penetration).abs() < TIGHT, "{c:?}");
        assert_close(&c.nhat_BA_W, &-Vector3::z(), TIGHT);
    }
}

fn rectangle(x: f64, y: f64) -> [[f64; 2]; 4] {
    [[-x, -y], [x, -y], [x, y], [-x, y]]
}

#[test]
fn small_on_large() {
    let on_table = |z| {
        Pair::in_b(
            cuboid(0.4, 0.6, 1.0),
            at(0.0, 0.0, z),
            cuboid(2.0, 2.0, 1.0),
        )
    };
    check_flat(&on_table(0.99), 0.01, &rectangle(0.2, 0.3));
    check_flat(&on_table(1.0), 0.0, &rectangle(0.2, 0.3));
    check_flat(&on_table(1.05), -0.05, &rectangle(0.2, 0.3));
    assert!(on_table(1.0).contacts(0.0).is_empty());
    assert!(on_table(1.2).contacts(0.1).is_empty());
    // Whichever comes first and wherever they are, vertices of the small one on a face of the large.
    let pairs = (0..10).flat_map(|i| {
        let pair = on_table(0.99).moved(&pose([0.1 * f64::from(i), 0.2, -0.3], [1.0, 2.0, 3.0]));
        [pair.swapped(), pair]
    });
    for (witness, _) in pairs.flat_map(|pair| pair.contacts(0.0)) {
        let Witness::BoxBoxFace {
            corner, reference, ..
        } = witness
        else {
            panic!("{witness:?}")
        };
        // Both edges are those of the small one, which is not the reference.
        match reference {
            BoxReference::First => assert!(corner.iter().all(|e| e.first.is_none())),
            BoxReference::Second => assert!(corner.iter().all(|e| e.second.is_none())),
            BoxReference::Both => panic!("{witness:?}"),
        }
    }
}

#[test]
fn equal_boxes_stacked_squarely() {
    for turns in 0..4 {
        let yaw = f64::from(turns) * FRAC_PI_2;
        let X_WA = pose([0.0, 0.0, yaw], [0.0, 0.0, 0.69]);
        let pair = Pair::in_b(cuboid(1.0, 1.0, 0.8), X_WA, cuboid(1.0, 1.0, 0.6));
        check_flat(&pair, 0.01, &rectangle(0.5, 0.5));
    }
}

#[test]
fn turned_by_an_eighth() {
    let X_WA = pose([0.0, 0.0, FRAC_PI_4], [0.0, 0.0, 0.99]);
    let pair = Pair::in_b(cuboid(1.0, 1.0, 1.0), X_WA, cuboid(1.0, 1.0, 1.0));
    let (h, t) = (0.5, 0.5 * (FRAC_PI_4 / 2.0).tan());
    let octagon: Vec<[f64; 2]> = [rectangle(h, t), rectangle(t, h)].concat();
    check_flat(&pair, 0.01, &octagon);
}

#[test]
fn overlapping_in_part() {
    let X_WA = at(0.5, -0.7, 0.99);
    let pair = Pair::in_b(cuboid(1.0, 1.2, 1.0), X_WA, cuboid(1.0, 1.2, 1.0));
    check_flat(
        &pair,
        0.01,
        &[[0.0, -0.1], [0.5, -0.1], [0.5, -0.6], [0.0, -0.6]],
    );
}

#[test]
fn nearly_flat_stays_a_face_contact() {
    // Equal boxes tilted a little: all axes near the vertical are nearly equally deep.
    for depth in [1e-2, 1e-4, 1e-6] {
        for yaw in [0.0, 1e-4, 0.3, 0.7] {
            for [x, y] in [[1e-5, 0.0], [7e-5, -9e-5], [3e-6, 2e-5], [-1e-4, -6e-5]] {
                let tilt = pose([x, y, 0.0], [0.0, 0.0, 1.0 - depth]);
                let X_WA = tilt * pose([0.0, 0.0, yaw], [0.0; 3]);
                let pair = Pair::in_b(cuboid(1.0, 1.0, 1.0), X_WA, cuboid(1.0, 1.0, 1.0));
                for contacts in [pair.contacts(0.01), pair.swapped().contacts(0.01)] {
                    assert!((4..=8).contains(&contacts.len()));
                    for (witness, c) in contacts {
                        assert!(matches!(witness, Witness::BoxBoxFace { .. }), "{witness:?}");
                        assert!((c.penetration - depth).abs() < 2e-4);
                    }
                }
            }
        }
    }
}

#[test]
fn edges_that_are_nearer_than_the_face() {
    // The face normal is nearly as good, but seen along it the boxes hardly cover each other.
    let X_WA = pose([-0.4, -0.5, 0.0], [-0.5, -0.8, 0.0]);
    let pair = Pair::in_b(cuboid(0.2, 0.6, 0.4), X_WA, cuboid(0.4, 1.2, 0.4));
    let (witness, c) = pair.only_contact(1.0);
    assert!(matches!(witness, Witness::BoxBoxEdges { .. }));
    assert!((c.penetration + 0.09335888053828188).abs() < TIGHT);
    assert!((pair.signed_distance() + c.penetration).abs() < TIGHT);
}

#[test]
fn ridges_that_cross() {
    // Each box stands on an edge, B's upper edge along x, A's lower edge along y.
    let ridge = FRAC_1_SQRT_2;
    let pair = |height| Pair {
        a: cuboid(1.0, 3.0, 1.0),
        X_WA: pose([0.0, FRAC_PI_4, 0.0], [0.2, 0.1, 2.0 * ridge + height]),
        b: cuboid(3.0, 1.0, 1.0),
        X_WB: pose([FRAC_PI_4, 0.0, 0.0], [0.0; 3]),
    };
    for height in [-0.05, -1e-6, 0.0, 0.05] {
        let (witness, c) = pair(height).only_contact(0.1);
        assert!(matches!(witness, Witness::BoxBoxEdges { .. }));
        assert!((c.penetration + height).abs() < TIGHT);
        assert_close(&c.nhat_BA_W, &Vector3::z(), TIGHT);
        assert_close(&c.p_WCa, &Vector3::new(0.2, 0.0, ridge + height), TIGHT);
        assert_close(&c.p_WCb, &Vector3::new(0.2, 0.0, ridge), TIGHT);
        assert!((pair(height).signed_distance() - height).abs() < TIGHT);
    }
}

#[test]
fn standing_on_a_vertex() {
    // The space diagonal of a cube of side 1 is upright.
    let axis = Vector3::new(1.0, -1.0, 0.0).normalize() * (1.0 / 3.0f64.sqrt()).acos();
    let half_diagonal = 0.5 * 3.0f64.sqrt();
    let X_WA = pose(axis.into(), [0.0, 0.0, half_diagonal + 0.49]);
    let pair = Pair::in_b(cuboid(1.0, 1.0, 1.0), X_WA, cuboid(4.0, 4.0, 1.0));
    let (witness, c) = pair.only_contact(0.0);
    assert!(matches!(witness, Witness::BoxBoxFace { .. }));
    assert!((c.penetration - 0.01).abs() < TIGHT);
    assert_close(&c.p_WCa, &Vector3::new(0.0, 0.0, 0.49), TIGHT);
}

#[test]
fn beyond_the_sides_there_is_no_contact_but_a_distance() {
    let beside = |x, y, z| Pair::in_b(cuboid(1.0, 1.0, 1.0), at(x, y, z), cuboid(1.0, 1.0, 1.0));
    // Edge against edge, and vertex against vertex.
    for (pair, distance) in [
        (beside(1.3, 0.2, 1.4), 0.5),
        (beside(1.2, 1.3, 1.6), 0.7),
        (beside(0.2, 0.1, 1.4), 0.4),
    ] {
        assert!((pair.signed_distance() - distance).abs() < TIGHT);
        assert!((pair.swapped().signed_distance() - distance).abs() < TIGHT);
        assert_eq!(pair.contacts(1.0).len(), if distance > 0.4 { 0 } else { 4 });
    }
}

/// Whether a point is in the convex hull of others, which need not be in order.
fn is_in_hull(p: Vector2<f64>, points: &[Vector2<f64>]) -> bool {
    // It is not if all points are on one side of a line through it; try those through the points.
    let mut angles: Vec<f64> = points
        .iter()
        .map(|q| (q.y - p.y).atan2(q.x - p.x))
        .collect();
    angles.sort_by(f64::total_cmp);
    let around = angles[0] + std::f64::consts::TAU;
    let next = angles.iter().copied().skip(1).chain([around]);
    let widest = (angles.iter().zip(next)).fold(0.0, |widest: f64, (a, b)| widest.max(b - a));
    widest <= std::f64::consts::PI
}

proptest! {
    #![proptest_config(cases(400))]

    /// Seen from above, the contact points of boxes that lie flat on each other are the corners of
    /// the intersection of their faces.
    #[test]
    fn contact_points_span_the_overlap(
        size_a in [0.4..1.5, 0.4..1.5],
        size_b in prop_oneof![Just(None), [0.4..1.5, 0.4..1.5].prop_map(Some)],
        yaw in prop_oneof![Just(0.0), Just(FRAC_PI_2), Just(FRAC_PI_4), -3.0..3.0],
        offset in prop_oneof![Just([0.0; 2]), [-0.6..0.6, -0.6..0.6]],
        samples in proptest::collection::vec([-1.0..1.0, -1.0..1.0], 50),
    ) {
        let size_b = size_b.unwrap_or(size_a);
        let X_WA = pose([0.0, 0.0, yaw], [offset[0], offset[1], 0.995]);
        let a = cuboid(size_a[0], size_a[1], 1.0);
        let pair = Pair::in_b(a, X_WA, cuboid(size_b[0], size_b[1], 1.0));
        // Boxes that barely overlap sideways may touch on their sides instead.
        let contacts = pair.contacts(0.1);
        prop_assume!(contacts.iter().all(|(_, c)| c.nhat_BA_W.z > 0.9));
        prop_assert!(contacts.len() <= 8, "{contacts:?}");
        let corners: Vec<_> = contacts.iter().map(|(_, c)| c.p_WCa.xy()).collect();
        for sample in samples {
            let p = Vector3::new(sample[0], sample[1], 0.0);
            let in_a = X_WA.inverse_transform_point(&p);
            let depth = (0.5 * size_b[0] - p.x.abs())
                .min(0.5 * size_b[1] - p.y.abs())
                .min(0.5 * size_a[0] - in_a.x.abs())
                .min(0.5 * size_a[1] - in_a.y.abs());
            if depth.abs() > 1e-6 {
                let in_hull = corners.len() > 2 && is_in_hull(p.xy(), &corners);
                prop_assert_eq!(in_hull, depth > 0.0, "{:?} of {:?}", p, corners);
            }
        }
    }
}

#[test]
fn coincident_boxes_have_a_contact() {
    let size = || cuboid(0.5, 0.6, 0.7);
    for rotation in [[0.0; 3], [0.3, -0.2, 0.1]] {
        let pair = Pair::in_b(size(), pose(rotation, [0.0; 3]), size());
        let c = pair.deepest(0.0).unwrap();
        assert!(c.penetration > 0.4 && pair.signed_distance() < -0.4);
        assert!((c.nhat_BA_W.norm() - 1.0).abs() < TIGHT);
    }
}
