//! Boxes with parallel edges that overlap by next to nothing along two axes: contact points stay on the boxes.

use super::support::*;
use dualbody::geometry::Shape;
use dualbody::math::rotation;
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::FRAC_PI_2;

/// How far a point is outside a box.
fn outside(shape: &Shape<f64>, X: &Pose, p_W: &Vector3<f64>) -> f64 {
    let Shape::Box { size, .. } = shape else {
        panic!("{shape:?}");
    };
    let p = X.inverse_transform_point(p_W);
    p.zip_map(size, |p, size| p.abs() - 0.5 * size).max()
}

#[test]
fn contact_points_stay_on_the_boxes() {
    let quarter_turns = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
    let overlaps = [0.0, 1e-16, 1e-14, 1e-12, 1e-10, 4e-10, 2e-9, 1e-8, 1e-3];
    let tilts = [0.0, 1e-15, 1e-12, 1e-10, 1e-9, 3e-8];
    let mut state = 1_u64;
    let mut pick = |from: &[f64]| {
        state = (state.wrapping_mul(6364136223846793005)).wrapping_add(1442695040888963407);
        from[(state >> 33) as usize % from.len()]
    };
    for case in 0..40_000 {
        let size_b = [1.0, 1.0, 1.0].map(|x| x * pick(&[1.0, 1.0, 2.0]));
        let size_a = [1.0, 1.0, 1.0].map(|x| x * pick(&[1.0, 1.0, 0.5]));
        let quarter = rotation::exp(&(quarter_turns[case % 4] * FRAC_PI_2));
        let tilt = Vector3::from_fn(|_, _| pick(&tilts) * pick(&[-1.0, 1.0]));
        let R = quarter * rotation::exp(&tilt);
        let half_a = (R.abs() * Vector3::from(size_a)) * 0.5;
        let along = Vector3::from_fn(|k, _| {
            let touching = half_a[k] + 0.5 * size_b[k];
            let apart = touching - pick(&overlaps) * pick(&[-1.0, 1.0]);
            apart * pick(&[-1.0, 1.0])
        });
        let pair = Pair {
            a: cuboid(size_a[0], size_a[1], size_a[2]),
            X_WA: Pose::new(R, along),
            b: cuboid(size_b[0], size_b[1], size_b[2]),
            X_WB: Pose::new(Matrix3::identity(), Vector3::zeros()),
        };
        let contacts = pair.contacts(1e-7);
        if pair.signed_distance() < -1e-15 {
            assert!(!contacts.is_empty(), "{pair:?}");
        }
        for (witness, c) in contacts {
            let off =
                outside(&pair.a, &pair.X_WA, &c.p_WCa).max(outside(&pair.b, &pair.X_WB, &c.p_WCb));
            assert!(
                off < 1e-6 && c.weight <= 2.0,
                "{off:e} {witness:?} {c:?} {pair:?}"
            );
        }
    }
}
