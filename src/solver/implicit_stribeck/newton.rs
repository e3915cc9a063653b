//! Newton's method with limited changes of the direction of slip.

use super::direction_limiter::{DirectionLimiter, norm};
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
    /// Changes of the direction of slip, contact by contact: friction of those that turn further is linearised on the
    /// way there, and velocities take the whole step.
    EachDirection(DirectionLimiter),
    /// Changes of the direction of slip, of all contacts by the smallest fraction that is allowed to any.
    Direction(DirectionLimiter),
    /// A line search, for convex problems.
    LineSearch,
}

/// When to stop, and how far to step.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewtonLimits {
    pub max_iterations: usize,
    /// Of all strategies together, as the history counts them.
    pub max_total_iterations: usize,
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
        [max_iterations, max_total_iterations]: [usize; 2],
        residual_tolerance: f64,
        velocity_tolerance: f64,
        direction: DirectionLimiter,
    ) -> Self {
        NewtonLimits {
            max_iterations,
            max_total_iterations,
            target: ROUND_OFF,
            residual_tolerance,
            velocity_tolerance,
            patience: PATIENCE,
            rule: StepRule::Direction(direction),
        }
    }

    /// How many iterations may still be made.
    pub fn left(&self, history: &[Iteration]) -> usize {
        self.max_total_iterations.saturating_sub(history.len())
    }

    /// The same with each contact held back by itself.
    pub fn by_contact(self) -> Self {
        let rule = match self.rule {
            StepRule::Direction(limiter) => StepRule::EachDirection(limiter),
            rule => rule,
        };
        NewtonLimits { rule, ..self }
    }
}

/// How the iteration ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Outcome {
    Converged,
    Exhausted,
    Singular(Singular),
}

/// A balance of momenta, in the variables of one's choice, at a point.
pub(super) trait NewtonProblem {
    /// Norm of the residual relative to what is balanced.
    fn relative_residual(&self) -> f64;

    /// Factors the Jacobian.
    fn factor(&mut self) -> Result<(), Singular>;

    /// Takes a step with the Jacobian that was factored last, as far as is allowed, and evaluates. Returns the
    /// smallest fraction that was taken, and the largest change of a tangential velocity.
    fn step(&mut self) -> (f64, f64);

    /// Whether friction of a contact was evaluated at another velocity than the point's.
    fn is_held_back(&self) -> bool;

    /// From here on the point has twice the precision of `f64`, if that is possible.
    fn extend_precision(&mut self);
}

/// Iterates to a root of the residual.
///
/// Away from the solution every iteration factors the Jacobian. Once a full step has changed the tangential
/// velocities by less than the tolerance, the factorisation is good enough to go on to round-off with (a chord
/// step costs a back-substitution and an evaluation). Where velocities in `f64` are too coarse for the residual
/// tolerance, they get twice the precision.
pub(super) fn solve(
    problem: &mut impl NewtonProblem,
    limits: &NewtonLimits,
    history: &mut Vec<Iteration>,
) -> Outcome {
    let mut best = f64::INFINITY;
    let mut since_best = 0;
    let mut factored = false;
    let mut residual = problem.relative_residual();
    for _ in 0..limits.max_iterations.min(limits.left(history)) {
        if residual <= limits.target && !problem.is_held_back() {
            return Outcome::Converged;
        }
        if !factored && let Err(singular) = problem.factor() {
            return Outcome::Singular(singular);
        }
        let before = residual;
        let (fraction, change) = problem.step();
        residual = problem.relative_residual();
        history.push(Iteration {
            residual,
            tangential_change: change,
            step_fraction: fraction,
        });
        let settled = fraction == 1.0 && change <= limits.velocity_tolerance;
        if settled && residual > 0.5 * before.min(best) {
            if residual <= limits.residual_tolerance {
                return Outcome::Converged;
            }
            problem.extend_precision();
        }
        since_best += 1;
        if residual < best {
            best = residual;
            since_best = 0;
        }
        let is_limited = !matches!(limits.rule, StepRule::LineSearch);
        if is_limited && since_best > limits.patience || !residual.is_finite() {
            break;
        }
        factored = settled && residual <= CHORD_REDUCTION * before;
    }
    if residual <= limits.residual_tolerance && !problem.is_held_back() {
        Outcome::Converged
    } else {
        Outcome::Exhausted
    }
}

/// A step, and what it changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Workspace {
    step: Vec<f64>,
    /// Contact velocities of the step.
    changes: Vec<[f64; 3]>,
}

impl Workspace {
    /// Iterates on generalized velocities, from `system.v`, which must have been evaluated.
    pub fn solve(
        &mut self,
        system: &mut NewtonSystem,
        limits: &NewtonLimits,
        history: &mut Vec<Iteration>,
    ) -> Outcome {
        let mut problem = InVelocities {
            system,
            workspace: self,
            rule: limits.rule,
        };
        solve(&mut problem, limits, history)
    }
}

/// A system and its generalized velocities.
struct InVelocities<'a> {
    system: &'a mut NewtonSystem,
    workspace: &'a mut Workspace,
    rule: StepRule,
}

impl NewtonProblem for InVelocities<'_> {
    fn relative_residual(&self) -> f64 {
        self.system.relative_residual
    }

    fn factor(&mut self) -> Result<(), Singular> {
        self.system.factor()
    }

    fn step(&mut self) -> (f64, f64) {
        let InVelocities {
            system,
            workspace: Workspace { step, changes },
            rule,
        } = self;
        system.newton_step(step);
        if let StepRule::EachDirection(limiter) = rule {
            system.retreat(1.0, step);
            return system.evaluate_limited(limiter);
        }
        changes.clear();
        for c in 0..system.contacts.len() {
            changes.push(system.contact_velocity(c, step).map(|x| -x));
        }
        let fraction = match rule {
            StepRule::Direction(limiter) => {
                let moves = system.contact_velocities.iter().zip(&*changes);
                (moves.map(|(v, dv)| limiter.step_fraction([v[1], v[2]], [dv[1], dv[2]])))
                    .fold(1.0, f64::min)
            }
            _ => line_search::step_fraction(system, step, changes),
        };
        let sizes = changes.iter().map(|dv| norm([dv[1], dv[2]]));
        let change = fraction * sizes.fold(0.0, f64::max);
        system.retreat(fraction, step);
        system.evaluate();
        (fraction, change)
    }

    fn is_held_back(&self) -> bool {
        self.system.is_held_back
    }

    fn extend_precision(&mut self) {
        self.system.extend_precision();
    }
}
