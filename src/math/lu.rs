//! LU factorisation of an `f64` matrix that back-substitutes in any scalar.

use super::factorization::{Factorization, RightHandSide};
use crate::InvalidInput;
use crate::error::Short;
use nalgebra::DMatrix;

/// A matrix cannot be factored: no usable pivot is left in a column.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("matrix of size {size} has no usable pivot in column {column} (best candidate {})", Short(*pivot))]
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
    /// Unit lower triangle of L below the diagonal, U on and above it; column-major.
    factors: Vec<f64>,
    /// The row that was exchanged with row `k` at step `k`.
    exchanges: Vec<usize>,
}

impl Lu {
    /// The factorisation of the identity of the given size.
    pub fn identity(size: usize) -> Self {
        let mut lu = Lu {
            factors: Vec::new(),
            exchanges: Vec::new(),
        };
        lu.reset(size);
        lu
    }

    /// Becomes a copy; allocates only when no matrix has been as large.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.factors.clone_from(&other.factors);
        self.exchanges.clone_from(&other.exchanges);
    }

    /// Factors the square matrix `a`, of any size.
    ///
    /// # Errors
    /// [`Singular`] when a column has no non-zero finite pivot, or when `a` is not square; `self`
    /// is then the factorisation of an identity.
    pub fn factor(&mut self, a: &DMatrix<f64>) -> Result<(), Singular> {
        let size = a.nrows();
        if a.ncols() != size {
            self.reset(size);
            return Err(self.singular(size.min(a.ncols()), f64::NAN));
        }
        self.factor_dense(size, |factors| factors.copy_from_slice(a.as_slice()))
    }

    /// Factors the dense matrix that `assemble` writes, column-major; allocates only when no matrix has
    /// been as large.
    pub(crate) fn factor_dense(
        &mut self,
        size: usize,
        assemble: impl FnOnce(&mut [f64]),
    ) -> Result<(), Singular> {
        self.exchanges.resize(size, 0);
        self.factors.resize(size * size, 0.0);
        assemble(&mut self.factors);
        for p in 0..size {
            if let Err(pivot) = self.eliminate(p) {
                return Err(self.singular(p, pivot));
            }
        }
        Ok(())
    }

    /// Clears column `p` below the diagonal.
    fn eliminate(&mut self, p: usize) -> Result<(), f64> {
        let n = self.exchanges.len();
        let (offset, pivot) = largest(&self.factors[p * n + p..(p + 1) * n]);
        if pivot == 0.0 || !pivot.is_finite() {
            return Err(pivot);
        }
        self.exchanges[p] = p + offset;
        if offset != 0 {
            for column in self.factors.chunks_exact_mut(n) {
                column.swap(p, p + offset);
            }
        }
        let (done, rest) = self.factors.split_at_mut((p + 1) * n);
        let multipliers = &mut done[p * n + p + 1..];
        let reciprocal = 1.0 / pivot;
        multipliers.iter_mut().for_each(|l| *l *= reciprocal);
        for column in rest.chunks_exact_mut(n) {
            let u = column[p];
            if u != 0.0 {
                for (a, &l) in column[p + 1..].iter_mut().zip(&*multipliers) {
                    *a -= l * u;
                }
            }
        }
        Ok(())
    }

    fn singular(&mut self, column: usize, pivot: f64) -> Singular {
        self.reset(self.size());
        Singular {
            size: self.size(),
            column,
            pivot,
        }
    }

    fn reset(&mut self, size: usize) {
        self.exchanges.clear();
        self.exchanges.extend(0..size);
        self.factors.clear();
        self.factors.resize(size * size, 0.0);
        for i in 0..size {
            self.factors[i * size + i] = 1.0;
        }
    }

    /// Replaces `b` by `A⁻ᵀ b`.
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] when `b` does not have the size of the matrix.
    pub fn solve_transposed_in_place<T: RightHandSide>(
        &self,
        b: &mut [T],
    ) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.size())?;
        for p in 0..b.len() {
            let column = self.column(p);
            b[p] = (b[p] - dot(&b[..p], column)) / column[p];
        }
        for p in (0..b.len()).rev() {
            let sum = dot(&b[p + 1..], &self.column(p)[p + 1..]);
            b[p] -= sum;
        }
        for (p, &row) in self.exchanges.iter().enumerate().rev() {
            b.swap(p, row);
        }
        Ok(())
    }

    fn column(&self, p: usize) -> &[f64] {
        let n = self.size();
        &self.factors[p * n..(p + 1) * n]
    }
}

impl Factorization for Lu {
    fn size(&self) -> usize {
        self.exchanges.len()
    }

    fn solve_in_place<T: RightHandSide>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.size())?;
        for (p, &row) in self.exchanges.iter().enumerate() {
            b.swap(p, row);
        }
        for p in 0..b.len() {
            let x = b[p];
            for (y, &l) in b[p + 1..].iter_mut().zip(&self.column(p)[p + 1..]) {
                *y -= x * l;
            }
        }
        for p in (0..b.len()).rev() {
            let column = self.column(p);
            b[p] /= column[p];
            let x = b[p];
            for (y, &u) in b[..p].iter_mut().zip(column) {
                *y -= x * u;
            }
        }
        Ok(())
    }
}

/// Position and value of the entry of largest modulus; a NaN wins, so that it is noticed.
pub(super) fn largest(column: &[f64]) -> (usize, f64) {
    let mut best = (0, column[0]);
    for (i, &x) in column.iter().enumerate().skip(1) {
        if x.abs() > best.1.abs() || x.is_nan() {
            best = (i, x);
        }
    }
    best
}

/// `Σ xᵢ cᵢ` over the shorter of both.
pub(crate) fn dot<T: RightHandSide>(x: &[T], coefficients: &[f64]) -> T {
    x.iter()
        .zip(coefficients)
        .fold(T::zero(), |sum, (&x, &c)| sum + x * c)
}
