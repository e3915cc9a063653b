//! Planning by annealing: plans on a smoothed machine whose smoothing is reduced step by step.

use crate::ControlError;
use crate::machine::Machine;
use crate::report::{Iteration, Report};
use crate::solver::Solver;
use dualbody::system::TimeSteppingRigidBodySystem;
use std::ops::ControlFlow;

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
    /// The cost when the policy of that plan is run on the machine itself.
    pub cost_replayed: f64,
    /// The cost after the plan has been improved on the machine itself; not more than that of the replay.
    pub cost: f64,
}

impl Annealed {
    /// By how much the plan was too good.
    pub fn gap(&self) -> f64 {
        self.cost_replayed - self.cost_planned
    }

    /// Iterations of all solutions.
    pub fn iterations(&self) -> usize {
        self.history.len()
    }
}

/// Solves on variations of a machine, one after the other, each from the plan of the last; then runs the policy on the
/// machine itself, and goes on from there.
///
/// `variations` are machines of the same states and inputs: with a [`ForceAtDistance`](crate::ForceAtDistance) that gets
/// shorter, a stiction tolerance that gets smaller, a stiffness that grows. The last solution is that of `truth`.
///
/// # Errors
/// As [`Solver::solve`] and [`Solver::replay`].
pub fn solve_annealed(
    solver: &mut Solver<Machine>,
    variations: &[TimeSteppingRigidBodySystem<f64>],
    truth: &TimeSteppingRigidBodySystem<f64>,
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
pub fn solve_annealed_with(
    solver: &mut Solver<Machine>,
    variations: &[TimeSteppingRigidBodySystem<f64>],
    truth: &TimeSteppingRigidBodySystem<f64>,
    progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Annealed, ControlError> {
    let mut reports = Vec::with_capacity(variations.len() + 1);
    let mut history = Vec::new();
    for system in variations {
        solver.set_dynamics(Machine::new(system)?)?;
        reports.push(solver.solve_with(progress)?);
        history.extend_from_slice(solver.history());
    }
    let planned = reports.last().map(|report| report.cost);
    solver.set_dynamics(Machine::new(truth)?)?;
    let cost_replayed = solver.replay()?;
    let report = solver.solve_with(progress)?;
    reports.push(report);
    history.extend_from_slice(solver.history());
    Ok(Annealed {
        reports,
        history,
        cost_planned: planned.unwrap_or(cost_replayed),
        cost_replayed,
        cost: report.cost,
    })
}
