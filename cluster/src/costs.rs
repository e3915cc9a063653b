//! How long items take.

use crate::division::equal_share;
use std::ops::Range;
use std::time::Duration;

/// Most pieces of which the cost is remembered.
const MOST: usize = 1024;

/// Measured times of items, in at most 1024 pieces of equal numbers of items.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs {
    items: usize,
    /// Seconds of an item in each piece.
    seconds: Vec<f64>,
    is_measured: bool,
}

impl Costs {
    /// Of `items` items that have not been measured: all take as long.
    pub fn new(items: usize) -> Self {
        Costs {
            items,
            seconds: vec![1.0; items.clamp(1, MOST)],
            is_measured: false,
        }
    }

    /// Number of items.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Whether anything was measured.
    pub fn is_measured(&self) -> bool {
        self.is_measured
    }

    /// Takes in what was measured: a range of items, and how long all of it took.
    pub fn update(&mut self, measured: &[(Range<usize>, Duration)]) {
        let mut sums = vec![(0.0, 0.0); self.seconds.len()];
        for (range, time) in measured {
            let each = time.as_secs_f64() / range.len().max(1) as f64;
            for (k, (items, seconds)) in sums.iter_mut().enumerate() {
                let piece = self.piece(k);
                let common = common(range, &piece) as f64;
                *items += common;
                *seconds += each * common;
            }
        }
        for (old, (items, seconds)) in self.seconds.iter_mut().zip(sums) {
            if items > 0.0 && seconds > 0.0 {
                *old = seconds / items;
                self.is_measured = true;
            }
        }
    }

    fn piece(&self, k: usize) -> Range<usize> {
        equal_share(k, self.seconds.len(), self.items)
    }

    /// Cost of a range of items.
    pub fn of(&self, range: Range<usize>) -> f64 {
        (self.seconds.iter().enumerate())
            .map(|(k, seconds)| seconds * common(&range, &self.piece(k)) as f64)
            .sum()
    }

    /// The item of `range` before which about `cost` lies.
    pub fn split(&self, range: Range<usize>, cost: f64) -> usize {
        let mut left = cost;
        for (k, &seconds) in self.seconds.iter().enumerate() {
            let piece = self.piece(k);
            let (start, end) = (range.start.max(piece.start), range.end.min(piece.end));
            let here = seconds * end.saturating_sub(start) as f64;
            if here > left {
                return (start + (left / seconds).round() as usize).min(end);
            }
            left -= here;
        }
        range.end
    }
}

/// How many items two ranges share.
fn common(a: &Range<usize>, b: &Range<usize>) -> usize {
    (a.end.min(b.end)).saturating_sub(a.start.max(b.start))
}
