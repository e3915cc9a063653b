//! The result as JSON.

use crate::model::Observation;
use crate::score::Score;
use crate::support::Failure;
use crate::support::output::write_whole;
use dualbody::identification::Fit;
use serde_json::{Value, json};
use std::path::Path;

/// Writes estimates, standard errors, history and scores.
pub fn write(
    path: &Path,
    observation: &Observation,
    fit: &Fit,
    score: &Score,
    [diagonal, full]: [&Score; 2],
) -> Result<(), Failure> {
    let estimates: serde_json::Map<String, Value> = (fit.unknowns.iter().zip(&fit.estimates))
        .map(|(unknown, estimate)| {
            let value = json!({
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "unit": unknown.unit(),
                "status": estimate.status.to_string(),
            });
            (unknown.name().to_owned(), value)
        })
        .collect();
    let report = json!({
        "channels": crate::CHANNELS,
        "fitted_seconds": observation.fitted.len() as f64 / observation.rate,
        "test_seconds": (observation.wrench.len() - observation.split) as f64 / observation.rate,
        "force_signs": observation.force_signs(),
        "wrench_rmse": score.rmse,
        "wrench_r2": score.r2,
        "linear_least_squares": {
            "diagonal": { "wrench_rmse": diagonal.rmse, "wrench_r2": diagonal.r2 },
            "full": { "wrench_rmse": full.rmse, "wrench_r2": full.r2 },
        },
        "estimates": estimates,
        "stop": fit.stop.to_string(),
        "initial_cost": fit.initial_cost,
        "cost": fit.cost,
        "history": fit.iterations.iter().map(|i| json!({
            "step": i.number,
            "cost": i.cost,
            "accepted": i.accepted,
            "values": i.values,
        })).collect::<Vec<_>>(),
    });
    write_whole(path, &format!("{report:#}\n"))?;
    Ok(())
}
