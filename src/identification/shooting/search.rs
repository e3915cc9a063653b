//! The search for the states of segments that fit best.

use super::Shooting;
use crate::identification::block_elimination::{BlockElimination, Rows};
use crate::identification::error::EvaluationError;
use crate::identification::experiment::Experiment;
use crate::identification::extrapolation::Extrapolation;
use crate::identification::segmented_trajectory::SegmentedTrajectory;
use crate::identification::shooting_solution::ShootingSolution;

/// Steps that are tried for the states.
const MAX_STEPS: usize = 200;
/// [Relative length](relative_length) of an undamped step that only round-off keeps from descending.
const ROUND_OFF_STEP: f64 = 1e-8;
/// First damping, relative to the largest pivot.
const FIRST_DAMPING: f64 = 1e-3;
/// If a step promises more than this part of what the one before did, the search is slow: each step gets a Jacobian of its own,
/// and steps are extrapolated.
const SLOW: f64 = 0.1;
/// So many steps in a row with negligible gain end a search within a tolerance.
const MAX_IDLE: usize = 2;
/// Part of the change of residuals that is expected of other unknowns, as half the sum of squares, by which the cost there may
/// be too large: less than what a probe of the optimiser must raise it by.
const OF_CHANGE: f64 = 0.2;
/// Part of the cost that a search without a solution nearby may leave.
const OF_START: f64 = 0.1;

/// States, and what was found there.
struct Reached {
    states: Vec<f64>,
    residuals: Vec<f64>,
    cost: f64,
}

/// Where a search for states is over.
struct Goal {
    /// What a step may still promise.
    left: f64,
    /// The cost at which it does not matter what a step promises.
    enough: f64,
}

impl Goal {
    /// At a minimum.
    const MINIMUM: Goal = Goal {
        left: 0.0,
        enough: f64::NEG_INFINITY,
    };
}

impl<X: SegmentedTrajectory> Shooting<'_, X> {
    /// The residuals and the cost at these states.
    fn reach(&self, unknowns: &[f64], states: Vec<f64>) -> Result<Reached, EvaluationError> {
        let mut residuals = vec![f64::NAN; self.residual_count()];
        (self.evaluate(unknowns, &states, &mut residuals)).map_err(EvaluationError::failed)?;
        if let Some(residual) = residuals.iter().position(|r| !r.is_finite()) {
            let value = residuals[residual];
            return Err(EvaluationError::NotFinite { residual, value });
        }
        Ok(Reached {
            cost: self.cost(&residuals),
            states,
            residuals,
        })
    }

    /// What was found for the same unknowns.
    fn reached(&self, found: &ShootingSolution) -> Reached {
        Reached {
            states: found.states.clone(),
            cost: self.cost(&found.residuals),
            residuals: found.residuals.clone(),
        }
    }

    /// Where the search for states starts, and where it is over, with what is known at other unknowns.
    ///
    /// A step of Gauss and Newton gains half the square of what the residuals change by: relative to that the cost must be
    /// right. The states need not be closer to the ones that fit best than those of the others are.
    fn reach_from(
        &self,
        unknowns: &[f64],
        near: &ShootingSolution,
    ) -> Result<(Reached, Goal), EvaluationError> {
        let prediction = near.predict(unknowns);
        let prediction = prediction.ok_or(EvaluationError::StatesUndetermined)?;
        let (unused, error) = (near.elimination.reduction(), OF_CHANGE * prediction.change);
        let left = unused + error;
        let enough = self.cost(&near.residuals) - prediction.reduction + left;
        let mut reached = self.reach(unknowns, prediction.states);
        let is_far = |reached: &Reached| reached.cost > enough;
        if unused > error && reached.as_ref().map_or(true, is_far) {
            let followed = self.reach(unknowns, prediction.following);
            reached = match (reached, followed) {
                (Ok(best), Ok(followed)) if followed.cost < best.cost => Ok(followed),
                (Err(_), followed) => followed,
                (reached, _) => reached,
            };
        }
        Ok((reached?, Goal { left, enough }))
    }

    /// The states that fit best, by Levenberg's method from the guesses, or from what is known nearby.
    pub(super) fn solve(
        &self,
        unknowns: &[f64],
        near: Option<&ShootingSolution>,
    ) -> Result<ShootingSolution, EvaluationError> {
        let n = self.deviations.len();
        let is_fast = self.tolerance > 0.0;
        let (reached, mut goal) = match near {
            None => (self.reach(unknowns, self.starts.clone())?, Goal::MINIMUM),
            Some(near) if near.unknowns == unknowns => (self.reached(near), Goal::MINIMUM),
            Some(near) => self.reach_from(unknowns, near)?,
        };
        let Reached {
            mut states,
            mut residuals,
            mut cost,
        } = reached;
        // Of these states, or of others nearby.
        let mut is_own = near.is_none_or(|near| near.unknowns == unknowns);
        let mut chain = match near {
            Some(near) => near.chain.clone(),
            None => self.differentiate_segments(unknowns, &states, &residuals)?,
        };
        self.set_residuals(&mut chain, &residuals);
        let mut extrapolation = Extrapolation::default();
        let (mut damping, mut is_steady) = (0.0, false);
        let (mut promised, mut idle) = (f64::INFINITY, 0);
        let (mut is_slow, mut is_new) = (false, true);
        let mut is_round_off = false;
        let mut weights = self.row_weights(&residuals);
        for _ in 0..MAX_STEPS {
            let undamped = BlockElimination::new(n, &chain, &weights, 0.0);
            if is_fast && near.is_none() {
                goal.left = OF_START * cost;
            }
            let negligible = self.negligible(cost).max(goal.left);
            let promise = undamped.reduction();
            is_slow |= promise > SLOW * promised;
            let is_over = promise <= negligible;
            let is_idle = is_fast && idle >= MAX_IDLE;
            if is_idle || is_over && is_own || cost <= goal.enough {
                break;
            }
            if !is_own && (is_over || is_slow) {
                chain = self.differentiate_segments(unknowns, &states, &residuals)?;
                is_own = true;
                continue;
            }
            promised = promise;
            let mut whole = undamped.solution();
            let is_close = (whole.as_ref())
                .is_some_and(|step| relative_length(step, &states) <= ROUND_OFF_STEP);
            let is_extrapolated = match &mut whole {
                Some(step) if is_fast && is_own && is_new => {
                    extrapolation.extend(&states, step, is_slow)
                }
                _ => false,
            };
            let step = if damping > 0.0 && !is_extrapolated {
                let damped = BlockElimination::new(n, &chain, &weights, damping);
                if is_fast && damped.reduction() <= negligible {
                    if is_own {
                        // Nothing shorter helps.
                        break;
                    }
                    is_slow = true;
                    continue;
                }
                damped.solution()
            } else {
                whole
            };
            let Some(step) = step else { break };
            let length = relative_length(&step, &states);
            if length <= f64::EPSILON || length.is_nan() {
                is_round_off = damping == 0.0 && is_close;
                break;
            }
            let trial: Vec<f64> = states.iter().zip(&step).map(|(s, d)| s + d).collect();
            let mut there = vec![f64::NAN; residuals.len()];
            let reached = self.evaluate(unknowns, &trial, &mut there).is_ok();
            let trial_cost = if reached { self.cost(&there) } else { f64::NAN };
            let mut next = None;
            let mut is_taken = trial_cost < cost;
            // A Jacobian of nearby leads to where its own gradient vanishes, which is not the minimum.
            let keeps = is_fast && !is_slow;
            if is_taken && !keeps {
                next = (self.differentiate_segments(unknowns, &trial, &there)).ok();
                is_taken = next.is_some();
            }
            if is_taken {
                idle = match cost - trial_cost <= negligible {
                    true => idle + 1,
                    false => 0,
                };
                (states, residuals, cost) = (trial, there, trial_cost);
                weights = self.row_weights(&residuals);
                is_own = next.is_some();
                chain = next.unwrap_or(chain);
                self.set_residuals(&mut chain, &residuals);
                is_new = true;
                if !is_extrapolated && !is_steady {
                    damping = match damping > 1e-6 * undamped.size() {
                        true => 0.1 * damping,
                        false => 0.0,
                    };
                }
            } else if !is_own {
                is_slow = true;
            } else if is_extrapolated {
                is_new = false;
            } else if is_close && trial_cost >= cost {
                is_round_off = true;
                break;
            } else {
                (is_new, is_steady) = (false, is_fast && damping > 0.0);
                damping = (10.0 * damping).max(FIRST_DAMPING * undamped.size());
            }
        }
        Ok(ShootingSolution {
            unknowns: unknowns.to_vec(),
            elimination: BlockElimination::new(n, &chain, &weights, 0.0),
            is_round_off,
            is_own,
            states,
            residuals,
            chain,
            row_weights: weights,
        })
    }

    /// Gives the linear model of each segment other residuals.
    fn set_residuals(&self, chain: &mut [Rows], residuals: &[f64]) {
        let held = self.deviations.len() - self.start_rows();
        let mut rest = residuals;
        for (k, rows) in chain.iter_mut().enumerate() {
            let first = if k == 0 { held } else { 0 };
            let own;
            (own, rest) = rest.split_at(rows.residual.len() - first);
            rows.residual.as_mut_slice()[first..].copy_from_slice(own);
        }
    }
}

/// Norm of the changes of states, each relative to its size or, if that is larger, to its deviation, which is 1.
fn relative_length(step: &[f64], states: &[f64]) -> f64 {
    let parts = step.iter().zip(states).map(|(d, s)| d / s.abs().max(1.0));
    parts.map(|part| part * part).sum::<f64>().sqrt()
}
