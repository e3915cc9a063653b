//! Errors of measured motions.

use super::contract::Finding;
use super::runaway::Runaway;
use crate::error::{Brief, Short, debug_as_sentence};
use crate::identification::IdentificationError;
use crate::system::SystemError;
use crate::tree::TreeError;
use crate::{InvalidInput, ParameterError};

/// A motion cannot be described, read or simulated.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// A channel is not as it must be.
    #[error("channel {channel:?}: {reason}", channel = Brief(channel), reason = Brief(reason))]
    Channel {
        /// Name of the channel.
        channel: String,
        /// What is wrong.
        reason: String,
    },
    /// An unknown is not as it must be.
    #[error("unknown {unknown:?}: {reason}", unknown = Brief(unknown), reason = Brief(reason))]
    Unknown {
        /// Name of the unknown.
        unknown: String,
        /// What is wrong.
        reason: String,
    },
    /// A signal is missing, or not as it must be.
    #[error("signal {signal:?}: {reason}", signal = Brief(signal), reason = Brief(reason))]
    Signal {
        /// Name of the signal.
        signal: String,
        /// What is wrong.
        reason: String,
    },
    /// The text of a table cannot be read.
    #[error("line {line}: {reason}", reason = Brief(reason))]
    Table {
        /// Line of the text, from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// The data of a recording would make a fit wrong.
    #[error("{}", first_of(findings))]
    Data {
        /// What is wrong with them.
        findings: Vec<Finding>,
    },
    /// A recording cannot be simulated.
    #[error(
        "recording {recording:?}, {place} (time {} s): {}{source}",
        Short::to_digits(*time, 9),
        runaway.as_ref().map_or(String::new(), |runaway| format!("{runaway}: ")),
        recording = Brief(recording),
        place = Brief(place)
    )]
    Recording {
        /// Name of the recording.
        recording: String,
        /// The sample, or the line of the table where it stands, from which the simulation does not go on.
        place: String,
        /// Its time, in s.
        time: f64,
        /// Where its velocities are those of no machine.
        runaway: Option<Box<Runaway>>,
        /// What happened.
        source: Box<SystemError>,
    },
    /// A parameter cannot be set.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The machine cannot be simulated.
    #[error(transparent)]
    System(#[from] SystemError),
    /// The unknowns cannot be accepted.
    #[error(transparent)]
    Identification(#[from] IdentificationError),
    /// Other input that cannot be accepted.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
}

debug_as_sentence!(MotionError);

impl From<TreeError> for MotionError {
    fn from(error: TreeError) -> Self {
        MotionError::System(error.into())
    }
}

/// The first of them, and how many others there are.
fn first_of(findings: &[Finding]) -> String {
    match findings {
        [] => "no findings".to_owned(),
        [only] => only.to_string(),
        [first, others @ ..] => format!("{first} (and {} more findings)", others.len()),
    }
}
