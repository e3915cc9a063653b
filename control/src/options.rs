//! Options of a solver.

use dualbody::InvalidInput;
use std::time::Duration;

/// How a step closes the gaps of a trajectory. Where there are none both are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GapClosing {
    /// By a rollout of the policy, in which gaps shrink: where the policy is good for what states it leads to.
    #[default]
    Rollout,
    /// Along the straight line to the solution of the linear-quadratic model, as in sequential quadratic programming, and by
    /// a rollout of the same length where that does not lower the merit. States stay near the guess, so that this is for good
    /// guesses of states and machines on which errors grow along a rollout, and for solutions that go on until gaps are closed:
    /// after a few iterations they may be as large as what they are gaps of. The regularisation μ then holds states back, too,
    /// in units of cost per squared displacement.
    Line,
}

/// Which Hessians the model of a solver has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Hessian {
    /// Without second derivatives of residuals and steps: never negative, and cheap.
    #[default]
    GaussNewton,
    /// With them: Newton's method, which converges quadratically where residuals are not small. A stage takes about
    /// `(n + m)²/32` steps in second-order dual numbers more. Where such a Hessian is not positive definite, as far from a solution,
    /// or does not lead down, the iteration falls back on that of Gauss and Newton.
    Exact,
}

/// How a [`Solver`](crate::Solver) works.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SolverOptions {
    /// Largest number of iterations (default 100).
    pub max_iterations: usize,
    /// Time after which no iteration is begun; the best so far is kept (default none).
    pub time_limit: Option<Duration>,
    /// Of `1 + |J|`: the expected reduction that another iteration needs (default 10⁻⁹).
    pub tolerance: f64,
    /// Largest entry of a gap at the end, in the units of displacements (default 10⁻⁹).
    pub gap_tolerance: f64,
    /// Largest excess over a limit at the end, in the units of the constraint (default 10⁻⁶).
    pub violation_tolerance: f64,
    /// μ at the start (default 0).
    pub regularization: f64,
    /// ρ at the start (default 10).
    pub penalty: f64,
    /// Factor by which ρ grows where limits are not approached fast enough (default 10).
    pub penalty_growth: f64,
    /// ρ beyond which limits count as contradicting, at least that at the start (default 10¹⁰).
    pub max_penalty: f64,
    /// Hessians of the model (default those of Gauss and Newton).
    pub hessian: Hessian,
    /// How gaps are closed (default by rollouts).
    pub gap_closing: GapClosing,
    /// By what factor the sum of all gaps may grow in a solution, where a line makes new ones (default ∞). A receding horizon
    /// that takes few iterations is safe with 1: gaps that a merit of small weight overlooks would grow from plan to plan.
    pub gap_growth: f64,
    /// Number of threads that linearise stages, with the same bits (default 1). More than one allocate in every iteration.
    pub threads: usize,
}

impl Default for SolverOptions {
    fn default() -> Self {
        SolverOptions {
            max_iterations: 100,
            time_limit: None,
            tolerance: 1e-9,
            gap_tolerance: 1e-9,
            violation_tolerance: 1e-6,
            regularization: 0.0,
            penalty: 10.0,
            penalty_growth: 10.0,
            max_penalty: 1e10,
            hessian: Hessian::GaussNewton,
            gap_closing: GapClosing::Rollout,
            gap_growth: f64::INFINITY,
            threads: 1,
        }
    }
}

impl SolverOptions {
    pub(crate) fn check(&self) -> Result<(), InvalidInput> {
        let positive = [
            ("tolerance", self.tolerance),
            ("gap tolerance", self.gap_tolerance),
            ("violation tolerance", self.violation_tolerance),
            ("penalty", self.penalty),
        ];
        for (quantity, value) in positive {
            InvalidInput::check_range(quantity, &[value], "a positive number", |x| {
                x > 0.0 && x.is_finite()
            })?;
        }
        let largest = [self.max_penalty];
        InvalidInput::check_range("largest penalty", &largest, "at least the penalty", |x| {
            x >= self.penalty && x.is_finite()
        })?;
        InvalidInput::check_range(
            "regularization",
            &[self.regularization],
            "from 0 to 1e10",
            |x| (0.0..=1e10).contains(&x),
        )?;
        InvalidInput::check_range(
            "growth of the penalty",
            &[self.penalty_growth],
            "more than 1",
            |x| x > 1.0 && x.is_finite(),
        )?;
        let growth = [self.gap_growth];
        InvalidInput::check_range("growth of gaps", &growth, "at least 1", |x| x >= 1.0)?;
        let threads = [self.threads as f64];
        InvalidInput::check_range("threads", &threads, "at least 1", |n| n >= 1.0)
    }
}
