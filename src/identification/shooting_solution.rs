//! The eliminated states of a shooting for given unknowns, and their derivatives.

use super::block_elimination::{BlockElimination, Rows};
use super::error::EvaluationError;
use crate::Scalar;
use crate::autodiff::{CHUNK, ChunkDual, slopes};
use nalgebra::SVector;
use std::ops::Range;

/// Solutions for the derivatives of the states: one, and a correction of its round-off.
const SOLUTIONS: usize = 2;

/// States in units of their deviations, one after the other, and residuals there.
pub(super) struct ShootingSolution {
    pub unknowns: Vec<f64>,
    pub states: Vec<f64>,
    pub residuals: Vec<f64>,
    /// Rows of each segment there.
    pub chain: Vec<Rows>,
    /// Of the rows, by the loss; empty if they are 1.
    pub row_weights: Vec<f64>,
    pub elimination: BlockElimination,
    /// Whether no states nearby fit better.
    pub is_minimum: bool,
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
