//! Residuals and Jacobians of experiments, reduced to the partial results that an optimiser requests.

use super::error::{EvaluationError, LARGEST};
use super::execution::Items;
use super::experiment::Experiment;
use super::problem::{Problem, differentiate, evaluate};
use super::question::{Answer, Costs, Quantity, Question};
use super::r_factor::{RFactor, dot};
use super::residual_store::ResidualStore;
use super::robust_cost::RobustCost;
use super::round_off::{Derivatives, ROUND_OFF, nearby};
use crate::autodiff::JacobianWorkspace;
use nalgebra::{Cholesky, DMatrix, DVector, SymmetricEigen};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Root of the share of a direction below which the other blocks do not determine it.
const SMALLEST_REST: f64 = 1e-6;

/// Weighted residuals and their derivatives at one point.
///
/// # Round-off
/// A residual `r_i` is the difference of a prediction and a measurement, and the prediction a sum of
/// terms of which the relative derivatives `z_j J_ij` show the size. It is known to `ε Σ_j |z_j J_ij|`
/// at best, whose norm over all residuals is [`round_off`](Linearization::round_off). Columns that are round-off are
/// zero ([`Derivatives`]).
///
/// # Residuals that respond
/// One that no unknown changes by more than its own round-off, `max(|z_j|, 1) |J_ij| ≤ 4096 ε |r_i|`
/// for all `j`, is a constant. How large it is says nothing of how near the others are to their
/// minimum; [`responding`](Linearization::responding) leaves it out.
#[derive(Debug, Clone)]
pub(super) struct Linearization {
    /// Triangular factor of `[J r]`.
    pub r_factor: RFactor,
    /// Sum of the squares of the residuals that respond to some unknown.
    pub responding: f64,
    /// Sum of the squares of the smallest possible round-off of the residuals.
    pub round_off: f64,
    /// Whether there are derivatives, and the squares of all underflow.
    pub underflows: bool,
}

impl Linearization {
    /// Of an answer to [`Quantity::Linearization`] about so many unknowns.
    pub fn of(answer: Answer, unknowns: usize) -> Self {
        let sum = |k: usize| answer.sums.get(k).copied().unwrap_or(0.0);
        Linearization {
            responding: sum(0),
            round_off: sum(1),
            underflows: sum(2) > 0.0 && sum(3) == 0.0,
            r_factor: answer.r_factor.unwrap_or_else(|| RFactor::new(unknowns)),
        }
    }
}

/// Sums over the blocks of all experiments, for the covariance of a robust fit.
#[derive(Debug, Clone)]
pub(super) struct Scores {
    /// `Σ w² ŷ ŷᵀ`.
    pub squared: DMatrix<f64>,
    /// `Σ −(2ρ″/N) y yᵀ`.
    pub curvature: DMatrix<f64>,
    /// The projection to the directions that one part of the data alone determines.
    pub alone: DMatrix<f64>,
    /// Of each unknown the sum of the squares of the shares that parts have in what determines it.
    pub concentration: DVector<f64>,
    /// Number of parts.
    pub parts: usize,
}

impl Scores {
    fn zeros(unknowns: usize, directions: usize) -> Self {
        let zeros = DMatrix::zeros(directions, directions);
        Scores {
            squared: zeros.clone(),
            curvature: zeros.clone(),
            alone: zeros,
            concentration: DVector::zeros(unknowns),
            parts: 0,
        }
    }

    /// Of an answer to [`Quantity::Scores`].
    pub fn of(answer: &Answer, (unknowns, directions): (usize, usize)) -> Self {
        let size = directions * directions;
        if answer.sums.len() != 3 * size + unknowns + 1 {
            return Scores::zeros(unknowns, directions);
        }
        let matrix = |k: usize| {
            let entries = &answer.sums[k * size..(k + 1) * size];
            DMatrix::from_column_slice(directions, directions, entries)
        };
        let rest = &answer.sums[3 * size..];
        Scores {
            squared: matrix(0),
            curvature: matrix(1),
            alone: matrix(2),
            concentration: DVector::from_column_slice(&rest[..unknowns]),
            parts: rest[unknowns] as usize,
        }
    }

    fn write(&self, sums: &mut Vec<f64>) {
        for matrix in [&self.squared, &self.curvature, &self.alone] {
            sums.extend(matrix);
        }
        sums.extend(&self.concentration);
        sums.push(self.parts as f64);
    }

    /// Adds a part of the data, with its leverage `Σ w AᵀA` in a basis (unknowns × directions) in which that of all data is 1,
    /// and the sum of its scores: `ŷ = (1 − Σ w AᵀA)⁻¹ Σ w y`, in directions that other parts determine, too.
    fn add_part(&mut self, basis: &DMatrix<f64>, leverage: &DMatrix<f64>, score: &DVector<f64>) {
        self.parts += 1;
        let rank = leverage.ncols();
        if rank == 0 {
            return;
        }
        let without = match Cholesky::new(DMatrix::identity(rank, rank) - leverage) {
            Some(rest) if rest.l_dirty().diagonal().min() > SMALLEST_REST => rest.solve(score),
            _ => {
                let eigen = SymmetricEigen::new(leverage.clone());
                let mut without = DVector::zeros(rank);
                for (direction, &own) in eigen.eigenvectors.column_iter().zip(&eigen.eigenvalues) {
                    match 1.0 - own > SMALLEST_REST {
                        true => without.axpy(direction.dot(score) / (1.0 - own), &direction, 1.0),
                        false => self.alone.ger(1.0, &direction, &direction, 1.0),
                    }
                }
                without
            }
        };
        self.squared.ger(1.0, &without, &without, 1.0);
        for (sum, of_unknown) in self.concentration.iter_mut().zip(basis.row_iter()) {
            let square = of_unknown.norm_squared();
            if square > 0.0 {
                let share = (of_unknown * leverage).dot(&of_unknown) / square;
                *sum += share * share;
            }
        }
    }
}

/// Answers the questions of an optimiser about the experiments of a problem.
///
/// Residuals at the last two points are kept, up to 128 MB each; what is not kept is evaluated again.
pub struct Evaluator<'a, X> {
    problem: &'a Problem<'a, X>,
    store: Mutex<ResidualStore>,
    start: Option<Start>,
}

/// Where several fits with the same cost start.
struct Start {
    values: Vec<f64>,
    /// The linearisation of each experiment there.
    linearizations: Vec<OnceLock<Answer>>,
}

impl<X> std::fmt::Debug for Evaluator<'_, X> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Evaluator")
            .field("problem", self.problem)
            .finish_non_exhaustive()
    }
}

/// Scratch memory for one experiment.
#[derive(Debug, Default)]
pub struct Workspace {
    duals: JacobianWorkspace,
    /// `[J r]`, column by column.
    block: Vec<f64>,
    /// Square roots of the weights of the residuals.
    weights: Vec<f64>,
    /// For each residual the largest change by an unknown of its own size.
    changes: Vec<f64>,
    /// For each residual the sum of `|z_j J_ij|`.
    terms: Vec<f64>,
}

impl<X: Experiment> Items for Evaluator<'_, X> {
    type Question = Question;
    type Part = Answer;
    type Workspace = Workspace;

    fn count(&self) -> usize {
        self.problem.experiments().len()
    }

    fn evaluate(&self, workspace: &mut Workspace, question: &Question, index: usize) -> Answer {
        if question.left_out.binary_search(&index).is_ok() {
            return Answer::default();
        }
        let answer = self.answer(workspace, question, index);
        answer.unwrap_or_else(|error| Answer {
            failed: vec![(index, error)],
            ..Answer::default()
        })
    }
}

impl<'a, X: Experiment> Evaluator<'a, X> {
    /// For the experiments of a problem.
    pub fn new(problem: &'a Problem<'a, X>) -> Self {
        Evaluator {
            problem,
            store: Mutex::default(),
            start: None,
        }
    }

    /// For several fits of these experiments, with the same cost, from the same values of the unknowns.
    pub(super) fn from(problem: &'a Problem<'a, X>, start: &[f64]) -> Self {
        Evaluator {
            problem,
            store: Mutex::new(ResidualStore::from(start)),
            start: Some(Start {
                values: start.to_vec(),
                linearizations: problem
                    .experiments()
                    .iter()
                    .map(|_| OnceLock::new())
                    .collect(),
            }),
        }
    }

    /// The problem.
    pub fn problem(&self) -> &'a Problem<'a, X> {
        self.problem
    }

    fn store(&self) -> MutexGuard<'_, ResidualStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn residuals(&self, values: &[f64], index: usize) -> Result<Arc<Vec<f64>>, EvaluationError> {
        if let Some(residuals) = self.store().find(values, index) {
            return Ok(residuals);
        }
        let x = &self.problem.experiments()[index];
        let mut residuals = vec![f64::NAN; x.residual_count()];
        evaluate(x, values, &mut residuals)?;
        let residuals = Arc::new(residuals);
        self.store().keep(values, index, &residuals);
        Ok(residuals)
    }

    fn answer(
        &self,
        workspace: &mut Workspace,
        question: &Question,
        index: usize,
    ) -> Result<Answer, EvaluationError> {
        let cost = &question.cost;
        let before = match &question.quantity {
            Quantity::Cost {
                before: Some(values),
            } => Some(self.residuals(values, index)?),
            _ => None,
        };
        let residuals = self.residuals(&question.values, index)?;
        let mut answer = Answer::default();
        match &question.quantity {
            Quantity::Cost { .. } => {
                let eliminated = self.problem.experiments()[index].eliminated_count();
                let blocks = cost.block_count(residuals.len());
                let costs = Costs {
                    cost: cost.of(&residuals),
                    reduction: before.map_or(0.0, |before| cost.reduction(&before, &residuals)),
                    squares: dot(&residuals, &residuals),
                    residuals: residuals.len(),
                    eliminated,
                    eliminated_across_blocks: if blocks > 1 { eliminated } else { 0 },
                    blocks,
                };
                answer.sums = costs.into_sums();
            }
            Quantity::Linearization => {
                let of_start = self
                    .start
                    .as_ref()
                    .filter(|start| start.values == question.values);
                let known = of_start.map(|start| &start.linearizations[index]);
                if let Some(answer) = known.and_then(OnceLock::get) {
                    return Ok(answer.clone());
                }
                self.differentiate(workspace, &question.values, index, &residuals)?;
                workspace.apply_weights(cost, &residuals);
                answer.sums = workspace.squares(residuals.len()).to_vec();
                answer.sums.extend(workspace.counts(residuals.len()));
                let mut r_factor = RFactor::new(question.values.len());
                r_factor.fold(&mut workspace.block);
                answer.r_factor = Some(r_factor);
                if let Some(known) = known {
                    known.get_or_init(|| answer.clone());
                }
            }
            Quantity::Scores { basis, part } => {
                self.differentiate(workspace, &question.values, index, &residuals)?;
                let mut scores = Scores::zeros(basis.nrows(), basis.ncols());
                workspace.add_scores(cost, &residuals, (basis, *part), &mut scores);
                scores.write(&mut answer.sums);
            }
            Quantity::Residuals => answer.residuals.push((index, residuals.to_vec())),
        }
        Ok(answer)
    }

    /// Fills the block of the workspace with `[J r]` in the coordinates of the unknowns, without
    /// columns that are round-off.
    fn differentiate(
        &self,
        workspace: &mut Workspace,
        values: &[f64],
        index: usize,
        residuals: &[f64],
    ) -> Result<(), EvaluationError> {
        let unknowns = self.problem.unknowns();
        let paired = unknowns.iter().zip(values);
        let slopes: Vec<f64> = paired.clone().map(|(u, &p)| u.slope(p)).collect();
        let magnitudes: Vec<f64> = paired.map(|(u, &p)| u.magnitude(p)).collect();
        let x = &self.problem.experiments()[index];
        workspace.differentiate(x, values, &slopes, residuals)?;
        workspace.find_sizes(residuals.len(), &magnitudes);
        let is_fixed = |j: usize| unknowns[j].is_fixed();
        workspace.clear_round_off(residuals.len(), &magnitudes, is_fixed, |suspects, duals| {
            let values = nearby(unknowns, values, suspects);
            let mut real = vec![0.0; residuals.len()];
            let mut jacobian = vec![0.0; residuals.len() * values.len()];
            differentiate(x, &values, &slopes, duals, &mut real, &mut jacobian).ok()?;
            Some(jacobian)
        });
        Ok(())
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

    /// Finds the sizes of the rows.
    fn find_sizes(&mut self, residuals: usize, magnitudes: &[f64]) {
        self.changes.clear();
        self.changes.resize(residuals, 0.0);
        self.terms.clear();
        self.terms.resize(residuals, 0.0);
        if residuals == 0 {
            return;
        }
        for (column, &z) in self.block.chunks_exact(residuals).zip(magnitudes) {
            for (change, dr) in self.changes.iter_mut().zip(column) {
                *change = change.max(z.max(1.0) * dr.abs());
            }
            for (sum, dr) in self.terms.iter_mut().zip(column) {
                *sum += z * dr.abs();
            }
        }
    }

    /// Sets columns of `block` that are round-off to zero; `nearby` gives the Jacobian at a point next to this one
    /// for suspect columns.
    fn clear_round_off(
        &mut self,
        residuals: usize,
        magnitudes: &[f64],
        is_fixed: impl Fn(usize) -> bool,
        nearby: impl FnOnce(&[usize], &mut JacobianWorkspace) -> Option<Vec<f64>>,
    ) {
        let (jacobian, real) = self.block.split_at(residuals * magnitudes.len());
        let magnitudes: Vec<f64> = magnitudes.iter().map(|z| z.max(1.0)).collect();
        let derivatives = Derivatives {
            jacobian,
            residuals: real,
            rows: &self.changes,
            magnitudes: &magnitudes,
        };
        let mut lost = derivatives.suspects();
        // On those of fixed unknowns nothing depends: they are not worth another look.
        if lost.iter().any(|&j| !is_fixed(j))
            && let Some(nearby) = nearby(&lost, &mut self.duals)
        {
            lost.retain(|&j| !derivatives.is_same(j, &nearby));
        }
        for j in lost {
            self.block[j * residuals..(j + 1) * residuals].fill(0.0);
        }
    }

    /// Sums of the squares of the weighted residuals that respond, and of the round-off of all.
    fn squares(&self, residuals: usize) -> [f64; 2] {
        let [mut responding, mut round_off] = [0.0; 2];
        let weighted = self.block[self.block.len() - residuals..].iter();
        let sizes = self.changes.iter().zip(&self.terms);
        for (i, (r, (change, sum))) in weighted.zip(sizes).enumerate() {
            let weight = self.weights.get(i).copied().unwrap_or(1.0);
            if weight * change > ROUND_OFF * r.abs() {
                responding += r * r;
            }
            round_off += (f64::EPSILON * weight * sum).powi(2);
        }
        [responding, round_off]
    }

    /// How many weighted derivatives are not 0, and how many of them may be squared.
    fn counts(&self, residuals: usize) -> [f64; 2] {
        let derivatives = &self.block[..self.block.len() - residuals];
        [0.0, LARGEST.recip()].map(|size| {
            let larger = derivatives.iter().filter(|dr| dr.abs() > size);
            larger.count() as f64
        })
    }

    /// Multiplies the rows of `block` by the square roots of their weights.
    fn apply_weights(&mut self, cost: &RobustCost, residuals: &[f64]) {
        self.weights.clear();
        if cost.loss.is_least_squares() || residuals.is_empty() {
            return;
        }
        for r in cost.blocks(residuals) {
            let [_, weight, _] = cost.loss.evaluate(dot(r, r) / r.len() as f64);
            self.weights.extend(r.iter().map(|_| weight.sqrt()));
        }
        for column in self.block.chunks_exact_mut(residuals.len()) {
            for (x, &weight) in column.iter_mut().zip(&self.weights) {
                *x *= weight;
            }
        }
    }

    fn add_scores(
        &self,
        cost: &RobustCost,
        residuals: &[f64],
        (basis, part): (&DMatrix<f64>, Option<usize>),
        sums: &mut Scores,
    ) {
        let (m, rank) = (residuals.len(), basis.ncols());
        // Where blocks alone are parts, every place ends one.
        let parts = |length: usize| (m + length / 2) / length.max(1);
        let length = part.map_or(1, |length| m.div_ceil(parts(length).max(1)));
        let mut gradient = DVector::zeros(basis.nrows());
        let (mut of_part, mut leverage) = (DVector::zeros(rank), DMatrix::zeros(rank, rank));
        let (mut start, mut end) = (0, length);
        for r in cost.blocks(residuals) {
            let size = r.len() as f64;
            let [_, weight, second] = cost.loss.evaluate(dot(r, r) / size);
            for (j, g) in gradient.iter_mut().enumerate() {
                *g = dot(&self.block[j * m + start..][..r.len()], r);
            }
            let score = basis.tr_mul(&gradient);
            let block =
                DMatrix::from_fn(r.len(), basis.nrows(), |i, j| self.block[j * m + start + i]);
            let jacobian = block * basis;
            leverage.gemm_tr(weight, &jacobian, &jacobian, 1.0);
            of_part.axpy(weight, &score, 1.0);
            if second != 0.0 {
                sums.curvature
                    .ger(-2.0 * second / size, &score, &score, 1.0);
            }
            start += r.len();
            if start >= end || start == m {
                sums.add_part(basis, &leverage, &of_part);
                of_part.fill(0.0);
                leverage.fill(0.0);
                end = (start / length + 1) * length;
            }
        }
    }
}
