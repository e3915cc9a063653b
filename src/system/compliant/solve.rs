//! The velocities at the end of a compliant step, in `f64`.

use super::constraint_impulses::ConstraintImpulses;
use super::damping::Dual;
use super::linearized_forces::LinearizedForces;
use super::problem::ContactData;
use super::saddle_point::SaddlePoint;
use crate::Scalar;
use crate::contact::{ContactWorkspace, Detection, FoundContact};
use crate::solver::ImplicitStribeckSolver;
use crate::system::applied_forces::{Actuation, AppliedForces};
use crate::system::error::SystemError;
use crate::system::machine::Machine;
use crate::system::state::State;
use crate::system::status::StepStatus;
use crate::tree::TreeWorkspace;
use nalgebra::DMatrix;

/// Number of linearisations after which the search for a velocity is given up.
const MAX_LINEARIZATIONS: usize = 100;
/// Number of times that contacts are looked for again.
const MAX_DETECTIONS: usize = 4;
/// Number of multiplier updates after which the constraints are given up.
const MAX_MULTIPLIER_UPDATES: usize = 60;
/// Error of a constraint, relative to its largest term, that is as good as none.
const ROUND_OFF: f64 = 1e-13;
/// Error that is accepted when it no longer shrinks.
const CONSTRAINT_TOLERANCE: f64 = 1e-9;

/// Data and memory of the balance of a step.
#[derive(Debug, Clone)]
pub(in crate::system) struct CompliantSolve {
    placed: TreeWorkspace<f64>,
    contact: ContactWorkspace<f64>,
    /// The contacts of the step.
    pub found: Vec<FoundContact>,
    q: Vec<f64>,
    v: Vec<f64>,
    time: f64,
    input: Vec<f64>,
    actuators: Vec<f64>,
    vdot: Vec<f64>,
    joint_damping: Vec<f64>,
    /// The balance `A v⁺ = p + δt Jᵀ f` without velocity-dependent forces.
    mass: DMatrix<f64>,
    p_star: Vec<f64>,
    /// Velocities at the end of the step, once they have been found.
    pub next_v: Vec<f64>,
    applied: AppliedForces<f64>,
    linearized: Option<LinearizedForces>,
    contact_data: ContactData,
    /// The constraints of the step.
    pub constraints: ConstraintImpulses,
    solver: ImplicitStribeckSolver<f64>,
}

/// A system in `f64`, the same where damping is taken if a force depends on velocities, and the length of a
/// step.
#[derive(Debug, Clone, Copy)]
pub(in crate::system) struct Deciding<'a> {
    pub real: &'a Machine<'a, f64>,
    pub damping: Option<&'a Machine<'a, Dual>>,
    pub dt: f64,
}

impl CompliantSolve {
    pub fn new(system: &Machine<'_, f64>) -> Result<Self, SystemError> {
        let tree = system.tree;
        let (nq, nv) = (tree.num_positions(), tree.num_velocities());
        Ok(CompliantSolve {
            placed: tree.workspace(),
            contact: ContactWorkspace::new(),
            found: Vec::new(),
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            time: 0.0,
            input: Vec::new(),
            actuators: Vec::new(),
            vdot: vec![0.0; nv],
            joint_damping: vec![0.0; nv],
            mass: DMatrix::zeros(nv, nv),
            p_star: vec![0.0; nv],
            next_v: vec![0.0; nv],
            applied: AppliedForces::new(tree),
            linearized: None,
            contact_data: ContactData::default(),
            constraints: ConstraintImpulses::default(),
            solver: ImplicitStribeckSolver::new(system.contact_solver())?,
        })
    }

    /// Sets up the balance of a step from `state`: momentum, forces, contacts and constraints.
    pub fn assemble<T: Scalar>(
        &mut self,
        Deciding { real, damping, dt }: Deciding<'_>,
        state: &State<T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        self.time = state.time.re();
        for (target, source) in [
            (&mut self.q, state.q.as_slice()),
            (&mut self.v, state.v.as_slice()),
            (&mut self.input, input),
            (&mut self.actuators, state.actuators.as_slice()),
        ] {
            target.clear();
            target.extend(source.iter().map(|x| x.re()));
        }
        self.solver.set_parameters(real.contact_solver())?;
        let (tree, placed) = (real.tree, &mut self.placed);
        tree.set_state(placed, &self.q, &self.v)?;

        // With v̇ = −v/δt inverse dynamics gives −M v/δt + C v − τ_g in one recursion.
        for (a, v) in self.vdot.iter_mut().zip(&self.v) {
            *a = -v / dt;
        }
        tree.inverse_dynamics(placed, &self.vdot, None, &mut self.p_star)?;
        for p in &mut self.p_star {
            *p *= -dt;
        }
        tree.mass_matrix(placed, &mut self.mass)?;
        tree.joint_damping(&mut self.joint_damping)?;
        for (i, d) in self.joint_damping.iter().enumerate() {
            self.mass[(i, i)] += dt * d;
        }
        tree.check_diagonal(&self.mass)?;
        if damping.is_none() {
            let actuation = actuation(self.time, &self.input, &self.actuators);
            let tau = self.applied.evaluate_at_state(real, placed, actuation)?;
            for (p, tau) in self.p_star.iter_mut().zip(tau) {
                *p += dt * tau;
            }
        }
        self.detect(real, dt, false)?;
        let placed = &self.placed;
        let rows = &mut self.constraints.rows;
        rows.evaluate(real, placed, (self.time + dt, dt))?;
        Ok(())
    }

    /// Finds the contacts that the step may make, at the velocities of its start and, if they are known,
    /// of its end.
    fn detect(&mut self, real: &Machine<'_, f64>, dt: f64, again: bool) -> Result<(), SystemError> {
        let velocities = [self.v.as_slice(), self.next_v.as_slice()];
        let velocities = &velocities[..1 + usize::from(again)];
        let step = (real.options.detection, dt);
        let (tree, placed) = (real.tree, &self.placed);
        let (contact, found) = (&mut self.contact, &mut self.found);
        (real.contact).detect(tree, placed, step, velocities, contact, found)?;
        self.contact_data.write(tree, placed, &contact.points)
    }

    /// Finds the velocities at the end of the step, and looks again for contacts where they lead further
    /// than was anticipated.
    pub fn solve(&mut self, deciding: Deciding<'_>) -> Result<StepStatus, SystemError> {
        let mut status = self.solve_with_contacts(deciding)?;
        let Deciding { real, dt, .. } = deciding;
        status.nearest_geometry_kink = self.contact.kink;
        if real.options.detection == Detection::Overlapping {
            return Ok(status);
        }
        for _ in 0..MAX_DETECTIONS {
            let (tree, placed, contact) = (real.tree, &self.placed, &mut self.contact);
            if !(real.contact).outreaches(tree, placed, &self.next_v, contact)? {
                break;
            }
            let before = self.found.len();
            self.detect(real, dt, true)?;
            if self.found.len() == before {
                break;
            }
            status = self.solve_with_contacts(deciding)?;
        }
        status.nearest_geometry_kink = self.contact.kink;
        Ok(status)
    }

    fn solve_with_contacts(&mut self, deciding: Deciding<'_>) -> Result<StepStatus, SystemError> {
        if self.constraints.rows.len() == 0 {
            return self.solve_without_constraints(deciding);
        }
        self.constraints.start(&self.mass, &self.p_star)?;
        let mut iterations = 0;
        let mut best = f64::INFINITY;
        self.next_v.copy_from_slice(&self.v);
        self.constraints.choose_active(&self.v);
        for update in 0..MAX_MULTIPLIER_UPDATES {
            self.constraints.augment(&mut self.mass, &mut self.p_star);
            let mut status = self.solve_without_constraints(deciding)?;
            iterations += status.iterations;
            let next_v = std::mem::take(&mut self.next_v);
            let changed = self.constraints.choose_active(&next_v);
            let violation = match changed {
                true => None,
                false => Some(self.constraints.update(&next_v)),
            };
            self.next_v = next_v;
            let Some(violation) = violation else {
                continue;
            };
            let stagnates = violation.error > 0.5 * best;
            best = best.min(violation.error);
            if violation.error <= ROUND_OFF * violation.scale
                || (stagnates && violation.error <= CONSTRAINT_TOLERANCE * violation.scale)
            {
                status.iterations = iterations;
                return Ok(status);
            }
            if stagnates && update >= 10 {
                return Err(self.violated(deciding.real, violation.row, violation.error, update));
            }
        }
        let violation = self.constraints.update(&self.next_v);
        let (row, error) = (violation.row, violation.error);
        Err(self.violated(deciding.real, row, error, MAX_MULTIPLIER_UPDATES))
    }

    /// As [`Self::solve`], with the Jacobian of balance and constraints there.
    pub fn solve_and_factor<'s>(
        &'s mut self,
        deciding: Deciding<'_>,
    ) -> Result<(StepStatus, SaddlePoint<'s>), SystemError> {
        let dt = deciding.dt;
        let status = self.solve(deciding)?;
        let linearization = match deciding.damping {
            None => self.solver.factor_solution()?,
            Some(damping) => {
                let mut linearized = self.take_linearized_forces(damping);
                linearized.point.copy_from_slice(&self.next_v);
                linearized.linearize(damping, dt, &self.mass, &self.p_star)?;
                let linearized = self.linearized.insert(linearized);
                let (mass, p_star) = (&linearized.mass, &linearized.p_star);
                let problem = self.contact_data.problem(mass, p_star)?;
                self.solver.linearize(problem, dt, &self.next_v)?
            }
        };
        Ok((
            status,
            SaddlePoint::new(linearization, &self.constraints, &self.next_v, &self.found)?,
        ))
    }

    /// As [`Self::solve_and_factor`], for a step that is known to lead to the velocities `next_v`.
    pub fn factor_at(
        &mut self,
        deciding: Deciding<'_>,
        next_v: &[f64],
    ) -> Result<(StepStatus, SaddlePoint<'_>), SystemError> {
        if self.constraints.rows.len() > 0 {
            return self.solve_and_factor(deciding);
        }
        let Deciding { real, dt, .. } = deciding;
        self.next_v.copy_from_slice(next_v);
        let (tree, placed, contact) = (real.tree, &self.placed, &mut self.contact);
        if real.options.detection != Detection::Overlapping
            && (real.contact).outreaches(tree, placed, next_v, contact)?
        {
            self.detect(real, dt, true)?;
        }
        let linearization = match deciding.damping {
            None => {
                let problem = self.contact_data.problem(&self.mass, &self.p_star)?;
                self.solver.linearize(problem, dt, next_v)?
            }
            Some(damping) => {
                let mut linearized = self.take_linearized_forces(damping);
                let actuation = actuation(self.time, &self.input, &self.actuators);
                linearized.start(damping, (&self.q, next_v), actuation)?;
                linearized.linearize(damping, dt, &self.mass, &self.p_star)?;
                let linearized = self.linearized.insert(linearized);
                let (mass, p_star) = (&linearized.mass, &linearized.p_star);
                let problem = self.contact_data.problem(mass, p_star)?;
                self.solver.linearize(problem, dt, next_v)?
            }
        };
        let mut status = StepStatus::of(linearization.solution());
        status.nearest_geometry_kink = self.contact.kink;
        let (constraints, found) = (&self.constraints, &self.found);
        let factors = SaddlePoint::new(linearization, constraints, &self.next_v, found)?;
        Ok((status, factors))
    }

    /// The velocities at the end of the step, then the impulses of the rows that act.
    pub fn solution(&self) -> impl Iterator<Item = f64> {
        let ConstraintImpulses {
            impulses, active, ..
        } = &self.constraints;
        let acting = impulses.iter().zip(active).filter(|(_, active)| **active);
        (self.next_v.iter().copied()).chain(acting.map(|(&impulse, _)| impulse))
    }

    fn solve_without_constraints(
        &mut self,
        deciding: Deciding<'_>,
    ) -> Result<StepStatus, SystemError> {
        match deciding.damping {
            Some(damping) => {
                let mut linearized = self.take_linearized_forces(damping);
                let result = self.iterate(deciding, damping, &mut linearized);
                self.next_v.clone_from(&linearized.best_solution);
                self.linearized = Some(linearized);
                result
            }
            None => {
                let problem = self.contact_data.problem(&self.mass, &self.p_star)?;
                let solution = self.solver.solve(problem, deciding.dt, &self.v)?;
                self.next_v.copy_from_slice(solution.velocities.as_slice());
                Ok(StepStatus::of(solution))
            }
        }
    }

    /// Linearises the forces about the solution of their last linearisation until they agree.
    fn iterate(
        &mut self,
        deciding: Deciding<'_>,
        damping: &Machine<'_, Dual>,
        linearized: &mut LinearizedForces,
    ) -> Result<StepStatus, SystemError> {
        let dt = deciding.dt;
        let tolerance = self.solver.parameters().residual_tolerance;
        let mut iterations = 0;
        let actuation = actuation(self.time, &self.input, &self.actuators);
        linearized.start(damping, (&self.q, &self.v), actuation)?;
        for _ in 0..MAX_LINEARIZATIONS {
            linearized.linearize(damping, dt, &self.mass, &self.p_star)?;
            let problem = self
                .contact_data
                .problem(&linearized.mass, &linearized.p_star)?;
            let solution = self.solver.solve(problem, dt, &linearized.point)?;
            let mut status = StepStatus::of(solution);
            iterations += status.iterations;
            let v = solution.velocities.as_slice();
            let actuation = self::actuation(self.time, &self.input, &self.actuators);
            let placed = &mut self.placed;
            let forces = self.applied.evaluate(deciding.real, placed, actuation, v)?;
            if linearized.take(dt, v, forces, tolerance) {
                status.iterations = iterations;
                return Ok(status);
            }
            linearized.advance(|v, d| self.slope(deciding, v, d))?;
        }
        Err(SystemError::ForcesNotConverged {
            linearizations: MAX_LINEARIZATIONS,
            error: linearized.best_error,
        })
    }

    /// `d·r(v)` with the residual `r(v) = A v − p − δt (τ(v) + Jᵀ f(v))` of the momentum balance.
    fn slope(
        &mut self,
        Deciding { real, dt, .. }: Deciding<'_>,
        v: &[f64],
        d: &[f64],
    ) -> Result<f64, SystemError> {
        let actuation = actuation(self.time, &self.input, &self.actuators);
        let forces = (self.applied).evaluate(real, &mut self.placed, actuation, v)?;
        let mut slope = 0.0;
        for (i, &d) in d.iter().enumerate() {
            let momentum: f64 = self.mass.row(i).iter().zip(v).map(|(m, v)| m * v).sum();
            slope += d * (momentum - self.p_star[i] - dt * forces[i]);
        }
        let friction = (real.stiction_tolerance, real.softening());
        Ok(slope - dt * self.contact_data.power(dt, friction, v, d))
    }

    fn take_linearized_forces(&mut self, damping: &Machine<'_, Dual>) -> LinearizedForces {
        (self.linearized.take()).unwrap_or_else(|| LinearizedForces::new(damping))
    }

    fn violated(
        &self,
        real: &Machine<'_, f64>,
        row: usize,
        error: f64,
        iterations: usize,
    ) -> SystemError {
        let row = self.constraints.rows.get(row);
        let mut names = Vec::new();
        (real.constraints).visit(&mut |constraint| names.push(constraint.name().to_owned()));
        SystemError::ConstraintsNotSatisfied {
            constraint: names.swap_remove(row.constraint),
            row: row.row,
            error,
            iterations,
        }
    }
}

fn actuation<'a>(time: f64, input: &'a [f64], state: &'a [f64]) -> Actuation<'a, f64> {
    Actuation { time, input, state }
}
