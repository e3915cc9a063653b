//! Newton's method on the balance of momenta and the constraints of a step, near their solution.

use super::solve::CompliantSolve;
use crate::math::Factorization;
use crate::system::error::SystemError;
use crate::system::status::StepStatus;
use crate::system::stepper::Stepper;

/// Number of steps after which it is given up.
const MAX_NEWTON_STEPS: usize = 10;
/// Share of an error that a step with an earlier Jacobian may leave.
const SLOW: f64 = 0.1;
/// Relative residual of the balance that is as good as none.
const BALANCED: f64 = 1e-12;
/// Error of a constraint, relative to its largest term, that is as good as none.
pub(super) const ROUND_OFF: f64 = 1e-13;
/// Error of a constraint that is accepted when no step makes it smaller.
pub(super) const CONSTRAINT_TOLERANCE: f64 = 1e-9;

impl CompliantSolve {
    /// Newton's method on the constraints and the balance without springs, from where the contact solver has come to: with
    /// springs, or without them with a status. Where it does not come to an end, what its first step has found remains.
    pub(super) fn polish(
        &mut self,
        stepper: Stepper<'_, f64>,
        status: Option<StepStatus>,
    ) -> Result<Option<StepStatus>, SystemError> {
        self.constraints.keep_impulses();
        let result = self.descend(stepper, status);
        if !matches!(result, Ok(Some(_))) {
            self.constraints.return_to_kept_impulses();
        }
        result
    }

    fn descend(
        &mut self,
        stepper: Stepper<'_, f64>,
        mut status: Option<StepStatus>,
    ) -> Result<Option<StepStatus>, SystemError> {
        let (mut error, mut is_factored) = (f64::INFINITY, false);
        let tolerance = self.solver.parameters().residual_tolerance;
        self.changes.clear();
        self.changes.resize(self.next_v.len(), 0.0);
        if status.is_some() {
            self.solver.write_imbalance(&mut self.changes);
        }
        for step in 0..MAX_NEWTON_STEPS {
            if let Some(status) = status {
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
                if stagnates || !status.residual.is_finite() || !violation.is_finite() {
                    break;
                }
                // Forces that are linearised anew may couple other coordinates than before.
                is_factored = step > 0 && error <= SLOW * last && stepper.dual.is_none();
            }
            self.take_newton_step(is_factored)?;
            status = Some(self.place(stepper, false)?);
            if step == 0 {
                self.warm_start.improve(&self.next_v);
                self.constraints.keep_impulses();
            }
        }
        Ok(None)
    }

    /// Takes Newton's step of balance and constraints, with what the balance lacks in `changes`; perhaps with the Jacobian that
    /// has been factored last.
    fn take_newton_step(&mut self, is_factored: bool) -> Result<(), SystemError> {
        let (nv, mut changes) = (self.next_v.len(), std::mem::take(&mut self.changes));
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
        Ok(())
    }

    /// Evaluates the balance at the velocities found, with springs or without; what it lacks is in `changes`.
    pub(super) fn place(
        &mut self,
        stepper: Stepper<'_, f64>,
        springs: bool,
    ) -> Result<StepStatus, SystemError> {
        self.constraints.augment(&mut self.problem, springs);
        if let Some(damping) = stepper.dual {
            self.problem.start_forces();
            self.linearize_at_solution(damping, stepper.time_step)?;
        }
        let problem = &self.problem.sparse;
        let solution = (self.solver).place(problem, stepper.time_step, &self.next_v)?;
        let status = StepStatus::of(solution);
        self.changes.resize(self.next_v.len(), 0.0);
        self.solver.write_imbalance(&mut self.changes);
        Ok(status)
    }
}
