//! The result as JSON.

use crate::choice::Tried;
use crate::model::force_signs;
use crate::observation::Observation;
use crate::score::Score;
use crate::support::Failure;
use crate::support::fitted::estimates;
use crate::support::output::write_whole;
use dualbody::identification::Fit;
use serde_json::json;
use std::path::Path;

/// Writes models that were tried, estimates, standard errors, history and scores.
pub fn write(
    path: &Path,
    observation: &Observation,
    tried: &[Tried],
    fit: &Fit,
    score: &Score,
    [diagonal, full]: [&Score; 2],
) -> Result<(), Failure> {
    let report = json!({
        "channels": crate::CHANNELS,
        "fitted_seconds": observation.fitted.len() as f64 / observation.rate,
        "test_seconds": (observation.wrench.len() - observation.split) as f64 / observation.rate,
        "force_signs": force_signs(observation),
        "wrench_rmse": score.rmse,
        "wrench_r2": score.r2,
        "linear_least_squares": {
            "diagonal": { "wrench_rmse": diagonal.rmse, "wrench_r2": diagonal.r2 },
            "full": { "wrench_rmse": full.rmse, "wrench_r2": full.r2 },
        },
        "models": tried.iter().map(|tried| json!({
            "name": tried.roll.name(),
            "unknowns": tried.unknowns,
            "held_out": tried.held_out(),
            "held_out_wrench_rmse": tried.score.rmse,
        })).collect::<Vec<_>>(),
        "estimates": estimates(fit),
        "stop": fit.stop.to_string(),
        "converged": fit.stop.is_converged(),
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
