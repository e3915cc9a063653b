//! Cost, linear model and scores of all experiments of a fit.

use super::error::EvaluationError;
use super::experiment::Experiment;
use super::loss::{Blocks, Loss};
use super::parallel::Parallelism;
use super::problem::{Problem, differentiate, evaluate};
use super::triangle::{Triangle, dot};
use crate::autodiff::JacobianWorkspace;
use nalgebra::{DMatrix, DVector};

/// Experiments that are linearised before their results are added up; bounds the memory of a fit
/// with many experiments.
const BATCH: usize = 64;

/// Residuals of one experiment at one point.
#[derive(Debug, Clone)]
pub(super) struct Evaluation {
    pub experiment: usize,
    pub residuals: Vec<f64>,
    pub cost: f64,
    pub error: Option<EvaluationError>,
}

/// Cost of all experiments; infinite if one of them cannot be evaluated.
pub(super) fn total_cost(evaluations: &[Evaluation]) -> f64 {
    if evaluations.iter().any(|e| e.error.is_some()) {
        return f64::INFINITY;
    }
    evaluations.iter().map(|e| e.cost).sum()
}

/// An experiment that cannot be evaluated, and why.
pub(super) type Failed = (usize, EvaluationError);

/// Sums over the blocks of all experiments, for the covariance of a robust fit.
#[derive(Debug, Clone)]
pub(super) struct Scores {
    /// `Σ w² y yᵀ`.
    pub squared: DMatrix<f64>,
    /// `Σ −(2ρ″/N) y yᵀ`.
    pub curvature: DMatrix<f64>,
}

/// Evaluates the experiments of a problem with a loss.
pub(super) struct Evaluator<'a, X> {
    pub problem: &'a Problem<'a, X>,
    pub loss: Loss,
    pub blocks: Blocks,
    pub parallelism: Parallelism,
}

/// Scratch memory for one experiment.
#[derive(Default)]
struct Workspace {
    duals: JacobianWorkspace,
    /// `[J r]`, column by column.
    block: Vec<f64>,
    /// Square roots of the weights of the residuals.
    weights: Vec<f64>,
}

impl<X: Experiment> Evaluator<'_, X> {
    /// Evaluations to be filled, one for each experiment.
    pub fn evaluations(&self) -> Vec<Evaluation> {
        let experiments = self.problem.experiments().iter().enumerate();
        experiments
            .map(|(experiment, x)| Evaluation {
                experiment,
                residuals: vec![f64::NAN; x.residual_count()],
                cost: f64::NAN,
                error: None,
            })
            .collect()
    }

    /// Evaluates residuals and costs at the given values of the unknowns.
    pub fn evaluate(&self, values: &[f64], evaluations: &mut [Evaluation]) {
        self.parallelism.for_each(
            evaluations,
            || (),
            |_, e| {
                let x = &self.problem.experiments()[e.experiment];
                e.error = evaluate(x, values, &mut e.residuals).err();
                e.cost = match e.error {
                    None => self.cost(&e.residuals),
                    Some(_) => f64::INFINITY,
                };
            },
        );
    }

    fn cost(&self, residuals: &[f64]) -> f64 {
        self.blocks(residuals)
            .map(|r| {
                let size = r.len() as f64;
                0.5 * size * self.loss.evaluate(dot(r, r) / size)[0]
            })
            .sum()
    }

    /// Weights of the blocks of an experiment.
    pub fn weights(&self, residuals: &[f64]) -> Vec<f64> {
        self.blocks(residuals)
            .map(|r| self.loss.evaluate(dot(r, r) / r.len() as f64)[1])
            .collect()
    }

    fn blocks<'r>(&self, residuals: &'r [f64]) -> impl Iterator<Item = &'r [f64]> {
        residuals.chunks(self.blocks.size(residuals.len()))
    }

    /// Folds the weighted Jacobians and residuals of all evaluated experiments into `triangle`.
    pub fn linearize(
        &self,
        values: &[f64],
        slopes: &[f64],
        evaluations: &[Evaluation],
        triangle: &mut Triangle,
    ) -> Result<(), Vec<Failed>> {
        triangle.clear();
        self.accumulate(
            values,
            slopes,
            evaluations,
            || Triangle::new(values.len()),
            |workspace, evaluation, part| {
                part.clear();
                workspace.apply_weights(self, &evaluation.residuals);
                part.fold(&mut workspace.block);
            },
            |part| triangle.fold_triangle(part),
        )
    }

    /// Sums the scores `y = Tᵀ J_bᵀ r_b` of all blocks, in the basis `T` (unknowns × directions).
    pub fn scores(
        &self,
        values: &[f64],
        slopes: &[f64],
        evaluations: &[Evaluation],
        basis: &DMatrix<f64>,
    ) -> Result<Scores, Vec<Failed>> {
        let directions = basis.ncols();
        let zero = || Scores {
            squared: DMatrix::zeros(directions, directions),
            curvature: DMatrix::zeros(directions, directions),
        };
        let mut total = zero();
        self.accumulate(
            values,
            slopes,
            evaluations,
            zero,
            |workspace, evaluation, part| {
                part.squared.fill(0.0);
                part.curvature.fill(0.0);
                workspace.add_scores(self, &evaluation.residuals, basis, part);
            },
            |part| {
                total.squared += &part.squared;
                total.curvature += &part.curvature;
            },
        )?;
        Ok(total)
    }

    /// Differentiates every experiment, reduces it by `reduce` on its own, and adds the results in
    /// the order of the experiments.
    fn accumulate<P: Send>(
        &self,
        values: &[f64],
        slopes: &[f64],
        evaluations: &[Evaluation],
        new_part: impl Fn() -> P,
        reduce: impl Fn(&mut Workspace, &Evaluation, &mut P) + Sync + Send,
        mut add: impl FnMut(&mut P),
    ) -> Result<(), Vec<Failed>> {
        struct Slot<'e, P> {
            evaluation: &'e Evaluation,
            part: P,
            error: Option<EvaluationError>,
        }
        let mut failed = Vec::new();
        let mut parts: Vec<P> = Vec::new();
        for batch in evaluations.chunks(BATCH) {
            parts.resize_with(batch.len().max(parts.len()), &new_part);
            let mut slots: Vec<_> = batch
                .iter()
                .zip(parts.drain(..))
                .map(|(evaluation, part)| Slot {
                    evaluation,
                    part,
                    error: None,
                })
                .collect();
            self.parallelism
                .for_each(&mut slots, Workspace::default, |workspace, slot| {
                    let x = &self.problem.experiments()[slot.evaluation.experiment];
                    match workspace.differentiate(x, values, slopes, &slot.evaluation.residuals) {
                        Ok(()) => reduce(workspace, slot.evaluation, &mut slot.part),
                        Err(error) => slot.error = Some(error),
                    }
                });
            for mut slot in slots {
                match slot.error {
                    None => add(&mut slot.part),
                    Some(error) => failed.push((slot.evaluation.experiment, error)),
                }
                parts.push(slot.part);
            }
        }
        if failed.is_empty() {
            Ok(())
        } else {
            Err(failed)
        }
    }
}

impl Workspace {
    /// Fills `block` with `[J r]`: derivatives from duals, residuals as `f64` has found them.
    fn differentiate<X: Experiment>(
        &mut self,
        experiment: &X,
        values: &[f64],
        slopes: &[f64],
        residuals: &[f64],
    ) -> Result<(), EvaluationError> {
        let m = residuals.len();
        self.block.resize(m * (values.len() + 1), 0.0);
        let (jacobian, real) = self.block.split_at_mut(m * values.len());
        differentiate(experiment, values, slopes, &mut self.duals, real, jacobian)?;
        real.copy_from_slice(residuals);
        Ok(())
    }

    /// Multiplies the rows of `block` by the square roots of their weights.
    fn apply_weights<X: Experiment>(&mut self, evaluator: &Evaluator<X>, residuals: &[f64]) {
        if evaluator.loss.is_least_squares() || residuals.is_empty() {
            return;
        }
        self.weights.clear();
        for r in evaluator.blocks(residuals) {
            let [_, weight, _] = evaluator.loss.evaluate(dot(r, r) / r.len() as f64);
            self.weights.extend(r.iter().map(|_| weight.sqrt()));
        }
        for column in self.block.chunks_exact_mut(residuals.len()) {
            for (x, &weight) in column.iter_mut().zip(&self.weights) {
                *x *= weight;
            }
        }
    }

    fn add_scores<X: Experiment>(
        &self,
        evaluator: &Evaluator<X>,
        residuals: &[f64],
        basis: &DMatrix<f64>,
        sums: &mut Scores,
    ) {
        let m = residuals.len();
        let mut gradient = DVector::zeros(basis.nrows());
        let mut start = 0;
        for r in evaluator.blocks(residuals) {
            let size = r.len() as f64;
            let [_, weight, second] = evaluator.loss.evaluate(dot(r, r) / size);
            for (j, g) in gradient.iter_mut().enumerate() {
                *g = dot(&self.block[j * m + start..][..r.len()], r);
            }
            let score = basis.tr_mul(&gradient);
            sums.squared.ger(weight * weight, &score, &score, 1.0);
            if second != 0.0 {
                sums.curvature
                    .ger(-2.0 * second / size, &score, &score, 1.0);
            }
            start += r.len();
        }
    }
}
