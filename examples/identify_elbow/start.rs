//! The state at a row, estimated from that row and a few after it.

use crate::elbow::{CORRECTIONS, Trial, corrected_state};
use crate::tosses::Row;
use dualbody::DefaultScalar;
use dualbody::identification::{
    Experiment, IdentificationError, LevenbergMarquardt, Parallelism, Problem, Unknown,
};
use dualbody::system::SystemError;

/// Standard deviations of measured positions in m and angles in rad.
const POSITION: f64 = 5e-4;
const ANGLE: f64 = 5e-3;
/// Standard deviations of what the first row, which is smoothed, says of the state there: rotation, position, hinge,
/// then their rates.
const FIRST_ROW: [f64; CORRECTIONS] = [
    0.02, 0.02, 0.02, 2e-3, 2e-3, 2e-3, 0.02, 0.8, 0.8, 0.8, 0.06, 0.06, 0.06, 1.2,
];

/// Rows that follow each other, simulated from a start that is to be found.
struct Start<'a> {
    trial: &'a Trial<f64>,
    rows: &'a [Row],
}

impl Experiment for Start<'_> {
    type Error = SystemError;

    fn residual_count(&self) -> usize {
        CORRECTIONS + 7 * (self.rows.len() - 1)
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), SystemError> {
        let by: [T; CORRECTIONS] = std::array::from_fn(|i| unknowns[i]);
        let (first, later) = residuals.split_at_mut(CORRECTIONS);
        for ((r, &x), deviation) in first.iter_mut().zip(&by).zip(FIRST_ROW) {
            *r = x / deviation;
        }
        let start = corrected_state(&self.rows[0], &by);
        let trial = self.trial.cast::<T>();
        trial.write_residuals(&start, self.rows, [POSITION, ANGLE], later)
    }
}

/// The correction of the first of some rows that fits the others best; none for a single row.
///
/// # Errors
/// When the rows cannot be simulated from the first one.
pub fn estimate(
    trial: &Trial<f64>,
    rows: &[Row],
) -> Result<[f64; CORRECTIONS], IdentificationError> {
    if rows.len() < 2 {
        return Ok([0.0; CORRECTIONS]);
    }
    let unknowns = (FIRST_ROW.iter().enumerate())
        .map(|(i, &deviation)| Unknown::new(format!("{i}"), "", 0.0)?.scale(deviation))
        .collect::<Result<Vec<_>, _>>()?;
    let experiments = [Start { trial, rows }];
    let fit = LevenbergMarquardt::new()
        .parallelism(Parallelism::Serial)
        .max_iterations(8)
        .cost_tolerance(1e-3)?
        .initial_radius(10.0)?
        .fit(&Problem::new(unknowns, &experiments)?)?;
    let values = fit.values();
    Ok(std::array::from_fn(|i| values[i]))
}
