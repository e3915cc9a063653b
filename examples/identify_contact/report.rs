//! The result as JSON.

use crate::score::{Score, Statistics};
use crate::support::Failure;
use crate::support::fitted::{FittedStage, estimates, stage};
use crate::support::output::write_whole;
use crate::tosses::Toss;
use dualbody::identification::CrossValidation;
use serde_json::{Value, json};
use std::path::Path;

/// Writes estimates, standard errors, history and scores: from starts that are smoothed over the flight, and
/// from first samples.
pub fn write(
    path: &Path,
    fitted: &[&Toss],
    test: &[&Toss],
    stages: &[FittedStage],
    validation: Option<&CrossValidation>,
    score: &Score,
    from_first_sample: &Score,
) -> Result<(), Failure> {
    let numbers = |tosses: &[&Toss]| tosses.iter().map(|t| t.number).collect::<Vec<_>>();
    let report = json!({
        "fitted_tosses": numbers(fitted),
        "test_tosses": numbers(test),
        "estimates": estimates(&stages[stages.len() - 1].fit),
        "held_out": validation.map(|validation| json!({
            "groups": validation.groups.len(),
            "standard_errors": validation.standard_errors,
            "jackknife": validation.jackknife,
            "sandwich": validation.sandwich,
            "differences": validation.differences(),
            "residual_root_mean_square": validation.root_mean_square(),
        })),
        "stages": stages.iter().map(stage).collect::<Vec<_>>(),
        "position_error_percent": statistics(score.position()),
        "rotation_error_deg": statistics(score.rotation()),
        "smoothed_start": errors(score),
        "from_first_sample": errors(from_first_sample),
        "not_simulated": score.failures.iter()
            .map(|(toss, error)| json!({ "toss": test[*toss].number, "error": error }))
            .collect::<Vec<_>>(),
    });
    write_whole(path, &format!("{report:#}\n"))?;
    Ok(())
}

fn errors(score: &Score) -> Value {
    json!({
        "position_error_percent": statistics(score.position()),
        "rotation_error_deg": statistics(score.rotation()),
    })
}

fn statistics(statistics: Statistics) -> Value {
    json!({ "mean": statistics.mean, "std": statistics.std })
}
