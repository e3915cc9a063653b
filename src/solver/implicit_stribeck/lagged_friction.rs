//! Lagged friction: convex problems in a row, each with friction under the normal forces of the one before.
//!
//! With given forces `f̂ₙ` pressing on friction, `r(v) = M v − p* − δt (Jₙᵀ fₙ(vₙ) + Jₜᵀ fₜ(f̂ₙ, vₜ))`
//! is the gradient of a strictly convex function: there is one solution, and Newton's method with a
//! [line search](super::line_search) finds it from everywhere. The problem itself is the fixed point
//! `f̂ₙ = fₙ(v(f̂ₙ))`. Where a coefficient of friction depends on the slip speed, it is taken from the velocities
//! before, too, by its share q̂ of static friction. Where friction and normal forces are strongly coupled the iteration need not
//! converge, but it visits velocities at which every contact sticks or slides for a reason, and from
//! one of these Newton's method on the problem itself as a rule converges. (Castro, Permenter & Han
//! 2022, *IEEE Transactions on Robotics* 39(2), 1301–1320, lag normal forces by a time step.)

use super::newton::{NewtonLimits, Outcome, StepRule, Workspace};
use super::newton_system::NewtonSystem;
use super::statistics::Iteration;

/// Convex problems in one go.
const ROUNDS: usize = 20;
/// Residual at which a convex problem counts as solved at first; it need not be exact.
const SOLVED: f64 = 1e-4;
/// How much more exactly convex problems are solved after every attempt at the problem itself.
const REFINEMENT: f64 = 0.1;
/// Kinetic energy, relative to that of `p*` and of the impulses at rest, beyond which velocities are
/// no start.
const FAST: f64 = 1e4;
/// Change of the normal forces, relative to these, below which the problem itself is tried.
const NEAR: f64 = 0.1;
/// Iterations for the problem itself, and those without progress after which an attempt ends.
const ATTEMPT: usize = 10;
const ATTEMPT_PATIENCE: usize = 3;
/// By how many rounds more every failed attempt puts off the next one.
const PAUSE: usize = 2;
/// Rounds in which the fixed-point iteration takes full steps.
const FULL_STEPS: usize = 3;
/// 1/φ: its multiples modulo 1 are spread evenly (Weyl).
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The iteration; a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct LaggedFriction {
    /// The solution of the last convex problem.
    reached: Vec<f64>,
    /// Kinetic energy of velocities that are out of proportion.
    fast: f64,
    rounds: usize,
    /// In [0, 1): varies the steps of the fixed-point iteration, which otherwise may cycle.
    phase: f64,
}

impl LaggedFriction {
    /// Begins with the normal forces at the velocities at which `system` is evaluated, or at rest if
    /// these are out of all proportion.
    pub fn start(&mut self, system: &mut NewtonSystem) {
        self.reached.clone_from(&system.v);
        system.rest();
        self.fast = FAST * system.balanced_momenta();
        system.place(&self.reached);
        if self.is_out_of_proportion(system) {
            system.rest();
        }
        system.lag_limits();
        self.rounds = 0;
        self.phase = 0.0;
    }

    /// Whether velocities are far beyond what momentum and contacts at rest can cause, or not numbers.
    fn is_out_of_proportion(&self, system: &NewtonSystem) -> bool {
        let energy = system.kinetic_energy();
        energy.is_nan() || energy > self.fast
    }

    /// Takes `system` back to the solution of the last convex problem.
    pub fn return_to_last(&self, system: &mut NewtonSystem) {
        system.place(&self.reached);
        system.couple(0.0);
    }

    /// Goes on for some rounds, with an attempt at the problem itself in each if `closely`. If it is not solved by
    /// then, `system` is left at the solution of the last convex problem.
    pub fn solve(
        &mut self,
        system: &mut NewtonSystem,
        newton: &mut Workspace,
        limits: &NewtonLimits,
        history: &mut Vec<Iteration>,
        closely: bool,
    ) -> Outcome {
        let mut convex = NewtonLimits {
            target: SOLVED,
            rule: StepRule::LineSearch,
            ..*limits
        };
        let attempt = NewtonLimits {
            max_iterations: limits.max_iterations.min(ATTEMPT),
            patience: if closely {
                limits.patience
            } else {
                ATTEMPT_PATIENCE
            },
            ..*limits
        };
        if system.is_convex() {
            // Stiff friction against turning may take some hundred steps, each of which comes nearer.
            let rule = StepRule::LineSearch;
            let limits = NewtonLimits { rule, ..*limits };
            let mut solve = || newton.solve(system, &limits, history);
            let mut outcomes = (0..ROUNDS).map(|_| solve());
            let ended = outcomes.find(|outcome| *outcome != Outcome::Exhausted);
            return ended.unwrap_or(Outcome::Exhausted);
        }
        let (mut pause, mut next_attempt) = (0, 0);
        for round in 0..ROUNDS {
            if limits.left(history) == 0 {
                break;
            }
            self.update(system);
            system.couple(0.0);
            let ended = newton.solve(system, &convex, history);
            if self.is_out_of_proportion(system) {
                // Forces that feed each other: once more without friction.
                system.rest();
                system.lagged.fill([0.0; 2]);
            } else if matches!(ended, Outcome::Singular(_)) {
                return ended;
            }
            self.reached.clone_from(&system.v);
            if round >= next_attempt && system.lag() <= NEAR {
                system.couple(1.0);
                if newton.solve(system, &attempt, history) == Outcome::Converged {
                    return Outcome::Converged;
                }
                self.return_to_last(system);
                pause += if closely { 0 } else { PAUSE };
                next_attempt = round + 1 + pause;
                convex.target = f64::max(convex.target * REFINEMENT, limits.target);
            }
        }
        Outcome::Exhausted
    }

    /// A step of the fixed-point iteration.
    fn update(&mut self, system: &mut NewtonSystem) {
        self.rounds += 1;
        let full = self.rounds <= FULL_STEPS;
        for c in 0..system.contacts.len() {
            self.phase = (self.phase + GOLDEN).fract();
            let fraction = if full { 1.0 } else { 1.0 - 0.5 * self.phase };
            let limits = system.limits(c);
            for (lagged, now) in system.lagged[c].iter_mut().zip(limits) {
                *lagged += fraction * (now - *lagged);
            }
        }
    }
}
