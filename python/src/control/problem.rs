//! Optimal control problems.

use crate::array::{numbers, vector, wrong_shape};
use crate::control::residual::Description;
use crate::error::{Failure, Outcome};
use crate::system::{Stepper, System, state_of, state_size};
use dualbody_control::{Dynamics, Machine, Problem, Residual};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Numbers that the matrices of all stages may hold: 2 GB.
const MOST: usize = 1 << 28;

/// What a motion of N = ``horizon`` stages of a system is to be, from the state ``x0`` (nx,), its initial state if not given.
///
/// The sum of ``½ Σ w r²`` over all costs is to be as small as can be, within limits. A residual ``r`` has a kind:
///
/// ===================  ===============================================================  ======================
/// kind                 what it is, and the target                                       entries
/// ===================  ===============================================================  ======================
/// ``state``            from the target (nx,), or (stages, nx) for each stage, to the    nd = 2 nv + na + ns
///                      state, a displacement; the target is ``x0`` if not given
/// ``input``            inputs less the target (nu,)                                     nu
/// ``output``           outputs less the target, a dict of numbers by their names; of    of the dict
///                      stages only, as is ``input``
/// ``position``         where the ``point`` (3,) of a ``frame`` is, its origin if not    3, m
///                      given, less the target (3,), in the world
/// ``rotation``         from the target, a rotation matrix (3, 3), to the ``frame``, a   3, rad
///                      rotation vector in the world
/// ``velocity``         angular velocity and velocity of the body ``frame`` about its    6, rad/s and m/s
///                      origin, in the world, less the target (6,)
/// ``center_of_mass``   where it is, less the target (3,), in the world                  3, m
/// ===================  ===============================================================  ======================
///
/// A target that is not given is zero, or turns nothing. Weights are an array with an entry for each, or a number for all;
/// those of running costs are those of a stage: what is meant by time is multiplied by the length of a step in s. Every method
/// returns the problem. The system is that of the moment at which it was made, and ``time`` that of the start in s.
#[pyclass(frozen, module = "dualbody")]
pub struct ControlProblem {
    stepper: Arc<Stepper>,
    problem: Mutex<Problem<Machine>>,
}

impl ControlProblem {
    /// The machine.
    pub fn stepper(&self) -> &Arc<Stepper> {
        &self.stepper
    }

    /// The problem as it is now.
    pub fn problem(&self) -> Problem<Machine> {
        let problem = self.problem.lock();
        problem.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds what a residual is for.
    fn add(
        &self,
        description: &Description<'_, '_>,
        add: impl FnOnce(
            Problem<Machine>,
            Box<dyn Residual<Machine>>,
            usize,
        ) -> Outcome<Problem<Machine>>,
    ) -> Outcome<()> {
        let problem = self.problem();
        let residual = description.residual(&self.stepper, problem.initial())?;
        let size = residual.size(problem.dynamics());
        self.replace(add(problem, residual, size)?);
        Ok(())
    }

    fn replace(&self, problem: Problem<Machine>) {
        let mut old = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        *old = problem;
    }
}

/// A number for each entry: the array, or the same for all, or what it is if not given.
fn each(
    value: Option<&Bound<'_, PyAny>>,
    quantity: &str,
    (size, otherwise): (usize, f64),
) -> Outcome<Vec<f64>> {
    let Some(value) = value else {
        return Ok(vec![otherwise; size]);
    };
    let read = numbers(value, quantity)?;
    match read.shape[..] {
        [] => Ok(vec![read.values[0]; size]),
        [n] if n == size => Ok(read.values),
        _ => Err(wrong_shape(
            quantity,
            &read.shape,
            &format!("({size},) or ()"),
        )),
    }
}

/// Limits, infinite where they are not given.
fn limits(
    lower: Option<&Bound<'_, PyAny>>,
    upper: Option<&Bound<'_, PyAny>>,
    size: usize,
) -> Outcome<[Vec<f64>; 2]> {
    Ok([
        each(lower, "lower", (size, f64::NEG_INFINITY))?,
        each(upper, "upper", (size, f64::INFINITY))?,
    ])
}

#[pymethods]
impl ControlProblem {
    #[new]
    #[pyo3(signature = (system, horizon, x0=None, *, time=0.0))]
    fn new(
        system: &Bound<'_, System>,
        horizon: usize,
        x0: Option<&Bound<'_, PyAny>>,
        time: f64,
    ) -> Outcome<Self> {
        let stepper = system.get().stepper();
        let start = match x0 {
            Some(x0) => vector(x0, "x0", state_size(&stepper))?,
            None => system.get().start_entries(&stepper),
        };
        if !time.is_finite() {
            return Err(Failure::argument(format!("time: found {time}")));
        }
        let machine = Machine::new(&stepper)?;
        let (n, m) = (machine.num_displacements(), machine.num_inputs());
        let each = 1 + 2 * n * n + 3 * n * m + m * m;
        if horizon > MOST / each {
            return Err(Failure::argument(format!(
                "horizon: {horizon} stages are too many, at most {}",
                MOST / each
            )));
        }
        let problem = Problem::new(machine, horizon, state_of(&stepper, &start, time))?;
        Ok(ControlProblem {
            stepper,
            problem: Mutex::new(problem),
        })
    }

    /// Adds a cost of every stage, ``½ Σ w r²``, with the weights (entries,) or a number.
    #[pyo3(signature = (name, kind, target=None, *, weights, frame=None, point=None))]
    #[allow(clippy::too_many_arguments)]
    fn running_cost<'py>(
        slf: Bound<'py, Self>,
        name: &str,
        kind: &str,
        target: Option<&Bound<'py, PyAny>>,
        weights: &Bound<'py, PyAny>,
        frame: Option<&str>,
        point: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, Self>> {
        let description = Description {
            kind,
            target,
            frame,
            point,
            is_running: true,
        };
        slf.get().add(&description, |problem, residual, size| {
            let weights = each(Some(weights), "weights", (size, 0.0))?;
            Ok(problem.running_cost(name, residual, weights)?)
        })?;
        Ok(slf)
    }

    /// Adds a cost of the last state, as :meth:`running_cost`.
    #[pyo3(signature = (name, kind, target=None, *, weights, frame=None, point=None))]
    #[allow(clippy::too_many_arguments)]
    fn terminal_cost<'py>(
        slf: Bound<'py, Self>,
        name: &str,
        kind: &str,
        target: Option<&Bound<'py, PyAny>>,
        weights: &Bound<'py, PyAny>,
        frame: Option<&str>,
        point: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, Self>> {
        let description = Description {
            kind,
            target,
            frame,
            point,
            is_running: false,
        };
        slf.get().add(&description, |problem, residual, size| {
            let weights = each(Some(weights), "weights", (size, 0.0))?;
            Ok(problem.terminal_cost(name, residual, weights)?)
        })?;
        Ok(slf)
    }

    /// Adds limits ``lower <= r <= upper`` of every stage, arrays (entries,) or numbers: none if not given, equal ones for an equality.
    /// They are approached by multipliers, and hold at the end. The first stage has the state ``x0``, which no input changes.
    #[pyo3(signature = (name, kind, target=None, *, lower=None, upper=None, frame=None, point=None))]
    #[allow(clippy::too_many_arguments)]
    fn running_limit<'py>(
        slf: Bound<'py, Self>,
        name: &str,
        kind: &str,
        target: Option<&Bound<'py, PyAny>>,
        lower: Option<&Bound<'py, PyAny>>,
        upper: Option<&Bound<'py, PyAny>>,
        frame: Option<&str>,
        point: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, Self>> {
        let description = Description {
            kind,
            target,
            frame,
            point,
            is_running: true,
        };
        slf.get().add(&description, |problem, residual, size| {
            let [lower, upper] = limits(lower, upper, size)?;
            Ok(problem.running_constraint(name, residual, lower, upper)?)
        })?;
        Ok(slf)
    }

    /// Adds limits of the last state, as :meth:`running_limit`.
    #[pyo3(signature = (name, kind, target=None, *, lower=None, upper=None, frame=None, point=None))]
    #[allow(clippy::too_many_arguments)]
    fn terminal_limit<'py>(
        slf: Bound<'py, Self>,
        name: &str,
        kind: &str,
        target: Option<&Bound<'py, PyAny>>,
        lower: Option<&Bound<'py, PyAny>>,
        upper: Option<&Bound<'py, PyAny>>,
        frame: Option<&str>,
        point: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, Self>> {
        let description = Description {
            kind,
            target,
            frame,
            point,
            is_running: false,
        };
        slf.get().add(&description, |problem, residual, size| {
            let [lower, upper] = limits(lower, upper, size)?;
            Ok(problem.terminal_constraint(name, residual, lower, upper)?)
        })?;
        Ok(slf)
    }

    /// Sets limits of the inputs, arrays (nu,) or numbers, none if not given. They hold in every iterate.
    #[pyo3(signature = (lower=None, upper=None))]
    fn input_limits<'py>(
        slf: Bound<'py, Self>,
        lower: Option<&Bound<'py, PyAny>>,
        upper: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, Self>> {
        let problem = slf.get().problem();
        let [lower, upper] = limits(lower, upper, problem.dynamics().num_inputs())?;
        slf.get().replace(problem.input_limits(lower, upper)?);
        Ok(slf)
    }

    /// Number N of stages.
    #[getter]
    fn horizon(&self) -> usize {
        self.problem().horizon()
    }

    fn __repr__(&self) -> String {
        let (horizon, length) = (self.horizon(), self.stepper.time_step());
        format!("<dualbody.ControlProblem: {horizon} stages of {length} s>")
    }
}
