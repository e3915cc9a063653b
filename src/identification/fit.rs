//! The result of a fit.

use super::autocorrelation::Autocorrelation;
use super::covariance::spare;
use super::determinability::Determinability;
use super::error::EvaluationError;
use super::gauss_newton::Bound;
use super::robust_cost::median_deviation;
use super::student::two_sided_quantile;
use super::unknown::{Transform, Unknown};
use crate::InvalidInput;
use nalgebra::DMatrix;

/// The result of a fit.
///
/// It prints as a table ([`Display`](std::fmt::Display)). With the feature `serde` it is written and read; in JSON
/// infinite numbers are `"inf"` and `"-inf"`, and one that is NaN, of an evaluation that failed, is `null`.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Fit {
    /// The unknowns, as they were given.
    pub unknowns: Vec<Unknown>,
    /// What was found for each.
    pub estimates: Vec<Estimate>,
    /// Cost `F` at the estimates, that of priors included; for least squares half the sum of squares.
    pub cost: f64,
    /// The part of it that [priors](super::Unknown::with_prior) have, `½ s² Σ ((z − m)/σ)²`, with the variance `s²` that the
    /// data show where it is estimated, and 1 otherwise.
    #[cfg_attr(feature = "serde", serde(default))]
    pub prior_cost: f64,
    /// Cost at the start, over the same experiments.
    pub initial_cost: f64,
    /// Cosine of the angle between the residuals that respond to the unknowns and the directions in
    /// which the unknowns can change them, 0 at a minimum.
    pub relative_offset: f64,
    /// Why the optimiser stopped.
    pub stop: StopReason,
    /// Every step that was tried.
    pub iterations: Vec<Iteration>,
    /// The experiments that were fitted, at the estimates; empty where the optimiser
    /// [does not keep residuals](super::LevenbergMarquardt::keep_residuals).
    pub experiments: Vec<FittedExperiment>,
    /// Evaluations that failed, in the order in which they did.
    pub failures: Vec<Failure>,
    /// Number of the fitted experiments.
    pub experiment_count: usize,
    /// Number of residuals of the fitted experiments.
    pub residual_count: usize,
    /// Number of quantities that the fitted experiments have
    /// [eliminated](super::Experiment::eliminated_count): the states of a [`Shooting`](super::Shooting), fitted as the
    /// unknowns are.
    pub eliminated_count: usize,
    /// Degrees of freedom of Student's distribution for the standard errors; `None` for the normal
    /// distribution, or without standard errors.
    pub degrees_of_freedom: Option<usize>,
    /// Which unknowns and combinations the data determine.
    pub determinability: Determinability,
    pub(super) covariance: Option<DMatrix<f64>>,
    /// The variances of the estimates if that of the noise were 1, by the curvature of the cost.
    pub(super) inverse_curvature: Option<Vec<f64>>,
    /// The variance by which priors were weighed, if there are any.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) prior_variance: Option<f64>,
    /// Number of directions that the data determine; the rank in fits that were written without.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) determined_by_data: Option<f64>,
    /// The step that the linear model still asks for at the end of a fit below the noise, in the units of the unknowns, where
    /// it is long.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) unsettled: Vec<f64>,
    /// Variances that priors leave open.
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) from_priors: Vec<f64>,
    /// Sum of the squares of the residuals.
    pub(super) squares: f64,
    /// Whether the standard errors take every residual for independent of the others.
    pub(super) takes_residuals_for_independent: bool,
}

/// What was found for one unknown.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Estimate {
    /// The name of the unknown; empty in fits that were written without.
    #[cfg_attr(feature = "serde", serde(default))]
    pub name: String,
    /// The unit of the unknown; as the name.
    #[cfg_attr(feature = "serde", serde(default))]
    pub unit: String,
    /// The value, in its unit.
    pub value: f64,
    /// Its standard error, in the same unit. There is none for an unknown that is not
    /// [`Status::Determined`] or [held by priors](Status::HeldByPrior), when the optimiser did not converge (a fit of no steps excepted), when
    /// there are not more residuals than determined unknowns and eliminated quantities, when
    /// a robust cost has no positive curvature, or when a variance is no finite number.
    pub standard_error: Option<f64>,
    /// The standard error where residuals depend on their neighbours, in the same unit, by [long stretches of the
    /// data](super::Noise#residuals-that-follow-each-other); in fits whose residuals are kept and autocorrelated, where there is
    /// a standard error. `None` in fits that were written without.
    #[cfg_attr(feature = "serde", serde(default))]
    pub correlated_standard_error: Option<f64>,
    /// Standard error of the logarithm, for a logarithmic unknown.
    pub relative_standard_error: Option<f64>,
    /// Whether the data, a prior or a bound hold the value.
    pub status: Status,
    /// The part of the variance of the estimate that comes from the noise of the data; the rest is what
    /// [priors](super::Unknown::with_prior), its own and those of other unknowns, leave open. For one unknown it is the share of
    /// the data in its information. 1 without priors; `None` for an unknown that neither data nor priors hold.
    #[cfg_attr(feature = "serde", serde(default))]
    pub data_share: Option<f64>,
}

/// What holds the value of an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Status {
    /// The data, as far as the Jacobian at the point tells where the optimiser stopped.
    Determined,
    /// [Priors](super::Unknown::with_prior), its own or those of other unknowns, more than the data: less than half of its
    /// variance comes from the [data](Estimate::data_share). Its standard error is that of data and priors together.
    HeldByPrior,
    /// The user: its bounds are equal.
    Fixed,
    /// Nothing: it takes part in a direction that the data do not determine. Another start may end
    /// at another value. So is one that would follow another, which noise alone may have brought to its bound,
    /// by more than ten standard errors.
    Undetermined,
    /// A bound: the data pull it beyond. Without one it is an end of the range that the cost falls towards for ever, by less
    /// than the noise, as towards zero of a logarithmic unknown. Estimates near a bound are not normally distributed, so it
    /// has no standard error; those of the other unknowns hold for this one fixed at its bound.
    AtBound(Bound),
}

/// One step that was tried.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Iteration {
    /// Number of the step, from 1.
    pub number: usize,
    /// Cost after the step, or still, if it was not taken.
    pub cost: f64,
    /// Cost at the end of the step; infinite if an experiment failed there.
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
    pub trial_cost: f64,
    /// Whether the step was taken.
    pub accepted: bool,
    /// Largest change of an unknown relative to its value; of the logarithm, for a logarithmic one.
    /// Infinite for one that leaves 0.
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
    pub step: f64,
    /// Damping `λ` of the step, 0 for a Gauss–Newton step.
    pub damping: f64,
    /// By how much the linear model of the residuals expected the step to reduce the cost; 0 where it expected nothing, as on
    /// the way out of a saddle.
    #[cfg_attr(feature = "serde", serde(default))]
    pub expected_reduction: f64,
    /// Cosine between residuals and attainable directions before the step.
    pub relative_offset: f64,
    /// Values of the unknowns after the step.
    pub values: Vec<f64>,
}

impl Iteration {
    /// The same after so many others.
    pub(super) fn after(&self, others: usize) -> Self {
        let number = others + self.number;
        Iteration {
            number,
            ..self.clone()
        }
    }
}

/// An experiment at the estimates.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FittedExperiment {
    /// Its index.
    pub experiment: usize,
    /// Its share of the cost.
    pub cost: f64,
    /// Its residuals.
    pub residuals: Vec<f64>,
    /// Whether its residuals are independent of each other; `None` for fewer than 8.
    pub autocorrelation: Option<Autocorrelation>,
    /// Weights of its blocks: 1 for a block that the loss counts in full, towards 0 for outliers.
    pub weights: Vec<f64>,
}

/// An evaluation that failed.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Failure {
    /// Index of the experiment.
    pub experiment: usize,
    /// Number of the step at which it failed, 0 for the start.
    pub iteration: usize,
    /// What happened.
    pub cause: EvaluationError,
    /// What followed from it.
    pub consequence: Consequence,
}

/// What followed from a failed evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Consequence {
    /// The experiment failed at the start and does not take part in the fit.
    LeftOut,
    /// The step was not taken.
    StepRejected,
}

/// Why the optimiser stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum StopReason {
    /// The relative offset is below its [tolerance](super::LevenbergMarquardt::gradient_tolerance): a
    /// minimum, at which the gradient of the free unknowns vanishes.
    Gradient,
    /// The step that the model proposes is below its tolerance.
    Step,
    /// No step promises a reduction of the cost above its tolerance, nor brings the relative offset
    /// down; or the residuals are round-off; or none reduces the cost and the gradient is flat, where
    /// the Jacobian is singular.
    CostReduction,
    /// The last ten steps that were taken together brought less than the
    /// [noise tolerance](super::LevenbergMarquardt::noise_tolerance), or, where the number of steps has
    /// reached its limit, less than a hundredth of the variance of the noise, or there is no descent left but along unknowns that run
    /// away: the cost falls on, by so little that no estimate with a standard error moves by more than a small part of it. Unknowns
    /// that it falls along are [at an end](Status::AtBound) of their range, or not [determined](Status::Undetermined).
    BelowNoise,
    /// The number of steps reached its limit.
    MaxIterations,
    /// The callback asked for it.
    Callback,
    /// The model promises a reduction, but no step brings one until they are so short that they promise less than the
    /// cost tolerance, or ten in a row brought less than that: the cost has a kink here, is noisy, or is flat to its last
    /// bit (a model that has run away to where its prediction no longer changes).
    NoDescent,
    /// The model promises a reduction, but even the smallest step ends where an experiment
    /// [fails](Fit::blocking), also with any one unknown held.
    Blocked,
}

impl StopReason {
    /// Whether the estimates are a minimum to the tolerances that were asked for.
    pub fn is_converged(self) -> bool {
        matches!(
            self,
            StopReason::Gradient
                | StopReason::Step
                | StopReason::CostReduction
                | StopReason::BelowNoise
        )
    }

    /// What to do about it, where the fit has not converged.
    pub fn advice(self) -> Option<&'static str> {
        match self {
            StopReason::Gradient
            | StopReason::Step
            | StopReason::CostReduction
            | StopReason::BelowNoise => None,
            StopReason::MaxIterations => Some(
                "allow more steps, from these values; if steps bring little, fix or tie what the data hardly tell",
            ),
            StopReason::Callback => Some("these values are the best so far, to go on from"),
            StopReason::NoDescent => Some(
                "start from several values; if that helps not, shorten experiments or segments, or soften what jumps: \
                 friction, contact, limits",
            ),
            StopReason::Blocked => Some(
                "see which experiment fails and why; bounds of unknowns or shorter segments keep away from there",
            ),
        }
    }
}

impl Fit {
    /// The fit that has gone on from the estimates of one before, with the start and the steps of both.
    pub(super) fn gone_on_from(mut self, before: Fit) -> Fit {
        let number = before.iterations.len();
        for iteration in &mut self.iterations {
            iteration.number += number;
        }
        self.iterations.splice(0..0, before.iterations);
        for failure in &mut self.failures {
            // One that is left out is so from the start.
            if failure.consequence == Consequence::StepRejected {
                failure.iteration += number;
            }
        }
        let rejected = |failure: &Failure| failure.consequence == Consequence::StepRejected;
        let earlier = before.failures.into_iter().filter(rejected);
        self.failures.extend(earlier);
        self.failures.sort_by_key(|failure| failure.iteration);
        self.initial_cost = before.initial_cost;
        self
    }

    /// The values of all unknowns.
    pub fn values(&self) -> Vec<f64> {
        self.estimates.iter().map(|e| e.value).collect()
    }

    /// Covariance of two estimates, in the product of their units; `None` where one has no standard
    /// error or an index is out of range.
    pub fn covariance(&self, i: usize, j: usize) -> Option<f64> {
        for index in [i, j] {
            self.estimates.get(index)?.standard_error?;
        }
        self.covariance.as_ref().map(|c| c[(i, j)])
    }

    /// Variance of an estimate over that which the curvature of the cost gives it with noise of variance 1; `None`
    /// without standard error.
    pub(super) fn variance_factor(&self, index: usize) -> Option<f64> {
        let unit = self.inverse_curvature.as_ref()?.get(index)?;
        Some(self.covariance(index, index)? / unit)
    }

    /// Correlation of two estimates; `None` where one has no standard error, or a standard error
    /// of 0.
    pub fn correlation(&self, i: usize, j: usize) -> Option<f64> {
        let scale = (self.covariance(i, i)? * self.covariance(j, j)?).sqrt();
        let covariance = self.covariance(i, j)?;
        (scale > 0.0).then(|| (covariance / scale).clamp(-1.0, 1.0))
    }

    /// The interval that contains the true value with probability `level`, if the model is right,
    /// the noise is as described and the model nearly linear over the interval: value ∓ quantile ×
    /// standard error, taken in the logarithm for a logarithmic unknown. It may reach beyond the
    /// bounds. `None` without standard error.
    ///
    /// # Errors
    /// [`InvalidInput`] unless `0 < level < 1`, and for an index out of range.
    pub fn confidence_interval(
        &self,
        index: usize,
        level: f64,
    ) -> Result<Option<(f64, f64)>, InvalidInput> {
        InvalidInput::check_range("confidence level", &[level], "between 0 and 1", |level| {
            0.0 < level && level < 1.0
        })?;
        InvalidInput::check_range("index of the unknown", &[index as f64], "in range", |_| {
            index < self.estimates.len()
        })?;
        let quantile = two_sided_quantile(level, self.degrees_of_freedom);
        let estimate = &self.estimates[index];
        let value = estimate.value;
        Ok(
            match (estimate.standard_error, estimate.relative_standard_error) {
                (Some(_), Some(relative)) => {
                    let factor = (quantile * relative).exp();
                    Some((value / factor, value * factor))
                }
                (Some(error), None) => Some((value - quantile * error, value + quantile * error)),
                (None, _) => None,
            },
        )
    }

    /// How many residuals there are more than directions that the data determine and eliminated quantities, if any.
    pub(crate) fn spare_residuals(&self) -> Option<f64> {
        let rank = self.determinability.rank() as f64;
        let determined = self.determined_by_data.unwrap_or(rank);
        spare(
            self.residual_count,
            determined + self.eliminated_count as f64,
        )
    }

    /// Standard deviation of the residuals, outliers included, `√(‖r‖²/(m − eliminated − d))` with the number `d` of
    /// directions that the data determine: the rank without priors, and less by what these take from it. 1 if they were
    /// divided by their true standard deviations, `None` without spare residuals.
    pub fn residual_standard_deviation(&self) -> Option<f64> {
        let spare = self.spare_residuals()?;
        Some((self.squares / spare).sqrt())
    }

    /// Standard deviation of the residuals that outliers do not spoil, `1.4826 · median |r|` times
    /// `√(m/(m − eliminated − d))` (Rousseeuw & Croux 1993, *J. American Statistical Association* 88, 1273–1283):
    /// that of normal noise. A robust loss works as its threshold says if it is 1. `None` without
    /// spare residuals, and where they were not kept.
    pub fn robust_residual_scale(&self) -> Option<f64> {
        let m = self.residual_count;
        let spare = self.spare_residuals()?;
        let sizes: Vec<f64> = (self.experiments.iter())
            .flat_map(|e| e.residuals.iter().map(|r| r.abs()))
            .collect();
        if sizes.len() != m {
            return None;
        }
        Some(median_deviation(sizes)? * (m as f64 / spare).sqrt())
    }

    /// Indices of the experiments whose residuals are autocorrelated although the standard errors
    /// take them for independent, so that those are wrong, mostly too small.
    /// [`Noise::Independent`](super::Noise::Independent) with blocks of whole experiments
    /// ([`Blocks::Experiment`](super::Blocks::Experiment)) does without that assumption.
    pub fn autocorrelated(&self) -> Vec<usize> {
        (self.experiments.iter())
            .filter(|_| self.takes_residuals_for_independent)
            .filter(|e| e.autocorrelation.is_some_and(|a| a.is_significant()))
            .map(|e| e.experiment)
            .collect()
    }

    /// Indices of the experiments whose failures [ended](StopReason::Blocked) the fit, those of the last step that
    /// failed; empty where it ended otherwise.
    pub fn blocking(&self) -> Vec<usize> {
        let last = (self.failures.iter())
            .filter(|_| self.stop == StopReason::Blocked)
            .filter(|f| f.consequence == Consequence::StepRejected)
            .map(|f| f.iteration)
            .max();
        let mut blocking: Vec<usize> = (self.failures.iter())
            .filter(|f| Some(f.iteration) == last)
            .map(|f| f.experiment)
            .collect();
        blocking.sort_unstable();
        blocking
    }

    /// Indices of the experiments that failed at the start and were left out.
    pub fn left_out(&self) -> Vec<usize> {
        let left_out = |f: &&Failure| f.consequence == Consequence::LeftOut;
        self.failures
            .iter()
            .filter(left_out)
            .map(|f| f.experiment)
            .collect()
    }
}

impl Estimate {
    pub(super) fn new(
        unknown: &Unknown,
        value: f64,
        status: Status,
        (variance, correlated, data_share): (Option<f64>, Option<f64>, f64),
    ) -> Self {
        let is_held = matches!(status, Status::Determined | Status::HeldByPrior);
        let standard_error = variance
            .filter(|_| is_held)
            .map(|variance| variance.max(0.0).sqrt());
        Estimate {
            name: unknown.name().to_owned(),
            unit: unknown.unit().to_owned(),
            value,
            standard_error,
            correlated_standard_error: standard_error.and(correlated),
            relative_standard_error: standard_error
                .filter(|_| unknown.transform() == Transform::Logarithmic)
                .map(|error| error / value),
            data_share: is_held.then_some(data_share),
            status,
        }
    }
}
