//! Cost, linear model and scores of all experiments of a fit.

use super::error::EvaluationError;
use super::experiment::Experiment;
use super::loss::{Blocks, Loss};
use super::parallel::Parallelism;
use super::problem::{Problem, differentiate, evaluate};
use super::triangle::{Triangle, dot};
use crate::autodiff::JacobianWorkspace;
use nalgebra::{Cholesky, DMatrix, DVector};

/// Round-off of a residual relative to what it is made of: 4096 units in the last place, what some
/// 10⁷ operations leave if their errors are independent.
const ROUND_OFF: f64 = 4096.0 * f64::EPSILON;

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

/// Root of the share of a direction below which the other blocks do not determine it.
const SMALLEST_REST: f64 = 1e-6;

/// Weighted residuals and their derivatives at one point.
///
/// # Round-off
/// A residual `r_i` is the difference of a prediction and a measurement, and the prediction a sum of
/// terms of which the relative derivatives `z_j J_ij` show the size. It is known to `ε Σ_j |z_j J_ij|`
/// at best, whose norm over all residuals is [`round_off`](Linearization::round_off).
///
/// A derivative `J_ij` that ought to vanish comes out as round-off of the terms that cancel in it:
/// a change of the unknown by its own size (`max(|z_j|, 1)`, since 1 is its scale) seems to change
/// the residual by a few `ε` of its size. Within an experiment the column of an unknown is therefore
/// zero if
///
/// ```text
/// max(|z_j|, 1) |J_ij| ≤ 4096 ε max(|r_i|, max_kl max(|z_k|, 1) |J_lk|)      for all i.
/// ```
///
/// # Residuals that respond
/// One that no unknown changes by more than its own round-off, `max(|z_j|, 1) |J_ij| ≤ 4096 ε |r_i|`
/// for all `j`, is a constant. How large it is says nothing of how near the others are to their
/// minimum; [`responding`](Linearization::responding) leaves it out.
#[derive(Debug, Clone)]
pub(super) struct Linearization {
    /// Triangular factor of `[J r]`.
    pub triangle: Triangle,
    /// Sum of the squares of the residuals that respond to some unknown.
    pub responding: f64,
    /// Sum of the squares of the smallest possible round-off of the residuals.
    pub round_off: f64,
}

impl Linearization {
    /// Of no experiments.
    pub fn new(unknowns: usize) -> Self {
        Linearization {
            triangle: Triangle::new(unknowns),
            responding: 0.0,
            round_off: 0.0,
        }
    }

    fn clear(&mut self) {
        self.triangle.clear();
        (self.responding, self.round_off) = (0.0, 0.0);
    }

    fn add(&mut self, other: &mut Self) {
        self.triangle.fold_triangle(&mut other.triangle);
        self.responding += other.responding;
        self.round_off += other.round_off;
    }
}

/// Sums over the blocks of all experiments, for the covariance of a robust fit.
#[derive(Debug, Clone)]
pub(super) struct Scores {
    /// `Σ w² ŷ ŷᵀ`.
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
    /// For each residual the largest change by an unknown of its own size, and the sum of
    /// `|z_j J_ij|`.
    sizes: Vec<[f64; 2]>,
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

    /// How much less the cost is at `after` than at `before`. Residual by residual, so that large ones
    /// which stay the same do not hide what the others do; −∞ if an experiment failed.
    pub fn reduction(&self, before: &[Evaluation], after: &[Evaluation]) -> f64 {
        if after.iter().any(|e| e.error.is_some()) {
            return f64::NEG_INFINITY;
        }
        let pairs = before.iter().zip(after);
        pairs
            .map(|(before, after)| -> f64 {
                let blocks = self.blocks(&before.residuals);
                let blocks = blocks.zip(self.blocks(&after.residuals));
                blocks.map(|(a, b)| self.block_reduction(a, b)).sum()
            })
            .sum()
    }

    fn block_reduction(&self, before: &[f64], after: &[f64]) -> f64 {
        let size = before.len() as f64;
        let pairs = before.iter().zip(after);
        let squares: f64 = pairs.map(|(a, b)| (a - b) * (a + b)).sum();
        if self.loss.is_least_squares() {
            return 0.5 * squares;
        }
        let [before, after] = [before, after].map(|r| dot(r, r) / size);
        let [rho, slope, _] = self.loss.evaluate(after);
        let change = squares / size;
        // The difference of nearly equal losses is lost in them; its first term is not.
        if change.abs() <= 1e-8 * after {
            0.5 * size * slope * change
        } else {
            0.5 * size * (self.loss.evaluate(before)[0] - rho)
        }
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

    /// Linearises all evaluated experiments.
    pub fn linearize(
        &self,
        values: &[f64],
        slopes: &[f64],
        evaluations: &[Evaluation],
        total: &mut Linearization,
    ) -> Result<(), Vec<Failed>> {
        total.clear();
        self.accumulate(
            values,
            slopes,
            evaluations,
            || Linearization::new(values.len()),
            |workspace, evaluation, part| {
                part.clear();
                workspace.apply_weights(self, &evaluation.residuals);
                workspace.add_sizes(evaluation.residuals.len(), part);
                part.triangle.fold(&mut workspace.block);
            },
            |part| total.add(part),
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
        let magnitudes: Vec<f64> = (self.problem.unknowns().iter().zip(values))
            .map(|(unknown, &p)| unknown.magnitude(p))
            .collect();
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
                        Ok(()) => {
                            workspace.clear_round_off(slot.evaluation.residuals.len(), &magnitudes);
                            reduce(workspace, slot.evaluation, &mut slot.part);
                        }
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

    /// Sets columns of `block` that are round-off to zero, and finds the sizes of the rows.
    fn clear_round_off(&mut self, residuals: usize, magnitudes: &[f64]) {
        self.sizes.clear();
        self.sizes.resize(residuals, [0.0; 2]);
        if residuals == 0 {
            return;
        }
        let (jacobian, real) = self.block.split_at_mut(residuals * magnitudes.len());
        for (column, &z) in jacobian.chunks_exact(residuals).zip(magnitudes) {
            for (size, dr) in self.sizes.iter_mut().zip(column) {
                size[0] = size[0].max(z.max(1.0) * dr.abs());
                size[1] += z * dr.abs();
            }
        }
        let largest = self.sizes.iter().fold(0.0, |a: f64, size| a.max(size[0]));
        for (column, &z) in jacobian.chunks_exact_mut(residuals).zip(magnitudes) {
            let lost =
                |(dr, r): (&f64, &f64)| z.max(1.0) * dr.abs() <= ROUND_OFF * largest.max(r.abs());
            if column.iter().zip(real.iter()).all(lost) {
                column.fill(0.0);
            }
        }
    }

    /// Adds up the squares of the weighted residuals that respond, and of their round-off.
    fn add_sizes(&self, residuals: usize, sums: &mut Linearization) {
        let weighted = self.block[self.block.len() - residuals..].iter();
        for (i, (r, size)) in weighted.zip(&self.sizes).enumerate() {
            let weight = self.weights.get(i).copied().unwrap_or(1.0);
            if weight * size[0] > ROUND_OFF * r.abs() {
                sums.responding += r * r;
            }
            sums.round_off += (f64::EPSILON * weight * size[1]).powi(2);
        }
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
            let block =
                DMatrix::from_fn(r.len(), basis.nrows(), |i, j| self.block[j * m + start + i]);
            let without = without_block(&(block * basis), weight, &score);
            sums.squared.ger(weight * weight, &without, &without, 1.0);
            if second != 0.0 {
                sums.curvature
                    .ger(-2.0 * second / size, &score, &score, 1.0);
            }
            start += r.len();
        }
    }
}

/// `ŷ = (1 − w AᵀA)⁻¹ y` for a block with Jacobian `A` in a basis in which `Σ w AᵀA = 1`; `y` itself
/// for a block that alone determines a direction.
fn without_block(jacobian: &DMatrix<f64>, weight: f64, score: &DVector<f64>) -> DVector<f64> {
    let rank = jacobian.ncols();
    let rest = DMatrix::identity(rank, rank) - jacobian.tr_mul(jacobian) * weight;
    match Cholesky::new(rest) {
        Some(rest) if rest.l_dirty().diagonal().min() > SMALLEST_REST => rest.solve(score),
        _ => score.clone(),
    }
}
