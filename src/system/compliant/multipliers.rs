//! The method of multipliers around the contact solver, for [constraints](super::constraint_impulses).

use super::constrained_newton::{CONSTRAINT_TOLERANCE, ROUND_OFF};
use super::solve::CompliantSolve;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::status::StepStatus;
use crate::system::stepper::Stepper;

/// Number of multiplier updates after which the constraints are given up.
const MAX_MULTIPLIER_UPDATES: usize = 60;
/// Share of an error of the constraints that an update of the multipliers may leave.
const SLOW: f64 = 0.1;
/// Updates after which an error that no longer shrinks is taken for a contradiction.
const PATIENCE: usize = 25;

impl CompliantSolve {
    /// Springs about multipliers take the place of the constraints in the contact problem, until Newton's method on both ends the
    /// search.
    pub(super) fn solve_by_multipliers(
        &mut self,
        stepper: Stepper<'_, f64>,
    ) -> Result<StepStatus, SystemError> {
        let real = stepper.system;
        let mut iterations = 0;
        let (mut best, mut was_corrected) = (f64::INFINITY, false);
        for update in 0..MAX_MULTIPLIER_UPDATES {
            self.constraints.augment(&mut self.problem, true);
            let status = self.solve_without_constraints(stepper)?;
            iterations += status.iterations;
            self.warm_start.improve(&self.next_v);
            if self.constraints.choose_active(&self.next_v) {
                continue;
            }
            self.constraints.update(&self.next_v);
            let violation = self.constraints.violation(&self.next_v);
            let stagnates = violation.error > 0.5 * best;
            let is_slow = violation.error > SLOW * best;
            let is_first = best == f64::INFINITY;
            best = best.min(violation.error);
            if violation.error <= ROUND_OFF * violation.scale
                || (stagnates
                    && was_corrected
                    && violation.error <= CONSTRAINT_TOLERANCE * violation.scale)
            {
                return Ok(self.constrained(status, iterations));
            }
            if stagnates && update >= PATIENCE {
                return Err(self.violated(real, violation.row, violation.error, update));
            }
            was_corrected = is_first || is_slow && !self.constraints.stiffen() && !was_corrected;
            if was_corrected {
                match self.polish(stepper, None) {
                    Ok(Some(status)) => return Ok(self.constrained(status, iterations)),
                    Ok(None) => {}
                    Err(error) if !is_first => return Err(error),
                    Err(_) => was_corrected = false,
                }
            }
        }
        self.constraints.update(&self.next_v);
        let violation = self.constraints.violation(&self.next_v);
        let (row, error) = (violation.row, violation.error);
        Err(self.violated(real, row, error, MAX_MULTIPLIER_UPDATES))
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
