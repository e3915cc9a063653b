//! Comparison of a Jacobian with finite differences, for tests.

mod difference;
mod entry;
mod pattern;
mod report;
mod tolerance;

pub(crate) use difference::extrapolated_derivative;
pub use entry::{EntryCheck, Verdict};
pub use pattern::MistakePattern;
pub use report::JacobianCheck;

use super::drivers::{ChunkDual, jacobian, jacobian_of};
use super::function::VectorFunction;
use crate::InvalidInput;
use difference::{Difference, finite_value, sample_column};
use nalgebra::{DMatrix, DVector};
use tolerance::Tolerance;

/// Compares a Jacobian with central differences.
///
/// # Method
/// For every column the central difference `(f(x + h eⱼ) − f(x − h eⱼ))/2h` is taken at a falling
/// sequence of steps, extrapolated to `h → 0` by Neville's scheme, and for every entry the
/// extrapolation with the smallest error estimate is kept (Ridders 1982, *Advances in Engineering
/// Software* 4(2), 75–76; the estimate is the change between neighbours in the scheme, plus the
/// round-off of the difference). No step has to be chosen by hand, and each difference comes with
/// its own error.
///
/// An entry is at a *kink* when the one-sided differences do not approach each other as `h` falls:
/// there is no derivative there, and neither value is wrong. It is *unresolved* when the differences
/// are too noisy to judge. Everything else that is further from the difference than the tolerance
/// and the error of the difference allow, or not finite, is a *mistake*. The [comparison](JacobianCheck) says of each what it
/// looks like.
///
/// ```
/// use dualbody::autodiff::{JacobianChecker, Verdict};
/// use nalgebra::{dmatrix, dvector};
///
/// // f(x, y) = (x y, |y|), claimed with a sign error in ∂f₀/∂x.
/// let f = |x: &[f64]| Ok::<_, dualbody::InvalidInput>(dvector![x[0] * x[1], x[1].abs()]);
/// let claimed = dmatrix![-3.0, 2.0; 0.0, 1.0];
/// let check = JacobianChecker::default().check(f, &[2.0, 3.0], &claimed)?;
/// let worst = check.worst().expect("the Jacobian is not empty");
/// assert_eq!((worst.row, worst.column, worst.verdict), (0, 0, Verdict::Mistake));
/// assert!((worst.difference - 3.0).abs() < 1e-9);
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone)]
pub struct JacobianChecker {
    tolerance: Tolerance,
    scales: Option<Vec<f64>>,
}

impl Default for JacobianChecker {
    /// Relative tolerance 1e-6, absolute tolerance 1e-8, scale of a variable `max(|x|, 1)`.
    fn default() -> Self {
        JacobianChecker {
            tolerance: Tolerance {
                relative: 1e-6,
                absolute: 1e-8,
            },
            scales: None,
        }
    }
}

impl JacobianChecker {
    /// Sets how far an entry `J` may be from the difference `D`, beside the error of `D` itself:
    /// `absolute + relative · max(|J|, |D|)`.
    pub fn tolerance(mut self, relative: f64, absolute: f64) -> Self {
        self.tolerance = Tolerance { relative, absolute };
        self
    }

    /// Sets, for every variable, the change over which the function is expected to be smooth.
    ///
    /// Steps start at 1/128 of it. Variables of very different magnitude (a stiffness of 10⁶ beside
    /// a penetration of 10⁻⁵) need it.
    pub fn scales(mut self, scales: impl Into<Vec<f64>>) -> Self {
        self.scales = Some(scales.into());
        self
    }

    /// Compares `claimed` (m×n) with differences of `f` (m values) at `x` (n entries).
    ///
    /// # Errors
    /// [`InvalidInput`] when sizes do not fit, a scale is not positive or a value of `f` or entry
    /// of `x` is not finite, and the first error of `f`.
    pub fn check<E: From<InvalidInput>>(
        &self,
        mut f: impl FnMut(&[f64]) -> Result<DVector<f64>, E>,
        x: &[f64],
        claimed: &DMatrix<f64>,
    ) -> Result<JacobianCheck, E> {
        InvalidInput::check_finite("x", x)?;
        InvalidInput::check_size("columns of the Jacobian", claimed.ncols(), x.len())?;
        let scales = match &self.scales {
            Some(scales) => scales.clone(),
            None => x.iter().map(|x| x.abs().max(1.0)).collect(),
        };
        InvalidInput::check_size("scales", scales.len(), x.len())?;
        InvalidInput::check_range("scales", &scales, "a positive number", |s| {
            s > 0.0 && s.is_finite()
        })?;
        let center = finite_value(&mut f, x, claimed.nrows())?;
        let mut point = x.to_vec();
        let mut entries = Vec::with_capacity(claimed.len());
        for (column, scale) in scales.into_iter().enumerate() {
            let samples = sample_column(&mut f, &mut point, (column, scale), claimed.nrows())?;
            for row in 0..claimed.nrows() {
                let difference = Difference::of_entry(&samples, &center, row);
                entries.push(self.judge(row, column, claimed[(row, column)], &difference));
            }
        }
        Ok(JacobianCheck {
            entries,
            rows: claimed.nrows(),
            point,
            tolerance: self.tolerance,
            value_names: Vec::new(),
            variable_names: Vec::new(),
        })
    }

    fn judge(&self, row: usize, column: usize, claimed: f64, d: &Difference) -> EntryCheck {
        let allowed = self.tolerance.allowed(claimed, d.value);
        let jump = (d.forward - d.backward).abs();
        let deviation = (claimed - d.value).abs();
        let verdict = if !claimed.is_finite() {
            Verdict::Mistake
        } else if !d.value.is_finite() {
            Verdict::Unresolved
        } else if d.is_kink && jump > 10.0 * self.tolerance.allowed(d.forward, d.backward) {
            Verdict::Kink
        } else if deviation <= allowed + d.error && d.error <= 100.0 * allowed {
            Verdict::Agrees
        } else if deviation <= d.error {
            Verdict::Unresolved
        } else {
            Verdict::Mistake
        };
        EntryCheck {
            row,
            column,
            claimed,
            difference: d.value,
            difference_error: d.error,
            forward: d.forward,
            backward: d.backward,
            verdict,
            excess: if claimed.is_finite() {
                deviation / allowed
            } else {
                f64::INFINITY
            },
        }
    }
}

/// Compares the duals' Jacobian of `f` at `x` with central differences. Entries are printed with the names that `f` gives.
///
/// # Errors
/// As [`JacobianChecker::check`].
pub fn check_jacobian<F: VectorFunction>(
    checker: &JacobianChecker,
    f: &F,
    x: &[f64],
) -> Result<JacobianCheck, F::Error> {
    let (_, claimed) = jacobian(f, x)?;
    let check = checker.check(|x| f.eval(x), x, &claimed)?;
    Ok(check.with_names(f.value_names(), f.variable_names()))
}

/// Compares the duals' Jacobian of a function, given for dual numbers and for `f64`, with central differences:
/// [`assert_jacobian!`](crate::assert_jacobian!) calls it.
///
/// # Errors
/// As [`JacobianChecker::check`].
#[doc(hidden)]
pub fn check_jacobian_of<D, Y, E>(
    dual: impl Fn(&[ChunkDual]) -> Result<D, E>,
    real: impl Fn(&[f64]) -> Result<Y, E>,
    x: &[f64],
) -> Result<JacobianCheck, E>
where
    D: Into<DVector<ChunkDual>>,
    Y: Into<DVector<f64>>,
    E: From<InvalidInput>,
{
    let (_, claimed) = jacobian_of(dual, x)?;
    JacobianChecker::default().check(|x| real(x).map(Into::into), x, &claimed)
}
