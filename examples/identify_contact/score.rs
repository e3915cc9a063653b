//! How well whole tosses are predicted.

use crate::cube::{Trial, WIDTH};
use crate::segment::rotation_error;
use crate::support::Failure;
use crate::tosses::{Sample, Toss};
use dualbody::system::State;

/// Mean and standard deviation over tosses.
#[derive(Debug, Clone, Copy)]
pub struct Statistics {
    pub mean: f64,
    pub std: f64,
}

impl Statistics {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        Statistics {
            mean,
            std: (squares / (n - 1.0).max(1.0)).sqrt(),
        }
    }
}

/// Errors of whole simulated tosses, each the mean over its samples.
#[derive(Debug, Clone)]
pub struct Score {
    /// Distance of the centres, in % of the width of the cube.
    pub position_percent: Vec<f64>,
    /// Angle between the orientations, in degrees.
    pub rotation_degrees: Vec<f64>,
    /// Tosses that could not be simulated: their position in the list and why.
    pub failures: Vec<(usize, String)>,
}

impl Score {
    pub fn position(&self) -> Statistics {
        Statistics::of(&self.position_percent)
    }

    pub fn rotation(&self) -> Statistics {
        Statistics::of(&self.rotation_degrees)
    }
}

/// The states of a simulated toss at its samples, from a given start.
///
/// # Errors
/// When a step fails.
pub fn simulate(
    trial: &Trial<f64>,
    substeps: usize,
    start: &Sample,
    samples: usize,
) -> Result<Vec<State<f64>>, Failure> {
    let mut workspace = trial.system.workspace()?;
    let steps = (samples - 1) * substeps;
    let rollout =
        trial
            .system
            .rollout_with(&mut workspace, &trial.state(start), steps, |_, _, _| {});
    Ok(rollout
        .completed()?
        .states
        .into_iter()
        .step_by(substeps)
        .collect())
}

/// Scores tosses, each simulated to its end from the state that `start` makes of it.
pub fn score(
    trial: &Trial<f64>,
    substeps: usize,
    tosses: &[&Toss],
    start: impl Fn(&Toss) -> Sample,
) -> Score {
    let mut score = Score {
        position_percent: Vec::new(),
        rotation_degrees: Vec::new(),
        failures: Vec::new(),
    };
    for (index, toss) in tosses.iter().enumerate() {
        let states = match simulate(trial, substeps, &start(toss), toss.samples.len()) {
            Ok(states) => states,
            Err(error) => {
                score.failures.push((index, error.to_string()));
                continue;
            }
        };
        let (mut distance, mut angle) = (0.0, 0.0);
        for (state, sample) in states.iter().zip(&toss.samples) {
            distance += (trial.measured_position(state) - sample.position).norm();
            angle += rotation_error(&state.q, sample).norm();
        }
        let n = toss.samples.len() as f64;
        score.position_percent.push(100.0 * distance / n / WIDTH);
        score.rotation_degrees.push((angle / n).to_degrees());
    }
    score
}
