//! Choice of the next experiment among candidates, by its information.

use super::error::IdentificationError;
use super::experiment::Experiment;
use super::fit::Status;
use super::levenberg_marquardt::LevenbergMarquardt;
use super::problem::Problem;
use super::unknown::Unknown;
use super::{Fit, Noise};
use crate::DefaultScalar;

/// What an experiment would tell beside those that have been made.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// Its index among the candidates.
    pub index: usize,
    /// The unknowns that are not determined without it, or held by priors, and would be determined with it.
    pub determines: Vec<usize>,
    /// The standard error that each unknown would have, in its unit; `None` if it would not be determined, or is
    /// fixed.
    pub standard_errors: Vec<Option<f64>>,
}

/// Compares experiments that could be made: what each would add to those that have been made, at these values of the
/// unknowns, if the deviations are right that residuals are divided by ([`Noise::Unit`]). The best come first: those that determine most, and
/// among these the ones with the smallest product of standard errors, which is the D-criterion without correlations.
///
/// Only derivatives count: the measurements of an experiment that has not been made may be any numbers, such as predictions.
/// Bounds hold no unknown unless they are equal, as only measurements say whether one stays at a bound.
///
/// # Errors
/// As [`Problem::new`]; [`IdentificationError::Experiment`] for an experiment that cannot be evaluated, which
/// counts those that have been made first.
pub fn compare_candidates<X: Experiment>(
    unknowns: &[Unknown],
    values: &[f64],
    made: &[X],
    candidates: &[X],
) -> Result<Vec<Candidate>, IdentificationError> {
    let fit = |experiments: &[Derivatives<X>]| -> Result<Fit, IdentificationError> {
        let problem = Problem::new(unknowns, experiments)?;
        let optimiser = LevenbergMarquardt::new()
            .max_iterations(0)
            .noise(Noise::Unit);
        let fit = optimiser.fit_from(&problem, values, |_| std::ops::ControlFlow::Continue(()))?;
        match fit.failures.first() {
            Some(failure) => Err(IdentificationError::Experiment {
                experiment: failure.experiment,
                cause: failure.cause.clone(),
            }),
            None => Ok(fit),
        }
    };
    let is_open = |fit: &Fit, j: usize| {
        matches!(
            fit.estimates[j].status,
            Status::Undetermined | Status::HeldByPrior
        )
    };
    let mut experiments: Vec<Derivatives<X>> = made.iter().map(Derivatives).collect();
    let open: Vec<usize> = match experiments.as_slice() {
        [] => (0..unknowns.len())
            .filter(|&j| !unknowns[j].is_fixed())
            .collect(),
        experiments => {
            let fit = fit(experiments)?;
            (0..unknowns.len()).filter(|&j| is_open(&fit, j)).collect()
        }
    };
    let mut compared = Vec::with_capacity(candidates.len());
    for (index, candidate) in candidates.iter().enumerate() {
        experiments.push(Derivatives(candidate));
        let fit = fit(&experiments)?;
        experiments.pop();
        compared.push(Candidate {
            index,
            determines: (open.iter().copied())
                .filter(|&j| !is_open(&fit, j))
                .collect(),
            standard_errors: fit.estimates.iter().map(|e| e.standard_error).collect(),
        });
    }
    let product = |candidate: &Candidate| -> f64 {
        let errors = candidate.standard_errors.iter().flatten();
        errors.map(|error| error.ln()).sum()
    };
    compared.sort_by(|a, b| {
        (b.determines.len().cmp(&a.determines.len()))
            .then_with(|| product(a).total_cmp(&product(b)))
    });
    Ok(compared)
}

/// An experiment whose residuals are zero, with their derivatives.
struct Derivatives<'a, X>(&'a X);

impl<X: Experiment> Experiment for Derivatives<'_, X> {
    type Error = X::Error;

    fn residual_count(&self) -> usize {
        self.0.residual_count()
    }

    fn eliminated_count(&self) -> usize {
        self.0.eliminated_count()
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), X::Error> {
        self.0.residuals(unknowns, residuals)?;
        // One that is not finite, or was not written, is not zero but NaN.
        for r in residuals {
            *r = r.infinitesimal();
        }
        Ok(())
    }
}
