//! The robust cost of residuals in blocks.

use super::loss::{Blocks, Loss};
use super::r_factor::dot;

/// 1.4826 times the median, of the magnitudes of normal noise its standard deviation; `None` of none.
pub(super) fn median_deviation(mut sizes: Vec<f64>) -> Option<f64> {
    let m = sizes.len();
    sizes.sort_by(f64::total_cmp);
    let middle = m.checked_sub(1)? / 2;
    Some(1.4826 * 0.5 * (sizes[middle] + sizes[m / 2]))
}

/// The standard deviation of normal noise of these magnitudes, which outliers hardly change; `None` of none.
///
/// The root of the mean of squares that are cut at 9 times the mean square itself, from the median on, over what is left of
/// that of normal noise (Huber 1964, *Annals of Mathematical Statistics* 35(1), 73–101, proposal 2): as exact as the root mean
/// square to 1 %.
pub(super) fn robust_deviation(sizes: Vec<f64>) -> Option<f64> {
    const CUT: f64 = 9.0;
    // ∫ min(z², 9) over the standard normal distribution.
    const LEFT: f64 = 0.995_006;
    let squares: Vec<f64> = sizes.iter().map(|r| r * r).collect();
    let mut square = median_deviation(sizes)?.powi(2);
    for _ in 0..50 {
        let cut = squares.iter().map(|s| s.min(CUT * square));
        square = cut.sum::<f64>() / (LEFT * squares.len() as f64);
    }
    Some(square.sqrt())
}

/// A loss of blocks of residuals.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct RobustCost {
    pub loss: Loss,
    pub blocks: Blocks,
}

impl RobustCost {
    /// Cost of the residuals of an experiment.
    pub fn of(&self, residuals: &[f64]) -> f64 {
        self.blocks(residuals)
            .map(|r| {
                let size = r.len() as f64;
                0.5 * size * self.loss.evaluate(dot(r, r) / size)[0]
            })
            .sum()
    }

    /// How much less the cost is with the residuals `after` than with those `before`. Residual by
    /// residual, so that large ones which stay the same do not hide what the others do.
    pub fn reduction(&self, before: &[f64], after: &[f64]) -> f64 {
        let blocks = self.blocks(before).zip(self.blocks(after));
        blocks.map(|(a, b)| self.block_reduction(a, b)).sum()
    }

    fn block_reduction(&self, before: &[f64], after: &[f64]) -> f64 {
        let size = before.len() as f64;
        let pairs = before.iter().zip(after);
        let squares: f64 = pairs.map(|(a, b)| (a - b) * (a + b)).sum();
        if self.loss.is_least_squares() {
            return 0.5 * squares;
        }
        let [before, after] = [before, after].map(|r| dot(r, r) / size);
        let [rho, slope, _] = self.loss.evaluate(after);
        let change = squares / size;
        // The difference of nearly equal losses is lost in them; its first term is not.
        if change.abs() <= 1e-8 * after {
            0.5 * size * slope * change
        } else {
            0.5 * size * (self.loss.evaluate(before)[0] - rho)
        }
    }

    /// Weights of the blocks of an experiment.
    pub fn weights(&self, residuals: &[f64]) -> Vec<f64> {
        self.blocks(residuals)
            .map(|r| self.loss.evaluate(dot(r, r) / r.len() as f64)[1])
            .collect()
    }

    pub fn blocks<'r>(&self, residuals: &'r [f64]) -> impl Iterator<Item = &'r [f64]> {
        residuals.chunks(self.blocks.size(residuals.len()))
    }

    /// Number of blocks of an experiment with `residuals` residuals.
    pub fn block_count(&self, residuals: usize) -> usize {
        residuals / self.blocks.size(residuals)
    }
}
