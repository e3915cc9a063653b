//! Boxes with parallel edges that overlap by next to nothing along two axes: contact points stay on the boxes.

use super::oracle::{Noise, nearest_point};
use super::support::*;
use crate::cases::count;
use dualbody::math::rotation;
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::FRAC_PI_2;

#[test]
fn contact_points_stay_on_the_boxes() {
    let quarter_turns = [Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
    let overlaps = [0.0, 1e-16, 1e-14, 1e-12, 1e-10, 4e-10, 2e-9, 1e-8, 1e-3];
    let tilts = [0.0, 1e-15, 1e-12, 1e-10, 1e-9, 3e-8];
    let mut noise = Noise(1);
    let mut pick = |from: &[f64]| from[(noise.next() * from.len() as f64) as usize];
    for case in 0..count(40_000) as usize {
        let mut size = |of: &[f64]| Vector3::from_fn(|_, _| pick(of));
        let (size_a, size_b) = (size(&[1.0, 1.0, 0.5]), size(&[1.0, 1.0, 2.0]));
        let quarter = rotation::exp(&(quarter_turns[case % 4] * FRAC_PI_2));
        let tilt = Vector3::from_fn(|_, _| pick(&tilts) * pick(&[-1.0, 1.0]));
        let R = quarter * rotation::exp(&tilt);
        let half_a = (R.abs() * size_a) * 0.5;
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
            let off = (nearest_point(&pair.a, &pair.X_WA, &c.p_WCa) - c.p_WCa)
                .norm()
                .max((nearest_point(&pair.b, &pair.X_WB, &c.p_WCb) - c.p_WCb).norm());
            assert!(
                off < 1e-6 && c.weight <= 2.0,
                "{off:e} {witness:?} {c:?} {pair:?}"
            );
        }
    }
}
