//! Fits in stages, and what of them goes into a report.

use dualbody::identification::Fit;
use serde_json::{Map, Value, json};

/// A stage that has been fitted.
pub struct FittedStage {
    pub name: &'static str,
    pub fit: Fit,
}

/// The estimates of a fit by the names of the unknowns.
pub fn estimates(fit: &Fit) -> Value {
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
