//! The iteration of the optimiser.

use super::autocorrelation::Autocorrelation;
use super::covariance::{Counts, Noise, covariance};
use super::determinability::Determinability;
use super::error::{EvaluationError, IdentificationError};
use super::evaluation::{Evaluation, Evaluator, Failed, Linearization, total_cost};
use super::experiment::Experiment;
use super::fit::{
    Consequence, Estimate, Failure, Fit, FittedExperiment, Iteration, Status, StopReason,
};
use super::gauss_newton::{GaussNewton, Limits};
use super::levenberg_marquardt::LevenbergMarquardt;
use super::loss::Blocks;
use super::problem::Problem;
use super::unknown::Unknown;
use crate::InvalidInput;
use std::ops::ControlFlow;

/// A step that is judged by the relative offset has to bring it down to this fraction.
const PROGRESS: f64 = 0.9;
/// Part of the predicted reduction that a step has to bring.
const LEAST_GAIN: f64 = 1e-4;
/// Round-off of the cost, relative to it.
const COST_ROUND_OFF: f64 = 16.0 * f64::EPSILON;
/// Steps that may follow each other without a reduction of the cost that can be told from none.
const MAX_STALLED: usize = 10;
/// How often a stationary point that is not a minimum is left.
const MAX_ESCAPES: usize = 10;
/// Change of the unknowns, relative to their size, by which a stationary point is probed.
const PROBE: f64 = 1e-3;

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

/// A fit under way.
pub(super) struct Minimization<'a, X> {
    options: &'a LevenbergMarquardt,
    evaluator: Evaluator<'a, X>,
    limits: Limits,
    /// Coordinates of the current point.
    z: Vec<f64>,
    /// Values there.
    values: Vec<f64>,
    evaluations: Vec<Evaluation>,
    cost: f64,
    /// Largest norms of the columns of the Jacobian so far.
    metric: Vec<f64>,
    model: GaussNewton,
    /// Memory of the next point.
    trial: Vec<Evaluation>,
    linearization: Linearization,
    escapes: usize,
    initial_cost: f64,
    iterations: Vec<Iteration>,
    failures: Vec<Failure>,
}

impl<'a, X: Experiment> Minimization<'a, X> {
    /// Evaluates the start and leaves out the experiments that fail there.
    pub fn start(
        options: &'a LevenbergMarquardt,
        problem: &'a Problem<'a, X>,
        start: &[f64],
    ) -> Result<Self, IdentificationError> {
        let unknowns = problem.unknowns();
        InvalidInput::check_size("start", start.len(), unknowns.len())?;
        for (unknown, &value) in unknowns.iter().zip(start) {
            unknown.check_value(value)?;
        }
        let evaluator = Evaluator {
            problem,
            loss: options.loss,
            blocks: options.blocks,
            parallelism: options.parallelism,
        };
        let mut evaluations = evaluator.evaluations();
        check_blocks(options.blocks, &evaluations)?;
        let mut failures = Vec::new();
        evaluator.evaluate(start, &mut evaluations);
        let failed = evaluations
            .iter()
            .filter_map(|e| Some((e.experiment, e.error.clone()?)))
            .collect();
        leave_out(failed, &mut evaluations, &mut failures)?;
        let slopes = slopes(unknowns, start);
        let mut linearization = Linearization::new(unknowns.len());
        while let Err(failed) =
            evaluator.linearize(start, &slopes, &evaluations, &mut linearization)
        {
            leave_out(failed, &mut evaluations, &mut failures)?;
        }
        if evaluations.iter().all(|e| e.residuals.is_empty()) {
            return Err(IdentificationError::NoResiduals);
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
        let cost = total_cost(&evaluations);
        let mut metric = vec![0.0; z.len()];
        Ok(Minimization {
            options,
            model: GaussNewton::new(
                &linearization,
                &z,
                &limits,
                options.rank_tolerance,
                &mut metric,
            ),
            metric,
            evaluator,
            limits,
            z,
            values: start.to_vec(),
            trial: evaluations.clone(),
            evaluations,
            cost,
            linearization,
            escapes: 0,
            initial_cost: cost,
            iterations: Vec::new(),
            failures,
        })
    }

    /// Steps until there is a reason to stop.
    pub fn run(&mut self, progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>) -> StopReason {
        let options = self.options;
        let unit = vec![1.0; self.z.len()];
        let zero = vec![0.0; self.z.len()];
        let mut radius = options.initial_radius * self.model.length(&zero, &unit);
        let mut stalled = 0;
        loop {
            let relative_offset = self.model.relative_offset();
            if relative_offset <= options.gradient_tolerance {
                match self.leave(relative_offset, progress) {
                    Some(next) => radius = next,
                    None => return StopReason::Gradient,
                }
                continue;
            }
            if self.iterations.len() >= options.max_iterations {
                return StopReason::MaxIterations;
            }
            let (point, damping) = self.model.trial_point(radius, &self.z, &self.limits);
            let predicted = self.model.predicted_reduction(&self.z, &point);
            let slope = self.model.slope(&self.z, &point);
            let length = self.model.length(&self.z, &point);
            let step = self.step_size(&point);
            let resolution = self.model.resolution(options.cost_tolerance);
            let unresolved = self.model.attainable_reduction() <= resolution;
            let trial = if predicted > 0.0 {
                let least = if unresolved {
                    -resolution
                } else {
                    LEAST_GAIN * predicted
                };
                self.try_point(point, least, unresolved)
            } else {
                Trial::REJECTED
            };
            if self.record(trial, step, damping, relative_offset, progress) {
                return StopReason::Callback;
            }
            let Trial {
                accepted,
                reduction,
                ..
            } = trial;
            let round_off = self.model.resolution(COST_ROUND_OFF);
            stalled = if accepted && reduction > round_off {
                0
            } else if accepted || predicted <= round_off {
                stalled + 1
            } else {
                stalled
            };
            // A step that is short because the radius is proves nothing by itself.
            let flat = self.model.is_flat(options.cost_tolerance);
            let stop = if unresolved && !accepted {
                Some(StopReason::CostReduction)
            } else if damping == 0.0 && step <= options.step_tolerance {
                Some(StopReason::Step)
            } else if stalled >= MAX_STALLED || (!accepted && step <= f64::EPSILON) {
                Some(if flat {
                    StopReason::CostReduction
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
                Some(stop) if !stop.is_converged() => return stop,
                Some(stop) => {
                    match self.leave(relative_offset, progress) {
                        Some(next) => radius = next,
                        None => return stop,
                    }
                    stalled = 0;
                    continue;
                }
            }
            if self.iterations.len() == 1 {
                radius = radius.min(length);
            }
            let gain = reduction / predicted;
            if gain <= 0.25 || !accepted {
                let minimum = 0.5 * slope / (slope + reduction);
                radius = minimum.clamp(0.1, 0.5) * radius.min(10.0 * length);
            } else if gain >= 0.75 || damping == 0.0 {
                radius = 2.0 * length;
            }
        }
    }

    /// Notes a step that was tried; whether the callback wants the fit to stop.
    fn record(
        &mut self,
        trial: Trial,
        step: f64,
        damping: f64,
        relative_offset: f64,
        progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> bool {
        let iteration = Iteration {
            number: self.iterations.len() + 1,
            cost: self.cost,
            trial_cost: trial.cost,
            accepted: trial.accepted,
            step,
            damping,
            relative_offset,
            values: self.values.clone(),
        };
        let wish = progress(&iteration);
        self.iterations.push(iteration);
        wish.is_break()
    }

    /// Leaves a stationary point that is not a minimum, and returns the radius of the next step.
    ///
    /// The Jacobian sees the curvature `JᵀJ` of the cost, not the part of the second derivatives of
    /// the residuals: at a maximum and at a saddle its gradient vanishes, too. The cost is evaluated
    /// a small step to both sides along every singular direction of the free unknowns, the
    /// undetermined ones included.
    fn leave(
        &mut self,
        relative_offset: f64,
        progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Option<f64> {
        if self.escapes >= MAX_ESCAPES || self.iterations.len() >= self.options.max_iterations {
            return None;
        }
        let resolution = self.model.resolution(self.options.cost_tolerance);
        for k in 0..self.model.free().len() {
            let direction = self.model.direction(k);
            let relative = (direction.iter().zip(&self.z)).map(|(d, z)| d.abs() / z.abs().max(1.0));
            let length = PROBE / relative.fold(0.0, f64::max);
            for length in [length, -length] {
                let point: Vec<f64> = (0..self.z.len())
                    .map(|j| {
                        let z = self.z[j] + length * direction[j];
                        z.clamp(self.limits.lower[j], self.limits.upper[j])
                    })
                    .collect();
                if self.evaluate(&point).is_none_or(|_| {
                    self.evaluator.reduction(&self.evaluations, &self.trial) <= resolution
                }) {
                    continue;
                }
                let (step, from) = (self.step_size(&point), self.z.clone());
                let trial = self.try_point(point, resolution, false);
                if trial.accepted {
                    self.escapes += 1;
                    let stop = self.record(trial, step, 0.0, relative_offset, progress);
                    return (!stop).then(|| self.model.length(&from, &self.z));
                }
            }
        }
        None
    }

    /// Evaluates the residuals at `point` and returns the values of the unknowns, unless they are
    /// not finite.
    fn evaluate(&mut self, point: &[f64]) -> Option<Vec<f64>> {
        let unknowns = self.evaluator.problem.unknowns();
        let value = |j: usize| {
            if point[j] == self.z[j] {
                self.values[j]
            } else {
                unknowns[j].value(point[j])
            }
        };
        let values: Vec<f64> = (0..point.len()).map(value).collect();
        if !values.iter().all(|p| p.is_finite()) {
            return None;
        }
        self.evaluator.evaluate(&values, &mut self.trial);
        Some(values)
    }

    /// Moves to `point` if every experiment can be evaluated and differentiated there and the cost is
    /// smaller by `least`, and where that is `unresolved` the relative offset is, too.
    fn try_point(&mut self, point: Vec<f64>, least: f64, unresolved: bool) -> Trial {
        let iteration = self.iterations.len() + 1;
        let Some(values) = self.evaluate(&point) else {
            return Trial::REJECTED;
        };
        let rejected = Trial {
            accepted: false,
            cost: total_cost(&self.trial),
            reduction: self.evaluator.reduction(&self.evaluations, &self.trial),
        };
        let failed: Vec<Failed> = (self.trial.iter_mut())
            .filter_map(|e| Some((e.experiment, e.error.take()?)))
            .collect();
        self.reject(failed, iteration);
        if rejected.reduction < least {
            return rejected;
        }
        let slopes = slopes(self.evaluator.problem.unknowns(), &values);
        let linearized =
            (self.evaluator).linearize(&values, &slopes, &self.trial, &mut self.linearization);
        if let Err(failed) = linearized {
            self.reject(failed, iteration);
            return Trial::REJECTED;
        }
        let model = GaussNewton::new(
            &self.linearization,
            &point,
            &self.limits,
            self.options.rank_tolerance,
            &mut self.metric,
        );
        if unresolved && model.relative_offset() > PROGRESS * self.model.relative_offset() {
            return rejected;
        }
        std::mem::swap(&mut self.evaluations, &mut self.trial);
        (self.z, self.values, self.cost, self.model) = (point, values, rejected.cost, model);
        Trial {
            accepted: true,
            ..rejected
        }
    }

    /// Largest change of a coordinate relative to its size.
    fn step_size(&self, point: &[f64]) -> f64 {
        let unknowns = self.evaluator.problem.unknowns().iter();
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

    /// What has been found.
    pub fn finish(self, stop: StopReason) -> Fit {
        let unknowns = self.evaluator.problem.unknowns();
        let slopes = slopes(unknowns, &self.values);
        let (determinability, undetermined) = Determinability::of(&self.model, &slopes);
        let block_count = |e: &Evaluation| {
            let m = e.residuals.len();
            m / self.options.blocks.size(m)
        };
        let counts = Counts {
            residuals: self.evaluations.iter().map(|e| e.residuals.len()).sum(),
            blocks: self.evaluations.iter().map(block_count).sum(),
        };
        let by_blocks =
            self.options.noise == Noise::Independent || !self.options.loss.is_least_squares();
        let takes_residuals_for_independent = !by_blocks || self.options.blocks == Blocks::Residual;
        let is_settled = stop.is_converged() || self.options.max_iterations == 0;
        let covariance = is_settled.then_some(()).and_then(|()| {
            covariance(
                self.options.noise,
                &self.evaluator,
                &self.model,
                &self.values,
                &slopes,
                &self.evaluations,
                counts,
            )
        });
        let estimates = (0..unknowns.len())
            .map(|j| {
                let status = match self.model.bound()[j] {
                    _ if unknowns[j].is_fixed() => Status::Fixed,
                    Some(bound) => Status::AtBound(bound),
                    None if undetermined[j] => Status::Undetermined,
                    None => Status::Determined,
                };
                let variance = covariance.as_ref().map(|c| c.matrix[(j, j)]);
                Estimate::new(&unknowns[j], self.values[j], status, variance)
            })
            .collect();
        Fit {
            unknowns: unknowns.to_vec(),
            estimates,
            cost: self.cost,
            initial_cost: self.initial_cost,
            relative_offset: self.model.relative_offset(),
            stop,
            iterations: self.iterations,
            experiments: (self.evaluations.into_iter())
                .map(|e| FittedExperiment {
                    experiment: e.experiment,
                    cost: e.cost,
                    autocorrelation: Autocorrelation::of(&e.residuals),
                    weights: self.evaluator.weights(&e.residuals),
                    residuals: e.residuals,
                })
                .collect(),
            failures: self.failures,
            residual_count: counts.residuals,
            degrees_of_freedom: covariance.as_ref().and_then(|c| c.degrees_of_freedom),
            determinability,
            covariance: covariance.map(|c| c.matrix),
            takes_residuals_for_independent,
        }
    }
}

fn slopes(unknowns: &[Unknown], values: &[f64]) -> Vec<f64> {
    (unknowns.iter().zip(values))
        .map(|(u, &p)| u.slope(p))
        .collect()
}

fn check_blocks(blocks: Blocks, evaluations: &[Evaluation]) -> Result<(), IdentificationError> {
    for e in evaluations {
        let residuals = e.residuals.len();
        let block = blocks.size(residuals);
        if residuals % block != 0 {
            return Err(IdentificationError::PartialBlock {
                experiment: e.experiment,
                residuals,
                block,
            });
        }
    }
    Ok(())
}

/// Takes experiments that failed at the start out of the fit. Residuals that are not finite are not
/// a failure that an experiment has declared, but a mistake in it or its data.
fn leave_out(
    failed: Vec<Failed>,
    evaluations: &mut Vec<Evaluation>,
    failures: &mut Vec<Failure>,
) -> Result<(), IdentificationError> {
    for (experiment, cause) in failed {
        if !matches!(cause, EvaluationError::Failed(_)) {
            return Err(IdentificationError::Experiment { experiment, cause });
        }
        evaluations.retain(|e| e.experiment != experiment);
        failures.push(Failure {
            experiment,
            iteration: 0,
            cause,
            consequence: Consequence::LeftOut,
        });
    }
    match failures.first() {
        Some(first) if evaluations.is_empty() => Err(IdentificationError::AllExperimentsFail {
            count: failures.len(),
            cause: first.cause.clone(),
        }),
        _ => Ok(()),
    }
}
