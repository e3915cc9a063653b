//! Filters of sampled signals.

use dualbody::Scalar;

/// A Butterworth low pass of second order with the cut-off `cutoff` in Hz, forward and backward, so that
/// nothing is delayed; `rate` is the rate of the samples in Hz.
pub fn low_pass(signal: &[f64], cutoff: f64, rate: f64) -> Vec<f64> {
    let once = forward(signal, cutoff, rate);
    let reversed: Vec<f64> = once.into_iter().rev().collect();
    forward(&reversed, cutoff, rate).into_iter().rev().collect()
}

/// The filter in one direction, at rest at the first sample (bilinear transform).
fn forward(signal: &[f64], cutoff: f64, rate: f64) -> Vec<f64> {
    let k = (std::f64::consts::PI * cutoff / rate).tan();
    let norm = 1.0 + std::f64::consts::SQRT_2 * k + k * k;
    let (b, a) = (
        k * k / norm,
        [
            2.0 * (k * k - 1.0) / norm,
            (1.0 - std::f64::consts::SQRT_2 * k + k * k) / norm,
        ],
    );
    let first = signal.first().copied().unwrap_or(0.0);
    let (mut x, mut y) = ([first; 2], [first; 2]);
    (signal.iter())
        .map(|&now| {
            let next = b * (now + 2.0 * x[0] + x[1]) - a[0] * y[0] - a[1] * y[1];
            (x, y) = ([now, x[0]], [next, y[0]]);
            next
        })
        .collect()
}

/// Central differences.
pub fn rate_of_change(signal: &[f64], rate: f64) -> Vec<f64> {
    let last = signal.len() - 1;
    (0..=last)
        .map(|i| {
            let (before, after) = (i.saturating_sub(1), (i + 1).min(last));
            (signal[after] - signal[before]) * rate / (after - before).max(1) as f64
        })
        .collect()
}

/// The solution of `τ ṡ = x − s` at the samples, at rest at the first; `decay` is e^(−δt/τ).
pub fn lag<T: Scalar>(signal: &[T], decay: T) -> Vec<T> {
    let mut state = signal[0];
    (signal.iter())
        .map(|&x| {
            state = x + (state - x) * decay;
            state
        })
        .collect()
}

/// The bounded solution of `s − τ² s̈ = x`, with the kernel `e^(−|t|/τ)`; `decay` is e^(−δt/τ).
pub fn two_sided_lag<T: Scalar>(signal: &[T], decay: T) -> Vec<T> {
    let after = lag(signal, decay);
    let reversed: Vec<T> = signal.iter().rev().copied().collect();
    let before = lag(&reversed, decay);
    // Both sides hold the sample itself.
    let (both, twice) = ((decay + 1.0).recip(), -decay + 1.0);
    (signal.iter().zip(after.iter().zip(before.iter().rev())))
        .map(|(&x, (&a, &b))| (a + b - x * twice) * both)
        .collect()
}
