//! What a fit has found: estimates, standard errors, residuals.

use super::Minimization;
use crate::identification::autocorrelation::Autocorrelation;
use crate::identification::covariance::{
    Covariance, FromPriors, by_long_parts, by_scores, by_variance, normal_basis, variance_of_data,
};
use crate::identification::determinability::Determinability;
use crate::identification::error::IdentificationError;
use crate::identification::evaluation::{Evaluator, Scores};
use crate::identification::execution::{Executor, Items};
use crate::identification::experiment::Experiment;
use crate::identification::fit::{Estimate, Fit, FittedExperiment, Status, StopReason};
use crate::identification::levenberg_marquardt::LevenbergMarquardt;
use crate::identification::loss::Blocks;
use crate::identification::question::Quantity;

/// Share of the data in an estimate below which priors hold it.
const LEAST_SHARE: f64 = 0.5;
/// Part of its standard error by which the next step may move an unknown that is determined.
const SETTLED: f64 = 0.3;
/// As many parts of the data at least are taken for independent where neighbouring residuals are not.
const LONG_PARTS: usize = 6;

impl<'e, 'a, X: Experiment, E: Executor<Evaluator<'a, X>>> Minimization<'e, 'a, X, E> {
    /// Standard errors by long parts of the data.
    pub(super) fn correlated_errors(
        &mut self,
        slopes: &[f64],
    ) -> Result<Option<Vec<Option<f64>>>, IdentificationError> {
        let part = self.costs.residuals.div_ceil(LONG_PARTS);
        let scores = self.scores(Some(part))?;
        Ok(scores.and_then(|scores| by_long_parts(&self.model, slopes, &scores, &self.priors)))
    }

    /// Sums over the scores of blocks, or of parts of about so many residuals; none where an experiment fails.
    fn scores(&mut self, part: Option<usize>) -> Result<Option<Scores>, IdentificationError> {
        let basis = normal_basis(&self.model);
        let size = basis.shape();
        let question = Quantity::Scores { basis, part };
        let answer = self.experiments.request(&self.values, question)?;
        Ok((answer.failed.is_empty()).then(|| Scores::of(&answer, size)))
    }

    /// What has been found.
    ///
    /// # Errors
    /// When the executor fails.
    pub fn finish(mut self, stop: StopReason) -> Result<Fit, IdentificationError> {
        let unknowns = self.experiments.unknowns();
        let slopes: Vec<f64> = (unknowns.iter().zip(&self.values))
            .map(|(u, &p)| u.slope(p))
            .collect();
        let (mut determinability, mut undetermined) = Determinability::of(&self.model, &slopes);
        let mut unsettled = Vec::new();
        if let (StopReason::BelowNoise, Some(variance)) = (stop, self.noise_variance()) {
            let part = SETTLED * variance.sqrt();
            let at = (&self.z[..], &slopes[..]);
            unsettled = determinability.add_unsettled(&self.model, at, part, &mut undetermined);
        }
        let at_bounds = (0..unknowns.len()).filter(|&j| {
            self.model.bound()[j].is_some() && !unknowns[j].is_fixed() && self.held[j].is_none()
        });
        let at_bounds: Vec<usize> = at_bounds.collect();
        if let (false, Some(variance)) = (at_bounds.is_empty(), self.noise_variance()) {
            let bounds = (&at_bounds[..], variance.sqrt());
            let at = (&self.z[..], &slopes[..]);
            determinability.add_resting_on_bounds(&self.model, bounds, at, &mut undetermined);
        }
        let LevenbergMarquardt { noise, blocks, .. } = self.options;
        let by_blocks = self.options.has_variance_of_blocks();
        let takes_residuals_for_independent = !by_blocks || blocks == Blocks::Residual;
        let is_settled = stop.is_converged() || self.options.max_iterations == 0;
        let covariance = if !is_settled {
            None
        } else if by_blocks {
            self.scores(None)?.and_then(|scores| {
                by_scores(&self.model, &slopes, self.costs, &scores, &self.priors)
            })
        } else {
            by_variance(noise, &self.model, &slopes, self.costs, &self.priors)
        }
        .filter(Covariance::is_finite);
        let shown = variance_of_data(&self.model, self.costs, &self.priors);
        let variance = match (self.options.estimates_variance(), shown) {
            (true, Some((variance, _))) => variance,
            _ => self.priors.variance,
        };
        let from_priors = FromPriors::of(&self.model, &slopes, &self.priors, variance);
        let determined = (self.priors).determined_by_data(&self.model, &normal_basis(&self.model));
        let residuals = if self.options.keeps_residuals {
            (self
                .experiments
                .request(&self.values, Quantity::Residuals)?)
            .residuals
        } else {
            Vec::new()
        };
        let experiments: Vec<FittedExperiment> = (residuals.into_iter())
            .map(|(experiment, residuals)| FittedExperiment {
                experiment,
                cost: self.experiments.cost.of(&residuals),
                autocorrelation: Autocorrelation::of(&residuals),
                weights: self.experiments.cost.weights(&residuals),
                residuals,
            })
            .collect();
        let are_autocorrelated =
            (experiments.iter()).any(|e| e.autocorrelation.is_some_and(|a| a.is_significant()));
        let correlated = match are_autocorrelated && covariance.is_some() {
            true => self.correlated_errors(&slopes)?,
            false => None,
        };
        let estimates = (0..unknowns.len())
            .map(|j| {
                let status = match self.model.bound()[j] {
                    _ if unknowns[j].is_fixed() => Status::Fixed,
                    _ if let Some(status) = self.held[j] => status,
                    Some(bound) => Status::AtBound(bound),
                    None if undetermined[j] => Status::Undetermined,
                    None if from_priors.data_shares[j] < LEAST_SHARE => Status::HeldByPrior,
                    None => Status::Determined,
                };
                let variance = covariance.as_ref().map(|c| c.matrix[(j, j)]);
                let share = from_priors.data_shares[j];
                let correlated = correlated.as_ref().and_then(|errors| errors[j]);
                let errors = (variance, correlated, share);
                Estimate::new(&unknowns[j], self.values[j], status, errors)
            })
            .collect();
        Ok(Fit {
            unknowns: unknowns.to_vec(),
            estimates,
            cost: self.cost(),
            prior_cost: self.priors.cost(&self.z),
            prior_variance: (!self.priors.is_empty()).then_some(self.priors.variance),
            determined_by_data: Some(determined),
            from_priors: from_priors.variances,
            unsettled,
            initial_cost: self.initial_cost,
            relative_offset: self.model.relative_offset(),
            stop,
            iterations: self.iterations,
            experiments,
            failures: self.failures,
            residual_count: self.costs.residuals,
            eliminated_count: self.costs.eliminated,
            experiment_count: self.experiments.evaluator.count() - self.experiments.left_out.len(),
            squares: self.costs.squares,
            degrees_of_freedom: covariance.as_ref().and_then(|c| c.degrees_of_freedom),
            determinability,
            inverse_curvature: covariance.as_ref().map(|c| c.inverse_curvature.clone()),
            covariance: covariance.map(|c| c.matrix),
            takes_residuals_for_independent,
        })
    }
}
