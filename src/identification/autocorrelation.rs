//! Whether residuals that follow each other are independent.

/// Fewest residuals that are tested.
const FEWEST: usize = 8;
/// Most lags that are tested.
const MOST_LAGS: usize = 10;
/// Standard normal deviate beyond which many residuals count as autocorrelated; chance exceeds it in 3 of
/// 10⁵ tests.
const SIGNIFICANT: f64 = 4.0;

/// Autocorrelation of the residuals of an experiment, in the order in which it writes them.
///
/// With the autocorrelations `ϱ_k = Σ_i r_i r_{i+k} / Σ_i r_i²` of m residuals
///
/// ```text
/// Q = m (m + 2) Σ_{k=1}^h ϱ_k² / (m − k)
/// ```
///
/// is about χ²-distributed with h degrees of freedom if the residuals are independent (Ljung & Box
/// 1978, *Biometrika* 65(2), 297–303). Here h is a quarter of m, at most 10, so that channels which
/// take turns are seen, too. The cube root of `Q/h` is nearly normal, with mean `1 − 2/(9h)` and
/// variance `2/(9h)` (Wilson & Hilferty 1931, *PNAS* 17(12), 684–688).
///
/// With few residuals and many lags large values are more frequent than those of χ²: of 40 white residuals about their mean
/// the deviate is above 4 in 1.2 of 10³ tests. Above `4 + h²/m` it is in some 4 of 10⁵ at most, for 8 to 1000 residuals
/// (by up to 10⁶ draws of each number).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Autocorrelation {
    /// `ϱ₁`.
    pub lag_one: f64,
    /// `Q` as a standard normal deviate.
    pub deviate: f64,
    /// `4 + h²/m`, which the deviate of white residuals hardly ever exceeds.
    pub threshold: f64,
}

impl Autocorrelation {
    /// `None` for fewer than 8 residuals, or if all are 0.
    pub(super) fn of(residuals: &[f64]) -> Option<Self> {
        let m = residuals.len();
        let square: f64 = residuals.iter().map(|r| r * r).sum();
        if m < FEWEST || square == 0.0 {
            return None;
        }
        let at_lag = |k: usize| {
            let pairs = residuals.iter().zip(&residuals[k..]);
            pairs.map(|(a, b)| a * b).sum::<f64>() / square
        };
        let lags = (m / 4).min(MOST_LAGS);
        let sum: f64 = (1..=lags).map(|k| at_lag(k).powi(2) / (m - k) as f64).sum();
        let mean_square = m as f64 * (m as f64 + 2.0) * sum / lags as f64;
        let variance = 2.0 / (9.0 * lags as f64);
        Some(Autocorrelation {
            lag_one: at_lag(1),
            deviate: (mean_square.cbrt() - (1.0 - variance)) / variance.sqrt(),
            threshold: SIGNIFICANT + (lags * lags) as f64 / m as f64,
        })
    }

    /// Whether chance hardly explains it: a deviate above the threshold.
    pub fn is_significant(&self) -> bool {
        self.deviate > self.threshold
    }
}
