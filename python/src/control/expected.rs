//! Inputs that are good on average over systems that an estimate leaves possible.

use crate::array::array;
use crate::control::options::{Effort, Guess, Progress};
use crate::control::planned::planned_over;
use crate::control::problem::ControlProblem;
use crate::control::report::ControlReport;
use crate::error::{Failure, Outcome};
use crate::system::{entries, state_size};
use dualbody_control::{Iteration, Solver};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use std::time::Instant;

/// Inputs (N, nu) whose mean cost over 2p systems is least, the ``states`` (2p, N + 1, nx) to which they lead, and the ``report``,
/// whose cost is the mean.
#[pyclass(frozen, get_all, module = "dualbody")]
pub struct ExpectedSolution {
    /// The inputs, (N, nu).
    inputs: Py<PyArrayDyn<f64>>,
    /// The states of each system, (2p, N + 1, nx).
    states: Py<PyArrayDyn<f64>>,
    /// How the solution went.
    report: ControlReport,
}

/// Solves a problem for the inputs that cost least on average over systems whose p ``parameters``, by name, have the ``covariance``
/// (p, p) of an estimate about their values: 2p of them, with this mean and covariance. Limits hold on all of them.
///
/// A plan with gains costs less than inputs alone: :func:`solve_ocp` makes one from these ``inputs``, and
/// :meth:`ControlSolution.costs_over` says what it costs. What is free of the start is the same for all. Other arguments are
/// those of :func:`solve_ocp`.
#[pyfunction]
#[pyo3(signature = (problem, parameters, covariance, *, inputs=None, iterations=100, tolerance=1e-9, limit_tolerance=1e-6, time_limit=None, threads=1, exact_hessians=false, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn solve_expected<'py>(
    py: Python<'py>,
    problem: &Bound<'py, ControlProblem>,
    parameters: Vec<String>,
    covariance: &Bound<'py, PyAny>,
    inputs: Option<&Bound<'py, PyAny>>,
    iterations: usize,
    tolerance: f64,
    limit_tolerance: f64,
    time_limit: Option<f64>,
    threads: usize,
    exact_hessians: bool,
    progress: Option<Py<PyAny>>,
) -> Outcome<ExpectedSolution> {
    let described = problem.get();
    let (stepper, problem) = (described.stepper().clone(), described.problem());
    let effort = Effort {
        iterations,
        time_limit,
        threads,
        gap_closing: "rollout",
        exact_hessians,
    };
    let mut options = effort.options()?;
    options.tolerance = tolerance;
    options.violation_tolerance = limit_tolerance;
    let horizon = problem.horizon();
    let guess = Guess::new(&problem, None, inputs)?;
    let machines = planned_over(&stepper, &described.parameters(), &parameters, covariance)?;
    let members = machines.len();
    let mut progress = Progress::new(progress);
    let begin = Instant::now();
    let solved = py.detach(|| {
        let mut solver = Solver::new(problem.expected_over(machines)?, options)?;
        if let Some(inputs) = guess.inputs() {
            solver.set_inputs(inputs)?;
        }
        let report = solver.solve_with(&mut |iteration: &Iteration| progress.tell(iteration))?;
        Ok::<_, Failure>((solver, report))
    });
    progress.finish()?;
    let (solver, report) = solved?;
    let nx = state_size(&stepper);
    let of_members = (0..members).flat_map(|member| {
        let states = solver.states().iter();
        states.flat_map(move |states| entries(&states[member].machine))
    });
    let (states, inputs) = (of_members.collect(), solver.inputs().concat());
    Ok(ExpectedSolution {
        report: ControlReport::new(&report, begin.elapsed()),
        states: array(py, states, &[members, horizon + 1, nx])?.unbind(),
        inputs: array(py, inputs, &[horizon, stepper.num_inputs()])?.unbind(),
    })
}

#[pymethods]
impl ExpectedSolution {
    /// The mean cost.
    #[getter]
    fn cost(&self) -> f64 {
        self.report.cost
    }

    /// Whether it ended because the expected reduction of another step is below the tolerance.
    #[getter]
    fn converged(&self) -> bool {
        self.report.ending == "converged"
    }

    fn __repr__(&self) -> String {
        let ControlReport { ending, cost, .. } = &self.report;
        format!("<dualbody.ExpectedSolution: {ending}, mean cost {cost}>")
    }
}
