//! Cholesky factorisation of an `f64` matrix that back-substitutes in any scalar.

use super::factorization::{Factorization, RightHandSide};
use super::lu::{Singular, dot};
use super::resize::resize_matrix;
use crate::InvalidInput;
use nalgebra::DMatrix;

/// `A = L Lᵀ` of a symmetric positive definite matrix (Golub & Van Loan, *Matrix Computations*,
/// 4th ed., §4.2).
///
/// Only the lower triangle of `A` is read. All memory is reused by the next [`Cholesky::factor`].
#[derive(Debug, Clone)]
pub struct Cholesky {
    /// L in the lower triangle; the upper triangle is not used.
    factor: DMatrix<f64>,
    /// Below these rows, the columns of L hold zeros.
    ends: Vec<usize>,
}

impl Cholesky {
    /// The factorisation of the identity of the given size.
    pub fn identity(size: usize) -> Self {
        Cholesky {
            factor: DMatrix::identity(size, size),
            ends: (1..=size).collect(),
        }
    }

    /// Becomes a copy; allocates only when the sizes differ.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        if self.size() != other.size() {
            *self = Cholesky::identity(other.size());
        }
        self.factor.copy_from(&other.factor);
        self.ends.copy_from_slice(&other.ends);
    }

    /// Factors the square matrix `a`, of any size.
    ///
    /// # Errors
    /// [`Singular`] when a pivot is not positive and finite (`a` is not positive definite), or when
    /// `a` is not square; `self` is then the factorisation of an identity.
    pub fn factor(&mut self, a: &DMatrix<f64>) -> Result<(), Singular> {
        let n = a.nrows();
        resize_matrix(&mut self.factor, n, n);
        self.ends.resize(n, 0);
        if a.ncols() != n {
            return Err(self.reset(n.min(a.ncols()), f64::NAN));
        }
        self.factor.copy_from(a);
        for k in 0..n {
            self.eliminate(k)?;
            let column = &self.factor.as_slice()[k * n..(k + 1) * n];
            self.ends[k] = column
                .iter()
                .rposition(|&l| l != 0.0)
                .map_or(n, |last| last + 1);
        }
        Ok(())
    }

    /// Divides column `k` by the root of its pivot and subtracts its outer product from the rest.
    fn eliminate(&mut self, k: usize) -> Result<(), Singular> {
        let n = self.size();
        let (done, rest) = self.factor.as_mut_slice().split_at_mut((k + 1) * n);
        let column = &mut done[k * n..];
        let pivot = column[k];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(self.reset(k, pivot));
        }
        let root = pivot.sqrt();
        column[k] = root;
        for l in &mut column[k + 1..] {
            *l /= root;
        }
        for (j, target) in rest.chunks_exact_mut(n).enumerate() {
            let first = k + 1 + j;
            let u = column[first];
            if u != 0.0 {
                for (a, &l) in target[first..].iter_mut().zip(&column[first..]) {
                    *a -= l * u;
                }
            }
        }
        Ok(())
    }

    fn reset(&mut self, column: usize, pivot: f64) -> Singular {
        let size = self.size();
        self.factor.fill_with_identity();
        self.ends.clear();
        self.ends.extend(1..=size);
        Singular {
            size,
            column,
            pivot,
        }
    }

    /// The pivots, the squares of the diagonal of L.
    pub(crate) fn pivots(&self) -> impl Iterator<Item = f64> {
        (0..self.size()).map(|k| self.factor[(k, k)].powi(2))
    }

    /// A column of L, to its last entry.
    fn column(&self, k: usize) -> &[f64] {
        let n = self.size();
        &self.factor.as_slice()[k * n..k * n + self.ends[k]]
    }
}

impl Factorization for Cholesky {
    fn size(&self) -> usize {
        self.factor.nrows()
    }

    fn solve_in_place<T: RightHandSide>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        let n = self.size();
        InvalidInput::check_size("right-hand side", b.len(), n)?;
        for k in 0..n {
            let column = self.column(k);
            let x = b[k] / column[k];
            b[k] = x;
            for (y, &l) in b[k + 1..].iter_mut().zip(&column[k + 1..]) {
                *y -= x * l;
            }
        }
        for k in (0..n).rev() {
            let column = self.column(k);
            b[k] = (b[k] - dot(&b[k + 1..column.len()], &column[k + 1..])) / column[k];
        }
        Ok(())
    }
}
