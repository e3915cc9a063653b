//! Newton's method with limited changes of direction.

use super::direction_limiter::DirectionLimiter;
use super::newton_system::NewtonSystem;
use super::statistics::Iteration;
use crate::math::{Lu, Singular};

/// Below this the residual is as good as zero.
const ROUND_OFF: f64 = 1e-12;
/// Iterations without a new smallest residual after which the method is taken to cycle.
const PATIENCE: usize = 20;
/// A step with an earlier factorisation must reduce the residual by this factor, or a new one is
/// made.
const CHORD_REDUCTION: f64 = 0.1;

/// When to stop, and how far to step.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewtonLimits {
    pub max_iterations: usize,
    pub residual_tolerance: f64,
    /// Change of tangential velocities below which the method is in the neighbourhood of the
    /// solution, in m/s.
    pub velocity_tolerance: f64,
    pub direction: DirectionLimiter,
}

/// How the iteration ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    Converged,
    Exhausted,
    Singular(Singular),
}

/// Iterates from `system.v`, which must have been evaluated, to a root of the residual.
///
/// Away from the solution every iteration factors the Jacobian. Once a full step has changed the
/// tangential velocities by less than the tolerance, the factorisation is good enough to go on to
/// round-off with (a chord step costs a back-substitution and an evaluation).
pub(super) fn solve(
    system: &mut NewtonSystem,
    lu: &mut Lu,
    limits: &NewtonLimits,
    step: &mut Vec<f64>,
    history: &mut Vec<Iteration>,
) -> Outcome {
    let mut best = f64::INFINITY;
    let mut since_best = 0;
    let mut factored = false;
    for _ in 0..limits.max_iterations {
        if system.relative_residual <= ROUND_OFF {
            return Outcome::Converged;
        }
        if !factored && let Err(singular) = system.factor(lu) {
            return Outcome::Singular(singular);
        }
        system.newton_step(lu, step);
        let (fraction, change) = limited_fraction(system, step, &limits.direction);
        for (v, dv) in system.v.iter_mut().zip(&*step) {
            *v -= fraction * dv;
        }
        let before = system.relative_residual;
        system.evaluate();
        history.push(Iteration {
            residual: system.relative_residual,
            tangential_change: change,
            step_fraction: fraction,
        });
        let settled = fraction == 1.0 && change <= limits.velocity_tolerance;
        let stagnates = system.relative_residual > 0.5 * before.min(best);
        if settled && stagnates && before.min(system.relative_residual) <= limits.residual_tolerance
        {
            return Outcome::Converged;
        }
        since_best += 1;
        if system.relative_residual < best {
            best = system.relative_residual;
            since_best = 0;
        }
        if since_best > PATIENCE {
            break;
        }
        factored = settled && system.relative_residual <= CHORD_REDUCTION * before;
    }
    if system.relative_residual <= limits.residual_tolerance {
        Outcome::Converged
    } else {
        Outcome::Exhausted
    }
}

/// The fraction of the step `v − step` that all contacts allow, and the largest change of a
/// tangential velocity that it makes.
fn limited_fraction(system: &NewtonSystem, step: &[f64], limiter: &DirectionLimiter) -> (f64, f64) {
    let (mut fraction, mut change) = (1.0f64, 0.0f64);
    for (c, &[_, vt0, vt1]) in system.contact_velocities.iter().enumerate() {
        let [_, dv0, dv1] = system.contact_velocity(c, step).map(|x| -x);
        fraction = fraction.min(limiter.step_fraction([vt0, vt1], [dv0, dv1]));
        change = change.max(dv0.hypot(dv1));
    }
    (fraction, fraction * change)
}
