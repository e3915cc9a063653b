//! Points against shapes: every point is a ball without radius.

use super::support::*;
use dualbody::geometry::Shape;
use nalgebra::Vector3;

fn others() -> [Shape<f64>; 6] {
    [
        sphere(0.5),
        capsule(0.3, 0.8),
        cylinder(0.4, 0.7),
        cuboid(0.6, 0.8, 0.5),
        ellipsoid(0.3, 0.5, 0.4),
        rock(),
    ]
}

#[test]
fn each_point_is_a_small_ball() {
    // The radius of a ball that stands for a point, and what it and the preference of faces change.
    let (tiny, tolerance) = (1e-9, 2e-9);
    let list = [
        [0.3, 0.2, -0.3],
        [-0.1, 0.05, 0.4],
        [0.02, 0.01, -0.03],
        [0.6, -0.5, 0.4],
    ];
    let mut depths = [0, 0];
    for b in others() {
        for k in 0..40 {
            let s = |j: i32| (1.7 * f64::from(k) + 0.9 * f64::from(j)).sin();
            let X_WA = pose(
                [2.0 * s(0), s(1), s(2)],
                [0.3 * s(3), 0.3 * s(4), 0.3 * s(5)],
            );
            let X_WB = pose([s(6), s(7), s(8)], [0.2 * s(9), 0.1, 0.0]);
            let pair = Pair {
                a: points(&list),
                X_WA,
                b: b.clone(),
                X_WB,
            };
            let found = pair.contacts(5.0);
            assert_eq!(found.len(), list.len());
            let mut least = f64::INFINITY;
            for ((_, c), p) in found.iter().zip(list) {
                let center = X_WA.transform_point(&Vector3::from(p));
                let ball = Pair {
                    a: sphere(tiny),
                    X_WA: Pose::new(X_WA.rotation, center),
                    b: b.clone(),
                    X_WB,
                };
                let expected = ball.signed_distance() + tiny;
                assert!(
                    (c.penetration + expected).abs() < tolerance,
                    "{:?} {c:?}",
                    b.kind()
                );
                assert_close(&c.p_WCa, &center, 1e-15);
                assert_close(&(c.p_WCb - c.p_WCa), &(c.nhat_BA_W * c.penetration), 1e-12);
                let apart = Pair {
                    X_WA: Pose::new(X_WA.rotation, center + c.nhat_BA_W * (c.penetration + 0.1)),
                    ..ball
                };
                let distance = apart.signed_distance() + tiny;
                assert!(
                    (distance - 0.1).abs() < 1e-7,
                    "{:?} {distance} {c:?}",
                    b.kind()
                );
                least = least.min(expected);
                depths[usize::from(expected < 0.0)] += 1;
            }
            assert!((pair.signed_distance() - least).abs() < tolerance);
            let swapped = pair.swapped().contacts(5.0);
            for ((_, c), (_, d)) in found.iter().zip(&swapped) {
                assert_close(&c.p_WCa, &d.p_WCb, 1e-15);
                assert_close(&c.nhat_BA_W, &-d.nhat_BA_W, 1e-15);
            }
        }
    }
    assert!(depths.iter().all(|&n| n > 200), "{depths:?}");
}

#[test]
fn points_in_the_middle_have_finite_contacts() {
    for b in others() {
        for X_WA in [Pose::identity(), at(0.0, 0.0, 0.1)] {
            let pair = Pair::in_b(points(&[[0.0; 3]]), X_WA, b.clone());
            let (_, c) = pair.only_contact(0.0);
            assert!(c.penetration > 0.1, "{:?}: {c:?}", b.kind());
            assert!((c.nhat_BA_W.norm() - 1.0).abs() < 1e-12);
        }
    }
}
