//! Steps with rigid contact.
//!
//! The velocity at the end of a step of length δt solves, with contact impulses `f` and the gaps `φ`
//! at its start,
//!
//! ```text
//! M(q) (v⁺ − v) = δt (τ + τ_g − C v − D v) + Jᵀ f + Gᵀ λ
//! 0 ≤ Jₙ v⁺ + φ/δt  ⊥  fₙ ≥ 0        and Coulomb friction in a cone of edges
//! G v⁺ + φ_c/δt = 0, or ≥ 0 ⊥ λ ≥ 0   constraints
//! q⁺ = q ⊕ δt v⁺
//! ```
//!
//! a linear complementarity problem, of Stewart & Trinkle 1996 (*Int. J. Numer. Meth. Engng.* 39,
//! 2673–2691) as Anitescu & Potra 1997 (*Nonlinear Dynamics* 14, 231–247) pose it. Friction sticks without creeping.
//! Contacts are inelastic, but where their material has a
//! [restitution](crate::contact::ContactMaterial::with_restitution) e: those that would close within the step at the
//! velocities of its start, and faster than [`rebound_speed`](super::SystemOptions::rebound_speed), rebound by Newton's
//! law, `Jₙ v⁺ ≥ Jₙ (v⁺ without impulses) − (1 + e) Jₙ v`. No step gains energy by that: where friction would let it, all
//! rebound [less](super::StepStatus::rebound). Impacts at several contacts are one: when a ball hits a row of balls that touch, these go on
//! together, not the last alone; what meets only because of another impact of the step does not rebound. Nothing is stiff, so steps can be long. Force elements and actuators act as at the start of the step, and so do Coriolis forces of
//! mechanisms that turn [slowly](super::StepStatus::turn); free bodies carry their momentum over. Velocities are those of
//! the configuration before the step: the kinetic energy of a state, of a body whose origin is not its centre of mass,
//! differs from that by a part that comes and goes with its turn.

use super::applied_forces::{Actuation, AppliedForces};
use super::error::SystemError;
use super::fast_rotation::FastRotation;
use super::machine::Stepper;
use super::status::{StepKink, StepStatus};
use super::step::StepEvaluation;
use crate::Scalar;
use crate::constraint::ConstraintForce;
use crate::constraint::{
    Baumgarte, ConstraintSolver, TreeConstraints, VelMemory, VelocitySolution,
};
use crate::contact::{ContactResult, ContactWorkspace};
use crate::solver::implicit_stribeck::Strategy;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::Vector3;

/// Number of times that contacts are looked for again.
const MAX_DETECTIONS: usize = 4;
/// Decays of an error in a step after which nothing of it is left in 64 bits.
const AT_ONCE: f64 = 40.0;

/// A problem that was solved, its solution, the part of the rebounds that this has, and how far it is from where that
/// begins to be less than all.
#[derive(Debug, Clone)]
struct Solved<T: Scalar> {
    problem: VelMemory<T>,
    solution: VelocitySolution<T>,
    rebound: T,
    limit: Option<f64>,
}

/// Memory of a step with rigid contact.
#[derive(Debug, Clone)]
pub(super) struct RigidMemory<T: Scalar> {
    applied: AppliedForces<T>,
    fast_rotation: FastRotation<T>,
    /// Generalized forces.
    tau: Vec<T>,
    /// Generalized forces by which bodies that turn carry their momentum over.
    carrying: Vec<T>,
    solver: ConstraintSolver<T>,
    search: ContactWorkspace<T>,
    /// The solution of the step.
    solved: Solved<T>,
    /// Memory of the next.
    spare: Solved<T>,
    /// Contact impulses in contact frames.
    impulses: Vec<Vector3<T>>,
}

impl<T: Scalar> RigidMemory<T> {
    pub fn new(tree: &RigidBodyTree<T>) -> Self {
        RigidMemory {
            applied: AppliedForces::new(tree),
            fast_rotation: FastRotation::new(tree).always_of_free_bodies(),
            tau: vec![T::zero(); tree.num_velocities()],
            carrying: vec![T::zero(); tree.num_velocities()],
            solver: ConstraintSolver::default(),
            search: ContactWorkspace::new(),
            solved: Solved::default(),
            spare: Solved::default(),
            impulses: Vec::new(),
        }
    }

    /// Generalized forces of elements and actuators, at the start of the step.
    pub fn applied_forces(&self) -> &[T] {
        &self.tau
    }

    /// As [`ConstraintSolver::set_warm_start`].
    pub fn set_warm_start(&mut self, warm_start: bool) {
        self.solver.set_warm_start(warm_start);
    }
}

impl<T: Scalar> Stepper<'_, T> {
    /// Solves for the velocities at the end of the step, and moves with them.
    pub(super) fn make_rigid_step(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            balance,
            rigid,
            start,
            input,
            next,
            status,
            ..
        } = evaluation;
        let (system, dt, placed) = (&self.system, self.time_step, &mut balance.placed);
        let (tree, options) = (system.tree, system.options);
        tree.set_state(placed, start.q.as_slice(), start.v.as_slice())?;
        let actuation = Actuation {
            time: start.time,
            input,
            state: start.actuators.as_slice(),
        };
        let RigidMemory {
            applied,
            fast_rotation,
            tau,
            carrying,
            solver,
            search,
            solved,
            spare,
            impulses,
            ..
        } = &mut *rigid;
        let state = (start.q.as_slice(), start.v.as_slice());
        fast_rotation.evaluate(tree, placed, state, (dt, false))?;
        carrying.fill(T::zero());
        if let Some(forces) = fast_rotation.forces() {
            tree.generalized_forces(placed, forces, carrying)?;
        }
        tau.copy_from_slice(applied.evaluate_at_state(system, placed, actuation)?);
        let at_once = Baumgarte {
            alpha: T::zero(),
            beta: T::from(AT_ONCE).div_lifted(dt),
        };
        let mut all = TreeConstraints::new();
        all.time = start.time;
        all.spanning_directions = options.friction_edges / 2;
        all.set_contact(system.contact, options.overlap_stabilization());
        all.rebound_speed = options.rebound_speed;
        all.end_with(system.constraints, at_once);
        let forces = (&**tau, Some(&**carrying), dt);
        let mut detections = 0;
        // Impulses may lead further than was anticipated.
        loop {
            let last = &solved.solution.generalized_velocity;
            let towards = (detections > 0).then_some(last.as_slice());
            let memory = (&mut *search, std::mem::take(&mut spare.problem));
            let mut problem = all.time_step_problem_in(memory, tree, placed, forces, towards)?;
            if detections > 0 && problem.found.len() == solved.problem.found.len() {
                spare.problem = problem.into_memory();
                break;
            }
            (spare.rebound, spare.limit) = problem.solve_into(solver, &mut spare.solution)?;
            spare.problem = problem.into_memory();
            std::mem::swap(solved, spare);
            detections += 1;
            let v = solved.solution.generalized_velocity.as_slice();
            if detections > MAX_DETECTIONS
                || !(system.contact).outreaches(tree, placed, v, search)?
            {
                break;
            }
        }
        let Solved {
            problem,
            solution,
            rebound,
            limit,
        } = &*solved;
        let made = &solution.impulses;
        *status = StepStatus {
            iterations: made.pivots,
            strategy: Strategy::default(),
            residual: made.residual,
            nearest_geometry_kink: problem.geometry_kink,
            turn: fast_rotation.turn,
            without_push: solution.without_push,
            rebound: rebound.re(),
            ..StepStatus::default()
        };
        status.offer_constraints(&made.kinks, problem.angular_inequalities(), true);
        if let Some(distance) = *limit {
            status.offer(StepKink::Rebound { distance });
        }
        made.write_in_contact_frames(impulses);
        next.v.copy_from(&solution.generalized_velocity);
        let (q, v) = (start.q.as_slice(), next.v.as_slice());
        Ok(tree.integrate(q, v, dt, next.q.as_mut_slice())?)
    }

    /// The velocities of the contacts of the step at the velocities of a workspace, in their frames.
    pub(super) fn rigid_contact_velocities(
        &self,
        evaluation: &StepEvaluation<T>,
        placed: &TreeWorkspace<T>,
    ) -> Result<Vec<Vector3<T>>, SystemError> {
        let points = evaluation.rigid.solved.problem.contacts.iter();
        let velocities = points.map(|point| self.system.relative_velocity(placed, point));
        Ok(velocities.collect::<Result<_, _>>()?)
    }

    /// Writes contacts, with the velocities at the end of the step, and constraint forces.
    pub(super) fn write_rigid_results(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            balance,
            rigid,
            start,
            next,
            contacts,
            constraint_forces,
            ..
        } = evaluation;
        let (tree, placed) = (self.system.tree, &mut balance.placed);
        tree.set_state(placed, start.q.as_slice(), next.v.as_slice())?;
        let Solved {
            problem, solution, ..
        } = &rigid.solved;
        let found = problem.found.iter().zip(&problem.contacts);
        for ((found, point), impulse) in found.zip(&rigid.impulses) {
            let velocity = self.system.relative_velocity(placed, point)?;
            let force = impulse.map(|x| x.div_lifted(self.time_step));
            contacts.push(ContactResult::new(*found, point, velocity, force));
        }
        let rows = problem.bilateral.iter().chain(&problem.unilateral);
        let impulses = &solution.impulses;
        let values = impulses.bilateral().iter().chain(impulses.limit());
        constraint_forces.extend(rows.zip(values).map(|(&(constraint, row), &impulse)| {
            ConstraintForce {
                constraint,
                row,
                force: impulse.div_lifted(self.time_step),
            }
        }));
        Ok(())
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
