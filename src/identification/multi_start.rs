//! Fits from many starts.

use super::error::IdentificationError;
use super::experiment::Experiment;
use super::fit::Fit;
use super::levenberg_marquardt::LevenbergMarquardt;
use super::problem::Problem;
use crate::InvalidInput;
use std::ops::ControlFlow;

/// Starts that fill the bounds evenly.
///
/// The first start is the first guess of the unknowns. The others are the points
/// `frac(shift + k α)`, k = 1, 2, …, of the unit cube with `α_j = φ^(−j)` and `φ` the root of
/// `φ^(d+1) = φ + 1`, an additive recurrence that generalises the golden ratio to `d` dimensions and
/// has low discrepancy (Roberts 2018, *The unreasonable effectiveness of quasirandom sequences*),
/// mapped to the bounds in the coordinates of the unknowns: evenly in the logarithm for logarithmic
/// ones. The same seed gives the same starts.
///
/// ```
/// use dualbody::identification::MultiStart;
/// let starts = MultiStart::new(20)?.seed(7);
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MultiStart {
    count: usize,
    seed: u64,
}

impl MultiStart {
    /// So many starts, the first guess included.
    ///
    /// # Errors
    /// [`InvalidInput`] for 0.
    pub fn new(count: usize) -> Result<Self, InvalidInput> {
        InvalidInput::check_range("number of starts", &[count as f64], "at least 1", |n| {
            n >= 1.0
        })?;
        Ok(MultiStart { count, seed: 0 })
    }

    /// Shifts the sequence of starts (default 0).
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Values of the unknowns at all starts.
    ///
    /// # Errors
    /// [`IdentificationError::Unknown`] for an unknown without finite bounds (positive ones, if it
    /// is logarithmic), unless the first guess is the only start.
    pub fn values<X: Experiment>(
        &self,
        problem: &Problem<X>,
    ) -> Result<Vec<Vec<f64>>, IdentificationError> {
        let mut starts = vec![problem.initial_values()];
        if self.count == 1 {
            return Ok(starts);
        }
        let unknowns = problem.unknowns();
        for unknown in unknowns {
            unknown.check_value(unknown.lower())?;
            unknown.check_value(unknown.upper())?;
        }
        let ratio = generalized_golden_ratio(unknowns.len());
        let mut random = SplitMix(self.seed);
        let shifts: Vec<f64> = unknowns.iter().map(|_| random.next()).collect();
        for k in 1..self.count {
            let point = unknowns.iter().zip(&shifts).enumerate();
            starts.push(
                point
                    .map(|(j, (unknown, shift))| {
                        let alpha = ratio.powi(-(j as i32) - 1);
                        let fraction = (shift + k as f64 * alpha).fract();
                        let lower = unknown.coordinate(unknown.lower());
                        let upper = unknown.coordinate(unknown.upper());
                        unknown.value(lower + fraction * (upper - lower))
                    })
                    .collect(),
            );
        }
        Ok(starts)
    }
}

/// The root of `φ^(d+1) = φ + 1`.
fn generalized_golden_ratio(dimension: usize) -> f64 {
    (0..100).fold(2.0f64, |phi, _| {
        (1.0 + phi).powf(1.0 / (dimension as f64 + 1.0))
    })
}

/// Steele, Lea & Flood 2014, *Fast splittable pseudorandom number generators*.
struct SplitMix(u64);

impl SplitMix {
    /// Evenly distributed in [0, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
        (x >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The fits from all starts.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MultiStartFit {
    /// Fits that could be started, best first: those that left out fewer experiments before others,
    /// since costs of different experiments cannot be compared, then by cost.
    pub fits: Vec<LocalFit>,
    /// Starts at which no fit could be started, and why.
    pub failed: Vec<(Vec<f64>, IdentificationError)>,
}

/// A fit and its start.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LocalFit {
    /// Values of the unknowns at the start.
    pub start: Vec<f64>,
    /// What was found from there.
    pub fit: Fit,
}

impl LevenbergMarquardt {
    /// Fits from several starts; the result holds at least one fit.
    ///
    /// # Errors
    /// As [`MultiStart::values`], and the error of the first start if no fit can be started.
    pub fn fit_multi_start<X: Experiment>(
        &self,
        problem: &Problem<X>,
        starts: &MultiStart,
    ) -> Result<MultiStartFit, IdentificationError> {
        let (mut fits, mut failed) = (Vec::new(), Vec::new());
        for start in starts.values(problem)? {
            match self.fit_from(problem, &start, |_| ControlFlow::Continue(())) {
                Ok(fit) => fits.push(LocalFit { start, fit }),
                Err(error) => failed.push((start, error)),
            }
        }
        if let (true, Some((_, error))) = (fits.is_empty(), failed.first()) {
            return Err(error.clone());
        }
        fits.sort_by(|a, b| {
            let left_out = |f: &LocalFit| f.fit.left_out().len();
            (left_out(a).cmp(&left_out(b))).then(a.fit.cost.total_cmp(&b.fit.cost))
        });
        Ok(MultiStartFit { fits, failed })
    }
}
