//! The iteration of the Levenberg–Marquardt optimiser.

mod below_noise;
mod outcome;
mod stationary;

use super::covariance::variance_of_data;
use super::error::IdentificationError;
use super::evaluation::{Evaluator, Linearization};
use super::execution::Executor;
use super::experiment::Experiment;
use super::fit::{Consequence, Failure, Iteration, Status, StopReason};
use super::gauss_newton::{GaussNewton, Limits};
use super::levenberg_marquardt::LevenbergMarquardt;
use super::loss::Blocks;
use super::prior::Priors;
use super::question::{Answer, Costs, Failed, Quantity};
use super::requests::Experiments;
use super::unknown::Unknown;
use crate::InvalidInput;
use below_noise::NOTHING;
use std::ops::ControlFlow;

/// A step that is judged by the relative offset, and not damped, has to bring it down to this fraction.
const PROGRESS: f64 = 0.9;
/// Part of the predicted reduction that a step has to bring.
const LEAST_GAIN: f64 = 1e-4;
/// Steps that may be taken one after the other without a reduction of the cost above its tolerance.
const MAX_STALLED: usize = 10;
/// How often a stationary point that is not a minimum is left.
const MAX_ESCAPES: usize = 10;
/// How often priors are weighed again by the variance that the data show.
const MAX_WEIGHINGS: usize = 50;
/// Relative change of that variance which is none.
const SAME_VARIANCE: f64 = 1e-6;

/// A step before it is tried.
#[derive(Debug, Clone, Copy)]
struct Proposal {
    step: f64,
    damping: f64,
    expected_reduction: f64,
    relative_offset: f64,
}

/// The end of a step that was tried.
#[derive(Debug, Clone, Copy)]
struct Trial {
    accepted: bool,
    /// Cost there.
    cost: f64,
    /// How much less it is than before.
    reduction: f64,
}

impl Trial {
    /// The cost there does not exist.
    const REJECTED: Trial = Trial {
        accepted: false,
        cost: f64::INFINITY,
        reduction: f64::NEG_INFINITY,
    };
}

/// How a descent goes on from a point at which it has no step.
enum Next {
    /// With steps of this length at most.
    Radius(f64),
    /// Not at all.
    Stop(StopReason),
}

/// A fit under way.
pub(super) struct Minimization<'e, 'a, X, E> {
    options: LevenbergMarquardt,
    experiments: Experiments<'e, 'a, X, E>,
    limits: Limits,
    /// Coordinates of the current point.
    z: Vec<f64>,
    /// Values there.
    values: Vec<f64>,
    /// Of the data, without priors.
    costs: Costs,
    /// Of the data, without priors.
    linearization: Linearization,
    priors: Priors,
    /// Largest norms of the columns of the Jacobian so far.
    metric: Vec<f64>,
    model: GaussNewton,
    /// How often a stationary point may still be left that is not a minimum.
    escapes: usize,
    initial_cost: f64,
    /// What the last steps that were taken have brought.
    gains: Vec<f64>,
    /// What holds an unknown where the fit has ended below the noise.
    held: Vec<Option<Status>>,
    iterations: Vec<Iteration>,
    failures: Vec<Failure>,
}

impl<'e, 'a, X: Experiment, E: Executor<Evaluator<'a, X>>> Minimization<'e, 'a, X, E> {
    /// Evaluates the start and leaves out the experiments that fail there, besides those of a list in order.
    pub fn start(
        options: &LevenbergMarquardt,
        evaluator: &'e Evaluator<'a, X>,
        left_out: Vec<usize>,
        start: &[f64],
        executor: E,
    ) -> Result<Self, IdentificationError> {
        let problem = evaluator.problem();
        let unknowns = problem.unknowns();
        InvalidInput::check_size("start", start.len(), unknowns.len())?;
        for (unknown, &value) in unknowns.iter().zip(start) {
            unknown.check_value(value)?;
        }
        check_blocks(options.blocks, problem.experiments())?;
        let mut experiments = Experiments {
            evaluator,
            executor,
            cost: options.robust_cost(),
            left_out,
        };
        let mut failures = Vec::new();
        let cost = Quantity::Cost { before: None };
        let mut costs = experiments.request_first(start, cost.clone(), &mut failures)?;
        let evaluated = failures.len();
        let linearization =
            experiments.request_first(start, Quantity::Linearization, &mut failures)?;
        if failures.len() > evaluated {
            costs = experiments.request(start, cost)?;
        }
        let costs = Costs::of(&costs);
        if costs.residuals == 0 {
            return Err(IdentificationError::NoResiduals);
        }
        let linearization = Linearization::of(linearization, unknowns.len());
        if linearization.underflows {
            return Err(IdentificationError::Underflow);
        }
        let coordinate = |p: fn(&Unknown) -> f64| -> Vec<f64> {
            unknowns.iter().map(|u| u.coordinate(p(u))).collect()
        };
        let limits = Limits {
            lower: coordinate(Unknown::lower),
            upper: coordinate(Unknown::upper),
        };
        let z: Vec<f64> = (unknowns.iter().zip(start))
            .map(|(u, &p)| u.coordinate(p))
            .collect();
        let mut metric = vec![0.0; z.len()];
        let priors = Priors::of(unknowns, options.prior_variance.unwrap_or(1.0));
        Ok(Minimization {
            options: options.clone(),
            model: GaussNewton::new(
                &priors.with(&linearization, &z),
                &z,
                &limits,
                options.rank_tolerance,
                options.noise_norm(costs.residuals),
                &mut metric,
            ),
            metric,
            experiments,
            limits,
            values: start.to_vec(),
            costs,
            escapes: if options.probes { MAX_ESCAPES } else { 0 },
            initial_cost: costs.cost + priors.cost(&z),
            linearization,
            priors,
            z,
            gains: Vec::new(),
            held: vec![None; unknowns.len()],
            iterations: Vec::new(),
            failures,
        })
    }

    /// The linear model at the current point.
    pub fn model(&self) -> &GaussNewton {
        &self.model
    }

    /// Root mean square of the residuals there.
    pub fn deviation(&self) -> f64 {
        (self.costs.squares / self.costs.residuals.max(1) as f64).sqrt()
    }

    /// Steps until there is a reason to stop. Where the variance of the noise is estimated, priors are weighed by what the
    /// data show of it, at first of 1, until that does not change.
    ///
    /// # Errors
    /// When the executor fails.
    pub fn run(
        &mut self,
        progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<StopReason, IdentificationError> {
        let is_evaluation = self.options.max_iterations == 0;
        let mut weighings = 0..MAX_WEIGHINGS;
        while is_evaluation && weighings.next().is_some() && self.weigh_priors() {}
        loop {
            let mut stop = self.descend(progress)?;
            if self.may_be_below_noise(stop) && !is_evaluation {
                let (flat, is_whole) = self.find_flat()?;
                for &(j, status) in &flat {
                    self.held[j] = Some(status);
                    (self.limits.lower[j], self.limits.upper[j]) = (self.z[j], self.z[j]);
                }
                if !flat.is_empty() {
                    self.remodel();
                }
                // What the model promises and no step brings is a valley; a kink promises nothing where its sides are even.
                let promise = self.model.attainable_reduction();
                let is_valley = self.is_below_noise(NOTHING)
                    || (self.noise_variance()).is_some_and(|v| promise > NOTHING * v);
                stop = match (is_whole, stop) {
                    (_, StopReason::NoDescent) if flat.is_empty() && !is_valley => stop,
                    (true, _) => StopReason::BelowNoise,
                    // The others go on, without those that are flat.
                    (false, StopReason::BelowNoise) => continue,
                    (false, StopReason::NoDescent) if !flat.is_empty() => continue,
                    (false, stop) => stop,
                };
            } else if stop.is_converged() && self.held.iter().any(Option::is_some) {
                stop = StopReason::BelowNoise;
            }
            let is_over = is_evaluation || !stop.is_converged() && stop != StopReason::NoDescent;
            if is_over || weighings.next().is_none() || !self.weigh_priors() {
                return Ok(stop);
            }
        }
    }

    /// Weighs priors by the variance that the data show here; whether that changes anything.
    fn weigh_priors(&mut self) -> bool {
        let is_known = self.priors.is_empty()
            || self.options.prior_variance.is_some()
            || !self.options.estimates_variance();
        if is_known {
            return false;
        }
        let shown = variance_of_data(&self.model, self.costs, &self.priors);
        // That of data without noise is not divided by.
        let Some((variance, _)) = shown.filter(|(variance, _)| *variance > f64::MIN_POSITIVE)
        else {
            return false;
        };
        if (variance / self.priors.variance).ln().abs() <= SAME_VARIANCE {
            return false;
        }
        self.priors.variance = variance;
        self.remodel();
        true
    }

    /// The cost of data and priors here.
    fn cost(&self) -> f64 {
        self.costs.cost + self.priors.cost(&self.z)
    }

    /// Steps until there is a reason to stop.
    fn descend(
        &mut self,
        progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<StopReason, IdentificationError> {
        let options = self.options.clone();
        let mut radius = options.initial_radius * self.unit_length();
        let mut stalled = 0;
        self.gains.clear();
        loop {
            let relative_offset = self.model.relative_offset();
            if self.model.is_stationary(options.gradient_tolerance)
                || self.promises_nothing(options.noise_tolerance)
            {
                match self.leave((relative_offset, StopReason::Gradient), progress)? {
                    Next::Radius(next) => radius = next,
                    Next::Stop(stop) => return Ok(stop),
                }
                continue;
            }
            if self.iterations.len() >= options.max_iterations {
                return Ok(StopReason::MaxIterations);
            }
            let (point, proposal) = self.propose(&self.model, radius, relative_offset);
            let Proposal {
                step,
                damping,
                expected_reduction: predicted,
                ..
            } = proposal;
            let slope = self.model.slope(&self.z, &point);
            let length = self.model.length(&self.z, &point);
            let resolution = self.model.resolution(options.cost_tolerance);
            let attainable = self.model.attainable_reduction();
            let unresolved = attainable <= resolution;
            let negligible = attainable <= self.model.negligible_reduction(options.cost_tolerance);
            let trial = if predicted > 0.0 {
                let least = if unresolved {
                    -resolution
                } else {
                    LEAST_GAIN * predicted
                };
                // Of a step that is damped, less progress can be expected.
                let share = (predicted / attainable).min(1.0);
                let part = (1.0 - (1.0 - PROGRESS * PROGRESS) * share).sqrt();
                self.try_point(point, least, unresolved.then_some(part))?
            } else {
                Trial::REJECTED
            };
            if self.record(trial, proposal, progress) {
                return Ok(StopReason::Callback);
            }
            let Trial {
                accepted,
                reduction,
                ..
            } = trial;
            if accepted {
                self.gains.push(reduction);
                if self.is_below_noise(options.noise_tolerance) {
                    return Ok(StopReason::BelowNoise);
                }
            }
            let round_off = self.model.resolution(0.0);
            let least_progress = if unresolved { round_off } else { resolution };
            stalled = if accepted && (reduction > least_progress || unresolved && !negligible) {
                0
            } else if accepted || predicted <= round_off {
                stalled + 1
            } else {
                stalled
            };
            // A step that is short because the radius is proves nothing by itself; one that fails to bring what
            // cannot be resolved shows that a shorter one, which promises less, is not worth it.
            let fails = !accepted && !unresolved && predicted <= resolution;
            let flat = self.model.is_flat(options.cost_tolerance);
            let stop = if negligible && !accepted {
                Some(StopReason::CostReduction)
            } else if damping == 0.0 && step <= options.step_tolerance {
                Some(StopReason::Step)
            } else if stalled >= MAX_STALLED || fails || (!accepted && step <= f64::EPSILON) {
                Some(if flat {
                    StopReason::CostReduction
                } else if self.has_failed_after(self.iterations.len().saturating_sub(MAX_STALLED)) {
                    StopReason::Blocked
                } else {
                    StopReason::NoDescent
                })
            } else if !accepted && predicted <= round_off && flat {
                Some(StopReason::CostReduction)
            } else {
                None
            };
            match stop {
                None => {}
                Some(StopReason::Blocked) => {
                    match self.slide(relative_offset, progress)? {
                        Next::Radius(next) => radius = next,
                        Next::Stop(stop) => return Ok(stop),
                    }
                    stalled = 0;
                    continue;
                }
                Some(stop) if !stop.is_converged() => return Ok(stop),
                Some(stop) => {
                    match self.leave((relative_offset, stop), progress)? {
                        Next::Radius(next) => radius = next,
                        Next::Stop(stop) => return Ok(stop),
                    }
                    stalled = 0;
                    continue;
                }
            }
            if self.iterations.len() == 1 {
                radius = radius.min(length);
            }
            let gain = reduction / predicted;
            // Where the cost is too coarse for a gain, that of an accepted step says nothing.
            if !accepted || gain <= 0.25 && !unresolved {
                let minimum = 0.5 * slope / (slope + reduction);
                radius = minimum.clamp(0.1, 0.5) * radius.min(length);
            } else if gain >= 0.75 || damping == 0.0 || unresolved {
                radius = 2.0 * length;
            }
        }
    }

    /// The linear model of data and priors here, with the present limits.
    fn remodel(&mut self) {
        self.model = GaussNewton::new(
            &self.priors.with(&self.linearization, &self.z),
            &self.z,
            &self.limits,
            self.options.rank_tolerance,
            self.options.noise_norm(self.costs.residuals),
            &mut self.metric,
        );
    }

    /// The step of a model from here within a radius.
    fn propose(
        &self,
        model: &GaussNewton,
        radius: f64,
        relative_offset: f64,
    ) -> (Vec<f64>, Proposal) {
        let (point, damping) = model.trial_point(radius, &self.z, &self.limits);
        let proposal = Proposal {
            step: self.step_size(&point),
            damping,
            expected_reduction: model.predicted_reduction(&self.z, &point),
            relative_offset,
        };
        (point, proposal)
    }

    /// Notes a step that was tried; whether the callback wants the fit to stop.
    fn record(
        &mut self,
        trial: Trial,
        proposal: Proposal,
        progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> bool {
        let iteration = Iteration {
            number: self.iterations.len() + 1,
            cost: self.cost(),
            trial_cost: trial.cost,
            accepted: trial.accepted,
            step: proposal.step,
            damping: proposal.damping,
            expected_reduction: proposal.expected_reduction,
            relative_offset: proposal.relative_offset,
            values: self.values.clone(),
        };
        let wish = progress(&iteration);
        self.iterations.push(iteration);
        wish.is_break()
    }

    /// Length of the step that changes every unknown by its scale.
    fn unit_length(&self) -> f64 {
        self.model
            .length(&vec![0.0; self.z.len()], &vec![1.0; self.z.len()])
    }

    /// The cost of the data at other values of the unknowns, and how much less it is than here.
    fn ask_cost(&mut self, values: &[f64]) -> Result<Answer, IdentificationError> {
        let before = Some(self.values.clone());
        self.experiments.request(values, Quantity::Cost { before })
    }

    /// Values of the unknowns at `point`, unless they are not finite.
    fn values_at(&self, point: &[f64]) -> Option<Vec<f64>> {
        let unknowns = self.experiments.unknowns();
        let value = |j: usize| {
            if point[j] == self.z[j] {
                self.values[j]
            } else {
                unknowns[j].value(point[j])
            }
        };
        let values: Vec<f64> = (0..point.len()).map(value).collect();
        values.iter().all(|p| p.is_finite()).then_some(values)
    }

    /// Moves to `point` if every experiment can be evaluated and differentiated there and the cost is
    /// smaller by `least`, and the relative offset is at most so large a part of what it is here, if that is asked for.
    fn try_point(
        &mut self,
        point: Vec<f64>,
        least: f64,
        part_of_offset: Option<f64>,
    ) -> Result<Trial, IdentificationError> {
        let iteration = self.iterations.len() + 1;
        let Some(values) = self.values_at(&point) else {
            return Ok(Trial::REJECTED);
        };
        let answer = self.ask_cost(&values)?;
        let costs = Costs::of(&answer);
        let rejected = Trial {
            accepted: false,
            cost: costs.cost + self.priors.cost(&point),
            reduction: costs.reduction + self.priors.reduction(&self.z, &point),
        };
        self.reject(answer.failed, iteration);
        if rejected.reduction < least {
            return Ok(rejected);
        }
        let mut answer = self.experiments.request(&values, Quantity::Linearization)?;
        if !answer.failed.is_empty() {
            self.reject(std::mem::take(&mut answer.failed), iteration);
            return Ok(Trial::REJECTED);
        }
        let linearization = Linearization::of(answer, values.len());
        let model = GaussNewton::new(
            &self.priors.with(&linearization, &point),
            &point,
            &self.limits,
            self.options.rank_tolerance,
            self.options.noise_norm(costs.residuals),
            &mut self.metric,
        );
        let offset = self.model.relative_offset();
        if part_of_offset.is_some_and(|part| model.relative_offset() > part * offset) {
            return Ok(rejected);
        }
        (self.z, self.values, self.costs, self.model) = (point, values, costs, model);
        self.linearization = linearization;
        Ok(Trial {
            accepted: true,
            ..rejected
        })
    }

    /// Largest change of a coordinate relative to its size.
    fn step_size(&self, point: &[f64]) -> f64 {
        let unknowns = self.experiments.unknowns().iter();
        let moves = self.z.iter().zip(point).map(|(z, moved)| (moved - z).abs());
        let relative = moves.zip(unknowns.zip(&self.values));
        relative
            .filter(|(moved, _)| *moved > 0.0)
            .map(|(moved, (unknown, &p))| moved / unknown.magnitude(p))
            .fold(0.0, f64::max)
    }

    fn reject(&mut self, failed: Vec<Failed>, iteration: usize) {
        let failures = failed.into_iter().map(|(experiment, cause)| Failure {
            experiment,
            iteration,
            cause,
            consequence: Consequence::StepRejected,
        });
        self.failures.extend(failures);
    }
}

fn check_blocks<X: Experiment>(
    blocks: Blocks,
    experiments: &[X],
) -> Result<(), IdentificationError> {
    for (experiment, x) in experiments.iter().enumerate() {
        let residuals = x.residual_count();
        let block = blocks.size(residuals);
        if residuals % block != 0 {
            return Err(IdentificationError::PartialBlock {
                experiment,
                residuals,
                block,
            });
        }
    }
    Ok(())
}
