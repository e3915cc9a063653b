//! Restitution that adds no energy.
//!
//! Newton's law says how fast bodies part, whatever friction does; where friction turns the slip round in an impact, this
//! may add energy (Kane & Levinson 1985, *Dynamics: Theory and Applications*). With the momentum `p = M v + δt τ`
//! without impulses, the energy that a step gains beside the work of the forces τ along its way `δt v⁺` is
//!
//! ```text
//! W(v⁺) = ½ v⁺·M v⁺ − ½ v·M v − (p − M v)·v⁺
//! ```
//!
//! A step without restitution has `W ≤ 0`, as no contact impulse does work on `v⁺` then. Where the step with
//! restitution has not, it is replaced by the nearest one between the two that has. Normal impulses, cones of friction
//! and gaps are convex, and so hold for it; all that rebounds in the step does so less, by the same part. Where this begins, first derivatives
//! jump; that kink is not reported.

use super::error::SystemError;
use crate::Scalar;
use crate::constraint::{ConstraintSolver, TreeVelProblem, VelocitySolution};
use nalgebra::DVector;

/// A gain below this part of the kinetic energy is round-off.
const ROUND_OFF: f64 = 1e-13;

/// Solves a time step from the velocities `v` with the momentum `M v`.
pub(super) fn solve<T: Scalar>(
    solver: &mut ConstraintSolver<T>,
    problem: &mut TreeVelProblem<'_, T>,
    [v, mv]: [&DVector<T>; 2],
) -> Result<VelocitySolution<T>, SystemError> {
    let mut solution = solver.solve_velocities(&mut problem.data)?;
    if problem.rebounds.is_empty() {
        return Ok(solution);
    }
    let p = problem.data.Mv.clone();
    let kinetic = v.dot(mv) * 0.5;
    let gain = |solution: &VelocitySolution<T>| {
        let next = &solution.generalized_velocity;
        let momentum = &p + &solution.impulses.generalized;
        next.dot(&momentum) * 0.5 - kinetic - (&p - mv).dot(next)
    };
    let with = gain(&solution);
    if with.re() <= ROUND_OFF * kinetic.re() {
        return Ok(solution);
    }
    for &(contact, rebound) in &problem.rebounds {
        problem.data.kN[contact] -= rebound;
    }
    let without = solver.solve_velocities(&mut problem.data)?;
    let least = gain(&without);
    // What moves by itself may add energy in both.
    let excess = if least.re() > 0.0 { T::zero() } else { least };
    let of_impulses = &solution.impulses.generalized - &without.impulses.generalized;
    let difference = &solution.generalized_velocity - &without.generalized_velocity;
    // W = W₀ + b s + a s², with a > 0.
    let a = difference.dot(&of_impulses) * 0.5;
    let b = with - least - a;
    let share = if excess.re() < 0.0 {
        ((b * b - a * excess * 4.0).sqrt() - b).div_lifted(a * 2.0)
    } else {
        (-b.div_lifted(a)).max_lifted(T::zero())
    };
    if share.re() >= 1.0 {
        return Ok(solution);
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
    impulses.kinks.extend(without.impulses.kinks);
    impulses.residual = impulses.residual.max(without.impulses.residual);
    impulses.pivots += without.impulses.pivots;
    solution.without_push |= without.without_push;
    Ok(solution)
}
