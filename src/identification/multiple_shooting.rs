//! Fits of long motions in stages of growing segments.

use super::error::IdentificationError;
use super::fit::{Fit, Iteration};
use super::levenberg_marquardt::LevenbergMarquardt;
use super::problem::Problem;
use super::segmented_trajectory::SegmentedTrajectory;
use super::shooting::Shooting;
use super::unknown::Unknown;
use crate::InvalidInput;
use std::ops::ControlFlow;

/// Multiple shooting with staged horizons.
///
/// From a poor guess of the unknowns a long simulation ends anywhere, and its cost has minima and
/// slopes that mean nothing. Cut into short segments that start where the motion was measured, it
/// stays near the measurements whatever the unknowns, and every segment pulls them the right way (Bock
/// 1984, *Recent advances in parameter identification techniques for O.D.E.*, in: Numerical Treatment
/// of Inverse Problems in Differential and Integral Equations, 95–121). The states at the starts of the
/// segments are eliminated, at a cost that is linear in their number ([`Shooting`]).
///
/// Each stage starts from the estimates of the one before, and from its states, with segments longer by a factor, until
/// they are whole trajectories; what the last one finds is the fit of one shoot, with its standard
/// errors. A chaotic motion may be too long for one shoot: where the last stage does not converge, those before it
/// are the result.
#[derive(Debug, Clone, PartialEq)]
pub struct MultipleShooting {
    optimiser: LevenbergMarquardt,
    first: usize,
    growth: usize,
}

/// The result of [`MultipleShooting`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MultipleShootingFit {
    /// The last stage: of whole trajectories, unless it was stopped before.
    pub fit: Fit,
    /// The stages before, in order.
    pub stages: Vec<Stage>,
    /// The state at the start of each trajectory that fits the estimates best; `None` of one that cannot be
    /// simulated, which the fit leaves out.
    pub starts: Vec<Option<Vec<f64>>>,
}

/// A stage with segments.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Stage {
    /// Intervals of a segment.
    pub segment: usize,
    /// What was found; the experiments are the trajectories.
    pub fit: Fit,
}

impl MultipleShooting {
    /// Stages of this optimiser whose first has segments of so many intervals, each next one four times
    /// as many.
    ///
    /// # Errors
    /// [`InvalidInput`] for segments without intervals.
    pub fn new(optimiser: LevenbergMarquardt, first: usize) -> Result<Self, InvalidInput> {
        let expected = "at least 1";
        InvalidInput::check_range("intervals of a segment", &[first as f64], expected, |n| {
            n >= 1.0
        })?;
        Ok(MultipleShooting {
            optimiser,
            first,
            growth: 4,
        })
    }

    /// Sets the factor by which segments grow from stage to stage (default 4).
    ///
    /// # Errors
    /// [`InvalidInput`] unless it is at least 2.
    pub fn growth(mut self, growth: usize) -> Result<Self, InvalidInput> {
        InvalidInput::check_range("growth of segments", &[growth as f64], "at least 2", |n| {
            n >= 2.0
        })?;
        self.growth = growth;
        Ok(self)
    }

    /// Fits from the first guesses of the unknowns, and calls `progress` after every step with the
    /// number of intervals of a segment; it may stop the fit, which then has no further stages.
    ///
    /// # Errors
    /// As [`Shooting::new`] and [`LevenbergMarquardt::fit`].
    pub fn fit<X: SegmentedTrajectory>(
        &self,
        unknowns: &[Unknown],
        trajectories: &[X],
        mut progress: impl FnMut(usize, &Iteration) -> ControlFlow<()>,
    ) -> Result<MultipleShootingFit, IdentificationError> {
        let counts = trajectories.iter().map(X::interval_count);
        let longest = counts.max().ok_or(IdentificationError::NoExperiments)?;
        let mut start: Vec<f64> = unknowns.iter().map(Unknown::initial).collect();
        let mut stages = Vec::new();
        let mut segment = self.first.min(longest);
        let mut shorter: Vec<Shooting<X>> = Vec::new();
        loop {
            let mut shootings = trajectories
                .iter()
                .map(|trajectory| Shooting::new(trajectory, segment))
                .collect::<Result<Vec<_>, _>>()?;
            for (shooting, shorter) in shootings.iter_mut().zip(&shorter) {
                shooting.start_from(shorter, &start);
            }
            let problem = Problem::new(unknowns, &shootings)?;
            let mut is_stopped = false;
            let fit = self.optimiser.fit_from(&problem, &start, |iteration| {
                let wish = progress(segment, iteration);
                is_stopped = wish.is_break();
                wish
            })?;
            start = fit.values();
            if segment >= longest || is_stopped {
                let starts = shootings.iter().map(|shooting| {
                    let states = shooting.states(&start).ok()?;
                    states.into_iter().next()
                });
                return Ok(MultipleShootingFit {
                    starts: starts.collect(),
                    fit,
                    stages,
                });
            }
            stages.push(Stage { segment, fit });
            shorter = shootings;
            segment = segment.saturating_mul(self.growth).min(longest);
        }
    }
}
