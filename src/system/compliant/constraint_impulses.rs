//! The impulses that uphold the constraints of a step.
//!
//! With rows `g·v⁺ + k` and impulses λ the momentum balance is `A v⁺ = p + δt Jᵀ f(v⁺) + Gᵀ λ`. The method
//! of multipliers (Hestenes 1969; Powell 1969; for inequalities Rockafellar 1973) replaces the impulse of
//! a row by that of a stiff spring about a multiplier,
//!
//! ```text
//! λᵢ(v) = λ̄ᵢ − ρᵢ (gᵢ·v + kᵢ)           bilateral
//! λᵢ(v) = max(0, λ̄ᵢ − ρᵢ (gᵢ·v + kᵢ))   unilateral
//! ```
//!
//! which makes the balance a contact problem with the matrix `A + Σ ρᵢ gᵢ gᵢᵀ` over the active rows. Its
//! solution gives the next multipliers `λ̄ ← λ(v)`, and the errors shrink by `1/(1 + ρ w)` each time, where
//! `w = g A⁻¹ gᵀ` is the mobility of the row. At the end the constraints hold exactly, however ρ was chosen;
//! redundant rows share their impulse, and rows that contradict each other are found by an error that
//! stays.

use super::rows::{Row, StepRows};
use crate::constraint::ConstraintKind;
use crate::math::{Factorization, Lu};
use crate::system::error::SystemError;
use nalgebra::DMatrix;

/// `ρ` in units of the inverse mobility of a row.
const STIFFNESS: f64 = 1e3;

/// Multipliers of the rows of a step; a workspace.
#[derive(Debug, Clone, Default)]
pub(in crate::system) struct ConstraintImpulses {
    /// The rows.
    pub rows: StepRows<f64>,
    /// Impulses λ, in N s or N m s.
    pub impulses: Vec<f64>,
    /// Whether a row acts.
    pub active: Vec<bool>,
    /// The stiffness ρ of each row.
    pub stiffness: Vec<f64>,
    mass: Vec<f64>,
    momentum: Vec<f64>,
}

impl ConstraintImpulses {
    /// Starts with the balance `A v = p` without constraints.
    pub fn start(&mut self, a: &DMatrix<f64>, p: &[f64]) -> Result<(), SystemError> {
        self.mass.clear();
        self.mass.extend_from_slice(a.as_slice());
        self.momentum.clear();
        self.momentum.extend_from_slice(p);
        let count = self.rows.len();
        self.impulses.clear();
        self.impulses.resize(count, 0.0);
        self.active.clear();
        self.stiffness.clear();
        let mut factor = None;
        if self.rows.have_own_directions() {
            let mut lu = Lu::identity(p.len());
            lu.factor(a)?;
            factor = Some(lu);
        }
        for i in 0..count {
            let mobility: f64 = match &factor {
                None => (self.rows.gradient(i).enumerate())
                    .map(|(j, g)| g * g / a[(j, j)])
                    .sum(),
                Some(lu) => {
                    let mut response: Vec<f64> = self.rows.direction(i).collect();
                    lu.solve_in_place(&mut response)?;
                    self.rows.rate(i, &response)
                }
            };
            let regular = mobility != 0.0 && mobility.is_finite();
            self.stiffness
                .push(if regular { STIFFNESS / mobility } else { 0.0 });
            self.active
                .push(self.rows.get(i).kind == ConstraintKind::Bilateral);
        }
        Ok(())
    }

    /// Decides at the velocity `v` which inequalities act.
    ///
    /// Whether that has changed.
    pub fn choose_active(&mut self, v: &[f64]) -> bool {
        let mut changed = false;
        for i in 0..self.rows.len() {
            if self.rows.get(i).kind == ConstraintKind::Unilateral {
                let active = self.impulse_at(i, v) > 0.0;
                changed |= std::mem::replace(&mut self.active[i], active) != active;
            }
        }
        changed
    }

    /// Writes `A + Σ ρ g gᵀ` and `p + Σ g (λ̄ − ρ k)` over the active rows.
    pub fn augment(&self, a: &mut DMatrix<f64>, p: &mut [f64]) {
        a.copy_from_slice(&self.mass);
        p.copy_from_slice(&self.momentum);
        for i in (0..self.rows.len()).filter(|&i| self.active[i]) {
            let (rho, Row { k, .. }) = (self.stiffness[i], self.rows.get(i));
            let impulse = self.impulses[i] - rho * k;
            for (j, gj) in self.rows.gradient(i).enumerate().filter(|(_, g)| *g != 0.0) {
                for (row, direction) in self.rows.direction(i).enumerate() {
                    a[(row, j)] += rho * direction * gj;
                }
            }
            for (p, direction) in p.iter_mut().zip(self.rows.direction(i)) {
                *p += direction * impulse;
            }
        }
    }

    /// Takes the impulses at the velocity `v` for multipliers; the row that is violated most, and by how
    /// much, relative to the largest velocity that it balances.
    pub fn update(&mut self, v: &[f64]) -> Violation {
        let mut worst = Violation::default();
        for i in 0..self.rows.len() {
            let impulse = self.impulse_at(i, v);
            let (rate, k) = (self.rows.rate(i, v), self.rows.get(i).k);
            let terms =
                (self.rows.gradient(i).zip(v)).fold(k.abs(), |m, (g, v)| m.max((g * v).abs()));
            self.impulses[i] = if self.active[i] { impulse } else { 0.0 };
            let error = match self.rows.get(i).kind {
                ConstraintKind::Bilateral => (rate + k).abs(),
                ConstraintKind::Unilateral if self.active[i] => (rate + k).abs(),
                ConstraintKind::Unilateral => 0.0,
            };
            worst.scale = worst.scale.max(terms);
            if error > worst.error {
                (worst.row, worst.error) = (i, error);
            }
        }
        worst
    }

    /// The constraint and the row of each row that acts.
    pub fn active_rows(&self) -> impl Iterator<Item = (usize, usize)> {
        let acting = (0..self.rows.len()).filter(|&i| self.active[i]);
        acting.map(|i| (self.rows.get(i).constraint, self.rows.get(i).row))
    }

    fn impulse_at(&self, i: usize, v: &[f64]) -> f64 {
        self.impulses[i] - self.stiffness[i] * (self.rows.rate(i, v) + self.rows.get(i).k)
    }
}

/// How far velocities are from satisfying the constraints.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::system) struct Violation {
    /// The row that is violated most.
    pub row: usize,
    /// By how much, in m/s or rad/s.
    pub error: f64,
    /// The largest velocity in the rows.
    pub scale: f64,
}
