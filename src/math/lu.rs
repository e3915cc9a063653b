//! LU factorisation of an `f64` matrix that back-substitutes in any scalar.

use super::factorization::Factorization;
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// A matrix cannot be factored: no usable pivot is left in a column.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("matrix of size {size} has no usable pivot in column {column} (best candidate {pivot})")]
pub struct Singular {
    /// Number of rows and columns.
    pub size: usize,
    /// The column at which elimination stopped.
    pub column: usize,
    /// The best candidate: zero, not finite, or (in a Cholesky factorisation) not positive.
    pub pivot: f64,
}

/// `P A = L U` with partial pivoting (Golub & Van Loan, *Matrix Computations*, 4th ed., §3.4).
///
/// All memory is reused by the next [`Lu::factor`].
///
/// ```
/// use dualbody::math::{Factorization, Lu};
/// use nalgebra::dmatrix;
///
/// let mut lu = Lu::identity(2);
/// lu.factor(&dmatrix![0.0, 2.0; 4.0, 0.0])?;
/// let mut b = [2.0, 4.0];
/// lu.solve_in_place(&mut b)?;
/// assert_eq!(b, [1.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Lu {
    /// Unit lower triangle of L below the diagonal, U on and above it.
    factors: DMatrix<f64>,
    /// The row that was exchanged with row `k` at step `k`.
    exchanges: Vec<usize>,
}

impl Lu {
    /// The factorisation of the identity of the given size.
    pub fn identity(size: usize) -> Self {
        Lu {
            factors: DMatrix::identity(size, size),
            exchanges: (0..size).collect(),
        }
    }

    /// Factors the square matrix `a`, of any size.
    ///
    /// # Errors
    /// [`Singular`] when a column has no non-zero finite pivot, or when `a` is not square; `self`
    /// is then the factorisation of an identity.
    pub fn factor(&mut self, a: &DMatrix<f64>) -> Result<(), Singular> {
        let n = a.nrows();
        if self.size() != n {
            *self = Lu::identity(n);
        }
        if a.ncols() != n {
            return Err(self.reset(n.min(a.ncols()), f64::NAN));
        }
        self.factors.copy_from(a);
        for k in 0..n {
            self.eliminate(k)?;
        }
        Ok(())
    }

    /// Clears column `k` below the diagonal.
    fn eliminate(&mut self, k: usize) -> Result<(), Singular> {
        let n = self.size();
        let (done, rest) = self.factors.as_mut_slice().split_at_mut((k + 1) * n);
        let (row, pivot) = largest(&done[k * n + k..]);
        if pivot == 0.0 || !pivot.is_finite() {
            return Err(self.reset(k, pivot));
        }
        let row = row + k;
        self.exchanges[k] = row;
        for column in done.chunks_exact_mut(n) {
            column.swap(k, row);
        }
        let multipliers = &mut done[k * n + k + 1..];
        for l in multipliers.iter_mut() {
            *l /= pivot;
        }
        for column in rest.chunks_exact_mut(n) {
            column.swap(k, row);
            let u = column[k];
            if u != 0.0 {
                for (a, &l) in column[k + 1..].iter_mut().zip(&*multipliers) {
                    *a -= l * u;
                }
            }
        }
        Ok(())
    }

    fn reset(&mut self, column: usize, pivot: f64) -> Singular {
        let size = self.size();
        *self = Lu::identity(size);
        Singular {
            size,
            column,
            pivot,
        }
    }

    /// Replaces `b` by `A⁻ᵀ b`.
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] when `b` does not have the size of the matrix.
    pub fn solve_transposed_in_place<T: Scalar>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        let n = self.size();
        InvalidInput::check_size("right-hand side", b.len(), n)?;
        for k in 0..n {
            let column = self.column(k);
            b[k] = (b[k] - dot(&b[..k], column)) / column[k];
        }
        for k in (0..n).rev() {
            let sum = dot(&b[k + 1..], &self.column(k)[k + 1..]);
            b[k] -= sum;
        }
        for (k, &row) in self.exchanges.iter().enumerate().rev() {
            b.swap(k, row);
        }
        Ok(())
    }

    fn column(&self, k: usize) -> &[f64] {
        let n = self.size();
        &self.factors.as_slice()[k * n..(k + 1) * n]
    }
}

impl Factorization for Lu {
    fn size(&self) -> usize {
        self.exchanges.len()
    }

    fn solve_in_place<T: Scalar>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        let n = self.size();
        InvalidInput::check_size("right-hand side", b.len(), n)?;
        for (k, &row) in self.exchanges.iter().enumerate() {
            b.swap(k, row);
        }
        for k in 0..n {
            let x = b[k];
            for (y, &l) in b[k + 1..].iter_mut().zip(&self.column(k)[k + 1..]) {
                *y -= x * l;
            }
        }
        for k in (0..n).rev() {
            let column = self.column(k);
            let x = b[k] / column[k];
            b[k] = x;
            for (y, &u) in b[..k].iter_mut().zip(column) {
                *y -= x * u;
            }
        }
        Ok(())
    }
}

/// Position and value of the entry of largest modulus; a NaN wins, so that it is noticed.
fn largest(column: &[f64]) -> (usize, f64) {
    let mut best = (0, column[0]);
    for (i, &x) in column.iter().enumerate().skip(1) {
        if x.abs() > best.1.abs() || x.is_nan() {
            best = (i, x);
        }
    }
    best
}

/// `Σ xᵢ cᵢ` over the shorter of both.
pub(super) fn dot<T: Scalar>(x: &[T], coefficients: &[f64]) -> T {
    x.iter()
        .zip(coefficients)
        .fold(T::zero(), |sum, (&x, &c)| sum + x * c)
}
