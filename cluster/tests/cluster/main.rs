//! Fits and sweeps by files and on ranks.

mod decays;
mod division;
mod journal;
#[cfg(feature = "mpi")]
mod ranks;
mod shards;
mod sweep;
