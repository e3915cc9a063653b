//! Gradient, Jacobian, Hessian and directional derivative.

use super::function::{ScalarFunction, VectorFunction};
use crate::InvalidInput;
use nalgebra::{DMatrix, DVector};
use num_dual::{Dual64, DualSVec64, HyperDualSVec64};

/// Number of directions that one evaluation differentiates along.
///
/// Duals of a run-time size are some 200 times slower than `f64`; a gradient of any size is
/// therefore computed in pieces of this static width, as ForwardDiff does (Revels, Lubin &
/// Papamarkou 2016, arXiv:1607.07892, §3).
pub const CHUNK: usize = 8;

/// Directions on either side of a second derivative that one evaluation differentiates along.
const HESSIAN_CHUNK: usize = 4;

/// Value and gradient `∂f/∂x` (n entries).
///
/// # Errors
/// [`InvalidInput`] when `x` is not finite, and the first error of `f`.
pub fn gradient<F: ScalarFunction>(f: &F, x: &[f64]) -> Result<(f64, DVector<f64>), F::Error> {
    InvalidInput::check_finite("x", x)?;
    let mut gradient = DVector::zeros(x.len());
    if x.is_empty() {
        return Ok((f.eval::<f64>(x)?, gradient));
    }
    let mut value = f64::NAN;
    for start in (0..x.len()).step_by(CHUNK) {
        let y = f.eval(&seed_chunk(x, start))?;
        value = y.re;
        for_each_direction(y, start, x.len(), |j, dy| gradient[j] = dy);
    }
    Ok((value, gradient))
}

/// Value (m entries) and Jacobian `∂f/∂x` (m×n).
///
/// # Errors
/// [`InvalidInput`] when `x` is not finite or the number of values changes between evaluations,
/// and the first error of `f`.
pub fn jacobian<F: VectorFunction>(
    f: &F,
    x: &[f64],
) -> Result<(DVector<f64>, DMatrix<f64>), F::Error> {
    InvalidInput::check_finite("x", x)?;
    if x.is_empty() {
        let value = f.eval::<f64>(x)?;
        let rows = value.len();
        return Ok((value, DMatrix::zeros(rows, 0)));
    }
    let mut value = DVector::zeros(0);
    let mut jacobian = DMatrix::zeros(0, 0);
    for start in (0..x.len()).step_by(CHUNK) {
        let y = f.eval(&seed_chunk(x, start))?;
        if start == 0 {
            value = y.map(|y| y.re);
            jacobian = DMatrix::zeros(y.len(), x.len());
        }
        InvalidInput::check_size("value of the function", y.len(), value.len())?;
        for (i, &y) in y.iter().enumerate() {
            for_each_direction(y, start, x.len(), |j, dy| jacobian[(i, j)] = dy);
        }
    }
    Ok((value, jacobian))
}

/// Value, gradient and Hessian `∂²f/∂x²` (n×n, symmetric bit for bit).
///
/// # Errors
/// [`InvalidInput`] when `x` is not finite, and the first error of `f`.
pub fn hessian<F: ScalarFunction>(
    f: &F,
    x: &[f64],
) -> Result<(f64, DVector<f64>, DMatrix<f64>), F::Error> {
    InvalidInput::check_finite("x", x)?;
    let n = x.len();
    let mut gradient = DVector::zeros(n);
    let mut hessian = DMatrix::zeros(n, n);
    if n == 0 {
        return Ok((f.eval::<f64>(x)?, gradient, hessian));
    }
    let mut value = f64::NAN;
    for row in (0..n).step_by(HESSIAN_CHUNK) {
        for column in (row..n).step_by(HESSIAN_CHUNK) {
            let y = f.eval(&seed_pair_of_chunks(x, row, column))?;
            value = y.re;
            let first = y.eps1.0.unwrap_or_default();
            let second = y.eps1eps2.0.unwrap_or_default();
            for i in row..n.min(row + HESSIAN_CHUNK) {
                gradient[i] = first[i - row];
                for j in column.max(i)..n.min(column + HESSIAN_CHUNK) {
                    hessian[(i, j)] = second[(i - row, j - column)];
                    hessian[(j, i)] = hessian[(i, j)];
                }
            }
        }
    }
    Ok((value, gradient, hessian))
}

/// Value and directional derivative `(∂f/∂x) direction` (both m entries), in one evaluation.
///
/// # Errors
/// [`InvalidInput`] when `x` or `direction` is not finite or their sizes differ, and the first
/// error of `f`.
pub fn jacobian_vector_product<F: VectorFunction>(
    f: &F,
    x: &[f64],
    direction: &[f64],
) -> Result<(DVector<f64>, DVector<f64>), F::Error> {
    InvalidInput::check_size("direction", direction.len(), x.len())?;
    InvalidInput::check_finite("x", x)?;
    InvalidInput::check_finite("direction", direction)?;
    let x: Vec<Dual64> = x
        .iter()
        .zip(direction)
        .map(|(&x, &dx)| Dual64::new(x, dx))
        .collect();
    let y = f.eval(&x)?;
    Ok((y.map(|y| y.re), y.map(|y| y.eps)))
}

fn seed_chunk(x: &[f64], start: usize) -> Vec<DualSVec64<CHUNK>> {
    x.iter()
        .enumerate()
        .map(|(j, &x)| match j.checked_sub(start) {
            Some(k) if k < CHUNK => DualSVec64::from_re(x).derivative(k),
            _ => DualSVec64::from_re(x),
        })
        .collect()
}

fn for_each_direction(
    y: DualSVec64<CHUNK>,
    start: usize,
    n: usize,
    mut store: impl FnMut(usize, f64),
) {
    let eps = y.eps.0.unwrap_or_default();
    for (j, &dy) in (start..n).zip(eps.iter()) {
        store(j, dy);
    }
}

type HessianScalar = HyperDualSVec64<HESSIAN_CHUNK, HESSIAN_CHUNK>;

fn seed_pair_of_chunks(x: &[f64], row: usize, column: usize) -> Vec<HessianScalar> {
    x.iter()
        .enumerate()
        .map(|(j, &x)| {
            let mut x = HessianScalar::from_re(x);
            if (row..row + HESSIAN_CHUNK).contains(&j) {
                x = x.derivative1(j - row);
            }
            if (column..column + HESSIAN_CHUNK).contains(&j) {
                x = x.derivative2(j - column);
            }
            x
        })
        .collect()
}
