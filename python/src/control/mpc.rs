//! Model predictive control.

use crate::array::{array, array1, vector};
use crate::control::options::{Effort, Guess};
use crate::control::planned::PlannedMachine;
use crate::control::problem::ControlProblem;
use crate::control::report::ControlReport;
use crate::control::solution::state_entries;
use crate::error::{Failure, Outcome};
use crate::system::{Stepper, state_of, state_size};
use dualbody::system::State;
use dualbody_control::{DesignState, Dynamics};
use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A controller that plans from every state that it is given, from its last plan on, shifted by the time that has passed.
///
/// A plan takes at most so many ``iterations``, and none is begun after ``time_limit`` in s: the best by then counts. It starts from
/// ``states`` (N + 1, nx) and ``inputs`` (N, nu), such as those of a :class:`ControlSolution`, as :func:`solve_ocp` does.
///
/// With ``rollout`` a plan begins with a rollout of the policy of the last one, without gaps, which few iterations with short steps
/// would leave and the next plan would add to: for machines that do not fall over in a rollout. For others there is ``gap_closing``
/// ``"line"``, with which the sum of gaps may grow by the factor ``gap_growth`` in a plan.
#[pyclass(frozen, module = "dualbody")]
pub struct Mpc {
    stepper: Arc<Stepper>,
    horizon: usize,
    controller: Mutex<Controller>,
}

struct Controller {
    mpc: dualbody_control::Mpc<PlannedMachine>,
    /// When the first plan begins, s.
    origin: f64,
    /// When the next is due, s.
    due: f64,
    report: Option<ControlReport>,
}

impl Controller {
    fn state(&self, machine: State<f64>) -> DesignState {
        let problem = self.mpc.solver().problem();
        problem.dynamics().dynamics().state(machine)
    }

    fn plan(&mut self, time: f64, state: &DesignState) -> Outcome<Vec<f64>> {
        let begin = Instant::now();
        let report = self.mpc.plan(time - self.origin, state)?;
        self.report = Some(ControlReport::new(&report, begin.elapsed()));
        self.due = time + self.mpc.solver().problem().dynamics().time_step();
        Ok(self.mpc.act(time - self.origin, state)?.to_vec())
    }
}

impl Mpc {
    fn controller(&self) -> MutexGuard<'_, Controller> {
        self.controller
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A time in s that is given, or another.
fn time_or(given: Option<f64>, otherwise: f64) -> Outcome<f64> {
    let time = given.unwrap_or(otherwise);
    match time.is_finite() {
        true => Ok(time),
        false => Err(Failure::argument(format!("time: found {time}"))),
    }
}

#[pymethods]
impl Mpc {
    #[new]
    #[pyo3(signature = (problem, *, states=None, inputs=None, iterations=10, time_limit=None, threads=1, rollout=false, gap_closing="rollout", gap_growth=f64::INFINITY))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        problem: &Bound<'_, ControlProblem>,
        states: Option<&Bound<'_, PyAny>>,
        inputs: Option<&Bound<'_, PyAny>>,
        iterations: usize,
        time_limit: Option<f64>,
        threads: usize,
        rollout: bool,
        gap_closing: &str,
        gap_growth: f64,
    ) -> Outcome<Self> {
        if let Some(name) = problem.get().parameters().first() {
            let text = format!("problem: a controller does not find parameters, such as {name:?}");
            return Err(Failure::argument(text));
        }
        let stepper = problem.get().stepper().clone();
        let problem = problem.get().problem();
        let effort = Effort {
            iterations,
            time_limit,
            threads,
            gap_closing,
            exact_hessians: false,
        };
        let mut options = effort.options()?;
        options.gap_growth = gap_growth;
        let (horizon, origin) = (problem.horizon(), problem.initial().machine.time);
        let guess = Guess::new(&problem, states, inputs)?;
        let solver = py.detach(|| guess.solver(problem, options))?;
        let mut mpc = dualbody_control::Mpc::new(solver);
        mpc.set_rollout(rollout);
        Ok(Mpc {
            stepper,
            horizon,
            controller: Mutex::new(Controller {
                mpc,
                origin,
                due: origin,
                report: None,
            }),
        })
    }

    /// Plans from the state ``x`` (nx,) at a time in s, and returns the input (nu,) for it.
    ///
    /// The time is a step of the plan after the last one if not given; it is not to be before that.
    #[pyo3(signature = (x, *, time=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        time: Option<f64>,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let x = vector(x, "x", state_size(&self.stepper))?;
        let input = py.detach(|| {
            let mut controller = self.controller();
            let time = time_or(time, controller.due)?;
            let state = controller.state(state_of(&self.stepper, &x, time));
            controller.plan(time, &state)
        })?;
        Ok(array1(py, input))
    }

    /// The input (nu,) of the last plan's policy for the state ``x`` (nx,) at a time in s, between two plans.
    fn act<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        time: f64,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let x = vector(x, "x", state_size(&self.stepper))?;
        let time = time_or(Some(time), 0.0)?;
        let input = py.detach(|| {
            let mut controller = self.controller();
            let origin = controller.origin;
            let state = controller.state(state_of(&self.stepper, &x, time));
            Ok::<_, Failure>(controller.mpc.act(time - origin, &state)?.to_vec())
        })?;
        Ok(array1(py, input))
    }

    /// The states of the plan, (N + 1, nx).
    #[getter]
    fn states<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
        let states = py.detach(|| state_entries(self.controller().mpc.solver()));
        array(py, states, &[self.horizon + 1, state_size(&self.stepper)])
    }

    /// The inputs of the plan, (N, nu).
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
        let inputs = py.detach(|| self.controller().mpc.solver().inputs().concat());
        array(py, inputs, &[self.horizon, self.stepper.num_inputs()])
    }

    /// How the last plan went; None before the first.
    #[getter]
    fn report(&self, py: Python<'_>) -> Option<ControlReport> {
        py.detach(|| self.controller().report.clone())
    }

    fn __repr__(&self) -> String {
        let (horizon, length) = (self.horizon, self.stepper.time_step());
        format!("<dualbody.Mpc: {horizon} stages of {length} s>")
    }
}
