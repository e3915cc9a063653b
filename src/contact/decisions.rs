//! The decisions of contact, each with its margin: force law, contact features, pairs out of reach.

use super::detection::ContactWorkspace;
use super::force_law::ContactForceLaw;
use super::model::ContactModel;
use super::point_contact::PointContact;
use crate::Scalar;
use crate::decision::{Margin, Search, Stage};
use crate::geometry::{Shape, Witness, signed_distance, witnesses};
use crate::math::{RigidTransform, SpatialForce, SpatialVelocity, rotation};
use crate::tree::{RigidBodyTree, TreeError, TreeWorkspace};
use nalgebra::Vector3;
use std::cell::OnceCell;

/// Steps of a march towards a change of features, and of the bisection that ends it.
const MARCH: usize = 60;
const BISECTION: usize = 20;
/// What is left of the way when a march has arrived, relative to it.
const ARRIVED: f64 = 1e-3;
/// A small part, for the slope of a distance along a motion.
const SMALL: f64 = 1e-5;
/// The least stride of a march, relative to the way so far: what is preferred by a little, as faces are, is known to stay so
/// for a short way only, however far nothing changes.
const STRIDE: f64 = 0.2;
/// Part of the size of the smaller shape that a feature may be away from touching and is followed.
const AROUND: f64 = 1e-3;

impl<T: Scalar> ContactModel<T> {
    /// The names of the geometries of a pair.
    pub(crate) fn names_of(&self, pair: usize) -> [&str; 2] {
        let pair = self.pair(pair);
        [pair.first, pair.second].map(|g| self.geometries()[g].name.as_str())
    }

    /// Places all geometries at the state of a workspace.
    pub(crate) fn poses(
        &self,
        tree: &RigidBodyTree<T>,
        kinematics: &TreeWorkspace<T>,
    ) -> Result<Vec<RigidTransform<T>>, TreeError> {
        let geometries = self.geometries().iter();
        geometries.map(|g| g.pose(tree, kinematics)).collect()
    }

    /// Shows what the law of compliant contact decides at a point, at a motion under a force there. Friction has slowed the
    /// slip by `slowed` within the step.
    pub(crate) fn show_law(
        &self,
        stage: &Stage<'_, T>,
        (pair, point): (usize, &PointContact<T>),
        law: &ContactForceLaw<T>,
        (motion, force): (&SpatialVelocity<T>, &SpatialForce<T>),
        slowed: T,
    ) {
        let [a, b] = self.names_of(pair);
        let show = |change: &str, unit, margin: Margin<'_, T>| {
            stage.show(format_args!("{a}|{b}"), change, unit, margin);
        };
        let material = &point.material;
        if material.stiffness.re() <= 0.0 {
            return;
        }
        let normal = material.normal_law(point.penetration);
        let (damping, depth) = normal.factors(law.time_step, motion.linear.z);
        // Each factor matters only while the other one is positive.
        if damping.re() >= 0.0 {
            if law.time_step.re() > 0.0 {
                show("touching", "m/s", Margin::Sign(depth / law.time_step));
            } else {
                show("touching", "m", Margin::Sign(depth));
            }
        }
        if depth.re() >= 0.0 && material.dissipation.re() > 0.0 {
            let margin = Margin::Sign(damping / material.dissipation);
            show("clamping", "m/s", margin);
        }
        if force.force.z.re() <= 0.0 {
            return;
        }
        let rules = material.friction_law(law.stiction_tolerance, law.softening);
        let slip = [motion.linear.x, motion.linear.y];
        let speed = rules.slip_speed(slip);
        let mu = match &rules.stribeck {
            Some(curve) => curve.coefficient(rules.mu, speed * speed),
            None => rules.mu,
        };
        let resists = [
            (mu, ["sliding", "sticking"], ["N", "m/s"]),
            (
                material.rotational.map_or(T::zero(), |of| of.torsional),
                ["spinning", "no longer spinning"],
                ["N m", "rad/s"],
            ),
            (
                material.rotational.map_or(T::zero(), |of| of.rolling),
                ["rolling", "no longer rolling"],
                ["N m", "rad/s"],
            ),
        ];
        let (turn, torque) = (motion.angular, force.torque);
        let vectors = [
            (slip, [force.force.x, force.force.y], slowed),
            ([turn.z, T::zero()], [torque.z, T::zero()], T::zero()),
            ([turn.x, turn.y], [torque.x, torque.y], T::zero()),
        ];
        for ((coefficient, changes, units), (slip, friction, slowed)) in
            resists.into_iter().zip(vectors)
        {
            if coefficient.re() <= 0.0 {
                continue;
            }
            // What holds begins to slip where friction comes to its limit, in which it is nearly linear; in the speed it
            // would be so in what slips. Friction draws slip towards zero, however it turns: without friction it would be
            // nearly linear.
            let speed = rules.slip_speed(slip);
            let (which, vector, bound) = match speed.re() < law.stiction_tolerance.re() {
                true => (0, friction, coefficient * force.force.z),
                false => (
                    1,
                    slip.map(|v| v + v.div_lifted(speed) * slowed),
                    law.stiction_tolerance + slowed,
                ),
            };
            let vector = &vector;
            show(
                changes[which],
                units[which],
                Margin::Length { vector, bound },
            );
        }
    }

    /// Shows that a pair that touches touches with its features, at poses of its geometries from which its points come
    /// nearer by `closing`, in m, before their forces are those that there are.
    pub(crate) fn show_features(
        &self,
        stage: &Stage<'_, T>,
        pair: usize,
        poses: [&RigidTransform<T>; 2],
        closing: f64,
    ) {
        let ends = self.pair(pair);
        let shapes = [ends.first, ends.second].map(|g| &self.geometries()[g].shape);
        let Some(relative) = RelativePose::of(shapes, poses) else {
            return;
        };
        let margin = 2.0 * closing + AROUND * relative.extent;
        let [a, b] = shapes;
        let Ok(at_least) = witnesses(a, poses[0], b, poses[1], margin, &mut Vec::new()) else {
            return;
        };
        if at_least == f64::INFINITY {
            return;
        }
        let real = OnceCell::new();
        let find = |slope: &dyn Fn(&T) -> f64, limit: f64| {
            let [a, b] = real.get_or_init(|| shapes.map(|shape| shape.cast::<f64>()));
            relative.change_of_features([a, b], slope, (closing, margin, limit))
        };
        let [a, b] = self.names_of(pair);
        stage.show(
            format_args!("{a}|{b}"),
            "features",
            "m",
            Margin::Search(Search {
                at_least,
                moving: &relative.moving(),
                find: &find,
            }),
        );
    }

    /// Shows that a pair does not touch, at poses of its geometries.
    pub(crate) fn show_gap(
        &self,
        stage: &Stage<'_, T>,
        pair: usize,
        poses: [&RigidTransform<T>; 2],
    ) {
        let ends = self.pair(pair);
        let shapes = [ends.first, ends.second].map(|g| &self.geometries()[g].shape);
        let Some(relative) = RelativePose::of(shapes, poses) else {
            return;
        };
        let (real, distance) = (OnceCell::new(), OnceCell::new());
        let find = |slope: &dyn Fn(&T) -> f64, limit: f64| {
            let found = || signed_distance(shapes[0], poses[0], shapes[1], poses[1]).ok();
            let distance = (*distance.get_or_init(found)).filter(|d| d.re() > 0.0)?;
            // It is not passed by what moves it, or changes the shapes, within the limit.
            let fastest = slope(&distance).abs() + 2.0 * relative.speed(slope);
            if distance.re() > limit * fastest {
                return None;
            }
            let [a, b] = real.get_or_init(|| shapes.map(|shape| shape.cast::<f64>()));
            relative.change_of_gap([a, b], slope, (slope(&distance), limit))
        };
        let [a, b] = self.names_of(pair);
        stage.show(
            format_args!("{a}|{b}"),
            "gap",
            "m",
            Margin::Search(Search {
                at_least: relative.gap_of_spheres(shapes),
                moving: &relative.moving(),
                find: &find,
            }),
        );
    }
}

impl<T: Scalar> ContactWorkspace<T> {
    /// The poses of the geometries of a pair with contacts that were evaluated.
    pub(crate) fn poses_of(&self, model: &ContactModel<T>, pair: usize) -> [RigidTransform<T>; 2] {
        let pair = model.pair(pair);
        [pair.first, pair.second].map(|g| self.poses[g])
    }
}

/// The pose of one of two shapes, of a finite size, in the frame of the other.
struct RelativePose<T> {
    is_first: bool,
    pose: RigidTransform<T>,
    extent: f64,
}

impl<T: Scalar> RelativePose<T> {
    fn of([a, b]: [&Shape<T>; 2], [x_wa, x_wb]: [&RigidTransform<T>; 2]) -> Option<Self> {
        let is_first = a.extent() <= b.extent();
        let (x_wm, x_wf, extent) = match is_first {
            true => (x_wa, x_wb, a.extent()),
            false => (x_wb, x_wa, b.extent()),
        };
        extent.is_finite().then(|| RelativePose {
            is_first,
            pose: x_wf.inverse() * *x_wm,
            extent,
        })
    }

    /// Numbers the length of whose change is at least that of the way of any point of the shape: with the change p of
    /// its origin and its turn θ, `|p| + r θ ≤ √(2 p² + 2 r² θ²)`, and a rotation matrix changes by `√2 θ`.
    fn moving(&self) -> Vec<T> {
        let (p, r) = (&self.pose.translation, &self.pose.rotation);
        let root = std::f64::consts::SQRT_2;
        let turning = r.iter().map(|r| *r * self.extent);
        p.iter().map(|p| *p * root).chain(turning).collect()
    }

    /// How far the shapes are from each other at least, by spheres about their origins.
    fn gap_of_spheres(&self, shapes: [&Shape<T>; 2]) -> f64 {
        let [a, b] = shapes.map(|shape| shape.extent());
        (self.pose.translation.map(|x| x.re()).norm() - a - b).max(0.0)
    }

    /// The poses of both shapes after a change along a direction, with the first or second in its place.
    fn along(&self, slope: &dyn Fn(&T) -> f64) -> impl Fn(f64) -> [RigidTransform<f64>; 2] {
        let pose: RigidTransform<f64> = self.pose.cast();
        let p = self.pose.translation.map(|x| slope(&x));
        let skew = pose.rotation.tr_mul(&self.pose.rotation.map(|x| slope(&x)));
        let turn = Vector3::new(
            skew[(2, 1)] - skew[(1, 2)],
            skew[(0, 2)] - skew[(2, 0)],
            skew[(1, 0)] - skew[(0, 1)],
        ) * 0.5;
        let is_first = self.is_first;
        move |change| {
            let moved = RigidTransform::new(
                pose.rotation * rotation::exp(&(turn * change)),
                pose.translation + p * change,
            );
            let stays = RigidTransform::identity();
            if is_first {
                [moved, stays]
            } else {
                [stays, moved]
            }
        }
    }

    /// How fast any point of the shape moves along a direction, at most.
    fn speed(&self, slope: &dyn Fn(&T) -> f64) -> f64 {
        let squares = self.moving().iter().map(|x| slope(x).powi(2)).sum::<f64>();
        squares.sqrt()
    }

    /// The change along a direction at which the shapes touch, if it is of no more than a limit: their distance along the
    /// motion, and as much more as `rate` is more than that gives at its start, because the shapes change themselves.
    fn change_of_gap(
        &self,
        [a, b]: [&Shape<f64>; 2],
        slope: &dyn Fn(&T) -> f64,
        (rate, limit): (f64, f64),
    ) -> Option<f64> {
        let (speed, poses) = (self.speed(slope), self.along(slope));
        let moved = |change: f64| {
            let [x_wa, x_wb] = poses(change);
            signed_distance(a, &x_wa, b, &x_wb).ok()
        };
        let gap = moved(0.0)?;
        let small = SMALL * (gap + self.extent) / speed;
        let rest = rate - (moved(small)? - moved(-small)?) / (2.0 * small);
        let rest = if rest.abs() > SMALL * speed {
            rest
        } else {
            0.0
        };
        let march = |sign: f64, limit: f64| {
            let (mut way, mut clear) = (0.0, gap);
            for _ in 0..MARCH {
                let ahead = clear / (speed + rest.abs());
                way += ahead;
                if way > limit {
                    return None;
                }
                clear = moved(sign * way)? + rest * sign * way;
                if ahead <= ARRIVED * way || clear <= 0.0 {
                    return Some(sign * way);
                }
            }
            None
        };
        let forward = march(1.0, limit);
        let limit = forward.map_or(limit, f64::abs);
        march(-1.0, limit).or(forward)
    }

    /// The change along a direction at which other features touch, if it is of no more than a limit.
    fn change_of_features(
        &self,
        [a, b]: [&Shape<f64>; 2],
        slope: &dyn Fn(&T) -> f64,
        (closing, margin, limit): (f64, f64, f64),
    ) -> Option<f64> {
        let (speed, poses) = (self.speed(slope), self.along(slope));
        let look = |change: f64| {
            let [x_wa, x_wb] = poses(change);
            let mut found = Vec::new();
            let clear = witnesses(a, &x_wa, b, &x_wb, margin, &mut found).ok()?;
            let touches = |witness: &Witness| {
                let point = witness.contact_point(a, &x_wa, b, &x_wb);
                point.is_ok_and(|point| point.penetration + closing > 0.0)
            };
            let touching = found.iter().copied().filter(touches).collect::<Vec<_>>();
            Some((found, touching, clear))
        };
        let (found, touching, clear) = look(0.0)?;
        let changes = |now: &[Witness], touching_now: &[Witness]| {
            touching.iter().any(|witness| !now.contains(witness))
                || (touching_now.iter()).any(|witness| !found.contains(witness))
        };
        let march = |sign: f64, limit: f64| {
            let (mut way, mut clear) = (0.0, clear);
            for _ in 0..MARCH {
                let next = way + (clear / speed).max(STRIDE * way);
                if next == 0.0 {
                    return Some(0.0);
                }
                if next > limit {
                    return None;
                }
                let (now, touching_now, clear_now) = look(sign * next)?;
                if changes(&now, &touching_now) {
                    let (mut before, mut after) = (way, next);
                    for _ in 0..BISECTION {
                        let middle = 0.5 * (before + after);
                        let (now, touching_now, _) = look(sign * middle)?;
                        if changes(&now, &touching_now) {
                            after = middle;
                        } else {
                            before = middle;
                        }
                    }
                    return Some(sign * after);
                }
                (way, clear) = (next, clear_now);
            }
            None
        };
        let forward = march(1.0, limit);
        let limit = forward.map_or(limit, f64::abs);
        march(-1.0, limit).or(forward)
    }
}
