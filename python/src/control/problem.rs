//! Optimal control problems.

use crate::array::{numbers, vector, wrong_shape};
use crate::control::planned::{PlannedMachine, planned};
use crate::control::residual::Description;
use crate::error::{Failure, Outcome};
use crate::system::{Stepper, System, state_of, state_size};
use dualbody_control::{Dynamics, Problem, Residual};
use pyo3::prelude::*;
use pyo3::types::PyDict;
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
///                      state, a displacement; the target is ``x0`` if not given; then    and np
///                      the ``parameters`` less their values as set. There may be more
///                      targets than N: an :class:`Mpc` comes to them with time, and
///                      stays with the last one
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
/// ``contact_force``    the force that contacts exert on the body ``frame``, those with     3, N
///                      the body ``by`` alone if given, less the target (3,), in the
///                      world; of stages only, zero where nothing touches
/// ``energy``           kinetic, of gravity and stored, less the target, a number           1, J
/// ``dissipation``      what the step loses; of stages only                                 1, J
/// ===================  ===============================================================  ======================
///
/// A target that is not given is zero, or turns nothing. Weights are an array with an entry for each, or a number for all;
/// those of running costs are those of a stage: what is meant by time is multiplied by the length of a step in s. Every method
/// returns the problem. The system is that of the moment at which it was made, and ``time`` that of the start in s.
///
/// ``parameters``, a dict of ``(lower, upper)`` by name, are np parameters of the system that are found with the motion, within these
/// limits in their units: stiffnesses, lengths, masses, ``time_step``.
#[pyclass(frozen, module = "dualbody")]
pub struct ControlProblem {
    stepper: Arc<Stepper>,
    parameters: Vec<(String, f64, f64)>,
    problem: Mutex<Problem<PlannedMachine>>,
}

impl ControlProblem {
    /// The machine.
    pub fn stepper(&self) -> &Arc<Stepper> {
        &self.stepper
    }

    /// The names of the parameters that are found.
    pub fn parameters(&self) -> Vec<&str> {
        (self.parameters.iter().map(|(name, ..)| name.as_str())).collect()
    }

    fn with_parameters(
        &self,
        problem: Problem<PlannedMachine>,
    ) -> Outcome<Problem<PlannedMachine>> {
        let limits = self.parameters.iter();
        let limits: Vec<_> = limits.map(|(name, l, h)| (name.as_str(), *l, *h)).collect();
        Ok(problem.parameter_limits(&limits)?)
    }

    /// The problem as it is now.
    pub fn problem(&self) -> Problem<PlannedMachine> {
        let problem = self.problem.lock();
        problem.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds what a residual is for.
    fn add(
        &self,
        description: &Description<'_, '_>,
        add: impl FnOnce(
            Problem<PlannedMachine>,
            Box<dyn Residual<PlannedMachine>>,
            usize,
        ) -> Outcome<Problem<PlannedMachine>>,
    ) -> Outcome<()> {
        let problem = self.problem();
        let residual =
            description.residual(problem.dynamics(), (problem.initial(), problem.horizon()))?;
        let size = residual.size(problem.dynamics());
        self.replace(add(problem, residual, size)?);
        Ok(())
    }

    fn replace(&self, problem: Problem<PlannedMachine>) {
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
    #[pyo3(signature = (system, horizon, x0=None, *, time=0.0, parameters=None))]
    fn new(
        system: &Bound<'_, System>,
        horizon: usize,
        x0: Option<&Bound<'_, PyAny>>,
        time: f64,
        parameters: Option<&Bound<'_, PyDict>>,
    ) -> Outcome<Self> {
        let stepper = system.get().stepper();
        let start = match x0 {
            Some(x0) => vector(x0, "x0", state_size(&stepper))?,
            None => system.get().start_entries(&stepper),
        };
        if !time.is_finite() {
            return Err(Failure::argument(format!("time: found {time}")));
        }
        let mut limits = Vec::new();
        for (name, value) in parameters.into_iter().flatten() {
            let (lower, upper) = value.extract::<(f64, f64)>()?;
            limits.push((name.extract::<String>()?, lower, upper));
        }
        let names: Vec<&str> = limits.iter().map(|(name, ..)| name.as_str()).collect();
        let machine = planned(&stepper, &names)?;
        let (n, m) = (machine.num_displacements(), machine.num_inputs());
        let each = 1 + 2 * n * n + 3 * n * m + m * m;
        if horizon > MOST / each {
            return Err(Failure::argument(format!(
                "horizon: {horizon} stages are too many, at most {}",
                MOST / each
            )));
        }
        let start = machine.dynamics().state(state_of(&stepper, &start, time));
        let problem = Problem::new(machine, horizon, start)?;
        let made = ControlProblem {
            stepper,
            parameters: limits,
            problem: Mutex::new(problem),
        };
        made.replace(made.with_parameters(made.problem())?);
        Ok(made)
    }

    /// Adds a cost of every stage, ``½ Σ w r²``, with the weights (entries,) or a number.
    #[pyo3(signature = (name, kind, target=None, *, weights, frame=None, point=None, by=None))]
    #[allow(clippy::too_many_arguments)]
    fn running_cost<'py>(
        slf: Bound<'py, Self>,
        name: &str,
        kind: &str,
        target: Option<&Bound<'py, PyAny>>,
        weights: &Bound<'py, PyAny>,
        frame: Option<&str>,
        point: Option<&Bound<'py, PyAny>>,
        by: Option<&str>,
    ) -> Outcome<Bound<'py, Self>> {
        let description = Description {
            kind,
            target,
            frame,
            point,
            by,
            is_running: true,
        };
        slf.get().add(&description, |problem, residual, size| {
            let weights = each(Some(weights), "weights", (size, 0.0))?;
            Ok(problem.running_cost(name, residual, weights)?)
        })?;
        Ok(slf)
    }

    /// Adds a cost of the last state, as :meth:`running_cost`.
    #[pyo3(signature = (name, kind, target=None, *, weights, frame=None, point=None, by=None))]
    #[allow(clippy::too_many_arguments)]
    fn terminal_cost<'py>(
        slf: Bound<'py, Self>,
        name: &str,
        kind: &str,
        target: Option<&Bound<'py, PyAny>>,
        weights: &Bound<'py, PyAny>,
        frame: Option<&str>,
        point: Option<&Bound<'py, PyAny>>,
        by: Option<&str>,
    ) -> Outcome<Bound<'py, Self>> {
        let description = Description {
            kind,
            target,
            frame,
            point,
            by,
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
    #[pyo3(signature = (name, kind, target=None, *, lower=None, upper=None, frame=None, point=None, by=None))]
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
        by: Option<&str>,
    ) -> Outcome<Bound<'py, Self>> {
        let description = Description {
            kind,
            target,
            frame,
            point,
            by,
            is_running: true,
        };
        slf.get().add(&description, |problem, residual, size| {
            let [lower, upper] = limits(lower, upper, size)?;
            Ok(problem.running_constraint(name, residual, lower, upper)?)
        })?;
        Ok(slf)
    }

    /// Adds limits of the last state, as :meth:`running_limit`.
    #[pyo3(signature = (name, kind, target=None, *, lower=None, upper=None, frame=None, point=None, by=None))]
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
        by: Option<&str>,
    ) -> Outcome<Bound<'py, Self>> {
        let description = Description {
            kind,
            target,
            frame,
            point,
            by,
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

    /// Frees the state at the start within limits of its displacement from ``x0``, arrays (nd,) or numbers, zero if not given: zeros for
    /// what is as in ``x0``, infinite ones for what may be anything.
    #[pyo3(signature = (lower=None, upper=None))]
    fn free_start<'py>(
        slf: Bound<'py, Self>,
        lower: Option<&Bound<'py, PyAny>>,
        upper: Option<&Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, Self>> {
        let problem = slf.get().problem();
        let n = problem.dynamics().num_displacements();
        let size = n - slf.get().parameters.len();
        let limits = |value, quantity| {
            let mut limits = each(value, quantity, (size, 0.0))?;
            limits.resize(n, 0.0);
            Ok::<_, Failure>(limits)
        };
        let problem = problem.free_start(limits(lower, "lower")?, limits(upper, "upper")?)?;
        slf.get().replace(slf.get().with_parameters(problem)?);
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
