//! Reads reference cases.

use nalgebra::DMatrix;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Path of a file in `tests/data`.
pub fn data(relative: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data")).join(relative)
}

/// Relative to the largest entry of the quantity.
const TOLERANCE: f64 = 1e-9;

/// Entries that are all below this (in SI units) are round-off of zero.
const ROUND_OFF: f64 = 1e-14;

/// The folder of the reference cases: `DUALBODY_REFERENCE`, or the copies in the repository.
pub fn folder() -> PathBuf {
    match std::env::var_os("DUALBODY_REFERENCE") {
        Some(folder) => folder.into(),
        None => data("reference"),
    }
}

/// A JSON file of the folder; `None` if there is no such file.
pub fn read(name: &str) -> Option<Value> {
    read_from(&folder(), name)
}

/// A JSON file of a folder; `None` if there is no such file.
pub fn read_from(folder: &Path, name: &str) -> Option<Value> {
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).ok()?;
    match serde_json::from_str(&text) {
        Ok(value) => Some(value),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// The cases of a file that holds a list of them; none if there is no such file.
pub fn cases(name: &str) -> Vec<Value> {
    match read(name) {
        Some(Value::Array(cases)) => cases,
        Some(_) => panic!("{name} does not hold a list of cases"),
        None => Vec::new(),
    }
}

/// A number.
pub fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is not a number"))
}

/// A list of numbers.
pub fn vector(value: &Value) -> Vec<f64> {
    let list = value
        .as_array()
        .unwrap_or_else(|| panic!("{value} is not a list"));
    list.iter().map(number).collect()
}

/// A list of rows; `columns` gives the width of a matrix without rows.
pub fn matrix(value: &Value, columns: usize) -> DMatrix<f64> {
    let rows = value
        .as_array()
        .unwrap_or_else(|| panic!("{value} is not a list"));
    DMatrix::from_fn(rows.len(), columns, |i, j| number(&rows[i][j]))
}

/// Asserts agreement to 1e-9, relative to the largest entry of the quantity.
#[track_caller]
pub fn assert_close(quantity: &str, actual: &[f64], expected: &[f64]) {
    assert_eq!(actual.len(), expected.len(), "{quantity}");
    let scale = expected.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    for (i, (a, e)) in actual.iter().zip(expected).enumerate() {
        let error = (a - e).abs();
        assert!(
            error <= TOLERANCE * scale + ROUND_OFF,
            "{quantity}[{i}]: {a} instead of {e}"
        );
    }
}
