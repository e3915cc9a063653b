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
//!
//! Of rows that depend on each other, independent ones G̃ say all: `G = T G̃` with `T = S̃ₐ S̃⁻¹`, where S̃ are the rows and columns
//! of S of G̃, and S̃ₐ those columns of all its rows. They are condensed, and what their impulses λ̃ do, all impulses with
//! `Tᵀ λ = λ̃` do. Springs of stiffnesses ρ share them as
//!
//! ```text
//! λ = ρ T (Tᵀ ρ T)⁻¹ λ̃
//! ```
//!
//! with the least `Σ λᵢ² / ρᵢ`.

use super::newton_system::NewtonSystem;
use crate::math::{Cholesky, Factorization, IndependentRows, Singular, dot, reset_matrix};
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
    /// ρ.
    pub stiffness: Vec<f64>,
    /// λ, which p* holds before, and then those found.
    pub impulses: Vec<f64>,
    /// Whether no row depends on others, as was found.
    pub are_independent: bool,
}

/// The rows of an island; a workspace.
#[derive(Debug, Clone)]
pub(super) struct CondensedRows {
    /// Numbers of all rows of the island, with what p* holds of their impulses.
    rows: Vec<(usize, f64)>,
    stiffness: Vec<f64>,
    /// Impulses of the rows that are condensed.
    impulses: Vec<f64>,
    /// Those that the momenta of the system hold.
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
    search: IndependentRows,
    /// Tᵀ, a column for each row.
    parts: DMatrix<f64>,
    /// S̃, then `Tᵀ ρ T`.
    matrix: DMatrix<f64>,
    shares: Cholesky,
}

impl Default for CondensedRows {
    fn default() -> Self {
        CondensedRows {
            rows: Vec::new(),
            stiffness: Vec::new(),
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
            search: IndependentRows::default(),
            parts: DMatrix::zeros(0, 0),
            matrix: DMatrix::zeros(0, 0),
            shares: Cholesky::identity(0),
        }
    }
}

impl CondensedRows {
    /// Takes the rows that say something of the velocities with the original `indices`.
    pub fn load(&mut self, rows: &EqualityRows, nv: usize, indices: &[usize]) {
        self.rows.clear();
        self.stiffness.clear();
        self.gradients.clear();
        self.rates.clear();
        let gradients = rows.gradients.chunks_exact(nv.max(1));
        for (row, (gradient, &rate)) in gradients.zip(&rows.rates).enumerate() {
            if indices.iter().any(|&i| gradient[i] != 0.0) {
                (self.gradients).extend(indices.iter().map(|&i| gradient[i]));
                self.rates.push(rate);
                self.rows.push((row, rows.impulses[row]));
                self.stiffness.push(rows.stiffness[row]);
            }
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether no row depends on others.
    pub fn are_independent(&self) -> bool {
        self.impulses.len() == self.rows.len()
    }

    /// Evaluates R and S with M as it has been factored.
    ///
    /// # Errors
    /// [`Singular`] where S of rows that count as independent cannot be factored.
    pub fn condense(&mut self, system: &NewtonSystem) -> Result<(), Singular> {
        let (m, nv) = (self.rows.len(), system.nv());
        self.responses.clone_from(&self.gradients);
        reset_matrix(&mut self.schur, m, m);
        for (j, response) in self.responses.chunks_exact_mut(nv).enumerate() {
            system.lu.solve_in_place(response);
            for (i, gradient) in self.gradients.chunks_exact(nv).enumerate().skip(j) {
                self.schur[(i, j)] = dot(gradient, response);
            }
        }
        let is_regular =
            |(column, pivot): (usize, f64)| pivot > DEPENDENT * self.schur[(column, column)];
        if self.factors.factor(&self.schur).is_err()
            || !self.factors.pivots().enumerate().all(is_regular)
        {
            self.keep_independent(nv)?;
        }
        let condensed = self.gradients.len() / nv;
        self.impulses.clear();
        self.impulses.resize(condensed, 0.0);
        self.pushed.clone_from(&self.impulses);
        self.at_contacts.clear();
        for response in self.responses.chunks_exact(nv) {
            let at = |c| Vector3::from(system.contact_velocity(c, response));
            (self.at_contacts).extend((0..system.contacts.len()).map(at));
        }
        Ok(())
    }

    /// Leaves only rows that are independent, and finds how the others depend on them.
    fn keep_independent(&mut self, nv: usize) -> Result<(), Singular> {
        let CondensedRows {
            rows,
            stiffness,
            gradients,
            rates,
            responses,
            schur,
            factors,
            search,
            parts,
            matrix,
            shares,
            ..
        } = self;
        let m = rows.len();
        let entry = |i: usize, j: usize| schur[(i.max(j), i.min(j))];
        let independent = search.find(m, entry, DEPENDENT);
        let count = independent.len();
        reset_matrix(parts, count, m);
        reset_matrix(matrix, count, count);
        for (to, &from) in independent.iter().enumerate() {
            for i in 0..m {
                parts[(to, i)] = entry(from, i);
            }
            for (column, &i) in independent.iter().enumerate() {
                matrix[(to, column)] = entry(from, i);
            }
            for list in [&mut *gradients, &mut *responses] {
                list.copy_within(from * nv..(from + 1) * nv, to * nv);
            }
            rates[to] = rates[from];
        }
        gradients.truncate(count * nv);
        responses.truncate(count * nv);
        rates.truncate(count);
        factors.factor(matrix)?;
        for part in parts.as_mut_slice().chunks_exact_mut(count.max(1)) {
            // Of the right size.
            let _ = factors.solve_in_place(part);
        }
        matrix.fill(0.0);
        for (part, rho) in parts.column_iter().zip(&*stiffness) {
            matrix.ger(*rho, &part, &part, 1.0);
        }
        shares.factor(matrix)
    }

    /// Adds the numbers of all rows to a list, with their impulses.
    pub fn write_impulses(&mut self, list: &mut Vec<(usize, f64)>) {
        if self.are_independent() {
            let rows = self.rows.iter().zip(&self.impulses);
            list.extend(rows.map(|(&(row, held), impulse)| (row, held + impulse)));
            return;
        }
        let shared = &mut self.errors;
        shared.clone_from(&self.impulses);
        for (part, (_, held)) in self.parts.column_iter().zip(&self.rows) {
            (shared.iter_mut().zip(&part)).for_each(|(sum, part)| *sum += held * part);
        }
        let _ = self.shares.solve_in_place(shared);
        let rows = self.rows.iter().zip(self.parts.column_iter());
        for ((&(row, _), part), rho) in rows.zip(&self.stiffness) {
            list.push((row, rho * dot(part.as_slice(), shared)));
        }
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
        for ((response, change), impulse) in responses.zip(&mut self.impulses) {
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
        for ((gradient, &impulse), pushed) in gradients.zip(&self.impulses).zip(&mut self.pushed) {
            system.add_momentum(impulse - *pushed, gradient);
            *pushed = impulse;
        }
    }
}
