//! The Jacobian of a step's balance and constraints, factored.
//!
//! With the Jacobian `J` of the momentum balance and the active rows `G`, changes `(x, y)` of velocities
//! and impulses follow from changes `(a, b)` of the residuals by
//!
//! ```text
//! J x − Gᵀ y = a,      G x = b
//! ```
//!
//! What is factored is `K = J + Gᵀ ρ G`. Where `G x = b` the added term is `Gᵀ ρ b`, so that
//!
//! ```text
//! S z = b − G K⁻¹ a,     x = K⁻¹ (a + Gᵀ z),     y = z − ρ b,     S = G K⁻¹ Gᵀ
//! ```
//!
//! with S over rows that are independent, and no large term `ρ b` in the velocities. Impulses of the other
//! rows stay as they are; what ρ adds for them counts with `a`. Where forces have directions `Ĝ` of their own,
//! these take the place of G in all products with `Gᵀ`.

use super::constraint_impulses::ConstraintImpulses;
use crate::constraint::independent_rows;
use crate::contact::FoundContact;
use crate::math::{Factorization, Lu};
use crate::solver::implicit_stribeck::Linearization;
use crate::system::error::SystemError;
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// Squared sine of the angle below which a row counts as depending on others.
const DEPENDENT: f64 = 1e-14;

/// The factors of a step's Jacobian.
#[derive(Debug)]
pub(in crate::system) struct SaddlePoint<'s> {
    balance: Linearization<'s>,
    impulses: &'s ConstraintImpulses,
    velocities: &'s [f64],
    /// The contacts of the step.
    pub found: &'s [FoundContact],
    /// The rows that act.
    pub active: Vec<usize>,
    /// Positions in `active` of rows that are independent.
    independent: Vec<usize>,
    /// `K⁻¹ Gᵀ` of the independent rows.
    responses: DMatrix<f64>,
    /// `S`, if a row acts.
    schur: Option<Lu>,
}

impl<'s> SaddlePoint<'s> {
    pub fn new(
        balance: Linearization<'s>,
        impulses: &'s ConstraintImpulses,
        velocities: &'s [f64],
        found: &'s [FoundContact],
    ) -> Result<Self, SystemError> {
        let rows = &impulses.rows;
        let active: Vec<usize> = (0..rows.len()).filter(|&i| impulses.active[i]).collect();
        if active.is_empty() {
            return Ok(SaddlePoint {
                balance,
                impulses,
                velocities,
                found,
                active,
                independent: Vec::new(),
                responses: DMatrix::zeros(0, 0),
                schur: None,
            });
        }
        let product = |i: usize, j: usize| -> f64 {
            let (i, j) = (active[i], active[j]);
            rows.gradient(i)
                .zip(rows.gradient(j))
                .map(|(a, b)| a * b)
                .sum()
        };
        let independent = independent_rows(active.len(), product, DEPENDENT);
        let (nv, m) = (balance.size(), independent.len());
        let mut responses = DMatrix::zeros(nv, m);
        let mut matrix = DMatrix::zeros(m, m);
        for (column, &position) in independent.iter().enumerate() {
            let response = &mut responses.as_mut_slice()[column * nv..(column + 1) * nv];
            for (target, direction) in response.iter_mut().zip(rows.direction(active[position])) {
                *target = direction;
            }
            balance.solve_in_place(response)?;
            for (row, &position) in independent.iter().enumerate() {
                matrix[(row, column)] = rows.rate(active[position], response);
            }
        }
        let mut schur = Lu::identity(m);
        schur.factor(&matrix)?;
        Ok(SaddlePoint {
            balance,
            impulses,
            velocities,
            found,
            active,
            independent,
            responses,
            schur: Some(schur),
        })
    }

    /// The factors of `Jᵀ`, if no row acts.
    pub fn solve_transposed_in_place(&self, b: &mut [f64]) -> Result<(), InvalidInput> {
        self.balance.solve_transposed_in_place(b)
    }

    /// The constraint and the row of each row that acts.
    pub fn active_rows(&self) -> impl Iterator<Item = (usize, usize)> {
        self.impulses.active_rows()
    }

    /// The velocities at the end of the step, then the impulses of the active rows.
    pub fn solution(&self) -> impl Iterator<Item = f64> {
        let impulses = self.active.iter().map(|&i| self.impulses.impulses[i]);
        self.velocities.iter().copied().chain(impulses)
    }
}

impl Factorization for SaddlePoint<'_> {
    fn size(&self) -> usize {
        self.balance.size() + self.active.len()
    }

    fn solve_in_place<T: Scalar>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.size())?;
        let nv = self.balance.size();
        let (x, y) = b.split_at_mut(nv);
        let Some(schur) = &self.schur else {
            return self.balance.solve_in_place(x);
        };
        let rows = &self.impulses.rows;
        for (position, (&i, &error)) in self.active.iter().zip(&*y).enumerate() {
            if self.independent.binary_search(&position).is_ok() {
                continue;
            }
            let pushed = error * self.impulses.stiffness[i];
            for (x, direction) in x.iter_mut().zip(rows.direction(i)) {
                *x += pushed * direction;
            }
        }
        self.balance.solve_in_place(x)?;
        let mut multipliers: Vec<T> = (self.independent.iter())
            .map(|&position| {
                let gradient = rows.gradient(self.active[position]);
                gradient
                    .zip(&*x)
                    .fold(y[position], |sum, (g, &x)| sum - x * g)
            })
            .collect();
        schur.solve_in_place(&mut multipliers)?;
        for (column, &multiplier) in multipliers.iter().enumerate() {
            for (x, &response) in x.iter_mut().zip(self.responses.column(column).iter()) {
                *x += multiplier * response;
            }
        }
        let mut multipliers = self.independent.iter().zip(&multipliers).peekable();
        for (position, y) in y.iter_mut().enumerate() {
            let stiffness = self.impulses.stiffness[self.active[position]];
            *y = match multipliers.next_if(|(independent, _)| **independent == position) {
                Some((_, &multiplier)) => multiplier - *y * stiffness,
                None => T::zero(),
            };
        }
        Ok(())
    }
}
