//! Multiple shooting as an experiment: initial states of segments are eliminated (variable projection).

mod search;

use super::block_elimination::{BlockElimination, Rows};
use super::error::EvaluationError;
use super::experiment::Experiment;
use super::loss::Loss;
use super::segmented_trajectory::SegmentedTrajectory;
use super::shooting_solution::ShootingSolution;
use crate::autodiff::JacobianWorkspace;
use crate::{DefaultScalar, InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Part of the cost that a step for the states must promise.
const TOLERANCE: f64 = 1e-13;
/// Part of the measurements, as degrees of freedom, that is round-off if no more is left.
const SMALLEST_REST: f64 = 1e-9;
/// Part of the noise tolerance of a fit, in variances of the noise, to which the states fit best.
const OF_NOISE: f64 = 1e-2;

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
