//! Signed distances against an oracle that knows of shapes only how far they reach in a direction.
//!
//! For convex A and B the signed distance is the largest separation along any direction,
//! `max over unit n of (min over A of n · a) − (max over B of n · b)`, overlapping or not.

use super::convex_pair::{distance_and_normal, reach, separation};
use super::support::*;
use crate::cases::{cases, tier};
use dualbody::geometry::{ConvexPolyhedron, Shape};
use nalgebra::Vector3;
use proptest::prelude::*;

/// A sequence of numbers in [0, 1) without pattern.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn direction(&mut self) -> Vector3<f64> {
        let (z, angle) = (2.0 * self.next() - 1.0, std::f64::consts::TAU * self.next());
        let radius = (1.0 - z * z).sqrt();
        Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
    }
}

/// The point of a shape nearest to a point.
pub fn nearest_point(shape: &Shape<f64>, X: &Pose, p_W: &Vector3<f64>) -> Vector3<f64> {
    let p = X.inverse_transform_point(p_W);
    let clamped = |x: f64, size: f64| x.clamp(-0.5 * size, 0.5 * size);
    let shortened = |v: Vector3<f64>, length: f64| v * (length / v.norm()).min(1.0);
    let nearest = match shape {
        Shape::Sphere { radius, .. } => shortened(p, *radius),
        Shape::Capsule { radius, length, .. } => {
            let on_axis = Vector3::new(0.0, 0.0, clamped(p.z, *length));
            on_axis + shortened(p - on_axis, *radius)
        }
        Shape::Cylinder { radius, length, .. } => {
            let radial = shortened(Vector3::new(p.x, p.y, 0.0), *radius);
            Vector3::new(radial.x, radial.y, clamped(p.z, *length))
        }
        Shape::Box { size, .. } => p.zip_map(size, clamped),
        Shape::Ellipsoid { semi_axes, .. } => nearest_in_ellipsoid(semi_axes, &p),
        Shape::Convex { polyhedron, .. } => nearest_in_polyhedron(polyhedron, &p),
        _ => panic!("not bounded: {shape:?}"),
    };
    X.transform_point(&nearest)
}

/// `qᵢ = aᵢ² pᵢ/(aᵢ² + t)` with the t ≥ 0 for which it is on the surface.
fn nearest_in_ellipsoid(semi_axes: &Vector3<f64>, p: &Vector3<f64>) -> Vector3<f64> {
    let square = semi_axes.component_mul(semi_axes);
    let at = |t: f64| p.zip_map(&square, |p, a| p * a / (a + t));
    if p.component_div(semi_axes).norm() <= 1.0 {
        return *p;
    }
    let (mut low, mut high) = (0.0, p.norm() * semi_axes.amax());
    for _ in 0..100 {
        let t = 0.5 * (low + high);
        if at(t).component_div(semi_axes).norm() > 1.0 {
            low = t;
        } else {
            high = t;
        }
    }
    at(high)
}

fn nearest_in_polyhedron(polyhedron: &ConvexPolyhedron<f64>, p: &Vector3<f64>) -> Vector3<f64> {
    let triangles = polyhedron.faces().iter().flat_map(|face| {
        let corners = move |k: usize| polyhedron.vertices()[face[k]];
        (2..face.len()).map(move |k| [corners(0), corners(k - 1), corners(k)])
    });
    let mut nearest: Option<Vector3<f64>> = None;
    for [a, b, c] in triangles {
        if (b - a).cross(&(c - a)).dot(&(p - a)) <= 0.0 {
            continue;
        }
        let q = nearest_in_triangle([a, b, c], p);
        if nearest.is_none_or(|nearest| (q - p).norm() < (nearest - p).norm()) {
            nearest = Some(q);
        }
    }
    nearest.unwrap_or(*p)
}

fn nearest_in_triangle([a, b, c]: [Vector3<f64>; 3], p: &Vector3<f64>) -> Vector3<f64> {
    let normal = (b - a).cross(&(c - a));
    let on_plane = p - normal * (normal.dot(&(p - a)) / normal.norm_squared());
    let edges = [(a, b), (b, c), (c, a)];
    if edges
        .iter()
        .all(|(a, b)| normal.cross(&(b - a)).dot(&(on_plane - a)) >= 0.0)
    {
        return on_plane;
    }
    let on_edge = edges.map(|(a, b)| {
        let t = (p - a).dot(&(b - a)) / (b - a).norm_squared();
        a + (b - a) * t.clamp(0.0, 1.0)
    });
    let nearer = |x: &Vector3<f64>, y: &Vector3<f64>| (x - p).norm().total_cmp(&(y - p).norm());
    on_edge.into_iter().min_by(nearer).unwrap()
}

/// The vector from B to A between the nearest points, by minimising their distance with projected
/// gradient steps, accelerated and restarted (O'Donoghue & Candès 2015).
fn vector_apart(pair: &Pair) -> Vector3<f64> {
    let (mut p_A, mut p_B) = (pair.X_WA.translation, pair.X_WB.translation);
    let (mut y_A, mut y_B) = (p_A, p_B);
    let (mut momentum, mut still) = (0.0, 0);
    for _ in 0..20_000 {
        let middle = (y_A + y_B) * 0.5;
        let next_A = nearest_point(&pair.a, &pair.X_WA, &middle);
        let next_B = nearest_point(&pair.b, &pair.X_WB, &middle);
        let (step_A, step_B) = (next_A - p_A, next_B - p_B);
        // Many steps of round-off are the end.
        let moves = step_A.norm_squared() + step_B.norm_squared() > 1e-32;
        still = if moves { 0 } else { still + 1 };
        if still > 100 {
            break;
        }
        let is_overshooting = (y_A - next_A).dot(&step_A) + (y_B - next_B).dot(&step_B) > 0.0;
        momentum = if is_overshooting { 0.0 } else { momentum + 1.0 };
        let factor = momentum / (momentum + 3.0);
        (y_A, y_B) = (next_A + step_A * factor, next_B + step_B * factor);
        (p_A, p_B) = (next_A, next_B);
    }
    p_A - p_B
}

/// The largest separation that is found uphill from a direction, by random steps that shrink when they fail, to the
/// smallest.
pub fn climb(pair: &Pair, mut n: Vector3<f64>, smallest: f64, noise: &mut Noise) -> f64 {
    let mut value = separation(pair, &n);
    let mut step = 0.05;
    while step > smallest {
        let trial = (n + noise.direction() * step).normalize();
        let trial_value = separation(pair, &trial);
        if trial_value > value {
            (value, n) = (trial_value, trial);
            step *= 2.0;
        } else {
            step *= 0.95;
        }
    }
    value
}

/// The largest separation over all directions: along the line between the nearest points if the
/// shapes are apart; else uphill from the best of many random directions.
fn oracle(pair: &Pair) -> f64 {
    if pair.b == Shape::HalfSpace {
        return separation_along(pair, &pair.X_WB.rotation.column(2).into_owned());
    }
    let apart = vector_apart(pair);
    if apart.norm() > 1e-6 {
        return separation(pair, &apart.normalize());
    }
    let mut noise = Noise(1);
    let mut starts: Vec<(f64, Vector3<f64>)> = (0..4000)
        .map(|_| noise.direction())
        .map(|n| (separation(pair, &n), n))
        .collect();
    starts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let found = starts[..24].iter();
    let found = found.map(|&(_, n)| climb(pair, n, 1e-13, &mut noise));
    found.fold(f64::NEG_INFINITY, f64::max)
}

fn separation_along(pair: &Pair, n_W: &Vector3<f64>) -> f64 {
    match &pair.b {
        Shape::HalfSpace => -reach(&pair.a, &pair.X_WA, &-n_W) - n_W.dot(&pair.X_WB.translation),
        _ => separation(pair, n_W),
    }
}

fn check(pair: &Pair) {
    let distance = pair.signed_distance();
    // It is attained along the direction in which it grows ...
    let (same_distance, nhat_BA_W) = distance_and_normal(pair);
    assert_eq!(same_distance, distance);
    assert!((nhat_BA_W.norm() - 1.0).abs() < 1e-11, "{nhat_BA_W}");
    assert!((separation_along(pair, &nhat_BA_W) - distance).abs() < 1e-11);
    // ... and no direction of a larger separation is found. The search stops short on ridges.
    let expected = oracle(pair);
    assert!(
        (distance - 1e-2..distance + 1e-11).contains(&expected),
        "signed distance {distance}, oracle {expected}"
    );
    // No contact is nearer than the shapes are, and shapes that overlap have one.
    if distance > 0.0
        && let Some(c) = pair.deepest(100.0)
    {
        assert!(-c.penetration > distance - 1e-11, "{c:?} {distance}");
    }
    assert_eq!(pair.deepest(0.0).is_some(), distance < 0.0);
    let Some(c) = pair.deepest(0.0) else { return };
    match (&pair.a, &pair.b) {
        (Shape::Box { size: a, .. }, Shape::Box { size: b, .. }) => {
            // Exact up to the preference of faces over edges.
            let slack = 0.05 * c.penetration + 5e-4 * a.min().min(b.min());
            assert!((c.penetration + distance).abs() < slack, "{c:?} {distance}");
        }
        _ => {
            let slack = 1e-12 + preference(pair, distance);
            assert!((c.penetration + distance).abs() < slack, "{c:?} {distance}");
        }
    }
    // The points belong to the shapes that they are named after.
    // Faces parallel to within 10⁻³ rad have their points at the mean of both projections.
    let tolerance = 1e-10 + 1e-6 * c.penetration;
    assert_close(
        &nearest_point(&pair.a, &pair.X_WA, &c.p_WCa),
        &c.p_WCa,
        tolerance,
    );
    match pair.b {
        Shape::HalfSpace => assert!(pair.X_WB.inverse_transform_point(&c.p_WCb).z.abs() < 1e-10),
        _ => assert_close(
            &nearest_point(&pair.b, &pair.X_WB, &c.p_WCb),
            &c.p_WCb,
            tolerance,
        ),
    }
}

// The same poses in every run: deep in each other, about one pair in 4000 has a point up to 10⁻³ of the depth off a
// surface, or is within the preference of a face.
proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn signed_distance_is_the_largest_separation(pair in any_pair()) {
        let pair = if pair.a == Shape::HalfSpace { pair.swapped() } else { pair };
        check(&pair);
    }

    #[test]
    fn boxes_at_any_angle(pair in two_boxes()) {
        check(&pair);
    }
}

#[test]
fn the_catalogue() {
    for pair in catalogue().into_iter().step_by(tier(3, 1)) {
        let is_convex = !matches!(pair.b, Shape::HeightField { .. });
        if is_convex && !matches!(pair.a, Shape::Points { .. }) {
            check(&pair);
        }
    }
}
