//! Solutions of optimal control problems.

use crate::array::{array, array1, row_major, vector};
use crate::control::options::{Effort, Guess};
use crate::control::problem::ControlProblem;
use crate::control::report::ControlReport;
use crate::error::{Failure, Outcome};
use crate::system::{Stepper, entries, state_of, state_size};
use dualbody_control::{
    Annealed, ControlError, Dynamics, ForceAtDistance, Iteration, Machine, Report, Solver,
    solve_annealed_with,
};
use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A plan: ``states`` (N + 1, nx), ``inputs`` (N, nu), and the ``gains`` K (N, nu, nd) of its policy ``u + K δ``, with the displacement
/// δ from the state that was planned.
#[pyclass(frozen, module = "dualbody")]
pub struct ControlSolution {
    stepper: Arc<Stepper>,
    solver: Mutex<Solver<Machine>>,
    report: ControlReport,
    annealed: Option<Annealed>,
    history: Vec<Iteration>,
    /// The states, (N + 1, nx).
    #[pyo3(get)]
    states: Py<PyArrayDyn<f64>>,
    /// The inputs, (N, nu).
    #[pyo3(get)]
    inputs: Py<PyArrayDyn<f64>>,
    /// The gains, (N, nu, nd): those of inputs at a limit are zero.
    #[pyo3(get)]
    gains: Py<PyArrayDyn<f64>>,
}

/// The entries of the states of a solver, one after the other.
pub fn state_entries(solver: &Solver<Machine>) -> Vec<f64> {
    solver.states().iter().flat_map(entries).collect()
}

/// The gains of a solver, (N, nu, nd).
fn gains<'py>(py: Python<'py>, solver: &Solver<Machine>) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
    let horizon = solver.problem().horizon();
    let (n, m) = (
        solver.problem().dynamics().num_displacements(),
        solver.problem().dynamics().num_inputs(),
    );
    let gains = (0..horizon).filter_map(|stage| solver.gain(stage));
    array(py, gains.flat_map(row_major).collect(), &[horizon, m, n])
}

/// Solves a problem by differential dynamic programming with multiple shooting, and returns the :class:`ControlSolution`.
///
/// It starts from ``states`` (N + 1, nx) and ``inputs`` (N, nu): states to which the inputs do not lead are a guess, and without
/// them they are where the inputs lead, which are zero if not given. ``tolerance``, of ``1 + cost``, is what a step has to promise
/// for another iteration; ``gap_tolerance`` and ``limit_tolerance`` are the largest gap and excess over a limit at the end.
/// After ``time_limit`` in s no iteration is begun. ``threads`` linearise stages, with the same bits for any number.
///
/// With ``distances``, lengths in m that fall, it plans with a force that acts over these distances before bodies touch, one
/// after the other, and then on the system itself: so that it finds contacts that no derivative shows. ``progress(iteration, cost,
/// violation)`` is called after each iteration.
#[pyfunction]
#[pyo3(signature = (problem, *, states=None, inputs=None, distances=vec![], iterations=100, tolerance=1e-9, gap_tolerance=1e-9, limit_tolerance=1e-6, time_limit=None, threads=1, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn solve_ocp<'py>(
    py: Python<'py>,
    problem: &Bound<'py, ControlProblem>,
    states: Option<&Bound<'py, PyAny>>,
    inputs: Option<&Bound<'py, PyAny>>,
    distances: Vec<f64>,
    iterations: usize,
    tolerance: f64,
    gap_tolerance: f64,
    limit_tolerance: f64,
    time_limit: Option<f64>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> Outcome<ControlSolution> {
    let stepper = problem.get().stepper().clone();
    let problem = problem.get().problem();
    let effort = Effort {
        iterations,
        time_limit,
        threads,
    };
    let mut options = effort.options()?;
    options.tolerance = tolerance;
    options.gap_tolerance = gap_tolerance;
    options.violation_tolerance = limit_tolerance;
    let extent = (problem.horizon(), problem.initial().time);
    let guess = Guess::new(&stepper, extent, states, inputs)?;
    let (mut number, mut interrupted) = (0, None);
    let mut note = |iteration: &Iteration| {
        number += 1;
        let told = Python::attach(|py| {
            py.check_signals()?;
            let arguments = (number, iteration.cost, iteration.violation);
            match &progress {
                Some(progress) => progress.call1(py, arguments).map(|_| ()),
                None => Ok(()),
            }
        });
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                interrupted = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    let begin = Instant::now();
    let solved = py.detach(|| {
        let is_planned = guess.has_states();
        let mut solver = guess.solver(problem, options)?;
        let (report, annealed) = match distances.is_empty() {
            true => (solver.solve_with(&mut note)?, None),
            false => {
                let annealed = anneal(&mut solver, &stepper, (&distances, is_planned), &mut note)?;
                (truth(&annealed), Some(annealed))
            }
        };
        Ok::<_, Failure>((solver, report, annealed))
    });
    if let Some(error) = interrupted {
        return Err(error.into());
    }
    let (solver, report, annealed) = solved?;
    let (horizon, nx) = (extent.0, state_size(&stepper));
    let (states, inputs) = (state_entries(&solver), solver.inputs().concat());
    Ok(ControlSolution {
        report: ControlReport::new(&report, begin.elapsed()),
        annealed,
        history: solver.history().to_vec(),
        states: array(py, states, &[horizon + 1, nx])?.unbind(),
        inputs: array(py, inputs, &[horizon, stepper.num_inputs()])?.unbind(),
        gains: gains(py, &solver)?.unbind(),
        stepper,
        solver: Mutex::new(solver),
    })
}

/// Plans with forces at distances, and then on the machine itself.
fn anneal(
    solver: &mut Solver<Machine>,
    stepper: &Stepper,
    (distances, is_planned): (&[f64], bool),
    note: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Annealed, ControlError> {
    let variation = |length: &f64| {
        let force = ForceAtDistance::of_system("distance", stepper.system(), *length)?;
        Machine::new(&stepper.clone().with_forces([force])?)
    };
    let variations = distances
        .iter()
        .map(variation)
        .collect::<Result<Vec<_>, _>>()?;
    if !is_planned {
        // States are those of the first variation.
        let inputs = solver.inputs().to_vec();
        solver.set_dynamics(variations[0].clone())?;
        solver.set_inputs(&inputs)?;
    }
    solve_annealed_with(solver, &variations, &Machine::new(stepper)?, note)
}

/// The report of the machine itself.
fn truth(annealed: &Annealed) -> Report {
    annealed.reports[annealed.reports.len() - 1]
}

#[pymethods]
impl ControlSolution {
    /// The input (nu,) of the policy at a stage for a state ``x`` (nx,), within the limits of inputs.
    fn policy<'py>(
        &self,
        py: Python<'py>,
        stage: usize,
        x: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let x = vector(x, "x", state_size(&self.stepper))?;
        let mut input = vec![0.0; self.stepper.num_inputs()];
        py.detach(|| {
            let mut solver = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
            solver.policy(stage, &state_of(&self.stepper, &x, 0.0), &mut input)
        })?;
        Ok(array1(py, input))
    }

    /// How the solution went, on the system itself.
    #[getter]
    fn report(&self) -> ControlReport {
        self.report.clone()
    }

    /// The cost of the plan, of the system itself; one that ended early may have gaps, up to :attr:`ControlReport.gap`.
    #[getter]
    fn cost(&self) -> f64 {
        self.report.cost
    }

    /// Whether it ended because another step promises no more.
    #[getter]
    fn converged(&self) -> bool {
        self.report.ending == "converged"
    }

    /// Why it ended, as :attr:`ControlReport.ending`.
    #[getter]
    fn ending(&self) -> &'static str {
        self.report.ending
    }

    /// With distances, the cost of the plan with the last force at a distance.
    #[getter]
    fn cost_planned(&self) -> Option<f64> {
        self.annealed.as_ref().map(|annealed| annealed.cost_planned)
    }

    /// With distances, the cost of the policy of that plan on the system itself, before it was improved there.
    #[getter]
    fn cost_replayed(&self) -> Option<f64> {
        self.annealed
            .as_ref()
            .map(|annealed| annealed.cost_replayed)
    }

    /// Iterations, of all distances.
    #[getter]
    fn iterations(&self) -> usize {
        (self.annealed.as_ref()).map_or(self.report.iterations, Annealed::iterations)
    }

    /// The iterations on the system itself, arrays (iterations,): ``cost``, ``merit``, ``violation`` after each, ``gap`` before it, the
    /// length of its ``step``, its ``regularization``, ``penalty`` and ``rollouts``.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        type Column = (&'static str, fn(&Iteration) -> f64);
        let columns: [Column; 8] = [
            ("cost", |i| i.cost),
            ("merit", |i| i.merit),
            ("violation", |i| i.violation),
            ("gap", |i| i.gap),
            ("step", |i| i.step),
            ("regularization", |i| i.regularization),
            ("penalty", |i| i.penalty),
            ("rollouts", |i| i.rollouts as f64),
        ];
        let out = PyDict::new(py);
        for (name, column) in columns {
            out.set_item(name, array1(py, self.history.iter().map(column).collect()))?;
        }
        Ok(out)
    }

    fn __repr__(&self) -> String {
        format!(
            "<dualbody.ControlSolution: {}, {} iterations, cost {}>",
            self.report.ending,
            self.iterations(),
            self.report.cost
        )
    }
}
