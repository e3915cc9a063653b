//! Capsules and cylinders side by side: two points along a line, and a force that does not jump as axes become parallel.

use super::support::*;
use crate::cases::tier;
use dualbody::geometry::{Shape, witnesses};
use nalgebra::{SVector, Vector3};

/// Shapes along z that touch side by side, and the sum of their radii.
fn pairs() -> [(Shape<f64>, Shape<f64>, f64); 5] {
    [
        (capsule(0.1, 0.6), capsule(0.15, 0.8), 0.25),
        (capsule(0.1, 0.6), capsule(0.1, 0.6), 0.2),
        (capsule(0.1, 0.6), cylinder(0.15, 0.8), 0.25),
        (cylinder(0.1, 0.6), cylinder(0.15, 0.8), 0.25),
        (cylinder(0.1, 0.6), cylinder(0.1, 0.6), 0.2),
    ]
}

#[test]
fn parallel_sides_touch_at_the_ends_of_what_they_share() {
    let moved = pose([0.3, -0.4, 0.5], [0.1, 0.2, 0.3]);
    for (a, b, radii) in pairs() {
        let half = |s: &Shape<f64>| match s {
            Shape::Capsule { length, .. } | Shape::Cylinder { length, .. } => 0.5 * length,
            _ => panic!("{s:?}"),
        };
        for shift in [0.0, 0.05, 0.3, -0.4] {
            for depth in [1e-6, 1e-3, 0.05] {
                let X = at(radii - depth, 0.0, shift);
                let pair = Pair::in_b(a.clone(), X, b.clone());
                for pair in [pair.moved(&moved), pair.swapped(), pair] {
                    let contacts = pair.contacts(0.0);
                    assert_eq!(contacts.len(), 2, "{contacts:?} {pair:?}");
                    let z = |p: Vector3<f64>| match pair.X_WB == Pose::identity() {
                        true => Some(p.z),
                        false => None,
                    };
                    let low = (shift - half(&a)).max(-half(&b));
                    let high = (shift + half(&a)).min(half(&b));
                    let mut places: Vec<_> = contacts.iter().map(|(_, c)| z(c.p_WCb)).collect();
                    places.sort_by(|x, y| x.partial_cmp(y).unwrap());
                    for (place, expected) in places.into_iter().zip([low, high]) {
                        assert!(place.is_none_or(|z| (z - expected).abs() < 1e-14));
                    }
                    for (_, c) in contacts {
                        assert!((c.penetration - depth).abs() < 1e-14 && c.weight == 1.0);
                    }
                    if depth == 1e-3 && shift < 0.1 {
                        super::singular::check_in_both_orders(&pair);
                    }
                }
            }
        }
    }
}

#[test]
fn axes_that_coincide_are_a_kink() {
    for (a, b) in [
        (capsule(0.0625, 0.125), cylinder(0.125, 0.25)),
        (cylinder(0.1, 0.6), cylinder(0.15, 0.8)),
    ] {
        let X = Pose::identity();
        let margin = witnesses(&a, &X, &b, &X, 0.0, &mut Vec::new()).unwrap();
        assert!(margin < 1e-12, "{margin}");
    }
}

#[test]
fn crossed_sides_touch_in_one_point() {
    for (a, b, radii) in pairs() {
        for angle in [0.3, 0.8, 1.2, 2.5] {
            let X = pose([angle, 0.0, 0.0], [radii - 1e-4, 0.02, 0.1]);
            let contacts = Pair::in_b(a.clone(), X, b.clone()).contacts(0.0);
            let [(_, c)] = contacts[..] else {
                panic!("{contacts:?}")
            };
            assert!((c.penetration - 1e-4).abs() < 1e-15 && c.weight == 1.0);
        }
    }
}

/// Force and moment of unit stiffness, in parts of what the depth would give.
fn load(pair: &Pair, depth: f64) -> SVector<f64, 6> {
    pair.contacts(0.0)
        .iter()
        .fold(SVector::zeros(), |sum, (_, c)| {
            let force = c.nhat_BA_W * (c.weight * c.penetration / depth);
            let moment = c.p_WCa.cross(&force);
            sum + SVector::from_iterator(force.iter().chain(moment.iter()).copied())
        })
}

#[test]
fn the_force_is_continuous_as_axes_become_parallel() {
    // About the line between the axes, towards each other, along the axes, and all of these.
    let ways = [
        ([1.0, 0.0, 0.0], 0.0),
        ([0.0, 1.0, 0.0], 0.0),
        ([0.0, 0.0, 0.0], 1.0),
        ([1.0, 0.4, 0.0], 0.3),
        ([-0.3, 1.0, 0.2], -0.5),
    ];
    for (a, b, radii) in pairs() {
        for depth in [1e-4, 0.01] {
            for shift in [0.0, 0.1] {
                for (turn, slide) in ways.into_iter().step_by(tier(2, 1)) {
                    let state = |s: f64| {
                        let X = pose(turn.map(|w| w * s), [radii - depth, 0.0, shift + slide * s]);
                        Pair::in_b(a.clone(), X, b.clone())
                    };
                    let largest = |steps: i32, range: f64| {
                        let step =
                            |k: i32| load(&state(range * f64::from(k) / f64::from(steps)), depth);
                        let change = |k: i32| (step(k + 1) - step(k)).norm();
                        (-steps..steps).map(change).fold(0.0, f64::max)
                    };
                    // Until the ends have lifted off.
                    let range = (2.0 * radii * depth).sqrt();
                    let (coarse, fine) = (largest(10, range), largest(150, range));
                    let about = format!("{coarse} {fine} {:?} {turn:?} {slide}", state(0.0));
                    // Nothing is of the size of a contact that appears, and steps shrink with their number.
                    assert!(fine < 0.2 && fine < 0.2 * coarse + 1e-6, "{about}");
                }
            }
        }
    }
}

/// Where ends are nearly flush, a tilt decides which of them is on the side of the other shape, or none is.
#[test]
fn the_force_is_continuous_where_ends_are_flush() {
    let depth = 1e-3;
    for (a, b, radii) in [
        (capsule(0.1, 0.6), cylinder(0.2, 0.4), 0.3),
        (cylinder(0.2, 0.4), capsule(0.1, 0.6), 0.3),
        (capsule(0.1, 0.6), capsule(0.2, 0.4), 0.3),
        (cylinder(0.1, 0.6), cylinder(0.2, 0.4), 0.3),
    ] {
        for turn in [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.2, 1.0, 0.1]] {
            for k in (-20..=20).step_by(tier(4, 1)) {
                let off = 0.1 + 2e-5 * f64::from(k);
                let at = |angle: f64| {
                    let X = pose(turn.map(|w| w * angle), [radii - depth, 0.0, off]);
                    let pair = Pair::in_b(a.clone(), X, b.clone());
                    load(&pair, depth)
                };
                let step = 2e-5;
                for j in 0..100 {
                    let angle = step * f64::from(j);
                    let change = (at(angle + step) - at(angle)).norm();
                    assert!(
                        change < 0.05,
                        "{change} at {angle} of {turn:?}, {off}: {a:?} {b:?}"
                    );
                }
            }
        }
    }
}

/// The contact of an edge along a side goes from one end to the other as they become parallel: a change that is near.
#[test]
fn an_edge_along_a_side_is_near_a_change() {
    let edge = 0.1 * 2f64.sqrt();
    for (side, radius) in [(capsule(0.1, 0.6), 0.1), (cylinder(0.1, 0.6), 0.1)] {
        for tilt in [-1e-9, -1e-12, 0.0, 1e-12, 1e-9] {
            let turned = pose([0.0, 0.0, std::f64::consts::FRAC_PI_4], [0.0; 3]);
            let X = pose([0.0, tilt, 0.0], [radius + edge - 1e-3, 0.0, 0.0]) * turned;
            let block = cuboid(0.2, 0.2, 0.5);
            let margin = witnesses(&block, &X, &side, &Pose::identity(), 0.0, &mut Vec::new());
            let margin = margin.unwrap();
            assert!(margin < 1e-9, "{tilt}: {margin}");
        }
    }
}
