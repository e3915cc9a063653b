//! That the feature margin finds the poses where contacts are not smooth.
//!
//! On random lines of poses a force is followed that depends smoothly on each contact point, also
//! where one comes into reach: `Σ weight · (reach − distance)² n̂` and its moment. What is not smooth
//! in it comes from changes of features.

use super::support::*;
use crate::cases::tier;
use dualbody::geometry::{Shape, witnesses};
use nalgebra::{SVector, Vector3};

/// Contacts farther than this are out of reach.
const REACH: f64 = 0.05;

/// Changes of slope that count as jumps, in parts of the force and beside 1.
const JUMP: f64 = 0.05;

/// Motion of A along a line of poses, about its origin.
struct Line {
    pair: Pair,
    turn: Vector3<f64>,
    way: Vector3<f64>,
}

impl Line {
    fn at(&self, s: f64) -> Pair {
        let X = self.pair.X_WA;
        let turned = pose((self.turn * s).into(), [0.0; 3]).rotation * X.rotation;
        Pair {
            X_WA: Pose::new(turned, X.translation + self.way * s),
            ..self.pair.clone()
        }
    }

    fn force(&self, s: f64) -> SVector<f64, 6> {
        let mut sum = SVector::zeros();
        for (_, c) in self.at(s).contacts(REACH) {
            let force = c.nhat_BA_W * (c.weight * (REACH + c.penetration).powi(2) / REACH.powi(2));
            let moment = (c.p_WCa - self.pair.X_WA.translation).cross(&force);
            sum += SVector::from_iterator(force.iter().chain(moment.iter()).copied());
        }
        sum
    }

    fn margin(&self, s: f64) -> f64 {
        let Pair { a, X_WA, b, X_WB } = self.at(s);
        witnesses(&a, &X_WA, &b, &X_WB, REACH, &mut Vec::new()).unwrap()
    }

    /// The most that a point of A moves per unit of s.
    fn speed(&self) -> f64 {
        let extent = match &self.pair.a {
            Shape::Sphere { radius, .. } => *radius,
            Shape::Capsule { radius, length, .. } => radius + 0.5 * length,
            Shape::Cylinder { radius, length, .. } => radius.hypot(0.5 * length),
            Shape::Box { size, .. } => 0.5 * size.norm(),
            other => panic!("{other:?}"),
        };
        self.way.norm() + self.turn.norm() * extent
    }

    /// By how much the slope of the force changes over an interval.
    fn change_of_slope(&self, from: f64, to: f64) -> f64 {
        let [f0, f1, f2] = [from, 0.5 * (from + to), to].map(|s| self.force(s));
        ((f2 - f1) - (f1 - f0)).norm() / (0.5 * (to - from))
    }

    /// Where the slope of the force jumps in an interval, or the force does, by more than `jump` and
    /// than that part of the force.
    fn find_kink(&self, mut from: f64, mut to: f64, jump: f64) -> Option<f64> {
        const NARROW: f64 = 1e-8;
        while self.change_of_slope(from, to) > jump * (1.0 + self.force(from).norm()) {
            if to - from < NARROW {
                // What is only steep changes by a tenth over a tenth.
                let middle = 0.5 * (from + to);
                let around = 5.0 * (to - from);
                let wider = self.change_of_slope(middle - around, middle + around);
                return (self.change_of_slope(from, to) > 0.3 * wider).then_some(middle);
            }
            // Overlapping parts, so that a kink is well inside of one.
            let quarter = 0.25 * (to - from);
            let parts = [0.0, 1.0, 2.0].map(|i| (from + i * quarter, from + (i + 2.0) * quarter));
            let changes = parts.map(|(from, to)| self.change_of_slope(from, to));
            let largest = if changes[0] >= changes[1].max(changes[2]) {
                0
            } else if changes[1] >= changes[2] {
                1
            } else {
                2
            };
            (from, to) = parts[largest];
        }
        None
    }
}

/// A sequence of numbers in (−1, 1) without pattern.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = (self.0)
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        2.0 * ((self.0 >> 11) as f64 / (1u64 << 53) as f64) - 1.0
    }

    fn vector(&mut self, scale: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| scale * self.next())
    }
}

/// What was seen on many lines.
#[derive(Debug, Default)]
struct Seen {
    kinks: usize,
    /// The largest margin at a kink.
    at_kink: f64,
    /// Samples, and how many of them had a margin above the way to a kink.
    samples: usize,
    above: usize,
    /// Margins at the samples.
    margins: Vec<f64>,
}

fn follow(lines: impl Iterator<Item = Line>, jump: f64) -> Seen {
    const INTERVALS: usize = 64;
    let mut seen = Seen::default();
    for line in lines {
        let mut kinks = Vec::new();
        let grid: Vec<f64> = (0..=INTERVALS)
            .map(|i| i as f64 / INTERVALS as f64)
            .collect();
        for i in 1..INTERVALS {
            kinks.extend(line.find_kink(grid[i - 1], grid[i + 1], jump));
        }
        let speed = line.speed();
        for &kink in &kinks {
            let nearest = [-2e-8, 0.0, 2e-8].map(|d| line.margin(kink + d));
            let least = nearest.into_iter().fold(f64::INFINITY, f64::min);
            seen.at_kink = seen.at_kink.max(least);
            seen.kinks += 1;
        }
        for &s in &grid {
            let margin = line.margin(s);
            if margin.is_finite() {
                let way = kinks.iter().map(|k| (k - s).abs() * speed);
                let way = way.fold(f64::INFINITY, f64::min);
                seen.samples += 1;
                seen.above += usize::from(margin > way + 1e-6);
                seen.margins.push(margin);
            }
        }
    }
    seen.margins.sort_by(f64::total_cmp);
    seen
}

/// Lines of poses of A near the surface of B, tilted by about `tilt`.
fn lines<'a>(
    a: &'a Shape<f64>,
    b: &'a Shape<f64>,
    (tilt, place, height): (f64, [f64; 3], f64),
    count: usize,
) -> impl Iterator<Item = Line> + 'a {
    let mut noise = Noise(7);
    let mut next = move || {
        let turn = noise.vector(tilt);
        let mut way = noise.vector(0.3);
        way.z *= height;
        let place = Vector3::from(place);
        let spread = noise.vector(0.1);
        let at = place + Vector3::new(spread.x, spread.y, spread.z * height) - way * 0.5;
        let X_BA = pose(noise.vector(tilt).into(), at.into());
        Line {
            pair: Pair::in_b(a.clone(), X_BA, b.clone()),
            turn,
            way,
        }
    };
    (0..count).map(move |_| next())
}

#[track_caller]
fn check(seen: &Seen, kinks: usize, above: f64, median: f64) {
    let middle = seen.margins[seen.margins.len() / 2];
    let summary = format!(
        "{} kinks, margin there up to {:e}, {} of {} samples above the way, median {middle}",
        seen.kinks, seen.at_kink, seen.above, seen.samples
    );
    assert!(seen.kinks >= kinks, "{summary}");
    assert!(seen.at_kink < 1e-6, "{summary}");
    assert!(
        seen.above as f64 <= above * seen.samples as f64,
        "{summary}"
    );
    assert!(middle >= median, "{summary}");
}

#[test]
fn ball_on_capsule() {
    let (a, b) = (sphere(0.1), capsule(0.1, 0.4));
    let seen = follow(lines(&a, &b, (1.0, [0.12, 0.0, 0.2], 1.0), 40), JUMP);
    check(&seen, 20, 0.0, 0.01);
}

#[test]
fn ball_on_cylinder() {
    let (a, b) = (sphere(0.1), cylinder(0.2, 0.4));
    let seen = follow(lines(&a, &b, (1.0, [0.2, 0.0, 0.2], 1.0), 40), JUMP);
    check(&seen, 20, 0.0, 0.01);
}

#[test]
fn ball_on_box() {
    let (a, b) = (sphere(0.1), cuboid(0.4, 0.4, 0.4));
    let seen = follow(lines(&a, &b, (1.0, [0.2, 0.1, 0.2], 1.0), 40), JUMP);
    check(&seen, 20, 0.0, 0.01);
}

#[test]
fn capsule_on_capsule() {
    let (a, b) = (capsule(0.1, 0.4), capsule(0.1, 0.3));
    let seen = follow(lines(&a, &b, (1.0, [0.2, 0.0, 0.1], 1.0), 60), JUMP);
    check(&seen, 20, 0.01, 0.01);
}

#[test]
fn sides_nearly_along_each_other() {
    for (a, b) in [
        (capsule(0.1, 0.4), capsule(0.12, 0.3)),
        (capsule(0.1, 0.4), cylinder(0.12, 0.3)),
        (cylinder(0.1, 0.4), cylinder(0.12, 0.3)),
    ] {
        // With both axes along x of the world.
        let lying = pose([0.0, std::f64::consts::FRAC_PI_2, 0.0], [0.0; 3]);
        let beside = |mut line: Line| {
            line.pair.X_WA.rotation *= lying.rotation;
            line.pair.X_WB = lying;
            line
        };
        let lines = lines(&a, &b, (0.1, [0.05, 0.0, 0.22], 0.03), 60).map(beside);
        let seen = follow(lines, JUMP);
        check(&seen, 20, 0.01, 5e-4);
    }
}

#[test]
fn box_on_box_at_any_angle() {
    let (a, b) = (cuboid(0.3, 0.4, 0.3), cuboid(0.5, 0.4, 0.4));
    let seen = follow(lines(&a, &b, (1.0, [0.1, 0.1, 0.42], 1.0), 60), JUMP);
    check(&seen, 20, 0.01, 0.003);
}

#[test]
fn box_nearly_flat_on_box() {
    let (a, b) = (cuboid(0.4, 0.4, 0.3), cuboid(0.4, 0.4, 0.4));
    for (tilt, kinks, median) in [(0.1, 20, 5e-3), (1e-2, 20, 1e-3), (1e-3, 0, 1e-4)] {
        let seen = follow(
            lines(&a, &b, (tilt, [0.05, 0.1, 0.35], 0.03), 40),
            0.1 * JUMP,
        );
        check(&seen, kinks, 0.01, median);
    }
}

/// A cylinder on another, 1 mm deep and to one side, tilts by a little about an axis that turns: points on their caps
/// change with the axis, and where the force jumps a change of features is near.
#[test]
fn caps_that_lie_almost_flush() {
    const RADIUS: f64 = 0.1;
    let can = cylinder(RADIUS, RADIUS);
    let mut jumps = 0;
    for (tilt, offset) in [
        (1e-3, 0.15),
        (1e-3, 0.18),
        (1e-4, 0.03),
        (1e-4, 0.18),
        (1e-5, 0.1),
    ] {
        let at = |angle: f64| {
            let axis = Vector3::new(angle.cos(), angle.sin(), 0.0);
            let place = [offset, 0.02 * offset, RADIUS - 1e-3];
            let pair = Pair {
                a: can.clone(),
                X_WA: pose((axis * tilt).into(), place),
                b: can.clone(),
                X_WB: Pose::identity(),
            };
            let mut sum = SVector::<f64, 6>::zeros();
            for (_, c) in pair.contacts(0.0) {
                let force = c.nhat_BA_W * (c.weight * c.penetration.max(0.0));
                let moment = (c.p_WCa + c.p_WCb).cross(&force) / (2.0 * RADIUS);
                sum += SVector::from_iterator(force.iter().chain(moment.iter()).copied());
            }
            let Pair { a, X_WA, b, X_WB } = &pair;
            (
                sum,
                witnesses(a, X_WA, b, X_WB, 0.0, &mut Vec::new()).unwrap(),
            )
        };
        let count = tier(400, 2000);
        let angle = |i: usize| i as f64 * std::f64::consts::TAU / count as f64;
        for i in 0..count {
            let [mut low, mut high] = [angle(i), angle(i + 1)].map(|angle| (angle, at(angle)));
            let change = |a: &SVector<f64, 6>, b: &SVector<f64, 6>| (a - b).norm() / a.norm();
            if change(&low.1.0, &high.1.0) < 1e-3 {
                continue;
            }
            for _ in 0..45 {
                let middle = 0.5 * (low.0 + high.0);
                let found = (middle, at(middle));
                if change(&low.1.0, &found.1.0) > change(&found.1.0, &high.1.0) {
                    high = found;
                } else {
                    low = found;
                }
            }
            if change(&low.1.0, &high.1.0) > 1e-3 {
                jumps += 1;
                let margin = low.1.1.max(high.1.1);
                assert!(
                    margin < 1e-6,
                    "tilt {tilt}, {offset} m, {}: {margin:e} m",
                    low.0
                );
            }
        }
    }
    assert!(jumps > 10, "{jumps}");
}
