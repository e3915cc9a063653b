//! Constraint impulses of a step, and the springs by which the method of multipliers (augmented Lagrangian) finds them where rows
//! cannot be condensed out.
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
//! `w = g A⁻¹ gᵀ` is the mobility of the row. From the first solution on, [Newton's method](super::constrained_newton) on balance
//! and constraints without springs is tried (Bertsekas 1982, *Constrained Optimization and Lagrange Multiplier Methods*,
//! §2.3.2). Where contacts stick, they take mobility away: where updates are slow, ρ grows, and where that does not help,
//! Newton's method is tried again. At the end the constraints hold exactly, however ρ was chosen; redundant rows share their
//! impulse, and rows that contradict each other are found by an error that stays.
//!
//! Non-collocated forces are [decoupled](super::decoupled_forces) so that each combination changes one row: a spring of
//! such a row changes the impulses of all rows in it.

use super::decoupled_forces::DecoupledForces;
use super::problem::StepProblem;
use super::rows::{Row, StepRows};
use crate::constraint::{
    ConstraintKind, ConstraintKink, ConstraintKinkKind, ConstraintKinkQuantity,
    ConstraintKinkSource,
};
use crate::solver::implicit_stribeck::EqualityRows;
use crate::system::error::SystemError;
use crate::tree::{RigidBodyTree, TreeWorkspace};

/// `ρ` in units of the inverse mobility of a row.
const STIFFNESS: f64 = 1e3;
/// The same where updates are slow.
const STIFFER: f64 = 30.0 * STIFFNESS;
/// Rows whose mobility is below this part of the largest are round-off of others: lengths that differ by 10¹¹. Nothing moves
/// along them, and they push nothing.
const ROUND_OFF: f64 = 1e-22;
/// The least velocity that errors are measured against, as a part of that which leads in the step as far as bodies are:
/// with the tolerance of a few round-offs, an error of position is compared with round-off of positions.
const AT_REST: f64 = 1e-2;

/// Multipliers of the rows of a step; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct ConstraintImpulses {
    /// The rows.
    pub rows: StepRows<f64>,
    /// Impulses λ, in N s or N m s.
    pub impulses: Vec<f64>,
    /// Those to return to.
    kept: Vec<f64>,
    /// To which rows of constraints they belong.
    of_rows: Vec<[usize; 2]>,
    /// Whether a row acts.
    pub active: Vec<bool>,
    /// The mobility w of each row by itself.
    mobilities: Vec<f64>,
    /// The stiffness ρ of each row, by itself or by a combination of forces.
    pub stiffness: Vec<f64>,
    /// Whether none of the rows that act depended on others when that was last found out.
    pub are_independent: bool,
    /// Whether springs act in the balance that has been factored.
    pub are_springs: bool,
    /// `ρ` in units of the inverse mobility of a row.
    units: f64,
    /// The velocity that leads in the step as far as bodies are from the origin, or by 1 m or 1 rad.
    far: f64,
    /// Of non-collocated forces.
    combined: DecoupledForces,
    kinks: Vec<ConstraintKink>,
    /// Which inequalities are of angles.
    angular: Vec<bool>,
}

impl Default for ConstraintImpulses {
    fn default() -> Self {
        ConstraintImpulses {
            rows: StepRows::default(),
            impulses: Vec::new(),
            kept: Vec::new(),
            of_rows: Vec::new(),
            active: Vec::new(),
            mobilities: Vec::new(),
            stiffness: Vec::new(),
            are_independent: false,
            are_springs: true,
            units: STIFFNESS,
            far: 0.0,
            combined: DecoupledForces::default(),
            kinks: Vec::new(),
            angular: Vec::new(),
        }
    }
}

impl ConstraintImpulses {
    /// Starts with a balance without constraints, of a step of length `dt` at the positions of `kinematics`; the row that no
    /// forces uphold and how little they do, if there is one. The first multipliers are the impulses of the last search if it
    /// `goes_on` from that with the same rows, of which none depends on others: those share their impulse as springs do. Else
    /// they are zero.
    pub(super) fn start(
        &mut self,
        problem: &StepProblem,
        (tree, kinematics, dt): (&RigidBodyTree<f64>, &TreeWorkspace<f64>, f64),
        goes_on: bool,
    ) -> Result<Option<(usize, f64)>, SystemError> {
        let mut distance = 1.0f64;
        for body in tree.bodies() {
            let body = body.index();
            distance = distance.max(tree.body_pose(kinematics, body)?.translation.amax());
        }
        self.far = distance / dt;
        let count = self.rows.len();
        let rows = (0..count)
            .map(|i| self.rows.get(i))
            .map(|row| [row.constraint, row.row]);
        let goes_on = goes_on && self.are_independent;
        if !goes_on || !rows.clone().eq(self.of_rows.iter().copied()) {
            self.of_rows.clear();
            self.of_rows.extend(rows);
            self.impulses.clear();
            self.impulses.resize(count, 0.0);
        }
        self.active.clear();
        self.stiffness.clear();
        self.units = STIFFNESS;
        let own_directions = self.combined.start(&self.rows, problem)?;
        self.mobilities.clear();
        for i in 0..count {
            self.mobilities.push(if own_directions {
                self.combined.own_mobility(i)
            } else {
                (self.rows.gradient(i).zip(&problem.diagonal))
                    .map(|(g, a)| g * g / a)
                    .sum()
            });
        }
        let largest = self.mobilities.iter().fold(0.0f64, |m, w| m.max(w.abs()));
        for (i, &mobility) in self.mobilities.iter().enumerate() {
            let combined = self.is_combined(i);
            let regular = mobility.abs() > ROUND_OFF * largest && mobility.is_finite();
            self.stiffness.push(match regular {
                _ if combined => STIFFNESS,
                true => STIFFNESS / mobility,
                false => 0.0,
            });
            if !(regular || combined) {
                self.impulses[i] = 0.0;
            }
            let holds = self.rows.get(i).kind == ConstraintKind::Bilateral;
            self.active.push((regular || combined) && holds);
        }
        match own_directions {
            true => self.combined.combine(&self.rows, &self.active),
            false => Ok(None),
        }
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

    /// Adds `Σ ρ g gᵀ` to A and `Σ g (λ̄ − ρ k)` to p of the tree, over the active rows; with `springs`, or for ρ = 0. Terms that
    /// are zero then are there: they make one island of what a row couples, and the pattern of A does not change.
    pub(super) fn augment(&self, problem: &mut StepProblem, springs: bool) {
        problem.reset();
        let StepProblem {
            sparse, entries, ..
        } = problem;
        for i in (0..self.rows.len()).filter(|&i| self.active[i]) {
            let Row { k, .. } = self.rows.get(i);
            let rho = if springs { self.stiffness[i] } else { 0.0 };
            sparse.has_stiff_terms |= springs;
            if let Some(combination) = self.combined.of(i) {
                let combined = || self.combined.direction(combination).enumerate();
                for (j, gj) in self.rows.gradient(i).enumerate().filter(|(_, g)| *g != 0.0) {
                    for (row, direction) in combined().filter(|(_, d)| *d != 0.0) {
                        sparse.push_term(row, j, rho * direction * gj);
                    }
                }
                let own = self.rows.direction(i).map(|d| d * self.impulses[i]);
                for ((row, combined), own) in combined().zip(own) {
                    sparse.momentum[row] += own - combined * (rho * k);
                }
                continue;
            }
            let impulse = self.impulses[i] - rho * k;
            entries.clear();
            let row = self.rows.gradient(i).zip(self.rows.direction(i));
            entries.extend(row.enumerate().filter(|(_, it)| *it != (0.0, 0.0)));
            for &(j, (gj, dj)) in &*entries {
                for &(row, (_, direction)) in &*entries {
                    if gj != 0.0 && direction != 0.0 {
                        sparse.push_term(row, j, rho * direction * gj);
                    }
                }
                sparse.momentum[j] += dj * impulse;
            }
        }
    }

    /// Writes the rows that act.
    pub(super) fn write_acting(&self, rows: &mut EqualityRows) {
        let EqualityRows {
            gradients,
            rates,
            stiffness,
            impulses,
            ..
        } = rows;
        for list in [&mut *gradients, rates, stiffness, impulses] {
            list.clear();
        }
        for i in (0..self.rows.len()).filter(|&i| self.active[i]) {
            gradients.extend(self.rows.gradient(i));
            rates.push(-self.rows.get(i).k);
            stiffness.push(self.stiffness[i]);
            impulses.push(self.impulses[i]);
        }
    }

    /// Takes over the impulses of the rows that act.
    pub(super) fn take_acting(&mut self, rows: &EqualityRows) {
        self.are_independent = rows.are_independent;
        let acting = self.impulses.iter_mut().zip(&self.active);
        let acting = acting.filter(|(_, active)| **active);
        (acting.zip(&rows.impulses)).for_each(|((own, _), impulse)| *own = *impulse);
    }

    /// Takes the impulses at the velocity `v` for multipliers.
    pub fn update(&mut self, v: &[f64]) {
        for (combination, &i) in self.combined.own().iter().enumerate() {
            let error = self.rows.rate(i, v) + self.rows.get(i).k;
            for (j, force) in self.combined.forces(combination) {
                self.impulses[j] -= self.stiffness[i] * error * force;
            }
        }
        for i in 0..self.rows.len() {
            let impulse = self.impulse_at(i, v);
            self.impulses[i] = if self.active[i] { impulse } else { 0.0 };
        }
    }

    /// The row that is violated most at the velocity `v`, and by how much, beside the largest velocity that it balances.
    pub fn violation(&self, v: &[f64]) -> Violation {
        let mut worst = Violation {
            scale: AT_REST * self.far,
            ..Violation::default()
        };
        for i in 0..self.rows.len() {
            let Row { k, kind, .. } = self.rows.get(i);
            let rate = self.rows.rate(i, v);
            let terms =
                (self.rows.gradient(i).zip(v)).fold(k.abs(), |m, (g, v)| m.max((g * v).abs()));
            let stopped = match self.stiffness[i] {
                _ if self.is_combined(i) => self.combined.largest_rate(i, &self.impulses),
                rho if rho > 0.0 => self.impulses[i].abs() * self.units / rho,
                _ => 0.0,
            };
            worst.scale = worst.scale.max(terms).max(stopped);
            let error = match kind {
                ConstraintKind::Unilateral if !self.active[i] => 0.0,
                _ => (rate + k).abs(),
            };
            if error > worst.error {
                (worst.row, worst.error) = (i, error);
            }
        }
        worst
    }

    /// Makes all rows stiffer; whether they were not yet.
    pub fn stiffen(&mut self) -> bool {
        let may_grow = self.units < STIFFER;
        if may_grow {
            let rows = self.stiffness.iter_mut();
            rows.for_each(|rho| *rho *= STIFFER / STIFFNESS);
            self.units = STIFFER;
        }
        may_grow
    }

    /// Adds what the active rows lack at the velocity `v` to a list.
    pub fn push_violations(&self, v: &[f64], list: &mut Vec<f64>) {
        let active = (0..self.rows.len()).filter(|&i| self.active[i]);
        list.extend(active.map(|i| -(self.rows.rate(i, v) + self.rows.get(i).k)));
    }

    /// Adds changes of the impulses of the active rows.
    pub fn add_impulses(&mut self, changes: &[f64]) {
        let acting = self.impulses.iter_mut().zip(&self.active);
        let acting = acting.filter(|(_, active)| **active);
        (acting.zip(changes)).for_each(|((impulse, _), change)| *impulse += change);
    }

    /// Whether a row acts.
    pub fn acts(&self) -> bool {
        self.active.contains(&true)
    }

    /// Takes away the impulses of rows that do not act.
    pub fn release(&mut self) {
        let rows = self.impulses.iter_mut().zip(&self.active);
        rows.filter(|(_, active)| !**active)
            .for_each(|(impulse, _)| *impulse = 0.0);
    }

    /// Sets all impulses to zero.
    pub fn forget_impulses(&mut self) {
        self.impulses.fill(0.0);
    }

    /// Keeps the impulses, to return to them.
    pub fn keep_impulses(&mut self) {
        self.kept.clone_from(&self.impulses);
    }

    /// Takes the impulses that were kept.
    pub fn return_to_kept_impulses(&mut self) {
        self.impulses.clone_from(&self.kept);
    }

    /// The constraint and the row of each row that acts.
    pub fn active_rows(&self) -> impl Iterator<Item = (usize, usize)> {
        let acting = (0..self.rows.len()).filter(|&i| self.active[i]);
        acting.map(|i| (self.rows.get(i).constraint, self.rows.get(i).row))
    }

    /// How near each inequality is to acting or to no longer acting, at the velocity `v`, and which are of angles.
    pub fn kinks(&mut self, v: &[f64]) -> (&[ConstraintKink], &[bool]) {
        use ConstraintKinkKind::{Reaching, Releasing};
        use ConstraintKinkQuantity::{Force, Motion};
        self.kinks.clear();
        self.angular.clear();
        for i in 0..self.rows.len() {
            let row = self.rows.get(i);
            if row.kind != ConstraintKind::Unilateral {
                continue;
            }
            let (kind, quantity, distance) = match self.active[i] {
                true => (Releasing, Force, self.impulses[i]),
                false => {
                    let rate = self.rows.rate(i, v) + row.k;
                    (Reaching, Motion, rate)
                }
            };
            self.kinks.push(ConstraintKink {
                kind,
                source: ConstraintKinkSource::Unilateral(self.angular.len()),
                quantity,
                distance: distance.max(0.0),
            });
            self.angular.push(row.is_angular);
        }
        (&self.kinks, &self.angular)
    }

    /// By how much the rate of a row changes the impulses of others and its own, which are those of its combination, if it has one.
    pub fn spring(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let rho = match self.are_springs {
            true => self.stiffness[i],
            false => 0.0,
        };
        let combination = self.combined.of(i);
        let along = combination.is_none().then_some((i, rho));
        let combined = combination.into_iter().flat_map(move |combination| {
            let forces = self.combined.forces(combination);
            forces.map(move |(j, force)| (j, rho * force))
        });
        along.into_iter().chain(combined)
    }

    /// Whether a combination of forces enforces a row.
    pub fn is_combined(&self, i: usize) -> bool {
        self.combined.of(i).is_some()
    }

    /// The rows whose forces are combined; none where all forces act along their rows.
    pub fn basis(&self) -> &[usize] {
        &self.combined.basis
    }

    /// Without what combinations of forces add.
    fn impulse_at(&self, i: usize, v: &[f64]) -> f64 {
        if self.is_combined(i) {
            return self.impulses[i];
        }
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
    /// The largest velocity in the rows, or that their impulses change.
    pub scale: f64,
}
