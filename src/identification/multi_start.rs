//! Multi-start: fits from many initial guesses.

use super::error::IdentificationError;
use super::execution::{Executor, Items};
use super::experiment::Experiment;
use super::fit::{Fit, Iteration};
use super::levenberg_marquardt::LevenbergMarquardt;
use super::problem::Problem;
use crate::{InvalidInput, Random};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

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
        let mut random = Random::new(self.seed);
        let shifts: Vec<f64> = unknowns.iter().map(|_| random.uniform()).collect();
        for k in 1..self.count {
            let point = unknowns.iter().zip(&shifts).enumerate();
            starts.push(
                point
                    .map(|(j, (unknown, shift))| {
                        let alpha = ratio.powi(-(j as i32) - 1);
                        let fraction = (shift + k as f64 * alpha).fract();
                        let lower = unknown.coordinate(unknown.lower());
                        let upper = unknown.coordinate(unknown.upper());
                        unknown.value(lower * (1.0 - fraction) + upper * fraction)
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
        self.fit_multi_start_with(problem, starts, |_, _| ControlFlow::Continue(()))
    }

    /// Fits from several starts, which share the [threads](LevenbergMarquardt::parallelism), and calls `progress` with
    /// the number of the start, from 0, after every step of its fit. When it breaks, all fits end after the step
    /// that they are at, no other start is fitted, and the result holds what has been found.
    ///
    /// ```
    /// # use dualbody::{Scalar, identification::*};
    /// # use std::ops::ControlFlow;
    /// # use std::sync::atomic::{AtomicUsize, Ordering};
    /// # struct Wave;
    /// # impl Experiment for Wave {
    /// #     type Error = std::convert::Infallible;
    /// #     fn residual_count(&self) -> usize { 20 }
    /// #     fn residuals<T: Scalar>(&self, u: &[T], r: &mut [T]) -> Result<(), Self::Error> {
    /// #         (0..20).for_each(|i| r[i] = (u[0] * i as f64).sin() - (0.7 * i as f64).sin());
    /// #         Ok(())
    /// #     }
    /// # }
    /// let waves = [Wave];
    /// let frequency = Unknown::new("frequency", "rad/s", 2.0)?.bounds(0.1, 3.0)?;
    /// let problem = Problem::new([frequency], &waves)?;
    /// let steps = AtomicUsize::new(0);
    /// let best = LevenbergMarquardt::new()
    ///     .fit_multi_start_with(&problem, &MultiStart::new(20)?, |_start, _iteration| {
    ///         match steps.fetch_add(1, Ordering::Relaxed) {
    ///             10_000.. => ControlFlow::Break(()),
    ///             _ => ControlFlow::Continue(()),
    ///         }
    ///     })?
    ///     .fits
    ///     .remove(0);
    /// assert!((best.fit.estimates[0].value - 0.7).abs() < 1e-9);
    /// # Ok::<(), IdentificationError>(())
    /// ```
    ///
    /// # Errors
    /// As [`LevenbergMarquardt::fit_multi_start`].
    pub fn fit_multi_start_with<X: Experiment>(
        &self,
        problem: &Problem<X>,
        starts: &MultiStart,
        progress: impl Fn(usize, &Iteration) -> ControlFlow<()> + Sync,
    ) -> Result<MultiStartFit, IdentificationError> {
        let fits = Fits {
            optimiser: self,
            problem,
            starts: starts.values(problem)?,
            progress,
            is_stopped: AtomicBool::new(false),
        };
        let mut parallelism = self.parallelism;
        let results = parallelism.evaluate(&fits, &(), 0..fits.count())?;
        let (mut fits, mut failed) = (Vec::new(), Vec::new());
        for (start, result) in results {
            match result {
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

/// The fits from all starts, as items.
struct Fits<'a, X, P> {
    optimiser: &'a LevenbergMarquardt,
    problem: &'a Problem<'a, X>,
    starts: Vec<Vec<f64>>,
    progress: P,
    is_stopped: AtomicBool,
}

impl<X, P> Items for Fits<'_, X, P>
where
    X: Experiment,
    P: Fn(usize, &Iteration) -> ControlFlow<()> + Sync,
{
    type Question = ();
    type Part = Vec<(Vec<f64>, Result<Fit, IdentificationError>)>;
    type Workspace = ();

    fn count(&self) -> usize {
        self.starts.len()
    }

    fn evaluate(&self, (): &mut (), (): &(), index: usize) -> Self::Part {
        if self.is_stopped.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let start = &self.starts[index];
        let fit = (self.optimiser).fit_from(self.problem, start, |iteration| {
            if (self.progress)(index, iteration).is_break() {
                self.is_stopped.store(true, Ordering::Relaxed);
            }
            match self.is_stopped.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        vec![(start.clone(), fit)]
    }
}
