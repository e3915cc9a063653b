//! Derivatives of the [flight of a free mechanism](super::free_mechanisms).
//!
//! Momentum changes with a coordinate q as what the joint of q carries moves. About the origin of the body on the joint, with
//! an axis a, what is carried has the inertia I, the momentum p and, of the body, the velocity V in the coordinates of the
//! joint, which q leaves as it is:
//!
//! ```text
//! ∂p/∂q = a × p − I (a × V)    for a turn about a
//! ∂p/∂q = I (0; w × a)         for a way along a, with the angular velocity w of the body inboard
//! ```
//!
//! Everything else follows from the equations of the flight, at its `Ω⁺`, with `a = ¼ δt (Ω + Ω⁺)` and `y = Dᵀ L`:
//!
//! ```text
//! δΩ = J⁻¹ (δL − δ(J Ω + l)),   (1 + a×) δy = (1 − a×) δL + (y + L) × δa,   J δΩ⁺ = δy − δ(J Ω⁺ + l)
//! ```
//!
//! where δ leaves Ω and Ω⁺ as they are in what stands in parentheses.

use super::column::ColumnKind;
use super::composite::Composite;
use super::free_bodies::solve;
use super::free_mechanisms::{
    Flights, FreeMechanism, Momentum, Turn, slope, turned_back, without_half_turn,
};
use super::mass_matrix::force_of_unit_acceleration;
use super::mobilized_body::Motion;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::math::SpatialForce;
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

/// How the first body comes to the end of a flight: its turn, position, angular velocity and that of its origin, in the
/// frame of its joint.
pub(crate) type EndSlopes = SVector<f64, 12>;

/// Derivatives of the flight of a mechanism with respect to its velocity coordinates, or along them.
#[derive(Debug, Clone, Default)]
pub(crate) struct MechanismSlopes {
    /// Along the positions at the start; of the position of the first body beside that it goes along.
    pub by_position: Vec<EndSlopes>,
    /// With respect to the velocities at the start, and to those after the forces of the step.
    pub by_start_velocity: Vec<EndSlopes>,
    pub by_velocity: Vec<EndSlopes>,
}

/// Memory of derivatives of momenta.
#[derive(Debug, Clone)]
pub(crate) struct MomentumSlopes {
    /// At the rates of the joints and where these lead to, with the first bodies at rest where they were.
    moved: TreeWorkspace<f64>,
    start: Vec<MomentumColumn>,
    turning: Vec<MomentumColumn>,
    turned: Vec<MomentumColumn>,
}

/// How the momentum of a mechanism about the origin of its first body, and its first moment about that, depend on a
/// coordinate.
#[derive(Debug, Clone, Copy)]
struct MomentumColumn {
    by_position: SpatialForce<f64>,
    by_velocity: SpatialForce<f64>,
    first_moment: Vector3<f64>,
}

/// Six entries of the derivatives of the forces of inverse dynamics, by the first row and the column.
pub(crate) struct DynamicsSlopes<Q, V> {
    pub by_position: Q,
    pub by_velocity: V,
}

/// What the end of a flight depends on, or how that changes: momentum about the centre of mass and where that is at the
/// start; at the end as if the first body had not turned, the angular momenta at Ω and at Ω⁺, the linear momentum at Ω⁺, and
/// the centre of mass.
#[derive(Debug, Clone, Copy)]
struct Change {
    angular: Vector3<f64>,
    linear: Vector3<f64>,
    center: Vector3<f64>,
    turn: Vector3<f64>,
    at_start: Vector3<f64>,
    at_end: Vector3<f64>,
    linear_at_end: Vector3<f64>,
    next_center: Vector3<f64>,
}

impl Change {
    fn none() -> Self {
        let zero = Vector3::zeros();
        Change {
            angular: zero,
            linear: zero,
            center: zero,
            turn: zero,
            at_start: zero,
            at_end: zero,
            linear_at_end: zero,
            next_center: zero,
        }
    }
}

impl MomentumSlopes {
    pub fn new(tree: &RigidBodyTree<f64>) -> Self {
        MomentumSlopes {
            moved: tree.workspace(),
            start: Vec::new(),
            turning: Vec::new(),
            turned: Vec::new(),
        }
    }
}

impl MomentumColumn {
    fn zero() -> Self {
        MomentumColumn {
            by_position: SpatialForce::zero(),
            by_velocity: SpatialForce::zero(),
            first_moment: Vector3::zeros(),
        }
    }
}

impl RigidBodyTree<f64> {
    /// Whether [slopes](Self::mechanism_slopes) of all mechanisms are known: their joints, but the first, have no quaternions.
    pub(crate) fn has_mechanism_slopes(&self) -> bool {
        // Bodies are numbered depth first.
        let mut floats = false;
        self.mobilized.iter().skip(1).all(|m| {
            let is_first = m.parent == 0;
            if is_first {
                floats = matches!(m.motion, Motion::Floating);
            }
            is_first || !floats || !m.motion.has_quaternion()
        })
    }

    /// Writes how the flights that have just been made from `q` to `next_q`, with the velocities `v` over the time `dt`, depend on
    /// where they started, with bodies at the start and the derivatives of the forces of the step by inverse dynamics.
    pub(crate) fn mechanism_slopes(
        &self,
        flights: &Flights<f64>,
        (memory, start): (&mut MomentumSlopes, &mut TreeWorkspace<f64>),
        dynamics: &DynamicsSlopes<
            impl Fn(usize, usize) -> [f64; 6],
            impl Fn(usize, usize) -> [f64; 6],
        >,
        (q, v, next_q, dt): (&[f64], &[f64], &[f64], f64),
        out: &mut Vec<MechanismSlopes>,
    ) {
        let moved = &mut memory.moved;
        moved.q.copy_from_slice(next_q);
        moved.v.copy_from_slice(v);
        for FreeMechanism { q: i, v: k, .. } in &flights.mechanisms {
            moved.q[*i..i + 7].copy_from_slice(&q[*i..i + 7]);
            moved.v[k.start..k.start + 6].fill(0.0);
        }
        self.update_positions(moved);
        self.update_velocities(moved);
        out.resize_with(flights.mechanisms.len(), MechanismSlopes::default);
        for (flight, out) in (flights.mechanisms.iter().zip(&flights.momenta)).zip(out) {
            self.slopes_of_flight(flight, (memory, start), dynamics, dt, out);
        }
    }

    fn slopes_of_flight(
        &self,
        (mechanism, momentum): (&FreeMechanism, &Momentum<f64>),
        (memory, start): (&mut MomentumSlopes, &mut TreeWorkspace<f64>),
        dynamics: &DynamicsSlopes<
            impl Fn(usize, usize) -> [f64; 6],
            impl Fn(usize, usize) -> [f64; 6],
        >,
        dt: f64,
        out: &mut MechanismSlopes,
    ) {
        let moved = &mut memory.moved;
        let to_joint = self.mobilized[mechanism.bodies.start].joint_frame.rotation;
        let composite = self.composite(mechanism, moved);
        let mass = composite.inertia.mass;
        let center = composite.center();
        let turn = composite.turn(&momentum.angular, &center, dt);
        let flight = Flight::new(
            (&composite, center, to_joint),
            (&turn, &momentum.angular),
            dt,
        );
        let by_momentum = flight.by_momentum();
        let (first, columns) = (mechanism.v.start, mechanism.v.len());
        self.momentum_columns(mechanism, start, &mut memory.start);
        let mut with_turn = |w: &Vector3<f64>, out: &mut Vec<MomentumColumn>| {
            let w = to_joint.tr_mul(w);
            moved.v[first..first + 3].copy_from_slice(w.as_slice());
            self.update_velocities(moved);
            self.momentum_columns(mechanism, moved, out);
        };
        with_turn(&turn.start, &mut memory.turning);
        with_turn(&flight.reached, &mut memory.turned);
        let linear_at_start = composite.linear_at(&turn.start);
        let weight = self.gravity * (mass * dt);
        // About the centre of mass, from about the origin of the first body.
        let about = |slope: &SpatialForce<f64>, center: &Vector3<f64>| {
            slope.torque - center.cross(&slope.force)
        };
        let force = |[t0, t1, t2, f0, f1, f2]: [f64; 6]| {
            let at = |entries| to_joint * Vector3::from(entries) * dt;
            SpatialForce::new(at([t0, t1, t2]), at([f0, f1, f2]))
        };
        let at_end = |k: usize, change: &mut Change, factor: f64| {
            let (a, b) = (&memory.turning[k], &memory.turned[k]);
            let next_center = a.first_moment / mass;
            change.next_center += next_center * factor;
            let at = |slope: &SpatialForce<f64>, linear: &Vector3<f64>| {
                about(slope, &center) - next_center.cross(linear)
            };
            change.at_start += at(&a.by_position, &linear_at_start) * factor;
            change.at_end += at(&b.by_position, &flight.linear_at_end) * factor;
            change.linear_at_end += b.by_position.force * factor;
        };
        for slopes in [
            &mut out.by_position,
            &mut out.by_start_velocity,
            &mut out.by_velocity,
        ] {
            slopes.clear();
        }
        for k in 0..columns {
            let coordinate = first + k;
            let before = &memory.start[k];
            let mut change = Change::none();
            if !(3..6).contains(&k) {
                let added = force((dynamics.by_position)(first, coordinate));
                let grown = before.by_position + added;
                change.center = before.first_moment / mass;
                change.angular = about(&grown, &momentum.center)
                    - change.center.cross(&(momentum.linear - weight));
                change.linear = grown.force;
                if k < 3 {
                    change.turn = to_joint.column(k).into();
                }
                at_end(k, &mut change, 1.0);
            }
            out.by_position.push(flight.end_slopes(&change));
            let added = force((dynamics.by_velocity)(first, coordinate));
            let given = |slope: &SpatialForce<f64>| {
                let angular = about(slope, &momentum.center);
                by_momentum.fixed_columns::<3>(0) * angular
                    + by_momentum.fixed_columns::<3>(3) * slope.force
            };
            out.by_start_velocity.push(given(&added));
            if k < 6 {
                out.by_velocity.push(given(&before.by_velocity));
                continue;
            }
            let mut change = Change {
                angular: about(&before.by_velocity, &momentum.center),
                linear: before.by_velocity.force,
                ..Change::none()
            };
            at_end(k, &mut change, dt);
            let at_rate = about(&memory.turned[k].by_velocity, &center);
            change.at_start += at_rate;
            change.at_end += at_rate;
            change.linear_at_end += memory.turned[k].by_velocity.force;
            out.by_velocity.push(flight.end_slopes(&change));
        }
    }

    /// Writes how the momentum of a mechanism depends on its coordinates at the state of a workspace.
    fn momentum_columns(
        &self,
        mechanism: &FreeMechanism,
        workspace: &mut TreeWorkspace<f64>,
        out: &mut Vec<MomentumColumn>,
    ) {
        let TreeWorkspace {
            positions,
            velocities,
            axes,
            composites,
            forces,
            ..
        } = workspace;
        let root = mechanism.bodies.start;
        out.clear();
        out.resize(mechanism.v.len(), MomentumColumn::zero());
        for i in mechanism.bodies.clone() {
            let (position, own) = (&positions[i], &self.mobilized[i].inertia);
            composites[i] = own.rotated(&position.pose.rotation, position.first_moment);
            let momentum = position.momentum(own, &velocities[i].spatial);
            forces[i] = SpatialForce::new(momentum.angular, momentum.linear);
        }
        let origin = positions[root].pose.translation;
        for i in mechanism.bodies.clone().rev() {
            let m = &self.mobilized[i];
            let (carried, momentum, velocity) = (composites[i], forces[i], velocities[i].spatial);
            let p = positions[i].pose.translation - origin;
            for k in m.columns.clone() {
                let (column, a) = (&self.columns[k], &axes[k]);
                let by_velocity = force_of_unit_acceleration(column, a, &carried);
                let (by_position, first_moment) = match column.kind {
                    ColumnKind::Rotation => {
                        let (turned, moved) =
                            (a.cross(&velocity.angular), a.cross(&velocity.linear));
                        let turned =
                            SpatialForce::new(a.cross(&momentum.torque), a.cross(&momentum.force))
                                - (carried.of_turning(&turned) + carried.of_moving(&moved));
                        (turned, a.cross(&carried.first_moment))
                    }
                    // The first body takes the origin along.
                    ColumnKind::Translation if i == root => {
                        (SpatialForce::zero(), Vector3::zeros())
                    }
                    ColumnKind::Translation => {
                        let carrying = velocities[m.parent].spatial.angular.cross(a);
                        let mut moved = carried.of_moving(&carrying);
                        moved.torque += a.cross(&momentum.force);
                        (moved, a * carried.mass)
                    }
                };
                let sum = &mut out[column.coordinate - mechanism.v.start];
                sum.by_position += by_position.shift(&-p);
                sum.by_velocity += by_velocity.shift(&-p);
                sum.first_moment += first_moment;
            }
            if i != root {
                let offset = positions[i].offset;
                composites[m.parent].add_shifted(&carried, &offset);
                forces[m.parent] += momentum.shift(&-offset);
            }
        }
    }
}

/// A flight that has been made.
struct Flight {
    dt: f64,
    mass: f64,
    /// The centre of mass, the linear momentum at Ω⁺ and Ω⁺, as if the first body had not turned.
    center: Vector3<f64>,
    linear_at_end: Vector3<f64>,
    reached: Vector3<f64>,
    to_joint: Matrix3<f64>,
    /// `a`, and the sum of L and y.
    half_turn: Vector3<f64>,
    sum: Vector3<f64>,
    /// D into the frame of the joint, `(1 + a×)⁻¹`, `J⁻¹`, and that with which Ω⁺ changes; without the last Ω⁺ is not of the
    /// midpoint rule.
    forth: Matrix3<f64>,
    unturning: Matrix3<f64>,
    by_momentum: Matrix3<f64>,
    by_residual: Option<Matrix3<f64>>,
}

/// The matrix of a linear function.
fn matrix_of(f: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_columns(&[Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| f(&axis)))
}

impl Flight {
    fn new(
        (composite, center, to_joint): (&Composite<f64>, Vector3<f64>, Matrix3<f64>),
        (turn, momentum): (&Turn<f64>, &Vector3<f64>),
        dt: f64,
    ) -> Self {
        let quarter = 0.25 * dt;
        let a = (turn.start + turn.end) * quarter;
        let back = turned_back(&a, momentum);
        let sum = back + momentum;
        let relative = composite.angular_about(&center);
        let reached = turn.solve(&(back - relative));
        let slope = slope((&turn.moments, quarter), &a, &sum);
        Flight {
            dt,
            mass: composite.inertia.mass,
            center,
            linear_at_end: composite.linear_at(&reached),
            reached,
            to_joint,
            half_turn: a,
            sum,
            forth: matrix_of(|x| to_joint.tr_mul(&turned_back(&-a, x))),
            unturning: matrix_of(|x| without_half_turn(&a, x)),
            by_momentum: matrix_of(|x| turn.solve(x)),
            by_residual: (turn.is_middle).then(|| matrix_of(|x| solve(&slope, x))),
        }
    }

    /// How the end changes.
    fn end_slopes(&self, change: &Change) -> EndSlopes {
        let (a, quarter) = (&self.half_turn, 0.25 * self.dt);
        let start = self.by_momentum * (change.angular - change.at_start);
        let unturned = change.angular - a.cross(&change.angular);
        let (half_turn, end) = match &self.by_residual {
            Some(by_residual) => {
                let by_start = unturned + self.sum.cross(&start) * quarter;
                let end = by_residual * (self.unturning * by_start - change.at_end);
                ((start + end) * quarter, end)
            }
            None => {
                let half_turn = start * (2.0 * quarter);
                let back = self.unturning * (unturned + self.sum.cross(&half_turn));
                (half_turn, self.by_momentum * (back - change.at_end))
            }
        };
        // As the frame sees it that turns.
        let turned = (half_turn - a.cross(&half_turn)) * (2.0 / (1.0 + a.dot(a)));
        let next_center = turned.cross(&self.center) + change.next_center;
        let of_center = change.linear / self.mass;
        let w = turned.cross(&self.reached) + end;
        let linear = turned.cross(&self.linear_at_end) + change.linear_at_end;
        let relative = linear / self.mass + end.cross(&self.center);
        let (forth, back) = (&self.forth, |x| self.to_joint.tr_mul(&x));
        let parts = [
            forth * (turned + change.turn),
            back(change.center + of_center * self.dt) - forth * next_center,
            forth * w,
            back(of_center) - forth * relative,
        ];
        let mut slopes = EndSlopes::zeros();
        for (i, part) in parts.iter().enumerate() {
            slopes.fixed_rows_mut::<3>(3 * i).copy_from(part);
        }
        slopes
    }

    /// How the end changes with the momentum about the centre of mass, angular and linear.
    fn by_momentum(&self) -> SMatrix<f64, 12, 6> {
        SMatrix::from_columns(&std::array::from_fn::<_, 6, _>(|i| {
            let (mut change, unit) = (Change::none(), Vector3::ith(i % 3, 1.0));
            match i < 3 {
                true => change.angular = unit,
                false => change.linear = unit,
            }
            self.end_slopes(&change)
        }))
    }
}
