//! Lyapunov equations and Gramians.
//!
//! ```text
//! X = AᵀX A + Q,      AᵀX + X A + Q = 0
//! ```
//!
//! The discrete equation is solved by doubling (Smith 1968, *SIAM Journal on Applied Mathematics* 16, 198–201): the k-th
//! iterate is the sum of the first 2ᵏ terms of `Σ (Aᵀ)ⁱ Q Aⁱ`. The continuous one becomes discrete by the Cayley
//! transform `(p − A)⁻¹(p + A)`, with p the geometric mean of the smallest and the largest eigenvalue in magnitude.

use crate::ControlError;
use crate::matrix::{check_matrix, check_symmetric, symmetrize};
use nalgebra::linalg::Schur;
use nalgebra::linalg::balancing::balance_parlett_reinsch;
use nalgebra::{Complex, DMatrix};

/// More doublings than any spectral radius below `1 − 10⁻¹⁶` needs.
const MAX_DOUBLINGS: usize = 64;

/// The solution `X` of `X = AᵀX A + Q`, n×n, for a stable `A` (all eigenvalues inside the unit circle).
///
/// # Errors
/// [`ControlError::Unstable`], and for sizes that do not fit, entries that are not finite or a `Q` that is not symmetric.
pub fn lyapunov_discrete(a: &DMatrix<f64>, q: &DMatrix<f64>) -> Result<DMatrix<f64>, ControlError> {
    let n = a.nrows();
    check_matrix("A", a, n, n)?;
    check_symmetric("Q", q, n)?;
    let (mut power, mut sum) = (a.clone(), q.clone());
    for _ in 0..MAX_DOUBLINGS {
        let added = power.tr_mul(&sum) * &power;
        sum += &added;
        power = &power * &power;
        if !sum.iter().chain(&power).all(|x| x.is_finite()) {
            break;
        }
        if power.amax() < 1e-8 && added.amax() <= f64::EPSILON * sum.amax() {
            symmetrize(&mut sum);
            return Ok(sum);
        }
    }
    Err(unstable(
        "discrete",
        a,
        |z| z.norm() - 1.0,
        "on or outside the unit circle",
    ))
}

/// The solution `X` of `AᵀX + X A + Q = 0`, n×n, for a stable `A` (all eigenvalues in the left half plane).
///
/// # Errors
/// As [`lyapunov_discrete`].
pub fn lyapunov_continuous(
    a: &DMatrix<f64>,
    q: &DMatrix<f64>,
) -> Result<DMatrix<f64>, ControlError> {
    let n = a.nrows();
    check_matrix("A", a, n, n)?;
    check_symmetric("Q", q, n)?;
    let failure = || unstable("continuous", a, |z| z.re, "not in the left half plane");
    let values = eigenvalues(a).ok_or_else(failure)?;
    if values.iter().any(|z| z.re >= 0.0) {
        return Err(failure());
    }
    let shift = mean_magnitude(&values);
    let identity = DMatrix::identity(n, n);
    let inverse = (&identity * shift - a).try_inverse().ok_or_else(failure)?;
    let transformed = &inverse * (&identity * shift + a);
    let mut source = inverse.tr_mul(q) * &inverse * (2.0 * shift);
    symmetrize(&mut source);
    lyapunov_discrete(&transformed, &source).map_err(|_| failure())
}

/// The controllability Gramian of `x⁺ = A x + B u`, n×n: `W = A W Aᵀ + B Bᵀ`. Its range is what inputs reach, and `xᵀW⁻¹x`
/// the least `Σ ‖u‖²` that reaches x.
///
/// # Errors
/// As [`lyapunov_discrete`].
pub fn controllability_gramian(
    a: &DMatrix<f64>,
    b: &DMatrix<f64>,
) -> Result<DMatrix<f64>, ControlError> {
    check_matrix("B", b, a.nrows(), b.ncols())?;
    let mut source = b * b.transpose();
    symmetrize(&mut source);
    lyapunov_discrete(&a.transpose(), &source)
}

/// The observability Gramian of `x⁺ = A x`, `y = C x`, n×n: `W = AᵀW A + CᵀC`, so that `xᵀW x` is `Σ ‖y‖²` from x on.
///
/// # Errors
/// As [`lyapunov_discrete`].
pub fn observability_gramian(
    a: &DMatrix<f64>,
    c: &DMatrix<f64>,
) -> Result<DMatrix<f64>, ControlError> {
    check_matrix("C", c, c.nrows(), a.nrows())?;
    let mut source = c.tr_mul(c);
    symmetrize(&mut source);
    lyapunov_discrete(a, &source)
}

/// The eigenvalues of a square matrix, unless the iteration does not end.
pub(crate) fn eigenvalues(a: &DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    if a.is_empty() {
        return Some(Vec::new());
    }
    // The norms that are balanced must not overflow.
    let scale = a.amax().max(f64::MIN_POSITIVE);
    let mut balanced = a / scale;
    balance_parlett_reinsch(&mut balanced);
    let schur = Schur::try_new(balanced, f64::EPSILON, 200 * a.nrows())?;
    Some(
        schur
            .complex_eigenvalues()
            .iter()
            .map(|z| z * scale)
            .collect(),
    )
}

/// The geometric mean of the smallest and the largest magnitude; positive.
pub(crate) fn mean_magnitude(values: &[Complex<f64>]) -> f64 {
    let magnitudes = values.iter().map(|z| z.norm());
    let (low, high) = magnitudes.fold((f64::INFINITY, 0.0f64), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    match high > 0.0 {
        true => (low.max(1e-8 * high) * high).sqrt(),
        false => 1.0,
    }
}

/// The error of an equation whose solution is not found; `growth` of a mode that is stable is negative.
fn unstable(
    equation: &'static str,
    a: &DMatrix<f64>,
    growth: impl Fn(&Complex<f64>) -> f64,
    place: &str,
) -> ControlError {
    let values = eigenvalues(a).unwrap_or_default();
    let worst = (values.iter()).max_by(|a, b| growth(a).total_cmp(&growth(b)));
    let reason = match worst {
        Some(z) if growth(z) < 0.0 => format!(
            "it is lost in round-off or too large for a number, with the slowest eigenvalue {z} of A"
        ),
        Some(z) => format!("the eigenvalue {z} of A is {place}"),
        None => "the eigenvalues of A were not found".to_owned(),
    };
    ControlError::Unstable { equation, reason }
}
