//! The flight of free mechanisms, with their momentum kept.
//!
//! A free mechanism is carried by a floating joint on the world, and carries further bodies on joints. Forces, Coriolis forces
//! of the start included, give its coordinates the velocities v' over a step from `(q, v)`. With the momentum `A(q) v` of all
//! bodies about the origin of the first, and the forces `C` that their motion at constant velocities takes, the momentum
//! that forces from outside lead to is
//!
//! ```text
//! h = A(q) v' + δt C(q, v) − δt f
//! ```
//!
//! with f what [fast rotation](crate::system) adds: neither it nor C comes from outside. Joints move at their rates v'. With
//! them, the moments of inertia J about the centre of mass and the angular momentum l that the rates give while the first
//! body rests are those of the end of the step, seen in the frame of the first body. This turns as a
//! [free body](super::free_bodies) does, by the midpoint rule, from the angular velocity that goes with the momentum L of h
//! about the centre of mass,
//!
//! ```text
//! J Ω + l = L,    J Ω⁺ + l = Dᵀ L,    D = cay(δt Ω'),    Ω' = ½ (Ω + Ω⁺)
//! ```
//!
//! with vectors in the frame of the first body, whose orientation R becomes `R⁺ = R D`. The centre of mass goes straight on with
//! the linear momentum.
//! So momentum is that of h to round-off, whatever the length of a step, and what does not move its joints keeps its energy.
//!
//! J and l are found inwards, as composite inertias are: what a joint carries, seen in its parent, takes part in the joint's
//! motion with its whole inertia.

use super::column::{Axis, Column, ColumnKind};
use super::composite::Composite;
use super::configuration::quaternion_rate;
use super::error::TreeError;
use super::free_bodies::solve;
use super::inertia::Inertia;
use super::joint::JointKind;
use super::mass_matrix::force_of_unit_acceleration;
use super::mobilized_body::{MobilizedBody, vector_at};
use super::position_kinematics::translation_across;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::autodiff::{ChunkDual, varies};
use crate::math::{RigidTransform, SpatialForce, SpatialVelocity, rotation};
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Quaternion, Vector3};
use std::ops::Range;

/// Newton's iterations after which `Ω⁺` is given up; momentum is kept all the same.
const MAX_ITERATIONS: usize = 30;
/// Residual of the equation for `Ω⁺`, relative to the momentum, that is round-off.
const ROUND_OFF: f64 = 1e-15;
/// The slope is evaluated anew after an iteration that leaves more than this part of the residual.
const SLOPE_AGES: f64 = 1e-3;

/// Where a free mechanism is in a tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FreeMechanism {
    /// Its mobilized bodies, that on the floating joint first.
    pub(super) bodies: Range<usize>,
    /// The first of the positions of that, a quaternion.
    pub q: usize,
    /// Its velocity coordinates, six of the floating joint first.
    pub v: Range<usize>,
}

/// The momentum of a free mechanism about the centre of mass after the forces of a step, and the way from the origin of its
/// first body to that centre at the start; in W.
#[derive(Debug, Clone, Copy)]
pub(super) struct Momentum<T> {
    pub angular: Vector3<T>,
    pub linear: Vector3<T>,
    pub center: Vector3<T>,
}

/// Memory of flights.
#[derive(Debug, Clone)]
pub(crate) struct Flights<T: Scalar> {
    pub(super) mechanisms: Vec<FreeMechanism>,
    pub(super) momenta: Vec<Momentum<T>>,
    /// What each body carries.
    composites: Vec<Composite<T>>,
}

/// How the first body turns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn<T: Scalar> {
    /// `Ω`, `Ω⁺` and J.
    pub start: Vector3<T>,
    pub end: Vector3<T>,
    pub moments: Matrix3<T>,
    /// Whether the midpoint rule has a solution, which Ω⁺ is.
    pub is_middle: bool,
}

impl<T: Scalar> Flights<T> {
    pub fn new(tree: &RigidBodyTree<T>) -> Self {
        Flights {
            mechanisms: tree.free_mechanisms(),
            momenta: Vec::new(),
            composites: vec![Composite::at_rest(Inertia::zero()); tree.mobilized.len()],
        }
    }

    /// Takes over momenta in `f64`.
    pub fn take_over(&mut self, from: &Flights<f64>) {
        let lift = |x: &Vector3<f64>| x.map(T::from);
        self.momenta.clear();
        (self.momenta).extend(from.momenta.iter().map(|momentum| Momentum {
            angular: lift(&momentum.angular),
            linear: lift(&momentum.linear),
            center: lift(&momentum.center),
        }));
    }

    /// The mechanisms that fly.
    pub fn mechanisms(&self) -> &[FreeMechanism] {
        &self.mechanisms
    }

    /// Whether nothing flies.
    pub fn is_empty(&self) -> bool {
        self.mechanisms.is_empty()
    }
}

impl<T: Scalar> RigidBodyTree<T> {
    /// The free mechanisms.
    pub(crate) fn free_mechanisms(&self) -> Vec<FreeMechanism> {
        let is_root = |i: usize| {
            let m = &self.mobilized[i];
            let joint = m.joint.map(|joint| self.joints[joint.get()].kind());
            m.parent == 0 && joint == Some(&JointKind::Floating)
        };
        let roots = (1..self.mobilized.len()).filter(|&i| is_root(i));
        let mechanisms = roots.filter_map(|first| {
            // Bodies are numbered depth first.
            let rest = &self.mobilized[first + 1..];
            let carried = rest.iter().position(|m| m.parent < first);
            let bodies = first..first + 1 + carried.unwrap_or(rest.len());
            let m = &self.mobilized[first];
            let start = self.columns[m.columns.start].coordinate;
            let columns = self.mobilized[bodies.end - 1].columns.end;
            let columns = &self.columns[m.columns.start..columns];
            let end = columns.iter().map(|column| column.coordinate + 1).max()?;
            let own = |coordinate: usize| (start..end).contains(&coordinate);
            let is_alone = columns.iter().all(|column| own(column.coordinate));
            (bodies.len() > 1 && is_alone).then_some(FreeMechanism {
                bodies,
                q: m.position_start,
                v: start..end,
            })
        });
        mechanisms.collect()
    }

    /// Lets free mechanisms fly whose momenta have been found: joints have moved from `q` to `next_q` at the velocities `v` over
    /// the time `dt`; writes where their first bodies come to.
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when numbers overflow.
    pub(crate) fn fly_mechanisms(
        &self,
        flights: &mut Flights<T>,
        (q, v): (&[T], &[T]),
        dt: T,
        (next_q, next_v): (&mut [T], &mut [T]),
    ) -> Result<(), TreeError> {
        if flights.is_empty() {
            return Ok(());
        }
        let Flights {
            mechanisms,
            momenta,
            composites,
        } = flights;
        for (mechanism, momentum) in mechanisms.iter().zip(&*momenta) {
            let composite = self.composite_at(mechanism, (next_q, v), composites);
            let (mass, center) = (composite.inertia.mass, composite.center());
            let floating = &self.mobilized[mechanism.bodies.start];
            let angular = floating.in_joint_frame(momentum.angular);
            let linear = floating.in_joint_frame(momentum.linear);
            let from = floating.in_joint_frame(momentum.center);
            let (i, k) = (mechanism.q, mechanism.v.start);
            let start = Quaternion::new(q[i], q[i + 1], q[i + 2], q[i + 3]);
            let before = rotation::matrix_from_quaternion(&start);
            let turn = composite.turn(&before.tr_mul(&angular), &center, dt);
            let middle = before * (turn.start + turn.end) * T::from(0.5);
            let turned = start.coords + quaternion_rate(&start, &middle).coords * dt;
            let end = Quaternion::from(turned * (T::one() / turned.dot(&turned).sqrt_lifted()));
            // What the quaternions make of the turn, so that momentum is kept for them.
            let after = rotation::matrix_from_quaternion(&end);
            let relative = composite.angular_about(&center);
            let w = after * turn.solve(&(after.tr_mul(&angular) - relative));
            let next_center = after * center;
            let of_center = linear / mass;
            let p = from + of_center * dt - next_center;
            let of_origin = of_center - w.cross(&next_center) - after * (composite.linear / mass);
            let x = [end.w, end.i, end.j, end.k];
            next_q[i..i + 4].copy_from_slice(&x);
            for axis in 0..3 {
                next_q[i + 4 + axis] = q[i + 4 + axis] + p[axis];
                next_v[k + axis] = w[axis];
                next_v[k + 3 + axis] = of_origin[axis];
            }
            InvalidInput::check_finite("positions of a free mechanism", &next_q[i..i + 7])?;
            InvalidInput::check_finite("velocities of a free mechanism", &next_v[k..k + 6])?;
        }
        Ok(())
    }

    /// Finds the velocities from which free mechanisms flew from `q` to `next_q` and those of `v`, which it replaces; bodies
    /// are at the start of the step, with the velocities there.
    ///
    /// # Errors
    /// As [`Self::set_state`].
    pub(crate) fn fly_mechanisms_back(
        &self,
        flights: &mut Flights<T>,
        (bodies, carrying): (&mut TreeWorkspace<T>, Option<&[SpatialForce<T>]>),
        next_q: &[T],
        v: &mut [T],
        dt: T,
    ) -> Result<(), TreeError> {
        if flights.is_empty() {
            return Ok(());
        }
        // Momenta at the end, and at the start without the velocities of the first bodies.
        for mechanism in &flights.mechanisms {
            let (body, first) = (mechanism.bodies.start, mechanism.v.start);
            let in_body = self.composite_at(mechanism, (next_q, v), &mut flights.composites);
            let to_joint = &self.mobilized[body].joint_frame.rotation;
            let [w, of_origin] = [first, first + 3].map(|i| to_joint * vector_at(v, i));
            let mut composite = in_body.rotated(&self.orientation(mechanism, next_q));
            composite.add_momentum(&composite.inertia.of_turning(&w));
            composite.add_momentum(&composite.inertia.of_moving(&of_origin));
            flights.composites[body] = composite;
            v[first..first + 6].fill(T::zero());
        }
        self.find_momenta(flights, (bodies, carrying), v, dt);
        for (mechanism, without) in flights.mechanisms.iter().zip(&flights.momenta) {
            let end = flights.composites[mechanism.bodies.start];
            let angular = end.angular_about(&end.center());
            let start = self.composite(mechanism, bodies);
            let moments = start.moments(&without.center);
            let w = solve(&moments, &(angular - without.angular));
            let of_center = (end.linear - without.linear) / end.inertia.mass;
            let of_origin = of_center - w.cross(&without.center);
            let floating = &self.mobilized[mechanism.bodies.start];
            let first = mechanism.v.start;
            let target = v[first..first + 6].iter_mut();
            let [w, of_origin] = [w, of_origin].map(|x| floating.in_joint_frame(x));
            (target.zip(w.iter().chain(&of_origin))).for_each(|(v, &x)| *v = x);
        }
        Ok(())
    }

    /// Finds the momenta of mechanisms whose bodies are at the start of a step, with the velocities there, and which forces give
    /// the velocities `v`; what fast rotation adds acts on them.
    pub(crate) fn find_momenta(
        &self,
        flights: &mut Flights<T>,
        (bodies, carrying): (&mut TreeWorkspace<T>, Option<&[SpatialForce<T>]>),
        v: &[T],
        dt: T,
    ) {
        let rate = dt.recip();
        self.newton_euler(bodies, Vector3::zeros(), |coordinate| v[coordinate] * rate);
        self.subtract_external(bodies, carrying);
        flights.momenta.clear();
        for mechanism in &flights.mechanisms {
            let origin = bodies.positions[mechanism.bodies.start].pose.translation;
            let (mut sum, mut mass, mut first_moment) =
                (SpatialForce::zero(), T::zero(), Vector3::zeros());
            for i in mechanism.bodies.clone() {
                let (position, own) = (&bodies.positions[i], self.mobilized[i].inertia.mass);
                let offset = position.pose.translation - origin;
                mass += own;
                first_moment += position.first_moment + offset * own;
                sum += bodies.forces[i].shift(&-offset);
            }
            let center = first_moment / mass;
            flights.momenta.push(Momentum {
                angular: (sum.torque - center.cross(&sum.force)) * dt,
                linear: sum.force * dt,
                center,
            });
        }
    }

    /// Finds the momenta `A (v' + v) − p + …` of mechanisms whose forces lead from `v` to `v'`, from what the mass matrix has left
    /// in the workspace and the generalized momenta `p = M v − δt (C − τ_g)`, with what is carried over.
    pub(crate) fn find_momenta_of_balance(
        &self,
        flights: &mut Flights<T>,
        bodies: &TreeWorkspace<T>,
        (v, next_v, p): (&[T], &[T], &[T]),
        dt: T,
    ) {
        flights.momenta.clear();
        for mechanism in &flights.mechanisms {
            let first = mechanism.bodies.start;
            let composite = &bodies.composites[first];
            let (mass, center) = (composite.mass, composite.first_moment / composite.mass);
            let columns = self.mobilized[mechanism.bodies.end - 1].columns.end;
            let columns = self.mobilized[first].columns.start..columns;
            let forces = &bodies.branch_forces[columns.clone()];
            let mut sum = SpatialForce::zero();
            for (column, force) in self.columns[columns].iter().zip(forces) {
                let rate = v[column.coordinate] + next_v[column.coordinate];
                sum += SpatialForce::new(force.torque * rate, force.force * rate);
            }
            // Armatures turn with their joints alone.
            let [torque, force] = self.across(&self.mobilized[first], &bodies.axes, |column| {
                column.armature * v[column.coordinate] - p[column.coordinate]
            });
            sum += SpatialForce::new(torque, force);
            flights.momenta.push(Momentum {
                angular: sum.torque - center.cross(&sum.force),
                linear: sum.force + self.gravity * (mass * dt),
                center,
            });
        }
    }

    /// The sums of the axes about and along which a joint moves a body, by factors.
    fn across(
        &self,
        m: &MobilizedBody<T>,
        axes: &[Vector3<T>],
        factor: impl Fn(&Column<T>) -> T,
    ) -> [Vector3<T>; 2] {
        let (mut about, mut along) = (Vector3::zeros(), Vector3::zeros());
        let columns = &self.columns[m.columns.clone()];
        for (column, axis) in columns.iter().zip(&axes[m.columns.clone()]) {
            let by = axis * factor(column);
            match column.kind {
                ColumnKind::Rotation => about += by,
                ColumnKind::Translation => along += by,
            }
        }
        [about, along]
    }

    /// By how much the angular momentum of mechanisms about their centres of mass, bodies being at the end of a step, differs
    /// from that which has been found: the largest difference of those that are more than a part of what their bodies have.
    pub(crate) fn momentum_gain(
        &self,
        flights: &Flights<T>,
        bodies: &TreeWorkspace<T>,
        part: f64,
    ) -> Option<f64> {
        let gains =
            (flights.mechanisms.iter().zip(&flights.momenta)).filter_map(|(mechanism, l)| {
                let composite = self.composite(mechanism, bodies);
                let center = composite.center();
                let angular = composite.angular_about(&center);
                let origin = bodies.positions[mechanism.bodies.start].pose.translation;
                let speed = composite.linear / composite.inertia.mass;
                let of_body = |i: usize| {
                    let (position, own) = (&bodies.positions[i], &self.mobilized[i].inertia);
                    let arm = position.pose.translation - origin - center;
                    let momentum = position.momentum(own, &bodies.velocities[i].spatial);
                    let relative = momentum.linear - speed * own.mass;
                    let turning = momentum.angular - position.first_moment.cross(&speed);
                    let about_center = turning + arm.cross(&relative);
                    about_center.map(|x| x.re()).norm()
                };
                let gain = (angular - l.angular).map(|x| x.re()).norm();
                (gain > part * mechanism.bodies.clone().map(of_body).sum::<f64>()).then_some(gain)
            });
        gains.reduce(f64::max)
    }

    /// The orientation in W of the first body of a mechanism.
    fn orientation(&self, mechanism: &FreeMechanism, q: &[T]) -> Matrix3<T> {
        let i = mechanism.q;
        let turned = Quaternion::new(q[i], q[i + 1], q[i + 2], q[i + 3]);
        let to_joint = &self.mobilized[mechanism.bodies.start].joint_frame.rotation;
        to_joint * rotation::matrix_from_quaternion(&turned)
    }

    /// What a mechanism is where its joints are at `q` and move at `v` while its first body rests, in that body.
    fn composite_at(
        &self,
        mechanism: &FreeMechanism,
        (q, v): (&[T], &[T]),
        composites: &mut [Composite<T>],
    ) -> Composite<T> {
        let first = mechanism.bodies.start;
        let own = &self.mobilized[mechanism.bodies.clone()];
        for (composite, m) in composites[mechanism.bodies.clone()].iter_mut().zip(own) {
            *composite = Composite::at_rest(m.inertia);
        }
        for i in mechanism.bodies.clone().skip(1).rev() {
            let m = &self.mobilized[i];
            let (inner, outer) = composites.split_at_mut(i);
            let (inner, carried) = (&mut inner[m.parent], &outer[0]);
            let coordinates = &q[m.position_start..];
            let columns = &self.columns[m.columns.clone()];
            match (m.motion.sine_and_cosine(coordinates), columns) {
                (
                    Some(turn),
                    &[
                        Column {
                            axis: Axis::Aligned(axis, length),
                            coordinate,
                            ..
                        },
                    ],
                ) => {
                    let rate = v[coordinate] * length;
                    match axis {
                        0 => inner.add_across_hinge::<0>(carried, m, turn, rate),
                        1 => inner.add_across_hinge::<1>(carried, m, turn, rate),
                        _ => inner.add_across_hinge::<2>(carried, m, turn, rate),
                    }
                }
                _ => {
                    let mut carried = carried.rotated(&m.motion.rotation(coordinates));
                    for column in columns {
                        let rate = column.axis.times(v[column.coordinate]);
                        let own = force_of_unit_acceleration(column, &rate, &carried.inertia);
                        carried.add_momentum(&own);
                    }
                    inner.add_across_frame(&carried, m, translation_across(&m.motion, coordinates));
                }
            }
        }
        composites[first]
    }

    /// What the bodies of a mechanism are together at the state of a workspace, in W.
    pub(super) fn composite(
        &self,
        mechanism: &FreeMechanism,
        workspace: &TreeWorkspace<T>,
    ) -> Composite<T> {
        let positions = &workspace.positions;
        let origin = positions[mechanism.bodies.start].pose.translation;
        let mut composite = Composite::at_rest(Inertia::zero());
        for i in mechanism.bodies.clone() {
            let (position, own) = (&positions[i], &self.mobilized[i].inertia);
            let offset = position.pose.translation - origin;
            let inertia = own.rotated(&position.pose.rotation, position.first_moment);
            let mut body = Composite::at_rest(inertia);
            let SpatialVelocity { angular, linear } = &workspace.velocities[i].spatial;
            body.add_momentum(&inertia.of_turning(angular));
            body.add_momentum(&inertia.of_moving(linear));
            composite.add_shifted(&body, &offset);
        }
        composite
    }
}

impl RigidBodyTree<ChunkDual> {
    /// Whether the inertia of a body of a free mechanism varies in the tree.
    pub(super) fn mass_of_mechanisms_varies(&self) -> bool {
        let mechanisms = self.free_mechanisms();
        let bodies = mechanisms
            .iter()
            .flat_map(|mechanism| mechanism.bodies.clone());
        bodies.map(|i| self.mobilized[i].inertia).any(|inertia| {
            let moments = inertia.rotational.to_matrix();
            let others = inertia.first_moment.iter().chain([&inertia.mass]);
            moments.iter().chain(others).any(varies)
        })
    }
}

impl<T: Scalar> MobilizedBody<T> {
    /// A vector that is given in the parent, in the frame of the joint on it.
    #[inline]
    fn in_joint_frame(&self, x: Vector3<T>) -> Vector3<T> {
        match self.is_parallel {
            true => x,
            false => self.joint_frame.rotation.tr_mul(&x),
        }
    }
}

impl<T: Scalar> Composite<T> {
    /// Adds what a hinge carries that has turned about axis I, by its sine and cosine, and turns at `rate`.
    #[inline]
    fn add_across_hinge<const I: usize>(
        &mut self,
        carried: &Self,
        m: &MobilizedBody<T>,
        [sin, cos]: [T; 2],
        rate: T,
    ) {
        let turned = carried.turned::<I>(sin, cos, rate);
        match m.is_parallel {
            true => self.add_shifted(&turned, &m.joint_frame.translation),
            false => self.add_across_frame(&turned, m, None),
        }
    }

    /// Adds what a joint carries, seen in the frame of the joint on the parent, with the translation of the joint.
    fn add_across_frame(
        &mut self,
        carried: &Self,
        m: &MobilizedBody<T>,
        translation: Option<Vector3<T>>,
    ) {
        let RigidTransform {
            rotation: r,
            translation: p,
        } = &m.joint_frame;
        let offset = translation.map_or(*p, |p_fb| p + rotation::applied(r, &p_fb));
        match m.is_parallel {
            true => self.add_shifted(carried, &offset),
            false => self.add_shifted(&carried.rotated(r), &offset),
        }
    }

    /// Turns over the time `dt` with an angular momentum, from moments and momentum with the first body at rest.
    pub(super) fn turn(&self, angular: &Vector3<T>, center: &Vector3<T>, dt: T) -> Turn<T> {
        let moments = self.moments(center);
        let relative = self.angular_about(center);
        let start = solve(&moments, &(angular - relative));
        let mut turn = Turn {
            start,
            end: start,
            moments,
            is_middle: false,
        };
        let real = |x: &Vector3<T>| x.map(|x| x.re());
        let (real_start, real_l) = (real(&start), real(angular));
        let (real_moments, real_relative) = (moments.map(|x| x.re()), real(&relative));
        let quarter = 0.25 * dt.re();
        let residual = |x: &Vector3<f64>| {
            let turned = turned_back(&((real_start + x) * quarter), &real_l);
            let r = real_moments * x + real_relative - turned;
            (r, r.norm(), turned)
        };
        let slope = |x: &Vector3<f64>, turned: &Vector3<f64>| {
            slope(
                (&real_moments, quarter),
                &((real_start + x) * quarter),
                &(turned + real_l),
            )
        };
        let small = ROUND_OFF * (real_l.norm() + real_relative.norm());
        let (mut x, (mut r, mut size, mut turned)) = (real_start, residual(&real_start));
        let mut inverse = None;
        for _ in 0..MAX_ITERATIONS {
            if size <= small {
                break;
            }
            let Some(by_residual) = inverse.or_else(|| slope(&x, &turned).try_inverse()) else {
                break;
            };
            let next = x - by_residual * r;
            let (next_r, next_size, next_turned) = residual(&next);
            if next_size >= size {
                break;
            }
            inverse = Some(by_residual).filter(|_| next_size <= SLOPE_AGES * size);
            (x, r, size, turned) = (next, next_r, next_size, next_turned);
        }
        if size > 1e3 * small || !size.is_finite() {
            return turn;
        }
        turn.is_middle = true;
        turn.end = x.map(T::from);
        if T::NDERIV == 0 {
            return turn;
        }
        let slope = slope(&x, &turned).map(T::from);
        for _ in 0..T::NDERIV {
            let half = (start + turn.end) * (dt * 0.25);
            let error = moments * turn.end + relative - turned_back(&half, angular);
            let change = solve(&slope, &error);
            turn.end = (turn.end).zip_map(&change, |x, change| (x - change).with_real(x.re()));
        }
        turn
    }
}

impl<T: Scalar> Turn<T> {
    /// The angular velocity that gives an angular momentum.
    pub(super) fn solve(&self, momentum: &Vector3<T>) -> Vector3<T> {
        solve(&self.moments, momentum)
    }
}

/// `(1 + a×)⁻¹ b`.
pub(super) fn without_half_turn<T: Scalar>(a: &Vector3<T>, b: &Vector3<T>) -> Vector3<T> {
    (b - a.cross(b) + a * a.dot(b)) * (a.dot(a) + 1.0).recip()
}

/// `cay(2 a)ᵀ x`.
pub(super) fn turned_back<T: Scalar>(a: &Vector3<T>, x: &Vector3<T>) -> Vector3<T> {
    without_half_turn(a, &(x - a.cross(x)))
}

/// The slope of `J Ω⁺ − cay(2 a)ᵀ L` by `Ω⁺`, of which a has a quarter of δt, with the sum of L before and after its turn.
pub(super) fn slope(
    (moments, quarter): (&Matrix3<f64>, f64),
    a: &Vector3<f64>,
    sum: &Vector3<f64>,
) -> Matrix3<f64> {
    let skew = sum.cross_matrix();
    let column = |i| without_half_turn(a, &skew.column(i).into_owned());
    moments - Matrix3::from_columns(&[column(0), column(1), column(2)]) * quarter
}
