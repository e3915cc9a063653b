//! Height fields: flat ones against half spaces, others against closed forms and the prisms below their triangles.

use super::oracle::Noise;
use super::support::*;
use crate::cases::tier;
use dualbody::geometry::{
    ContactPoint, FieldFeature, GeometryError, HeightField, Shape, Witness, is_supported,
    signed_distance, witnesses,
};
use nalgebra::{Vector2, Vector3};
use num_dual::Dual64;
use std::f64::consts::FRAC_PI_2;

fn shapes() -> [Shape<f64>; 7] {
    [
        sphere(0.3),
        capsule(0.15, 0.6),
        cylinder(0.2, 0.5),
        cuboid(0.4, 0.5, 0.3),
        ellipsoid(0.3, 0.2, 0.25),
        rock(),
        points(&[[0.1, 0.2, -0.3], [-0.1, 0.0, 0.4], [0.3, 0.1, 0.2]]),
    ]
}

/// Some number in −1 … 1 for each argument.
fn noise(k: f64) -> f64 {
    (12.9898 * k + 1.3).sin() * 43758.5453 % 1.0
}

fn some_pose(k: usize, reach: f64) -> Pose {
    let at = |j: usize| noise((7 * k + j) as f64);
    pose(
        [3.0 * at(0), 3.0 * at(1), 3.0 * at(2)],
        [reach * at(3), reach * at(4), 0.6 * at(5)],
    )
}

/// That two lists have the same contacts, in any order.
fn assert_same(found: &[ContactPoint<f64>], expected: &[ContactPoint<f64>], what: &str) {
    assert_eq!(
        found.len(),
        expected.len(),
        "{what}: {found:?} {expected:?}"
    );
    for c in expected {
        let is_same = |d: &ContactPoint<f64>| {
            (c.penetration - d.penetration).abs() < 1e-12
                && (c.weight - d.weight).abs() < 1e-9
                && (c.nhat_BA_W - d.nhat_BA_W).norm() < 1e-12
                && (c.p_WCa - d.p_WCa).norm() < 1e-9
                && (c.p_WCb - d.p_WCb).norm() < 1e-9
        };
        assert!(found.iter().any(is_same), "{what}: {c:?} in {found:?}");
    }
}

fn contacts(pair: &Pair, margin: f64) -> Vec<ContactPoint<f64>> {
    pair.contacts(margin).into_iter().map(|(_, c)| c).collect()
}

#[test]
fn a_plane_field_is_a_half_space() {
    let moved = pose([0.3, -0.2, 1.1], [0.4, 0.1, -0.2]);
    let mut count = 0;
    for slope in [Vector2::zeros(), Vector2::new(0.4, -0.3)] {
        let field = field(33, 29, [0.25, 0.3], |x, y| slope.x * x + slope.y * y);
        let normal = Vector3::new(-slope.x, -slope.y, 1.0).normalize();
        let turn = Vector3::z().cross(&normal);
        let angle = turn.norm().asin();
        let turn = turn.try_normalize(0.0).unwrap_or_default() * angle;
        let plane = pose(turn.into(), [0.0; 3]);
        for a in shapes() {
            for k in 0..60 {
                let mut X_WA = some_pose(k, 0.7);
                if k % 4 == 0 {
                    // Flat on the plane, or nearly, with its origin above a vertex or an edge.
                    let tilt = [0.0, 1e-4][k / 4 % 2];
                    X_WA = pose([tilt, 0.0, 0.0], [0.25, 0.3 * (k % 3) as f64, 0.1]);
                }
                let on_field = Pair {
                    a: a.clone(),
                    X_WA: moved * X_WA,
                    b: field.clone(),
                    X_WB: moved,
                };
                let on_plane = Pair {
                    b: Shape::HalfSpace,
                    X_WB: moved * plane,
                    ..on_field.clone()
                };
                for margin in [0.0, 0.2] {
                    let expected = contacts(&on_plane, margin);
                    count += expected.len();
                    let what = format!("{:?} {k} {margin}", a.kind());
                    assert_same(&contacts(&on_field, margin), &expected, &what);
                    let swapped: Vec<_> = expected.iter().map(swapped).collect();
                    assert_same(&contacts(&on_field.swapped(), margin), &swapped, &what);
                }
                let difference = on_field.signed_distance() - on_plane.signed_distance();
                assert!(difference.abs() < 1e-12, "{:?}: {difference}", a.kind());
            }
        }
    }
    assert!(count > 1000, "{count}");
}

fn swapped(c: &ContactPoint<f64>) -> ContactPoint<f64> {
    ContactPoint {
        p_WCa: c.p_WCb,
        p_WCb: c.p_WCa,
        nhat_BA_W: -c.nhat_BA_W,
        ..*c
    }
}

#[test]
fn a_ball_meets_no_edge_of_a_flat_field() {
    let field = field(9, 9, [0.1, 0.1], |_, _| 0.0);
    // Along edges, over vertices, and across all of them.
    for way in [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.37]] {
        for k in 0..=600 {
            let t = f64::from(k) * 1e-3 - 0.3;
            let center = at(way[0] * t, way[1] * t, 0.0499);
            let pair = Pair::in_b(sphere(0.05), center, field.clone());
            let (_, c) = pair.only_contact(0.0);
            assert!((c.penetration - 1e-4).abs() < 1e-16, "{c:?}");
            assert_eq!(c.nhat_BA_W, Vector3::z());
        }
    }
}

#[test]
fn a_ball_in_a_valley_touches_both_sides_and_on_a_ridge_its_edge() {
    let (slope, r) = (0.75, 0.2);
    let up = Vector3::new(-slope, 0.0, 1.0).normalize();
    let valley = field(11, 5, [0.2, 0.3], |x, _| slope * x.abs());
    let pair = Pair::in_b(sphere(r), at(0.01, 0.1, 0.24), valley);
    let found = pair.contacts(0.0);
    assert_eq!(found.len(), 2, "{found:?}");
    for (_, c) in &found {
        let side = if c.nhat_BA_W.x < 0.0 { 1.0 } else { -1.0 };
        let normal = Vector3::new(side * up.x, 0.0, up.z);
        let distance = normal.dot(&pair.X_WA.translation) - r;
        assert_close(&c.nhat_BA_W, &normal, 1e-15);
        assert!((c.penetration + distance).abs() < 1e-15);
    }
    // Above the edge, and where one of the faces takes over.
    let ridge = field(11, 5, [0.2, 0.3], |x, _| -slope * x.abs());
    for x in [0.0, 0.05, 0.1, 0.11, 0.119, 0.121, 0.15, 0.3] {
        let pair = Pair::in_b(sphere(r), at(x, 0.1, 0.16), ridge.clone());
        let (witness, c) = pair.only_contact(1.0);
        let is_edge = 0.16 * slope > x;
        let normal = match is_edge {
            true => Vector3::new(x, 0.0, 0.16).normalize(),
            false => Vector3::new(slope, 0.0, 1.0).normalize(),
        };
        assert_close(&c.nhat_BA_W, &normal, 1e-15);
        let distance = normal.dot(&pair.X_WA.translation) - r;
        assert!((c.penetration + distance).abs() < 1e-15, "{x}: {c:?}");
        let Witness::HeightFieldPlane { feature, .. } = witness else {
            panic!("{witness:?}");
        };
        assert_eq!(matches!(feature, FieldFeature::Edge(_)), is_edge);
    }
    // Under the ridge the nearer side pushes, under the valley its edge pushes up.
    let pair = Pair::in_b(sphere(r), at(0.05, 0.1, -0.3), ridge);
    assert!(pair.only_contact(0.0).1.nhat_BA_W.x > 0.5);
    let valley = field(11, 5, [0.2, 0.3], |x, _| slope * x.abs());
    let pair = Pair::in_b(sphere(r), at(0.02, 0.1, -0.3), valley);
    let (_, c) = pair.only_contact(0.0);
    assert_close(
        &c.nhat_BA_W,
        &Vector3::new(-0.02, 0.0, 0.3).normalize(),
        1e-15,
    );
    assert!((c.penetration - r - 0.3_f64.hypot(0.02)).abs() < 1e-15);
}

#[test]
fn a_box_lies_on_a_ridge_and_a_capsule_across_it() {
    let ridge = field(11, 2, [0.2, 1.0], |x, _| -0.5 * x.abs());
    let tilt = pose([0.0, 0.1, 0.0], [0.05, 0.0, 0.144]);
    let found = Pair::in_b(cuboid(0.4, 0.5, 0.3), tilt, ridge.clone()).contacts(0.0);
    assert_eq!(found.len(), 2, "{found:?}");
    let normal = tilt.rotation.column(2).into_owned();
    let depth = 0.15 - normal.dot(&tilt.translation);
    for (_, c) in &found {
        assert_close(&c.nhat_BA_W, &normal, 1e-12);
        assert!((c.penetration - depth).abs() < 1e-12, "{c:?} {depth}");
        assert!((c.p_WCb.y.abs() - 0.25).abs() < 1e-12, "{c:?}");
    }
    let lying = pose([0.0, std::f64::consts::FRAC_PI_2, 0.0], [0.0, 0.1, 0.09]);
    let (_, c) = Pair::in_b(capsule(0.1, 0.6), lying, ridge).only_contact(0.0);
    assert!((c.penetration - 0.01).abs() < 1e-12 && (c.nhat_BA_W.z - 1.0).abs() < 1e-12);
}

/// A straight ridge is one edge: what lies along it or on it where two of its edges meet touches no more there than
/// beside.
#[test]
fn a_vertex_within_a_straight_ridge_is_no_corner() {
    let ridge = field(5, 5, [0.5, 0.5], |x, _| -0.25 * x.abs());
    let along = |tilt: f64, y: f64| pose([FRAC_PI_2 + tilt, 0.0, 0.0], [0.0, y, 0.06]);
    for shape in [capsule(0.0625, 0.125), capsule(0.0625, 0.8)] {
        for tilt in [0.0, 1e-10, 1e-7, -1e-5] {
            for y in [0.0, 0.02] {
                let pair = Pair::in_b(shape.clone(), along(tilt, y), ridge.clone());
                let found = contacts(&pair, 0.01);
                assert_eq!(found.len(), 2, "{tilt} {y}: {found:?}");
            }
        }
    }
    let shape = ellipsoid(0.25, 0.1875, 0.125);
    for height in [0.124, 0.125, 0.126] {
        for y in [0.0, 1e-16, -1e-14, 1e-12, 1e-10, -1e-7, 0.01, -0.1] {
            let pair = Pair::in_b(shape.clone(), at(0.0, y, height), ridge.clone());
            let found = contacts(&pair, 0.01);
            assert_eq!(found.len(), 1, "{height} {y}: {found:?}");
        }
    }
}

/// However many peaks it lies on, a capsule touches each of them once.
#[test]
fn a_row_of_peaks_has_a_contact_on_each() {
    for count in [3, 8, 9, 14] {
        let row = field(2 * count + 3, 5, [0.25, 0.25], |x, y| {
            let is_within = x.abs() < 0.25 * count as f64;
            let is_peak = (4.0 * x + count as f64 - 1.0) % 2.0 == 0.0;
            if is_within && is_peak && y == 0.0 {
                0.125
            } else {
                0.0
            }
        });
        let lying = pose([0.0, FRAC_PI_2, 0.0], [0.0, 0.0, 0.1865]);
        let pair = Pair::in_b(capsule(0.0625, 0.5 * count as f64), lying, row);
        assert_eq!(contacts(&pair, 0.0).len(), count);
    }
}

/// Where a contact with an edge comes and goes as a body turns, and where a body is as deep below one face as below
/// another, features change.
#[test]
fn changes_at_edges_and_of_the_deepest_point_are_foreseen() {
    let change = |shape: &Shape<f64>, z: f64, field: &Shape<f64>| {
        let mut found = Vec::new();
        let margin = witnesses(
            shape,
            &at(0.0, 0.0, z),
            field,
            &at(0.0, 0.0, 0.0),
            0.0,
            &mut found,
        );
        assert!(!found.is_empty());
        margin.unwrap()
    };
    let ridge = field(5, 5, [0.5, 0.5], |x, _| -0.25 * x.abs());
    let peak = field(5, 5, [0.5, 0.5], |x, y| -0.25 * (x.abs() + y.abs()));
    // Two of the faces beside each edge are level with the side of the box.
    assert!(change(&cuboid(0.25, 0.25, 0.25), 0.0625, &peak) < 1e-12);
    let shape = ellipsoid(0.25, 0.1875, 0.125);
    assert!(change(&shape, -0.125, &ridge) < 1e-12);
    assert!(change(&shape, -0.125, &peak) < 1e-12);
    // On the flat all faces have the same deepest point.
    let flat = field(5, 5, [0.5, 0.5], |_, _| 0.0);
    assert!(change(&shape, -0.3, &flat) > 0.1);
}

/// A tilted cylinder whose lowest point is under a crease touches both sides, as much as it would touch one.
#[test]
fn a_rim_under_a_crease_touches_both_sides() {
    let tilt = std::f64::consts::FRAC_PI_4;
    // Of a cylinder of radius 0.07 and length 0.03 that is turned so far about y.
    let lowest = Vector3::new(0.07 - 0.015, 0.0, -0.07 - 0.015) * tilt.sin();
    for slope in [0.01, 0.3, 0.9] {
        let valley = field(21, 21, [0.1, 0.1], |x, _| slope * x.abs());
        let cosine = 1.0 / f64::hypot(1.0, slope);
        let sunk = |x: f64, depth: f64| {
            let X_WA = pose([0.0, tilt, 0.0], [x - lowest.x, 0.013, -depth - lowest.z]);
            Pair::in_b(cylinder(0.07, 0.03), X_WA, valley.clone())
        };
        for depth in [1e-6, 1e-4, 1e-3, 5e-3] {
            let pair = sunk(0.0, depth);
            assert!((pair.signed_distance() + depth * cosine).abs() < 1e-12);
            let touching = contacts(&pair, 0.0);
            let is_lowest = |c: &&ContactPoint<f64>| (c.penetration - depth * cosine).abs() < 1e-12;
            let weights: Vec<f64> = (touching.iter().filter(is_lowest))
                .map(|c| c.weight)
                .collect();
            assert_eq!(weights.len(), 2, "{slope} {depth}: {touching:?}");
            weights
                .iter()
                .for_each(|w| assert!((w - 0.5).abs() < 1e-6, "{w}"));
        }
        // Weights have the derivatives of differences, along x.
        let weights = |x: f64| -> Vec<f64> {
            let touching = contacts(&sunk(x, 1e-3), 0.0);
            (touching.iter().filter(|c| c.weight < 0.9))
                .map(|c| c.weight)
                .collect()
        };
        let (pair, h) = (sunk(0.0, 1e-3), 1e-7 * slope);
        let [more, less] = [h, -h].map(weights);
        let mut X_WA = pair.X_WA.cast::<Dual64>();
        X_WA.translation.x.eps = 1.0;
        let (a, b, X_WB) = (pair.a.cast(), pair.b.cast(), pair.X_WB.cast());
        let lifted: Vec<Dual64> = (pair.witnesses(0.0).into_iter())
            .map(|witness| witness.contact_point(&a, &X_WA, &b, &X_WB).unwrap().weight)
            .filter(|weight| weight.re < 0.9)
            .collect();
        assert!(lifted.len() == 2 && more.len() == 2 && less.len() == 2);
        for ((weight, more), less) in lifted.iter().zip(&more).zip(&less) {
            let expected = (more - less) / (2.0 * h);
            assert!(expected.abs() > 100.0 && (weight.eps / expected - 1.0).abs() < 1e-5);
        }
        // The force of a spring is continuous from one side to the other.
        let force = |x: f64| -> Vector3<f64> {
            let touching = contacts(&sunk(x, 1e-3), 0.0);
            (touching.iter())
                .map(|c| c.nhat_BA_W * (c.weight * c.penetration))
                .sum()
        };
        let steps = 400;
        let x = |k: i32| 4e-3 * slope * f64::from(k) / f64::from(steps);
        for k in -steps..steps {
            let (here, next) = (force(x(k)), force(x(k + 1)));
            assert!(
                (next - here).norm() < 0.05 * here.norm(),
                "{slope} {}: {here:?} {next:?}",
                x(k)
            );
        }
    }
}

/// The shortest way off an edge of the grid is past its end, but the ridge goes on there.
#[test]
fn an_edge_across_a_ridge_touches_beside_vertices() {
    let ridge = field(41, 41, [0.1, 0.1], |x, _| 0.5 * (0.3 - x.abs()).max(0.0));
    for k in -20..20 {
        let along = 0.01 * f64::from(k);
        let height = 0.15 - 0.01 + 0.025 * 2_f64.sqrt();
        let X_WA = pose(
            [std::f64::consts::FRAC_PI_4, 0.0, 0.0],
            [0.003, along, height],
        );
        let pair = Pair::in_b(cuboid(0.3, 0.05, 0.05), X_WA, ridge.clone());
        assert!((pair.signed_distance() + 0.01).abs() < 1e-12, "{along}");
        assert_close(&pair.only_contact(0.0).1.nhat_BA_W, &Vector3::z(), 1e-12);
    }
}

/// Flat shapes in ground that is rough beside them always have a way out.
#[test]
fn what_is_deep_in_rough_ground_is_pushed_out() {
    let height =
        |x: f64, y: f64| (7.0 * (10.0 * y).round() + 13.0 * (10.0 * x).round()).rem_euclid(5.0);
    let ground = field(41, 41, [0.1, 0.1], |x, y| 0.02 * height(x, y));
    for shape in [ellipsoid(0.1, 0.06, 0.03), cylinder(0.07, 0.03)] {
        for k in 0..tier(80, 400) {
            let mut X_WA = some_pose(k, 0.3);
            X_WA.translation.z = -0.1 + 0.1 * noise(k as f64 + 0.5);
            let pair = Pair::in_b(shape.clone(), X_WA, ground.clone());
            let distance = pair.signed_distance();
            assert!(distance < -0.01, "{k} {X_WA:?}: {distance}");
        }
    }
}

/// What is under each triangle, far down, in a frame below it that keeps coordinates small.
fn prisms(field: &HeightField<f64>) -> Vec<Shape<f64>> {
    let at = |c: usize, r: usize| {
        let half = |n: usize| 0.5 * (n - 1) as f64;
        let (x, y) = (
            c as f64 - half(field.columns()),
            r as f64 - half(field.rows()),
        );
        let height = field.heights()[r * field.columns() + c];
        [x * field.spacing().x, y * field.spacing().y, height]
    };
    let mut list = Vec::new();
    for r in 0..field.rows() - 1 {
        for c in 0..field.columns() - 1 {
            for corners in [
                [at(c, r), at(c + 1, r), at(c + 1, r + 1)],
                [at(c, r), at(c + 1, r + 1), at(c, r + 1)],
            ] {
                let below = corners.map(|[x, y, _]| [x, y, -2.0]);
                list.push(convex(&[corners, below].concat()));
            }
        }
    }
    list
}

#[test]
fn shapes_apart_are_as_far_from_the_field_as_from_the_prisms_under_it() {
    let hills = rough(11, 10, [0.3, 0.3], 0.2);
    let Shape::HeightField { field, .. } = &hills else {
        panic!();
    };
    let prisms = prisms(field);
    let (mut compared, mut touching) = (0, 0);
    for a in shapes() {
        for k in 0..30 {
            let mut X_WA = some_pose(k, 0.6);
            X_WA.translation.z = 0.1 + 1.0 * X_WA.translation.z.abs();
            let pair = Pair::in_b(a.clone(), X_WA, hills.clone());
            let of_prism =
                |prism: &Shape<f64>| signed_distance(&a, &X_WA, prism, &Pose::identity()).unwrap();
            let expected = prisms.iter().map(of_prism).fold(f64::INFINITY, f64::min);
            let distance = pair.signed_distance();
            touching += usize::from(expected < 0.0);
            if expected > 1e-9 {
                let error = (distance - expected).abs();
                assert!(error < 1e-9, "{:?} {k}: {distance} {expected}", a.kind());
                compared += 1;
            } else {
                assert!(
                    distance <= 1e-9,
                    "{:?} {k}: {distance} {expected}",
                    a.kind()
                );
                assert!(!pair.contacts(0.0).is_empty());
            }
        }
    }
    assert!(compared > 70 && touching > 30, "{compared} {touching}");
}

/// Ridges that are thinner than the shapes, whose points may be below the plane of a face on the other side.
#[test]
fn what_is_round_and_above_steep_ground_does_not_touch_it() {
    let mut noise = Noise(5);
    let mut compared = 0;
    for k in 0..1600 {
        let height = |_| match noise.next() < 0.2 {
            true => 0.0,
            false => 1.5 * (2.0 * noise.next() - 1.0),
        };
        let heights = (0..16).map(height).collect();
        let field = HeightField::new(4, heights, Vector2::new(0.5, 0.7)).unwrap();
        let [a, b, c, x, y, z] = [(); 6].map(|()| noise.next());
        let shape = match k % 4 {
            0 => ellipsoid(0.05 + 0.3 * a, 0.05 + 0.3 * b, 0.05 + 0.3 * c),
            _ => cylinder(0.05 + 0.15 * a, 0.05 + 0.6 * b),
        };
        let (x, y) = (0.3 * (2.0 * x - 1.0), 0.4 * (2.0 * y - 1.0));
        let z = field.height_at(x, y).unwrap() + 0.1 + 0.5 * z;
        let turn = match k % 3 {
            0 => noise.direction() * 2.0,
            _ => Vector3::zeros(),
        };
        let X_WA = pose(turn.into(), [x, y, z]);
        let of_prism =
            |prism: &Shape<f64>| signed_distance(&shape, &X_WA, prism, &Pose::identity()).unwrap();
        let expected = (prisms(&field).iter().map(of_prism)).fold(f64::INFINITY, f64::min);
        if expected < 1e-6 {
            continue;
        }
        compared += 1;
        let pair = Pair::in_b(shape.clone(), X_WA, field.into());
        assert!(contacts(&pair, 0.0).is_empty(), "{expected} {pair:?}");
        let found = signed_distance(&pair.a, &X_WA, &pair.b, &pair.X_WB).unwrap();
        assert!(
            (found - expected).abs() < 1e-7,
            "{found} {expected} {pair:?}"
        );
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn nothing_changes_within_the_feature_margin() {
    let hills = rough(7, 6, [0.3, 0.25], 0.05);
    let mut moved = 0;
    for k in 0..60 {
        for a in [sphere(0.3), points(&[[0.0; 3]])] {
            let mut X_WA = some_pose(k, 0.6);
            X_WA.translation.z = 0.25 * noise(k as f64);
            let mut before = Vec::new();
            let margin = witnesses(&a, &X_WA, &hills, &Pose::identity(), 0.1, &mut before).unwrap();
            if !(margin.is_finite() && margin > 1e-9) || before.len() != 1 {
                continue;
            }
            for way in 0..6 {
                let mut X = X_WA;
                X.translation[way / 2] += 0.9 * margin * if way % 2 == 0 { 1.0 } else { -1.0 };
                let mut after = Vec::new();
                witnesses(&a, &X, &hills, &Pose::identity(), 1.0, &mut after).unwrap();
                assert!(after.contains(&before[0]), "{k}: {before:?} {after:?}");
                moved += 1;
            }
        }
    }
    assert!(moved > 100, "{moved}");
    // On the edge of a valley, where the other side of it takes over from below, the margin is zero.
    let valley = field(11, 5, [0.2, 0.3], |x, _| x.abs());
    let pose = at(0.0, 0.1, -0.1);
    let mut found = Vec::new();
    let ridge = field_upside_down(&valley);
    let margin = witnesses(
        &sphere(0.2),
        &pose,
        &ridge,
        &Pose::identity(),
        0.0,
        &mut found,
    );
    assert!(margin.unwrap() < 1e-12 && found.len() == 1);
}

/// A ball that is deep in a valley touches its other side when its centre comes above that, all at once.
#[test]
fn the_margin_ends_where_a_ball_comes_above_the_other_side_of_a_valley() {
    let (slope, r, depth) = (0.05, 0.05, 1e-3);
    let valley = field(3, 3, [0.5, 0.5], |x, _| slope * x.abs());
    let cosine = (1.0 + slope * slope).sqrt().recip();
    // Above the left side, at a distance from where the right one begins.
    let at_way = |way: f64| {
        let sine = slope * cosine;
        let across = (r - depth) * (2.0 * slope).atan2(1.0 - slope * slope).tan() + way;
        let foot = Vector3::new(-across * cosine, 0.1, across * sine);
        let center = foot + Vector3::new(sine, 0.0, cosine) * (r - depth);
        let mut found = Vec::new();
        let pose = at(center.x, center.y, center.z);
        let margin = witnesses(
            &sphere(r),
            &pose,
            &valley,
            &Pose::identity(),
            0.0,
            &mut found,
        );
        (found.len(), margin.unwrap())
    };
    for way in [1e-3, 1e-6, 1e-9] {
        let (count, margin) = at_way(way);
        assert!(
            count == 1 && margin > 0.2 * way && margin < way,
            "{way}: {count} {margin}"
        );
        let (count, margin) = at_way(-way);
        assert!(
            count == 2 && margin > 0.2 * way && margin < way,
            "{way}: {count} {margin}"
        );
    }
}

fn field_upside_down(shape: &Shape<f64>) -> Shape<f64> {
    let mut shape = shape.clone();
    shape.visit_parameters("", &mut |p| {
        if p.name.to_string().contains("heights") {
            *p.value = -*p.value;
        }
    });
    shape
}

#[test]
fn pairs_that_make_no_sense_are_refused() {
    let hills = rough(4, 4, [0.3, 0.25], 0.05);
    for other in [Shape::HalfSpace, hills.clone()] {
        assert!(!is_supported(hills.kind(), other.kind()));
        let error = signed_distance(&hills, &at(0., 0., 0.), &other, &at(0., 0., 0.)).unwrap_err();
        assert!(
            matches!(error, GeometryError::UnsupportedPair { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("height field"), "{error}");
    }
    for (columns, heights, spacing) in [
        (1, vec![0.0; 4], [1.0, 1.0]),
        (4, vec![0.0; 4], [1.0, 1.0]),
        (3, vec![0.0; 8], [1.0, 1.0]),
        (2, vec![0.0, 0.0, f64::NAN, 0.0], [1.0, 1.0]),
        (2, vec![0.0; 4], [0.0, 1.0]),
        (2, vec![0.0; 4], [1.0, f64::INFINITY]),
    ] {
        let made = HeightField::new(columns, heights.clone(), spacing.into());
        assert!(made.is_err(), "{columns} {heights:?} {spacing:?}");
    }
    let mut hills = hills;
    hills.visit_parameters("", &mut |p| *p.value = f64::NAN);
    assert!(hills.validate().is_err());
}

#[test]
fn bodies_move_on_a_flat_field_as_on_a_plane() {
    use dualbody::prelude::*;
    let material = ContactMaterial::new(1e5, 0.5, 0.3).unwrap();
    let flat = field(31, 31, [0.13, 0.11], |_, _| 0.0);
    for shape in [sphere(0.1), cuboid(0.2, 0.3, 0.1), cylinder(0.1, 0.3)] {
        let run = |ground: &Shape<f64>| {
            let system = SystemBuilder::new()
                .fixed("ground", ground.clone(), Pose::identity(), material)
                .free_body("body", shape.clone(), 1.0, material)
                .compliant(1e-3)
                .unwrap();
            let mut start = system.initial_state();
            let above = Vector3::new(-0.6, 0.05, 0.12);
            system.set_body_position(&mut start, "body", above).unwrap();
            let velocity = [1.0, 8.0, 0.5, 2.0, 0.3, 0.0];
            for (v, x) in start.v.iter_mut().zip(velocity) {
                *v = x;
            }
            let rollout = system.rollout(&start, 600).unwrap();
            let end = rollout.last();
            end.q
                .iter()
                .chain(end.v.iter())
                .copied()
                .collect::<Vec<f64>>()
        };
        let (on_field, on_plane) = (run(&flat), run(&Shape::HalfSpace));
        assert!(on_plane[4] > -0.3, "it has passed many edges: {on_plane:?}");
        for (x, y) in on_field.iter().zip(&on_plane) {
            let difference = (x - y).abs();
            assert!(difference < 1e-9, "{shape:?}: {on_field:?} {on_plane:?}");
        }
    }
}

/// A search of all of its million cells, for each of these poses, would take minutes.
#[test]
fn a_large_field_costs_what_is_near() {
    let field = field(1000, 1000, [0.1, 0.1], |x, y| 0.02 * x - 0.01 * y);
    let mut pair = Pair::in_b(cuboid(0.4, 0.5, 0.3), Pose::identity(), field);
    let mut found = 0;
    for k in 0..2000 {
        pair.X_WA = some_pose(k, 40.0);
        let p = pair.X_WA.translation;
        pair.X_WA.translation.z = 0.02 * p.x - 0.01 * p.y + 0.2;
        let lowest = pair.deepest(0.1).map(|c| c.penetration);
        if let Some(depth) = lowest {
            assert!((pair.signed_distance() + depth).abs() < 1e-12);
            found += 1;
        }
    }
    assert!(found > 1500, "{found}");
}

#[test]
fn json_keeps_heights() {
    let hills = rough(4, 3, [0.3, 0.25], 0.05);
    let text = serde_json::to_string(&hills).unwrap();
    assert_eq!(serde_json::from_str::<Shape<f64>>(&text).unwrap(), hills);
    for (good, bad) in [
        (r#""columns":4"#, r#""columns":5"#),
        (r#""columns":4"#, r#""columns":0"#),
        ("0.3,0.25", "0.3,-0.25"),
    ] {
        assert!(text.contains(good), "{text}");
        assert!(serde_json::from_str::<Shape<f64>>(&text.replace(good, bad)).is_err());
    }
}

#[test]
fn rays_meet_the_triangles() {
    use dualbody::geometry::{Ray, RaySurface, cast_ray};
    let hills = rough(7, 6, [0.3, 0.25], 0.2);
    let Shape::HeightField { field, .. } = &hills else {
        panic!();
    };
    let X = pose([0.2, 0.4, -0.3], [0.3, -0.2, 0.1]);
    let prisms = prisms(field);
    let mut hits = 0;
    for k in 0..400 {
        let from = Vector3::new(noise(k as f64), noise(0.5 + k as f64), 0.5);
        let to = Vector3::new(noise(0.1 + k as f64), noise(0.7 + k as f64), -0.4);
        let ray = Ray::new(X.transform_point(&from), X.rotation * (to - from)).unwrap();
        // The sides of prisms are not of the field.
        let of_prism = |prism: &Shape<f64>| {
            let hit = cast_ray(prism, &X, &ray, 10.0)?.hit(prism, &X, &ray);
            (X.rotation.tr_mul(&hit.normal).z > 1e-9).then_some(hit.distance)
        };
        let expected = prisms
            .iter()
            .filter_map(of_prism)
            .fold(f64::INFINITY, f64::min);
        let surface = cast_ray(&hills, &X, &ray, 10.0);
        let distance = surface.map_or(f64::INFINITY, |s| s.hit(&hills, &X, &ray).distance);
        assert!(
            distance == expected || (distance - expected).abs() < 1e-9,
            "{k}: {distance} {expected}"
        );
        hits += usize::from(distance.is_finite());
        if let Some(surface) = surface {
            assert!(matches!(surface, RaySurface::Ground(_)));
            assert!(cast_ray(&hills, &X, &ray, 0.99 * distance).is_none());
        }
    }
    assert!(hits > 200, "{hits}");
    // Straight down, along a grid line, level, and from below.
    let flat = super::support::field(4, 4, [0.5, 0.5], |_, _| 0.25);
    let cast = |o: [f64; 3], d: [f64; 3]| {
        let ray = Ray::new(o.into(), d.into()).unwrap();
        let surface = cast_ray(&flat, &Pose::identity(), &ray, 10.0)?;
        Some(surface.hit(&flat, &Pose::identity(), &ray).distance)
    };
    assert_eq!(cast([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]), Some(0.75));
    let slanted = cast([-0.7, 0.25, 1.25], [0.6, 0.0, -0.8]).unwrap();
    assert!((slanted - 1.25).abs() < 1e-15);
    assert_eq!(cast([-2.0, 0.25, 0.25], [1.0, 0.0, 0.0]), None);
    assert_eq!(cast([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]), None);
    assert_eq!(cast([2.0, 0.0, 1.0], [0.0, 0.0, -1.0]), None);
}

/// No witness is nearer than the signed distance, nor does one overlap where that is positive.
#[test]
fn no_contact_is_nearer_than_the_distance() {
    let mut near = 0;
    for a in [
        cuboid(0.2, 0.14, 0.1),
        cylinder(0.1, 0.06),
        capsule(0.05, 0.2),
    ] {
        for k in 0..600 {
            let at = |j: usize| noise((11 * k + j) as f64);
            let heights = (0..81).map(|j| 0.3 * noise((97 * k + j) as f64));
            let spacing = Vector2::new(0.15, 0.165);
            let ground = HeightField::new(9, heights.collect(), spacing).unwrap();
            let place = [0.5 * at(3), 0.5 * at(4), 0.15 * at(5) + 0.05];
            let X_BA = pose([3.0 * at(0), 3.0 * at(1), 3.0 * at(2)], place);
            let pair = Pair::in_b(a.clone(), X_BA, ground.into());
            let distance = pair.signed_distance();
            for c in contacts(&pair, 0.02) {
                assert!(-c.penetration > distance - 1e-9, "{k}: {c:?} {distance}");
                near += 1;
            }
        }
    }
    assert!(near > 1000, "{near}");
}

/// Beside the border, also below the heights there, nothing touches, and the distance is that from the surface.
#[test]
fn beyond_the_border_there_is_no_ground() {
    let ground = field(5, 5, [0.2, 0.2], |_, _| 0.1);
    for a in [
        sphere(0.1),
        capsule(0.05, 0.1),
        points(&[[0.0, 0.0, 0.1], [0.1, 0.0, 0.0]]),
        ellipsoid(0.1, 0.1, 0.1),
    ] {
        for (place, to) in [
            ([0.7, 0.0, -0.4], [0.3, 0.0, 0.5]),
            ([0.7, -0.9, -0.1], [0.3, 0.5, 0.2]),
            ([0.0, 3.0, 0.4], [0.0, 2.6, 0.3]),
        ] {
            let pair = Pair::in_b(a.clone(), at(place[0], place[1], place[2]), ground.clone());
            let distance = pair.signed_distance();
            assert!(distance.is_finite() && distance > 0.0, "{a:?} {distance}");
            assert!(contacts(&pair, 0.01).is_empty());
            if matches!(a, Shape::Sphere { .. } | Shape::Ellipsoid { .. }) {
                let expected = Vector3::<f64>::from(to).norm() - 0.1;
                assert!(
                    (distance - expected).abs() < 1e-9,
                    "{a:?} {distance} {expected}"
                );
            }
        }
    }
    // Under the surface it is pushed out, however deep.
    let pair = Pair::in_b(sphere(0.1), at(0.05, 0.0, -2.0), ground);
    assert!(pair.signed_distance() < -0.4);
}
