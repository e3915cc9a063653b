//! Options of solvers, and trajectories to start from.

use crate::array::{numbers, wrong_shape};
use crate::error::{Failure, Outcome};
use crate::system::{Stepper, state_of, state_size};
use dualbody::system::State;
use dualbody_control::{ControlError, Machine, Problem, Solver, SolverOptions};
use pyo3::prelude::*;
use std::time::Duration;

/// Threads that no machine has.
const MOST_THREADS: usize = 1024;

/// How long a solver may work.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Largest number of iterations.
    pub iterations: usize,
    /// In s.
    pub time_limit: Option<f64>,
    /// Of stages.
    pub threads: usize,
}

impl Effort {
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
        Ok(options)
    }
}

/// Where a solver starts from.
pub struct Guess {
    states: Option<Vec<State<f64>>>,
    inputs: Option<Vec<Vec<f64>>>,
}

impl Guess {
    /// States (N + 1, nx) and inputs (N, nu) of N stages, each of which may be missing.
    pub fn new(
        stepper: &Stepper,
        (horizon, time): (usize, f64),
        states: Option<&Bound<'_, PyAny>>,
        inputs: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Self> {
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
            let times = (0..).map(|k| time + stepper.time_step() * f64::from(k));
            let state = |(entries, time): (Vec<f64>, f64)| state_of(stepper, &entries, time);
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
        problem: Problem<Machine>,
        options: SolverOptions,
    ) -> Result<Solver<Machine>, ControlError> {
        let zero = || vec![vec![0.0; problem.dynamics().system().num_inputs()]; problem.horizon()];
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

    /// Whether it has states.
    pub fn has_states(&self) -> bool {
        self.states.is_some()
    }
}
