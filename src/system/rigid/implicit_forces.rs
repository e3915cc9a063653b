//! Velocity-dependent forces in a step with rigid contact.
//!
//! They are [linearised](super::super::linearized_forces) until they agree with the solution of the complementarity
//! problem. A linearisation about the velocities at the end, with their derivatives so far, gives these one order more:
//! its damping is that at the solution, as in [`implicit_step`](crate::autodiff::implicit_step).

use super::super::applied_forces::Actuation;
use super::super::damping::Dual;
use super::super::error::SystemError;
use super::super::linearized_forces::LinearizedForces;
use super::super::rigid_body_system::RigidBodySystem;
use super::super::state::State;
use super::solve::{Ask, Contacts, LinearStep, Real, Rebounding, RigidMemory, Solved};
use crate::Scalar;
use crate::constraint::{Gain, TreeConstraints};
use crate::tree::TreeWorkspace;
use nalgebra::DMatrix;

/// Number of linearisations after which the search for a velocity is given up.
const MAX_LINEARIZATIONS: usize = 100;

impl<T: Scalar> RigidMemory<T> {
    /// Solves a step with forces that depend on velocities; `real` is the state at its start.
    pub(super) fn solve_with_velocity_forces(
        &mut self,
        step: &LinearStep<'_, T>,
        dual: &RigidBodySystem<Dual>,
        kinematics: &mut TreeWorkspace<T>,
        (actuation, real): (Actuation<'_, T>, &State<f64>),
    ) -> Result<(), SystemError> {
        let mut linearized =
            (self.linearized.take()).unwrap_or_else(|| LinearizedForces::new(dual));
        fill(&mut self.real.input, actuation.input.iter().map(T::re));
        let dt = step.dt.re();
        let real_actuation = Actuation::of(real, &self.real.input, dt);
        linearized.start(dual, (real.q.as_slice(), real.v.as_slice()), real_actuation)?;
        self.damping.set_joints(&step.system.tree, step.dt)?;
        let mut search = Search {
            step,
            dual,
            actuation,
            memory: self,
            kinematics,
            linearized: &mut linearized,
        };
        let result = search.run_with_rebounds();
        self.linearized = Some(linearized);
        result
    }

    /// Gives the solution the real parts, and what goes with them, of that before.
    fn keep_real_parts(&mut self) {
        let Solved {
            solution,
            rebound,
            limit,
            ..
        } = &mut self.solved;
        let before = &self.spare;
        let (impulses, real) = (&mut solution.impulses, &before.solution.impulses);
        for (values, real) in [
            (
                &mut solution.generalized_velocity,
                &before.solution.generalized_velocity,
            ),
            (
                &mut solution.velocity_change,
                &before.solution.velocity_change,
            ),
            (&mut impulses.packed, &real.packed),
            (&mut impulses.generalized, &real.generalized),
        ] {
            for (x, real) in values.iter_mut().zip(real) {
                *x = x.with_real(real.re());
            }
        }
        impulses.kinks.clone_from(&real.kinks);
        (impulses.residual, impulses.pivots) = (real.residual, real.pivots);
        *rebound = rebound.with_real(before.rebound.re());
        *limit = before.limit;
        solution.without_push = before.solution.without_push;
    }
}

/// The search for velocities at which forces are those of their linearisation.
struct Search<'a, T: Scalar> {
    step: &'a LinearStep<'a, T>,
    dual: &'a RigidBodySystem<Dual>,
    actuation: Actuation<'a, T>,
    memory: &'a mut RigidMemory<T>,
    kinematics: &'a mut TreeWorkspace<T>,
    linearized: &'a mut LinearizedForces,
}

impl<T: Scalar> Search<'_, T> {
    /// Each of the steps that rebounds are made of is one of its own, with forces at its own end: that without contact,
    /// that in which nothing rebounds, and that in which all does. One between the last two has the forces between theirs.
    fn run_with_rebounds(&mut self) -> Result<(), SystemError> {
        self.run(Contacts::Find, Ask::Rest)?;
        let contacts = &self.memory.solved.problem.contacts;
        if contacts.iter().all(|c| c.material.restitution.is_none()) {
            return Ok(());
        }
        self.run_without_contact()?;
        match self.run(Contacts::Follow, Ask::Rebounds) {
            Err(SystemError::Constraint(error)) if error.is_without_solution() => {
                self.run(Contacts::Find, Ask::Rest)?;
                self.memory.solved.rebound = T::zero();
                return Ok(());
            }
            result => result?,
        }
        let memory = &mut *self.memory;
        if memory.solved.problem.rebounds.is_empty() {
            return Ok(());
        }
        let Solved {
            problem, solution, ..
        } = &mut memory.solved;
        let gain = match (problem.initial).gain(solution, &memory.momentum) {
            Gain::None { limit } => {
                memory.solved.limit = limit;
                return Ok(());
            }
            Gain::Some(gain) => gain,
        };
        std::mem::swap(solution, &mut memory.rebounding.with);
        std::mem::swap(&mut memory.momentum, &mut memory.rebounding.rest);
        self.run(Contacts::Keep, Ask::Rest)?;
        let memory = &mut *self.memory;
        std::mem::swap(&mut memory.momentum, &mut memory.rebounding.rest);
        let Solved {
            problem,
            solution,
            rebound,
            limit,
        } = &mut memory.solved;
        let Rebounding { with, rest, .. } = &mut memory.rebounding;
        let least = problem.initial.excess(solution, rest);
        let share = with.join((solution, &memory.momentum, rest), (gain, least));
        for (p, &rest) in memory.momentum.iter_mut().zip(&*rest) {
            *p = rest + (*p - rest) * share;
        }
        (*rebound, *limit) = (share, Some(gain));
        std::mem::swap(solution, with);
        Ok(())
    }

    /// Finds the velocities of the step without contact, which rebounds start from.
    fn run_without_contact(&mut self) -> Result<(), SystemError> {
        let none = TreeConstraints::new();
        let mut free = Search {
            step: &LinearStep {
                constraints: &none,
                ..*self.step
            },
            dual: self.dual,
            actuation: self.actuation,
            memory: &mut *self.memory,
            kinematics: &mut *self.kinematics,
            linearized: &mut *self.linearized,
        };
        let RigidMemory {
            solved, rebounding, ..
        } = &mut *free.memory;
        std::mem::swap(solved, &mut rebounding.free);
        let found = free.run(Contacts::Keep, Ask::Rest);
        std::mem::swap(&mut self.memory.solved, &mut self.memory.rebounding.free);
        found
    }

    /// Finds velocities and, at them, derivatives.
    fn run(&mut self, mut contacts: Contacts, ask: Ask) -> Result<(), SystemError> {
        let (system, dt) = (self.step.system, self.step.dt.re());
        let tolerance = system.options.contact_solver.residual_tolerance;
        let v = self.kinematics.v();
        fill(&mut self.memory.point, v.iter().copied());
        fill(&mut self.linearized.point, v.iter().map(T::re));
        self.linearized.best_error = f64::INFINITY;
        for _ in 0..MAX_LINEARIZATIONS {
            self.solve_linearized(contacts, ask)?;
            if contacts == Contacts::Find {
                contacts = Contacts::Follow;
            }
            let RigidMemory {
                applied,
                damping,
                solved,
                real: Real { v, forces, .. },
                ..
            } = &mut *self.memory;
            let linearized = &mut *self.linearized;
            linearized.diagonal.clear();
            (linearized.diagonal).extend(damping.matrix().diagonal().iter());
            let momentum = &solved.problem.data.Mv;
            linearized.add_impulse(dt, |i, impulse| momentum[i].re() - impulse);
            let solution = solved.solution.generalized_velocity.as_slice();
            let tau = applied.evaluate(system, self.kinematics, self.actuation, solution)?;
            fill(v, solution.iter().map(T::re));
            fill(forces, tau.iter().map(T::re));
            if linearized.take(dt, v, forces, tolerance) && linearized.error <= tolerance {
                return self.differentiate(ask);
            }
            self.advance()?;
            let point = self.linearized.point.iter();
            fill(&mut self.memory.point, point.map(|&w| T::from(w)));
        }
        Err(SystemError::ForcesNotConverged {
            linearizations: MAX_LINEARIZATIONS,
            error: self.linearized.best_error,
        })
    }

    /// Solves with forces that are linear about `linearized.point`, which has derivatives in `memory.point`.
    fn solve_linearized(&mut self, contacts: Contacts, ask: Ask) -> Result<(), SystemError> {
        let (system, linearized) = (self.step.system, &mut *self.linearized);
        linearized.evaluate(self.dual)?;
        let RigidMemory {
            applied,
            tau,
            point,
            damping,
            ..
        } = &mut *self.memory;
        let kinematics = &mut *self.kinematics;
        tau.copy_from_slice(applied.evaluate(system, kinematics, self.actuation, point)?);
        for (&w, column) in point.iter().zip(linearized.damping().column_iter()) {
            for (tau, &d) in tau
                .iter_mut()
                .zip(column.iter())
                .filter(|(_, d)| **d != 0.0)
            {
                *tau += w * d;
            }
        }
        damping.factor(&system.tree, kinematics, Some(linearized.damping()))?;
        (self.memory).solve(self.step, kinematics, true, contacts, ask)
    }

    /// Gives the velocities that were found, and impulses, their derivatives.
    fn differentiate(&mut self, ask: Ask) -> Result<(), SystemError> {
        self.memory.write_momentum();
        let momentum = self.memory.momentum.iter();
        fill(&mut self.memory.real.momentum, momentum.map(T::re));
        for _ in 0..T::NDERIV {
            let solution = &self.memory.solved.solution.generalized_velocity;
            fill(&mut self.memory.point, solution.iter().copied());
            fill(&mut self.linearized.point, solution.iter().map(T::re));
            self.solve_linearized(Contacts::Keep, ask)?;
            let memory = &mut *self.memory;
            memory.keep_real_parts();
            memory.write_momentum();
            for (p, &real) in memory.momentum.iter_mut().zip(&memory.real.momentum) {
                *p = p.with_real(real);
            }
        }
        Ok(())
    }

    /// Moves the point of the linearisation towards the solution `x`, with the impulses f of the solution held: the
    /// residual of the balance at the velocity u is then `A (u − x) + δt (τ(w) − τ(u) − D (u − w))`.
    fn advance(&mut self) -> Result<(), SystemError> {
        let (system, dt) = (self.step.system, self.step.dt.re());
        let RigidMemory {
            applied,
            tau,
            point,
            damping,
            real:
                Real {
                    v,
                    inertia,
                    damped,
                    forces: at_trial,
                    ..
                },
            ..
        } = &mut *self.memory;
        let (linearized, kinematics) = (&mut *self.linearized, &mut *self.kinematics);
        let d = &linearized.step;
        let products = |matrix: &DMatrix<f64>, out: &mut Vec<f64>| {
            let columns = matrix.column_iter();
            fill(
                out,
                columns.map(|c| c.iter().zip(d).map(|(a, d)| a * d).sum()),
            );
        };
        products(damping.matrix(), inertia);
        products(linearized.damping(), damped);
        let forces: f64 = linearized.forces().iter().zip(d).map(|(t, d)| t * d).sum();
        linearized.advance(|u, d, known| {
            let tau = match known {
                Some(tau) => tau,
                None => {
                    fill(tau, u.iter().map(|&u| T::from(u)));
                    let tau = applied.evaluate(system, kinematics, self.actuation, tau)?;
                    fill(at_trial, tau.iter().map(T::re));
                    at_trial.as_slice()
                }
            };
            let mut slope = dt * forces;
            for (i, (u, d)) in u.iter().zip(d).enumerate() {
                slope += inertia[i] * (u - v[i]) - dt * damped[i] * (u - point[i].re());
                slope -= dt * tau[i] * d;
            }
            Ok(slope)
        })
    }
}

fn fill<S>(values: &mut Vec<S>, new: impl Iterator<Item = S>) {
    values.clear();
    values.extend(new);
}
