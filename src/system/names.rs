//! Names of signals, bodies and joints of a system.

use super::error::SystemError;
use crate::spelling::{MOST, nearest_paths, paths_of};
use std::collections::HashSet;

/// The position of a signal, by its name or an end of it that no other has.
pub(super) fn index_of(name: &str, known: &[String]) -> Result<usize, SystemError> {
    match paths_of(known, name)[..] {
        [(index, _)] => Ok(index),
        ref several => Err(SystemError::UnknownSignal {
            name: name.to_owned(),
            nearest: match several {
                [] => nearest_paths(known.iter().map(String::as_str), name),
                _ => several
                    .iter()
                    .map(|(_, path)| (*path).clone())
                    .take(MOST)
                    .collect(),
            },
        }),
    }
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
