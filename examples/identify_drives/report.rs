//! The result as JSON.

use crate::leg::Drives;
use crate::recording::Recording;
use crate::score::Score;
use crate::stages::Found;
use crate::support::Failure;
use crate::support::fitted::estimates;
use crate::support::output::write_whole;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Writes scores, models that were tried, estimates and standard errors.
pub fn write(
    path: &Path,
    [fitted, test]: [&Recording; 2],
    drives: Drives,
    found: &Found,
    score: &Score,
) -> Result<(), Failure> {
    let all = found.legs.iter().map(|leg| estimates(&leg.fit));
    let all: Map<String, Value> = all
        .filter_map(|leg| leg.as_object().cloned())
        .flatten()
        .collect();
    let report = json!({
        "joint_rmse_mrad": score.by_kind(),
        "joints": score.by_joint().map(|(joint, rmse)| (joint.to_owned(), json!(rmse))).collect::<Map<_, _>>(),
        "fitted_seconds": fitted.seconds(),
        "test_seconds": test.seconds(),
        "proportional_gain": drives.proportional_gain,
        "delay": drives.delay as f64 * fitted.interval,
        "models": found.tried.iter().map(|tried| json!({
            "name": tried.structure.name,
            "unknowns": tried.unknowns,
            "fitted_rmse_mrad": tried.fitted,
            "held_out_rmse_mrad": tried.held_out,
        })).collect::<Vec<_>>(),
        "fit_seconds": found.seconds,
        "halves_differ_in_standard_errors": found.halves,
        "stop": found.legs.iter().map(|leg| leg.fit.stop.to_string()).collect::<Vec<_>>(),
        "converged": found.legs.iter().all(|leg| leg.fit.stop.is_converged()),
        "estimates": all,
    });
    write_whole(path, &format!("{report:#}\n"))?;
    Ok(())
}
