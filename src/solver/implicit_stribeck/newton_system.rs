//! The Newton system of an island in `f64`, ordered for elimination.
//!
//! Velocities are in an order that keeps elimination sparse; contact Jacobians are stored by contact, with the
//! columns that are not zero. Everything here is in this order.

mod fold;
mod jacobian;
mod residual;

use super::sparse_problem::{NormalForce, SparseContact, SparseProblem};
use super::stribeck_curve::StribeckCurve;
use crate::InvalidInput;
use crate::math::{Elimination, Lists, SparseLu};
use std::ops::Range;

pub(crate) use fold::FoldAlong;
pub(super) use fold::FoldMemory;

/// The residual of a guess from which Newton's method converges fast, so that no other is looked at.
const GOOD_GUESS: f64 = 1e-2;

/// A contact point: its laws, and where its Jacobian lies in the compressed arrays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    pub normal: NormalForce,
    mu: f64,
    stribeck: Option<StribeckCurve<f64>>,
    /// Whether its normal force only presses on friction, and acts in another contact.
    friction_only: bool,
    first: usize,
    end: usize,
    /// The runs of its columns: the first, and the one after the last.
    runs: (usize, usize),
    /// The front of the factors that takes its damping: its first value, and its number of rows.
    front: (usize, usize),
}

/// Columns of a contact that follow each other: where they are in its Jacobian, and the first one's index and place in
/// the front.
#[derive(Debug, Clone)]
struct Run {
    entries: Range<usize>,
    column: usize,
    position: usize,
}

impl Run {
    fn columns(&self) -> Range<usize> {
        self.column..self.column + self.entries.len()
    }

    fn positions(&self) -> Range<usize> {
        self.position..self.position + self.entries.len()
    }
}

/// What all contacts of a problem share.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Laws {
    pub dt: f64,
    pub stiction_tolerance: f64,
    pub softening: f64,
}

/// Terms of the mass matrix off its diagonal.
#[derive(Debug, Clone, Default)]
struct Terms {
    /// Row and column.
    places: Vec<[usize; 2]>,
    values: Vec<f64>,
    /// The number of each in the problem, and its places among the values of the factors.
    sources: Vec<(usize, [usize; 2])>,
}

impl Terms {
    fn clear(&mut self) {
        self.places.clear();
        self.sources.clear();
    }

    fn push(&mut self, term: usize, [row, column]: [usize; 2], lu: &SparseLu) {
        let slots = [lu.slot(row, column), lu.slot(column, row)];
        self.places.push([row, column]);
        self.sources.push((term, slots));
    }
}

/// The momentum balance `r(v) = M v − p* − δt Jᵀ f(v)` of an island and its Jacobian.
///
/// Normal forces press on friction by `θ fₙ(v) + (1 − θ) f̂ₙ`: as they are for `θ = 1`, which is the
/// problem itself; as they were, `f̂ₙ`, for `θ = 0`, a [convex problem](super::lagged_friction). The share of
/// static friction is `θ q(v) + (1 − θ) q̂` likewise.
#[derive(Debug, Clone, Default)]
pub(super) struct NewtonSystem {
    /// Where its velocities are in the order of all islands.
    pub velocities: Range<usize>,
    /// Numbers of its terms of the mass matrix, of the columns that only contacts couple, and of its contacts.
    pub terms: Vec<usize>,
    pub couplings: Vec<usize>,
    pub numbers: Vec<usize>,
    /// The factors of `∂r/∂v`.
    pub lu: SparseLu,
    /// M: its diagonal, and the row and the slot of each of its terms; terms that count on both sides of it,
    /// and others; and M in the slots of the factors.
    diagonal: Vec<f64>,
    diagonal_terms: Vec<(usize, usize, usize)>,
    symmetric: Terms,
    one_sided: Terms,
    base: Vec<f64>,
    p_star: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    /// `Σ (pᵢ*²/Mᵢᵢ)`.
    momentum_scale: f64,
    pub contacts: Vec<Contact>,
    /// Column index and position in the problem of every column of every contact, in ascending order; their runs; and
    /// the rows n, t₁ and t₂ there.
    columns: Vec<usize>,
    sources: Vec<usize>,
    runs: Vec<Run>,
    jacobian: [Vec<f64>; 3],
    /// The fronts of the factors that the elimination of these columns goes through.
    path: Vec<bool>,
    laws: Laws,
    /// θ, 1 for the problem itself.
    pub coupling: f64,
    /// f̂ₙ and q̂ by contact; not used for θ = 1.
    pub lagged: Vec<[f64; 2]>,

    /// The point at which the following were evaluated.
    pub v: Vec<f64>,
    /// What `v` lacks of velocities with twice its precision; empty unless that is needed.
    remainder: Vec<f64>,
    /// `(vₙ, vₜ₁, vₜ₂)` by contact, at which forces were evaluated.
    pub contact_velocities: Vec<[f64; 3]>,
    /// By how much the tangential velocities of `v` are ahead of these, where a contact is held back.
    ahead: Vec<[f64; 2]>,
    /// Whether one is.
    pub is_held_back: bool,
    /// `(fₙ, fₜ₁, fₜ₂)` by contact, fₙ also where it acts elsewhere.
    pub contact_forces: Vec<[f64; 3]>,
    /// δt Jᵀ f.
    impulse: Vec<f64>,
    /// r(v).
    pub residual: Vec<f64>,
    /// Norm of the residual relative to the momenta that are balanced.
    pub relative_residual: f64,
    /// `M v` and `Jᵀ f`, their sizes and with their rounding errors; scratch.
    gross: Vec<[residual::Gross; 2]>,
    sums: Vec<[residual::Sum; 2]>,
}

impl NewtonSystem {
    pub fn nv(&self) -> usize {
        self.p_star.len()
    }

    /// The length of the step.
    pub fn dt(&self) -> f64 {
        self.laws.dt
    }

    /// Whether normal forces are data, not functions of the velocity.
    pub fn has_given_forces(&self) -> bool {
        self.contacts
            .first()
            .is_some_and(|contact| matches!(contact.normal, NormalForce::Given(_)))
    }

    /// Forgets what belongs to it.
    pub fn clear(&mut self) {
        self.velocities = 0..0;
        self.terms.clear();
        self.couplings.clear();
        self.numbers.clear();
    }

    /// Finds an order of elimination; `local` are the numbers of the velocities within their islands.
    pub fn analyse(
        &mut self,
        problem: &SparseProblem,
        local: &[usize],
        (couplings, cliques): (&Lists, &mut Lists),
        elimination: &mut Elimination,
    ) {
        cliques.clear();
        for &term in &self.terms {
            let [i, j] = problem.places[term];
            if i != j {
                cliques.push_list([local[i], local[j]]);
            }
        }
        for &k in &self.couplings {
            cliques.push_list(couplings.get(k).iter().map(|&i| local[i]));
        }
        self.lu.analyse(self.velocities.len(), cliques, elimination);
    }

    /// Finds the places of terms; `local` are the indices of the velocities in the order of elimination.
    pub fn locate_terms(&mut self, problem: &SparseProblem, local: &[usize]) {
        self.diagonal_terms.clear();
        self.symmetric.clear();
        self.one_sided.clear();
        for &term in &self.terms {
            let place = problem.places[term].map(|i| local[i]);
            if place[0] == place[1] {
                let slot = self.lu.slot(place[0], place[0]);
                self.diagonal_terms.push((term, place[0], slot));
            } else if term < problem.symmetric {
                self.symmetric.push(term, place, &self.lu);
            } else {
                self.one_sided.push(term, place, &self.lu);
            }
        }
    }

    /// Finds the places of contacts; `local` are the indices of the velocities in the order of elimination.
    pub fn locate_contacts(&mut self, problem: &SparseProblem, local: &[usize]) {
        self.contacts.clear();
        self.columns.clear();
        self.sources.clear();
        self.runs.clear();
        self.path.clear();
        self.path.resize(self.lu.fronts(), false);
        for &c in &self.numbers {
            let first = self.columns.len();
            self.sources.extend(problem.columns_of(c));
            let sources = &mut self.sources[first..];
            let index = |source: usize| local[problem.columns[source]];
            sources.sort_unstable_by_key(|&source| index(source));
            self.columns.extend(sources.iter().map(|&k| index(k)));
            let columns = &self.columns[first..];
            let front = columns.first().map_or(0, |&first| self.lu.front_of(first));
            let first_run = self.runs.len();
            for (entry, &column) in (first..).zip(columns) {
                match self.runs[first_run..].last_mut() {
                    Some(run) if run.columns().end == column => run.entries.end += 1,
                    _ => self.runs.push(Run {
                        entries: entry..entry + 1,
                        column,
                        position: self.lu.position(front, column),
                    }),
                }
            }
            // The others are on the path of the first.
            if let Some(&first) = columns.first() {
                self.lu.mark_path(first, &mut self.path);
            }
            let SparseContact {
                normal,
                mu,
                stribeck,
                friction_only,
                ..
            } = problem.contacts[c];
            self.contacts.push(Contact {
                normal,
                mu,
                stribeck,
                friction_only,
                first,
                end: self.columns.len(),
                runs: (first_run, self.runs.len()),
                front: self.lu.place(front),
            });
        }
    }

    /// Takes over the numbers of a problem whose pattern it has, and evaluates at the better one of two guesses
    /// of the velocities; `indices` are the original indices of its velocities.
    ///
    /// # Errors
    /// [`InvalidInput`] for momenta whose norm is not finite.
    pub fn load(
        &mut self,
        problem: &SparseProblem,
        laws: Laws,
        indices: &[usize],
        (guess, other_guess): (&[f64], Option<&[f64]>),
    ) -> Result<(), InvalidInput> {
        self.laws = laws;
        self.coupling = 1.0;
        self.base.clear();
        self.base.resize(self.lu.len(), 0.0);
        for sums in [&mut self.diagonal, &mut self.inverse_diagonal] {
            sums.clear();
            sums.resize(indices.len(), 0.0);
        }
        for &(term, row, slot) in &self.diagonal_terms {
            let value = problem.terms[term];
            self.diagonal[row] += value;
            self.base[slot] += value;
            let is_mass = term < problem.symmetric;
            self.inverse_diagonal[row] += if is_mass { value } else { value.abs() };
        }
        for (terms, sides) in [(&mut self.symmetric, 2), (&mut self.one_sided, 1)] {
            terms.values.clear();
            for &(term, slots) in &terms.sources {
                terms.values.push(problem.terms[term]);
                for &slot in &slots[..sides] {
                    self.base[slot] += problem.terms[term];
                }
            }
        }
        (self.inverse_diagonal.iter_mut()).for_each(|m| *m = 1.0 / *m);
        self.p_star.clear();
        (self.p_star).extend(indices.iter().map(|&i| problem.momentum[i]));
        self.momentum_scale = self.squared_norm(&self.p_star);
        if !self.momentum_scale.is_finite() {
            return Err(unbalanceable("p*", indices, self.p_star.iter().copied()));
        }
        for (&c, contact) in self.numbers.iter().zip(&mut self.contacts) {
            let new = &problem.contacts[c];
            (contact.normal, contact.mu) = (new.normal, new.mu);
            (contact.stribeck, contact.friction_only) = (new.stribeck, new.friction_only);
        }
        for (row, values) in self.jacobian.iter_mut().enumerate() {
            values.clear();
            values.extend(self.sources.iter().map(|&k| problem.values[k][row]));
        }
        let (nv, nc) = (indices.len(), self.contacts.len());
        self.v.resize(nv, 0.0);
        self.remainder.clear();
        self.residual.resize(nv, 0.0);
        self.impulse.resize(nv, 0.0);
        self.contact_velocities.resize(nc, [0.0; 3]);
        self.ahead.resize(nc, [0.0; 2]);
        self.contact_forces.resize(nc, [0.0; 3]);
        let mut other_residual = f64::INFINITY;
        if let Some(other) = other_guess {
            self.start(indices, other);
            if self.relative_residual <= GOOD_GUESS {
                return Ok(());
            }
            other_residual = self.relative_residual;
        }
        self.start(indices, guess);
        if let Some(other) = other_guess
            && other_residual < self.relative_residual
        {
            self.start(indices, other);
        }
        Ok(())
    }

    /// Evaluates at a guess, in the original order.
    fn start(&mut self, indices: &[usize], guess: &[f64]) {
        for (v, &i) in self.v.iter_mut().zip(indices) {
            *v = guess[i];
        }
        self.evaluate();
    }

    /// The normal force that is too large for a residual, if the one here is not finite.
    pub fn check_finite(&self) -> Result<(), InvalidInput> {
        if self.relative_residual.is_finite() {
            return Ok(());
        }
        let forces = self.contact_forces.iter().map(|f| f[0]);
        Err(unbalanceable("normal force", &self.numbers, forces))
    }

    /// The non-zero columns of the Jacobian of contact `c`.
    pub fn jacobian(&self, c: usize) -> impl Iterator<Item = (usize, [f64; 3])> + '_ {
        let Contact { first, end, .. } = self.contacts[c];
        let [n, t1, t2] = (self.jacobian.each_ref()).map(|row| &row[first..end]);
        let values = n.iter().zip(t1).zip(t2);
        let columns = self.columns[first..end].iter().copied();
        columns.zip(values.map(|((&n, &t1), &t2)| [n, t1, t2]))
    }

    /// The runs of columns of contact `c`, each with the rows of the Jacobian there.
    fn runs(&self, c: usize) -> impl Iterator<Item = (&Run, [&[f64]; 3])> {
        let (first, end) = self.contacts[c].runs;
        let runs = self.runs[first..end].iter();
        runs.map(|run| {
            let rows = self.jacobian.each_ref();
            (run, rows.map(|row| &row[run.entries.clone()]))
        })
    }

    /// Whether the problem is convex by itself: normal forces are data, and coefficients of friction constants.
    pub fn is_convex(&self) -> bool {
        self.has_given_forces() && !self.has_stribeck()
    }

    /// Whether a coefficient of friction depends on the slip speed.
    pub fn has_stribeck(&self) -> bool {
        self.contacts.iter().any(|c| c.stribeck.is_some())
    }

    /// Goes to the velocities `v` and evaluates there.
    pub fn place(&mut self, v: &[f64]) {
        self.v.copy_from_slice(v);
        self.remainder.clear();
        self.evaluate();
    }

    /// Adds an impulse along a gradient to p*.
    pub fn add_momentum(&mut self, impulse: f64, gradient: &[f64]) {
        let momenta = self.p_star.iter_mut().zip(gradient);
        momenta.for_each(|(p, g)| *p += impulse * g);
    }

    /// Sets all velocities to zero and evaluates.
    pub fn rest(&mut self) {
        self.v.fill(0.0);
        self.remainder.clear();
        self.evaluate();
    }

    /// Sets θ and evaluates.
    pub fn couple(&mut self, coupling: f64) {
        self.coupling = coupling;
        self.evaluate();
    }

    /// Takes normal forces and shares of now for `f̂ₙ` and `q̂`.
    pub fn lag_limits(&mut self) {
        let mut lagged = std::mem::take(&mut self.lagged);
        lagged.clear();
        lagged.extend((0..self.contacts.len()).map(|c| self.limits(c)));
        self.lagged = lagged;
    }

    /// `‖fₙ − f̂ₙ‖ / ‖fₙ‖`; changes of the coefficient of friction, relative to the largest, count as those of
    /// the force.
    pub fn lag(&self) -> f64 {
        let (mut change, mut size) = (0.0, 0.0);
        for (c, contact) in self.contacts.iter().enumerate() {
            let ([force, share], [old_force, old_share]) = (self.limits(c), self.lagged[c]);
            change += (force - old_force).powi(2);
            size += force.powi(2);
            if let Some(curve) = contact.stribeck {
                let excess = curve.static_friction - contact.mu;
                let largest = curve.static_friction.max(contact.mu);
                if largest > 0.0 {
                    change += (force * (share - old_share) * excess / largest).powi(2);
                }
            }
        }
        if change == 0.0 {
            0.0
        } else {
            (change / size).sqrt()
        }
    }
}

/// The error of a quantity whose norm is not finite: of its largest value, by its original index.
fn unbalanceable(
    quantity: &'static str,
    indices: &[usize],
    values: impl Iterator<Item = f64>,
) -> InvalidInput {
    let (index, value) =
        (indices.iter().copied().zip(values)).fold((0, 0.0f64), |worst: (usize, f64), (i, x)| {
            if worst.1.is_nan() || x.abs() <= worst.1.abs() {
                worst
            } else {
                (i, x)
            }
        });
    InvalidInput::OutOfRange {
        quantity,
        index: Some(index),
        value,
        expected: "a number whose kinetic energy is finite",
    }
}

/// `sum ← sum + rows x`.
#[inline(always)]
fn add_product([n, t1, t2]: [&[f64]; 3], x: &[f64], sum: &mut [f64; 3]) {
    for (((n, t1), t2), x) in n.iter().zip(t1).zip(t2).zip(x) {
        sum[0] += n * x;
        sum[1] += t1 * x;
        sum[2] += t2 * x;
    }
}

/// `sum ← sum + rowsᵀ weights`.
#[inline(always)]
fn add_combination([n, t1, t2]: [&[f64]; 3], weights: [f64; 3], sum: &mut [f64]) {
    for (((n, t1), t2), sum) in n.iter().zip(t1).zip(t2).zip(sum) {
        *sum += n * weights[0] + t1 * weights[1] + t2 * weights[2];
    }
}

fn dot3(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
