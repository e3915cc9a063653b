//! Forces that depend on velocities in a compliant step, [linearised](super::super::linearized_forces) around the contact
//! solver.

use super::solve::CompliantSolve;
use super::start::StepStart;
use crate::system::applied_forces::Actuation;
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::linearized_forces::LinearizedForces;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::system::status::StepStatus;
use crate::system::stepper::Stepper;

/// Number of linearisations after which the search for a velocity is given up.
const MAX_LINEARIZATIONS: usize = 100;

impl CompliantSolve {
    /// Finds velocities at which forces are those of their linearisation; the best so far, where there are none.
    pub(super) fn solve_with_velocity_forces(
        &mut self,
        stepper: Stepper<'_, f64>,
        damping: &RigidBodySystem<Dual>,
    ) -> Result<StepStatus, SystemError> {
        let mut linearized = self.take_linearized_forces(damping);
        let result = self.iterate(stepper, damping, &mut linearized);
        self.next_v.clone_from(&linearized.best_solution);
        self.linearized = Some(linearized);
        result
    }

    /// Linearises the forces about the solution of their last linearisation until they agree.
    fn iterate(
        &mut self,
        stepper: Stepper<'_, f64>,
        damping: &RigidBodySystem<Dual>,
        linearized: &mut LinearizedForces,
    ) -> Result<StepStatus, SystemError> {
        let dt = stepper.time_step;
        let tolerance = self.solver.parameters().residual_tolerance;
        let mut iterations = 0;
        self.problem.start_forces();
        let State { q, v, .. } = &self.start.state;
        let first = (self.warm_start.of_forces()).unwrap_or(v.as_slice());
        let actuation = Actuation::of(&self.start.state, &self.start.input, dt);
        linearized.start(damping, (q.as_slice(), first), actuation)?;
        for _ in 0..MAX_LINEARIZATIONS {
            self.problem.linearize_forces(damping, dt, linearized)?;
            self.problem.validate()?;
            let problem = &self.problem.sparse;
            let guess = self.warm_start.of_contact();
            let point = &linearized.point;
            let solution = self.solver.solve_sparse(problem, dt, point, guess)?;
            let mut status = StepStatus::of(solution);
            iterations += status.iterations;
            let v = solution.velocities.as_slice();
            let bodies = &mut self.start.kinematics.bodies;
            let actuation = Actuation::of(&self.start.state, &self.start.input, dt);
            let forces = (self.applied).evaluate(stepper.system, bodies, actuation, v)?;
            if linearized.take(dt, v, forces, tolerance) {
                status.iterations = iterations;
                return Ok(status);
            }
            linearized.advance(|v, d, forces| self.slope(stepper, (v, d), forces))?;
        }
        Err(SystemError::ForcesNotConverged {
            linearizations: MAX_LINEARIZATIONS,
            error: linearized.best_error,
        })
    }

    /// `d·r(v)` with the residual `r(v) = A v − p − δt (τ(v) + Jᵀ f(v))` of the momentum balance, and τ(v) where it is known.
    fn slope(
        &mut self,
        stepper: Stepper<'_, f64>,
        (v, d): (&[f64], &[f64]),
        forces: Option<&[f64]>,
    ) -> Result<f64, SystemError> {
        let (real, dt) = (stepper.system, stepper.time_step);
        let forces = match forces {
            Some(forces) => forces,
            None => {
                let bodies = &mut self.start.kinematics.bodies;
                let actuation = Actuation::of(&self.start.state, &self.start.input, dt);
                (self.applied).evaluate(real, bodies, actuation, v)?
            }
        };
        let law = real.regularization.contact_law(dt);
        Ok(self.problem.slope(&law, forces, (v, d)))
    }

    /// Starts linearisations at a solution that is known.
    pub(super) fn start_forces_at_solution(
        &mut self,
        damping: &RigidBodySystem<Dual>,
        dt: f64,
    ) -> Result<(), SystemError> {
        let mut linearized = self.take_linearized_forces(damping);
        self.problem.start_forces();
        let StepStart { state, input, .. } = &self.start;
        let at = (state.q.as_slice(), self.next_v.as_slice());
        linearized.start(damping, at, Actuation::of(state, input, dt))?;
        self.linearized = Some(linearized);
        Ok(())
    }

    /// Linearises forces about the solution.
    pub(super) fn linearize_at_solution(
        &mut self,
        damping: &RigidBodySystem<Dual>,
        dt: f64,
    ) -> Result<(), SystemError> {
        let mut linearized = self.take_linearized_forces(damping);
        linearized.point.copy_from_slice(&self.next_v);
        (self.problem).linearize_forces(damping, dt, &mut linearized)?;
        self.linearized = Some(linearized);
        Ok(())
    }

    fn take_linearized_forces(&mut self, damping: &RigidBodySystem<Dual>) -> LinearizedForces {
        (self.linearized.take()).unwrap_or_else(|| LinearizedForces::new(damping))
    }
}
