//! Iteration statistics of the solver.

use std::fmt;

/// Iterations that there is memory for from the first solve on.
pub(super) const RESERVED_ITERATIONS: usize = 128;

/// One iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iteration {
    /// Residual after the iteration, as in [`IterationStatistics::residual`], or that of contact velocities where
    /// the iteration goes by these, relative to what changes them.
    pub residual: f64,
    /// Largest change of a tangential velocity component pair, in m/s.
    pub tangential_change: f64,
    /// Fraction of the Newton step that was taken: the smallest of those that contacts had, if each had its own.
    pub step_fraction: f64,
}

/// How the solution was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Strategy {
    /// Newton's method with limited changes of direction, from the guess.
    #[default]
    Newton,
    /// The same, from solutions of convex problems in which normal forces press on friction as they
    /// were in the one before.
    LaggedFriction,
    /// Along the curve of solutions from such a convex problem to the problem itself.
    PathFollowing,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Newton => "Newton's method",
            Strategy::LaggedFriction => "lagged friction",
            Strategy::PathFollowing => "path following",
        })
    }
}

/// What the solver did in its last solve. Parts of a problem that nothing couples are solved one by one: this is
/// of the one that took most iterations, the strategy and the residual are the worst of all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IterationStatistics {
    /// Every iteration, of all strategies tried.
    pub history: Vec<Iteration>,
    /// The strategy that ended the solve.
    pub strategy: Strategy,
    /// `‖r‖ / max(‖p*‖, ‖δt Jᵀf‖)` of the momentum balance `r = M v − p* − δt Jᵀ f` of the velocities v and the contact
    /// forces f of the result, both as they are returned, in the norm `‖r‖² = Σ rᵢ²/Mᵢᵢ` and computed to 10⁻¹², with
    /// twice the precision of `f64` where that takes it; 0 when everything is zero. Where it matters, forces are those of velocities before these were rounded to
    /// `f64`. It can exceed the tolerance only where forces that are much larger than the momenta balance each other, as of
    /// what stiff contacts squeeze: forces in `f64` need do no better than `½ 2⁻⁵² ‖δt |J|ᵀ |f|‖` relative to these momenta.
    pub residual: f64,
    /// The same at the velocities of the solution, which are `f64`. A stiff contact makes a force of their last digit,
    /// so that this can exceed the tolerance; no velocities in `f64` need do better than about
    /// `½ 2⁻⁵² ‖(M − δt Jᵀ ∂f/∂vc J) |v|‖` relative to the same momenta, with absolute values of all entries.
    pub rounded_residual: f64,
}

impl IterationStatistics {
    /// Number of iterations: matrices factored, and steps taken with an earlier factorisation.
    pub fn iterations(&self) -> usize {
        self.history.len()
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.history.clear();
        self.history.reserve(RESERVED_ITERATIONS);
        self.strategy = Strategy::default();
        (self.residual, self.rounded_residual) = (0.0, 0.0);
    }

    /// Takes account of an island, or of several, exchanging histories if theirs is longer.
    pub(super) fn add(
        &mut self,
        history: &mut Vec<Iteration>,
        strategy: Strategy,
        [residual, rounded]: [f64; 2],
    ) {
        if history.len() > self.history.len() {
            std::mem::swap(&mut self.history, history);
        }
        self.strategy = self.strategy.max(strategy);
        self.residual = self.residual.max(residual);
        self.rounded_residual = self.rounded_residual.max(rounded);
    }
}
