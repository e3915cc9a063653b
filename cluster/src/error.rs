//! What can go wrong between processes.

use crate::shard::Shard;
use dualbody::identification::ExecutionError;
use std::path::{Path, PathBuf};

/// A file, a shard or another process is not as it must be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The file system says no.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What it says.
        source: std::io::Error,
    },
    /// A file is not what it ought to be.
    #[error("{}: {what}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A file was changed or damaged after it was written.
    #[error("{}: the checksum of record {record} is wrong", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of the record, from 0.
        record: usize,
    },
    /// A journal is open already, here or in another process.
    #[error("{}: another fit has the journal open", path.display())]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// A journal answers another question than the fit asks.
    #[error(
        "{}: record {record} answers another question; the journal is of another fit, other data \
         or another machine", path.display()
    )]
    OtherQuestion {
        /// The journal.
        path: PathBuf,
        /// Number of the record, from 0.
        record: usize,
    },
    /// A journal is of another problem.
    #[error("{}: record {record} is of the problem {found:?}, not of {expected:?}", path.display())]
    OtherProblem {
        /// The journal.
        path: PathBuf,
        /// Number of the record, from 0.
        record: usize,
        /// The name that it has.
        found: String,
        /// The name of the problem of the fit.
        expected: String,
    },
    /// The experiments no longer give an answer that a journal holds.
    #[error(
        "{}: record {record} has another answer than the experiments give now; the journal is of other \
         data, another build or another machine", path.display()
    )]
    OtherAnswer {
        /// The journal.
        path: PathBuf,
        /// Number of the record, from 0.
        record: usize,
    },
    /// A shard is of another problem.
    #[error("{}: the shard is of {found}, not of {expected}", path.display())]
    WrongShard {
        /// The file.
        path: PathBuf,
        /// What it belongs to.
        found: String,
        /// What is being folded.
        expected: String,
    },
    /// A shard answers an earlier or later question.
    #[error("{}: the shard answers question {found}, not {expected}", path.display())]
    OldShard {
        /// The file.
        path: PathBuf,
        /// The number of the question that it answers.
        found: usize,
        /// The number of the question that is being folded.
        expected: usize,
    },
    /// Two files hold the same shard.
    #[error("shard {shard} is in both {} and {}", first.display(), second.display())]
    DoubledShard {
        /// Number of the shard.
        shard: Shard,
        /// One file.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
    /// No file holds a shard.
    #[error("shard {shard} is missing")]
    MissingShard {
        /// Number of the shard.
        shard: Shard,
    },
    /// A number of a shard makes no sense.
    #[error("{0:?} is not a shard such as 0/4: a number, and how many there are")]
    NotAShard(String),
    /// An executor failed.
    #[error("{0}")]
    Execution(#[from] ExecutionError),
}

impl ClusterError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| ClusterError::File { path, source }
    }

    pub(crate) fn malformed(path: &Path, what: impl std::fmt::Display) -> Self {
        ClusterError::Malformed {
            path: path.to_owned(),
            what: what.to_string(),
        }
    }
}
