//! Gradient, Jacobian, Hessian and directional derivative.

use super::function::{ScalarFunction, VectorFunction};
use crate::InvalidInput;
use nalgebra::{DMatrix, DVector, SVector};
use num_dual::{Dual64, DualSVec64, HyperDualSVec64};

/// Number of directions that one evaluation differentiates along.
///
/// Duals of a run-time size are some 200 times slower than `f64`; a gradient of any size is
/// therefore computed in pieces of this static width, as ForwardDiff does (Revels, Lubin &
/// Papamarkou 2016, arXiv:1607.07892, §3).
pub const CHUNK: usize = 8;

/// Directions on either side of a second derivative that one evaluation differentiates along.
pub(crate) const HESSIAN_CHUNK: usize = 4;

/// The number that [`gradient_of`] and [`jacobian_of`] evaluate with: [`CHUNK`] directions.
pub type ChunkDual = DualSVec64<CHUNK>;

/// Whether a number changes in any of its directions.
pub(crate) fn varies(x: &ChunkDual) -> bool {
    x.eps.0.is_some_and(|slopes| slopes.amax() > 0.0)
}

/// Its derivatives, zeros where it has none.
pub(crate) fn slopes(x: &ChunkDual) -> SVector<f64, CHUNK> {
    x.eps.0.unwrap_or_default()
}

/// The number that [`hessian_of`] evaluates with.
pub type HessianDual = HyperDualSVec64<HESSIAN_CHUNK, HESSIAN_CHUNK>;

/// Value and gradient `∂f/∂x` (n entries).
///
/// # Errors
/// [`InvalidInput`] when `x`, the value or a derivative is not finite, and the first error of `f`.
pub fn gradient<F: ScalarFunction>(f: &F, x: &[f64]) -> Result<(f64, DVector<f64>), F::Error> {
    gradient_of(|x| f.eval(x), x)
}

/// Value and gradient of a closure: as [`gradient`], which needs a type that can be evaluated with
/// any scalar. [`gradient!`](crate::gradient!) calls it with a function and a model.
///
/// ```
/// use dualbody::InvalidInput;
/// use dualbody::autodiff::gradient_of;
///
/// let (value, gradient) = gradient_of(|x| Ok::<_, InvalidInput>(x[0] * x[1] * x[1]), &[2.0, 3.0])?;
/// assert_eq!((value, gradient.as_slice()), (18.0, [9.0, 12.0].as_slice()));
/// # Ok::<(), InvalidInput>(())
/// ```
///
/// # Errors
/// As [`gradient`].
pub fn gradient_of<E: From<InvalidInput>>(
    f: impl Fn(&[ChunkDual]) -> Result<ChunkDual, E>,
    x: &[f64],
) -> Result<(f64, DVector<f64>), E> {
    InvalidInput::check_finite("x", x)?;
    let mut gradient = DVector::zeros(x.len());
    let mut value = f64::NAN;
    // A function of nothing is evaluated once, for its value.
    for start in (0..x.len().max(1)).step_by(CHUNK) {
        let y = f(&seed_chunk(x, start))?;
        value = y.re;
        for_each_direction(y, start, x.len(), |j, dy| gradient[j] = dy);
    }
    check_result(&[value], gradient.as_slice())?;
    Ok((value, gradient))
}

/// Value (m entries) and Jacobian `∂f/∂x` (m×n).
///
/// # Errors
/// [`InvalidInput`] when `x`, a value or a derivative is not finite or the number of values changes between
/// evaluations, and the first error of `f`.
pub fn jacobian<F: VectorFunction>(
    f: &F,
    x: &[f64],
) -> Result<(DVector<f64>, DMatrix<f64>), F::Error> {
    jacobian_of(|x| f.eval(x), x)
}

/// Value and Jacobian of a closure: as [`jacobian`]. It returns a `DVector` or a `Vec`.
/// [`jacobian!`](crate::jacobian!) calls it with a function and a model.
///
/// # Errors
/// As [`jacobian`].
pub fn jacobian_of<Y: Into<DVector<ChunkDual>>, E: From<InvalidInput>>(
    f: impl Fn(&[ChunkDual]) -> Result<Y, E>,
    x: &[f64],
) -> Result<(DVector<f64>, DMatrix<f64>), E> {
    InvalidInput::check_finite("x", x)?;
    let mut value = DVector::zeros(0);
    let mut jacobian = DMatrix::zeros(0, 0);
    for start in (0..x.len().max(1)).step_by(CHUNK) {
        let y: DVector<ChunkDual> = f(&seed_chunk(x, start))?.into();
        if start == 0 {
            value = y.map(|y| y.re);
            jacobian = DMatrix::zeros(y.len(), x.len());
        }
        InvalidInput::check_size("value of the function", y.len(), value.len())?;
        for (i, &y) in y.iter().enumerate() {
            for_each_direction(y, start, x.len(), |j, dy| jacobian[(i, j)] = dy);
        }
    }
    check_result(value.as_slice(), jacobian.as_slice())?;
    Ok((value, jacobian))
}

/// Memory of [`jacobian_into`], reused from call to call.
#[derive(Debug, Clone, Default)]
pub struct JacobianWorkspace {
    x: Vec<DualSVec64<CHUNK>>,
    y: Vec<DualSVec64<CHUNK>>,
}

/// Value (m entries) and Jacobian `∂f/∂x` (m×n, column by column) in memory of the caller.
///
/// `f(x, y)` writes its m values into `y`, which arrives filled with NaN, so that a value that `f`
/// forgets is noticed. `f` is evaluated with [`CHUNK`] directions at a time, and nothing is
/// allocated once `workspace` has seen the size. Values and derivatives that are not finite are the caller's to judge.
///
/// ```
/// use dualbody::autodiff::{JacobianWorkspace, jacobian_into};
///
/// let (mut value, mut jacobian) = ([0.0; 2], [0.0; 4]);
/// let mut workspace = JacobianWorkspace::default();
/// jacobian_into(
///     |x, y| {
///         y[0] = x[0] * x[1];
///         y[1] = x[1] * 5.0;
///         Ok::<(), dualbody::InvalidInput>(())
///     },
///     &[2.0, 3.0],
///     &mut workspace,
///     &mut value,
///     &mut jacobian,
/// )?;
/// assert_eq!((value, jacobian), ([6.0, 15.0], [3.0, 0.0, 2.0, 5.0]));
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
///
/// # Errors
/// [`InvalidInput`] when `x` is not finite or `jacobian` does not have m·n entries, and the first
/// error of `f`.
pub fn jacobian_into<E: From<InvalidInput>>(
    mut f: impl FnMut(&[DualSVec64<CHUNK>], &mut [DualSVec64<CHUNK>]) -> Result<(), E>,
    x: &[f64],
    workspace: &mut JacobianWorkspace,
    value: &mut [f64],
    jacobian: &mut [f64],
) -> Result<(), E> {
    let (m, n) = (value.len(), x.len());
    InvalidInput::check_finite("x", x)?;
    InvalidInput::check_size("entries of the Jacobian", jacobian.len(), m * n)?;
    workspace.y.resize(m, DualSVec64::from_re(f64::NAN));
    // A function of nothing is evaluated once, for its value.
    for start in (0..n.max(1)).step_by(CHUNK) {
        workspace.x.clear();
        workspace.x.extend(seeds(x, start));
        workspace.y.fill(DualSVec64::from_re(f64::NAN));
        f(&workspace.x, &mut workspace.y)?;
        for (i, &y) in workspace.y.iter().enumerate() {
            value[i] = y.re;
            for_each_direction(y, start, n, |j, dy| jacobian[j * m + i] = dy);
        }
    }
    Ok(())
}

/// Value, gradient and Hessian `∂²f/∂x²` (n×n, symmetric bit for bit).
///
/// # Errors
/// [`InvalidInput`] when `x`, the value or a derivative is not finite, and the first error of `f`.
pub fn hessian<F: ScalarFunction>(
    f: &F,
    x: &[f64],
) -> Result<(f64, DVector<f64>, DMatrix<f64>), F::Error> {
    hessian_of(|x| f.eval(x), x)
}

/// Value, gradient and Hessian of a closure: as [`hessian`]. [`hessian!`](crate::hessian!) calls it
/// with a function and a model.
///
/// # Errors
/// As [`hessian`].
pub fn hessian_of<E: From<InvalidInput>>(
    f: impl Fn(&[HessianDual]) -> Result<HessianDual, E>,
    x: &[f64],
) -> Result<(f64, DVector<f64>, DMatrix<f64>), E> {
    InvalidInput::check_finite("x", x)?;
    let n = x.len();
    let mut gradient = DVector::zeros(n);
    let mut hessian = DMatrix::zeros(n, n);
    let mut value = f64::NAN;
    for row in (0..n.max(1)).step_by(HESSIAN_CHUNK) {
        for column in (row..n.max(1)).step_by(HESSIAN_CHUNK) {
            let y = f(&seed_pair_of_chunks(x, row, column))?;
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
    check_result(&[value], gradient.as_slice())?;
    InvalidInput::check_finite("second derivative of the function", hessian.as_slice())?;
    Ok((value, gradient, hessian))
}

/// Value and directional derivative `(∂f/∂x) direction` (both m entries), in one evaluation.
///
/// # Errors
/// [`InvalidInput`] when `x`, `direction`, a value or a derivative is not finite or the sizes of the first two differ,
/// and the first error of `f`.
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
    let (value, derivative) = (y.map(|y| y.re), y.map(|y| y.eps));
    check_result(value.as_slice(), derivative.as_slice())?;
    Ok((value, derivative))
}

fn check_result(value: &[f64], derivative: &[f64]) -> Result<(), InvalidInput> {
    InvalidInput::check_finite("value of the function", value)?;
    InvalidInput::check_finite("derivative of the function", derivative)
}

fn seed_chunk(x: &[f64], start: usize) -> Vec<DualSVec64<CHUNK>> {
    seeds(x, start).collect()
}

fn seeds(x: &[f64], start: usize) -> impl Iterator<Item = DualSVec64<CHUNK>> {
    x.iter()
        .enumerate()
        .map(move |(j, &x)| match j.checked_sub(start) {
            Some(k) if k < CHUNK => DualSVec64::from_re(x).derivative(k),
            _ => DualSVec64::from_re(x),
        })
}

fn for_each_direction(
    y: DualSVec64<CHUNK>,
    start: usize,
    n: usize,
    mut store: impl FnMut(usize, f64),
) {
    for (j, &dy) in (start..n).zip(slopes(&y).iter()) {
        store(j, dy);
    }
}

fn seed_pair_of_chunks(x: &[f64], row: usize, column: usize) -> Vec<HessianDual> {
    x.iter()
        .enumerate()
        .map(|(j, &x)| {
            let mut x = HessianDual::from_re(x);
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
