//! Derivatives of the forces of elements and actuators, and of constraint rows: with respect to positions, inputs and parameters.
//!
//! Only these and the kinematics that they read are evaluated with duals, some directions at a time: positions along the
//! velocity coordinates, at which velocities stay the same numbers, and inputs and parameters where bodies stay.

use super::parameters::Slopes;
use super::rows::ActingRows;
use crate::autodiff::{CHUNK, slopes};
use crate::system::applied_forces::{Actuation, AppliedForces};
use crate::system::compliant::SaddlePoint;
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::tree::TreeWorkspace;

/// `∂τ/∂q` along the velocity coordinates and `∂τ/∂u`, by their entries that are not zero; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct AppliedSlopes {
    kinematics: TreeWorkspace<Dual>,
    applied: AppliedForces<Dual>,
    point: Point,
    /// Positions that vary, and along what.
    moved: Vec<Dual>,
    change: Vec<Dual>,
    /// The coordinates of a force and of a position, and the slope.
    by_position: Vec<([usize; 2], f64)>,
    rows: ActingRows,
    /// The row and the coordinate of a position, and the slope of the error.
    by_error: Vec<([usize; 2], f64)>,
    /// Where the entries of each input start, and the end.
    starts: Vec<usize>,
    /// Velocity coordinates and slopes.
    by_input: Vec<(usize, f64)>,
}

/// Where forces are evaluated.
#[derive(Debug, Clone, Default)]
struct Point {
    time: f64,
    time_step: f64,
    q: Vec<Dual>,
    v: Vec<Dual>,
    /// At the start of the step.
    start_v: Vec<Dual>,
    input: Vec<Dual>,
    states: Vec<Dual>,
}

impl Point {
    fn actuation(&self) -> Actuation<'_, Dual> {
        Actuation {
            time: Dual::from_re(self.time),
            time_step: Dual::from_re(self.time_step),
            input: &self.input,
            state: &self.states,
        }
    }
}

impl AppliedSlopes {
    pub fn new(system: &RigidBodySystem<Dual>) -> Self {
        let tree = &system.tree;
        let zeros = |count: usize| vec![Dual::from_re(0.0); count];
        AppliedSlopes {
            kinematics: tree.workspace(),
            applied: AppliedForces::new(tree),
            point: Point::default(),
            moved: zeros(tree.num_positions()),
            change: zeros(tree.num_velocities()),
            by_position: Vec::new(),
            rows: ActingRows::default(),
            by_error: Vec::new(),
            starts: vec![0],
            by_input: Vec::new(),
        }
    }

    /// Evaluates at the positions of a state, with inputs, for a step of the length `dt` and the velocities at its end.
    pub fn evaluate(
        &mut self,
        system: &RigidBodySystem<Dual>,
        (start, input, dt): (&State<f64>, &[f64], f64),
        end: &SaddlePoint<'_>,
    ) -> Result<(), SystemError> {
        let point = &mut self.point;
        (point.time, point.time_step) = (start.time, dt);
        point.v.clear();
        (point.v).extend(end.solution().take(end.num_velocities()).map(Dual::from_re));
        for (target, values) in [
            (&mut point.q, start.q.as_slice()),
            (&mut point.start_v, start.v.as_slice()),
            (&mut point.input, input),
            (&mut point.states, start.actuators.as_slice()),
        ] {
            target.clear();
            target.extend(values.iter().map(|&x| Dual::from_re(x)));
        }
        self.by_position.clear();
        self.by_error.clear();
        self.rows.start(end);
        if system.forces_depend_on_position() || !self.rows.are_none() {
            self.evaluate_by_position(system)?;
        }
        self.evaluate_by_input(system)
    }

    fn evaluate_by_position(&mut self, system: &RigidBodySystem<Dual>) -> Result<(), SystemError> {
        let (tree, kinematics, point) = (&system.tree, &mut self.kinematics, &self.point);
        let (one, count) = (Dual::from_re(1.0), self.change.len());
        let add = |to: &mut Vec<_>, values: &[Dual], first: usize| {
            for (row, value) in values.iter().enumerate() {
                let Some(slopes) = &value.eps.0 else {
                    continue;
                };
                let entries = (first..count.min(first + CHUNK)).zip(slopes.iter());
                let entries = entries.filter(|(_, slope)| **slope != 0.0);
                to.extend(entries.map(|(column, &slope)| ([row, column], slope)));
            }
        };
        for first in (0..count).step_by(CHUNK) {
            self.change.fill(Dual::from_re(0.0));
            for (lane, change) in self.change[first..].iter_mut().take(CHUNK).enumerate() {
                *change = change.derivative(lane);
            }
            tree.integrate(&point.q, &self.change, one, &mut self.moved)?;
            if self.rows.are_none() {
                system.set_positions_of_forces(kinematics, &self.moved)?;
            } else {
                tree.set_state(kinematics, &self.moved, &point.start_v)?;
                let over = (point.time + point.time_step, point.time_step);
                let at = (system, &*kinematics);
                let [forces, errors] = self.rows.evaluate(at, over, &point.v)?;
                add(&mut self.by_position, forces, first);
                add(&mut self.by_error, errors, first);
            }
            if system.forces_depend_on_position() {
                let forces =
                    (self.applied).evaluate(system, kinematics, point.actuation(), &point.v)?;
                add(&mut self.by_position, forces, first);
            }
        }
        Ok(())
    }

    fn evaluate_by_input(&mut self, system: &RigidBodySystem<Dual>) -> Result<(), SystemError> {
        let actuators = &system.actuators;
        let (kinematics, point) = (&mut self.kinematics, &mut self.point);
        let count = point.input.len();
        self.starts.truncate(1);
        self.by_input.clear();
        if actuators.forces_are_inputs() {
            self.by_input.extend((0..count).map(|i| (i, 1.0)));
            self.starts.extend(1..=count);
            return Ok(());
        }
        if count > 0 && (actuators.depends_on_position() || actuators.depends_on_velocity()) {
            system.set_positions_of_forces(kinematics, &point.q)?;
            self.applied.set_velocities(system, kinematics, &point.v)?;
        }
        for first in (0..count).step_by(CHUNK) {
            let chunk = first..count.min(first + CHUNK);
            for (lane, u) in point.input[chunk.clone()].iter_mut().enumerate() {
                *u = u.derivative(lane);
            }
            let (actuation, v) = (point.actuation(), &point.v);
            let forces = (self.applied).evaluate_actuators(system, kinematics, actuation, v)?;
            for lane in 0..chunk.len() {
                let slope = |(row, tau): (usize, &Dual)| Some((row, tau.eps.0.as_ref()?[lane]));
                let slopes = forces.iter().enumerate().filter_map(slope);
                (self.by_input).extend(slopes.filter(|(_, slope)| *slope != 0.0));
                self.starts.push(self.by_input.len());
            }
            for u in &mut point.input[chunk] {
                *u = Dual::from_re(u.re);
            }
        }
        Ok(())
    }

    /// Adds `−δt ∂τ/∂p` to the derivatives of the balance where the last evaluation was; the parameters are variables of
    /// `system`.
    pub fn add_by_parameter(
        &mut self,
        system: &RigidBodySystem<Dual>,
        by_parameter: &mut [Slopes],
    ) -> Result<(), SystemError> {
        let (kinematics, point) = (&mut self.kinematics, &self.point);
        system.set_positions_of_forces(kinematics, &point.q)?;
        let forces = (self.applied).evaluate(system, kinematics, point.actuation(), &point.v)?;
        for (target, tau) in by_parameter.iter_mut().zip(forces) {
            *target -= slopes(tau) * point.time_step;
        }
        Ok(())
    }

    /// The coordinates of a force and of a position that it depends on, and the slope.
    pub fn by_position(&self) -> &[([usize; 2], f64)] {
        &self.by_position
    }

    /// The row among those that act, the coordinate of a position that its error depends on, and the slope.
    pub fn by_error(&self) -> &[([usize; 2], f64)] {
        &self.by_error
    }

    /// The velocity coordinates that an input drives, and `∂τ/∂u` there.
    pub fn of_input(&self, input: usize) -> &[(usize, f64)] {
        &self.by_input[self.starts[input]..self.starts[input + 1]]
    }
}
