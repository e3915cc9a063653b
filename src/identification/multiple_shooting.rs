//! Multiple shooting in stages of growing segments.

use super::error::IdentificationError;
use super::experiment::Experiment;
use super::fit::{Fit, Iteration, StopReason};
use super::levenberg_marquardt::LevenbergMarquardt;
use super::loss::{Blocks, Loss};
use super::problem::Problem;
use super::robust_cost::{RobustCost, median_deviation};
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
/// errors. A chaotic motion may be too long for one shoot. The result is therefore the last stage that
/// [converges](StopReason::is_converged) and that the segments before it do not refute: at its estimates these have at most twice
/// the root mean square of what they have at their own, or of noise. A stage that they refute is not gone on from, and one that
/// cannot start ends the fit with what those before it have found.
///
/// With a [noise tolerance](LevenbergMarquardt::noise_tolerance) the states of segments follow the unknowns in the linear model,
/// and are searched for only where the cost is then not what it expects; at the estimates they are found to a hundredth of the
/// tolerance, and the fit goes on if that changes them. Stages before the last have ten times that tolerance (0.1 at most), and
/// end at stationary points without a look for others, with states as they are; where one of them is the result, it is fitted
/// once more as the last would be.
#[derive(Debug, Clone, PartialEq)]
pub struct MultipleShooting {
    optimiser: LevenbergMarquardt,
    first: usize,
    growth: usize,
    adapts_loss: bool,
}

/// The result of [`MultipleShooting`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MultipleShootingFit {
    /// The last stage that converged and was not refuted, or that the callback stopped: of whole trajectories, unless
    /// there are later ones among `discarded` or a stage failed. Where none converged, the last that was not refuted.
    pub fit: Fit,
    /// Intervals of its segments; at most as many as the longest trajectory has. With less, standard errors are
    /// [too large](Shooting#standard-errors-with-several-segments).
    pub segment: usize,
    /// The stages before, in order.
    pub stages: Vec<Stage>,
    /// The stages after it, in order: they did not converge, or shorter segments refute them.
    pub discarded: Vec<Stage>,
    /// The stage that could not be started after these, and why.
    pub failed: Option<FailedStage>,
    /// The state at the start of each trajectory that fits the estimates best; `None` of one that cannot be
    /// simulated, which the fit leaves out.
    pub starts: Vec<Option<Vec<f64>>>,
    /// The residuals of what was measured on each trajectory at the estimates, without those of starts and gaps, in the
    /// order of [`SegmentedTrajectory::shoot`]; `None` as of the starts.
    pub residuals: Vec<Option<Vec<f64>>>,
    /// The trajectories of which the search for these states has not reached a [minimum](Shooting::is_minimum) at the
    /// estimates, so that neither the gradient nor the standard errors are exact.
    pub unsettled: Vec<usize>,
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

impl Stage {
    /// Of one that was [discarded](MultipleShootingFit::discarded): why.
    pub fn why_discarded(&self) -> String {
        match self.fit.stop.is_converged() {
            true => "shorter segments are far from its estimates".to_owned(),
            false => self.fit.stop.to_string(),
        }
    }
}

/// A stage that could not be started.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FailedStage {
    /// Intervals of a segment.
    pub segment: usize,
    /// What is wrong.
    pub cause: IdentificationError,
}

/// A stage with what it has simulated.
struct Tried<'a, X> {
    segment: usize,
    shootings: Vec<Shooting<'a, X>>,
    fit: Fit,
    cost: RobustCost,
    is_refuted: bool,
}

impl<X: SegmentedTrajectory> Tried<'_, X> {
    /// Whether it may be the result, whatever the stages before it.
    fn is_settled(&self) -> bool {
        let stop = self.fit.stop;
        !self.is_refuted && (stop.is_converged() || stop == StopReason::Callback)
    }

    /// Whether the segments of this stage are far from these estimates of a later one.
    fn refutes(&self, values: &[f64]) -> bool {
        let left_out = self.fit.left_out();
        let cost = (self.shootings.iter().enumerate())
            .filter(|(i, _)| !left_out.contains(i))
            .map(|(_, shooting)| {
                let mut residuals = vec![f64::NAN; Experiment::residual_count(shooting)];
                let found = shooting.residuals(values, &mut residuals);
                found.map(|()| self.cost.of(&residuals))
            })
            .sum::<Result<f64, _>>();
        let own = (self.fit.cost).max(0.5 * self.fit.residual_count as f64);
        !cost.is_ok_and(|cost| cost <= REFUTED * REFUTED * own)
    }

    fn into_stage(self) -> Stage {
        let (segment, fit) = (self.segment, self.fit);
        Stage { segment, fit }
    }
}

/// Largest root mean square of what segments have at the estimates of longer ones, in units of their own or of noise.
const REFUTED: f64 = 2.0;

/// Factor of the noise tolerance in stages of segments that are not yet whole trajectories, and what it leads to at most.
const SHORTER: f64 = 10.0;
const LOOSEST: f64 = 0.1;

/// How often a fit goes on with states that are found to its tolerance.
const MAX_SETTLINGS: usize = 5;
/// How often a stage is fitted with what its residuals scatter by.
const MAX_SCALES: usize = 4;
/// Factor within which that is the same.
const SAME_SCALE: f64 = 1.2;

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
            adapts_loss: false,
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

    /// Sets whether the threshold of the loss counts in units of what the residuals of a stage scatter by, 1.4826 times the
    /// median of their magnitudes, where that is more than 1 (default: no). A model that is off, or deviations that are too
    /// small, then make no outliers of half of what was measured.
    pub fn adapt_loss(mut self, adapts: bool) -> Self {
        self.adapts_loss = adapts;
        self
    }

    /// Fits from other values of the unknowns than their first guesses.
    ///
    /// # Errors
    /// As [`Self::fit`], and for values outside the bounds, or of another number.
    pub fn fit_from<X: SegmentedTrajectory>(
        &self,
        unknowns: &[Unknown],
        start: &[f64],
        trajectories: &[X],
        mut progress: impl FnMut(usize, &Iteration) -> ControlFlow<()>,
    ) -> Result<MultipleShootingFit, IdentificationError> {
        self.stages((unknowns, start), trajectories, &mut progress)
    }

    /// Fits from the first guesses of the unknowns, and calls `progress` after every step with the
    /// number of intervals of a segment; it may stop the fit, which then has no further stages.
    ///
    /// # Errors
    /// As [`Shooting::new`] and [`LevenbergMarquardt::fit`], in the first stage;
    /// [`failed`](MultipleShootingFit::failed) holds the error of a later one.
    pub fn fit<X: SegmentedTrajectory>(
        &self,
        unknowns: &[Unknown],
        trajectories: &[X],
        mut progress: impl FnMut(usize, &Iteration) -> ControlFlow<()>,
    ) -> Result<MultipleShootingFit, IdentificationError> {
        let start: Vec<f64> = unknowns.iter().map(Unknown::initial).collect();
        self.stages((unknowns, &start), trajectories, &mut progress)
    }

    fn stages<X: SegmentedTrajectory>(
        &self,
        from: (&[Unknown], &[f64]),
        trajectories: &[X],
        progress: &mut impl FnMut(usize, &Iteration) -> ControlFlow<()>,
    ) -> Result<MultipleShootingFit, IdentificationError> {
        let unknowns = from.0;
        let counts = trajectories.iter().map(X::interval_count);
        let longest = counts.max().ok_or(IdentificationError::NoExperiments)?;
        let mut segment = self.first.min(longest);
        let is_loose = |segment: usize| segment < longest && self.optimiser.noise_tolerance > 0.0;
        let stage = (segment, is_loose(segment));
        let first = self.stage(from, trajectories, stage, &[], progress)?;
        let (mut tried, mut failed) = (vec![first], None);
        let is_stopped = |tried: &[Tried<X>]| {
            (tried.last()).is_some_and(|last| last.fit.stop == StopReason::Callback)
        };
        while segment < longest && !is_stopped(&tried) {
            segment = segment.saturating_mul(self.growth).min(longest);
            // The first is never refuted.
            let base = &tried[tried.iter().rposition(|t| !t.is_refuted).unwrap_or(0)];
            let from = (unknowns, &base.fit.values()[..]);
            let stage = (segment, is_loose(segment));
            match self.stage(from, trajectories, stage, &base.shootings, progress) {
                Ok(mut longer) => {
                    longer.is_refuted = base.refutes(&longer.fit.values());
                    tried.push(longer);
                }
                Err(cause) => {
                    failed = Some(FailedStage { segment, cause });
                    break;
                }
            }
        }
        let best = (tried.iter().rposition(Tried::is_settled))
            .or_else(|| tried.iter().rposition(|t| !t.is_refuted))
            .unwrap_or(0);
        let discarded = tried.split_off(best + 1);
        let mut best = tried.remove(best);
        if is_loose(best.segment) && best.fit.stop != StopReason::Callback {
            // It was to be gone on from, and is the result.
            let (start, segment) = (best.fit.values(), best.segment);
            let (from, stage) = ((unknowns, &start[..]), (segment, false));
            let closer = self.stage(from, trajectories, stage, &best.shootings, progress);
            best = closer.unwrap_or(best);
        }
        let values = best.fit.values();
        let starts = best.shootings.iter().map(|shooting| {
            let states = shooting.states(&values).ok()?;
            states.into_iter().next()
        });
        let is_unsettled = |&i: &usize| matches!(best.shootings[i].is_minimum(&values), Ok(false));
        Ok(MultipleShootingFit {
            unsettled: (0..best.shootings.len()).filter(is_unsettled).collect(),
            starts: starts.collect(),
            residuals: (best.shootings.iter())
                .map(|shooting| shooting.measured(&values).ok())
                .collect(),
            fit: best.fit,
            segment: best.segment,
            stages: tried.into_iter().map(Tried::into_stage).collect(),
            discarded: discarded.into_iter().map(Tried::into_stage).collect(),
            failed,
        })
    }

    /// One stage, with segments of so many intervals and perhaps to be gone on from, from these values of the unknowns and the
    /// states of the stage before.
    fn stage<'a, X: SegmentedTrajectory>(
        &self,
        (unknowns, start): (&[Unknown], &[f64]),
        trajectories: &'a [X],
        (segment, is_loose): (usize, bool),
        shorter: &[Shooting<'a, X>],
        progress: &mut impl FnMut(usize, &Iteration) -> ControlFlow<()>,
    ) -> Result<Tried<'a, X>, IdentificationError> {
        let mut optimiser = self.optimiser.clone();
        if is_loose {
            let exact = optimiser.noise_tolerance;
            optimiser.noise_tolerance = (SHORTER * exact).min(LOOSEST).max(exact);
            optimiser.probes = false;
        }
        let knows_noise = !optimiser.estimates_variance();
        // What all trajectories leave together counts.
        let share = optimiser.noise_tolerance / trajectories.len() as f64;
        let shootings = |loss: Loss, start: &[f64], before: &[Shooting<'a, X>]| {
            let mut shootings = trajectories
                .iter()
                .map(|trajectory| {
                    let shooting = Shooting::new(trajectory, segment)?.loss(loss);
                    Ok(shooting.noise_tolerance(share, knows_noise))
                })
                .collect::<Result<Vec<_>, IdentificationError>>()?;
            for (shooting, before) in shootings.iter_mut().zip(before) {
                shooting.start_from(before, start);
            }
            Ok::<_, IdentificationError>(shootings)
        };
        let adapts = self.adapts_loss && !self.optimiser.loss.is_least_squares();
        let (mut scale, mut start) = (1.0, start.to_vec());
        let mut before = None;
        if adapts {
            let plain = shootings(Loss::least_squares(), &start, shorter)?;
            scale = robust_scale(&plain, &start);
            before = Some(plain);
        }
        let mut tries = MAX_SCALES;
        loop {
            tries -= 1;
            let loss = self.optimiser.loss.scaled(scale);
            let optimiser = optimiser.clone().loss(loss);
            let own = match optimiser.blocks {
                Blocks::Residual => loss,
                _ => Loss::least_squares(),
            };
            let shootings = shootings(own, &start, before.as_deref().unwrap_or(shorter))?;
            let problem = Problem::new(unknowns, &shootings)?;
            let mut note = |iteration: &Iteration| progress(segment, iteration);
            let settles = share > 0.0 && !is_loose;
            let fit = match settles {
                true => fit_settled(&optimiser, (&problem, &shootings), &start, &mut note)?,
                false => optimiser.fit_from(&problem, &start, &mut note)?,
            };
            start = fit.values();
            let found = if adapts {
                robust_scale(&shootings, &start)
            } else {
                scale
            };
            let is_same = (found / scale).ln().abs() <= SAME_SCALE.ln();
            if is_same || tries == 0 || fit.stop == StopReason::Callback {
                return Ok(Tried {
                    segment,
                    shootings,
                    fit,
                    cost: optimiser.robust_cost(),
                    is_refuted: false,
                });
            }
            scale = found;
            before = Some(shootings);
        }
    }
}

/// Fits without a look for other minima until the states are found to the tolerance of the fit, and then as the optimiser says.
fn fit_settled<X: SegmentedTrajectory>(
    optimiser: &LevenbergMarquardt,
    (problem, shootings): (&Problem<Shooting<X>>, &[Shooting<X>]),
    start: &[f64],
    mut note: impl FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Fit, IdentificationError> {
    let descent = optimiser.clone().probe(false);
    let mut fit = descent.fit_from(problem, start, &mut note)?;
    let mut go_on = |fit: Fit, optimiser: &LevenbergMarquardt| {
        let before = fit.iterations.len();
        let left = optimiser.max_iterations.saturating_sub(before);
        let rest = optimiser.clone().max_iterations(left);
        let note = |iteration: &Iteration| note(&iteration.after(before));
        let next = rest.fit_from(problem, &fit.values(), note)?;
        Ok::<_, IdentificationError>(next.gone_on_from(fit))
    };
    let mut probes = optimiser.probes;
    for _ in 0..MAX_SETTLINGS {
        if fit.iterations.len() >= optimiser.max_iterations {
            break;
        }
        let (values, stop) = (fit.values(), fit.stop);
        // One that cannot be simulated is left out.
        let settled = shootings.iter().map(|shooting| shooting.settle(&values));
        let has_moved = settled.fold(false, |any, moved| any | moved.unwrap_or(false));
        let is_stationary = stop.is_converged() && stop != StopReason::BelowNoise;
        let next = match has_moved {
            true if stop.is_converged() || stop == StopReason::NoDescent => &descent,
            false if is_stationary && std::mem::take(&mut probes) => optimiser,
            _ => break,
        };
        fit = go_on(fit, next)?;
    }
    Ok(fit)
}

/// What the residuals of measurements scatter by, at least 1.
fn robust_scale<X: SegmentedTrajectory>(shootings: &[Shooting<X>], values: &[f64]) -> f64 {
    let measured = shootings.iter().filter_map(|s| s.measured(values).ok());
    let sizes = measured.flatten().map(f64::abs).collect();
    median_deviation(sizes).map_or(1.0, |scale| scale.max(1.0))
}
