//! JSON text and values, with the place of every error.

use super::error::JsonError;
use crate::io::replace_file;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

/// The object of a text that says it is of this format, without `format` and `version`.
pub(super) fn parse(text: &str, format: &str) -> Result<Value, JsonError> {
    let mut value: Value = serde_json::from_str(text).map_err(JsonError::Syntax)?;
    let object = value.as_object_mut();
    let object = object.ok_or_else(|| JsonError::value("document", "expected an object"))?;
    for (key, expected) in [("format", Value::from(format)), ("version", VERSION.into())] {
        match object.remove(key) {
            Some(found) if found == expected => {}
            found => {
                let found = found.unwrap_or_default();
                let reason = format!("found {found}, expected {expected}");
                return Err(JsonError::value(key, reason));
            }
        }
    }
    Ok(value)
}

/// The text of an object, with `format` and `version`.
pub(super) fn print(mut value: Value, format: &str) -> String {
    value["format"] = format.into();
    value["version"] = VERSION.into();
    format!("{value:#}\n")
}

/// A value of Rust as JSON.
pub(super) fn to_value(data: &impl Serialize) -> Result<Value, JsonError> {
    serde_json::to_value(data).map_err(|e| JsonError::value("document", e.to_string()))
}

/// A value of Rust from JSON; errors name the place in it.
pub(super) fn from_value<D: DeserializeOwned>(value: &Value) -> Result<D, JsonError> {
    // From text, one token on a line, because the line of an error leads to its path.
    let text = format!("{value:#}");
    serde_json::from_str(&text).map_err(|error| {
        let reason = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let reason = reason.strip_suffix(&place).unwrap_or(&reason);
        JsonError::value(path_of_line(&text, error.line()), reason)
    })
}

/// The keys and positions that lead to a line of a text with one token on each line.
fn path_of_line(text: &str, line: usize) -> String {
    // Of each object and list that is open: the key or position of what is in it.
    let mut path: Vec<(String, Option<usize>)> = Vec::new();
    for line in text.lines().take(line) {
        let token = line.trim();
        if token.starts_with(['}', ']']) {
            path.pop();
            continue;
        }
        if let Some((step, position)) = path.last_mut() {
            match position {
                Some(position) => {
                    *step = position.to_string();
                    *position += 1;
                }
                None => {
                    let mut keys = serde_json::Deserializer::from_str(token).into_iter();
                    *step = keys.next().and_then(Result::ok).unwrap_or_default();
                }
            }
        }
        match token.chars().last() {
            Some('{') => path.push((String::new(), None)),
            Some('[') => path.push((String::new(), Some(0))),
            _ => {}
        }
    }
    let steps: Vec<_> = path.iter().map(|(step, _)| step.as_str()).collect();
    match steps.join("/").trim_end_matches('/') {
        "" => "document".to_owned(),
        path => path.to_owned(),
    }
}

/// Writes a file whole or not at all.
pub(super) fn save(path: &Path, text: &str) -> Result<(), JsonError> {
    replace_file(path, |file| file.write_all(text.as_bytes())).map_err(at(path))
}

/// Reads a file.
pub(super) fn load(path: &Path) -> Result<String, JsonError> {
    std::fs::read_to_string(path).map_err(at(path))
}

/// Reads a file that need not be text.
pub(super) fn load_bytes(path: &Path) -> Result<Vec<u8>, JsonError> {
    std::fs::read(path).map_err(at(path))
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> JsonError {
    move |source| JsonError::File {
        path: path.to_owned(),
        source,
    }
}
