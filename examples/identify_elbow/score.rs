//! How well tosses are predicted.

use crate::elbow::{LENGTH, Trial, corrected_state, deviation};
use crate::start;
use crate::support::Failure;
use crate::tosses::{Row, Toss};
use dualbody::system::State;

/// Windows that are scored: their rows, and the rows between their starts.
const WINDOW: usize = 12;
const STRIDE: usize = 8;

/// Mean, median and standard deviation.
#[derive(Debug, Clone, Copy)]
pub struct Statistics {
    pub mean: f64,
    pub median: f64,
    pub std: f64,
}

impl Statistics {
    fn of(mut values: Vec<f64>) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        values.sort_by(f64::total_cmp);
        let median = match values.len() {
            0 => f64::NAN,
            m => 0.5 * (values[(m - 1) / 2] + values[m / 2]),
        };
        Statistics {
            mean,
            median,
            std: (squares / (n - 1.0).max(1.0)).sqrt(),
        }
    }
}

/// Errors of simulated stretches, each the mean over its rows: distance of the centres of block 1 in % of
/// its length, angle between its orientations and difference of the hinge angles in degrees.
#[derive(Debug, Clone, Default)]
pub struct Errors {
    pub list: Vec<[f64; 3]>,
    /// Stretches that could not be simulated.
    pub failures: usize,
}

impl Errors {
    /// Of position, rotation and hinge.
    pub fn statistics(&self) -> [Statistics; 3] {
        [0, 1, 2].map(|i| Statistics::of(self.list.iter().map(|e| e[i]).collect()))
    }

    fn add(&mut self, result: Result<Vec<State<f64>>, Failure>, rows: &[Row]) {
        let Ok(states) = result else {
            self.failures += 1;
            return;
        };
        let mut sum = [0.0; 3];
        for (state, row) in states.iter().zip(rows) {
            let (p, turn, hinge) = deviation(state, row);
            let errors = [
                100.0 * p.norm() / LENGTH,
                turn.norm().to_degrees(),
                hinge.abs().to_degrees(),
            ];
            for (sum, error) in sum.iter_mut().zip(errors) {
                *sum += error / rows.len() as f64;
            }
        }
        self.list.push(sum);
    }
}

/// The states at some rows, from a start that is estimated from the first `start_rows` of them, and is the
/// first row as it was measured with less than two.
///
/// # Errors
/// When a step fails.
pub fn simulate(
    trial: &Trial<f64>,
    rows: &[Row],
    start_rows: usize,
) -> Result<Vec<State<f64>>, Failure> {
    let correction = start::estimate(trial, &rows[..start_rows.min(rows.len())])?;
    let start = corrected_state(&rows[0], &correction);
    let mut states = Vec::with_capacity(rows.len());
    trial.simulate(&start, rows.len(), |_, state| states.push(state))?;
    Ok(states)
}

/// Scores whole tosses, whose starts are estimated from so many rows.
pub fn score_tosses(
    trial: &Trial<f64>,
    tosses: &[&Toss],
    start_rows: impl Fn(&Toss) -> usize,
) -> Errors {
    let mut errors = Errors::default();
    for toss in tosses {
        errors.add(simulate(trial, &toss.rows, start_rows(toss)), &toss.rows);
    }
    errors
}

/// Scores all windows of tosses.
pub fn score_windows(trial: &Trial<f64>, tosses: &[&Toss], start_rows: usize) -> Errors {
    let mut errors = Errors::default();
    for toss in tosses {
        for rows in toss.rows.windows(WINDOW).step_by(STRIDE) {
            errors.add(simulate(trial, rows, start_rows), rows);
        }
    }
    errors
}
