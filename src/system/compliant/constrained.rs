//! The solution of a step with [constraints](super::constraint_impulses): by rows that are condensed out of the balance, or by the
//! method of multipliers.

use super::constrained_newton::ROUND_OFF;
use super::solve::CompliantSolve;
use crate::system::error::SystemError;
use crate::system::status::StepStatus;
use crate::system::stepper::Stepper;

/// Number of choices of inequalities that act, with rows that are condensed out.
const MAX_ACTIVE_SETS: usize = 8;

impl CompliantSolve {
    /// Finds velocities and impulses, once the matrix of the balance has been written.
    pub(super) fn solve_with_constraints(
        &mut self,
        stepper: Stepper<'_, f64>,
    ) -> Result<StepStatus, SystemError> {
        let real = stepper.system;
        let at = (&real.tree, &self.start.kinematics.bodies, stepper.time_step);
        let goes_on = self.warm_start.goes_on();
        if let Some((row, effect)) = self.constraints.start(&self.problem, at, goes_on)? {
            let row = self.constraints.rows.get(row);
            return Err(real.not_upheld((row.constraint, row.row), effect));
        }
        // Condensed, forces are those of rows alone, along these.
        if stepper.dual.is_none()
            && self.constraints.basis().is_empty()
            && let Some(status) = self.solve_condensed(stepper)?
        {
            return Ok(status);
        }
        self.constraints
            .choose_active(self.start.state.v.as_slice());
        self.solve_by_multipliers(stepper)
    }

    /// Condenses the rows that act out of the balance, and solves for contacts.
    fn solve_condensed(
        &mut self,
        stepper: Stepper<'_, f64>,
    ) -> Result<Option<StepStatus>, SystemError> {
        self.constraints
            .choose_active(self.start.state.v.as_slice());
        let (mut iterations, mut has_changed) = (0, false);
        for _ in 0..MAX_ACTIVE_SETS {
            self.constraints.release();
            self.constraints.augment(&mut self.problem, false);
            self.problem.validate()?;
            self.constraints.write_acting(&mut self.acting);
            let guesses = (self.start.state.v.as_slice(), self.warm_start.of_contact());
            let problem = (&self.problem.sparse, &mut self.acting);
            let solution =
                (self.solver).solve_sparse_with_rows(problem, stepper.time_step, guesses);
            let Ok(Some(solution)) = solution else {
                break;
            };
            self.constraints.take_acting(&self.acting);
            has_changed = true;
            self.next_v.copy_from_slice(solution.velocities.as_slice());
            let status = StepStatus::of(solution);
            iterations += status.iterations;
            self.warm_start.improve(&self.next_v);
            if self.constraints.choose_active(&self.next_v) {
                continue;
            }
            let violation = self.constraints.violation(&self.next_v);
            if status.residual <= self.solver.parameters().residual_tolerance
                && violation.error <= ROUND_OFF * violation.scale
            {
                return Ok(Some(self.constrained(status, iterations)));
            }
            match self.polish(stepper, Some(status)) {
                Ok(Some(status)) => return Ok(Some(self.constrained(status, iterations))),
                _ => break,
            }
        }
        if has_changed {
            self.constraints.forget_impulses();
        }
        Ok(None)
    }

    /// Adds to a status what constraints did.
    pub(super) fn constrained(&mut self, mut status: StepStatus, iterations: usize) -> StepStatus {
        status.iterations = iterations;
        let (kinks, angular) = self.constraints.kinks(&self.next_v);
        status.offer_constraints(kinks, angular, true);
        status
    }
}
