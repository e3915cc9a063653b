//! Which entries of a block-sparse matrix Gaussian elimination touches.

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
    /// Scratch: the place of every block in the order, and its degree.
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
            position: Vec::new(),
            degrees: Vec::new(),
        };
        structure.rebuild(&[size], &mut [false], &mut Vec::new());
        structure
    }

    /// Orders blocks of the given sizes for elimination.
    ///
    /// `coupled[i + n·j]` says whether blocks `i` and `j` of the `n` are coupled; it must be
    /// symmetric, and returns with the fill-in added. `order` returns the blocks in elimination
    /// order.
    pub fn rebuild(&mut self, sizes: &[usize], coupled: &mut [bool], order: &mut Vec<usize>) {
        let n = sizes.len();
        const WAITING: usize = usize::MAX;
        let degree = |i: usize, position: &[usize], coupled: &[bool]| -> usize {
            let row = &coupled[n * i..n * (i + 1)];
            (0..n)
                .filter(|&j| row[j] && j != i && position[j] == WAITING)
                .map(|j| sizes[j])
                .sum()
        };
        self.position.clear();
        self.position.resize(n, WAITING);
        self.degrees.clear();
        self.degrees
            .extend((0..n).map(|i| degree(i, &self.position, coupled)));
        order.clear();
        self.starts.clear();
        self.starts.push(0);
        for step in 0..n {
            let waiting = (0..n).filter(|&i| self.position[i] == WAITING);
            let Some(next) = waiting.min_by_key(|&i| self.degrees[i]) else {
                break;
            };
            self.position[next] = step;
            order.push(next);
            self.starts.push(self.starts[step] + sizes[next]);
            for i in 0..n {
                if self.position[i] == WAITING && coupled[next + n * i] {
                    for j in 0..n {
                        coupled[j + n * i] |= self.position[j] == WAITING && coupled[j + n * next];
                    }
                    self.degrees[i] = degree(i, &self.position, coupled);
                }
            }
        }
        self.below.clear();
        self.above.clear();
        for (k, &block) in order.iter().enumerate() {
            let range = |p: usize| self.starts[p]..self.starts[p + 1];
            let is_coupled = |&p: &usize| coupled[block + n * order[p]];
            self.below
                .push_list((k + 1..n).filter(is_coupled).map(range));
            self.above.push_list((0..k).filter(is_coupled).map(range));
        }
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
