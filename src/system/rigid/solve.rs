//! The complementarity problem of a step with given or linearised forces.

use super::super::applied_forces::{Actuation, AppliedForces};
use super::super::error::SystemError;
use super::super::linearized_forces::LinearizedForces;
use super::super::rigid_body_system::RigidBodySystem;
use crate::Scalar;
use crate::constraint::{
    ConstraintSolver, DampedInertia, Looking, Rebounds, StepForces, TreeConstraints, VelMemory,
    VelocitySolution,
};
use crate::contact::{ContactWorkspace, MAX_DETECTIONS};
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::Vector3;

/// A problem that was solved, its solution, the part of the rebounds that this has, and what it would gain with all of
/// them, in J; if that is positive there are less.
#[derive(Debug, Clone)]
pub(in crate::system) struct Solved<T: Scalar> {
    pub problem: VelMemory<T>,
    pub solution: VelocitySolution<T>,
    pub rebound: T,
    pub limit: Option<T>,
}

/// Memory of a step with rigid contact.
#[derive(Debug, Clone)]
pub(in crate::system) struct RigidMemory<T: Scalar> {
    pub(super) applied: AppliedForces<T>,
    /// Generalized forces.
    pub(super) tau: Vec<T>,
    /// Generalized forces by which bodies that turn carry their momentum over.
    pub(super) carrying: Vec<T>,
    pub(super) damping: DampedInertia<T>,
    /// Forces that depend on velocities, if there are any, and the velocity at which they are linear.
    pub(super) linearized: Option<LinearizedForces>,
    pub(super) point: Vec<T>,
    pub(super) real: Real,
    pub(super) rebounding: Rebounding<T>,
    solver: ConstraintSolver<T>,
    warm_start: bool,
    search: ContactWorkspace<T>,
    /// Velocities that the step has come to with the contacts that were found so far.
    reached: Vec<T>,
    /// The solution of the step.
    pub solved: Solved<T>,
    /// Memory of the next.
    pub(super) spare: Solved<T>,
    /// The momentum that forces and what was before the step lead to.
    pub(super) momentum: Vec<T>,
    /// Contact impulses in contact frames.
    pub(super) impulses: Vec<Vector3<T>>,
}

/// Real vectors of the search for velocities: the input; the solution and forces there; the products of its step with
/// `M + δt D` and D; the momentum at the solution.
#[derive(Debug, Clone, Default)]
pub(super) struct Real {
    pub input: Vec<f64>,
    pub v: Vec<f64>,
    pub forces: Vec<f64>,
    pub inertia: Vec<f64>,
    pub damped: Vec<f64>,
    pub momentum: Vec<f64>,
}

/// Of steps with forces that depend on velocities and contacts that rebound: the step without contact, that with all
/// rebounds, and the momentum of that without.
#[derive(Debug, Clone)]
pub(super) struct Rebounding<T: Scalar> {
    pub free: Solved<T>,
    pub with: VelocitySolution<T>,
    pub rest: Vec<T>,
}

impl<T: Scalar> Default for Rebounding<T> {
    fn default() -> Self {
        Rebounding {
            free: Solved::default(),
            with: VelocitySolution::default(),
            rest: Vec::new(),
        }
    }
}

/// What is asked for of a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ask {
    /// What there is, with forces that do not depend on velocities.
    All,
    /// A step in which no contact rebounds.
    Rest,
    /// All rebounds, from the velocities of the step without contact.
    Rebounds,
}

/// Which contacts a problem has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Contacts {
    /// Those that are found ahead of the step.
    Find,
    /// Those of the solution before, and more if it leads further than they were looked for.
    Follow,
    /// Those of the solution before.
    Keep,
}

/// What stays the same while forces are linearised and contacts looked for.
pub(super) struct LinearStep<'a, T: Scalar> {
    pub system: &'a RigidBodySystem<T>,
    pub constraints: &'a TreeConstraints<'a, T>,
    pub dt: T,
}

impl<T: Scalar> RigidMemory<T> {
    pub fn new(tree: &RigidBodyTree<T>) -> Self {
        RigidMemory {
            applied: AppliedForces::new(tree),
            tau: vec![T::zero(); tree.num_velocities()],
            carrying: vec![T::zero(); tree.num_velocities()],
            damping: DampedInertia::new(tree),
            linearized: None,
            point: Vec::new(),
            real: Real::default(),
            rebounding: Rebounding::default(),
            solver: ConstraintSolver::default(),
            warm_start: false,
            search: ContactWorkspace::new(),
            reached: Vec::new(),
            solved: Solved::default(),
            spare: Solved::default(),
            momentum: Vec::new(),
            impulses: Vec::new(),
        }
    }

    /// Work of the forces of the step, gravity and damping of joints included, at the velocity `v`, in J.
    pub fn work_of_forces(&self, v: &[T]) -> T {
        let initial = &self.solved.problem.initial.momentum;
        let impulses = self.momentum.iter().zip(initial);
        (v.iter().zip(impulses)).fold(T::zero(), |sum, (&v, (&p, &before))| sum + v * (p - before))
    }

    /// Writes the momentum at the solution.
    pub(super) fn write_momentum(&mut self) {
        let Solved {
            problem, solution, ..
        } = &self.solved;
        self.momentum.clear();
        self.momentum.extend_from_slice(problem.data.Mv.as_slice());
        let v = solution.generalized_velocity.as_slice();
        self.damping.subtract_product(v, &mut self.momentum);
    }

    /// As [`ConstraintSolver::set_warm_start`].
    pub fn set_warm_start(&mut self, warm_start: bool) {
        self.warm_start = warm_start;
    }

    /// Solves a step whose forces, but for the damping of joints, do not depend on velocities.
    pub(super) fn solve_with_given_forces(
        &mut self,
        step: &LinearStep<'_, T>,
        kinematics: &mut TreeWorkspace<T>,
        actuation: Actuation<'_, T>,
    ) -> Result<(), SystemError> {
        let system = step.system;
        let tau = self
            .applied
            .evaluate_at_state(system, kinematics, actuation)?;
        self.tau.copy_from_slice(tau);
        let is_damped = self.damping.set_joints(&system.tree, step.dt)?;
        if is_damped {
            self.damping.factor(&system.tree, kinematics, None)?;
        }
        self.solve(step, kinematics, is_damped, Contacts::Find, Ask::All)?;
        self.write_momentum();
        Ok(())
    }

    /// Solves the problem with the forces `tau` and, if `is_damped`, the damping that there is.
    pub(super) fn solve(
        &mut self,
        step: &LinearStep<'_, T>,
        kinematics: &mut TreeWorkspace<T>,
        is_damped: bool,
        contacts: Contacts,
        ask: Ask,
    ) -> Result<(), SystemError> {
        let LinearStep {
            system,
            constraints,
            dt,
        } = *step;
        let (solved, spare) = (&mut self.solved, &mut self.spare);
        (self.solver).set_warm_start(self.warm_start || contacts != Contacts::Find);
        let mut solutions = 0;
        self.reached.clear();
        // Impulses may lead further than was anticipated.
        loop {
            let looking = match (solutions, contacts) {
                (0, Contacts::Find) => Looking::Ahead,
                (0, _) => Looking::Done,
                _ => Looking::Towards(&self.reached),
            };
            if matches!(looking, Looking::Done) {
                std::mem::swap(&mut solved.problem, &mut spare.problem);
            }
            let memory = (&mut self.search, std::mem::take(&mut spare.problem));
            let forces = StepForces {
                tau: &self.tau,
                carrying: Some(&self.carrying),
                damping: is_damped.then_some(&mut self.damping),
                rebounds: match ask {
                    Ask::All => Rebounds::Linear,
                    Ask::Rest => Rebounds::Never,
                    Ask::Rebounds => {
                        let free = &self.rebounding.free.solution;
                        Rebounds::From(free.generalized_velocity.as_slice())
                    }
                },
                dt,
            };
            let tree = &system.tree;
            let mut problem =
                constraints.time_step_problem_in(memory, tree, kinematics, forces, looking)?;
            if solutions > 0 && problem.found.len() == solved.problem.found.len() {
                spare.problem = problem.into_memory();
                return Ok(());
            }
            let solution = match ask {
                Ask::All => problem.solve_into(&mut self.solver, &mut spare.solution),
                _ => (self.solver)
                    .solve_velocities_into(&mut problem.data, &mut spare.solution)
                    .map(|()| (T::one(), None)),
            };
            spare.problem = problem.into_memory();
            let bilateral = &spare.problem.bilateral;
            (spare.rebound, spare.limit) =
                solution.map_err(|error| system.in_row(error, bilateral))?;
            std::mem::swap(solved, spare);
            solutions += 1;
            let v = solved.solution.generalized_velocity.as_slice();
            self.reached.extend_from_slice(v);
            if contacts == Contacts::Keep
                || solutions > MAX_DETECTIONS
                || !(system.contact).outreaches(tree, kinematics, v, &mut self.search)?
            {
                return Ok(());
            }
        }
    }
}

impl<T: Scalar> Default for Solved<T> {
    /// Of no contacts.
    fn default() -> Self {
        Solved {
            problem: VelMemory::default(),
            solution: VelocitySolution::default(),
            rebound: T::one(),
            limit: None,
        }
    }
}
