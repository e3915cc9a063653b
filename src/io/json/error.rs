//! Errors of JSON files.

use crate::error::{Brief, debug_as_sentence};
use crate::system::SystemError;
use std::path::{Path, PathBuf};

/// A machine or a state cannot be written or read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The text is no JSON.
    #[error("not valid JSON: {}", Brief(.0.to_string()))]
    Syntax(serde_json::Error),
    /// A value is missing, or not what is expected at its place.
    #[error("{path}: {reason}", path = Brief(path), reason = Brief(reason))]
    Value {
        /// Where: keys and positions, `forces/0/JointSpring/stiffness`.
        path: String,
        /// The value and what is expected.
        reason: String,
    },
    /// The values together make no machine, or no state of this machine.
    #[error("{part}: {source}")]
    Rejected {
        /// The part of the document.
        part: &'static str,
        /// What does not fit.
        source: Box<SystemError>,
    },
    /// A file has a mistake.
    #[error("{}: {source}", Brief(&path.to_string_lossy()))]
    InFile {
        /// The file.
        path: PathBuf,
        /// The mistake.
        source: Box<JsonError>,
    },
    /// The file cannot be written or read.
    #[error("{}: {source}", Brief(&path.to_string_lossy()))]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        source: std::io::Error,
    },
}

debug_as_sentence!(JsonError);

impl JsonError {
    pub(super) fn value(path: impl Into<String>, reason: impl Into<String>) -> Self {
        JsonError::Value {
            path: path.into(),
            reason: reason.into(),
        }
    }

    /// For `map_err`: of what stands under a key or position.
    pub(super) fn within(outer: &str) -> impl Fn(Self) -> Self {
        move |error| match error {
            JsonError::Value { path, reason } => {
                let separator = if path.is_empty() { "" } else { "/" };
                JsonError::value(format!("{outer}{separator}{path}"), reason)
            }
            other => other,
        }
    }

    /// For `map_err`: of what is in a file.
    pub(super) fn in_file(path: &Path) -> impl Fn(Self) -> Self {
        move |error| match error {
            named @ (JsonError::File { .. } | JsonError::InFile { .. }) => named,
            other => JsonError::InFile {
                path: path.to_owned(),
                source: Box::new(other),
            },
        }
    }

    /// For `map_err`: of a part of the document.
    pub(super) fn rejected<E: Into<SystemError>>(part: &'static str) -> impl Fn(E) -> Self {
        move |source| JsonError::Rejected {
            part,
            source: Box::new(source.into()),
        }
    }
}
