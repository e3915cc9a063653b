//! The result as JSON.

use crate::score::{Errors, Statistics};
use crate::support::Failure;
use crate::support::fitted::{FittedStage, estimates, stage};
use crate::support::output::write_whole;
use crate::tosses::Toss;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Writes estimates, standard errors, history and scores: of whole tosses and of windows, both from starts
/// that are estimated from several rows, then both from their first row.
pub fn write(
    path: &Path,
    fitted: &[&Toss],
    test: &[&Toss],
    stages: &[FittedStage],
    [whole, windows, first_row, first_row_windows]: [&Errors; 4],
    (start_rows, window_rows): (&[usize], usize),
) -> Result<(), Failure> {
    let numbers = |tosses: &[&Toss]| tosses.iter().map(|t| t.number).collect::<Vec<_>>();
    let mut from_first_row = scores(first_row);
    from_first_row.insert("windows".to_owned(), scores(first_row_windows).into());
    let mut report = scores(whole);
    report.insert("windows".to_owned(), scores(windows).into());
    report.insert("from_first_row".to_owned(), from_first_row.into());
    let last = &stages[stages.len() - 1];
    for (key, value) in [
        ("fitted_tosses", json!(numbers(fitted))),
        ("test_tosses", json!(numbers(test))),
        ("start_rows", json!(start_rows)),
        ("window_rows", json!(window_rows)),
        ("estimates", estimates(&last.fit)),
        ("stages", stages.iter().map(stage).collect()),
    ] {
        report.insert(key.to_owned(), value);
    }
    let report = Value::from(report);
    write_whole(path, &format!("{report:#}\n"))?;
    Ok(())
}

fn scores(errors: &Errors) -> Map<String, Value> {
    let keys = [
        "position_error_percent",
        "rotation_error_deg",
        "hinge_error_deg",
    ];
    let statistics = |s: Statistics| json!({ "mean": s.mean, "median": s.median, "std": s.std });
    (keys.into_iter().zip(errors.statistics()))
        .map(|(key, s)| (key.to_owned(), statistics(s)))
        .chain([("not_simulated".to_owned(), json!(errors.failures))])
        .collect()
}
