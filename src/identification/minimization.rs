//! The iteration of the optimiser.

use super::covariance::{Counts, covariance};
use super::determinability::Determinability;
use super::error::{EvaluationError, IdentificationError};
use super::evaluation::{Evaluation, Evaluator, Failed, total_cost};
use super::experiment::Experiment;
use super::fit::{
    Consequence, Estimate, Failure, Fit, FittedExperiment, Iteration, Status, StopReason,
};
use super::gauss_newton::{GaussNewton, Limits};
use super::levenberg_marquardt::LevenbergMarquardt;
use super::loss::Blocks;
use super::problem::Problem;
use super::triangle::Triangle;
use super::unknown::Unknown;
use crate::InvalidInput;
use std::ops::ControlFlow;

/// A step that is judged by the relative offset has to bring it down to this fraction.
const PROGRESS: f64 = 0.9;

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
    triangle: Triangle,
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
        let mut triangle = Triangle::new(unknowns.len());
        while let Err(failed) = evaluator.linearize(start, &slopes, &evaluations, &mut triangle) {
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
            model: GaussNewton::new(&triangle, &z, &limits, options.rank_tolerance, &mut metric),
            metric,
            evaluator,
            limits,
            z,
            values: start.to_vec(),
            trial: evaluations.clone(),
            evaluations,
            cost,
            triangle,
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
        loop {
            let relative_offset = self.model.relative_offset();
            if relative_offset <= options.gradient_tolerance {
                return StopReason::Gradient;
            }
            if self.iterations.len() >= options.max_iterations {
                return StopReason::MaxIterations;
            }
            let (point, damping) = self.model.trial_point(radius, &self.z, &self.limits);
            let predicted = self.model.predicted_reduction(&self.z, &point);
            let slope = self.model.slope(&self.z, &point);
            let length = self.model.length(&self.z, &point);
            let step = step_size(&self.z, &point);
            let resolution = options.cost_tolerance * self.cost;
            let unresolved = self.model.attainable_reduction() <= resolution;
            let before = self.cost;
            let number = self.iterations.len() + 1;
            let (accepted, trial_cost) = if predicted > 0.0 {
                self.try_point(point, number, unresolved.then_some(resolution))
            } else {
                (false, f64::INFINITY)
            };
            let iteration = Iteration {
                number,
                cost: self.cost,
                trial_cost,
                accepted,
                step,
                damping,
                relative_offset,
                values: self.values.clone(),
            };
            let wish = progress(&iteration);
            self.iterations.push(iteration);
            if wish.is_break() {
                return StopReason::Callback;
            }
            if unresolved && !accepted {
                return StopReason::CostReduction;
            }
            if step <= options.step_tolerance {
                // A step that is short because the radius is proves nothing.
                return if damping == 0.0 {
                    StopReason::Step
                } else {
                    StopReason::NoDescent
                };
            }
            let gain = (before - trial_cost) / predicted;
            if gain <= 0.25 || !accepted {
                let minimum = 0.5 * slope / (before + slope - trial_cost);
                radius = minimum.clamp(0.1, 0.5) * radius.min(10.0 * length);
            } else if gain >= 0.75 || damping == 0.0 {
                radius = 2.0 * length;
            }
        }
    }

    /// Moves to `point` if every experiment can be evaluated and differentiated there and the cost is
    /// smaller or, where the cost has only a given `resolution`, the relative offset is. Returns
    /// whether it has moved, and the cost at `point`.
    fn try_point(
        &mut self,
        point: Vec<f64>,
        iteration: usize,
        resolution: Option<f64>,
    ) -> (bool, f64) {
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
            return (false, f64::INFINITY);
        }
        self.evaluator.evaluate(&values, &mut self.trial);
        let cost = total_cost(&self.trial);
        let failed: Vec<Failed> = (self.trial.iter_mut())
            .filter_map(|e| Some((e.experiment, e.error.take()?)))
            .collect();
        self.reject(failed, iteration);
        let falls = match resolution {
            None => cost < self.cost,
            Some(resolution) => cost <= self.cost + resolution,
        };
        if !falls {
            return (false, cost);
        }
        let slopes = slopes(unknowns, &values);
        let linearized =
            (self.evaluator).linearize(&values, &slopes, &self.trial, &mut self.triangle);
        if let Err(failed) = linearized {
            self.reject(failed, iteration);
            return (false, f64::INFINITY);
        }
        let model = GaussNewton::new(
            &self.triangle,
            &point,
            &self.limits,
            self.options.rank_tolerance,
            &mut self.metric,
        );
        if resolution.is_some() && model.relative_offset() > PROGRESS * self.model.relative_offset()
        {
            return (false, cost);
        }
        std::mem::swap(&mut self.evaluations, &mut self.trial);
        (self.z, self.values, self.cost, self.model) = (point, values, cost, model);
        (true, cost)
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
        let covariance = covariance(
            self.options.noise,
            &self.evaluator,
            &self.model,
            &self.values,
            &slopes,
            &self.evaluations,
            counts,
        );
        let estimates = (0..unknowns.len())
            .map(|j| {
                let status = match self.model.bound()[j] {
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
                    weights: self.evaluator.weights(&e.residuals),
                    residuals: e.residuals,
                })
                .collect(),
            failures: self.failures,
            residual_count: counts.residuals,
            degrees_of_freedom: covariance.as_ref().and_then(|c| c.degrees_of_freedom),
            determinability,
            covariance: covariance.map(|c| c.matrix),
        }
    }
}

fn slopes(unknowns: &[Unknown], values: &[f64]) -> Vec<f64> {
    (unknowns.iter().zip(values))
        .map(|(u, &p)| u.slope(p))
        .collect()
}

fn step_size(z: &[f64], point: &[f64]) -> f64 {
    let relative = |(z, moved): (&f64, &f64)| (moved - z).abs() / (1.0 + z.abs());
    z.iter().zip(point).map(relative).fold(0.0, f64::max)
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
