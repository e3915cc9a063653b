//! Connected components: sets of indices that nothing couples (union–find).

/// A partition of the numbers from 0 on, in which sets are united (Tarjan 1975, *Journal of the ACM* 22(2), 215–225).
#[derive(Debug, Clone, Default)]
pub(crate) struct Partition {
    /// A number of the same set, not larger, for each; its own for the first of a set.
    first: Vec<usize>,
}

impl Partition {
    /// Makes each of so many numbers a set of its own.
    pub fn reset(&mut self, count: usize) {
        self.first.clear();
        self.first.extend(0..count);
    }

    /// The smallest number of the set that holds `i`.
    pub fn find(&mut self, mut i: usize) -> usize {
        while self.first[i] != i {
            self.first[i] = self.first[self.first[i]];
            i = self.first[i];
        }
        i
    }

    /// Makes one set of those that hold `i` and `j`.
    pub fn unite(&mut self, i: usize, j: usize) {
        let (i, j) = (self.find(i), self.find(j));
        self.first[i.max(j)] = i.min(j);
    }
}
