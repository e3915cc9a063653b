//! The trait of trajectories that can be simulated in segments.

use crate::DefaultScalar;
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
}
