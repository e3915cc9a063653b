//! Which ranks take part in what comes next.
//!
//! A rank that fails alone must not wait for the others in MPI's finalisation, nor they for it in a
//! broadcast. Before either, every rank tells rank 0 whether it takes part, with how many items, or
//! leaves. If all leave, MPI is finalised. If they do not agree, those that leave or hear of it end
//! without finalisation, each with its own error, and `mpirun` ends the others.

use super::Ranks;
use dualbody::identification::ExecutionError;
use mpi::traits::{Communicator, Destination, Source};
use mpi::{Rank, Tag};

/// A rank tells rank 0 how many items it has, or that it leaves.
const NEXT: Tag = 4;
/// Rank 0 tells a rank that leaves whether all do.
const ALL_LEAVE: Tag = 5;
/// In place of a number of items.
const LEAVES: u64 = u64::MAX;

impl Ranks {
    /// Takes part in something about so many items. Rank 0 waits for all.
    ///
    /// # Errors
    /// On rank 0, if a rank has left or has another number of items.
    pub(super) fn meet(&self, items: usize) -> Result<(), ExecutionError> {
        let items = items as u64;
        if !self.is_root() {
            self.tell(items);
            return Ok(());
        }
        if self.parted.get() {
            return Err("the ranks have parted".into());
        }
        for rank in 1..self.size() as Rank {
            let found = self.hear(rank);
            if found != items {
                self.parted.set(true);
            }
            if found == LEAVES {
                self.answer(rank, false);
                return Err(format!("rank {rank} has left").into());
            }
            if found != items {
                return Err(format!("rank {rank} has {found} items, rank 0 has {items}").into());
            }
        }
        Ok(())
    }

    /// Leaves; whether all ranks do.
    pub(super) fn leave(&self) -> bool {
        if !self.is_root() {
            self.tell(LEAVES);
            let world = self.world();
            let root = world.process_at_rank(0);
            return root.receive_with_tag::<bool>(ALL_LEAVE).0;
        }
        let mut left = Vec::new();
        for rank in 1..self.size() as Rank {
            if self.parted.get() {
                break;
            }
            match self.hear(rank) {
                LEAVES => left.push(rank),
                _ => self.parted.set(true),
            }
        }
        for rank in left {
            self.answer(rank, !self.parted.get());
        }
        !self.parted.get()
    }

    fn tell(&self, next: u64) {
        let world = self.world();
        let root = world.process_at_rank(0);
        root.send_with_tag(&next, NEXT);
    }

    /// What a rank told: of each in turn, since one may be ahead by several meetings.
    fn hear(&self, rank: Rank) -> u64 {
        let world = self.world();
        let rank = world.process_at_rank(rank);
        rank.receive_with_tag(NEXT).0
    }

    fn answer(&self, rank: Rank, all: bool) {
        let world = self.world();
        let rank = world.process_at_rank(rank);
        rank.send_with_tag(&all, ALL_LEAVE);
    }
}
