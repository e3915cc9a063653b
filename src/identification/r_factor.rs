//! TSQR: QR factorisation of a tall matrix that arrives in blocks of rows.

use nalgebra::{DMatrix, DVector};

/// Rows that are folded at a time, so that they stay in the cache.
const SLAB: usize = 256;

/// The triangular factor of all rows folded so far.
///
/// # Mathematics
/// For rows `A = [J r]` with `A = Q T`, `Q` orthogonal and `T` upper triangular,
///
/// ```text
/// T = ⎡ R  z ⎤      JᵀJ = RᵀR,   Jᵀr = Rᵀz,   ‖r‖² = ‖z‖² + ρ²,   min_s ‖J s + r‖ = ρ.
///     ⎣ 0  ρ ⎦
/// ```
///
/// `T` is all that a Gauss–Newton step needs of any number of rows. Folding in further rows replaces
/// `T` by the triangular factor of `T` on top of them (Golub & Van Loan, *Matrix Computations*,
/// 4th ed., §5.2 and §6.5; row-wise "TSQR", Demmel et al. 2012, *SIAM J. Sci. Comput.* 34(1)), one
/// Householder reflection per column. Normal equations would take half the operations, but they
/// square the condition number: singular values of `J` below 10⁻⁸ of the largest would be lost.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct RFactor {
    /// `T`, (n+1)×(n+1), zero below the diagonal.
    factor: DMatrix<f64>,
}

impl RFactor {
    /// No rows, for `unknowns` columns of `J`.
    pub fn new(unknowns: usize) -> Self {
        RFactor {
            factor: DMatrix::zeros(unknowns + 1, unknowns + 1),
        }
    }

    /// Folds in the rows of `block` (column by column, `[J r]`), which is overwritten.
    pub fn fold(&mut self, block: &mut [f64]) {
        let rows = block.len() / self.factor.ncols();
        for start in (0..rows).step_by(SLAB) {
            self.fold_slab(block, rows, start, (start + SLAB).min(rows));
        }
    }

    /// Folds in the rows of another factor, which is overwritten.
    pub fn fold_factor(&mut self, other: &mut RFactor) {
        self.fold(other.factor.as_mut_slice());
    }

    /// That of the same rows with so many columns of zeros more at the end of `J`.
    pub fn widened(&self, columns: usize) -> RFactor {
        let n = self.factor.ncols() - 1;
        let wider = self.factor.clone().insert_columns(n, columns, 0.0);
        RFactor {
            factor: wider.insert_rows(n, columns, 0.0),
        }
    }

    /// That of what is left for the columns of `J` from one on, once those before are eliminated.
    pub fn trailing(&self, first: usize) -> RFactor {
        let size = self.factor.ncols() - first;
        RFactor {
            factor: self.factor.view((first, first), (size, size)).into_owned(),
        }
    }

    /// Folds in rows `start..end` of a block with `rows` rows.
    fn fold_slab(&mut self, block: &mut [f64], rows: usize, start: usize, end: usize) {
        let columns = self.factor.ncols();
        for k in 0..columns {
            let (done, rest) = block.split_at_mut((k + 1) * rows);
            let v = &done[k * rows + start..k * rows + end];
            let below = dot(v, v);
            if below == 0.0 {
                continue;
            }
            // The reflection I − u uᵀ/h, u = [α − β; v], h = β² − αβ, takes [α; v] to [β; 0].
            let alpha = self.factor[(k, k)];
            let beta = -(alpha * alpha + below).sqrt().copysign(alpha);
            let head = alpha - beta;
            let h = beta * beta - alpha * beta;
            self.factor[(k, k)] = beta;
            for (j, column) in rest.chunks_exact_mut(rows).enumerate() {
                let column = &mut column[start..end];
                let top = &mut self.factor[(k, k + 1 + j)];
                let w = (head * *top + dot(v, column)) / h;
                *top -= w * head;
                for (x, &v) in column.iter_mut().zip(v) {
                    *x -= w * v;
                }
            }
        }
    }

    /// `R` (n×n, upper triangular).
    pub fn jacobian(&self) -> DMatrix<f64> {
        let n = self.factor.ncols() - 1;
        self.factor.view((0, 0), (n, n)).into_owned()
    }

    /// `z` (n).
    pub fn residual(&self) -> DVector<f64> {
        let n = self.factor.ncols() - 1;
        self.factor.view((0, n), (n, 1)).column(0).into_owned()
    }
}

/// `a·b`, with a sum for every fourth product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (fours, rest) = a.as_chunks::<4>();
    let (others, other_rest) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in fours.iter().zip(others) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest = rest.iter().zip(other_rest).map(|(a, b)| a * b);
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of a matrix of 600 rows with entries in [−1, 1] and a graded scale.
    fn matrix() -> DMatrix<f64> {
        DMatrix::from_fn(600, 4, |i, j| {
            let x = ((i * 7 + j * 13) as f64 * 0.37).sin();
            x * 10f64.powi(-3 * j as i32)
        })
    }

    #[test]
    fn factor_has_the_gram_matrix_of_the_rows_in_any_split() {
        let a = matrix();
        let gram = a.transpose() * &a;
        for split in [0, 1, 255, 599, 600] {
            let mut total = RFactor::new(3);
            for (start, len) in [(0, split), (split, 600 - split)] {
                let mut part = RFactor::new(3);
                part.fold(a.rows(start, len).into_owned().as_mut_slice());
                total.fold_factor(&mut part);
            }
            let t = &total.factor;
            let error =
                (t.transpose() * t - &gram).component_div(&gram.map(|g| g.abs().max(1e-300)));
            for i in 0..4 {
                for j in 0..4 {
                    let scale = (gram[(i, i)] * gram[(j, j)]).sqrt() / gram[(i, j)].abs();
                    assert!(
                        error[(i, j)].abs() < 1e-14 * scale.max(1.0),
                        "{split} {i} {j}"
                    );
                    assert!(i <= j || t[(i, j)] == 0.0);
                }
            }
        }
    }
}
