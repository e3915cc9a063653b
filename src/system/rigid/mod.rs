//! Steps with rigid contact (Stewart–Trinkle, Anitescu–Potra).
//!
//! The velocity at the end of a step of length δt solves, with contact impulses `f` and the gaps `φ`
//! at its start,
//!
//! ```text
//! M(q) (v⁺ − v) = δt (τ(v⁺) + τ_g − C v − D v⁺) + Jᵀ f + Gᵀ λ
//! 0 ≤ Jₙ v⁺ + φ/δt  ⊥  fₙ ≥ 0        and Coulomb friction in a cone of edges, or round
//! G v⁺ + φ_c/δt = 0, or ≥ 0 ⊥ λ ≥ 0   constraints
//! q⁺ = q ⊕ δt v⁺                      but free bodies fly
//! ```
//!
//! Where forces are linear in the velocity this is a linear complementarity problem, that of Stewart & Trinkle 1996 (*Int. J.
//! Numer. Meth. Engng.* 39, 2673–2691) as Anitescu & Potra 1997 (*Nonlinear Dynamics* 14, 231–247) pose it. Other forces
//! are linearised until they agree with the solution, one problem after another. Nothing is stiff, so steps can be long.
//!
//! - *Friction* sticks without creeping. With [round cones](super::SystemOptions::round_friction_cones) the solution with
//!   cones of edges is where the search for [that with round ones](crate::solver::friction_cone) begins. Where several points
//!   can share a load in many ways, as in a grasp, and the first solution slips, one is looked for in which nothing slips.
//! - *Restitution*: contacts are inelastic unless their material has a
//!   [restitution](crate::contact::ContactMaterial::with_restitution) e. Those that would close within the step at the
//!   velocities of its start, and faster than [`rebound_speed`](super::SystemOptions::rebound_speed), obey Newton's law,
//!   `Jₙ v⁺ ≥ Jₙ (v⁺ without impulses) − (1 + e) Jₙ v`. No step gains energy by that: where friction would let it, all
//!   rebound [less](super::StepStatus::rebound). Impacts at several contacts are one impact: when a ball hits a row of balls
//!   that touch, these move on together, not the last alone. What meets only because of another impact of the step does not
//!   rebound.
//! - *Force elements and actuators* act at the positions of the start and the velocities of the end, as in compliant steps: no
//!   damper is too strong for a step.
//! - *Coriolis forces* of mechanisms that rotate [slowly](super::StepStatus::turn) are those of the start. None act on free
//!   bodies, which [fly](super::movement) after the impulses with their momentum and energy kept; mechanisms on a floating joint
//!   fly with their momentum kept. Rates of joints are
//!   those of the configuration before the step: the kinetic energy of mechanisms at the end differs from that after the
//!   impulses by a part that comes and goes as they rotate.

mod implicit_forces;
mod solve;

pub(super) use solve::RigidMemory;

use super::applied_forces::Actuation;
use super::error::SystemError;
use super::status::{StepKink, StepStatus};
use super::step::StepEvaluation;
use super::stepper::Stepper;
use crate::Scalar;
use crate::constraint::{Baumgarte, ConstraintForce, Stabilizations, TreeConstraints};
use crate::contact::ContactResult;
use crate::solver::implicit_stribeck::Strategy;
use crate::tree::TreeWorkspace;
use nalgebra::Vector3;
use solve::{LinearStep, Solved};

/// Decays of an error in a step after which nothing of it is left in 64 bits.
const AT_ONCE: f64 = 40.0;

impl<T: Scalar> Stepper<'_, T> {
    /// Makes a step with rigid contact.
    pub(super) fn make_rigid_step(
        &self,
        evaluation: &mut StepEvaluation<T>,
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), SystemError> {
        self.solve_rigid_step(evaluation)?;
        self.move_bodies(evaluation, false)?;
        self.tell_gain(evaluation)?;
        self.show_rigid(evaluation)?;
        self.measure(evaluation, normal, self.sample())
    }

    /// Solves for the velocities at the end of the step.
    fn solve_rigid_step(&self, evaluation: &mut StepEvaluation<T>) -> Result<(), SystemError> {
        let StepEvaluation {
            kinematics,
            rigid,
            start,
            input,
            next,
            status,
            real,
            ..
        } = evaluation;
        let (system, dt, options) = (&self.system, self.time_step, self.system.options);
        let state = (start.q.as_slice(), start.v.as_slice());
        kinematics.place(&system.tree, state, dt, false)?;
        kinematics.carry_momentum(&system.tree, &mut rigid.carrying)?;
        let mut constraints = TreeConstraints::new();
        constraints.time = start.time;
        constraints.spanning_directions = options.spanning_directions();
        constraints.round_cones = options.round_friction_cones;
        constraints.set_contact(&system.contact, system.regularization.of_overlaps());
        constraints.rebound_speed = system.regularization.rebound_speed;
        let at_once = Baumgarte {
            alpha: T::zero(),
            beta: T::from(AT_ONCE).div_lifted(dt),
        };
        let stabilizations = Stabilizations {
            of_equations: at_once,
            of_inequalities: system.regularization.of_constraints(),
        };
        constraints.end_with(&system.constraints, stabilizations);
        let step = LinearStep {
            system,
            constraints: &constraints,
            dt,
        };
        let actuation = Actuation::of(start, input, dt);
        match &self.dual {
            Some(dual) => {
                real.copy_real(start);
                let bodies = &mut kinematics.bodies;
                rigid.solve_with_velocity_forces(&step, dual, bodies, (actuation, real))?;
            }
            None => rigid.solve_with_given_forces(&step, &mut kinematics.bodies, actuation)?,
        }
        let Solved {
            problem,
            solution,
            rebound,
            limit,
        } = &rigid.solved;
        let made = &solution.impulses;
        *status = StepStatus {
            iterations: made.pivots,
            strategy: Strategy::default(),
            residual: made.residual,
            nearest_geometry_kink: problem.geometry_kink,
            turn: kinematics.fast_rotation.rotation,
            parts: 1,
            without_push: solution.without_push,
            rebound: rebound.re(),
            ..StepStatus::default()
        };
        status.offer_constraints(&made.kinks, problem.angular_inequalities(), true);
        if let Some(gain) = *limit {
            let distance = gain.re().abs();
            status.offer(StepKink::Rebound { distance });
        }
        made.write_in_contact_frames(&mut rigid.impulses);
        next.v.copy_from(&solution.generalized_velocity);
        Ok(())
    }

    /// The velocities of the contacts of the step at the velocities of a workspace, in their frames.
    pub(super) fn rigid_contact_velocities(
        &self,
        evaluation: &StepEvaluation<T>,
        kinematics: &TreeWorkspace<T>,
    ) -> Result<Vec<Vector3<T>>, SystemError> {
        let points = evaluation.rigid.solved.problem.contacts.iter();
        let velocities =
            points.map(|point| point.relative_velocity_in(&self.system.tree, kinematics));
        Ok(velocities.collect::<Result<_, _>>()?)
    }

    /// Writes contacts, with the velocities at the end of the step, and constraint forces.
    pub(super) fn write_rigid_results(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            kinematics,
            rigid,
            start,
            v_after_forces,
            contacts,
            constraint_forces,
            ..
        } = evaluation;
        let (tree, kinematics) = (&self.system.tree, &mut kinematics.bodies);
        tree.set_state(kinematics, start.q.as_slice(), v_after_forces)?;
        let Solved {
            problem, solution, ..
        } = &rigid.solved;
        let found = problem.found.iter().zip(&problem.contacts);
        for ((found, point), impulse) in found.zip(&rigid.impulses) {
            let velocity = point.relative_velocity_in(&self.system.tree, kinematics)?;
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
