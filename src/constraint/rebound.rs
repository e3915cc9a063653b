//! The rebound of a contact in a time step.
//!
//! Velocities without contact would go in a step of length δt from `v` to `v_free`; with `v'` what `v` is when
//! the momentum has been [carried](super::TreeConstraints) into the step, before forces act, a contact that closes
//! within it obeys Newton's law of impact for the change that the contact makes:
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
//! The law says how fast bodies part, whatever friction does; where friction turns the slip round in an impact, or
//! several contacts share one, this may add energy (Kane & Levinson 1985, *Dynamics: Theory and Applications*). With
//! the carried momentum `P' = M v'` and `p = P' + δt τ` with the forces τ that can do work, the energy that a step gains
//! beside the work of τ along its way `δt v⁺` is
//!
//! ```text
//! W(v⁺) = ½ v⁺·M v⁺ − ½ v'·P' − (p − P')·v⁺
//! ```
//!
//! where a damping D that is implicit in the step adds `½ v⁺·δt D v⁺` (p has then `δt D w` in it, and the work of the
//! damped forces is less by `δt v⁺·D v⁺`; M v⁺ by `δt D v⁺`). A step without rebounds has `W ≤ 0`, as no contact impulse does work on `v⁺` then, and carrying momentum over
//! gains nothing. Where the step with rebounds has not, it is replaced by the nearest one between the two that has.
//! Normal impulses, cones of friction and gaps are convex, and so hold for it; all that rebounds in the step does so
//! less, by the same part. Where this begins, first derivatives jump: the kink is as far as the step with all rebounds is
//! from gaining energy. Without friction none gains any.

use super::error::ConstraintError;
use super::solver::{ConstraintSolver, VelocitySolution};
use super::tree_problem::TreeVelProblem;
use super::tree_rows::{RowConstants, dot};
use crate::Scalar;
use crate::contact::PointContact;
use nalgebra::DVector;

/// A gain below this part of the kinetic energy is round-off.
const ROUND_OFF: f64 = 1e-13;

/// The momentum that is carried into a step, `P'`, and the velocities that it is of, `v'`.
#[derive(Debug, Clone)]
pub(super) struct Carried<T: Scalar> {
    pub momentum: DVector<T>,
    pub velocity: DVector<T>,
}

/// A step in which bodies may rebound.
pub(super) struct Rebound<'a, T> {
    pub dt: T,
    pub rebound_speed: f64,
    /// The carried velocities, and those at the end of the step without contacts.
    pub carried: &'a [T],
    pub free: &'a [T],
}

impl<T: Scalar> Rebound<'_, T> {
    /// Puts the rebound of a contact with this row of its normal into its constants; returns what it has changed
    /// `k` by.
    pub fn of_contact(
        &self,
        contact: &PointContact<T>,
        normal: &[T],
        constants: &mut RowConstants<T>,
    ) -> Option<T> {
        let restitution = contact.material.restitution?;
        let approach = dot(normal, self.carried);
        let closing = contact.penetration.re() / self.dt.re() - approach.re();
        // Both must be positive: how far they are from where the other law holds, in m/s.
        let margin = closing.min(-approach.re() - self.rebound_speed);
        constants.rebound_margin = margin.abs();
        if margin < 0.0 || -approach.re() <= self.rebound_speed {
            return None;
        }
        let change = approach * (restitution + 1.0) - dot(normal, self.free) - constants.k;
        constants.rebound_margin = margin.min(change.re().abs());
        if change.re() >= 0.0 {
            return None;
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

    /// As [`Self::solve`], in the memory of another solution; also how far it is from where rebounds begin to be limited,
    /// in J, if that is known.
    pub(crate) fn solve_into(
        &mut self,
        solver: &mut ConstraintSolver<T>,
        solution: &mut VelocitySolution<T>,
    ) -> Result<(T, Option<f64>), ConstraintError> {
        let rebounds = !self.rebounds.is_empty();
        let with = match solver.solve_velocities_into(&mut self.data, solution) {
            Err(error) if rebounds && error.is_without_solution() => None,
            Err(error) => return Err(error),
            Ok(()) if !rebounds => return Ok((T::one(), None)),
            Ok(()) => {
                let (gain, before) = self.gain(solution);
                if gain.re() <= ROUND_OFF * before.re() {
                    let rubs = solution.impulses.friction().iter().any(|f| f.re() != 0.0);
                    return Ok((T::one(), rubs.then_some(gain.re().abs())));
                }
                Some(gain)
            }
        };
        for &(contact, rebound) in &self.rebounds {
            let k = self.data.kN[contact] - rebound;
            self.data.kN[contact] = k;
            // An overlap is driven out again.
            self.data.pushN[contact] = if k.re() < 0.0 { k } else { T::zero() };
        }
        let mut without = std::mem::take(&mut self.scratch.without);
        let solved = solver.solve_velocities_into(&mut self.data, &mut without);
        let share = solved.map(|()| match with {
            None => {
                std::mem::swap(solution, &mut without);
                T::zero()
            }
            Some(with) => {
                let least = self.gain(&without).0;
                self.join(solution, &without, (with, least))
            }
        });
        self.scratch.without = without;
        Ok((share?, with.map(|gain| gain.re())))
    }

    /// The energy that a step gains, and what there is before it.
    fn gain(&self, solution: &VelocitySolution<T>) -> (T, T) {
        let (p, carried) = (&self.data.Mv, &self.carried);
        let impulses = &solution.impulses.generalized;
        let before = carried.velocity.dot(&carried.momentum) * 0.5;
        let (mut energy, mut work) = (T::zero(), T::zero());
        let v = &solution.generalized_velocity;
        for (i, &next) in v.iter().enumerate() {
            energy += next * (p[i] + impulses[i]) * 0.5;
            work += next * (p[i] - carried.momentum[i]);
        }
        // Damping takes δt v⁺·D v⁺, and p + Jᵀ f = (M + δt D) v⁺.
        let damping = self.data.operators.inertia.damping_form(v.as_slice()) * 0.5;
        (energy + damping - before - work, before)
    }

    /// Makes of a solution with rebounds, and of one without, that between them which gains no energy; returns which part of
    /// the rebounds that has. What the two gain is `with` and `least`.
    fn join(
        &mut self,
        solution: &mut VelocitySolution<T>,
        without: &VelocitySolution<T>,
        (with, least): (T, T),
    ) -> T {
        // What moves by itself may add energy in both.
        let excess = if least.re() > 0.0 { T::zero() } else { least };
        // W = W₀ + b s + a s², with a > 0.
        let mut a = T::zero();
        let mut difference = std::mem::take(&mut self.scratch.normal);
        difference.clear();
        let velocities = (solution.generalized_velocity.iter()).zip(&without.generalized_velocity);
        difference.extend(velocities.map(|(&with, &without)| with - without));
        for (i, &difference) in difference.iter().enumerate() {
            let impulse = solution.impulses.generalized[i] - without.impulses.generalized[i];
            a += difference * impulse * 0.5;
        }
        a += self.data.operators.inertia.damping_form(&difference) * 0.5;
        self.scratch.normal = difference;
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
            &mut solution.generalized_velocity,
            &without.generalized_velocity,
        );
        between(&mut solution.velocity_change, &without.velocity_change);
        let impulses = &mut solution.impulses;
        between(&mut impulses.packed, &without.impulses.packed);
        between(&mut impulses.generalized, &without.impulses.generalized);
        (impulses.kinks).extend_from_slice(&without.impulses.kinks);
        impulses.residual = impulses.residual.max(without.impulses.residual);
        impulses.pivots += without.impulses.pivots;
        solution.without_push |= without.without_push;
        share
    }
}
