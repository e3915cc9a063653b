//! What can go wrong with another process.

use crate::error::{Brief, debug_as_sentence};

/// Another process does not do what an element of a machine needs.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// No answer within the time that the channel gives.
    #[error("there is no answer after {seconds} s")]
    TimedOut {
        /// How long was waited.
        seconds: f64,
    },
    /// The stream has ended.
    #[error("the other process has hung up")]
    Closed,
    /// The stream cannot be read or written, or holds something else than blocks.
    #[error("the stream to the other process: {reason}", reason = Brief(reason))]
    Stream {
        /// What the operating system, or the block, says.
        reason: String,
    },
    /// The other process does not have what was asked for, or failed.
    #[error("the other process says: {reason}", reason = Brief(reason))]
    Refused {
        /// Its words.
        reason: String,
    },
    /// A step has another length than both sides have agreed on.
    #[error("a step of {found} s, where {expected} s was agreed on")]
    Step {
        /// The length of the step in s.
        found: f64,
        /// That of the channel.
        expected: f64,
    },
    /// The answer has a number that is not finite.
    #[error("entry {entry} of the answer is {value}")]
    NotFinite {
        /// Its place.
        entry: usize,
        /// Its value.
        value: f64,
    },
    /// The answer has another number of entries than announced.
    #[error("{found} numbers were sent, where {expected} were announced")]
    Size {
        /// The numbers in the answer.
        found: usize,
        /// Those that the element expects.
        expected: usize,
    },
}

debug_as_sentence!(RemoteError);

impl From<std::io::Error> for RemoteError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::BrokenPipe => {
                RemoteError::Closed
            }
            _ => RemoteError::Stream {
                reason: error.to_string(),
            },
        }
    }
}
