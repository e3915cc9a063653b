//! The method of multipliers around the contact solver, for [constraints](super::constraint_impulses).

use super::solve::CompliantSolve;
use crate::math::Factorization;
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
/// Error of a constraint, relative to its largest term, that is as good as none.
const ROUND_OFF: f64 = 1e-13;
/// Error that is accepted when Newton's step of balance and constraints does not make it smaller.
const CONSTRAINT_TOLERANCE: f64 = 1e-9;

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
        let mut iterations = 0;
        let (mut best, mut was_corrected) = (f64::INFINITY, false);
        self.next_v.copy_from_slice(self.start.state.v.as_slice());
        self.constraints.choose_active(&self.next_v);
        for update in 0..MAX_MULTIPLIER_UPDATES {
            self.constraints.augment(&mut self.problem);
            let mut status = self.solve_without_constraints(stepper)?;
            iterations += status.iterations;
            self.warm_start.improve(&self.next_v);
            if self.constraints.choose_active(&self.next_v) {
                continue;
            }
            let violation = self.constraints.update(&self.next_v);
            let stagnates = violation.error > 0.5 * best;
            let is_slow = violation.error > SLOW * best;
            let is_first = best == f64::INFINITY;
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
                return Err(self.violated(real, violation.row, violation.error, update));
            }
            was_corrected = is_first || is_slow && !self.constraints.stiffen() && !was_corrected;
            if was_corrected && let Err(error) = self.correct_impulses(stepper) {
                if !is_first {
                    return Err(error);
                }
                was_corrected = false;
            }
        }
        let violation = self.constraints.update(&self.next_v);
        let (row, error) = (violation.row, violation.error);
        Err(self.violated(real, row, error, MAX_MULTIPLIER_UPDATES))
    }

    /// Takes Newton's step of balance and constraints for the multipliers.
    fn correct_impulses(&mut self, stepper: Stepper<'_, f64>) -> Result<(), SystemError> {
        let mut changes = std::mem::take(&mut self.changes);
        changes.clear();
        changes.resize(self.next_v.len(), 0.0);
        self.constraints.push_violations(&self.next_v, &mut changes);
        self.factor(stepper)?.solve_in_place(&mut changes)?;
        let (dv, impulses) = changes.split_at(self.next_v.len());
        self.warm_start.change(dv);
        self.constraints.add_impulses(impulses);
        self.changes = changes;
        Ok(())
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
