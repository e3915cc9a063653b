//! Names of signals, bodies and joints of a system.

use super::error::SystemError;
use crate::spelling::nearest_paths;
use std::collections::HashSet;

/// The position of a signal.
pub(super) fn index_of(name: &str, known: &[String]) -> Result<usize, SystemError> {
    (known.iter().position(|k| k == name)).ok_or_else(|| SystemError::UnknownSignal {
        name: name.to_owned(),
        nearest: nearest_paths(known.iter().map(String::as_str), name),
    })
}

/// Checks that no two names are the same.
pub(super) fn check_unique(what: &'static str, names: &[String]) -> Result<(), SystemError> {
    let mut seen = HashSet::with_capacity(names.len());
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        None => Ok(()),
        Some(name) => Err(SystemError::DuplicateName {
            what,
            name: name.clone(),
        }),
    }
}
