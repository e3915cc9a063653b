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
    check(x, half_widths, by, pairs)?;
    let mut slopes = Vec::with_capacity(by.len());
    let mut point = x.to_vec();
    for &i in by {
        let others: Vec<usize> = (0..x.len())
            .filter(|&j| j != i && half_widths[j] > 0.0)
            .collect();
        let ratio = golden_ratio(others.len().saturating_sub(1));
        let (mut sum, mut squares) = (0.0, 0.0);
        for pair in 0..pairs {
            for (place, &j) in others.iter().enumerate() {
                let along = match place {
                    0 => (pair as f64 + 0.5) / pairs as f64,
                    _ => (0.5 + pair as f64 * ratio.powi(-(place as i32))).fract(),
                };
                point[j] = x[j] + half_widths[j] * (2.0 * along - 1.0);
            }
            let mut outcome = |side: f64| {
                point[i] = x[i] + side * half_widths[i];
                f(&point)
            };
            let slope = (outcome(1.0)? - outcome(-1.0)?) / (2.0 * half_widths[i]);
            InvalidInput::check_finite("slope of an outcome", &[slope])?;
            sum += slope;
            squares += slope * slope;
        }
        point.copy_from_slice(x);
        let (count, mean) = (pairs as f64, sum / pairs as f64);
        let variance = (squares / count - mean * mean).max(0.0) / (count - 1.0);
        let error = if pairs == 1 {
            f64::INFINITY
        } else {
            variance.sqrt()
        };
        slopes.push(AveragedSlope { slope: mean, error });
    }
    Ok(slopes)
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
