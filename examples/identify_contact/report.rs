//! The result as JSON.

use crate::score::{Score, Statistics};
use crate::stages::FittedStage;
use crate::support::Failure;
use crate::support::output::write_whole;
use crate::tosses::Toss;
use serde_json::{Value, json};
use std::path::Path;

/// Writes estimates, standard errors, history and scores.
pub fn write(
    path: &Path,
    fitted: &[&Toss],
    test: &[&Toss],
    stages: &[FittedStage],
    score: &Score,
    smoothed: &Score,
) -> Result<(), Failure> {
    let numbers = |tosses: &[&Toss]| tosses.iter().map(|t| t.number).collect::<Vec<_>>();
    let report = json!({
        "fitted_tosses": numbers(fitted),
        "test_tosses": numbers(test),
        "estimates": estimates(&stages[stages.len() - 1]),
        "stages": stages.iter().map(stage).collect::<Vec<_>>(),
        "position_error_percent": statistics(score.position()),
        "rotation_error_deg": statistics(score.rotation()),
        "smoothed_start": {
            "position_error_percent": statistics(smoothed.position()),
            "rotation_error_deg": statistics(smoothed.rotation()),
        },
        "not_simulated": score.failures.iter()
            .map(|(toss, error)| json!({ "toss": test[*toss].number, "error": error }))
            .collect::<Vec<_>>(),
    });
    write_whole(path, &format!("{report:#}\n"))?;
    Ok(())
}

fn statistics(statistics: Statistics) -> Value {
    json!({ "mean": statistics.mean, "std": statistics.std })
}

fn estimates(stage: &FittedStage) -> Value {
    let fit = &stage.fit;
    (fit.unknowns.iter().zip(&fit.estimates))
        .map(|(unknown, estimate)| {
            let value = json!({
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "unit": unknown.unit(),
                "status": estimate.status.to_string(),
            });
            (unknown.name().to_owned(), value)
        })
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn stage(stage: &FittedStage) -> Value {
    json!({
        "name": stage.name,
        "stop": stage.fit.stop.to_string(),
        "initial_cost": stage.fit.initial_cost,
        "cost": stage.fit.cost,
        "estimates": estimates(stage),
        "left_out": stage.fit.left_out(),
        "history": stage.fit.iterations.iter().map(|i| json!({
            "step": i.number,
            "cost": i.cost,
            "accepted": i.accepted,
            "values": i.values,
        })).collect::<Vec<_>>(),
    })
}
