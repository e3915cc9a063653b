//! The report of a solve.

use std::fmt;

/// Why a solver ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// The expected reduction of another step is below the tolerance; gaps and limits are within theirs.
    Converged,
    /// After the largest number of iterations.
    IterationLimit,
    /// After the time that was given.
    TimeLimit,
    /// No step lowers the merit, with the strongest regularisation: at a kink, or at the round-off of the steps.
    Stalled,
    /// The penalty is at its largest, and limits are not satisfied: they may contradict the dynamics.
    Infeasible,
    /// The progress function said so.
    Cancelled,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Converged => "converged",
            Ending::IterationLimit => "reached the largest number of iterations",
            Ending::TimeLimit => "reached the time limit",
            Ending::Stalled => "no step lowers the merit",
            Ending::Infeasible => "the limits are not satisfied at the largest penalty",
            Ending::Cancelled => "cancelled",
        })
    }
}

/// The result of a solver; the trajectory is the best that it found.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Why it ended.
    pub ending: Ending,
    /// Number of iterations, each with the derivatives of all stages.
    pub iterations: usize,
    /// The cost.
    pub cost: f64,
    /// The largest excess over a limit of a constraint, in its units.
    pub violation: f64,
    /// The largest entry of a gap between the end of a step and the state after it, in the units of displacements.
    pub gap: f64,
}

/// One iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Iteration {
    /// The cost after it; a step from which derivatives cannot be found is taken back, and the next iteration begins where it did.
    pub cost: f64,
    /// Cost, penalties and weighted gaps before it.
    pub merit_before: f64,
    /// The same after it, with the same weights: never more, but for round-off.
    pub merit: f64,
    /// The largest excess over a limit after it.
    pub violation: f64,
    /// The largest entry of a gap before it.
    pub gap: f64,
    /// What the model expects the whole step to take off the merit.
    pub expected_reduction: f64,
    /// The length of the step, from 0 to 1; 0 where multipliers were updated in place of a step.
    pub step: f64,
    /// The regularisation μ.
    pub regularization: f64,
    /// The penalty ρ.
    pub penalty: f64,
    /// Number of rollouts of its line search.
    pub rollouts: usize,
}
