//! The saddle-point (KKT) matrix of momentum balance and active constraints, factored.
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
//! rows stay as they are; what ρ adds for them counts with `a`. Where forces are non-collocated, with directions `Ĝ`,
//! these take the place of G in all products with `Gᵀ`, and ρ is a matrix, whose columns are combinations of forces.

use super::constraint_impulses::ConstraintImpulses;
use crate::InvalidInput;
use crate::constraint::ConstraintLevel;
use crate::contact::FoundContact;
use crate::math::{Factorization, IndependentRows, Lu, RightHandSide, reset_matrix};
use crate::solver::implicit_stribeck::Linearization;
use crate::system::error::SystemError;
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
    /// Pairs of coordinates that forces of elements couple by velocities.
    coupled: &'s [[usize; 2]],
    /// The rows that act.
    pub active: &'s Vec<usize>,
    schur: &'s SchurComplement,
}

/// The rows that act, and what belongs to them; a workspace.
#[derive(Debug, Clone)]
pub(super) struct SchurComplement {
    active: Vec<usize>,
    rows: IndependentRows,
    /// Positions in `active` of rows that are independent.
    independent: Vec<usize>,
    /// `K⁻¹ Gᵀ` of the independent rows.
    responses: DMatrix<f64>,
    /// `S`.
    matrix: DMatrix<f64>,
    lu: Lu,
}

impl Default for SchurComplement {
    fn default() -> Self {
        SchurComplement {
            active: Vec::new(),
            rows: IndependentRows::default(),
            independent: Vec::new(),
            responses: DMatrix::zeros(0, 0),
            matrix: DMatrix::zeros(0, 0),
            lu: Lu::identity(0),
        }
    }
}

impl SchurComplement {
    /// Factors; whether no row depends on others.
    pub(super) fn factor(
        &mut self,
        balance: &Linearization<'_>,
        impulses: &ConstraintImpulses,
    ) -> Result<bool, SystemError> {
        let rows = &impulses.rows;
        let SchurComplement {
            active,
            independent,
            responses,
            matrix,
            ..
        } = self;
        active.clear();
        active.extend((0..rows.len()).filter(|&i| impulses.active[i]));
        let product = |i: usize, j: usize| -> f64 {
            let (i, j) = (active[i], active[j]);
            rows.gradient(i)
                .zip(rows.gradient(j))
                .map(|(a, b)| a * b)
                .sum()
        };
        independent.clear();
        (self.rows).load(active.len(), product, |i| product(i, i));
        let basis = impulses.basis();
        if !basis.is_empty() {
            let is_combined = |i: usize| basis.binary_search(&active[i]).is_ok();
            self.rows.choose(is_combined, 0.0);
        }
        independent.extend_from_slice(self.rows.choose(|_| true, DEPENDENT));
        let (nv, m) = (balance.size(), independent.len());
        reset_matrix(responses, nv, m);
        reset_matrix(matrix, m, m);
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
        self.lu.factor(matrix)?;
        Ok(independent.len() == active.len())
    }
}

impl<'s> SaddlePoint<'s> {
    pub(super) fn new(
        balance: Linearization<'s>,
        impulses: &'s ConstraintImpulses,
        (velocities, found): (&'s [f64], &'s [FoundContact]),
        coupled: &'s [[usize; 2]],
        schur: &'s SchurComplement,
    ) -> Self {
        SaddlePoint {
            balance,
            impulses,
            velocities,
            found,
            coupled,
            active: &schur.active,
            schur,
        }
    }

    /// Replaces the covector `[w; 0]` of velocities by that of the residuals `[a; b]` from which they follow,
    ///
    /// ```text
    /// s = S⁻ᵀ (K⁻¹ Gᵀ)ᵀ w,     μ_a = K⁻ᵀ (w − Gᵀ s),     μ_b = s
    /// ```
    ///
    /// and `ρ ĝ·μ_a` for what the spring of a row adds to `a` along the direction ĝ of another.
    pub fn solve_transposed_in_place(&self, b: &mut [f64]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("covector", b.len(), self.size())?;
        let (w, of_errors) = b.split_at_mut(self.balance.size());
        if self.active.is_empty() {
            return self.balance.solve_transposed_in_place(w);
        }
        let (rows, schur) = (&self.impulses.rows, self.schur);
        let multipliers = &mut of_errors[..schur.independent.len()];
        for (s, response) in multipliers.iter_mut().zip(schur.responses.column_iter()) {
            let terms = response.iter().zip(&*w);
            *s = terms.fold(0.0, |sum, (x, w)| sum + x * w);
        }
        schur.lu.solve_transposed_in_place(multipliers)?;
        for (&position, &s) in schur.independent.iter().zip(&*multipliers) {
            for (w, g) in w.iter_mut().zip(rows.gradient(self.active[position])) {
                *w -= g * s;
            }
        }
        self.spread(of_errors);
        self.balance.solve_transposed_in_place(w)?;
        for (position, of_error) in of_errors.iter_mut().enumerate() {
            for (other, rho) in self.springs(position, false) {
                let terms = rows.direction(self.active[other]).zip(&*w);
                *of_error += terms.fold(0.0, |sum, (d, mu)| sum + d * mu) * rho;
            }
        }
        Ok(())
    }

    /// The rows that the spring of a row pushes, and how stiff it is: those that are independent, or those that are not.
    fn springs(&self, position: usize, independent: bool) -> impl Iterator<Item = (usize, f64)> {
        let i = self.active[position];
        let acting = self.impulses.spring(i).filter_map(move |(j, rho)| {
            let other = if j == i {
                Some(position)
            } else {
                self.position(j)
            };
            Some((other?, rho))
        });
        acting.filter(move |(other, _)| {
            self.schur.independent.binary_search(other).is_ok() == independent
        })
    }

    /// Moves the first entries, those of the independent rows, to the positions of these; those of the others become zero.
    fn spread<T: RightHandSide>(&self, entries: &mut [T]) {
        let independent = &self.schur.independent;
        let mut k = independent.len();
        for position in (0..entries.len()).rev() {
            entries[position] = match k.checked_sub(1) {
                Some(last) if independent[last] == position => {
                    k = last;
                    entries[last]
                }
                _ => T::zero(),
            };
        }
    }

    /// Number of velocities.
    pub fn num_velocities(&self) -> usize {
        self.balance.size()
    }

    /// Whether a row that acts depends on velocities at the start of the step.
    pub fn depends_on_velocity(&self) -> bool {
        let mut levels = self.active.iter().map(|&i| self.impulses.rows.get(i).level);
        levels.any(|level| level == ConstraintLevel::Acceleration)
    }

    /// Calls `visit` with pairs of coordinates that forces of elements couple by velocities, or rows that act.
    pub fn for_each_coupling(&self, mut visit: impl FnMut([usize; 2])) {
        self.coupled.iter().for_each(|&pair| visit(pair));
        let rows = &self.impulses.rows;
        for &i in self.active {
            let entries = rows.gradient(i).zip(rows.direction(i)).enumerate();
            let mut before = None;
            for (coordinate, _) in entries.filter(|(_, (g, d))| *g != 0.0 || *d != 0.0) {
                if let Some(before) = before.replace(coordinate) {
                    visit([before, coordinate]);
                }
            }
        }
    }

    /// The first coordinate that a row that acts depends on.
    pub fn coordinate_of(&self, position: usize) -> Option<usize> {
        let mut gradient = self.impulses.rows.gradient(self.active[position]);
        gradient.position(|g| g != 0.0)
    }

    /// The constraint and the row of each row that acts.
    pub fn active_rows(&self) -> impl Iterator<Item = (usize, usize)> {
        self.impulses.active_rows()
    }

    /// The position of a row among those that act.
    fn position(&self, i: usize) -> Option<usize> {
        self.active.binary_search(&i).ok()
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

    fn solve_in_place<T: RightHandSide>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.size())?;
        let nv = self.balance.size();
        let (x, y) = b.split_at_mut(nv);
        if self.active.is_empty() {
            return self.balance.solve_in_place(x);
        }
        let rows = &self.impulses.rows;
        let SchurComplement {
            independent,
            responses,
            lu,
            ..
        } = self.schur;
        for (position, &error) in y.iter().enumerate() {
            for (other, rho) in self.springs(position, false) {
                let pushed = error * rho;
                for (x, direction) in x.iter_mut().zip(rows.direction(self.active[other])) {
                    *x += pushed * direction;
                }
            }
        }
        self.balance.solve_in_place(x)?;
        // z takes the place of b, which is G x in the end.
        for (k, &position) in independent.iter().enumerate() {
            let gradient = rows.gradient(self.active[position]).zip(&*x);
            y[k] = gradient.fold(y[position], |sum, (g, &x)| sum - x * g);
        }
        lu.solve_in_place(&mut y[..independent.len()])?;
        for (column, &multiplier) in y[..independent.len()].iter().enumerate() {
            for (x, &response) in x.iter_mut().zip(responses.column(column).iter()) {
                *x += multiplier * response;
            }
        }
        self.spread(y);
        for (position, &i) in self.active.iter().enumerate() {
            let gradient = rows.gradient(i).zip(&*x);
            let rate = gradient.fold(T::zero(), |sum, (g, &x)| sum + x * g);
            for (other, rho) in self.springs(position, true) {
                y[other] -= rate * rho;
            }
        }
        Ok(())
    }
}
