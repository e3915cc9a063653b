//! Which of several experiments to make next.

use super::error::IdentificationError;
use super::experiment::Experiment;
use super::fit::Status;
use super::levenberg_marquardt::LevenbergMarquardt;
use super::problem::Problem;
use super::unknown::Unknown;
use super::{Fit, Noise};

/// What an experiment would tell beside those that have been made.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// Its index among the candidates.
    pub index: usize,
    /// The unknowns that are not determined without it, and would be with it.
    pub determines: Vec<usize>,
    /// The standard error that each unknown would have, in its unit; `None` if it would not be determined, or is held
    /// by a bound.
    pub standard_errors: Vec<Option<f64>>,
}

/// Compares experiments that could be made: what each would add to those that have been made, at these values of the
/// unknowns, if the deviations are right that residuals are divided by ([`Noise::Unit`]). The best come first: those that determine most, and
/// among these the ones with the smallest product of standard errors, which is the D-criterion without correlations.
///
/// Only derivatives count: the measurements of an experiment that has not been made may be any numbers, such as predictions.
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
    let fit = |experiments: &[&X]| -> Result<Fit, IdentificationError> {
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
    let is_open = |fit: &Fit, j: usize| fit.estimates[j].status == Status::Undetermined;
    let mut experiments: Vec<&X> = made.iter().collect();
    let open: Vec<usize> = match experiments.as_slice() {
        [] => (0..unknowns.len()).collect(),
        experiments => {
            let fit = fit(experiments)?;
            (0..unknowns.len()).filter(|&j| is_open(&fit, j)).collect()
        }
    };
    let mut compared = Vec::with_capacity(candidates.len());
    for (index, candidate) in candidates.iter().enumerate() {
        experiments.push(candidate);
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
