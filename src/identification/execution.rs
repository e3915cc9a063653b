//! Executors: independent items evaluated by this thread, several, or other processes.

use crate::Parallelism;
use std::collections::BTreeMap;
use std::ops::Range;

/// Items that several threads evaluate before their results are joined; bounds the memory.
#[cfg(feature = "parallel")]
const BATCH: usize = 64;

/// Why an executor cannot evaluate items, for example because a process does not answer.
pub type ExecutionError = Box<dyn std::error::Error + Send + Sync>;

/// The result of consecutive items.
pub trait Part: Default + Send {
    /// Takes in the result of the items that follow. The default value stands for no items and
    /// changes nothing.
    fn absorb(&mut self, next: Self);
}

/// Rows of results, one after the other.
impl<R: Send> Part for Vec<R> {
    fn absorb(&mut self, mut next: Self) {
        self.append(&mut next);
    }
}

/// Items that can be evaluated one by one, in any order and place: the experiments of a fit, the
/// draws of a sweep.
pub trait Items: Sync {
    /// What is asked of every item.
    type Question: Sync;
    /// The answer of some items.
    type Part: Part;
    /// Scratch memory of one thread.
    type Workspace: Default;

    /// Number of items.
    fn count(&self) -> usize;

    /// The answer of one item. It must be the same, to the bit, wherever and whenever it is asked.
    fn evaluate(
        &self,
        workspace: &mut Self::Workspace,
        question: &Self::Question,
        index: usize,
    ) -> Self::Part;
}

/// Who evaluates items and gives their results back in order.
///
/// [`Parallelism`] does it in this process. An executor for other processes collects [`Parts`] and
/// has the same bits.
pub trait Executor<I: Items> {
    /// The answer of the items in `range`.
    ///
    /// # Errors
    /// As the executor says. An item that fails says so in its part.
    fn evaluate(
        &mut self,
        items: &I,
        question: &I::Question,
        range: Range<usize>,
    ) -> Result<I::Part, ExecutionError>;
}

impl<I: Items, E: Executor<I> + ?Sized> Executor<I> for &mut E {
    fn evaluate(
        &mut self,
        items: &I,
        question: &I::Question,
        range: Range<usize>,
    ) -> Result<I::Part, ExecutionError> {
        (**self).evaluate(items, question, range)
    }
}

/// Results of some of the items, joined along a binary tree that the indices alone decide.
///
/// The parts of items `2k·s … 2k·s + s` and `(2k + 1)·s … (2k + 1)·s + s`, `s` a power of two, join as soon as
/// both are there, and no others do. Floating-point sums depend on the order of the additions: here that
/// order, and with it every bit, does not depend on who has evaluated what, and of a range of n items at
/// most `2 log₂ n` parts are kept.
///
/// ```
/// use dualbody::identification::Parts;
/// let (mut first, mut second) = (Parts::default(), Parts::default());
/// (2..5).for_each(|i| second.insert(i, 1, vec![i]));
/// (0..2).for_each(|i| first.insert(i, 1, vec![i]));
/// first.merge(second);
/// assert_eq!(first.missing(0..6), Some(5));
/// assert_eq!(first.whole(0..5), Some(vec![0, 1, 2, 3, 4]));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Parts<P> {
    /// First item → number of items, a power of two, and their part.
    nodes: BTreeMap<usize, (usize, P)>,
}

impl<P> Default for Parts<P> {
    fn default() -> Self {
        Parts {
            nodes: BTreeMap::new(),
        }
    }
}

impl<P: Part> Parts<P> {
    /// Adds the part of `count` items, a power of two, from `start` on, a multiple of it.
    pub fn insert(&mut self, mut start: usize, mut count: usize, mut part: P) {
        loop {
            let sibling = start ^ count;
            match self.nodes.get(&sibling) {
                Some((size, _)) if *size == count => {}
                _ => break,
            }
            let Some((_, mut other)) = self.nodes.remove(&sibling) else {
                break;
            };
            if sibling < start {
                std::mem::swap(&mut part, &mut other);
                start = sibling;
            }
            part.absorb(other);
            count *= 2;
        }
        self.nodes.insert(start, (count, part));
    }

    /// Adds the parts of other items.
    pub fn merge(&mut self, other: Self) {
        for (start, (count, part)) in other.nodes {
            self.insert(start, count, part);
        }
    }

    /// The ranges of items that are here, in order; those that follow each other are not united.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        (self.nodes.iter()).map(|(&start, (count, _))| start..start + count)
    }

    /// The first item of `range` whose part is not here.
    pub fn missing(&self, range: Range<usize>) -> Option<usize> {
        let mut next = range.start;
        for present in self.ranges() {
            if present.start > next {
                break;
            }
            next = next.max(present.end);
        }
        (next < range.end).then_some(next)
    }

    /// The result of all items in `range`; `None` if one is missing.
    pub fn whole(self, range: Range<usize>) -> Option<P> {
        if self.missing(range).is_some() {
            return None;
        }
        let mut whole = P::default();
        for (_, part) in self.nodes.into_values() {
            whole.absorb(part);
        }
        Some(whole)
    }
}

impl Parallelism {
    /// Adds the answers of the items in `range` to `parts`.
    pub fn extend<I: Items>(
        self,
        parts: &mut Parts<I::Part>,
        items: &I,
        question: &I::Question,
        range: Range<usize>,
    ) {
        match self {
            Parallelism::Serial => {
                let mut workspace = I::Workspace::default();
                for index in range {
                    parts.insert(index, 1, items.evaluate(&mut workspace, question, index));
                }
            }
            #[cfg(feature = "parallel")]
            Parallelism::Threads => {
                use rayon::prelude::*;
                for start in range.clone().step_by(BATCH) {
                    let batch = start..range.end.min(start + BATCH);
                    let answers: Vec<_> = (batch.into_par_iter())
                        .map_init(I::Workspace::default, |workspace, index| {
                            items.evaluate(workspace, question, index)
                        })
                        .collect();
                    for (index, part) in (start..).zip(answers) {
                        parts.insert(index, 1, part);
                    }
                }
            }
        }
    }
}

impl<I: Items> Executor<I> for Parallelism {
    fn evaluate(
        &mut self,
        items: &I,
        question: &I::Question,
        range: Range<usize>,
    ) -> Result<I::Part, ExecutionError> {
        let mut parts = Parts::default();
        self.extend(&mut parts, items, question, range.clone());
        parts
            .whole(range.clone())
            .ok_or_else(|| format!("not all of the items {range:?} were evaluated").into())
    }
}
