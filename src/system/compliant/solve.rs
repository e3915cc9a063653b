//! The solve of a compliant step in `f64`: velocities at its end.

use super::constraint_impulses::ConstraintImpulses;
use super::free_motion::FreeMotion;
use super::problem::StepProblem;
use super::saddle_point::{SaddlePoint, SchurComplement};
use crate::contact::{ContactWorkspace, FoundContact, MAX_DETECTIONS};
use crate::force::ForceContext;
use crate::math::Factorization;
use crate::solver::ImplicitStribeckSolver;
use crate::system::applied_forces::{Actuation, AppliedForces};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::fast_rotation::FastRotation;
use crate::system::linearized_forces::LinearizedForces;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::system::status::{StepKink, StepStatus};
use crate::tree::{FreeBody, TreeWorkspace};
use crate::{ElementKink, Parallelism, Scalar};

/// Number of linearisations after which the search for a velocity is given up.
const MAX_LINEARIZATIONS: usize = 100;
/// Number of multiplier updates after which the constraints are given up.
const MAX_MULTIPLIER_UPDATES: usize = 60;
/// Share of an error of the constraints that an update of the multipliers may leave.
const SLOW: f64 = 0.1;
/// Updates after which an error that no longer shrinks is taken for a contradiction.
const PATIENCE: usize = 25;
/// Error of a constraint, relative to its largest term, that is as good as none.
const ROUND_OFF: f64 = 1e-13;
/// Error that is accepted when Newton's step of balance and constraints does not make it smaller.
const CONSTRAINT_TOLERANCE: f64 = 1e-9;

/// Data and memory of the balance of a step.
#[derive(Debug, Clone)]
pub(in crate::system) struct CompliantSolve {
    kinematics: TreeWorkspace<f64>,
    contact: ContactWorkspace<f64>,
    /// The contacts of the step.
    pub found: Vec<FoundContact>,
    /// Pairs further away.
    further: Vec<usize>,
    q: Vec<f64>,
    v: Vec<f64>,
    time: f64,
    input: Vec<f64>,
    actuators: Vec<f64>,
    vdot: Vec<f64>,
    pub fast_rotation: FastRotation<f64>,
    free: Vec<FreeBody>,
    /// Generalized forces that it adds.
    rotation_forces: Vec<f64>,
    /// δt D of the joints.
    joint_damping: Vec<f64>,
    /// The balance `A v⁺ = p + δt Jᵀ f`, and whether A has been written for this step.
    problem: StepProblem,
    has_matrix: bool,
    free_motion: FreeMotion,
    /// Whether the step was solved as one without contacts.
    is_free: bool,
    /// Velocities after the forces of the step, once they have been found, and those to which bodies then come.
    pub next_v: Vec<f64>,
    pub end_v: Vec<f64>,
    /// Whether steps start from the change of velocity of the last one.
    pub warm_start: bool,
    /// Velocities to start from, beside those at the start of the step.
    guess: Vec<f64>,
    /// Whether there are any.
    is_guessed: bool,
    /// Whether the last step was solved.
    is_solved: bool,
    /// Whether the next step was expected to end with these.
    is_expected: bool,
    /// Whether the step was.
    starts_as_expected: bool,
    applied: AppliedForces<f64>,
    /// Whether an actuator can touch in the step.
    pub actuators_touch: bool,
    linearized: Option<LinearizedForces>,
    /// The constraints of the step.
    pub constraints: ConstraintImpulses,
    solver: ImplicitStribeckSolver<f64>,
    schur: SchurComplement,
    /// Changes of velocities and impulses.
    changes: Vec<f64>,
}

/// A system in `f64`, the same where damping is taken if a force depends on velocities, and the length of a
/// step.
#[derive(Debug, Clone, Copy)]
pub(in crate::system) struct RealContext<'a> {
    pub real: &'a RigidBodySystem<f64>,
    pub damping: Option<&'a RigidBodySystem<Dual>>,
    pub dt: f64,
    /// Whether the momentum of all bodies is projected, as in [`fast_rotation`](super::super::fast_rotation).
    pub projects_momentum: bool,
}

impl CompliantSolve {
    pub fn new(system: &RigidBodySystem<f64>) -> Result<Self, SystemError> {
        let tree = &system.tree;
        let (nq, nv) = (tree.num_positions(), tree.num_velocities());
        Ok(CompliantSolve {
            kinematics: tree.workspace(),
            contact: ContactWorkspace::new(),
            found: Vec::new(),
            further: Vec::new(),
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            time: 0.0,
            input: Vec::new(),
            actuators: Vec::new(),
            vdot: vec![0.0; nv],
            fast_rotation: FastRotation::new(tree),
            free: tree.free_bodies(),
            rotation_forces: vec![0.0; nv],
            joint_damping: vec![0.0; nv],
            problem: StepProblem::default(),
            has_matrix: false,
            free_motion: FreeMotion::new(tree),
            is_free: false,
            next_v: vec![0.0; nv],
            end_v: vec![0.0; nv],
            warm_start: false,
            guess: Vec::new(),
            is_guessed: false,
            is_solved: false,
            is_expected: false,
            starts_as_expected: false,
            applied: AppliedForces::new(tree),
            actuators_touch: false,
            linearized: None,
            constraints: ConstraintImpulses::default(),
            solver: ImplicitStribeckSolver::new(system.options.contact_solver)?,
            schur: SchurComplement::default(),
            changes: Vec::new(),
        })
    }

    /// Sets up the balance of a step from `state`: momentum, forces, contacts and constraints.
    pub fn assemble<T: Scalar>(
        &mut self,
        real_context: RealContext<'_>,
        state: &State<T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        let RealContext {
            real,
            damping,
            dt,
            projects_momentum,
        } = real_context;
        self.time = state.time.re();
        self.guess(state);
        for (target, source) in [
            (&mut self.q, state.q.as_slice()),
            (&mut self.v, state.v.as_slice()),
            (&mut self.input, input),
            (&mut self.actuators, state.actuators.as_slice()),
        ] {
            target.clear();
            target.extend(source.iter().map(|x| x.re()));
        }
        self.solver.set_parameters(real.options.contact_solver)?;
        let (tree, kinematics) = (&real.tree, &mut self.kinematics);
        tree.set_state(kinematics, &self.q, &self.v)?;

        let context = ForceContext::new(tree, kinematics)
            .at_time(self.time)
            .over_step(dt);
        self.actuators_touch = real.actuators.may_touch(&context)?;

        // With v̇ = −v/δt inverse dynamics gives −M v/δt + C v − τ_g in one recursion.
        for (a, v) in self.vdot.iter_mut().zip(&self.v) {
            *a = -v / dt;
        }
        let p = &mut self.problem.sparse.momentum;
        p.resize(self.v.len(), 0.0);
        tree.inverse_dynamics(kinematics, &self.vdot, None, p)?;
        p.iter_mut().for_each(|p| *p *= -dt);
        tree.add_gyroscopic_forces(&self.free, kinematics, dt, p);
        let state = (self.q.as_slice(), self.v.as_slice());
        self.fast_rotation
            .evaluate(tree, kinematics, state, (dt, projects_momentum))?;
        if let Some(forces) = self.fast_rotation.forces() {
            tree.generalized_forces(kinematics, forces, &mut self.rotation_forces)?;
            (p.iter_mut().zip(&self.rotation_forces)).for_each(|(p, f)| *p += dt * f);
        }
        tree.joint_damping(&mut self.joint_damping)?;
        self.joint_damping.iter_mut().for_each(|d| *d *= dt);
        self.has_matrix = false;
        if damping.is_none() {
            let actuation = actuation((self.time, dt), &self.input, &self.actuators);
            let tau = self
                .applied
                .evaluate_at_state(real, kinematics, actuation)?;
            for (p, tau) in self.problem.sparse.momentum.iter_mut().zip(tau) {
                *p += dt * tau;
            }
        }
        self.problem.keep_momentum();
        self.detect(real, dt)?;
        let kinematics = &self.kinematics;
        let rows = &mut self.constraints.rows;
        rows.evaluate(real, kinematics, (self.time + dt, dt))?;
        Ok(())
    }

    pub fn set_parallelism(&mut self, parallelism: Parallelism) {
        self.solver.set_parallelism(parallelism);
    }

    /// The largest angular speed of a body, in rad/s.
    pub fn fastest_rotation<T: Scalar>(
        &mut self,
        real: &RigidBodySystem<f64>,
        state: &State<T>,
    ) -> Result<f64, SystemError> {
        for (target, source) in [(&mut self.q, &state.q), (&mut self.v, &state.v)] {
            target.clear();
            target.extend(source.iter().map(|x| x.re()));
        }
        let (tree, kinematics) = (&real.tree, &mut self.kinematics);
        tree.set_state(kinematics, &self.q, &self.v)?;
        let mut fastest = 0.0f64;
        for (body, _) in tree.bodies() {
            fastest = fastest.max(tree.body_velocity(kinematics, body)?.angular.norm());
        }
        Ok(fastest)
    }

    /// By which angle the turn of a step would have to change for the first pair to come within reach, if none is, and of
    /// those within twice the reach; for the last to leave it, if some are.
    pub fn rotation_to_reach(
        &mut self,
        real: &RigidBodySystem<f64>,
        dt: f64,
    ) -> Result<Option<f64>, SystemError> {
        let (model, is_out) = (&real.contact, self.found.is_empty());
        let mut pairs = std::mem::take(&mut self.further);
        if is_out {
            model.find_further(dt, &mut self.contact, &mut pairs);
        } else {
            pairs.clear();
            pairs.extend(self.found.iter().map(|found| found.pair));
            pairs.dedup();
        }
        let mut nearest: Option<f64> = None;
        let (kinematics, step) = ((&real.tree, &self.kinematics), (real.options.detection, dt));
        let visited = model.visit_excess(
            kinematics,
            step,
            pairs.iter().copied(),
            |_, excess, by_rotation| {
                let rotation = excess.abs() / by_rotation;
                nearest = Some(match nearest {
                    Some(other) if is_out => other.min(rotation),
                    Some(other) => other.max(rotation),
                    None => rotation,
                });
            },
        );
        self.further = pairs;
        visited?;
        Ok(nearest)
    }

    /// Notes what the velocities at the end of the next step are expected to be.
    pub fn expect(&mut self, v: &[f64]) {
        self.guess.clear();
        self.guess.extend_from_slice(v);
        self.is_expected = true;
    }

    /// Warm start: guesses the velocities at the end of a step as expected, or by adding the last velocity increment to those
    /// at its start where the step continues or repeats the last one.
    fn guess<T: Scalar>(&mut self, state: &State<T>) {
        self.starts_as_expected = std::mem::take(&mut self.is_expected);
        if self.starts_as_expected {
            (self.is_guessed, self.is_solved) = (true, false);
            return;
        }
        if !self.warm_start {
            self.is_guessed = false;
            return;
        }
        let starts_at = |v: &[f64]| state.v.iter().map(|v| v.re()).eq(v.iter().copied());
        let repeats = starts_at(&self.v);
        self.is_guessed = self.is_solved && (repeats || starts_at(&self.end_v));
        self.is_solved = false;
        self.guess.clone_from(&self.next_v);
        if !repeats {
            for (guess, v) in self.guess.iter_mut().zip(&self.v) {
                *guess += *guess - v;
            }
        }
    }

    /// Finds the contacts that the step may make, along the velocities of its start.
    fn detect(&mut self, real: &RigidBodySystem<f64>, dt: f64) -> Result<(), SystemError> {
        let step = (real.options.detection, dt);
        let (tree, kinematics) = (&real.tree, &self.kinematics);
        let (contact, found) = (&mut self.contact, &mut self.found);
        (real.contact).detect(tree, kinematics, step, &[&self.v], contact, found)?;
        self.problem
            .write_contacts(tree, kinematics, &contact.points)
    }

    /// Looks for contacts again where the velocities that the step has come to lead further than was anticipated.
    /// Returns whether there are more.
    fn detect_again(&mut self, real: &RigidBodySystem<f64>, dt: f64) -> Result<bool, SystemError> {
        let before = self.found.len();
        let (tree, kinematics) = (&real.tree, &self.kinematics);
        let (contact, found) = (&mut self.contact, &mut self.found);
        (real.contact).detect_again(tree, kinematics, dt, &self.next_v, contact, found)?;
        if found.len() == before {
            return Ok(false);
        }
        self.problem
            .write_contacts(tree, kinematics, &contact.points)?;
        Ok(true)
    }

    /// Finds the velocities at the end of the step, and looks again for contacts where they lead further
    /// than was anticipated.
    pub fn solve(&mut self, real_context: RealContext<'_>) -> Result<StepStatus, SystemError> {
        let mut status = self.solve_with_contacts(real_context)?;
        let RealContext { real, dt, .. } = real_context;
        for _ in 0..MAX_DETECTIONS {
            if !self.detect_again(real, dt)? {
                break;
            }
            self.guess.clone_from(&self.next_v);
            self.is_guessed = true;
            status = self.solve_with_contacts(real_context)?;
        }
        self.complete(real_context, &mut status)?;
        self.is_solved = true;
        Ok(status)
    }

    /// Adds to a status what the contact solver does not know.
    fn complete(
        &mut self,
        RealContext { real, dt, .. }: RealContext<'_>,
        status: &mut StepStatus,
    ) -> Result<(), SystemError> {
        status.turn = self.fast_rotation.rotation;
        status.nearest_geometry_kink = self.contact.kink;
        if !self.is_free
            && let Some(fold) = self.solver.nearest_fold()
        {
            status.offer(StepKink::Contact(fold));
        }
        if self.actuators_touch {
            let actuation = actuation((self.time, dt), &self.input, &self.actuators);
            let mut offer = |kink: ElementKink<'_>| status.offer_actuator(kink);
            let (applied, kinematics, v) = (&mut self.applied, &self.kinematics, &self.next_v);
            applied.visit_actuator_kinks(real, kinematics, actuation, v, &mut offer)?;
        }
        Ok(())
    }

    fn solve_with_contacts(
        &mut self,
        real_context: RealContext<'_>,
    ) -> Result<StepStatus, SystemError> {
        let is_linear = self.found.is_empty() && real_context.damping.is_none();
        if is_linear && self.constraints.rows.len() == 0 {
            let (tree, p) = (&real_context.real.tree, &self.problem.sparse.momentum);
            let balance = (self.joint_damping.as_slice(), p.as_slice());
            let free = &mut self.free_motion;
            if let Some(status) = free.solve(tree, &mut self.kinematics, balance, &mut self.next_v)
            {
                self.is_free = true;
                return Ok(status);
            }
        }
        self.is_free = false;
        self.write_matrix(real_context.real)?;
        self.problem.reset();
        if self.constraints.rows.len() == 0 {
            return self.solve_without_constraints(real_context);
        }
        let at = (&real_context.real.tree, &self.kinematics, real_context.dt);
        if let Some((row, effect)) = self.constraints.start(&self.problem, at)? {
            let row = self.constraints.rows.get(row);
            return Err(real_context
                .real
                .not_upheld((row.constraint, row.row), effect));
        }
        let mut iterations = 0;
        let (mut best, mut was_corrected) = (f64::INFINITY, false);
        self.next_v.copy_from_slice(&self.v);
        self.constraints.choose_active(&self.v);
        for update in 0..MAX_MULTIPLIER_UPDATES {
            self.constraints.augment(&mut self.problem);
            let mut status = self.solve_without_constraints(real_context)?;
            iterations += status.iterations;
            self.guess.clone_from(&self.next_v);
            self.is_guessed = true;
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
            let is_slow = violation.error > SLOW * best;
            best = best.min(violation.error);
            if violation.error <= ROUND_OFF * violation.scale
                || (stagnates
                    && was_corrected
                    && violation.error <= CONSTRAINT_TOLERANCE * violation.scale)
            {
                status.iterations = iterations;
                let (kinks, angular) = self.constraints.kinks(&self.next_v);
                status.offer_constraints(kinks, angular, true);
                return Ok(status);
            }
            if stagnates && update >= PATIENCE {
                return Err(self.violated(
                    real_context.real,
                    violation.row,
                    violation.error,
                    update,
                ));
            }
            was_corrected = is_slow && !self.constraints.stiffen() && !was_corrected;
            if was_corrected {
                self.correct_impulses(real_context)?;
            }
        }
        let violation = self.constraints.update(&self.next_v);
        let (row, error) = (violation.row, violation.error);
        Err(self.violated(real_context.real, row, error, MAX_MULTIPLIER_UPDATES))
    }

    /// Takes Newton's step of balance and constraints for the multipliers.
    fn correct_impulses(&mut self, real_context: RealContext<'_>) -> Result<(), SystemError> {
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        changes.resize(self.next_v.len(), 0.0);
        self.constraints.push_violations(&self.next_v, &mut changes);
        let solved = match self.factor(real_context) {
            Ok(saddle_point) => saddle_point
                .solve_in_place(&mut changes)
                .map_err(Into::into),
            Err(error) => Err(error),
        };
        if solved.is_ok() {
            let (dv, impulses) = changes.split_at(self.next_v.len());
            (self.guess.iter_mut().zip(dv)).for_each(|(v, dv)| *v += dv);
            self.constraints.add_impulses(impulses);
        }
        self.changes = changes;
        solved
    }

    fn write_matrix(&mut self, real: &RigidBodySystem<f64>) -> Result<(), SystemError> {
        if !self.has_matrix {
            let damping = &self.joint_damping;
            (self.problem).write_tree(&real.tree, &mut self.kinematics, damping)?;
            (self.free_motion).check(&real.tree, &mut self.kinematics, damping)?;
            self.has_matrix = true;
        }
        Ok(())
    }

    /// As [`Self::solve`], with the Jacobian of balance and constraints there.
    pub fn solve_and_factor<'s>(
        &'s mut self,
        real_context: RealContext<'_>,
    ) -> Result<(StepStatus, SaddlePoint<'s>), SystemError> {
        let status = self.solve(real_context)?;
        Ok((status, self.factor(real_context)?))
    }

    /// The Jacobian of balance and constraints at the solution.
    pub fn factor<'s>(
        &'s mut self,
        real_context: RealContext<'_>,
    ) -> Result<SaddlePoint<'s>, SystemError> {
        let dt = real_context.dt;
        if self.is_free {
            self.write_matrix(real_context.real)?;
            self.problem.reset();
            let problem = &self.problem.sparse;
            self.solver.place(problem, dt, &self.next_v)?;
        }
        let linearization = match real_context.damping {
            None => self.solver.factor_solution()?,
            Some(damping) => {
                let mut linearized = self.take_linearized_forces(damping);
                linearized.point.copy_from_slice(&self.next_v);
                self.problem
                    .linearize_forces(damping, dt, &mut linearized)?;
                self.linearized = Some(linearized);
                self.problem.validate()?;
                (self.solver).solve_sparse(&self.problem.sparse, dt, &self.next_v, None)?;
                self.solver.factor_solution()?
            }
        };
        let at_end = (self.next_v.as_slice(), self.found.as_slice());
        let constraints = &self.constraints;
        SaddlePoint::new(linearization, constraints, at_end, &mut self.schur)
    }

    /// As [`Self::solve_and_factor`], for a step that is known to lead to the state `end`.
    pub fn factor_at(
        &mut self,
        real_context: RealContext<'_>,
        end: &State<f64>,
    ) -> Result<(StepStatus, SaddlePoint<'_>), SystemError> {
        if self.constraints.rows.len() > 0 {
            return self.solve_and_factor(real_context);
        }
        let RealContext { real, dt, .. } = real_context;
        self.next_v.copy_from_slice(end.v.as_slice());
        let ends = (self.q.as_slice(), end.q.as_slice());
        (real.tree).fly_back(&self.free, ends, &mut self.next_v);
        self.detect_again(real, dt)?;
        self.is_free = false;
        self.write_matrix(real)?;
        self.problem.reset();
        if let Some(damping) = real_context.damping {
            let mut linearized = self.take_linearized_forces(damping);
            let actuation = actuation((self.time, dt), &self.input, &self.actuators);
            self.problem.start_forces();
            linearized.start(damping, (&self.q, &self.next_v), actuation)?;
            self.problem
                .linearize_forces(damping, dt, &mut linearized)?;
            self.linearized = Some(linearized);
        }
        self.problem.validate()?;
        let solution = (self.solver).solve_sparse(&self.problem.sparse, dt, &self.next_v, None)?;
        let mut status = StepStatus::of(solution);
        self.complete(real_context, &mut status)?;
        let linearization = self.solver.factor_solution()?;
        let at_end = (self.next_v.as_slice(), self.found.as_slice());
        let factors = SaddlePoint::new(linearization, &self.constraints, at_end, &mut self.schur)?;
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
        real_context: RealContext<'_>,
    ) -> Result<StepStatus, SystemError> {
        match real_context.damping {
            Some(damping) => {
                let mut linearized = self.take_linearized_forces(damping);
                let result = self.iterate(real_context, damping, &mut linearized);
                self.next_v.clone_from(&linearized.best_solution);
                self.linearized = Some(linearized);
                result
            }
            None => {
                self.problem.validate()?;
                let guess = self.is_guessed.then_some(self.guess.as_slice());
                let problem = &self.problem.sparse;
                let solution =
                    (self.solver).solve_sparse(problem, real_context.dt, &self.v, guess)?;
                self.next_v.copy_from_slice(solution.velocities.as_slice());
                Ok(StepStatus::of(solution))
            }
        }
    }

    /// Linearises the forces about the solution of their last linearisation until they agree.
    fn iterate(
        &mut self,
        real_context: RealContext<'_>,
        damping: &RigidBodySystem<Dual>,
        linearized: &mut LinearizedForces,
    ) -> Result<StepStatus, SystemError> {
        let dt = real_context.dt;
        let tolerance = self.solver.parameters().residual_tolerance;
        let mut iterations = 0;
        let actuation = actuation((self.time, dt), &self.input, &self.actuators);
        self.problem.start_forces();
        let first = match self.starts_as_expected {
            true => &self.guess,
            false => &self.v,
        };
        linearized.start(damping, (&self.q, first), actuation)?;
        for _ in 0..MAX_LINEARIZATIONS {
            self.problem.linearize_forces(damping, dt, linearized)?;
            self.problem.validate()?;
            let problem = &self.problem.sparse;
            let guess = self.is_guessed.then_some(self.guess.as_slice());
            let point = &linearized.point;
            let solution = self.solver.solve_sparse(problem, dt, point, guess)?;
            let mut status = StepStatus::of(solution);
            iterations += status.iterations;
            let v = solution.velocities.as_slice();
            let actuation = self::actuation((self.time, dt), &self.input, &self.actuators);
            let kinematics = &mut self.kinematics;
            let forces = self
                .applied
                .evaluate(real_context.real, kinematics, actuation, v)?;
            if linearized.take(dt, v, forces, tolerance) {
                status.iterations = iterations;
                return Ok(status);
            }
            linearized.advance(|v, d| self.slope(real_context, v, d))?;
        }
        Err(SystemError::ForcesNotConverged {
            linearizations: MAX_LINEARIZATIONS,
            error: linearized.best_error,
        })
    }

    /// `d·r(v)` with the residual `r(v) = A v − p − δt (τ(v) + Jᵀ f(v))` of the momentum balance.
    fn slope(
        &mut self,
        RealContext { real, dt, .. }: RealContext<'_>,
        v: &[f64],
        d: &[f64],
    ) -> Result<f64, SystemError> {
        let actuation = actuation((self.time, dt), &self.input, &self.actuators);
        let forces = (self.applied).evaluate(real, &mut self.kinematics, actuation, v)?;
        let friction = (
            real.regularization.stiction_tolerance,
            real.regularization.softening(),
        );
        Ok(self.problem.slope(dt, friction, forces, (v, d)))
    }

    fn take_linearized_forces(&mut self, damping: &RigidBodySystem<Dual>) -> LinearizedForces {
        (self.linearized.take()).unwrap_or_else(|| LinearizedForces::new(damping))
    }

    fn violated(
        &self,
        real: &RigidBodySystem<f64>,
        row: usize,
        error: f64,
        iterations: usize,
    ) -> SystemError {
        let row = self.constraints.rows.get(row);
        SystemError::ConstraintsNotSatisfied {
            constraint: real.name_of_constraint(row.constraint),
            row: row.row,
            error,
            iterations,
        }
    }
}

fn actuation<'a>(
    (time, time_step): (f64, f64),
    input: &'a [f64],
    state: &'a [f64],
) -> Actuation<'a, f64> {
    Actuation {
        time,
        time_step,
        input,
        state,
    }
}
