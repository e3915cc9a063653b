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
/// Relative residual of the balance of momenta that is as good as none.
const BALANCED: f64 = 1e-12;
/// Number of Newton steps on balance and constraints.
const MAX_NEWTON_STEPS: usize = 10;
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
                match self.polish(stepper) {
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

    /// Newton's method on the constraints and the balance without springs, from where the contact solver has come to. Where it
    /// does not come to an end, what its first step has found remains.
    fn polish(&mut self, stepper: Stepper<'_, f64>) -> Result<Option<StepStatus>, SystemError> {
        let (mut error, mut is_factored) = (f64::INFINITY, false);
        let tolerance = self.solver.parameters().residual_tolerance;
        let nv = self.next_v.len();
        self.changes.clear();
        self.changes.resize(nv, 0.0);
        for step in 0..MAX_NEWTON_STEPS {
            let mut changes = std::mem::take(&mut self.changes);
            self.constraints.push_violations(&self.next_v, &mut changes);
            let jacobian = match is_factored {
                true => self.saddle_point(),
                false => self.factor_solution()?,
            };
            jacobian.solve_in_place(&mut changes)?;
            let (dv, impulses) = changes.split_at(nv);
            (self.next_v.iter_mut().zip(dv)).for_each(|(v, dv)| *v += dv);
            self.constraints.add_impulses(impulses);
            changes.truncate(nv);
            self.changes = changes;
            if step == 0 {
                self.warm_start.improve(&self.next_v);
                self.constraints.keep_impulses();
            }
            let status = self.place_without_springs(stepper)?;
            let violation = self.constraints.violation(&self.next_v);
            let (violation, scale) = (violation.error, violation.scale);
            let last = error;
            error = f64::max(status.residual / BALANCED, violation / (ROUND_OFF * scale));
            let stagnates = !is_factored && error > 0.5 * last;
            let has_ended = stagnates
                && status.residual <= tolerance
                && violation <= CONSTRAINT_TOLERANCE * scale;
            if error <= 1.0 || has_ended {
                if self.constraints.choose_active(&self.next_v) {
                    break;
                }
                return Ok(Some(status));
            }
            if stagnates || error.is_nan() {
                break;
            }
            is_factored = error <= SLOW * last;
        }
        self.constraints.return_to_kept_impulses();
        Ok(None)
    }

    /// Evaluates the balance without springs at the velocities found; what it lacks is in `changes`.
    fn place_without_springs(
        &mut self,
        stepper: Stepper<'_, f64>,
    ) -> Result<StepStatus, SystemError> {
        self.constraints.augment(&mut self.problem, false);
        if let Some(damping) = stepper.dual {
            self.problem.start_forces();
            self.linearize_at_solution(damping, stepper.time_step)?;
        }
        let problem = &self.problem.sparse;
        let solution = (self.solver).place(problem, stepper.time_step, &self.next_v)?;
        let status = StepStatus::of(solution);
        self.solver.write_imbalance(&mut self.changes);
        Ok(status)
    }

    /// Adds to a status what constraints did.
    fn constrained(&mut self, mut status: StepStatus, iterations: usize) -> StepStatus {
        status.iterations = iterations;
        let (kinks, angular) = self.constraints.kinks(&self.next_v);
        status.offer_constraints(kinks, angular, true);
        status
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
