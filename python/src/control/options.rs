//! Options of solvers, and trajectories to start from.

use crate::array::{numbers, wrong_shape};
use crate::control::planned::PlannedMachine;
use crate::error::{Failure, Outcome};
use crate::system::{state_of, state_size};
use dualbody_control::{
    ControlError, DesignState, Dynamics, GapClosing, Hessian, Iteration, MachineDynamics, Problem,
    Solver, SolverOptions,
};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::time::Duration;

/// Threads that no machine has.
const MOST_THREADS: usize = 1024;

/// How long a solver may work.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    /// Largest number of iterations.
    pub iterations: usize,
    /// In s.
    pub time_limit: Option<f64>,
    /// Of stages.
    pub threads: usize,
    /// How gaps are closed.
    pub gap_closing: &'a str,
    /// Whether Hessians have second derivatives.
    pub exact_hessians: bool,
}

impl Effort<'_> {
    /// As the library takes it.
    pub fn options(self) -> Outcome<SolverOptions> {
        if self.threads > MOST_THREADS {
            let text = format!("threads: {} are too many", self.threads);
            return Err(Failure::argument(text));
        }
        let duration = |seconds| {
            Duration::try_from_secs_f64(seconds)
                .map_err(|error| Failure::argument(format!("time_limit: {error}")))
        };
        let mut options = SolverOptions::default();
        options.max_iterations = self.iterations;
        options.time_limit = self.time_limit.map(duration).transpose()?;
        options.threads = self.threads;
        options.gap_closing = match self.gap_closing {
            "rollout" => GapClosing::Rollout,
            "line" => GapClosing::Line,
            other => {
                let text = format!("gap_closing: found {other:?}, expected rollout or line");
                return Err(Failure::argument(text));
            }
        };
        if self.exact_hessians {
            options.hessian = Hessian::Exact;
        }
        Ok(options)
    }
}

/// Tells a function of iterations, and remembers what it raised.
pub struct Progress {
    function: Option<Py<PyAny>>,
    number: usize,
    raised: Option<PyErr>,
}

impl Progress {
    pub fn new(function: Option<Py<PyAny>>) -> Self {
        Progress {
            function,
            number: 0,
            raised: None,
        }
    }

    /// Tells of an iteration; breaks if that raises.
    pub fn tell(&mut self, iteration: &Iteration) -> ControlFlow<()> {
        self.number += 1;
        let told = Python::attach(|py| {
            py.check_signals()?;
            let arguments = (self.number, iteration.cost, iteration.violation);
            match &self.function {
                Some(function) => function.call1(py, arguments).map(|_| ()),
                None => Ok(()),
            }
        });
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Raises what was raised.
    pub fn finish(self) -> Outcome<()> {
        Ok(self.raised.map_or(Ok(()), Err)?)
    }
}

/// Where a solver starts from.
pub struct Guess {
    states: Option<Vec<DesignState>>,
    inputs: Option<Vec<Vec<f64>>>,
}

impl Guess {
    /// States (N + 1, nx) and inputs (N, nu) of N stages, each of which may be missing.
    pub fn new(
        problem: &Problem<PlannedMachine>,
        states: Option<&Bound<'_, PyAny>>,
        inputs: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Self> {
        let (stepper, horizon) = (problem.dynamics().system(), problem.horizon());
        let rows = |value: &Bound<'_, PyAny>, quantity: &str, count: usize, size: usize| {
            let read = numbers(value, quantity)?;
            if read.shape != [count, size] {
                let expected = format!("({count}, {size})");
                return Err(wrong_shape(quantity, &read.shape, &expected));
            }
            let values = read.finite(quantity)?;
            Ok((0..count)
                .map(|k| values[k * size..(k + 1) * size].to_vec())
                .collect::<Vec<_>>())
        };
        let states = states.map(|value| {
            let rows = rows(value, "states", horizon + 1, state_size(stepper))?;
            let time = problem.initial().machine.time;
            let times = (0..).map(|k| time + stepper.time_step() * f64::from(k));
            let design = problem.dynamics().dynamics();
            let state =
                |(entries, time): (Vec<f64>, f64)| design.state(state_of(stepper, &entries, time));
            Ok::<_, Failure>(rows.into_iter().zip(times).map(state).collect())
        });
        let inputs = inputs.map(|value| rows(value, "inputs", horizon, stepper.num_inputs()));
        Ok(Guess {
            states: states.transpose()?,
            inputs: inputs.transpose()?,
        })
    }

    /// A solver that starts from here.
    pub fn solver(
        self,
        problem: Problem<PlannedMachine>,
        options: SolverOptions,
    ) -> Result<Solver<PlannedMachine>, ControlError> {
        let zero = || vec![vec![0.0; problem.dynamics().num_inputs()]; problem.horizon()];
        match (self.states, self.inputs) {
            (Some(states), inputs) => {
                let inputs = inputs.unwrap_or_else(zero);
                Solver::from_trajectory(problem, options, &states, &inputs)
            }
            (None, Some(inputs)) => {
                let mut solver = Solver::new(problem, options)?;
                solver.set_inputs(&inputs)?;
                Ok(solver)
            }
            (None, None) => Solver::new(problem, options),
        }
    }

    /// The inputs, if there are any.
    pub fn inputs(&self) -> Option<&[Vec<f64>]> {
        self.inputs.as_deref()
    }

    /// Whether it has states.
    pub fn has_states(&self) -> bool {
        self.states.is_some()
    }
}
