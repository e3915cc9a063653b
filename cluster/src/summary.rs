//! Statistics of a column.

/// Mean, spread and quantiles of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Summary {
    /// How many numbers.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Standard error of the mean; NaN for fewer than two.
    pub standard_error: f64,
    /// Quantiles 0.05, 0.5 and 0.95.
    pub quantiles: [f64; 3],
}

impl Summary {
    /// Of finite numbers, in the order of the draws, which the bits of the mean depend on; `None` for
    /// none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Summary {
            count: values.len(),
            mean,
            standard_error: (squares / (n - 1.0) / n).sqrt(),
            quantiles: [
                quantile(&sorted, 0.05)?,
                quantile(&sorted, 0.5)?,
                quantile(&sorted, 0.95)?,
            ],
        })
    }
}

/// The quantile `p` in [0, 1] of numbers in ascending order, linear between them (definition 7 of
/// Hyndman & Fan 1996, *American Statistician* 50(4), 361–365); `None` for no numbers or another `p`.
pub fn quantile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted
        .len()
        .checked_sub(1)
        .filter(|_| (0.0..=1.0).contains(&p))?;
    let at = p * last as f64;
    let below = at.floor() as usize;
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    Some(low + (at - below as f64) * (high - low))
}
