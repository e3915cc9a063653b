//! Permutations.

/// A permutation that works in place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Permutation {
    /// The original index of every index in this order.
    indices: Vec<usize>,
    /// The same: exchanging `k` with `exchanges[k]` for rising `k` brings a vector into this order. Empty for
    /// the order that it has.
    exchanges: Vec<usize>,
    /// Scratch: where the original index `i` is, and which one is at `k`.
    place: Vec<usize>,
    held: Vec<usize>,
}

impl Permutation {
    /// The original index of every index in this order.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// Writes a permutation of the numbers from 0 to `n`, by the original indices.
    pub fn set(&mut self, n: usize, write: impl FnOnce(&mut [usize])) {
        self.indices.resize(n, 0);
        write(&mut self.indices);
        self.exchanges.clear();
        if self.indices.iter().enumerate().all(|(k, &i)| i == k) {
            return;
        }
        self.place.clear();
        self.place.extend(0..n);
        self.held.clone_from(&self.place);
        for (k, &wanted) in self.indices.iter().enumerate() {
            let from = self.place[wanted];
            self.exchanges.push(from);
            let displaced = self.held[k];
            self.held.swap(k, from);
            self.place[displaced] = from;
            self.place[wanted] = k;
        }
    }

    /// Brings a vector into this order.
    pub fn permute<T>(&self, vector: &mut [T]) {
        for (k, &from) in self.exchanges.iter().enumerate() {
            vector.swap(k, from);
        }
    }

    /// Brings a vector back from this order.
    pub fn permute_back<T>(&self, vector: &mut [T]) {
        for (k, &from) in self.exchanges.iter().enumerate().rev() {
            vector.swap(k, from);
        }
    }
}
