//! Convex shapes by their support points: against parry, in special positions, and at all scales.

use super::oracle::Noise;
use super::support::*;
use crate::cases::tier;
use dualbody::geometry::{ConvexFeature, Shape, ShapeKind, Witness, signed_distance};
use nalgebra::{Matrix3, Quaternion, U1, U3, UnitQuaternion, Vector3};
use num_dual::DualSVec64;
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::{query, shape};
use std::collections::BTreeSet;

/// A shape and its pose as parry has them, where it has the shape.
fn of_parry(shape: &Shape<f64>, X: &Pose) -> Option<(Box<dyn shape::Shape>, ParryPose)> {
    let point = |p: &Vector3<f64>| Vector::new(p.x, p.y, p.z);
    let mut rotation = X.rotation;
    let shape: Box<dyn shape::Shape> = match shape {
        Shape::Sphere { radius, .. } => Box::new(shape::Ball::new(*radius)),
        Shape::Capsule { radius, length, .. } => {
            Box::new(shape::Capsule::new_z(0.5 * length, *radius))
        }
        Shape::Cylinder { radius, length, .. } => {
            rotation *= pose([std::f64::consts::FRAC_PI_2, 0.0, 0.0], [0.0; 3]).rotation; // Its axis is y.
            Box::new(shape::Cylinder::new(0.5 * length, *radius))
        }
        Shape::Box { size, .. } => Box::new(shape::Cuboid::new(point(&(size * 0.5)))),
        Shape::Convex { polyhedron, .. } => {
            let points: Vec<_> = polyhedron.vertices().iter().map(point).collect();
            Box::new(shape::ConvexPolyhedron::from_convex_hull(&points)?)
        }
        Shape::HalfSpace => Box::new(shape::HalfSpace::new(Vector::Z)),
        _ => return None,
    };
    let q = UnitQuaternion::from_matrix(&rotation);
    let turned = Rotation::from_xyzw(q.i, q.j, q.k, q.w);
    Some((shape, ParryPose::from_parts(point(&X.translation), turned)))
}

/// Of balls, polyhedra and half spaces parry's results are exact. Its searches for others stop where a step gains less than a length,
/// up to 2·10⁻⁶ short in distance and 3·10⁻⁴ in the normal, which [`check`] tells from an error here.
#[test]
fn distances_and_normals_are_those_of_parry() {
    use ShapeKind::{Capsule, Cylinder, Sphere};
    let mut kinds = BTreeSet::new();
    let (mut searched, mut equal) = (0, 0);
    let over_ground = |pair: &Pair| Pair {
        b: Shape::HalfSpace,
        ..pair.clone()
    };
    for pair in (random_pairs(40).into_iter()).flat_map(|pair| [over_ground(&pair), pair]) {
        let (Some((a, x)), Some((b, y))) =
            (of_parry(&pair.a, &pair.X_WA), of_parry(&pair.b, &pair.X_WB))
        else {
            continue;
        };
        if reach(&pair.a, &Pose::identity(), &Vector3::x()) < 1e-2 {
            continue; // Parry's tolerances are lengths.
        }
        // Of a half space that comes second parry 0.31 takes the relative pose the wrong way round.
        let contact = query::contact(&y, &*b, &x, &*a, 1e9).unwrap();
        let Some(expected) = contact.map(|contact| contact.flipped()) else {
            continue;
        };
        let (distance, normal) = distance_and_normal(&pair);
        let size = pair.X_WA.translation.norm().max(distance);
        let error = (distance - expected.dist).abs() / size;
        let n = expected.normal1;
        let turn = (normal + Vector3::new(n.x, n.y, n.z)).norm();
        let pair_of_kinds = (pair.a.kind(), pair.b.kind());
        let is_round = |kind| matches!(kind, Capsule | Cylinder);
        let is_searched = pair_of_kinds.0 != Sphere
            && pair.b != Shape::HalfSpace
            && (is_round(pair_of_kinds.0) || is_round(pair_of_kinds.1));
        let allowed = if is_searched {
            (1e-5, 1e-3)
        } else {
            (1e-12, 1e-11)
        };
        assert!(
            error < allowed.0 && turn < allowed.1,
            "{error:e} {turn:e} {expected:?} {pair:?}"
        );
        searched += usize::from(is_searched);
        equal += usize::from(is_searched && error < 1e-9);
        kinds.insert(pair_of_kinds);
    }
    assert_eq!(kinds.len(), 20, "{kinds:?}");
    assert!(2 * equal > searched, "{equal} of {searched}");
}

/// Pairs at any pose, also with parallel axes, at all scales.
pub fn random_pairs(each: usize) -> Vec<Pair> {
    let mut noise = Noise(1);
    let mut vector = || Vector3::from_fn(|_, _| 2.0 * noise.next() - 1.0);
    let mut list = Vec::new();
    let kinds = (0..6).flat_map(|a| (a..6).map(move |b| (a, b)));
    for (a, b) in kinds {
        for case in 0..each {
            let scale = [1.0, 1e-4, 1e4][case % 3];
            let mut shape = |kind: usize| {
                let d = (vector().abs() + Vector3::repeat(0.2)) * scale;
                match kind {
                    0 => sphere(d.x),
                    1 => capsule(d.x, d.y),
                    2 => cylinder(d.x, d.y),
                    3 => cuboid(d.x, d.y, d.z),
                    4 => ellipsoid(d.x, d.y, d.z),
                    _ => {
                        let points: Vec<_> = (0..8 + case % 20).map(|_| vector() * scale).collect();
                        Shape::new_convex(&points).unwrap()
                    }
                }
            };
            let (a, b) = (shape(a), shape(b));
            let turn = |v: Vector3<f64>| pose((v * 2.0).into(), [0.0; 3]).rotation;
            let (R_A, R_B) = match case % 5 {
                0 => (Matrix3::identity(), Matrix3::identity()),
                1 => (turn(vector()), Matrix3::identity()),
                _ => (turn(vector()), turn(vector())),
            };
            let reach = [0.2, 1.0, 2.0, 3.0][(case / 5) % 4] * scale;
            list.push(Pair {
                a,
                X_WA: Pose::new(R_A, vector() * reach),
                b,
                X_WB: Pose::new(R_B, Vector3::zeros()),
            });
        }
    }
    list
}

/// How far a shape reaches along a direction.
pub fn reach(shape: &Shape<f64>, X: &Pose, n_W: &Vector3<f64>) -> f64 {
    let n = X.rotation.tr_mul(n_W);
    let beyond_origin = match shape {
        Shape::Sphere { radius, .. } => *radius,
        Shape::Capsule { radius, length, .. } => radius + 0.5 * length * n.z.abs(),
        Shape::Cylinder { radius, length, .. } => {
            radius * n.x.hypot(n.y) + 0.5 * length * n.z.abs()
        }
        Shape::Box { size, .. } => 0.5 * size.dot(&n.abs()),
        Shape::Ellipsoid { semi_axes, .. } => semi_axes.component_mul(&n).norm(),
        Shape::Convex { polyhedron, .. } => {
            let along = polyhedron.vertices().iter().map(|p| n.dot(p));
            along.fold(f64::NEG_INFINITY, f64::max)
        }
        _ => panic!("{shape:?}"),
    };
    n_W.dot(&X.translation) + beyond_origin
}

/// The separation of a pair along a unit vector.
pub fn separation(pair: &Pair, n: &Vector3<f64>) -> f64 {
    -reach(&pair.a, &pair.X_WA, &-n) - reach(&pair.b, &pair.X_WB, n)
}

/// The signed distance and its gradient with respect to the position of A.
pub fn distance_and_normal(pair: &Pair) -> (f64, Vector3<f64>) {
    let mut X_WA = pair.X_WA.cast::<DualSVec64<3>>();
    for (axis, x) in X_WA.translation.iter_mut().enumerate() {
        *x = x.derivative(axis);
    }
    let distance = signed_distance(&pair.a.cast(), &X_WA, &pair.b.cast(), &pair.X_WB.cast());
    let distance = distance.unwrap();
    (distance.re, distance.eps.unwrap_generic(U3, U1))
}

/// How far corners of a face are from a plane: hulls join triangles that are nearly in one.
fn unevenness(shape: &Shape<f64>) -> f64 {
    let Shape::Convex { polyhedron, .. } = shape else {
        return 0.0;
    };
    let at = |i: usize| polyhedron.vertices()[i];
    let of_face = |corners: &Vec<usize>| {
        let turn = |k: usize| {
            (at(corners[k]) - at(corners[0])).cross(&(at(corners[k + 1]) - at(corners[0])))
        };
        let normal = ((1..corners.len() - 1).map(turn))
            .sum::<Vector3<f64>>()
            .normalize();
        let heights = corners.iter().map(|&i| normal.dot(&at(i)));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| {
            (low.min(h), high.max(h))
        });
        if corners.len() > 3 { high - low } else { 0.0 }
    };
    polyhedron.faces().iter().map(of_face).fold(0.0, f64::max)
}

/// Checks that no direction is better than the normal, near it or anywhere, and that neither changing places nor a
/// common motion changes the distance.
fn check(pair: &Pair, directions: usize) {
    let (distance, normal) = distance_and_normal(pair);
    let scale = pair.X_WA.translation.norm() + distance.abs();
    let uneven = unevenness(&pair.a) + unevenness(&pair.b);
    let attained = separation(pair, &normal);
    assert!(
        (attained - distance).abs() < 1e-11 * scale + uneven && (normal.norm() - 1.0).abs() < 1e-11,
        "{attained} {distance} {normal:?} {pair:?}"
    );
    for k in 0..directions {
        let t = k as f64;
        let d = Vector3::new((1.3 * t).sin(), (2.7 * t).cos(), (0.9 * t + 1.0).sin());
        let near = (normal + d * 10_f64.powf(-10.0 * t / directions as f64)).normalize();
        for n in [near, d.normalize()] {
            let other = separation(pair, &n);
            assert!(
                other < distance + 1e-11 * scale + uneven,
                "{other} {distance} {pair:?}"
            );
        }
    }
    let X = pose([0.5, -1.1, 2.0], [0.3, 0.2, 0.1]);
    let X = Pose::new(X.rotation, X.translation * scale);
    for same in [pair.swapped(), pair.moved(&X)] {
        let error = (same.signed_distance() - distance).abs();
        assert!(error < 1e-10 * scale + uneven, "{error:e} {pair:?}");
    }
    // Moved along the normal the shapes touch exactly, and then overlap by as much as they are moved at most.
    for further in [0.0, 1e-9, 1e-4].map(|part| part * scale) {
        let mut moved = pair.clone();
        moved.X_WA.translation -= normal * (distance + further);
        let depth = -moved.signed_distance();
        assert!(
            depth.min(further - depth) > -1e-10 * scale - uneven,
            "{depth:e} {further:e} {moved:?}"
        );
        assert!(further < 1e-5 * scale || depth > 0.0, "{depth:e} {moved:?}");
    }
    // Points of the shapes as far apart as their separation along the normal are the nearest.
    if distance > 0.0
        && let Some(c) = pair.deepest(1e9)
    {
        let beside = super::flat_ties::beside(pair, 1e9);
        assert!(beside < 1e-9 * scale + uneven, "{beside:e} {c:?} {pair:?}");
    }
    let is_boxes = (pair.a.kind(), pair.b.kind()) == (ShapeKind::Box, ShapeKind::Box);
    if let Some(c) = pair.deepest(1e9).filter(|_| distance < 0.0 || !is_boxes) {
        let more = (c.penetration + distance).abs();
        let allowed = 1e-11 * scale + uneven + preference(pair, distance);
        assert!(more < allowed, "{c:?} {distance} {pair:?}");
    }
}

#[test]
fn the_normal_is_that_of_the_largest_separation() {
    let mut seen = BTreeSet::new();
    for pair in random_pairs(60) {
        check(&pair, 200);
        for witness in pair.witnesses(1e9) {
            if let Witness::Convex(f, g) = witness {
                for feature in [f, g] {
                    let name = format!("{feature:?}");
                    seen.insert(name.split('(').next().unwrap().to_owned());
                }
            }
        }
    }
    let all = ["Edge", "Face", "Rim", "Side", "Surface", "Vertex"];
    for name in all {
        assert!(seen.contains(name), "{name} in {seen:?}");
    }
}

/// `cargo test --test geometry many_poses -- --ignored`: some minutes.
#[test]
#[ignore = "takes minutes"]
fn many_poses() {
    let pairs = random_pairs(20_000);
    let scale = |pair: &Pair| pair.X_WA.translation.norm() + pair.signed_distance().abs();
    // Boxes that are far apart have no contacts, whatever the margin.
    let is_beside = |pair: &&Pair| {
        let far = super::flat_ties::beside(pair, 1e9);
        let allowed = 1e-9 * scale(pair) + unevenness(&pair.a) + unevenness(&pair.b);
        far.is_finite() && far > allowed
    };
    let beside: Vec<_> = pairs.iter().filter(is_beside).collect();
    for pair in &beside {
        println!(
            "{:e} of {:e}: {:?} {:?}",
            super::flat_ties::beside(pair, 1e9),
            scale(pair),
            (pair.a.kind(), pair.b.kind()),
            pair.witnesses(1e9)
        );
    }
    assert!(beside.len() <= pairs.len() / 100_000, "{}", beside.len());
    for pair in pairs {
        check(&pair, 300);
    }
}

#[test]
fn a_hull_of_a_box_is_that_box() {
    let corners: Vec<_> = (0..8)
        .map(|i| {
            Vector3::from_fn(|k, _| [0.4, 0.3, 0.25][k] * if i >> k & 1 == 0 { -1.0 } else { 1.0 })
        })
        .collect();
    let (hull, brick) = (Shape::new_convex(&corners).unwrap(), cuboid(0.8, 0.6, 0.5));
    for pair in by_support_points() {
        for X in [pair.X_WA, at(0.1, 0.05, 0.52), at(0.8, 0.0, 0.0)] {
            let (p, q) = (
                Pair::in_b(hull.clone(), X, hull.clone()),
                Pair::in_b(brick.clone(), X, brick.clone()),
            );
            assert!((p.signed_distance() - q.signed_distance()).abs() < 1e-13);
        }
    }
}

#[test]
fn closed_forms() {
    let distance = |a, X, b| Pair::in_b(a, X, b).signed_distance();
    let flat = at(0.1, 0.1, 0.9);
    // A cylinder standing on a box, lying on it, and on its edge.
    assert!((distance(cylinder(0.2, 0.8), flat, cuboid(2.0, 2.0, 1.0))).abs() < 1e-15);
    let lying = pose([0.0, std::f64::consts::FRAC_PI_2, 0.0], [0.1, 0.1, 0.69]);
    assert!((distance(cylinder(0.2, 0.8), lying, cuboid(2.0, 2.0, 1.0)) + 0.01).abs() < 1e-15);
    // An ellipsoid along its axes, and equal ones side by side.
    let egg = || ellipsoid(0.3, 0.5, 0.4);
    assert!((distance(egg(), at(0.0, 1.1, 0.0), egg()) - 0.1).abs() < 1e-15);
    assert!((distance(egg(), at(0.0, 0.0, 0.95), cuboid(1.0, 1.0, 1.0)) - 0.05).abs() < 1e-15);
    assert!((distance(sphere(0.2), at(0.45, 0.0, 0.0), egg()) + 0.05).abs() < 1e-15);
    // A ball is an ellipsoid.
    for p in [[0.3, 0.5, 0.4], [0.2, 0.1, 0.1], [1.0, 2.0, 3.0]] {
        let (X, b) = (pose([0.4, 0.2, 0.9], p), ellipsoid(0.5, 0.5, 0.5));
        let expected = Vector3::from(p).norm() - 0.8;
        assert!((distance(ellipsoid(0.3, 0.3, 0.3), X, b.clone()) - expected).abs() < 1e-14);
        assert!((distance(sphere(0.3), X, b) - expected).abs() < 1e-14);
    }
}

/// A thin rod with an end at the edge of a thin wedge: the rim is at the other end than a direction a little off says.
#[test]
fn the_end_of_a_rod_that_lies_across_is_found() {
    let (x, y, z) = (6.71e-5, 4.6e-5, 3.64e-8);
    let corners = [[-x, -y], [x, -y], [0.0, y]];
    let corners = corners
        .iter()
        .flat_map(|[x, y]| [[*x, *y, z], [*x, *y, -z]]);
    let wedge = convex(&corners.collect::<Vec<_>>());
    let turned = UnitQuaternion::from_quaternion(Quaternion::new(
        0.23122657756725154,
        0.48420677598456235,
        -0.502500821028515,
        0.6779166562217216,
    ));
    let centre = [
        -1.123431597847106e-5,
        7.004443544088852e-5,
        -7.832518262644296e-7,
    ];
    let rod = cylinder(6.15e-8, 5.31e-5);
    let X = Pose::new(turned.to_rotation_matrix().into_inner(), centre.into());
    let (distance, normal) = distance_and_normal(&Pair::in_b(rod, X, wedge));
    // The largest separation, bounded from both sides.
    assert!(
        (distance + 7.071067809581926e-11).abs() < 1e-15,
        "{distance:e}"
    );
    let expected = Vector3::new(-0.42412, 0.90523, -0.02607);
    assert!((normal - expected).norm() < 1e-5, "{normal}");
}

#[test]
fn coincident_and_touching_shapes_are_finite() {
    let shapes = [
        sphere(0.3),
        capsule(0.2, 0.6),
        cylinder(0.3, 0.8),
        cuboid(0.4, 0.6, 0.8),
        ellipsoid(0.3, 0.4, 0.5),
        rock(),
    ];
    for (i, a) in shapes.iter().enumerate() {
        for b in shapes[i..].iter().take(tier(1, 6)) {
            let poses = [at(0.0, 0.0, 0.0), at(0.5, 0.0, 0.0), at(0.0, 0.0, 0.8)];
            for X in poses.into_iter().take(tier(1, 3)) {
                super::singular::check_in_both_orders(&Pair::in_b(a.clone(), X, b.clone()));
            }
        }
    }
}

#[test]
fn features_of_neighbouring_shapes_are_refused() {
    let (X, far) = (at(0.0, 0.0, 0.0), at(0.0, 0.0, 2.0));
    for feature in [
        ConvexFeature::Vertex(9),
        ConvexFeature::Edge(0, 9),
        ConvexFeature::Face(99),
        ConvexFeature::Surface,
        ConvexFeature::Side,
    ] {
        let witness = Witness::Convex(feature, ConvexFeature::Vertex(0));
        assert!(
            witness.contact_point(&rock(), &far, &rock(), &X).is_err(),
            "{feature:?}"
        );
    }
}
