//! Matrix products into kept memory, and symmetrisation.

use crate::ControlError;
use dualbody::InvalidInput;
use dualbody::math::{Cholesky, Factorization, Singular};
use nalgebra::DMatrix;

/// `y ← y + a x`.
fn axpy(y: &mut [f64], a: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// `aᵀ b`, by four sums that the processor adds at once.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (mut sums, fours) = ([0.0; 4], a.len() / 4 * 4);
    for (a, b) in a[..fours].chunks_exact(4).zip(b[..fours].chunks_exact(4)) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = a[fours..].iter().zip(&b[fours..]).map(|(a, b)| a * b).sum();
    sums[0] + sums[1] + (sums[2] + sums[3]) + rest
}

fn column(m: &DMatrix<f64>, j: usize) -> &[f64] {
    let rows = m.nrows();
    &m.as_slice()[j * rows..(j + 1) * rows]
}

/// `C ← C + A B`.
pub(crate) fn add_product(c: &mut DMatrix<f64>, a: &DMatrix<f64>, b: &DMatrix<f64>) {
    let rows = c.nrows();
    for j in 0..c.ncols() {
        let target = &mut c.as_mut_slice()[j * rows..(j + 1) * rows];
        for (k, &factor) in column(b, j).iter().enumerate() {
            if factor != 0.0 {
                axpy(target, factor, column(a, k));
            }
        }
    }
}

/// `C ← C + Aᵀ B`.
pub(crate) fn add_transposed_product(c: &mut DMatrix<f64>, a: &DMatrix<f64>, b: &DMatrix<f64>) {
    for j in 0..c.ncols() {
        for i in 0..c.nrows() {
            c[(i, j)] += dot(column(a, i), column(b, j));
        }
    }
}

/// `y ← y + Aᵀ x`.
pub(crate) fn add_transposed_times(y: &mut [f64], a: &DMatrix<f64>, x: &[f64]) {
    for (i, y) in y.iter_mut().enumerate() {
        *y += dot(column(a, i), x);
    }
}

/// `y ← y + A x`.
pub(crate) fn add_times(y: &mut [f64], a: &DMatrix<f64>, x: &[f64]) {
    for (j, &x) in x.iter().enumerate() {
        axpy(y, x, column(a, j));
    }
}

/// Replaces a square matrix by its symmetric part.
pub(crate) fn symmetrize(m: &mut DMatrix<f64>) {
    for j in 0..m.ncols() {
        for i in 0..j {
            let mean = 0.5 * (m[(i, j)] + m[(j, i)]);
            (m[(i, j)], m[(j, i)]) = (mean, mean);
        }
    }
}

/// Checks size, entries and symmetry of a matrix.
pub(crate) fn check_symmetric(
    quantity: &'static str,
    m: &DMatrix<f64>,
    size: usize,
) -> Result<(), ControlError> {
    check_matrix(quantity, m, size, size)?;
    let bound = 1e-9 * m.amax();
    for j in 0..size {
        for i in 0..j {
            let difference = m[(i, j)] - m[(j, i)];
            InvalidInput::check_range(quantity, &[difference], "a symmetric matrix", |d| {
                d.abs() <= bound
            })?;
        }
    }
    Ok(())
}

/// Checks a covariance: it is symmetric, and along no direction negative.
pub(crate) fn check_covariance(
    quantity: &'static str,
    m: &DMatrix<f64>,
    size: usize,
) -> Result<(), ControlError> {
    check_symmetric(quantity, m, size)?;
    let round_off = (1e-9 * m.amax()).max(f64::MIN_POSITIVE);
    positive_definite(quantity, &(m + DMatrix::identity(size, size) * round_off))?;
    Ok(())
}

/// Checks size and entries of a matrix.
pub(crate) fn check_matrix(
    quantity: &'static str,
    m: &DMatrix<f64>,
    rows: usize,
    columns: usize,
) -> Result<(), ControlError> {
    check_shape(quantity, m, (rows, columns))?;
    Ok(InvalidInput::check_finite(quantity, m.as_slice())?)
}

/// Checks the size of a matrix.
pub(crate) fn check_shape(
    quantity: &'static str,
    m: &DMatrix<f64>,
    (rows, columns): (usize, usize),
) -> Result<(), InvalidInput> {
    InvalidInput::check_size(quantity, m.nrows(), rows)?;
    InvalidInput::check_size(quantity, m.ncols(), columns)
}

/// The Cholesky factor of a matrix, or an error that names it.
pub(crate) fn positive_definite(
    quantity: &'static str,
    m: &DMatrix<f64>,
) -> Result<Cholesky, ControlError> {
    let mut factor = Cholesky::identity(m.nrows());
    match factor.factor(m) {
        Ok(()) => Ok(factor),
        Err(Singular { column, pivot, .. }) => Err(ControlError::NotPositiveDefinite {
            quantity,
            index: column,
            pivot,
        }),
    }
}

/// `M⁻¹ B` by a Cholesky factor of `M`.
pub(crate) fn solve(factor: &Cholesky, b: &DMatrix<f64>) -> Result<DMatrix<f64>, ControlError> {
    let mut x = b.clone();
    for mut column in x.column_iter_mut() {
        factor.solve_in_place(column.as_mut_slice())?;
    }
    Ok(x)
}
