//! Newton's method with limited steps.

use super::direction_limiter::DirectionLimiter;
use super::line_search;
use super::newton_system::NewtonSystem;
use super::statistics::Iteration;
use crate::math::Singular;

/// Below this the residual is as good as zero.
pub(super) const ROUND_OFF: f64 = 1e-12;
/// Patience from the guess, where most problems are solved.
const PATIENCE: usize = 10;
/// A step with an earlier factorisation must reduce the residual by this factor, or a new one is
/// made.
const CHORD_REDUCTION: f64 = 0.1;

/// What limits a step.
#[derive(Debug, Clone, Copy)]
pub(super) enum StepRule {
    /// Changes of the direction of slip.
    Direction(DirectionLimiter),
    /// A line search, for convex problems.
    LineSearch,
}

/// When to stop, and how far to step.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewtonLimits {
    pub max_iterations: usize,
    /// Residual at which to stop at once.
    pub target: f64,
    /// Residual with which stagnation counts as convergence.
    pub residual_tolerance: f64,
    /// Change of tangential velocities below which the method is in the neighbourhood of the
    /// solution, in m/s.
    pub velocity_tolerance: f64,
    /// Iterations without a new smallest residual after which steps by the limiter count as cycling.
    pub patience: usize,
    pub rule: StepRule,
}

impl NewtonLimits {
    /// On to round-off, by steps that the limiter allows.
    pub fn new(
        max_iterations: usize,
        residual_tolerance: f64,
        velocity_tolerance: f64,
        direction: DirectionLimiter,
    ) -> Self {
        NewtonLimits {
            max_iterations,
            target: ROUND_OFF,
            residual_tolerance,
            velocity_tolerance,
            patience: PATIENCE,
            rule: StepRule::Direction(direction),
        }
    }
}

/// How the iteration ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    Converged,
    Exhausted,
    Singular(Singular),
}

/// A step, and what it changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Workspace {
    step: Vec<f64>,
    /// Contact velocities of the step.
    changes: Vec<[f64; 3]>,
}

impl Workspace {
    /// Iterates from `system.v`, which must have been evaluated, to a root of the residual.
    ///
    /// Away from the solution every iteration factors the Jacobian. Once a full step has changed the
    /// tangential velocities by less than the tolerance, the factorisation is good enough to go on to
    /// round-off with (a chord step costs a back-substitution and an evaluation). Where velocities in
    /// `f64` are too coarse for the residual tolerance, they get twice the precision.
    pub fn solve(
        &mut self,
        system: &mut NewtonSystem,
        limits: &NewtonLimits,
        history: &mut Vec<Iteration>,
    ) -> Outcome {
        let mut best = f64::INFINITY;
        let mut since_best = 0;
        let mut factored = false;
        for _ in 0..limits.max_iterations {
            if system.relative_residual <= limits.target {
                return Outcome::Converged;
            }
            if !factored && let Err(singular) = system.factor() {
                return Outcome::Singular(singular);
            }
            system.newton_step(&mut self.step);
            let (fraction, change) = self.limited_fraction(system, &limits.rule);
            system.retreat(fraction, &self.step);
            let before = system.relative_residual;
            system.evaluate();
            history.push(Iteration {
                residual: system.relative_residual,
                tangential_change: change,
                step_fraction: fraction,
            });
            let settled = fraction == 1.0 && change <= limits.velocity_tolerance;
            if settled && system.relative_residual > 0.5 * before.min(best) {
                if system.relative_residual <= limits.residual_tolerance {
                    return Outcome::Converged;
                }
                system.extend_precision();
            }
            since_best += 1;
            if system.relative_residual < best {
                best = system.relative_residual;
                since_best = 0;
            }
            let cycles =
                since_best > limits.patience && matches!(limits.rule, StepRule::Direction(_));
            if cycles || !system.relative_residual.is_finite() {
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

    /// The fraction of the step that the rule allows, and the largest change of a tangential
    /// velocity that it makes.
    fn limited_fraction(&mut self, system: &NewtonSystem, rule: &StepRule) -> (f64, f64) {
        let (mut fraction, mut change) = (1.0f64, 0.0f64);
        match rule {
            StepRule::Direction(limiter) => {
                for (c, &[_, vt0, vt1]) in system.contact_velocities.iter().enumerate() {
                    let [_, dv0, dv1] = system.contact_velocity(c, &self.step).map(|x| -x);
                    fraction = fraction.min(limiter.step_fraction([vt0, vt1], [dv0, dv1]));
                    change = change.max(dv0.hypot(dv1));
                }
            }
            StepRule::LineSearch => {
                self.changes.clear();
                for c in 0..system.contacts.len() {
                    let dv = system.contact_velocity(c, &self.step).map(|x| -x);
                    change = change.max(dv[1].hypot(dv[2]));
                    self.changes.push(dv);
                }
                fraction = line_search::step_fraction(system, &self.step, &self.changes);
            }
        }
        (fraction, fraction * change)
    }
}
