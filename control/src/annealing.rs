//! Planning by annealing: plans on a smoothed machine whose smoothing is reduced step by step.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::report::{Iteration, Report};
use crate::solver::Solver;
use std::ops::ControlFlow;

/// How many times the cost of a plan a replay has to cost to count as gone astray.
const ASTRAY: f64 = 10.0;

/// What [`solve_annealed`] found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Annealed {
    /// Of each variation, in their order, then of the machine itself.
    pub reports: Vec<Report>,
    /// The iterations of all solutions, one after the other.
    pub history: Vec<Iteration>,
    /// The cost of the plan on the last variation.
    pub cost_planned: f64,
    /// The cost when the policy of that plan is run on the machine itself; infinite where a step of that fails.
    pub cost_replayed: f64,
    /// The cost after the plan has been improved on the machine itself; it is that of a motion where [no gaps](Self::is_motion)
    /// are left.
    pub cost: f64,
}

impl Annealed {
    /// By how much the plan was too good.
    pub fn gap(&self) -> f64 {
        self.cost_replayed - self.cost_planned
    }

    /// Whether the last solution leaves no gap above 1e-6: whether the machine moves as its states say.
    pub fn is_motion(&self) -> bool {
        self.reports.last().is_some_and(|report| report.gap <= 1e-6)
    }

    /// Iterations of all solutions.
    pub fn iterations(&self) -> usize {
        self.history.len()
    }
}

/// Solves on variations of a machine, one after the other, each from the plan of the last; then runs the policy on the
/// machine itself, and goes on from there. A run that goes astray, at ten times the cost of the plan, or whose steps fail, is no place
/// to go on from: then it goes on from the plan, with gaps where steps of the machine lead elsewhere.
///
/// `variations` are dynamics of the same states and inputs: machines with a [`ForceAtDistance`](crate::ForceAtDistance) that gets
/// shorter, a stiction tolerance that gets smaller, a stiffness that grows, or with [slopes averaged](crate::AveragedSlopes) over
/// less and less. The last solution is that of `truth`.
///
/// # Errors
/// As [`Solver::solve`] and [`Solver::set_dynamics`]; without variations as [`Solver::replay`], too.
pub fn solve_annealed<D: Dynamics>(
    solver: &mut Solver<D>,
    variations: &[D],
    truth: &D,
) -> Result<Annealed, ControlError> {
    solve_annealed_with(
        solver,
        variations,
        truth,
        &mut |_| ControlFlow::Continue(()),
    )
}

/// As [`solve_annealed`]; `progress` sees every iteration, and may end the solution to which it belongs.
///
/// # Errors
/// As [`solve_annealed`].
pub fn solve_annealed_with<D: Dynamics>(
    solver: &mut Solver<D>,
    variations: &[D],
    truth: &D,
    progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Annealed, ControlError> {
    let mut reports = Vec::with_capacity(variations.len() + 1);
    let mut history = Vec::new();
    for variation in variations {
        solver.set_dynamics(variation.clone())?;
        reports.push(solver.solve_with(progress)?);
        history.extend_from_slice(solver.history());
    }
    let planned = reports.last().map(|report| report.cost);
    let plan = (solver.states().to_vec(), solver.inputs().to_vec());
    solver.set_dynamics(truth.clone())?;
    // A step of a replay that goes astray may fail.
    let cost_replayed = match (solver.replay(), planned) {
        (Err(error), None) => return Err(error),
        (cost, _) => cost.unwrap_or(f64::INFINITY),
    };
    if planned.is_some_and(|planned| cost_replayed > ASTRAY * planned) {
        solver.set_trajectory(&plan.0, &plan.1)?;
    }
    let report = solver.solve_with(progress)?;
    history.extend_from_slice(solver.history());
    reports.push(report);
    Ok(Annealed {
        reports,
        history,
        cost_planned: planned.unwrap_or(cost_replayed),
        cost_replayed,
        cost: report.cost,
    })
}
