//! Smoothed slopes of outcomes that have jumps, by averaging over a neighbourhood (randomised smoothing).
//!
//! A derivative holds as far as nothing is decided otherwise. Where decisions follow each other closely, as the steps in
//! which impacts fall do, an outcome is a sawtooth about a trend, and its derivative says nothing of the trend. What has a
//! slope everywhere is the outcome averaged over a width, `F(x) = E f(x + h z)` with `z` even in a box, `|zᵢ| ≤ 1`:
//!
//! ```text
//! ∂F/∂xᵢ = E [f(x + h z | zᵢ = 1) − f(x + h z | zᵢ = −1)]/(2 hᵢ)
//! ```
//!
//! which counts slopes and jumps alike, since it is their sum over the width. The mean is taken over points that spread
//! evenly over the other widths, by the fractions of a sequence with one generalised golden ratio φ, `φᵐ⁺¹ = φ + 1` for m of
//! them (Roberts 2018, "The unreasonable effectiveness of quasirandom sequences"): the first of them in even steps.

use crate::InvalidInput;
use nalgebra::DMatrix;

/// The slope of an averaged outcome by one of its inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct AveragedSlope {
    /// `∂F/∂xᵢ`.
    pub slope: f64,
    /// Its standard error, from the scatter of the pairs as if drawn at random; larger than it is, as a rule, since they
    /// are spread evenly. Infinite for one pair.
    pub error: f64,
}

/// The slopes of an outcome averaged over a box about `x` with half the width `hⱼ` along each input: those by the inputs
/// whose indices are in `by`, in this order. Inputs of width zero stay as they are.
///
/// Each slope takes `pairs` pairs of outcomes. An input that only shifts the steps, as the phase of a
/// [rollout](crate::system::TimeSteppingRigidBodySystem::rollout_in_phase), averages the teeth away: centre 0.5, half width
/// 0.5, and not in `by`.
///
/// ```
/// use dualbody::InvalidInput;
/// use dualbody::autodiff::averaged_gradient;
///
/// // A trend of 2 with teeth, of which the derivative sees the back.
/// let outcome = |x: &[f64]| {
///     let (height, phase) = (x[0], x[1]);
///     Ok::<_, InvalidInput>(2.0 * height - 3.0 * (50.0 * height + phase).fract() / 50.0)
/// };
/// let found = averaged_gradient(outcome, &[0.333, 0.5], &[0.1, 0.5], &[0], 8)?;
/// assert!((found[0].slope - 2.0).abs() < 0.05 && found[0].error < 0.2);
/// # Ok::<(), InvalidInput>(())
/// ```
///
/// # Errors
/// [`InvalidInput`] for a width that is negative or not finite, none of an input in `by`, no pairs, or an outcome that is not
/// finite; the first error of `f`.
#[doc(alias = "randomized smoothing")]
pub fn averaged_gradient<E: From<InvalidInput>>(
    f: impl Fn(&[f64]) -> Result<f64, E>,
    x: &[f64],
    half_widths: &[f64],
    by: &[usize],
    pairs: usize,
) -> Result<Vec<AveragedSlope>, E> {
    let outcome = |x: &[f64], y: &mut [f64]| {
        y[0] = f(x)?;
        Ok::<_, E>(())
    };
    let AveragedJacobian { slopes, errors } =
        averaged_jacobian(outcome, 1, x, half_widths, by, pairs)?;
    let of_each = slopes.iter().zip(&errors);
    Ok(of_each
        .map(|(&slope, &error)| AveragedSlope { slope, error })
        .collect())
}

/// The slopes of several outcomes averaged over a box.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AveragedJacobian {
    /// `∂Fᵢ/∂xⱼ`, with a column for each input by which they are.
    pub slopes: DMatrix<f64>,
    /// Their [standard errors](AveragedSlope::error).
    pub errors: DMatrix<f64>,
}

/// As [`averaged_gradient`], of `size` outcomes, which `f` writes: all of them are made by `2 × pairs` evaluations for each input.
///
/// # Errors
/// As [`averaged_gradient`].
pub fn averaged_jacobian<E: From<InvalidInput>>(
    mut f: impl FnMut(&[f64], &mut [f64]) -> Result<(), E>,
    size: usize,
    x: &[f64],
    half_widths: &[f64],
    by: &[usize],
    pairs: usize,
) -> Result<AveragedJacobian, E> {
    check(x, half_widths, by, pairs)?;
    let mut slopes: DMatrix<f64> = DMatrix::zeros(size, by.len());
    let mut errors = DMatrix::from_element(size, by.len(), f64::INFINITY);
    let mut point = x.to_vec();
    let mut outcomes = [vec![0.0; size], vec![0.0; size]];
    let mut squares = vec![0.0; size];
    for (column, &i) in by.iter().enumerate() {
        let others: Vec<usize> = (0..x.len())
            .filter(|&j| j != i && half_widths[j] > 0.0)
            .collect();
        let ratio = golden_ratio(others.len().saturating_sub(1));
        let mut sums = slopes.column_mut(column);
        squares.fill(0.0);
        for pair in 0..pairs {
            for (place, &j) in others.iter().enumerate() {
                let along = match place {
                    0 => (pair as f64 + 0.5) / pairs as f64,
                    _ => (0.5 + pair as f64 * ratio.powi(-(place as i32))).fract(),
                };
                point[j] = x[j] + half_widths[j] * (2.0 * along - 1.0);
            }
            for (outcome, side) in outcomes.iter_mut().zip([1.0, -1.0]) {
                point[i] = x[i] + side * half_widths[i];
                f(&point, outcome)?;
            }
            for (row, (above, below)) in outcomes[0].iter().zip(&outcomes[1]).enumerate() {
                let slope = (above - below) / (2.0 * half_widths[i]);
                InvalidInput::check_finite("slope of an outcome", &[slope])?;
                sums[row] += slope;
                squares[row] += slope * slope;
            }
        }
        point.copy_from_slice(x);
        let count = pairs as f64;
        for (row, square) in squares.iter().enumerate() {
            sums[row] /= count;
            if pairs > 1 {
                let variance = (square / count - sums[row] * sums[row]).max(0.0) / (count - 1.0);
                errors[(row, column)] = variance.sqrt();
            }
        }
    }
    Ok(AveragedJacobian { slopes, errors })
}

fn check(x: &[f64], half_widths: &[f64], by: &[usize], pairs: usize) -> Result<(), InvalidInput> {
    InvalidInput::check_finite("x", x)?;
    InvalidInput::check_size("half widths", half_widths.len(), x.len())?;
    InvalidInput::check_range("half width", half_widths, "finite and not negative", |h| {
        h >= 0.0 && h.is_finite()
    })?;
    InvalidInput::check_range("pairs", &[pairs as f64], "at least one", |n| n >= 1.0)?;
    for &i in by {
        let index = [i as f64];
        InvalidInput::check_range("input to derive by", &index, "an index of x", |_| {
            i < x.len()
        })?;
        let width = [half_widths[i]];
        InvalidInput::check_range(
            "half width of an input to derive by",
            &width,
            "positive",
            |h| h > 0.0,
        )?;
    }
    Ok(())
}

/// The root of `φᵐ⁺¹ = φ + 1` beyond 1.
fn golden_ratio(dimensions: usize) -> f64 {
    (0..64).fold(2.0, |phi: f64, _| {
        (1.0 + phi).powf(1.0 / (dimensions as f64 + 1.0))
    })
}
