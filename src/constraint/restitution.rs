//! Restitution of a contact in a time step (Newton's law of impact).
//!
//! Without contact, velocities would change in a step of length δt from `v` to `v_free`. With the velocities `v'` at the
//! start of the step, before forces act (those of its [initial momentum](super::restitution_energy)), a contact that
//! closes within the step obeys Newton's law of impact for the change that the contact makes:
//!
//! ```text
//! vₙ⁺ ≥ vₙ_free − (1 + e) v'ₙ      if −v'ₙ > rebound speed and φ + δt v'ₙ ≤ 0
//! ```
//!
//! in place of `vₙ⁺ ≥ −φ/δt`, if that demands less: the impact at the start of the step, and forces after it. (Moreau
//! 1988, *Unilateral contact and dry friction in finite freedom dynamics*, CISM 302, has −e vₙ alone: gravity would
//! then be given back what it does in the step, and bodies rise above where they fell from.)
//!
//! # A bound on the energy
//!
//! The law says how fast bodies part, whatever friction does; where friction reverses the slip in an impact, or
//! several contacts share one, this may add energy (Kane & Levinson 1985, *Dynamics: Theory and Applications*). With
//! the initial momentum `P' = M v'` and `p = P' + δt τ` with the forces τ that can do work, the energy that a step gains
//! beside the work of τ along its way `δt v⁺` is
//!
//! ```text
//! W(v⁺) = ½ v⁺·M v⁺ − ½ v'·P' − (p − P')·v⁺
//! ```
//!
//! where `p = M v⁺ − Jᵀ f` has the forces that there are in the step. A step without restitution has `W ≤ 0`, as no contact
//! impulse does work on `v⁺` then, and the initial momentum is a projection, which gains nothing. Where the step with
//! restitution has `W > 0`, it is replaced by the nearest one between the two that has `W ≤ 0`. Normal impulses, friction
//! cones and gaps are convex conditions, so they hold for it, too; all restitution in the step is reduced by the same
//! factor. Where this begins, first derivatives jump: the distance of the kink is the energy that the step with full
//! restitution has left until it gains any. Without friction none gains any.

use super::error::ConstraintError;
use super::restitution_energy::Gain;
use super::solver::{ConstraintSolver, VelocitySolution};
use super::tree_problem::TreeVelProblem;
use super::tree_rows::{RowConstants, dot};
use crate::Scalar;
use crate::contact::PointContact;
use nalgebra::DVector;

/// A step in which bodies may rebound.
pub(super) struct Restitution<'a, T> {
    pub dt: T,
    pub rebound_speed: T,
    /// The velocities at the start of the step, before forces act, and those at the end of the step without contacts.
    pub initial: &'a [T],
    pub free: &'a [T],
}

impl<T: Scalar> Restitution<'_, T> {
    /// Puts the rebound of a contact with this row of its normal into its constants; returns what it changes `k` by, which
    /// it does where that is negative, if the contact closes so fast.
    pub fn of_contact(
        &self,
        contact: &PointContact<T>,
        normal: &[T],
        constants: &mut RowConstants<T>,
    ) -> Option<T> {
        let restitution = contact.material.restitution?;
        let approach = dot(normal, self.initial);
        let closing = contact.penetration.re() / self.dt.re() - approach.re();
        // Both must be positive: how far they are from where the other law holds, in m/s.
        let margin = closing.min(-approach.re() - self.rebound_speed.re());
        constants.rebound_margin = margin.abs();
        if margin < 0.0 || -approach.re() <= self.rebound_speed.re() {
            return None;
        }
        let change = approach * (restitution + 1.0) - dot(normal, self.free) - constants.k;
        constants.rebound_margin = margin.min(change.re().abs());
        if change.re() >= 0.0 {
            return Some(change);
        }
        // It does not depend on the gap.
        constants.gap = f64::INFINITY;
        constants.k += change;
        constants.push = T::zero();
        Some(change)
    }
}

impl<T: Scalar> TreeVelProblem<'_, T> {
    /// Solves an impact or a time step; also says which part of the rebounds there is, from 0 to 1: all that adds no energy
    /// (see [`TreeConstraints::time_step_problem`](super::TreeConstraints::time_step_problem)), and none where
    /// they have no solution.
    ///
    /// # Errors
    /// As [`ConstraintSolver::solve_velocities`].
    pub fn solve(
        &mut self,
        solver: &mut ConstraintSolver<T>,
    ) -> Result<(VelocitySolution<T>, T), ConstraintError> {
        let mut solution = VelocitySolution::default();
        let (share, _) = self.solve_into(solver, &mut solution)?;
        Ok((solution, share))
    }

    /// As [`Self::solve`], in the memory of another solution; also what the step gains with all rebounds, in J, which are
    /// limited where that is positive, if it is known.
    pub(crate) fn solve_into(
        &mut self,
        solver: &mut ConstraintSolver<T>,
        solution: &mut VelocitySolution<T>,
    ) -> Result<(T, Option<T>), ConstraintError> {
        let rebounds = !self.rebounds.is_empty();
        let mut momentum = std::mem::take(&mut self.scratch.momentum);
        let result = match solver.solve_velocities_into(&mut self.data, solution) {
            Err(error) if rebounds && error.is_without_solution() => {
                self.rest();
                (solver.solve_velocities_into(&mut self.data, solution)).map(|()| (T::zero(), None))
            }
            Err(error) => Err(error),
            Ok(()) if !rebounds => Ok((T::one(), None)),
            Ok(()) => {
                self.write_momentum(solution, &mut momentum[0]);
                match self.initial.gain(solution, &momentum[0]) {
                    Gain::None { limit } => Ok((T::one(), limit)),
                    Gain::Some(gain) => {
                        self.rest();
                        let mut without = std::mem::take(&mut self.scratch.without);
                        let solved = solver.solve_velocities_into(&mut self.data, &mut without);
                        let share = solved.map(|()| {
                            let [with, rest] = &mut momentum;
                            self.write_momentum(&without, rest);
                            let least = self.initial.excess(&without, rest);
                            let share = solution.join((&without, with, rest), (gain, least));
                            (share, Some(gain))
                        });
                        self.scratch.without = without;
                        share
                    }
                }
            }
        };
        self.scratch.momentum = momentum;
        result
    }

    /// Has no contact rebound.
    fn rest(&mut self) {
        for &(contact, rebound) in &self.rebounds {
            let k = self.data.kN[contact] - rebound;
            self.data.kN[contact] = k;
            // An overlap is driven out again.
            self.data.pushN[contact] = if k.re() < 0.0 { k } else { T::zero() };
        }
    }

    /// Writes p, with the damping at a solution.
    pub(crate) fn write_momentum(&self, solution: &VelocitySolution<T>, p: &mut Vec<T>) {
        p.clear();
        p.extend_from_slice(self.data.Mv.as_slice());
        let v = solution.generalized_velocity.as_slice();
        self.data.operators.inertia.subtract_damping(v, p);
    }
}

impl<T: Scalar> VelocitySolution<T> {
    /// Makes of this solution with rebounds, and of one `without`, that between them which gains no energy; returns which
    /// part of the rebounds that has. They have these p, and gain `with` and `least`.
    pub(crate) fn join(
        &mut self,
        (without, p, p_without): (&VelocitySolution<T>, &[T], &[T]),
        (with, least): (T, T),
    ) -> T {
        // What moves by itself may add energy in both.
        let excess = if least.re() > 0.0 { T::zero() } else { least };
        // W = W₀ + b s + a s², with a > 0.
        let mut a = T::zero();
        for i in 0..self.generalized_velocity.len() {
            let impulse = self.impulses.generalized[i] - without.impulses.generalized[i];
            let difference = self.generalized_velocity[i] - without.generalized_velocity[i];
            a += difference * (impulse - (p[i] - p_without[i])) * 0.5;
        }
        let b = with - least - a;
        let share = if excess.re() < 0.0 {
            ((b * b - a * excess * 4.0).sqrt() - b).div_lifted(a * 2.0)
        } else {
            (-b.div_lifted(a)).max_lifted(T::zero())
        };
        if share.re() >= 1.0 {
            return T::one();
        }
        let between = |with: &mut DVector<T>, without: &DVector<T>| {
            (with.iter_mut().zip(without)).for_each(|(x, &y)| *x = y + (*x - y) * share);
        };
        between(
            &mut self.generalized_velocity,
            &without.generalized_velocity,
        );
        between(&mut self.velocity_change, &without.velocity_change);
        let impulses = &mut self.impulses;
        between(&mut impulses.packed, &without.impulses.packed);
        between(&mut impulses.generalized, &without.impulses.generalized);
        (impulses.kinks).extend_from_slice(&without.impulses.kinks);
        impulses.residual = impulses.residual.max(without.impulses.residual);
        impulses.pivots += without.impulses.pivots;
        self.without_push |= without.without_push;
        share
    }
}
