//! Errors of batches.

use crate::InvalidInput;
use crate::error::{Brief, debug_as_sentence};
use crate::system::error::RolloutFailure;

/// A batch could not do all that it was asked for.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A matrix has the wrong shape, or a number of steps is too large. Nothing was computed.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// Some members failed; the results of the others are there.
    #[error("{}{}", first(failures), more(failures))]
    Members {
        /// Of every member that failed, in the order of members.
        failures: Vec<MemberFailure>,
    },
    /// The threads cannot be started.
    #[error("{threads} threads cannot be started: {reason}", reason = Brief(reason))]
    Threads {
        /// As many as were asked for.
        threads: usize,
        /// Why.
        reason: String,
    },
}

/// Why a member of a batch failed.
#[derive(Clone, PartialEq, thiserror::Error)]
#[error("member {member}: {source}")]
pub struct MemberFailure {
    /// Its number, from 0.
    pub member: usize,
    /// What went wrong, and in which step; what concerns all of a rollout is said of its first.
    pub source: RolloutFailure,
}

debug_as_sentence!(BatchError, MemberFailure);

impl BatchError {
    /// The error, if any member failed.
    pub(super) fn of(failures: &mut [Option<RolloutFailure>]) -> Result<(), Self> {
        let failures = failures.iter_mut().enumerate();
        let mut failed = failures.filter_map(|(member, failure)| {
            let source = failure.take()?;
            Some(MemberFailure { member, source })
        });
        match failed.next() {
            None => Ok(()),
            Some(first) => Err(BatchError::Members {
                failures: std::iter::once(first).chain(failed).collect(),
            }),
        }
    }
}

fn first(failures: &[MemberFailure]) -> String {
    failures
        .first()
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn more(failures: &[MemberFailure]) -> String {
    match failures.len() {
        0 | 1 => String::new(),
        n => format!(" (and {} more members fail)", n - 1),
    }
}
