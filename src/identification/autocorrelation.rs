//! A test of residuals for autocorrelation.

/// Fewest residuals that are tested.
const FEWEST: usize = 8;
/// Most lags that are tested for one stride.
const MOST_LAGS: usize = 10;
/// Standard normal deviate beyond which many residuals count as autocorrelated; chance exceeds it in 3 of
/// 10⁵ tests.
const SIGNIFICANT: f64 = 4.0;

/// The same where several distances are tried.
const SIGNIFICANT_APART: f64 = 5.0;
/// Largest number of channels that take turns.
const MOST_CHANNELS: usize = 64;
/// Residuals for each of them.
const LEAST_OF_CHANNEL: usize = 16;

/// Autocorrelation of the residuals of an experiment, in the order in which it writes them.
///
/// With the autocorrelations `ϱ_k = Σ_i r_i r_{i+k} / Σ_i r_i²` of m residuals
///
/// ```text
/// Q = m (m + 2) Σ_{k=1}^h ϱ_{ks}² / (m − ks)
/// ```
///
/// is about χ²-distributed with h degrees of freedom if the residuals are independent (Ljung & Box
/// 1978, *Biometrika* 65(2), 297–303). Here h is a quarter of m/s, at most 10. The cube root of `Q/h` is nearly normal,
/// with mean `1 − 2/(9h)` and
/// variance `2/(9h)` (Wilson & Hilferty 1931, *PNAS* 17(12), 684–688).
///
/// The stride s is the one with the largest autocorrelation among those that are significant, or 1 if none is: residuals that
/// are s apart depend on each other where s channels take turns, and neighbours need not. Strides up to 64 are tried, with at
/// least 16 residuals for each channel.
///
/// With few residuals and many lags large values are more frequent than those of χ²: of 40 white residuals about their mean
/// the deviate is above 4 in 1.2 of 10³ tests. Above `4 + h²/m` it is in some 4 of 10⁵ at most, for 8 to 1000 residuals
/// (by up to 10⁶ draws of each number); that of any other stride above `5 + h²/m` in 3 of 10⁵, for 16 to 2000.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Autocorrelation {
    /// `ϱ₁`.
    pub lag_one: f64,
    /// The stride s.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub stride: usize,
    /// `ϱ_s`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub lag_stride: f64,
    /// `Q` as a standard normal deviate.
    pub deviate: f64,
    /// `4 + h²/m`, or 5 in place of 4 with a stride, which the deviate of white residuals hardly ever exceeds.
    pub threshold: f64,
}

#[cfg(feature = "serde")]
fn one() -> usize {
    1
}

/// `ϱ_k` at the lags k from 0 to `lags`, of no fewer residuals; NaN if all are 0.
pub(crate) fn autocorrelations(residuals: &[f64], lags: usize) -> impl Iterator<Item = f64> + '_ {
    let square: f64 = residuals.iter().map(|r| r * r).sum();
    (0..=lags).map(move |k| {
        let pairs = residuals.iter().zip(&residuals[k..]);
        pairs.map(|(a, b)| a * b).sum::<f64>() / square
    })
}

impl Autocorrelation {
    /// `None` for fewer than 8 residuals, or if all are 0.
    pub(super) fn of(residuals: &[f64]) -> Option<Self> {
        let m = residuals.len();
        if m < FEWEST || residuals.iter().all(|r| r * r == 0.0) {
            return None;
        }
        let strides = (m / LEAST_OF_CHANNEL).clamp(1, MOST_CHANNELS);
        let lags = (strides * MOST_LAGS).min(m / 4);
        let at: Vec<f64> = autocorrelations(residuals, lags).collect();
        let significant = (1..=strides)
            .map(|stride| Self::with_stride(&at, m, stride))
            .filter(Self::is_significant)
            .max_by(|a, b| a.lag_stride.abs().total_cmp(&b.lag_stride.abs()));
        Some(significant.unwrap_or_else(|| Self::with_stride(&at, m, 1)))
    }

    /// Of m residuals with these autocorrelations.
    fn with_stride(at: &[f64], m: usize, stride: usize) -> Self {
        let lags = (m / (4 * stride)).min(MOST_LAGS);
        let term = |k: usize| at[k].powi(2) / (m - k) as f64;
        let sum: f64 = (1..=lags).map(|k| term(k * stride)).sum();
        let mean_square = m as f64 * (m as f64 + 2.0) * sum / lags as f64;
        let variance = 2.0 / (9.0 * lags as f64);
        let significant = match stride {
            1 => SIGNIFICANT,
            _ => SIGNIFICANT_APART,
        };
        Autocorrelation {
            lag_one: at[1],
            stride,
            lag_stride: at[stride],
            deviate: (mean_square.cbrt() - (1.0 - variance)) / variance.sqrt(),
            threshold: significant + (lags * lags) as f64 / m as f64,
        }
    }

    /// Whether chance hardly explains it: a deviate above the threshold.
    pub fn is_significant(&self) -> bool {
        self.deviate > self.threshold
    }
}
