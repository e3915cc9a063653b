//! Which entries of a block-sparse matrix Gaussian elimination touches.

use super::resize::reserve_total;
use std::ops::Range;

/// Lists of index ranges, one list a block, in one allocation.
#[derive(Debug, Clone, Default)]
struct RangeLists {
    ranges: Vec<Range<usize>>,
    /// List `k` is `ranges[ends[k - 1]..ends[k]]`.
    ends: Vec<usize>,
}

impl RangeLists {
    fn clear(&mut self) {
        self.ranges.clear();
        self.ends.clear();
    }

    /// Makes room for the lists of `blocks` blocks; ranges that touch are merged, so that a list has
    /// half as many at most.
    fn reserve(&mut self, blocks: usize) {
        reserve_total(&mut self.ranges, blocks * blocks.div_ceil(2));
        reserve_total(&mut self.ends, blocks);
    }

    fn get(&self, k: usize) -> &[Range<usize>] {
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        &self.ranges[start..self.ends[k]]
    }

    /// Appends a list; ranges that touch are merged.
    fn push_list(&mut self, list: impl Iterator<Item = Range<usize>>) {
        let first = self.ranges.len();
        for range in list {
            match self.ranges[first..].last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => self.ranges.push(range),
            }
        }
        self.ends.push(self.ranges.len());
    }
}

/// The block structure of a matrix with symmetric pattern, in elimination order, with fill-in.
///
/// Eliminating a block couples all its remaining neighbours with each other. Blocks are eliminated
/// in the order of least degree (Tinney & Walker 1967, *Proceedings of the IEEE* 55(11), scheme 2),
/// which leaves the matrix of a forest of coupled bodies without any fill-in.
#[derive(Debug, Clone)]
pub(crate) struct EliminationStructure {
    /// Block `k` covers the indices `starts[k]..starts[k + 1]`.
    starts: Vec<usize>,
    /// Indices after block `k` that it is coupled with.
    below: RangeLists,
    /// Indices before block `k` that it is coupled with.
    above: RangeLists,
    /// The blocks in elimination order, by their numbers before.
    order: Vec<usize>,
    /// What the structure was made of: sizes and couplings, in the order before.
    sizes: Vec<usize>,
    coupled: Vec<bool>,
    /// Scratch: couplings with fill-in, the place of every block in the order, and its degree.
    filled: Vec<bool>,
    position: Vec<usize>,
    degrees: Vec<usize>,
}

impl EliminationStructure {
    /// One block: every entry is touched.
    pub fn dense(size: usize) -> Self {
        let mut structure = EliminationStructure {
            starts: Vec::new(),
            below: RangeLists::default(),
            above: RangeLists::default(),
            order: Vec::new(),
            sizes: Vec::new(),
            coupled: Vec::new(),
            filled: Vec::new(),
            position: Vec::new(),
            degrees: Vec::new(),
        };
        structure.rebuild(&[size], &[false]);
        structure
    }

    /// Makes room for so many blocks, so that no [`Self::rebuild`] with as many or fewer allocates.
    pub fn reserve(&mut self, blocks: usize) {
        reserve_total(&mut self.starts, blocks + 1);
        for list in [
            &mut self.order,
            &mut self.sizes,
            &mut self.position,
            &mut self.degrees,
        ] {
            reserve_total(list, blocks);
        }
        for matrix in [&mut self.coupled, &mut self.filled] {
            reserve_total(matrix, blocks * blocks);
        }
        self.below.reserve(blocks);
        self.above.reserve(blocks);
    }

    /// Orders blocks of the given sizes for elimination; nothing is done when they and their couplings
    /// are those of the last time.
    ///
    /// `coupled[i + n·j]` says whether blocks `i` and `j` of the `n` are coupled; it must be
    /// symmetric.
    pub fn rebuild(&mut self, sizes: &[usize], coupled: &[bool]) {
        if self.sizes == sizes && self.coupled == coupled {
            return;
        }
        self.sizes.clear();
        self.sizes.extend_from_slice(sizes);
        self.coupled.clear();
        self.coupled.extend_from_slice(coupled);
        self.filled.clone_from(&self.coupled);
        self.order_by_degree();
        let n = sizes.len();
        self.below.clear();
        self.above.clear();
        for (k, &block) in self.order.iter().enumerate() {
            let range = |p: usize| self.starts[p]..self.starts[p + 1];
            let is_coupled = |&p: &usize| self.filled[block + n * self.order[p]];
            self.below
                .push_list((k + 1..n).filter(is_coupled).map(range));
            self.above.push_list((0..k).filter(is_coupled).map(range));
        }
    }

    fn order_by_degree(&mut self) {
        let (sizes, filled) = (&self.sizes, &mut self.filled);
        let n = sizes.len();
        const WAITING: usize = usize::MAX;
        let degree = |i: usize, position: &[usize], filled: &[bool]| -> usize {
            let row = &filled[n * i..n * (i + 1)];
            (0..n)
                .filter(|&j| row[j] && j != i && position[j] == WAITING)
                .map(|j| sizes[j])
                .sum()
        };
        self.position.clear();
        self.position.resize(n, WAITING);
        self.degrees.clear();
        self.degrees
            .extend((0..n).map(|i| degree(i, &self.position, filled)));
        self.order.clear();
        self.starts.clear();
        self.starts.push(0);
        for step in 0..n {
            let waiting = (0..n).filter(|&i| self.position[i] == WAITING);
            let Some(next) = waiting.min_by_key(|&i| self.degrees[i]) else {
                break;
            };
            self.position[next] = step;
            self.order.push(next);
            self.starts.push(self.starts[step] + sizes[next]);
            for i in 0..n {
                if self.position[i] == WAITING && filled[next + n * i] {
                    for j in 0..n {
                        filled[j + n * i] |= self.position[j] == WAITING && filled[j + n * next];
                    }
                    self.degrees[i] = degree(i, &self.position, filled);
                }
            }
        }
    }

    /// The blocks in elimination order, by their numbers before.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Number of rows and columns.
    pub fn size(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.starts.len() - 1
    }

    /// The indices of block `k`.
    pub fn block(&self, k: usize) -> Range<usize> {
        self.starts[k]..self.starts[k + 1]
    }

    /// Indices after block `k` that it is coupled with.
    pub fn below(&self, k: usize) -> &[Range<usize>] {
        self.below.get(k)
    }

    /// Indices before block `k` that it is coupled with.
    pub fn above(&self, k: usize) -> &[Range<usize>] {
        self.above.get(k)
    }
}
