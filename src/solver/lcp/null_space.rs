//! The null space of a square matrix.

/// Pivots smaller than this part of the first are round-off.
const ROUND_OFF: f64 = 1e-11;

/// Vectors that a matrix takes to zero, by elimination with complete pivoting (Golub & Van Loan 2013, *Matrix
/// Computations*, §3.4.8); a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct NullSpace {
    size: usize,
    /// Row by row, columns in their order.
    entries: Vec<f64>,
    order: Vec<usize>,
    /// One vector after another.
    vectors: Vec<f64>,
}

impl NullSpace {
    /// Finds the null space of a matrix of some size.
    pub fn find(&mut self, size: usize, entry: impl Fn(usize, usize) -> f64) {
        self.size = size;
        self.entries.clear();
        for i in 0..size {
            self.entries.extend((0..size).map(|j| entry(i, j)));
        }
        self.order.clear();
        self.order.extend(0..size);
        let rank = self.eliminate();
        self.substitute(rank);
    }

    /// Number of vectors.
    pub fn count(&self) -> usize {
        self.vectors.len() / self.size.max(1)
    }

    /// A vector.
    pub fn vector(&self, k: usize) -> &[f64] {
        &self.vectors[k * self.size..(k + 1) * self.size]
    }

    /// Leaves the vectors in which an entry is zero, one less.
    pub fn hold(&mut self, entry: usize) {
        let (n, count) = (self.size, self.count());
        let size = |k: &usize| self.vectors[k * n + entry].abs();
        let Some(pivot) = (0..count).max_by(|a, b| size(a).total_cmp(&size(b))) else {
            return;
        };
        let last = (count - 1) * n;
        for i in 0..n {
            self.vectors.swap(pivot * n + i, last + i);
        }
        let (others, held) = self.vectors.split_at_mut(last);
        for vector in others.chunks_exact_mut(n) {
            let factor = vector[entry] / held[entry];
            if factor != 0.0 {
                (vector.iter_mut().zip(&*held)).for_each(|(x, h)| *x -= factor * h);
            }
            vector[entry] = 0.0;
        }
        self.vectors.truncate(last);
    }

    /// Eliminates, and returns the rank.
    fn eliminate(&mut self) -> usize {
        let n = self.size;
        let mut first = 0.0;
        for k in 0..n {
            let (mut place, mut pivot) = ((k, k), 0.0f64);
            for i in k..n {
                for (j, x) in self.entries[i * n..(i + 1) * n].iter().enumerate().skip(k) {
                    if x.abs() > pivot {
                        (place, pivot) = ((i, j), x.abs());
                    }
                }
            }
            if k == 0 {
                first = pivot;
            }
            // Written so that NaN ends it.
            let goes_on = pivot > ROUND_OFF * first;
            if !goes_on {
                return k;
            }
            for j in 0..n {
                self.entries.swap(k * n + j, place.0 * n + j);
            }
            for i in 0..n {
                self.entries.swap(i * n + k, i * n + place.1);
            }
            self.order.swap(k, place.1);
            let (above, below) = self.entries.split_at_mut((k + 1) * n);
            let row = &above[k * n..];
            for other in below.chunks_exact_mut(n) {
                let factor = other[k] / row[k];
                if factor != 0.0 {
                    let entries = other[k..].iter_mut().zip(&row[k..]);
                    entries.for_each(|(x, r)| *x -= factor * r);
                }
            }
        }
        n
    }

    fn substitute(&mut self, rank: usize) {
        let n = self.size;
        self.vectors.clear();
        self.vectors.resize((n - rank) * n, 0.0);
        for (free, vector) in (rank..n).zip(self.vectors.chunks_exact_mut(n.max(1))) {
            vector[self.order[free]] = 1.0;
            for k in (0..rank).rev() {
                let row = &self.entries[k * n..(k + 1) * n];
                let sum =
                    (k + 1..rank).fold(row[free], |sum, j| sum + row[j] * vector[self.order[j]]);
                vector[self.order[k]] = -sum / row[k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    #[test]
    fn vectors_are_taken_to_zero_and_are_independent() {
        for (n, rank) in [(1, 0), (1, 1), (5, 5), (7, 3), (12, 4), (3, 0), (0, 0)] {
            let entry = |i: usize, j: usize, seed: f64| {
                ((1 + 3 * i + 7 * j * j + i * j) as f64 * seed).sin()
            };
            let left = DMatrix::from_fn(n, rank, |i, j| entry(i, j, 1.3));
            let right = DMatrix::from_fn(rank, n, |i, j| entry(i, j, 0.7));
            let matrix = left * right;
            let mut space = NullSpace::default();
            space.find(n, |i, j| matrix[(i, j)]);
            assert_eq!(space.count(), n - rank);
            for held in 0..space.count() {
                let vectors = DMatrix::from_column_slice(n, space.count(), &space.vectors);
                assert!((&matrix * &vectors).iter().all(|x| x.abs() < 1e-9));
                assert!(vectors.rank(1e-9) == n - rank - held);
                let largest = (0..n).max_by(|&a, &b| {
                    let size = |i: usize| vectors.row(i).amax();
                    size(a).total_cmp(&size(b))
                });
                let entry = largest.unwrap();
                space.hold(entry);
                assert!((0..space.count()).all(|k| space.vector(k)[entry] == 0.0));
            }
        }
    }
}
