//! From short windows to longer ones.

use crate::elbow::Elbow;
use crate::segment::Segment;
use crate::start;
use crate::support::Failure;
use crate::support::fitted::FittedStage;
use crate::tosses::{Row, Toss};
use dualbody::identification::{Blocks, LevenbergMarquardt, Loss, Problem};

/// One fit of several, each of which starts from the estimates of the one before, and from states that
/// are estimated with them. Long rollouts are chaotic, short ones nearly linear in the unknowns.
struct Stage {
    name: &'static str,
    /// Rows of a window.
    length: usize,
    /// Rows that its start is estimated from; 0 for the first row as it was measured.
    start_rows: usize,
    /// How much a window counts, by the root mean square of its residuals.
    threshold: f64,
}

const STAGES: [Stage; 3] = [
    Stage {
        name: "windows of 12 rows, from measured rows",
        length: 12,
        start_rows: 0,
        threshold: 0.1,
    },
    Stage {
        name: "windows of 16 rows, from states estimated by 6",
        length: 16,
        start_rows: 6,
        threshold: 0.1,
    },
    Stage {
        name: "windows of 40 rows, from states estimated by 8",
        length: 40,
        start_rows: 8,
        threshold: 0.3,
    },
];

/// Fits all stages in turn.
///
/// # Errors
/// As the fits.
pub fn fit(elbow: &Elbow, tosses: &[&Toss]) -> Result<Vec<FittedStage>, Failure> {
    let mut values: Vec<f64> = elbow.unknowns.iter().map(|u| u.initial()).collect();
    let mut fitted = Vec::new();
    for stage in STAGES {
        let trial = elbow.trial(&values)?;
        let windows: Vec<&[Row]> = (tosses.iter())
            .flat_map(|toss| toss.rows.chunks_exact(stage.length.min(toss.rows.len())))
            .collect();
        // A window that cannot be simulated from its first row is of no use.
        let segments: Vec<Segment> = (windows.into_iter())
            .filter_map(|rows| {
                let used = &rows[..stage.start_rows.min(rows.len())];
                Some(Segment {
                    elbow,
                    rows,
                    correction: start::estimate(&trial, used).ok()?,
                })
            })
            .collect();
        let problem = Problem::new(elbow.unknowns.clone(), &segments)?;
        let fit = LevenbergMarquardt::new()
            .loss(Loss::cauchy(stage.threshold)?)
            .blocks(Blocks::Experiment)?
            .max_iterations(25)
            .cost_tolerance(1e-4)?
            .fit_from(&problem, &values, |_| std::ops::ControlFlow::Continue(()))?;
        values = fit.values();
        fitted.push(FittedStage {
            name: stage.name,
            fit,
        });
    }
    Ok(fitted)
}
