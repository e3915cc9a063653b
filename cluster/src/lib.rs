//! Fits and sweeps of `dualbody` on many machines, with the bits of one thread.
//!
//! A fit asks all experiments the same question, a sweep asks all draws; whoever evaluates some of
//! them returns [`Parts`](dualbody::identification::Parts), which join along a tree that the indices
//! alone decide. Experiments are written as for one machine.
//!
//! | where | what |
//! |---|---|
//! | ranks of MPI | [`Ranks`](mpi::Ranks), with the feature `mpi` |
//! | jobs that share a folder | [`Order`], [`write_shard`], [`fold_shards`] |
//! | a sweep on either, or in this process | [`Sweep`] |
//!
//! [`Plan`] predicts how long a fit takes on how many machines.
//!
//! A [`Journal`] keeps every answer that a fit has had. A fit that ended (a process was killed, a disk
//! was full, an array of jobs has yet to run) is started again and reads its way to where it was, with
//! the same bits.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod costs;
mod division;
mod error;
mod file;
mod journal;
#[cfg(feature = "mpi")]
pub mod mpi;
mod order;
mod plan;
mod shard;
mod summary;
mod sweep;

pub use costs::Costs;
pub use division::Division;
pub use error::ClusterError;
pub use file::{FileKind, write_whole};
pub use journal::{Journal, Journaled};
pub use order::{Ask, Asked, Order};
pub use plan::{Machine, Plan, Workload};
pub use shard::{Shard, fold_shards, write_shard};
pub use summary::{Summary, quantile};
pub use sweep::{Row, Sweep, TableWriter, read_table};
