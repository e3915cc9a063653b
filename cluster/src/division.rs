//! Who evaluates what.

use crate::Costs;
use std::ops::Range;

/// Part of what a rank has left that it takes at a time, before costs were measured and after.
const TAKEN: [usize; 2] = [8, 3];
/// Pieces of an equal share below which nothing is divided.
const FINEST: usize = 32;

/// Share `index` of `count` of so many items: sizes differ by one at most.
pub(crate) fn equal_share(index: usize, count: usize, items: usize) -> Range<usize> {
    let bound = |k: usize| (k as u128 * items as u128 / count as u128) as usize;
    bound(index)..bound(index + 1)
}

/// Items that are handed out to ranks: each has a range of its own, of equal cost, and takes ever
/// smaller pieces off its front. One that has none left takes the back half, by cost, of the rank
/// that has most.
///
/// ```
/// use dualbody_cluster::{Costs, Division};
/// let costs = Costs::new(8);
/// let mut division = Division::new(&costs, 0..8, 2);
/// assert_eq!(division.next(1), Some(4..5));
/// // Rank 0 does the rest, among it what was for rank 1.
/// let rest: Vec<usize> = std::iter::from_fn(|| division.next(0)).flatten().collect();
/// assert_eq!(rest, [0, 1, 2, 3, 7, 6, 5]);
/// ```
#[derive(Debug, Clone)]
pub struct Division<'c> {
    costs: &'c Costs,
    /// What each rank has left.
    left: Vec<Range<usize>>,
    taken: usize,
    finest: usize,
}

impl<'c> Division<'c> {
    /// Divides the items of a range among at least one rank.
    pub fn new(costs: &'c Costs, range: Range<usize>, ranks: usize) -> Self {
        let ranks = ranks.max(1);
        let total = costs.of(range.clone());
        let bound = |rank: usize| costs.split(range.clone(), total * rank as f64 / ranks as f64);
        let mut bounds: Vec<usize> = (0..ranks).map(bound).collect();
        bounds.push(range.end);
        Division {
            costs,
            left: bounds.windows(2).map(|b| b[0]..b[1]).collect(),
            taken: TAKEN[usize::from(costs.is_measured())],
            finest: (range.len() / ranks / FINEST).max(1),
        }
    }

    /// What a rank does next; `None` if nothing is left.
    pub fn next(&mut self, rank: usize) -> Option<Range<usize>> {
        if self.left[rank].is_empty() {
            let cost = |r: &Range<usize>| self.costs.of(r.clone());
            let richest = (0..self.left.len())
                .filter(|&r| !self.left[r].is_empty())
                .max_by(|&a, &b| cost(&self.left[a]).total_cmp(&cost(&self.left[b])))?;
            let range = self.left[richest].clone();
            let half = 0.5 * cost(&range);
            let middle = self
                .costs
                .split(range.clone(), half)
                .clamp(range.start, range.end - 1);
            self.left[richest].end = middle;
            self.left[rank] = middle..range.end;
        }
        let own = &mut self.left[rank];
        let end = own
            .end
            .min(own.start + (own.len() / self.taken).max(self.finest));
        let piece = own.start..end;
        own.start = end;
        Some(piece)
    }
}
