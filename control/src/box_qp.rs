//! Quadratic programs with limits of the variables, by projected Newton steps.
//!
//! ```text
//! min ½ xᵀH x + gᵀx,      l ≤ x ≤ h
//! ```
//!
//! Variables at a limit that the gradient presses against are held there, the others take a Newton step, which is projected
//! and shortened until the objective falls (Bertsekas 1982, *SIAM Journal on Control and Optimization* 20, 221–246; in
//! DDP: Tassa, Mansard and Todorov 2014, *ICRA*, 1168–1175).

use crate::matrix::dot;
use dualbody::math::{Cholesky, Factorization, Singular};
use nalgebra::DMatrix;

const MAX_ITERATIONS: usize = 100;
const MAX_HALVINGS: usize = 40;
/// Part of the decrease by the gradient that a step has to reach (Armijo).
const SUFFICIENT: f64 = 0.1;

/// A solver for programs of one size, with its memory.
#[derive(Debug, Clone)]
pub(crate) struct BoxQp {
    /// The solution.
    pub x: Vec<f64>,
    /// Which variables are at no limit.
    pub is_free: Vec<bool>,
    /// Of the rows and columns of H that are free, and of the identity in place of the others.
    pub factor: Cholesky,
    masked: DMatrix<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
}

impl BoxQp {
    pub fn new(size: usize) -> Self {
        BoxQp {
            x: vec![0.0; size],
            is_free: vec![true; size],
            factor: Cholesky::identity(size),
            masked: DMatrix::zeros(size, size),
            gradient: vec![0.0; size],
            step: vec![0.0; size],
            trial: vec![0.0; size],
        }
    }

    /// Solves a program from `x`, whatever it is.
    ///
    /// # Errors
    /// When the free part of H is not positive definite.
    pub fn solve(
        &mut self,
        hessian: &DMatrix<f64>,
        linear: &[f64],
        lower: impl Fn(usize) -> f64,
        upper: impl Fn(usize) -> f64,
    ) -> Result<(), Singular> {
        let size = self.x.len();
        for i in 0..size {
            self.x[i] = self.x[i].max(lower(i)).min(upper(i));
        }
        for _ in 0..MAX_ITERATIONS {
            self.gradient.copy_from_slice(linear);
            crate::matrix::add_times(&mut self.gradient, hessian, &self.x);
            for i in 0..size {
                let (x, g) = (self.x[i], self.gradient[i]);
                let is_given = lower(i) == upper(i);
                let is_held = (x <= lower(i) && g > 0.0) || (x >= upper(i) && g < 0.0);
                self.is_free[i] = !(is_given || is_held);
            }
            for j in 0..size {
                for i in 0..size {
                    self.masked[(i, j)] = match (self.is_free[i] && self.is_free[j], i == j) {
                        (true, _) => hessian[(i, j)],
                        (false, same) => f64::from(same),
                    };
                }
            }
            self.factor.factor(&self.masked)?;
            for i in 0..size {
                self.step[i] = if self.is_free[i] {
                    -self.gradient[i]
                } else {
                    0.0
                };
            }
            // A factor solves for vectors of its own size.
            let _ = self.factor.solve_in_place(&mut self.step);
            let scale = self.x.iter().fold(0.0f64, |scale, x| scale.max(x.abs()));
            let length = self
                .step
                .iter()
                .fold(0.0f64, |length, d| length.max(d.abs()));
            if length <= 1e-15 * scale || length == 0.0 {
                break;
            }
            if !self.search(hessian, &lower, &upper) {
                break;
            }
        }
        Ok(())
    }

    /// Takes the longest of the halved steps that lowers the objective; whether there is one.
    fn search(
        &mut self,
        hessian: &DMatrix<f64>,
        lower: &impl Fn(usize) -> f64,
        upper: &impl Fn(usize) -> f64,
    ) -> bool {
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            for i in 0..self.x.len() {
                let x = self.x[i] + length * self.step[i];
                // The change, in the memory of the trial.
                self.trial[i] = x.max(lower(i)).min(upper(i)) - self.x[i];
            }
            let slope = dot(&self.gradient, &self.trial);
            let curvature: f64 = (0..self.x.len())
                .map(|j| self.trial[j] * dot(hessian.column(j).as_slice(), &self.trial))
                .sum();
            if slope < 0.0 && slope + 0.5 * curvature <= SUFFICIENT * slope {
                // Not by the change, the sum with which need not be on a limit to the last bit.
                for i in 0..self.x.len() {
                    let x = self.x[i] + length * self.step[i];
                    self.x[i] = x.max(lower(i)).min(upper(i));
                }
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::dmatrix;

    /// A value and the way to its limit need not add up to that limit in the last bit.
    #[test]
    fn a_step_to_a_limit_ends_on_it() {
        let (lower, upper) = ([-0.5, -0.9], [0.2, 1.0]);
        let mut program = BoxQp::new(2);
        program.x.copy_from_slice(&[-0.5, -0.2]);
        let hessian = dmatrix![1.0, 0.9; 0.9, 1.0];
        (program.solve(&hessian, &[-1.9, -1.3], |i| lower[i], |i| upper[i])).unwrap();
        assert_eq!(program.x, upper);
        assert_eq!(program.is_free, [false, false]);
    }
}
