//! Errors of mesh files.

use crate::error::{Brief, debug_as_sentence};
use std::path::PathBuf;

/// A mesh cannot be read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The file cannot be read.
    #[error("{}: {source}", Brief(&path.to_string_lossy()))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The extension of the file is none of those that are read.
    #[error("{}: expected a mesh with the extension stl, msh, obj or dae", Brief(&path.to_string_lossy()))]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The file has a mistake.
    #[error("{file}{}: {message}", line.map(|line| format!(":{line}")).unwrap_or_default(), file = Brief(file), message = Brief(message))]
    Invalid {
        /// The file, or what stands for it.
        file: String,
        /// The line, counted from 1, if the format has lines.
        line: Option<usize>,
        /// What it is.
        message: String,
    },
}

debug_as_sentence!(MeshError);

impl MeshError {
    pub(super) fn invalid(file: &str, line: Option<usize>, message: impl ToString) -> Self {
        MeshError::Invalid {
            file: file.to_owned(),
            line,
            message: message.to_string(),
        }
    }
}
