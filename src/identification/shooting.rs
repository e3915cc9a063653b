//! Multiple shooting as an experiment: initial states of segments are eliminated (variable projection).

use super::block_elimination::{BlockElimination, Rows};
use super::error::EvaluationError;
use super::experiment::Experiment;
use super::extrapolation::Extrapolation;
use super::loss::Loss;
use super::segmented_trajectory::SegmentedTrajectory;
use super::shooting_solution::ShootingSolution;
use crate::autodiff::JacobianWorkspace;
use crate::{DefaultScalar, InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Steps that are tried for the states.
const MAX_STEPS: usize = 200;
/// Part of the cost that a step for the states must promise.
const TOLERANCE: f64 = 1e-13;
/// [Relative length](relative_length) of an undamped step that only round-off keeps from descending.
const ROUND_OFF_STEP: f64 = 1e-8;
/// Part of the measurements, as degrees of freedom, that is round-off if no more is left.
const SMALLEST_REST: f64 = 1e-9;
/// First damping, relative to the largest pivot.
const FIRST_DAMPING: f64 = 1e-3;
/// If a step promises more than this part of what the one before did, the search is slow: each step gets a Jacobian of its own,
/// and steps are extrapolated.
const SLOW: f64 = 0.1;
/// So many steps in a row with negligible gain end a search within a tolerance.
const MAX_IDLE: usize = 2;
/// Part of the noise tolerance of a fit, in variances of the noise, to which the states fit best.
const OF_NOISE: f64 = 1e-2;
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

/// A [`SegmentedTrajectory`] as an [`Experiment`]: segments of so many intervals, whose states at
/// their starts are found for every value of the unknowns.
///
/// # Mathematics
/// For unknowns `p`, the states `s = (s_0, …, s_{K−1})` minimise the sum of squares of
///
/// ```text
/// (s_0 − guess)/σ,   r_k(s_k, p),   (end_k(s_k, p) − s_{k+1})/σ
/// ```
///
/// the misfit of the start, the measurements, and the gaps between segments, σ being the
/// [deviations](SegmentedTrajectory::state_deviations) (the first is left out where the start is
/// known). A step of Gauss and Newton is one sweep of orthogonal
/// eliminations over the segments: the cost is linear in K. The residuals
/// at the minimum are those of the experiment, with the derivative
///
/// ```text
/// dr/dp = (1 − J_s J_s⁺) J_p
/// ```
///
/// of the states following the unknowns in the linear model: variable projection (Golub & Pereyra 1973,
/// *SIAM J. Numerical Analysis* 10(2), 413–432) without the second derivatives of r (Kaufman 1975, *BIT*
/// 15, 49–57). The gradient of the cost is exact all the same, as the other terms are orthogonal to r at the minimum.
/// Far from the truth, where a segment is chaotic, and at a kink the search for the states may end short of one: the
/// residuals are then those where it ended, the gradient is not exact, and [`Shooting::is_minimum`] is false.
/// With a [loss](Shooting::loss) the states minimise it in place of the squares, and `J_s⁺` is `(J_sᵀ W J_s)⁻¹ J_sᵀ W` with
/// the weights of the residuals. A fit in these unknowns and states together would have the same steps; here the optimiser sees the
/// unknowns alone, and their standard errors count that the states were fitted. Derivatives of the second
/// order are not those of the residuals.
///
/// The states take as many degrees of freedom from the residuals as they have coordinates
/// ([`Experiment::eliminated_count`]). With several segments the gaps count as measurements, so that an estimate of the
/// noise is one of both; with one, it is that of a fit in which the start is among the unknowns.
///
/// # Standard errors with several segments
/// The gaps are free within the deviations, which are those of a guess: much wider than what noise in the motion would open. A
/// motion that goes on from segment to segment says more than one that may jump between them, so that standard errors of
/// segments are too large: by a factor of 1.0 to 2.1 with segments of 20 to 5 samples of an oscillation, the more the nearer the
/// deviations are to the noise. Those of a whole trajectory in one segment are right; where that is chaotic, those of [`cross_validate`](super::LevenbergMarquardt::cross_validate) are.
#[doc(alias = "variable projection")]
pub struct Shooting<'a, X> {
    trajectory: &'a X,
    segment: usize,
    loss: Loss,
    /// Reduction of the cost, in variances of the noise, that a step for the states must promise where they are settled; where
    /// it is positive, a search for states starts from those, and with the Jacobian, of the last unknowns with derivatives, is
    /// over as soon as the cost is right enough, and is extrapolated.
    tolerance: f64,
    /// Whether that variance is 1; otherwise it is the mean square of the residuals.
    knows_noise: bool,
    deviations: Vec<f64>,
    /// Where the search for the states starts, relative to the deviations.
    starts: Vec<f64>,
    /// What was found at the last unknowns, and at the last with derivatives.
    last: Mutex<Option<Arc<ShootingSolution>>>,
    known: Mutex<Option<Arc<ShootingSolution>>>,
}

impl<X> std::fmt::Debug for Shooting<'_, X> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Shooting")
            .field("segment", &self.segment)
            .finish_non_exhaustive()
    }
}

impl<'a, X: SegmentedTrajectory> Shooting<'a, X> {
    /// The trajectory in segments of so many intervals; the last may be shorter.
    ///
    /// # Errors
    /// [`InvalidInput`] for no intervals, states without coordinates, deviations that are not positive, and guesses that are not
    /// finite or have another size.
    pub fn new(trajectory: &'a X, segment: usize) -> Result<Self, InvalidInput> {
        let deviations = trajectory.state_deviations();
        InvalidInput::check_range("state deviations", &deviations, "a positive number", |s| {
            s > 0.0 && s.is_finite()
        })?;
        let size = [deviations.len() as f64];
        InvalidInput::check_range(
            "number of coordinates of a state",
            &size,
            "at least 1",
            |n| n >= 1.0,
        )?;
        let counts = [segment as f64, trajectory.interval_count() as f64];
        InvalidInput::check_range("number of intervals", &counts, "at least 1", |n| n >= 1.0)?;
        let mut starts = Vec::new();
        for interval in (0..trajectory.interval_count()).step_by(segment) {
            let guess = trajectory.guess(interval);
            InvalidInput::check_size("guess of the state", guess.len(), deviations.len())?;
            InvalidInput::check_finite("guess of the state", &guess)?;
            starts.extend(guess.iter().zip(&deviations).map(|(s, d)| s / d));
        }
        Ok(Shooting {
            trajectory,
            segment,
            loss: Loss::least_squares(),
            tolerance: 0.0,
            knows_noise: false,
            deviations,
            starts,
            last: Mutex::default(),
            known: Mutex::default(),
        })
    }

    /// Sets the loss of each residual in what the states minimise (default: least squares): that of the optimiser, if it
    /// weights each residual on its own, since otherwise an outlier moves the states.
    pub fn loss(mut self, loss: Loss) -> Self {
        self.loss = loss;
        self
    }

    /// Sets the [noise tolerance](super::LevenbergMarquardt::noise_tolerance) of the fit that the residuals are for, and
    /// whether their variance is known to be 1. The states for other unknowns then start from those that the linear model of
    /// the last unknowns with derivatives has there, and are over where the cost is what it expects, up to a part of what it
    /// expects to gain: unknowns and states descend together. [`Shooting::settle`] finds the states to a hundredth of the
    /// tolerance. So what is found depends on earlier evaluations; the optimiser always asks in the same order, and a fit has
    /// the same bits again.
    pub(super) fn noise_tolerance(mut self, tolerance: f64, knows_noise: bool) -> Self {
        self.tolerance = OF_NOISE * tolerance;
        self.knows_noise = knows_noise;
        self
    }

    /// The reduction of this cost that is none.
    fn negligible(&self, cost: f64) -> f64 {
        let variance = match self.knows_noise {
            true => 1.0,
            false => 2.0 * cost / self.residual_count().max(1) as f64,
        };
        (TOLERANCE * cost).max(self.tolerance * variance)
    }

    /// The residuals of what was measured, without those of the start and the gaps, for these unknowns.
    pub(super) fn measured(&self, unknowns: &[f64]) -> Result<Vec<f64>, EvaluationError> {
        let solution = self.solution(unknowns)?;
        let mut rest = &solution.residuals[self.start_rows()..];
        let mut measured = Vec::with_capacity(rest.len());
        for (k, intervals) in self.segments().enumerate() {
            let (rows, after) = rest.split_at(self.row_count(k, intervals.clone()));
            measured.extend_from_slice(&rows[..self.trajectory.residual_count(intervals)]);
            rest = after;
        }
        Ok(measured)
    }

    fn cost(&self, residuals: &[f64]) -> f64 {
        let each = residuals.iter().map(|r| self.loss.evaluate(r * r)[0]);
        0.5 * each.sum::<f64>()
    }

    /// Weights of the rows of a chain with these residuals, which may begin with those of a known start.
    fn row_weights(&self, residuals: &[f64]) -> Vec<f64> {
        if self.loss.is_least_squares() {
            return Vec::new();
        }
        let held = self.deviations.len() - self.start_rows();
        let own = residuals.iter().map(|r| self.loss.evaluate(r * r)[1]);
        std::iter::repeat_n(1.0, held).chain(own).collect()
    }

    /// The states at the starts of the segments that fit best for these unknowns; where their search reaches no
    /// [minimum](Shooting::is_minimum), the best that it has found.
    ///
    /// # Errors
    /// [`EvaluationError`] when the trajectory cannot be simulated from the guesses.
    pub fn states(&self, unknowns: &[f64]) -> Result<Vec<Vec<f64>>, EvaluationError> {
        let solution = self.solution(unknowns)?;
        let states = solution.states.chunks_exact(self.deviations.len());
        let scaled = |s: &[f64]| s.iter().zip(&self.deviations).map(|(s, d)| s * d).collect();
        Ok(states.map(scaled).collect())
    }

    /// Finds the states for these unknowns to a hundredth of the noise tolerance; whether that makes the cost smaller by more.
    ///
    /// # Errors
    /// As [`Shooting::states`].
    pub(super) fn settle(&self, unknowns: &[f64]) -> Result<bool, EvaluationError> {
        if self.is_minimum(unknowns)? {
            return Ok(false);
        }
        let found = self.linearised(unknowns)?;
        let settled = self.solve(unknowns, Some(&found))?;
        let [before, after] = [&*found, &settled].map(|found| self.cost(&found.residuals));
        *locked(&self.last) = Some(Arc::new(settled));
        *locked(&self.known) = None;
        Ok(before - after > self.negligible(after))
    }

    /// Whether the search for the states that fit best for these unknowns has reached a minimum, as far as round-off
    /// allows.
    ///
    /// # Errors
    /// As [`Shooting::states`].
    pub fn is_minimum(&self, unknowns: &[f64]) -> Result<bool, EvaluationError> {
        let found = self.linearised(unknowns)?;
        let left = found.elimination.reduction();
        Ok(found.is_round_off || left <= self.negligible(self.cost(&found.residuals)))
    }

    /// The standard deviation of the residuals without those of the start, as its states follow them.
    ///
    /// With `H` the projection on what the states can change, the rows of the start, whose derivatives are the unit
    /// matrix, have the share `tr (RᵀR)⁻¹` of `tr H`, and the others have the rest.
    ///
    /// # Errors
    /// [`EvaluationError`] as [`Shooting::states`], where the states can follow all that was measured,
    /// [`EvaluationError::StatesUndetermined`], and for a standard deviation that is no finite number.
    pub(super) fn standard_deviation(&self, unknowns: &[f64]) -> Result<f64, EvaluationError> {
        let solution = self.linearised(unknowns)?;
        let residuals = &solution.residuals[self.start_rows()..];
        let of_start = (0..self.start_rows()).map(|i| {
            let mut unit = vec![0.0; solution.states.len()];
            unit[i] = 1.0;
            let solved = solution.elimination.solve_normal(&mut unit);
            solved.map(|()| unit[i])
        });
        let of_start: Option<f64> = of_start.sum();
        let of_start = of_start.ok_or(EvaluationError::StatesUndetermined)?;
        let count = residuals.len() as f64;
        let spare = count - self.eliminated_count() as f64 + of_start;
        let expected = "positive, with more measurements than coordinates of states";
        InvalidInput::check_range("degrees of freedom", &[spare], expected, |spare| {
            spare > SMALLEST_REST * count
        })?;
        let deviation = f64::norm_lifted(residuals) / spare.sqrt();
        InvalidInput::check_finite("standard deviation of the residuals", &[deviation])?;
        Ok(deviation)
    }

    fn segments(&self) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
        let count = self.trajectory.interval_count();
        let starts = (0..count).step_by(self.segment);
        starts.map(move |start| start..(start + self.segment).min(count))
    }

    /// Number of residuals of segment `k`, with the gap that follows it.
    fn row_count(&self, k: usize, intervals: Range<usize>) -> usize {
        let gap = k + 1 < self.segments().len();
        self.trajectory.residual_count(intervals) + usize::from(gap) * self.deviations.len()
    }

    /// Number of residuals of the misfit of the start.
    fn start_rows(&self) -> usize {
        let is_known = self.trajectory.is_start_known();
        usize::from(!is_known) * self.deviations.len()
    }

    /// Lets the search for the states start from those that segments of a part of the length have for these
    /// unknowns, if they can be found; within a tolerance segments of the same length need no search.
    pub(super) fn start_from(&mut self, shorter: &Self, unknowns: &[f64]) {
        let n = self.deviations.len();
        if self.tolerance > 0.0 && self.segment == shorter.segment {
            // Another loss at most.
            if let Ok(known) = shorter.linearised(unknowns) {
                let weights = self.row_weights(&known.residuals);
                *locked(&self.last) = Some(Arc::new(ShootingSolution {
                    elimination: BlockElimination::new(n, &known.chain, &weights, 0.0),
                    row_weights: weights,
                    is_round_off: false,
                    ..ShootingSolution::clone(&known)
                }));
            }
        }
        let Ok(solution) = shorter.solution(unknowns) else {
            return;
        };
        let found = solution.states.chunks_exact(n);
        let stride = self.segment / shorter.segment;
        for (start, found) in self.starts.chunks_exact_mut(n).zip(found.step_by(stride)) {
            start.copy_from_slice(found);
        }
    }

    /// All residuals at given states.
    fn evaluate<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        states: &[T],
        residuals: &mut [T],
    ) -> Result<(), X::Error> {
        let n = self.deviations.len();
        let (start, mut rest) = residuals.split_at_mut(self.start_rows());
        if !start.is_empty() {
            let guess = self.trajectory.guess(0);
            for (i, r) in start.iter_mut().enumerate() {
                *r = states[i] - guess[i] / self.deviations[i];
            }
        }
        let segments: Vec<_> = self.segments().collect();
        let count = |intervals: &Range<usize>| self.trajectory.residual_count(intervals.clone());
        let mut measured = vec![T::from(f64::NAN); segments.iter().map(count).sum()];
        let mut ends = self.scaled(states);
        (self.trajectory).shoot_each(unknowns, &segments, &mut ends, &mut measured)?;
        let mut measured = measured.as_slice();
        for (k, (intervals, end)) in segments.iter().zip(ends.chunks_exact(n)).enumerate() {
            let (own, rows, gap);
            (own, measured) = measured.split_at(count(intervals));
            (rows, rest) = rest.split_at_mut(own.len());
            rows.copy_from_slice(own);
            let next = &states[(k + 1) * n..];
            (gap, rest) = rest.split_at_mut(next.len().min(n));
            for (i, gap) in gap.iter_mut().enumerate() {
                *gap = end[i] * self.deviations[i].recip() - next[i];
            }
        }
        Ok(())
    }

    /// The linear model of each segment at given states, with these residuals.
    fn differentiate_segments(
        &self,
        unknowns: &[f64],
        states: &[f64],
        residuals: &[f64],
    ) -> Result<Vec<Rows>, EvaluationError> {
        let n = self.deviations.len();
        let segments: Vec<_> = self.segments().collect();
        let count = |intervals: &Range<usize>| self.trajectory.residual_count(intervals.clone());
        let measured: usize = segments.iter().map(count).sum();
        let mut slopes = DMatrix::zeros(measured + states.len(), n + unknowns.len());
        let (scaled, entries) = (self.scaled(states), slopes.as_mut_slice());
        (self.trajectory).differentiate_each(unknowns, &segments, &scaled, entries)?;
        // All in units of the deviations.
        for (mut column, &deviation) in slopes.column_iter_mut().zip(&self.deviations) {
            column *= deviation;
        }
        for (row, deviation) in (measured..slopes.nrows()).zip(self.deviations.iter().cycle()) {
            slopes.row_mut(row).scale_mut(deviation.recip());
        }
        let (start, mut rest) = residuals.split_at(self.start_rows());
        let mut first = 0;
        let mut chain = Vec::with_capacity(segments.len());
        for (k, intervals) in segments.iter().enumerate() {
            let has_gap = k + 1 < segments.len();
            let (own, gap) = (count(intervals), usize::from(has_gap) * n);
            let residual;
            (residual, rest) = rest.split_at(own + gap);
            let mut rows = DMatrix::zeros(own + gap, slopes.ncols());
            (rows.rows_mut(0, own)).copy_from(&slopes.rows(first, own));
            (rows.rows_mut(own, gap)).copy_from(&slopes.rows(measured + k * n, gap));
            first += own;
            let mut residual = DVector::from_column_slice(residual);
            if k == 0 {
                // A known start does not move.
                if self.trajectory.is_start_known() {
                    rows.columns_mut(0, n).fill(0.0);
                }
                rows = rows.insert_rows(0, n, 0.0);
                rows.view_mut((0, 0), (n, n)).fill_diagonal(1.0);
                residual = residual.insert_rows(0, n, 0.0);
                residual.rows_mut(0, start.len()).copy_from_slice(start);
            }
            chain.push(Rows {
                own: rows.columns(0, n).into_owned(),
                by_unknowns: rows.columns(n, unknowns.len()).into_owned(),
                // The gap comes last.
                next: has_gap.then(|| -DMatrix::identity(n, n)),
                residual,
            });
        }
        Ok(chain)
    }

    /// States in their units, from those in units of the deviations.
    fn scaled<T: Scalar>(&self, states: &[T]) -> Vec<T> {
        let pairs = states.iter().zip(self.deviations.iter().cycle());
        pairs.map(|(&s, &deviation)| s * deviation).collect()
    }

    fn solution(&self, unknowns: &[f64]) -> Result<Arc<ShootingSolution>, EvaluationError> {
        let [last, known] = [&self.last, &self.known].map(|found| locked(found).clone());
        let of_these = |found: &&Arc<ShootingSolution>| found.unknowns == unknowns;
        if let Some(solution) = last.iter().chain(&known).find(of_these) {
            return Ok(solution.clone());
        }
        let near = known.filter(|_| self.tolerance > 0.0);
        let solved = self.solve(unknowns, near.as_deref());
        let solution = Arc::new(match solved {
            Err(_) if near.is_some() => self.solve(unknowns, None)?,
            solved => solved?,
        });
        *locked(&self.last) = Some(solution.clone());
        Ok(solution)
    }

    /// The solution for these unknowns, with the linear model there.
    fn linearised(&self, unknowns: &[f64]) -> Result<Arc<ShootingSolution>, EvaluationError> {
        let found = self.solution(unknowns)?;
        if found.is_own {
            return Ok(found);
        }
        let chain = self.differentiate_segments(unknowns, &found.states, &found.residuals)?;
        let size = self.deviations.len();
        let solution = Arc::new(ShootingSolution {
            elimination: BlockElimination::new(size, &chain, &found.row_weights, 0.0),
            chain,
            is_own: true,
            ..ShootingSolution::clone(&found)
        });
        *locked(&self.last) = Some(solution.clone());
        Ok(solution)
    }

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
    fn solve(
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

impl<X: SegmentedTrajectory> Experiment for Shooting<'_, X> {
    type Error = EvaluationError;

    fn residual_count(&self) -> usize {
        let segments = self.segments().enumerate();
        let rows: usize = segments
            .map(|(k, intervals)| self.row_count(k, intervals))
            .sum();
        self.start_rows() + rows
    }

    /// The coordinates of the states at the starts of all segments, but for a start that is known.
    fn eliminated_count(&self) -> usize {
        let is_known = self.trajectory.is_start_known();
        (self.segments().len() - usize::from(is_known)) * self.deviations.len()
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), EvaluationError> {
        let values: Vec<f64> = unknowns.iter().map(|p| p.re()).collect();
        let solution = match T::NDERIV {
            0 => self.solution(&values)?,
            _ => self.linearised(&values)?,
        };
        if T::NDERIV > 0 {
            *locked(&self.known) = Some(solution.clone());
            let states: Vec<T> = solution.states.iter().map(|&s| T::from(s)).collect();
            self.evaluate(unknowns, &states, residuals)
                .map_err(EvaluationError::failed)?;
            let followed = solution.follow(residuals);
            followed.ok_or(EvaluationError::StatesUndetermined)?;
        }
        for (r, &value) in residuals.iter_mut().zip(&solution.residuals) {
            *r = if T::NDERIV > 0 {
                r.with_real(value)
            } else {
                T::from(value)
            };
        }
        Ok(())
    }

    fn jacobian(
        &self,
        unknowns: &[f64],
        _: &mut JacobianWorkspace,
        residuals: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let solution = self.linearised(unknowns)?;
        *locked(&self.known) = Some(solution.clone());
        let count = solution.residuals.len();
        InvalidInput::check_size("residuals", residuals.len(), count)?;
        let entries = count * unknowns.len();
        InvalidInput::check_size("entries of the Jacobian", jacobian.len(), entries)?;
        residuals.copy_from_slice(&solution.residuals);
        solution.write_slopes(jacobian)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Norm of the changes of states, each relative to its size or, if that is larger, to its deviation, which is 1.
fn relative_length(step: &[f64], states: &[f64]) -> f64 {
    let parts = step.iter().zip(states).map(|(d, s)| d / s.abs().max(1.0));
    parts.map(|part| part * part).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_dual::Dual64;
    use std::convert::Infallible;

    /// A state that is not measured and grows so much from segment to segment that what is known of its start says
    /// nothing of the last.
    struct Growth;

    impl SegmentedTrajectory for Growth {
        type Error = Infallible;

        fn interval_count(&self) -> usize {
            8
        }

        fn residual_count(&self, intervals: Range<usize>) -> usize {
            intervals.len()
        }

        fn state_deviations(&self) -> Vec<f64> {
            vec![1.0]
        }

        fn guess(&self, _: usize) -> Vec<f64> {
            vec![0.0]
        }

        fn is_start_known(&self) -> bool {
            false
        }

        fn shoot<T: DefaultScalar>(
            &self,
            unknowns: &[T],
            _: Range<usize>,
            state: &mut [T],
            residuals: &mut [T],
        ) -> Result<(), Infallible> {
            state[0] *= T::from(1e40);
            residuals.fill(unknowns[0]);
            Ok(())
        }
    }

    #[test]
    fn states_that_are_not_determined_are_an_error() {
        let shooting = Shooting::new(&Growth, 1).unwrap();
        let is_undetermined =
            |e: &EvaluationError| matches!(e, EvaluationError::StatesUndetermined);
        let error = shooting.standard_deviation(&[1.0]).unwrap_err();
        assert!(is_undetermined(&error), "{error}");
        let mut residuals = vec![Dual64::from(0.0); shooting.residual_count()];
        let unknown = Dual64::from(1.0).derivative();
        let error = shooting.residuals(&[unknown], &mut residuals).unwrap_err();
        assert!(is_undetermined(&error), "{error}");
    }
}
