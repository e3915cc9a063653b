//! Leave-out cross-validation of a fit.

use super::covariance::{Noise, normal_basis};
use super::error::IdentificationError;
use super::evaluation::Evaluator;
use super::execution::Items;
use super::experiment::Experiment;
use super::fit::{Fit, Status, StopReason};
use super::levenberg_marquardt::LevenbergMarquardt;
use super::loss::Blocks;
use super::minimization::Minimization;
use super::prior::Priors;
use super::problem::Problem;
use super::question::{Costs, Quantity};
use super::requests::Experiments;
use crate::{InvalidInput, Random};
use nalgebra::{DMatrix, DVector};
use std::ops::ControlFlow;

/// Starts of each group beside the estimates of the whole fit, unless another number is asked for.
const RESTARTS: usize = 4;
/// Starts scatter as the estimates do, this many times as far, and so on, since the curvature at one of many small minima
/// says too little of that.
const FURTHER: f64 = 4.0;
/// How many such scales there are.
const SCALES: usize = 4;
/// Part of its cost by which a fit must be lower to take the place of another.
const LOWER: f64 = 1e-9;
/// How often the groups try what the others have found.
const EXCHANGES: usize = 3;
/// Standard errors that differ by this factor are worth a sentence.
const DIFFERENT: f64 = 2.0;

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
/// experiment; they are as good as `B` is large, with `B − 1` degrees of freedom.
///
/// # Costs that are not smooth
/// Where motions hit and slip, the cost has many small minima. A fit that starts from the estimates of the whole fit would stay in
/// theirs, and the jackknife would say far too little. Every group is therefore fitted from further starts, too, which scatter
/// about these as the estimates do, and up to 64 times as far, and from what the other groups have found wherever its cost is lower; the lowest
/// fit counts. A fit that has converged is also judged by the [sandwich](Noise::Independent) with whole experiments as
/// blocks (with a robust loss, with its own blocks), and the [standard error](Self::standard_errors) is the larger of the two.
/// [`differences`](Self::differences) says where they differ, and why.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CrossValidation {
    /// The groups that could be held out, in order. Of those whose fits are not [settled](HeldOut::is_settled) nothing
    /// counts in standard errors and errors of prediction.
    pub groups: Vec<HeldOut>,
    /// The numbers of the others, and why.
    pub failed: Vec<(usize, IdentificationError)>,
    /// Standard error of each estimate in its unit, the larger of both kinds; `None` for one that is not
    /// [determined](Status::Determined) or [held by priors](Status::HeldByPrior) in the whole fit, and with less than two settled groups.
    pub standard_errors: Vec<Option<f64>>,
    /// The standard errors by leaving out groups.
    pub jackknife: Vec<Option<f64>>,
    /// Those by the scores of the experiments; `None` where the whole fit has not converged, and with too few experiments.
    pub sandwich: Vec<Option<f64>>,
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
    /// Whether another start led to a lower cost than the estimates of the whole fit.
    pub is_restarted: bool,
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
        self.cross_validate_from(problem, fit, groups, RESTARTS)
    }

    /// As [`Self::cross_validate`], with so many starts of each group beside the estimates (4 there). Without any, and a cost that
    /// is not smooth, the jackknife says too little.
    ///
    /// # Errors
    /// As there.
    pub fn cross_validate_from<X: Experiment>(
        &self,
        problem: &Problem<X>,
        fit: &Fit,
        groups: usize,
        restarts: usize,
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
        let (sandwich, scatter) = optimiser.sandwich(&evaluator, fit)?;
        let mut starts = vec![start.clone()];
        let mut random = Random::new(1);
        for k in 0..restarts {
            let factor = FURTHER.powi((k % SCALES) as i32);
            let numbers = (0..scatter.ncols()).map(|_| factor * random.normal());
            let step = &scatter * DVector::from_iterator(scatter.ncols(), numbers);
            let moved = unknowns.iter().zip(&start).zip(step.iter());
            let moved: Vec<f64> = moved
                .map(|((u, &p), step)| u.value(u.coordinate(p) + step))
                .collect();
            if moved.iter().all(|p| p.is_finite()) {
                starts.push(moved);
            }
        }
        let held_out = |group: usize| {
            (0..experiments.len())
                .filter(|i| i % groups == group)
                .collect::<Vec<_>>()
        };
        let mut failed = Vec::new();
        let mut fits: Vec<(usize, Fit, bool)> = Vec::new();
        for group in 0..groups {
            match optimiser.lowest(&evaluator, &held_out(group), &starts) {
                Ok((fit, is_restarted)) => fits.push((group, fit, is_restarted)),
                Err(error) => failed.push((group, error)),
            }
        }
        if let (true, Some((_, error))) = (fits.is_empty(), failed.first()) {
            return Err(error.clone());
        }
        for _ in 0..EXCHANGES {
            let found: Vec<Vec<f64>> = fits.iter().map(|(_, fit, _)| fit.values()).collect();
            let mut is_over = restarts == 0;
            for (group, fit, is_restarted) in &mut fits {
                if is_over {
                    break;
                }
                let held_out = held_out(*group);
                let Some(start) = optimiser.lower_start(&evaluator, &held_out, fit, &found)? else {
                    continue;
                };
                let other = optimiser.without(&evaluator, held_out, start)?;
                if is_lower(&other, fit) {
                    (*fit, *is_restarted) = (other, true);
                }
            }
            let now = fits.iter().map(|(_, fit, _)| fit.values());
            is_over |= now.eq(found.iter().cloned());
            if is_over {
                break;
            }
        }
        let groups_count = groups as f64;
        let groups = (fits.into_iter())
            .map(|(group, fit, is_restarted)| {
                optimiser.predict(&evaluator, &held_out(group), fit, is_restarted)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let settled: Vec<&HeldOut> = groups.iter().filter(|group| group.is_settled()).collect();
        let (total, count) = (groups_count, settled.len() as f64);
        let jackknife: Vec<Option<f64>> = (0..unknowns.len())
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
        let standard_errors = (jackknife.iter().zip(&sandwich))
            .map(|(jackknife, sandwich)| Some(jackknife.as_ref()?.max(sandwich.unwrap_or(0.0))))
            .collect();
        Ok(CrossValidation {
            groups,
            failed,
            standard_errors,
            jackknife,
            sandwich,
        })
    }

    /// Standard errors of a fit that has converged with whole experiments as blocks, and the scatter of estimates, in
    /// coordinates (unknowns × directions): of these, or by the curvature of the cost.
    #[allow(clippy::type_complexity)]
    fn sandwich<X: Experiment>(
        &self,
        evaluator: &Evaluator<X>,
        fit: &Fit,
    ) -> Result<(Vec<Option<f64>>, DMatrix<f64>), IdentificationError> {
        let unknowns = evaluator.problem().unknowns();
        let values = fit.values();
        let blocks = match self.loss.is_least_squares() {
            true => Blocks::Experiment,
            false => self.blocks,
        };
        let options = LevenbergMarquardt {
            noise: Noise::Independent,
            blocks,
            max_iterations: 0,
            keeps_residuals: false,
            ..self.clone()
        };
        let left_out = fit.left_out();
        let minimization =
            Minimization::start(&options, evaluator, left_out, &values, self.parallelism)?;
        let curvature = normal_basis(minimization.model()) * minimization.deviation();
        let judged = minimization.finish(StopReason::MaxIterations)?;
        let errors = (judged.estimates.iter())
            .map(|e| e.standard_error.filter(|_| fit.stop.is_converged()))
            .collect();
        let scatter = (judged.covariance.as_ref())
            .filter(|_| fit.stop.is_converged())
            .and_then(|covariance| {
                let slope = |j: usize| unknowns[j].slope(values[j]);
                let n = unknowns.len();
                let is_known = |j: usize| judged.estimates[j].standard_error.is_some();
                let scaled = DMatrix::from_fn(n, n, |i, j| match is_known(i) && is_known(j) {
                    true => covariance[(i, j)] / (slope(i) * slope(j)),
                    false => 0.0,
                });
                let sizes = scaled.diagonal().map(|v| v.max(0.0).sqrt());
                let size = |j: usize| if sizes[j] > 0.0 { sizes[j] } else { 1.0 };
                let unit = DMatrix::from_fn(n, n, |i, j| scaled[(i, j)] / (size(i) * size(j)));
                let values = unit.clone().symmetric_eigen();
                let mut roots = values.eigenvectors;
                for (k, mut column) in roots.column_iter_mut().enumerate() {
                    column *= values.eigenvalues[k].max(0.0).sqrt();
                }
                for (j, mut row) in roots.row_iter_mut().enumerate() {
                    row *= sizes[j];
                }
                roots.iter().all(|x| x.is_finite()).then_some(roots)
            });
        Ok((errors, scatter.unwrap_or(curvature)))
    }

    /// The fit without some experiments, from a start.
    fn without<X: Experiment>(
        &self,
        evaluator: &Evaluator<X>,
        held_out: Vec<usize>,
        start: &[f64],
    ) -> Result<Fit, IdentificationError> {
        // The start is near a minimum that has been found.
        let near = LevenbergMarquardt {
            probes: false,
            ..self.clone()
        };
        let mut minimization =
            Minimization::start(&near, evaluator, held_out, start, self.parallelism)?;
        let stop = minimization.run(&mut |_| ControlFlow::Continue(()))?;
        minimization.finish(stop)
    }

    /// The lowest of the fits without some experiments from several starts, and whether it is not that of the first.
    fn lowest<X: Experiment>(
        &self,
        evaluator: &Evaluator<X>,
        held_out: &[usize],
        starts: &[Vec<f64>],
    ) -> Result<(Fit, bool), IdentificationError> {
        let mut lowest = self.without(evaluator, held_out.to_vec(), &starts[0])?;
        let mut is_restarted = false;
        for start in &starts[1..] {
            // A start at which experiments fail is none.
            let Ok(other) = self.without(evaluator, held_out.to_vec(), start) else {
                continue;
            };
            if is_lower(&other, &lowest) {
                (lowest, is_restarted) = (other, true);
            }
        }
        Ok((lowest, is_restarted))
    }

    /// The values among these with the lowest cost without some experiments, if it is lower than that of a fit.
    fn lower_start<'v, X: Experiment>(
        &self,
        evaluator: &Evaluator<X>,
        held_out: &[usize],
        fit: &Fit,
        values: &'v [Vec<f64>],
    ) -> Result<Option<&'v [f64]>, IdentificationError> {
        let unknowns = evaluator.problem().unknowns();
        let priors = Priors::of(unknowns, self.prior_variance.unwrap_or(1.0));
        let mut left_out = held_out.to_vec();
        left_out.extend(fit.left_out());
        left_out.sort_unstable();
        left_out.dedup();
        let mut experiments = Experiments {
            evaluator,
            executor: self.parallelism,
            cost: self.robust_cost(),
            left_out,
        };
        let mut best = (fit.cost * (1.0 - LOWER), None);
        for values in values {
            let costs = Costs::of(&experiments.request(values, Quantity::Cost { before: None })?);
            let z: Vec<f64> = (unknowns.iter().zip(values))
                .map(|(u, &p)| u.coordinate(p))
                .collect();
            let cost = costs.cost + priors.cost(&z);
            if cost < best.0 {
                best = (cost, Some(values.as_slice()));
            }
        }
        Ok(best.1)
    }

    /// What a fit says of the experiments that it was made without.
    fn predict<X: Experiment>(
        &self,
        evaluator: &Evaluator<X>,
        held_out: &[usize],
        fit: Fit,
        is_restarted: bool,
    ) -> Result<HeldOut, IdentificationError> {
        let cost = self.robust_cost();
        let mut experiments = Experiments {
            evaluator,
            executor: self.parallelism,
            cost,
            left_out: (0..evaluator.count())
                .filter(|i| !held_out.contains(i))
                .collect(),
        };
        let answer = experiments.request(&fit.values(), Quantity::Residuals)?;
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
            is_restarted,
        })
    }
}

/// Whether a fit takes the place of another of the same experiments.
fn is_lower(other: &Fit, fit: &Fit) -> bool {
    let same = other.left_out() == fit.left_out();
    let is_over = is_settled(other) || !is_settled(fit);
    same && is_over && other.cost < fit.cost * (1.0 - LOWER)
}

fn is_settled(fit: &Fit) -> bool {
    fit.stop.is_converged() || fit.stop == StopReason::NoDescent
}

impl HeldOut {
    /// Whether the fit has [converged](StopReason::is_converged), or ended where no step descends, as at a kink
    /// ([`StopReason::NoDescent`]). One that ended before is still near the estimates of the whole fit, from which
    /// it started: it scatters too little, and knows the group that was held out.
    pub fn is_settled(&self) -> bool {
        is_settled(&self.fit)
    }
}

impl CrossValidation {
    /// A sentence for each unknown of which both kinds of standard errors differ by more than a factor of two, and why.
    pub fn differences(&self) -> Vec<String> {
        let restarted = self.groups.iter().filter(|g| g.is_restarted).count();
        let groups = self.groups.len();
        let both = self.jackknife.iter().zip(&self.sandwich).enumerate();
        both.filter_map(|(j, (jackknife, sandwich))| {
            let (jackknife, sandwich) = ((*jackknife)?, (*sandwich)?);
            let ratio = sandwich / jackknife;
            if !(ratio > DIFFERENT || ratio < DIFFERENT.recip()) {
                return None;
            }
            let estimate = &self.groups.first()?.fit.estimates[j];
            let why = match (ratio > 1.0, restarted) {
                (true, 0) => "the fits without a group stay in the minimum of the whole fit, one of many small ones, or there \
                    are too few groups".to_owned(),
                (true, _) => format!("the cost has many small minima ({restarted} of {groups} groups have found a lower one \
                    from another start), and the fits without a group do not leave theirs as far as noise would take them"),
                (false, 0) => "the estimate moves further than the curvature of the cost at it says: the cost is not quadratic \
                    over the standard error, or a few experiments decide".to_owned(),
                (false, _) => format!("the fits without a group end in different minima ({restarted} of {groups} from another \
                    start than the estimates), of which the curvature at one of them knows nothing"),
            };
            let (name, unit) = (&estimate.name, &estimate.unit);
            Some(format!(
                "{name}: ± {jackknife:.3e} {unit} by leaving out groups, ± {sandwich:.3e} {unit} by the scores of experiments: {why}"
            ))
        })
        .collect()
    }

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
