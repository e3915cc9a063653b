//! Solutions of optimal control problems.

use crate::array::{array, array1, row_major, vector};
use crate::control::options::{Effort, Guess, Progress};
use crate::control::planned::{PlannedMachine, averaged, planned, planned_over};
use crate::control::problem::ControlProblem;
use crate::control::report::ControlReport;
use crate::error::{Failure, Outcome};
use crate::rollout::frame;
use crate::system::{Stepper, entries, state_of, state_size};
use dualbody::scene::Scene;
use dualbody_control::{
    Annealed, Dynamics, ForceAtDistance, Iteration, Report, Solver, solve_annealed_with,
};
use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A plan: ``states`` (N + 1, nx), ``inputs`` (N, nu), and the ``gains`` K (N, nu, nd) of its policy ``u + K δ``, with the displacement
/// δ from the state that was planned. Where parameters were found with it, gains have a column for each after those of the state.
#[pyclass(frozen, module = "dualbody")]
pub struct ControlSolution {
    stepper: Arc<Stepper>,
    solver: Mutex<Solver<PlannedMachine>>,
    names: Vec<String>,
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
pub fn state_entries(solver: &Solver<PlannedMachine>) -> Vec<f64> {
    let states = solver.states().iter();
    states.flat_map(|state| entries(&state.machine)).collect()
}

/// The gains of a solver, (N, nu, nd).
fn gains<'py>(
    py: Python<'py>,
    solver: &Solver<PlannedMachine>,
) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
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
/// them they are where the inputs lead, which are zero if not given. ``tolerance``, of ``1 + cost``, is the expected reduction below
/// which no iteration is begun; ``gap_tolerance`` and ``limit_tolerance`` are the largest gap and excess over a limit at the end.
/// After ``time_limit`` in s no iteration is begun. ``threads`` linearise stages, with the same bits for any number.
///
/// ``gap_closing`` is ``"rollout"``, or ``"line"`` for machines that fall over in a rollout, and good guesses of states. With
/// ``exact_hessians`` the model has second derivatives of steps and residuals: for plans that creep near their end.
///
/// With ``distances``, lengths in m that fall, it plans with a force that acts over these distances before bodies touch, one
/// after the other, and then on the system itself: so that it finds contacts that no derivative shows. With ``half_widths``,
/// arrays (nd + nu,) that fall, it plans with slopes of steps that are averaged over half the width along each displacement and input, from
/// so many ``pairs`` of steps, and with their derivatives at last; if ``where_short``, only in stages in which derivatives do not hold
/// over the widths. Both may be given. ``progress(iteration, cost, violation)`` is called after each iteration.
#[pyfunction]
#[pyo3(signature = (problem, *, states=None, inputs=None, distances=vec![], half_widths=vec![], pairs=8, where_short=false, iterations=100, tolerance=1e-9, gap_tolerance=1e-9, limit_tolerance=1e-6, time_limit=None, threads=1, gap_closing="rollout", exact_hessians=false, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn solve_ocp<'py>(
    py: Python<'py>,
    problem: &Bound<'py, ControlProblem>,
    states: Option<&Bound<'py, PyAny>>,
    inputs: Option<&Bound<'py, PyAny>>,
    distances: Vec<f64>,
    half_widths: Vec<Bound<'py, PyAny>>,
    pairs: usize,
    where_short: bool,
    iterations: usize,
    tolerance: f64,
    gap_tolerance: f64,
    limit_tolerance: f64,
    time_limit: Option<f64>,
    threads: usize,
    gap_closing: &str,
    exact_hessians: bool,
    progress: Option<Py<PyAny>>,
) -> Outcome<ControlSolution> {
    let described = problem.get();
    let (stepper, problem) = (described.stepper().clone(), described.problem());
    let effort = Effort {
        iterations,
        time_limit,
        threads,
        gap_closing,
        exact_hessians,
    };
    let mut options = effort.options()?;
    options.tolerance = tolerance;
    options.gap_tolerance = gap_tolerance;
    options.violation_tolerance = limit_tolerance;
    let horizon = problem.horizon();
    let guess = Guess::new(&problem, states, inputs)?;
    let names = described.parameters();
    let size = problem.dynamics().num_displacements() - names.len() + stepper.num_inputs();
    let widths = half_widths.iter();
    let widths = widths.map(|width| vector(width, "half_widths", size));
    let averaging = Averaging {
        half_widths: widths.collect::<Outcome<_>>()?,
        pairs,
        where_short,
    };
    let mut progress = Progress::new(progress);
    let begin = Instant::now();
    let solved = py.detach(|| {
        let is_planned = guess.has_states();
        let mut solver = guess.solver(problem, options)?;
        let variations = variations(&stepper, &names, &distances, &averaging)?;
        let mut note = |iteration: &Iteration| progress.tell(iteration);
        if variations.is_empty() {
            let report = solver.solve_with(&mut note)?;
            return Ok((solver, report, None));
        }
        if !is_planned {
            // States are those of the first variation.
            let inputs = solver.inputs().to_vec();
            solver.set_dynamics(variations[0].clone())?;
            solver.set_inputs(&inputs)?;
        }
        let truth = planned(&stepper, &names)?;
        let annealed = solve_annealed_with(&mut solver, &variations, &truth, &mut note)?;
        Ok::<_, Failure>((solver, of_truth(&annealed), Some(annealed)))
    });
    progress.finish()?;
    let (solver, report, annealed) = solved?;
    let nx = state_size(&stepper);
    let (states, inputs) = (state_entries(&solver), solver.inputs().concat());
    Ok(ControlSolution {
        report: ControlReport::new(&report, begin.elapsed()),
        annealed,
        history: solver.history().to_vec(),
        states: array(py, states, &[horizon + 1, nx])?.unbind(),
        inputs: array(py, inputs, &[horizon, stepper.num_inputs()])?.unbind(),
        gains: gains(py, &solver)?.unbind(),
        names: names.into_iter().map(str::to_owned).collect(),
        stepper,
        solver: Mutex::new(solver),
    })
}

/// How slopes are averaged.
struct Averaging {
    half_widths: Vec<Vec<f64>>,
    pairs: usize,
    where_short: bool,
}

/// The machine with forces at distances, and then with averaged slopes.
fn variations(
    stepper: &Stepper,
    names: &[&str],
    distances: &[f64],
    averaging: &Averaging,
) -> Outcome<Vec<PlannedMachine>> {
    let near = distances.iter().map(|length| {
        let force = ForceAtDistance::of_system("distance", stepper.system(), *length)?;
        planned(&stepper.clone().with_forces([force])?, names)
    });
    let wide = averaging.half_widths.iter().map(|half_widths| {
        let wide = averaged(stepper, names, half_widths, averaging.pairs)?;
        Ok(match averaging.where_short {
            true => wide.where_short(),
            false => wide,
        })
    });
    near.chain(wide).collect()
}

/// The report of the machine itself.
fn of_truth(annealed: &Annealed) -> Report {
    annealed.reports[annealed.reports.len() - 1]
}

impl ControlSolution {
    fn scene(&self, py: Python<'_>) -> Outcome<Scene> {
        let history = match &self.annealed {
            Some(annealed) => &annealed.history,
            None => &self.history,
        };
        Ok(py.detach(|| {
            let solver = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
            solver.scene(history)
        })?)
    }
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
            // The parameters are those that were found.
            let mut state = solver.states()[0].clone();
            state.machine = state_of(&self.stepper, &x, 0.0);
            solver.policy(stage, &state, &mut input)
        })?;
        Ok(array1(py, input))
    }

    /// The parameters that were found, by name, in their units.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        let solver = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, value) in self.names.iter().zip(&solver.states()[0].parameters) {
            found.set_item(name, value)?;
        }
        Ok(found)
    }

    /// What the plan with its gains costs on each of 2p systems whose p ``parameters``, by name, have the ``covariance`` (p, p) of
    /// an estimate about their values.
    fn costs_over(
        &self,
        py: Python<'_>,
        parameters: Vec<String>,
        covariance: &Bound<'_, PyAny>,
    ) -> Outcome<Py<PyArray1<f64>>> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let machines = planned_over(&self.stepper, &names, &parameters, covariance)?;
        let costs = py.detach(|| {
            let mut solver = self.solver.lock().unwrap_or_else(PoisonError::into_inner);
            solver.costs_on(&machines)
        })?;
        Ok(array1(py, costs).unbind())
    }

    /// A page that plays the plan in a browser, with contact forces, postures on the way, inputs with their limits, when what touches
    /// what, and the cost by iterations.
    fn to_html(&self, py: Python<'_>) -> Outcome<String> {
        Ok(self.scene(py)?.html())
    }

    /// Writes the page of :meth:`to_html`, whole or not at all.
    fn save_page(&self, py: Python<'_>, path: PathBuf) -> Outcome<()> {
        Ok(self.scene(py)?.save(path)?)
    }

    fn _repr_html_(&self, py: Python<'_>) -> Outcome<String> {
        Ok(frame(&self.to_html(py)?))
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

    /// Whether it ended because the expected reduction of another step is below the tolerance.
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
