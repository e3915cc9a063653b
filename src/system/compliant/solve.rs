//! The velocities at the end of a compliant step, in `f64`, and the factored Jacobian there.

use super::constraint_impulses::ConstraintImpulses;
use super::free_motion::FreeMotion;
use super::problem::StepProblem;
use super::saddle_point::{SaddlePoint, SchurComplement};
use super::start::StepStart;
use super::warm_start::WarmStart;
use crate::contact::MAX_DETECTIONS;
use crate::solver::ImplicitStribeckSolver;
use crate::solver::implicit_stribeck::{EqualityRows, FoldAlong};
use crate::system::applied_forces::{Actuation, AppliedForces};
use crate::system::error::SystemError;
use crate::system::kinematics::StepKinematics;
use crate::system::linearized_forces::LinearizedForces;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::system::status::{StepKink, StepStatus};
use crate::system::stepper::Stepper;
use crate::tree::Flights;
use crate::{ElementKink, Parallelism, Scalar};

/// What compliant steps compute in `f64`; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct CompliantSolve {
    pub start: StepStart,
    pub warm_start: WarmStart,
    /// The balance `A v⁺ = p + δt Jᵀ f`.
    pub(super) problem: StepProblem,
    free_motion: FreeMotion,
    pub(super) applied: AppliedForces<f64>,
    pub(super) linearized: Option<LinearizedForces>,
    /// The constraints of the step.
    pub constraints: ConstraintImpulses,
    pub(super) solver: ImplicitStribeckSolver<f64>,
    /// The rows that act.
    pub(super) acting: EqualityRows,
    schur: SchurComplement,
    /// The solution: velocities after the forces of the step.
    pub(super) next_v: Vec<f64>,
    /// Changes of velocities and impulses.
    pub(super) changes: Vec<f64>,
    guess: Vec<f64>,
}

impl CompliantSolve {
    pub fn new(system: &RigidBodySystem<f64>) -> Result<Self, SystemError> {
        let tree = &system.tree;
        let nv = tree.num_velocities();
        Ok(CompliantSolve {
            start: StepStart::new(system),
            warm_start: WarmStart::off(nv),
            problem: StepProblem::new(nv),
            free_motion: FreeMotion::new(tree),
            applied: AppliedForces::new(tree),
            linearized: None,
            constraints: ConstraintImpulses::default(),
            solver: ImplicitStribeckSolver::new(system.options.contact_solver)?,
            acting: EqualityRows::default(),
            schur: SchurComplement::default(),
            next_v: vec![0.0; nv],
            changes: Vec::new(),
            guess: Vec::new(),
        })
    }

    pub fn set_parallelism(&mut self, parallelism: Parallelism) {
        self.solver.set_parallelism(parallelism);
    }

    /// Places bodies at the start of a step, and finds the contacts that it may make.
    pub fn begin<T: Scalar>(
        &mut self,
        stepper: Stepper<'_, f64>,
        state: &State<T>,
        input: &[T],
    ) -> Result<(), SystemError> {
        let v = state.v.iter().map(|v| v.re());
        (self.warm_start).begin(v, self.start.state.v.as_slice(), &self.next_v);
        self.start.place(stepper, state, input)?;
        self.start.find_contacts(stepper)
    }

    /// Assembles the balance: momentum, forces, contacts and constraints.
    pub fn assemble(&mut self, stepper: Stepper<'_, f64>) -> Result<(), SystemError> {
        let (real, dt) = (stepper.system, stepper.time_step);
        self.solver.set_parameters(real.options.contact_solver)?;
        let start = &mut self.start;
        (self.problem).assemble(stepper, start, &mut self.applied)?;
        let rows = &mut self.constraints.rows;
        Ok(rows.evaluate(real, &start.kinematics.bodies, (start.state.time + dt, dt))?)
    }

    /// Finds the velocities at the end of the step, and looks again for contacts where they lead further
    /// than was anticipated.
    pub fn solve(&mut self, stepper: Stepper<'_, f64>) -> Result<StepStatus, SystemError> {
        let mut status = self.solve_with_contacts(stepper)?;
        for _ in 0..MAX_DETECTIONS {
            if !self.find_more_contacts(stepper)? {
                break;
            }
            self.warm_start.improve(&self.next_v);
            status = self.solve_with_contacts(stepper)?;
        }
        self.complete(stepper, &mut status)?;
        self.warm_start.know_last_step();
        Ok(status)
    }

    /// Finds the momenta with which free mechanisms fly.
    pub fn find_momenta(&mut self, stepper: Stepper<'_, f64>, flights: &mut Flights<f64>) {
        if flights.is_empty() || !stepper.system.options.keep_momentum {
            return;
        }
        let (tree, dt) = (&stepper.system.tree, stepper.time_step);
        let is_free = self.is_free_motion(stepper);
        let StepKinematics {
            bodies,
            fast_rotation,
            ..
        } = &mut self.start.kinematics;
        if is_free {
            let bodies = (bodies, fast_rotation.forces());
            tree.find_momenta(flights, bodies, &self.next_v, dt);
        } else {
            let (v, p) = (self.start.state.v.as_slice(), &self.problem.motion_momentum);
            tree.find_momenta_of_balance(flights, bodies, (v, &self.next_v, p), dt);
        }
    }

    /// The folds near the solution, of the contact solver.
    pub fn folds(&mut self, stepper: Stepper<'_, f64>) -> Result<Vec<FoldAlong>, SystemError> {
        match self.problem.has_matrix {
            true => self.look_on_rows(stepper, |solver| solver.folds()),
            false => Ok(Vec::new()),
        }
    }

    /// Looks for folds of what moves as the constraints let it: springs stand for these meanwhile.
    fn look_on_rows<X>(
        &mut self,
        stepper: Stepper<'_, f64>,
        look: impl FnOnce(&mut ImplicitStribeckSolver<f64>) -> X,
    ) -> Result<X, SystemError> {
        let on_rows = self.constraints.acts() && self.solver.friction_falls();
        if on_rows {
            self.place(stepper, true)?;
        }
        let found = look(&mut self.solver);
        if on_rows {
            self.place(stepper, false)?;
        }
        Ok(found)
    }

    fn find_more_contacts(&mut self, stepper: Stepper<'_, f64>) -> Result<bool, SystemError> {
        let are_more = self.start.find_more_contacts(stepper, &self.next_v)?;
        if are_more {
            (self.problem).write_contacts(&stepper.system.tree, &self.start)?;
        }
        Ok(are_more)
    }

    /// Adds to a status what the contact solver does not know.
    fn complete(
        &mut self,
        stepper: Stepper<'_, f64>,
        status: &mut StepStatus,
    ) -> Result<(), SystemError> {
        if self.problem.has_matrix {
            let (fold, other) = self.look_on_rows(stepper, |solver| solver.nearest_fold())?;
            fold.into_iter()
                .for_each(|fold| status.offer(StepKink::Contact(fold)));
            status.other_solution = match other {
                None => self.find_other_solution(stepper)?,
                other => other,
            };
        }
        let start = &self.start;
        status.turn = start.kinematics.fast_rotation.rotation;
        status.nearest_geometry_kink = start.contact.kink;
        if start.actuators_touch {
            let actuation = Actuation::of(&start.state, &start.input, stepper.time_step);
            let mut offer = |kink: ElementKink<'_>| status.offer_actuator(kink);
            let (kinematics, v) = (&start.kinematics.bodies, &self.next_v);
            (self.applied).visit_actuator_kinks(
                stepper.system,
                kinematics,
                actuation,
                v,
                &mut offer,
            )?;
        }
        Ok(())
    }

    /// Where friction falls with the slip speed, looks for another solution of the step from velocities at which nothing slips,
    /// and from those at which nothing touches. Returns how far in m/s the slip of a contact is from it.
    fn find_other_solution(
        &mut self,
        stepper: Stepper<'_, f64>,
    ) -> Result<Option<f64>, SystemError> {
        if !self.is_linear_but_for_contact(stepper) || !self.solver.friction_falls() {
            return Ok(None);
        }
        let (dt, problem, found) = (stepper.time_step, &self.problem, self.next_v.as_slice());
        let (guess, solver) = (&mut self.guess, &mut self.solver);
        guess.clear();
        guess.resize(found.len(), 0.0);
        let mut apart = solver.distance_to_other(&problem.sparse, dt, (found, guess));
        if apart.is_none() {
            let (tree, kinematics) = (&stepper.system.tree, &mut self.start.kinematics.bodies);
            let balance = (
                problem.joint_damping.as_slice(),
                problem.sparse.momentum.as_slice(),
            );
            if (self.free_motion.solve(tree, kinematics, balance, guess)).is_some() {
                apart = solver.distance_to_other(&problem.sparse, dt, (found, guess));
            }
        }
        solver.place(&problem.sparse, dt, found)?;
        Ok(apart)
    }

    fn solve_with_contacts(
        &mut self,
        stepper: Stepper<'_, f64>,
    ) -> Result<StepStatus, SystemError> {
        if let Some(status) = self.solve_free_motion(stepper) {
            return Ok(status);
        }
        self.write_matrix(stepper.system)?;
        match self.constraints.rows.len() {
            0 => self.solve_without_constraints(stepper),
            _ => self.solve_with_constraints(stepper),
        }
    }

    /// Whether the step has neither constraints nor forces that depend on velocities.
    fn is_linear_but_for_contact(&self, stepper: Stepper<'_, f64>) -> bool {
        stepper.dual.is_none() && self.constraints.rows.len() == 0
    }

    /// Whether the step is linear and has no constraints.
    fn is_free_motion(&self, stepper: Stepper<'_, f64>) -> bool {
        self.start.found.is_empty() && self.is_linear_but_for_contact(stepper)
    }

    /// Solves a step that is linear and has no constraints by articulated bodies, without the matrix of the balance.
    fn solve_free_motion(&mut self, stepper: Stepper<'_, f64>) -> Option<StepStatus> {
        if !self.is_free_motion(stepper) {
            return None;
        }
        let StepProblem {
            joint_damping,
            sparse,
            ..
        } = &self.problem;
        let balance = (joint_damping.as_slice(), sparse.momentum.as_slice());
        let (tree, kinematics) = (&stepper.system.tree, &mut self.start.kinematics.bodies);
        (self.free_motion).solve(tree, kinematics, balance, &mut self.next_v)
    }

    /// Writes the matrix of the balance without constraints, if it is not there yet.
    fn write_matrix(&mut self, real: &RigidBodySystem<f64>) -> Result<(), SystemError> {
        if !self.problem.has_matrix {
            let (tree, kinematics) = (&real.tree, &mut self.start.kinematics.bodies);
            self.problem.write_matrix(tree, kinematics)?;
            let damping = &self.problem.joint_damping;
            self.free_motion.check(tree, kinematics, damping)?;
        }
        self.problem.reset();
        Ok(())
    }

    pub(super) fn solve_without_constraints(
        &mut self,
        stepper: Stepper<'_, f64>,
    ) -> Result<StepStatus, SystemError> {
        if let Some(damping) = stepper.dual {
            return self.solve_with_velocity_forces(stepper, damping);
        }
        self.problem.validate()?;
        let (problem, v) = (&self.problem.sparse, self.start.state.v.as_slice());
        let guess = self.warm_start.of_contact();
        let solution = (self.solver).solve_sparse(problem, stepper.time_step, v, guess)?;
        self.next_v.copy_from_slice(solution.velocities.as_slice());
        Ok(StepStatus::of(solution))
    }

    /// The Jacobian of balance and constraints at the solution.
    pub fn factor(&mut self, stepper: Stepper<'_, f64>) -> Result<SaddlePoint<'_>, SystemError> {
        let dt = stepper.time_step;
        if !self.problem.has_matrix {
            self.write_matrix(stepper.system)?;
            let problem = &self.problem.sparse;
            self.solver.place(problem, dt, &self.next_v)?;
        }
        if let Some(damping) = stepper.dual {
            self.linearize_at_solution(damping, dt)?;
            self.problem.validate()?;
            (self.solver).solve_sparse(&self.problem.sparse, dt, &self.next_v, None)?;
        }
        self.factor_solution()
    }

    /// As [`Self::solve`] and [`Self::factor`], for a step that is known to lead to the state `end`.
    pub fn factor_at(
        &mut self,
        stepper: Stepper<'_, f64>,
        end: &State<f64>,
        flights: &mut Flights<f64>,
    ) -> Result<(StepStatus, SaddlePoint<'_>), SystemError> {
        if self.constraints.rows.len() > 0 {
            let status = self.solve(stepper)?;
            self.find_momenta(stepper, flights);
            return Ok((status, self.factor(stepper)?));
        }
        let (real, dt) = (stepper.system, stepper.time_step);
        self.next_v.copy_from_slice(end.v.as_slice());
        let ends = (self.start.state.q.as_slice(), end.q.as_slice());
        let StepKinematics {
            bodies,
            fast_rotation,
            free,
        } = &mut self.start.kinematics;
        (real.tree).fly_back(free, ends, &mut self.next_v);
        if real.options.keep_momentum {
            let bodies = (bodies, fast_rotation.forces());
            let v = &mut self.next_v;
            (real.tree).fly_mechanisms_back(flights, bodies, ends.1, v, dt)?;
        }
        self.find_more_contacts(stepper)?;
        self.write_matrix(real)?;
        if let Some(damping) = stepper.dual {
            self.start_forces_at_solution(damping, dt)?;
            self.linearize_at_solution(damping, dt)?;
        }
        self.problem.validate()?;
        let solution = (self.solver).solve_sparse(&self.problem.sparse, dt, &self.next_v, None)?;
        let mut status = StepStatus::of(solution);
        self.complete(stepper, &mut status)?;
        self.find_momenta(stepper, flights);
        Ok((status, self.factor_solution()?))
    }

    pub(super) fn factor_solution(&mut self) -> Result<SaddlePoint<'_>, SystemError> {
        let linearization = self.solver.factor_solution()?;
        self.constraints.are_springs = self.problem.sparse.has_stiff_terms;
        self.constraints.are_independent = self.schur.factor(&linearization, &self.constraints)?;
        Ok(self.saddle_point())
    }

    /// The Jacobian of balance and constraints as it has been factored last.
    pub(super) fn saddle_point(&mut self) -> SaddlePoint<'_> {
        let linearization = self.solver.linearization();
        let at_end = (self.next_v.as_slice(), self.start.found.as_slice());
        let (constraints, schur) = (&self.constraints, &self.schur);
        SaddlePoint::new(
            linearization,
            constraints,
            at_end,
            self.problem.coupled(),
            schur,
        )
    }

    /// The velocities at the end of the step, then the impulses of the rows that act.
    pub fn solution(&self) -> impl Iterator<Item = f64> {
        let ConstraintImpulses {
            impulses, active, ..
        } = &self.constraints;
        let acting = impulses.iter().zip(active).filter(|(_, active)| **active);
        (self.next_v.iter().copied()).chain(acting.map(|(&impulse, _)| impulse))
    }
}
