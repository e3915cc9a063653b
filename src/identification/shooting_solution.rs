//! The eliminated states of a shooting for given unknowns, and their derivatives.

use super::block_elimination::{BlockElimination, Rows};
use super::error::EvaluationError;
use crate::Scalar;
use crate::autodiff::{CHUNK, ChunkDual, slopes};
use nalgebra::{DVector, SVector};
use std::ops::Range;

/// Solutions for the derivatives of the states: one, and a correction of its round-off.
const SOLUTIONS: usize = 2;

/// States in units of their deviations, one after the other, and residuals there.
#[derive(Clone)]
pub(super) struct ShootingSolution {
    pub unknowns: Vec<f64>,
    pub states: Vec<f64>,
    pub residuals: Vec<f64>,
    /// Rows of each segment there, or at other states nearby.
    pub chain: Vec<Rows>,
    /// Of the rows, by the loss; empty if they are 1.
    pub row_weights: Vec<f64>,
    pub elimination: BlockElimination,
    /// Whether the rows are those of these states, and not of others nearby.
    pub is_own: bool,
    /// Whether only round-off kept the search from going on.
    pub is_round_off: bool,
}

/// What a linear model expects of other unknowns.
pub(super) struct Prediction {
    /// The states that fit best there.
    pub states: Vec<f64>,
    /// States that are as far from those as the states here are from the ones that fit best here.
    pub following: Vec<f64>,
    /// How much less the cost is there.
    pub reduction: f64,
    /// Half the sum of the weighted squares of what the residuals change by, with the states that fit best here and there: what
    /// a step of Gauss and Newton to there gains.
    pub change: f64,
}

impl ShootingSolution {
    /// Rows of each segment that are residuals; the others hold a known start.
    fn rows(&self) -> impl Iterator<Item = (usize, &Rows, Range<usize>)> {
        let rows: usize = self.chain.iter().map(|rows| rows.residual.len()).sum();
        let held = rows - self.residuals.len();
        (self.chain.iter().enumerate()).map(move |(k, rows)| {
            let first = if k == 0 { held } else { 0 };
            (k, rows, first..rows.residual.len())
        })
    }

    /// What the linear model here expects of other unknowns, with the states that fit these best; `None` where it leaves a
    /// state open.
    pub fn predict(&self, unknowns: &[f64]) -> Option<Prediction> {
        let moved = unknowns.iter().zip(&self.unknowns);
        let moved = DVector::from_iterator(unknowns.len(), moved.map(|(there, here)| there - here));
        let mut chain = self.chain.clone();
        for rows in &mut chain {
            rows.residual += &rows.by_unknowns * &moved;
        }
        let size = chain.first()?.own.ncols();
        let steps = BlockElimination::new(size, &chain, &self.row_weights, 0.0).solution()?;
        let own = self.elimination.solution()?;
        let (mut reduction, mut change) = (0.0, 0.0);
        let own_weights = self.row_weights.iter().copied();
        let mut weights = own_weights.chain(std::iter::repeat(1.0));
        for (k, (there, here)) in chain.iter().zip(&self.chain).enumerate() {
            let from = k * size;
            for i in 0..here.residual.len() {
                let weight = weights.next()?;
                let at = |states: &[f64], rows: &Rows| {
                    let terms = rows.weights(i).zip(&states[from..]).map(|(a, s)| a * s);
                    rows.residual[i] + terms.sum::<f64>()
                };
                let (r, next, best) = (here.residual[i], at(&steps, there), at(&own, here));
                reduction += 0.5 * weight * (r * r - next * next);
                change += 0.5 * weight * (next - best).powi(2);
            }
        }
        let states: Vec<f64> = (self.states.iter().zip(&steps))
            .map(|(s, step)| s + step)
            .collect();
        let following = states.iter().zip(own).map(|(s, own)| s - own);
        Some(Prediction {
            following: following.collect(),
            states,
            reduction,
            change,
        })
    }

    /// Writes the derivatives of residuals with respect to the unknowns, column by column, as the states follow these.
    pub fn write_slopes(&self, jacobian: &mut [f64]) -> Result<(), EvaluationError> {
        let mut numbers = vec![ChunkDual::from_re(0.0); self.residuals.len()];
        let columns = jacobian.chunks_mut(CHUNK * self.residuals.len().max(1));
        for (chunk, columns) in columns.enumerate() {
            let mut at = numbers.iter_mut();
            for (_, rows, range) in self.rows() {
                for (i, number) in range.zip(&mut at) {
                    let slopes = rows.by_unknowns.row(i).into_iter().skip(chunk * CHUNK);
                    let mut own = SVector::<f64, CHUNK>::zeros();
                    own.iter_mut()
                        .zip(slopes)
                        .for_each(|(to, slope)| *to = *slope);
                    number.eps.0 = Some(own);
                }
            }
            let followed = self.follow(&mut numbers);
            followed.ok_or(EvaluationError::StatesUndetermined)?;
            for (lane, column) in columns.chunks_exact_mut(numbers.len()).enumerate() {
                for (to, number) in column.iter_mut().zip(&numbers) {
                    *to = slopes(number)[lane];
                }
            }
        }
        Ok(())
    }

    /// What the states add to the infinitesimal parts of residuals at constant states.
    pub fn follow<T: Scalar>(&self, residuals: &mut [T]) -> Option<()> {
        let size = self.chain.first()?.own.ncols();
        for _ in 0..SOLUTIONS {
            let mut states = vec![T::zero(); self.states.len()];
            let rows: usize = self.chain.iter().map(|rows| rows.residual.len()).sum();
            let held = rows - self.residuals.len();
            let mut at = residuals.iter().zip(held..);
            for (k, rows, range) in self.rows() {
                for (i, (r, row)) in range.zip(&mut at) {
                    let weight = self.row_weights.get(row).copied().unwrap_or(1.0);
                    let moved = r.with_real(0.0) * weight;
                    for (state, weight) in states[k * size..].iter_mut().zip(rows.weights(i)) {
                        *state -= moved * weight;
                    }
                }
            }
            self.elimination.solve_normal(&mut states)?;
            let mut at = residuals.iter_mut();
            for (k, rows, range) in self.rows() {
                for (i, r) in range.zip(&mut at) {
                    for (&state, weight) in states[k * size..].iter().zip(rows.weights(i)) {
                        *r += state * weight;
                    }
                }
            }
        }
        Some(())
    }
}
