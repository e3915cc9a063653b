//! Bilateral constraints, condensed out of the balance before contacts are solved.
//!
//! Rows `G v = e` with impulses λ add `Gᵀ λ` to the balance `M v = p* + δt Jᵀ f(v)`. With `R = M⁻¹ Gᵀ` and `S = G R`,
//! every velocity v that leaves them out becomes one that satisfies them by
//!
//! ```text
//! λ = S⁻¹ (e − G v),     v ← v + R λ
//! ```
//!
//! and what contact forces change at contacts, `W = J M⁻¹ Jᵀ`, becomes `W − (J R) S⁻¹ (J R)ᵀ`.

use super::newton_system::NewtonSystem;
use crate::math::{Cholesky, Factorization, Singular, dot, reset_matrix};
use nalgebra::{DMatrix, Vector3};

/// Squared sine of the angle below which a row counts as depending on those before it.
const DEPENDENT: f64 = 1e-10;

/// Bilateral rows `G v = e` of a problem.
#[derive(Debug, Clone, Default)]
pub(crate) struct EqualityRows {
    /// G, row by row.
    pub gradients: Vec<f64>,
    /// e.
    pub rates: Vec<f64>,
}

/// The rows of an island; a workspace.
#[derive(Debug, Clone)]
pub(super) struct CondensedRows {
    /// Their numbers among the rows of the problem, and their impulses.
    pub impulses: Vec<(usize, f64)>,
    /// The impulses that the momenta of the system hold.
    pushed: Vec<f64>,
    /// In the order of elimination.
    gradients: Vec<f64>,
    rates: Vec<f64>,
    /// R, column by column.
    responses: Vec<f64>,
    /// `J R`, column by column, and `S⁻¹ (J R)ᵀ` of one contact, one direction after another.
    at_contacts: Vec<Vector3<f64>>,
    of_contact: Vec<f64>,
    schur: DMatrix<f64>,
    factors: Cholesky,
    errors: Vec<f64>,
}

impl Default for CondensedRows {
    fn default() -> Self {
        CondensedRows {
            impulses: Vec::new(),
            pushed: Vec::new(),
            gradients: Vec::new(),
            rates: Vec::new(),
            responses: Vec::new(),
            at_contacts: Vec::new(),
            of_contact: Vec::new(),
            schur: DMatrix::zeros(0, 0),
            factors: Cholesky::identity(0),
            errors: Vec::new(),
        }
    }
}

impl CondensedRows {
    /// Takes the rows that say something of the velocities with the original `indices`.
    pub fn load(&mut self, rows: &EqualityRows, nv: usize, indices: &[usize]) {
        self.impulses.clear();
        self.pushed.clear();
        self.gradients.clear();
        self.rates.clear();
        let gradients = rows.gradients.chunks_exact(nv.max(1));
        for (row, (gradient, &rate)) in gradients.zip(&rows.rates).enumerate() {
            if indices.iter().any(|&i| gradient[i] != 0.0) {
                (self.gradients).extend(indices.iter().map(|&i| gradient[i]));
                self.rates.push(rate);
                self.impulses.push((row, 0.0));
                self.pushed.push(0.0);
            }
        }
    }

    /// Evaluates R and S with M as it has been factored.
    ///
    /// # Errors
    /// [`Singular`] where rows depend on each other.
    pub fn condense(&mut self, system: &NewtonSystem) -> Result<(), Singular> {
        let (m, nv) = (self.impulses.len(), system.nv());
        self.responses.clone_from(&self.gradients);
        reset_matrix(&mut self.schur, m, m);
        for (j, response) in self.responses.chunks_exact_mut(nv).enumerate() {
            system.lu.solve_in_place(response);
            for (i, gradient) in self.gradients.chunks_exact(nv).enumerate().skip(j) {
                self.schur[(i, j)] = dot(gradient, response);
            }
        }
        self.factors.factor(&self.schur)?;
        for (column, pivot) in self.factors.pivots().enumerate() {
            if pivot <= DEPENDENT * self.schur[(column, column)] {
                return Err(Singular {
                    size: m,
                    column,
                    pivot,
                });
            }
        }
        self.at_contacts.clear();
        for response in self.responses.chunks_exact(nv) {
            let at = |c| Vector3::from(system.contact_velocity(c, response));
            (self.at_contacts).extend((0..system.contacts.len()).map(at));
        }
        Ok(())
    }

    /// Takes a velocity to one that satisfies the rows, and notes by which impulses.
    pub fn satisfy(&mut self, v: &mut [f64]) {
        self.change(v, 1.0, 1.0);
    }

    /// Takes a step, which is to be subtracted from a velocity, to one that changes no row, and notes by which impulses.
    pub fn satisfy_step(&mut self, step: &mut [f64]) {
        self.change(step, 0.0, -1.0);
    }

    /// Takes a velocity to one with the rates of the rows times a factor; adds the impulses times another one.
    fn change(&mut self, v: &mut [f64], factor: f64, sign: f64) {
        let nv = v.len();
        self.errors.clear();
        let rows = self.gradients.chunks_exact(nv).zip(&self.rates);
        (self.errors).extend(rows.map(|(gradient, rate)| factor * rate - dot(gradient, v)));
        // Of the right size.
        let _ = self.factors.solve_in_place(&mut self.errors);
        let responses = self.responses.chunks_exact(nv).zip(&self.errors);
        for ((response, change), (_, impulse)) in responses.zip(&mut self.impulses) {
            *impulse += sign * change;
            (v.iter_mut().zip(response)).for_each(|(v, r)| *v += change * r);
        }
    }

    /// Calls `visit` with pairs of contacts, and by how much the velocity of the first changes less with the force of the second,
    /// because the rows hold.
    pub fn visit_contacts(
        &mut self,
        contacts: usize,
        mut visit: impl FnMut([usize; 2], [Vector3<f64>; 3]),
    ) {
        let m = self.impulses.len();
        for second in 0..contacts {
            let at = |row: usize, contact: usize| self.at_contacts[row * contacts + contact];
            self.of_contact.clear();
            for direction in 0..3 {
                self.errors.clear();
                self.errors
                    .extend((0..m).map(|row| at(row, second)[direction]));
                let _ = self.factors.solve_in_place(&mut self.errors);
                self.of_contact.extend_from_slice(&self.errors);
            }
            for first in 0..contacts {
                let columns = [0, 1, 2].map(|direction| {
                    let weights = &self.of_contact[direction * m..];
                    (0..m).fold(Vector3::zeros(), |sum, row| {
                        sum + at(row, first) * weights[row]
                    })
                });
                visit([first, second], columns);
            }
        }
    }

    /// Adds the impulses to the momenta of the system.
    pub fn push(&mut self, system: &mut NewtonSystem) {
        let gradients = self.gradients.chunks_exact(system.nv());
        for ((gradient, &(_, impulse)), pushed) in
            gradients.zip(&self.impulses).zip(&mut self.pushed)
        {
            system.add_momentum(impulse - *pushed, gradient);
            *pushed = impulse;
        }
    }
}
