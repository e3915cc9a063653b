//! A stretch of a measured toss, as an experiment.

use crate::elbow::{CORRECTIONS, Elbow, LENGTH, corrected_state};
use crate::tosses::Row;
use dualbody::identification::Experiment;
use dualbody::system::SystemError;
use dualbody::{DefaultScalar, ParameterError};

/// Deviations that count as one, in m and rad.
const POSITION: f64 = 0.12 * LENGTH;
const ANGLE: f64 = 0.22;

/// A simulation from the first row, which is corrected, compared with the rows after it.
pub struct Segment<'a> {
    pub elbow: &'a Elbow,
    pub rows: &'a [Row],
    pub correction: [f64; CORRECTIONS],
}

/// Why a segment cannot be simulated.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    System(#[from] SystemError),
}

impl Experiment for Segment<'_> {
    type Error = SegmentError;

    fn residual_count(&self) -> usize {
        7 * (self.rows.len() - 1)
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), SegmentError> {
        let trial = self.elbow.trial(unknowns)?;
        let start = corrected_state(&self.rows[0], &self.correction.map(T::from));
        trial.write_residuals(&start, self.rows, [POSITION, ANGLE], residuals)?;
        Ok(())
    }
}
