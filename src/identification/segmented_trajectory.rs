//! The trait of trajectories that can be simulated in segments.

use super::error::EvaluationError;
use crate::autodiff::{JacobianWorkspace, jacobian_into};
use crate::{DefaultScalar, InvalidInput};
use std::ops::Range;

/// A measured motion and the model that predicts it, which can start in the middle.
///
/// Time is cut into intervals, as long as the measurements allow to guess the state at their starts.
/// [`MultipleShooting`](super::MultipleShooting) joins intervals to segments, and segments to the whole.
///
/// States are vectors of a fixed number of coordinates; of a rotation take a rotation vector from
/// one that is near, so that all of them are free.
pub trait SegmentedTrajectory: Sync {
    /// Why the model cannot be evaluated, as that of an [`Experiment`](super::Experiment).
    type Error: Into<Box<dyn std::error::Error + Send + Sync>>;

    /// Number of intervals, at least one.
    fn interval_count(&self) -> usize;

    /// Number of residuals of measurements within or at the ends of intervals.
    fn residual_count(&self, intervals: Range<usize>) -> usize;

    /// How far the guesses of a state may be off: a standard deviation of each coordinate, positive.
    fn state_deviations(&self) -> Vec<f64>;

    /// The state at the start of an interval, from the measurements there, with as many coordinates as
    /// there are [deviations](Self::state_deviations).
    fn guess(&self, interval: usize) -> Vec<f64>;

    /// Whether the state at the start of the first interval is known exactly; otherwise the guess is
    /// a measurement of it.
    fn is_start_known(&self) -> bool;

    /// Simulates consecutive intervals from `state` at their start, which becomes that at their end,
    /// and writes the residuals of what was measured; as in [`Experiment`](super::Experiment) these
    /// are divided by their standard deviations.
    ///
    /// # Errors
    /// As the implementation says.
    fn shoot<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        intervals: Range<usize>,
        state: &mut [T],
        residuals: &mut [T],
    ) -> Result<(), Self::Error>;

    /// As [`Self::shoot`], of segments each from a state of its own: `states` and `residuals` are those of one after the other.
    /// What only depends on the unknowns can be made once for all of them.
    ///
    /// # Errors
    /// As [`Self::shoot`].
    fn shoot_each<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        segments: &[Range<usize>],
        states: &mut [T],
        residuals: &mut [T],
    ) -> Result<(), Self::Error> {
        let mut rest = residuals;
        let states = states.chunks_exact_mut(self.state_deviations().len().max(1));
        for (intervals, state) in segments.iter().zip(states) {
            let count = self.residual_count(intervals.clone());
            let own;
            (own, rest) = rest.split_at_mut(count.min(rest.len()));
            self.shoot(unknowns, intervals.clone(), state, own)?;
        }
        Ok(())
    }

    /// Writes the derivatives of the residuals of segments from these states, and after all of them those of the states at
    /// their ends, with respect to the coordinates of the state that each starts from and then to the unknowns, column by
    /// column: [`Self::shoot_each`] in dual numbers. A model that has the same derivatives sooner implements it.
    ///
    /// # Errors
    /// As [`Self::shoot`], and [`EvaluationError::Invalid`] for numbers that are not finite and another number of entries.
    fn differentiate_each(
        &self,
        unknowns: &[f64],
        segments: &[Range<usize>],
        states: &[f64],
        jacobian: &mut [f64],
    ) -> Result<(), EvaluationError> {
        differentiate_by_duals(self, unknowns, segments, states, jacobian)
    }
}

/// [`SegmentedTrajectory::differentiate_each`] by dual numbers: states of all segments change together.
pub(super) fn differentiate_by_duals<X: SegmentedTrajectory + ?Sized>(
    trajectory: &X,
    unknowns: &[f64],
    segments: &[Range<usize>],
    states: &[f64],
    jacobian: &mut [f64],
) -> Result<(), EvaluationError> {
    InvalidInput::check_finite("states", states)?;
    let count = |intervals: &Range<usize>| trajectory.residual_count(intervals.clone());
    let residuals = segments.iter().map(count).sum();
    let mut point = vec![0.0; trajectory.state_deviations().len()];
    let size = point.len();
    point.extend(unknowns);
    jacobian_into(
        |x, rows| {
            let (change, unknowns) = x.split_at(size);
            let (residuals, ends) = rows.split_at_mut(residuals);
            let changed = states.iter().zip(change.iter().cycle());
            for (to, (&s, &change)) in ends.iter_mut().zip(changed) {
                *to = change + s;
            }
            let shot = trajectory.shoot_each(unknowns, segments, ends, residuals);
            shot.map_err(EvaluationError::failed)
        },
        &point,
        &mut JacobianWorkspace::default(),
        &mut vec![0.0; residuals + states.len()],
        jacobian,
    )
}
