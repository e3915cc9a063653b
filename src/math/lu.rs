//! LU factorisation of an `f64` matrix that back-substitutes in any scalar.

use super::elimination::EliminationStructure;
use super::factorization::Factorization;
use crate::error::Short;
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;
use std::ops::Range;

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
    /// Blocks that elimination may leave out; rows are exchanged within a block only.
    structure: EliminationStructure,
}

impl Lu {
    /// The factorisation of the identity of the given size.
    pub fn identity(size: usize) -> Self {
        let mut lu = Lu {
            factors: Vec::new(),
            exchanges: Vec::new(),
            structure: EliminationStructure::dense(size),
        };
        lu.reset();
        lu
    }

    /// Factors the square matrix `a`, of any size.
    ///
    /// # Errors
    /// [`Singular`] when a column has no non-zero finite pivot, or when `a` is not square; `self`
    /// is then the factorisation of an identity.
    pub fn factor(&mut self, a: &DMatrix<f64>) -> Result<(), Singular> {
        let size = a.nrows();
        if a.ncols() != size {
            self.restructure(&[size], &[false]);
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
        self.restructure(&[size], &[false]);
        self.factor_with(assemble)
    }

    /// Changes the block structure, see [`EliminationStructure::rebuild`]; what is factored is undefined
    /// until the next [`Lu::factor_with`].
    pub(crate) fn restructure(&mut self, sizes: &[usize], coupled: &[bool]) {
        self.structure.rebuild(sizes, coupled);
        let size = self.structure.size();
        self.exchanges.resize(size, 0);
        self.factors.resize(size * size, 0.0);
    }

    /// Makes room for the structures of up to so many blocks.
    pub(crate) fn reserve_blocks(&mut self, blocks: usize) {
        self.structure.reserve(blocks);
    }

    /// The block structure.
    pub(crate) fn structure(&self) -> &EliminationStructure {
        &self.structure
    }

    /// Factors the matrix that `assemble` writes over the old factors, column-major. Entries outside
    /// the block structure must be zero.
    pub(crate) fn factor_with(
        &mut self,
        assemble: impl FnOnce(&mut [f64]),
    ) -> Result<(), Singular> {
        assemble(&mut self.factors);
        for k in 0..self.structure.blocks() {
            for p in self.structure.block(k) {
                if let Err(pivot) = self.eliminate(p, k) {
                    return Err(self.singular(p, pivot));
                }
            }
        }
        Ok(())
    }

    /// Clears column `p`, which lies in block `k`, below the diagonal.
    fn eliminate(&mut self, p: usize, k: usize) -> Result<(), f64> {
        let n = self.exchanges.len();
        let block_end = self.structure.block(k).end;
        let below = self.structure.below(k);
        let (offset, pivot) = largest(&self.factors[p * n + p..p * n + block_end]);
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
        let multipliers = &mut done[p * n..];
        let rest_of_block = || with(p + 1..block_end, below);
        let reciprocal = 1.0 / pivot;
        for rows in rest_of_block() {
            for l in &mut multipliers[rows.clone()] {
                *l *= reciprocal;
            }
        }
        for columns in rest_of_block() {
            for j in columns {
                let column = &mut rest[(j - p - 1) * n..(j - p) * n];
                let u = column[p];
                if u == 0.0 {
                    continue;
                }
                for rows in rest_of_block() {
                    let (target, source) = (&mut column[rows.clone()], &multipliers[rows.clone()]);
                    for (a, &l) in target.iter_mut().zip(source) {
                        *a -= l * u;
                    }
                }
            }
        }
        Ok(())
    }

    fn singular(&mut self, column: usize, pivot: f64) -> Singular {
        self.reset();
        Singular {
            size: self.size(),
            column,
            pivot,
        }
    }

    fn reset(&mut self) {
        let size = self.structure.size();
        self.exchanges.clear();
        self.exchanges.extend(0..size);
        self.factors.clear();
        self.factors.resize(size * size, 0.0);
        for i in 0..size {
            self.factors[i * size + i] = 1.0;
        }
    }

    /// The sign of the determinant of A: 1 or −1.
    pub(crate) fn determinant_sign(&self) -> f64 {
        self.exchanges
            .iter()
            .enumerate()
            .fold(1.0, |sign, (p, &row)| {
                let pivot = self.column(p)[p];
                if (pivot < 0.0) == (row == p) {
                    -sign
                } else {
                    sign
                }
            })
    }

    /// Replaces `b` by `A⁻ᵀ b`.
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] when `b` does not have the size of the matrix.
    pub fn solve_transposed_in_place<T: Scalar>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.size())?;
        for k in 0..self.structure.blocks() {
            let block = self.structure.block(k);
            for p in block.clone() {
                let column = self.column(p);
                let sum = with(block.start..p, self.structure.above(k))
                    .map(|rows| dot(&b[rows.clone()], &column[rows.clone()]))
                    .fold(T::zero(), |sum, part| sum + part);
                b[p] = (b[p] - sum) / column[p];
            }
        }
        for k in (0..self.structure.blocks()).rev() {
            let block = self.structure.block(k);
            for p in block.clone().rev() {
                let column = self.column(p);
                let sum = with(p + 1..block.end, self.structure.below(k))
                    .map(|rows| dot(&b[rows.clone()], &column[rows.clone()]))
                    .fold(T::zero(), |sum, part| sum + part);
                b[p] -= sum;
            }
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

    fn solve_in_place<T: Scalar>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.size())?;
        for (p, &row) in self.exchanges.iter().enumerate() {
            b.swap(p, row);
        }
        for k in 0..self.structure.blocks() {
            let block = self.structure.block(k);
            for p in block.clone() {
                let rows = with(p + 1..block.end, self.structure.below(k));
                subtract_multiple(b, b[p], self.column(p), rows);
            }
        }
        for k in (0..self.structure.blocks()).rev() {
            let block = self.structure.block(k);
            for p in block.clone().rev() {
                let column = self.column(p);
                b[p] /= column[p];
                let rows = with(block.start..p, self.structure.above(k));
                subtract_multiple(b, b[p], column, rows);
            }
        }
        Ok(())
    }
}

/// `b ← b − x · column` in the given rows.
fn subtract_multiple<T: Scalar>(
    b: &mut [T],
    x: T,
    column: &[f64],
    rows: impl Iterator<Item = Range<usize>>,
) {
    if T::NDERIV == 0 && x.re() == 0.0 {
        return;
    }
    for rows in rows {
        for (y, &l) in b[rows.clone()].iter_mut().zip(&column[rows.clone()]) {
            *y -= x * l;
        }
    }
}

/// The first range, then the others.
fn with(first: Range<usize>, others: &[Range<usize>]) -> impl Iterator<Item = Range<usize>> {
    std::iter::once(first).chain(others.iter().cloned())
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
