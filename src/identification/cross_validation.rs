//! Fits without some of the experiments, and what they say of those.

use super::asked::Experiments;
use super::error::IdentificationError;
use super::evaluation::Evaluator;
use super::execution::Items;
use super::experiment::Experiment;
use super::fit::{Fit, Status, StopReason};
use super::levenberg_marquardt::LevenbergMarquardt;
use super::minimization::Minimization;
use super::problem::Problem;
use super::question::Quantity;
use crate::InvalidInput;
use std::ops::ControlFlow;

/// A fit judged by experiments that took no part in it, and by how far it moves without them.
///
/// The experiments are divided into groups, of which each in turn is held out: all others are fitted from the
/// estimates of the whole fit, and the experiments of the group are predicted. Experiment `i` is in the group
/// `i mod G`, so that what changes from the first experiment to the last is shared by all groups.
///
/// The errors of prediction are those of `G`-fold cross-validation (Stone 1974, *J. R. Stat. Soc. B* 36(2),
/// 111–147). The estimates scatter as the jackknife says, with groups for observations (Quenouille 1956; Kott
/// 2001, *The delete-a-group jackknife*, J. Off. Stat. 17(4), 521–526):
///
/// ```text
/// σ² = (G − 1)/G · (G − 1)/(B − 1) Σ (ẑ_g − z̄)²
/// ```
///
/// in the coordinates `z` of the unknowns, and what [priors](super::Unknown::with_prior) leave open, which leaving data out
/// does not show; over the `B` groups whose fits are [settled](HeldOut::is_settled): each
/// leaves out a `G`-th of the experiments, whatever became of the others, and the mean is of `B`. These standard
/// errors take nothing for granted about the noise within an
/// experiment, nor that the cost is smooth at the estimates, as it need not be where motions are chaotic; they are
/// as good as `B` is large, with `B − 1` degrees of freedom.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CrossValidation {
    /// The groups that could be held out, in order. Of those whose fits are not [settled](HeldOut::is_settled) nothing
    /// counts in standard errors and errors of prediction.
    pub groups: Vec<HeldOut>,
    /// The numbers of the others, and why.
    pub failed: Vec<(usize, IdentificationError)>,
    /// Standard error of each estimate in its unit; `None` for one that is not
    /// [determined](Status::Determined) or [held by priors](Status::HeldByPrior) in the whole fit, and with less than two settled groups.
    pub standard_errors: Vec<Option<f64>>,
}

/// A group of experiments, and the fit of all others.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HeldOut {
    /// The fit without the group. Experiments have the numbers of the whole problem.
    pub fit: Fit,
    /// The experiments of the group that could be predicted.
    pub predicted: Vec<Predicted>,
    /// Those that could not, and why.
    pub failed: Vec<(usize, IdentificationError)>,
}

/// An experiment, predicted by a fit in which it took no part.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Predicted {
    /// Its index in the problem.
    pub experiment: usize,
    /// Its cost.
    pub cost: f64,
    /// Its residuals.
    pub residuals: Vec<f64>,
}

impl LevenbergMarquardt {
    /// Fits without each of so many groups of experiments, from the estimates of `fit`, which is of the same
    /// problem.
    ///
    /// ```
    /// # use dualbody::{Scalar, identification::*};
    /// /// One reading of a constant, with a standard deviation of 1.
    /// struct Reading(f64);
    ///
    /// impl Experiment for Reading {
    ///     type Error = std::convert::Infallible;
    ///     fn residual_count(&self) -> usize {
    ///         1
    ///     }
    ///     fn residuals<T: Scalar>(&self, u: &[T], r: &mut [T]) -> Result<(), Self::Error> {
    ///         r[0] = u[0] - self.0;
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let readings = [4.1, 3.9, 4.4, 4.0].map(Reading);
    /// let problem = Problem::new([Unknown::new("constant", "V", 3.0)?], &readings)?;
    /// let optimiser = LevenbergMarquardt::new();
    /// let fit = optimiser.fit(&problem)?;
    /// let validation = optimiser.cross_validate(&problem, &fit, 4)?;
    ///
    /// // Of a mean, the jackknife is the standard error; a reading deviates from the mean of the others.
    /// let error = validation.standard_errors[0].ok_or("not determined")?;
    /// assert!((error - fit.estimates[0].standard_error.ok_or("none")?).abs() < 1e-12);
    /// assert!((validation.groups[2].predicted[0].residuals[0] - (4.0 - 4.4)).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`] unless there are at least 2 groups and as many experiments, or when `fit` has other
    /// unknowns; and as [`LevenbergMarquardt::fit_from`], if no group can be fitted.
    pub fn cross_validate<X: Experiment>(
        &self,
        problem: &Problem<X>,
        fit: &Fit,
        groups: usize,
    ) -> Result<CrossValidation, IdentificationError> {
        let experiments = problem.experiments();
        InvalidInput::check_range(
            "number of groups",
            &[groups as f64],
            "at least 2, and at most the number of experiments",
            |_| (2..=experiments.len()).contains(&groups),
        )?;
        let unknowns = problem.unknowns();
        InvalidInput::check_size("unknowns of the fit", fit.estimates.len(), unknowns.len())?;
        let start = fit.values();
        let evaluator = Evaluator::from(problem, &start);
        let optimiser = self.weighing_as(fit);
        let total = groups;
        let (mut groups, mut failed) = (Vec::new(), Vec::new());
        for group in 0..total {
            match optimiser.hold_out(&evaluator, &start, |experiment| experiment % total == group) {
                Ok(held_out) => groups.push(held_out),
                Err(error) => failed.push((group, error)),
            }
        }
        if let (true, Some((_, error))) = (groups.is_empty(), failed.first()) {
            return Err(error.clone());
        }
        let settled: Vec<&HeldOut> = groups.iter().filter(|group| group.is_settled()).collect();
        let (total, count) = (total as f64, settled.len() as f64);
        let standard_errors = (0..unknowns.len())
            .map(|j| {
                let unknown = &unknowns[j];
                let z = |held_out: &&HeldOut| unknown.coordinate(held_out.fit.estimates[j].value);
                let mean = settled.iter().map(z).sum::<f64>() / count;
                let squares: f64 = settled.iter().map(|g| (z(g) - mean).powi(2)).sum();
                let variance = (total - 1.0).powi(2) / (total * (count - 1.0)) * squares;
                let left_open = fit.from_priors.get(j).copied().unwrap_or(0.0).max(0.0);
                let error = (variance * unknown.slope(start[j]).powi(2) + left_open).sqrt();
                let held = [Status::Determined, Status::HeldByPrior];
                (held.contains(&fit.estimates[j].status) && count > 1.0).then_some(error)
            })
            .collect();
        Ok(CrossValidation {
            groups,
            failed,
            standard_errors,
        })
    }

    fn hold_out<X: Experiment>(
        &self,
        evaluator: &Evaluator<X>,
        start: &[f64],
        is_held_out: impl Fn(usize) -> bool,
    ) -> Result<HeldOut, IdentificationError> {
        let (held_out, others) = (0..evaluator.count()).partition(|&i| is_held_out(i));
        let mut minimization =
            Minimization::start(self, evaluator, held_out, start, self.parallelism)?.near_minimum();
        let stop = minimization.run(&mut |_| ControlFlow::Continue(()))?;
        let fit = minimization.finish(stop)?;
        let cost = self.robust_cost();
        let mut asked = Experiments {
            evaluator,
            executor: self.parallelism,
            cost,
            left_out: others,
        };
        let answer = asked.ask(&fit.values(), Quantity::Residuals)?;
        let predicted = (answer.residuals.into_iter())
            .map(|(experiment, residuals)| Predicted {
                experiment,
                cost: cost.of(&residuals),
                residuals,
            })
            .collect();
        let failed = (answer.failed.into_iter())
            .map(|(experiment, cause)| {
                (
                    experiment,
                    IdentificationError::Experiment { experiment, cause },
                )
            })
            .collect();
        Ok(HeldOut {
            fit,
            predicted,
            failed,
        })
    }
}

impl HeldOut {
    /// Whether the fit has [converged](StopReason::is_converged), or ended where no step descends, as at a kink
    /// ([`StopReason::NoDescent`]). One that ended before is still near the estimates of the whole fit, from which
    /// it started: it scatters too little, and knows the group that was held out.
    pub fn is_settled(&self) -> bool {
        self.fit.stop.is_converged() || self.fit.stop == StopReason::NoDescent
    }
}

impl CrossValidation {
    /// Root mean square of the residuals of all experiments that could be predicted, if there are any.
    pub fn root_mean_square(&self) -> Option<f64> {
        let (squares, count) = (self.predicted().flat_map(|p| &p.residuals))
            .fold((0.0, 0), |(sum, count), r| (sum + r * r, count + 1));
        (count > 0).then(|| (squares / f64::from(count)).sqrt())
    }

    /// Sum of the costs of all experiments that could be predicted. Over the cost of the whole fit, less that of its
    /// [priors](Fit::prior_cost), it says how much better a fit knows its own data.
    pub fn cost(&self) -> f64 {
        self.predicted().map(|p| p.cost).sum()
    }

    fn predicted(&self) -> impl Iterator<Item = &Predicted> {
        let settled = self.groups.iter().filter(|group| group.is_settled());
        settled.flat_map(|group| &group.predicted)
    }
}
