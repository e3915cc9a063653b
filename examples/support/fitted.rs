//! Fits in stages, and what of them goes into a report.

use super::Failure;
use dualbody::identification::{Change, Fit, Verdict};
use dualbody::scene::FitReport;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A stage that has been fitted.
pub struct FittedStage {
    pub name: &'static str,
    pub fit: Fit,
}

/// Writes the page of a fit, beside that of the example's scene.
pub fn save_report(report: &FitReport, folder: &Path, name: &str) -> Result<(), Failure> {
    let path = folder.join(format!("{name}_report.html"));
    report.save(&path)?;
    println!("The fit as one page: {}", path.display());
    Ok(())
}

/// The estimates of a fit by the names of the unknowns.
pub fn estimates(fit: &Fit) -> Value {
    (fit.estimates.iter().enumerate())
        .map(|(i, estimate)| {
            let verdict = fit.verdict(i);
            let value = json!({
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "unit": estimate.unit,
                "status": estimate.status.to_string(),
                "verdict": verdict.as_ref().map(Verdict::name),
                "directions": verdict.as_ref().map(directions),
                "data_share": estimate.data_share,
            });
            (estimate.name.clone(), value)
        })
        .collect::<Map<_, _>>()
        .into()
}

/// The combinations of unknowns along which an estimate is not held.
fn directions(verdict: &Verdict) -> Value {
    let change = |c: &Change| json!({"unknown": c.unknown, "change": c.change, "unit": c.unit, "relative": c.relative});
    let directions = verdict.directions().iter();
    (directions.map(|changes| changes.iter().map(change).collect::<Vec<_>>()))
        .collect::<Vec<_>>()
        .into()
}

/// How a stage went.
pub fn stage(stage: &FittedStage) -> Value {
    json!({
        "name": stage.name,
        "stop": stage.fit.stop.to_string(),
        "converged": stage.fit.stop.is_converged(),
        "initial_cost": stage.fit.initial_cost,
        "cost": stage.fit.cost,
        "estimates": estimates(&stage.fit),
        "left_out": stage.fit.left_out(),
        "history": stage.fit.iterations.iter().map(|i| json!({
            "step": i.number,
            "cost": i.cost,
            "accepted": i.accepted,
            "values": i.values,
        })).collect::<Vec<_>>(),
    })
}
