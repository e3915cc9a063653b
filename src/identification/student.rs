//! Quantiles of Student's t distribution.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// Degrees of freedom up to which the distribution function is summed.
const MOST_SUMMED: usize = 10_000;

/// The `t` with `P(|T| ≤ t) = level` for the given degrees of freedom, `None` for the normal
/// distribution.
///
/// Up to 10⁴ degrees of freedom it is the root of the finite series of the distribution function;
/// beyond, the first term of the expansion in `1/ν` is added to the value at 10⁴, which is right to
/// 10⁻⁷ (Abramowitz & Stegun, *Handbook of Mathematical Functions*, 26.7.3, 26.7.4, 26.7.5).
///
/// Needs at least one degree of freedom and `0 < level < 1`.
pub(super) fn two_sided_quantile(level: f64, degrees_of_freedom: Option<usize>) -> f64 {
    let summed = degrees_of_freedom.map_or(MOST_SUMMED, |nu| nu.min(MOST_SUMMED));
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if probability(middle, summed) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = (summed as f64).sqrt() * low.tan();
    let inverse = degrees_of_freedom.map_or(0.0, |nu| 1.0 / nu as f64);
    t + 0.25 * (t.powi(3) + t) * (inverse - 1.0 / summed as f64)
}

/// `P(|T| ≤ √ν tan θ)`.
fn probability(theta: f64, nu: usize) -> f64 {
    let (sin, cos) = theta.sin_cos();
    let odd = nu % 2;
    // Terms cos^k with k of the parity of ν, each (k−1)/k times cos² of the one before.
    let mut term = if odd == 1 { cos } else { 1.0 };
    let (mut sum, mut k) = (0.0, odd);
    while k + 2 <= nu {
        sum += term;
        k += 2;
        term *= cos * cos * (k as f64 - 1.0) / k as f64;
    }
    match odd {
        1 => FRAC_2_PI * (theta + sin * sum),
        _ => sin * sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz & Stegun, table 26.10, and closed forms: ν = 1 is tan(π level/2), ν = 2 is
    /// level √(2/(1 − level²)).
    #[test]
    fn quantiles_of_the_tables() {
        let cases = [
            (0.95, Some(1), 12.706_204_736_174_7),
            (0.95, Some(2), 0.95 * (2.0f64 / (1.0 - 0.95 * 0.95)).sqrt()),
            (0.95, Some(5), 2.570_581_835_636_3),
            (0.99, Some(10), 3.169_272_667_175_8),
            (0.95, Some(30), 2.042_272_456_301_2),
            (0.99, Some(7), 3.499_483_297_350_5),
            (0.95, Some(1_000_000), 1.959_966_359),
            (0.95, None, 1.959_963_984_540_1),
            (0.682_689_492_137_1, None, 1.0),
        ];
        for (level, nu, expected) in cases {
            let t = two_sided_quantile(level, nu);
            assert!(
                (t / expected - 1.0).abs() < 1e-7,
                "{level} {nu:?}: {t} {expected}"
            );
        }
    }
}
