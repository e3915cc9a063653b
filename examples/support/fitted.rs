//! Fits in stages, and what of them goes into a report.

use super::Failure;
use dualbody::identification::Fit;
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
    (fit.estimates.iter())
        .map(|estimate| {
            let value = json!({
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "unit": estimate.unit,
                "status": estimate.status.to_string(),
                "data_share": estimate.data_share,
            });
            (estimate.name.clone(), value)
        })
        .collect::<Map<_, _>>()
        .into()
}

/// How a stage went.
pub fn stage(stage: &FittedStage) -> Value {
    json!({
        "name": stage.name,
        "stop": stage.fit.stop.to_string(),
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
