//! Many rollouts of one machine at once.

use crate::array::{array, numbers, wrong_shape};
use crate::curvature::change_of_gradient;
use crate::derivatives::borrowed;
use crate::error::{Failure, Outcome};
use crate::rollout::checked;
use crate::system::{Stepper, System, state_size};
use crate::threads;
use crate::trajectory::{Direction, Gradient, Plan, Trajectory, pull_back, simulate, tangents};
use dualbody::Parameters;
use dualbody::autodiff::ChunkDual;
use dualbody::system::{
    Adjoint, StepDifferentiator, StepJacobian, StepWorkspace, TimeSteppingRigidBodySystem,
};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Array<'py> = Bound<'py, PyArrayDyn<f64>>;

/// ``n`` copies of a system, worked on by ``threads`` threads (0: as many as the machine has).
///
/// Arrays have the copies along their first axis; one without that axis is the same for all. Results have the same bits
/// for any number of threads. ``parameters`` are arrays (n,) or numbers by name. The system is that of the moment at which
/// the batch was made.
#[pyclass(frozen, module = "dualbody")]
pub struct Batch {
    stepper: Arc<Stepper>,
    n: usize,
    pool: rayon::ThreadPool,
    /// One for each thread.
    workers: Vec<Mutex<Worker>>,
}

/// The memory of a thread; all of it belongs to the machine of the batch.
#[derive(Default)]
struct Worker {
    steps: Option<StepWorkspace<f64>>,
    passed: Trajectory,
    jacobian: StepJacobian,
    differentiator: Option<(Vec<String>, StepDifferentiator)>,
    adjoint: Option<(Vec<String>, Adjoint)>,
    dual: Option<TimeSteppingRigidBodySystem<ChunkDual>>,
}

impl Worker {
    fn simulate(&mut self, stepper: &Stepper, plan: &Plan<'_>, seed: Option<u64>) -> Outcome<()> {
        if self.steps.is_none() {
            self.steps = Some(stepper.workspace()?);
        }
        match &mut self.steps {
            Some(steps) => simulate(stepper, steps, plan, seed, &mut self.passed),
            None => Ok(()),
        }
    }
}

/// An array for all copies.
struct Rows {
    values: Vec<f64>,
    size: usize,
    is_shared: bool,
}

impl Rows {
    fn of(&self, lane: usize) -> &[f64] {
        match self.is_shared {
            true => &self.values,
            false => &self.values[lane * self.size..(lane + 1) * self.size],
        }
    }
}

/// Values of parameters for all copies.
struct Settings {
    indices: Vec<usize>,
    /// One for each name.
    values: Vec<Rows>,
}

impl Settings {
    /// Positions and values of a copy.
    fn of(&self, lane: usize) -> Vec<(usize, f64)> {
        let values = self.values.iter().map(|rows| rows.of(lane)[0]);
        self.indices.iter().copied().zip(values).collect()
    }
}

impl Batch {
    fn rows(&self, value: &Bound<'_, PyAny>, quantity: &str, shape: &[usize]) -> Outcome<Rows> {
        let read = numbers(value, quantity)?;
        let found = read.shape.clone();
        let size = shape.iter().product();
        let is_shared = found == shape;
        let is_own = found.len() == shape.len() + 1 && found[0] == self.n && found[1..] == *shape;
        if is_shared || is_own {
            let values = read.finite(quantity)?;
            return Ok(Rows {
                values,
                size,
                is_shared,
            });
        }
        let own: Vec<_> = shape.iter().map(usize::to_string).collect();
        let own = own.join(", ");
        Err(wrong_shape(
            quantity,
            &found,
            &format!("({}, {own}) or ({own})", self.n),
        ))
    }

    fn rows_or_zeros(
        &self,
        value: Option<&Bound<'_, PyAny>>,
        quantity: &str,
        shape: &[usize],
    ) -> Outcome<Rows> {
        let size = shape.iter().product();
        match value {
            Some(value) => self.rows(value, quantity, shape),
            None => Ok(Rows {
                values: vec![0.0; size],
                size,
                is_shared: true,
            }),
        }
    }

    fn settings(&self, parameters: Option<&Bound<'_, PyDict>>) -> Outcome<Settings> {
        let mut settings = Settings {
            indices: Vec::new(),
            values: Vec::new(),
        };
        for (name, value) in parameters.into_iter().flatten() {
            let name: String = name.extract()?;
            settings.indices.push(self.stepper.parameter_index(&name)?);
            settings.values.push(self.rows(&value, &name, &[])?);
        }
        Ok(settings)
    }

    /// Inputs with a row for each step, and how many steps.
    fn inputs(
        &self,
        value: Option<&Bound<'_, PyAny>>,
        steps: Option<usize>,
    ) -> Outcome<(Rows, usize)> {
        let nu = self.stepper.num_inputs();
        let Some(value) = value else {
            let steps = steps
                .ok_or_else(|| Failure::argument("steps: expected, where there are no inputs"))?;
            checked(steps, nu)?;
            return Ok((self.rows_or_zeros(None, "u", &[steps, nu])?, steps));
        };
        let found = numbers(value, "u")?.shape;
        let steps = match (&found[..], steps) {
            ([.., steps, _], None) => *steps,
            (_, Some(steps)) => steps,
            (found, None) => {
                return Err(wrong_shape(
                    "u",
                    found,
                    &format!("({}, steps, {nu}) or (steps, {nu})", self.n),
                ));
            }
        };
        Ok((self.rows(value, "u", &[steps, nu])?, steps))
    }

    fn seeds(&self, seeds: Option<Vec<u64>>) -> Outcome<Option<Vec<u64>>> {
        match seeds {
            Some(seeds) if seeds.len() != self.n => Err(wrong_shape(
                "seeds",
                &[seeds.len()],
                &format!("({},)", self.n),
            )),
            seeds => Ok(seeds),
        }
    }

    /// Works on all copies; the first that fails, in their order, is the error.
    fn each<R: Send>(
        &self,
        settings: &Settings,
        work: impl Fn(usize, &mut Worker, &Stepper) -> Outcome<R> + Sync,
    ) -> Outcome<Vec<R>> {
        let done: Vec<Outcome<R>> = self.pool.install(|| {
            (0..self.n)
                .into_par_iter()
                .with_max_len(1)
                .map(|lane| {
                    let mut worker = self.worker();
                    if settings.indices.is_empty() {
                        return work(lane, &mut worker, &self.stepper);
                    }
                    let mut own = (*self.stepper).clone();
                    own.set_parameters(&settings.of(lane))?;
                    // Memory of one machine is not that of another.
                    work(lane, &mut Worker::default(), &own)
                })
                .collect()
        });
        let named = |(lane, result): (usize, Outcome<R>)| {
            result.map_err(|failure| match failure {
                Failure::Library(error) => Failure::Library(error),
                other => Failure::argument(format!("copy {lane}: {}", other.message())),
            })
        };
        done.into_iter().enumerate().map(named).collect()
    }

    fn worker(&self) -> MutexGuard<'_, Worker> {
        let index = rayon::current_thread_index().unwrap_or(0) % self.workers.len();
        self.workers[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Arrays of all copies as one.
fn stacked<'py>(py: Python<'py>, parts: Vec<Vec<f64>>, shape: &[usize]) -> Outcome<Array<'py>> {
    let shape: Vec<usize> = std::iter::once(parts.len())
        .chain(shape.iter().copied())
        .collect();
    let mut all = Vec::with_capacity(shape.iter().product());
    parts.iter().for_each(|part| all.extend_from_slice(part));
    array(py, all, &shape)
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (system, n, threads=0))]
    fn new(system: &Bound<'_, System>, n: usize, threads: usize) -> Outcome<Self> {
        if n == 0 || threads > 1024 {
            return Err(Failure::argument(format!(
                "found n = {n} and {threads} threads, expected at least one copy"
            )));
        }
        let pool = threads::pool(threads)?;
        let workers = (0..pool.current_num_threads())
            .map(|_| Mutex::default())
            .collect();
        Ok(Batch {
            stepper: system.get().stepper(),
            n,
            pool,
            workers,
        })
    }

    /// How many copies.
    #[getter]
    fn n(&self) -> usize {
        self.n
    }

    /// How many threads.
    #[getter]
    fn threads(&self) -> usize {
        self.workers.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<dualbody.Batch: {} copies, {} threads>",
            self.n,
            self.workers.len()
        )
    }

    /// The states (n, nx) after a step from ``x`` (n, nx) with ``u`` (n, nu).
    #[pyo3(signature = (x, u=None, *, parameters=None, time=0.0))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        parameters: Option<&Bound<'py, PyDict>>,
        time: f64,
    ) -> Outcome<Array<'py>> {
        let nx = state_size(&self.stepper);
        let starts = self.rows(x, "x", &[nx])?;
        let inputs = self.rows_or_zeros(u, "u", &[self.stepper.num_inputs()])?;
        let settings = self.settings(parameters)?;
        let next = py.detach(|| {
            self.each(&settings, |lane, worker, stepper| {
                let plan = Plan {
                    start: starts.of(lane),
                    time,
                    inputs: inputs.of(lane),
                    steps: 1,
                };
                worker.simulate(stepper, &plan, None)?;
                Ok(worker.passed.states[nx..].to_vec())
            })
        })?;
        stacked(py, next, &[nx])
    }

    /// The states (n, N + 1, nx) and outputs (n, N, ny) of N steps from ``x0`` (n, nx) with ``u`` (n, N, nu).
    ///
    /// ``seeds`` (n,) give sensors noise.
    #[pyo3(signature = (x0, u=None, steps=None, *, parameters=None, time=0.0, seeds=None))]
    #[allow(clippy::too_many_arguments)]
    fn rollout<'py>(
        &self,
        py: Python<'py>,
        x0: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        parameters: Option<&Bound<'py, PyDict>>,
        time: f64,
        seeds: Option<Vec<u64>>,
    ) -> Outcome<(Array<'py>, Array<'py>)> {
        let (nx, ny) = (state_size(&self.stepper), self.stepper.num_outputs());
        let starts = self.rows(x0, "x0", &[nx])?;
        let (inputs, steps) = self.inputs(u, steps)?;
        checked(steps.saturating_mul(self.n), nx + ny)?;
        let (settings, seeds) = (self.settings(parameters)?, self.seeds(seeds)?);
        let passed = py.detach(|| {
            self.each(&settings, |lane, worker, stepper| {
                let plan = Plan {
                    start: starts.of(lane),
                    time,
                    inputs: inputs.of(lane),
                    steps,
                };
                worker.simulate(stepper, &plan, seeds.as_ref().map(|seeds| seeds[lane]))?;
                Ok((worker.passed.states.clone(), worker.passed.outputs.clone()))
            })
        })?;
        let (states, outputs) = passed.into_iter().unzip();
        Ok((
            stacked(py, states, &[steps + 1, nx])?,
            stacked(py, outputs, &[steps, ny])?,
        ))
    }

    /// The derivatives of a step from ``x`` (n, nx) with ``u`` (n, nu), by the entries of the state as they are: ``x`` after the
    /// step (n, nx), ``A`` (n, nx, nx), ``B`` (n, nx, nu), and ``P`` (n, nx, np) by the parameters of the names ``by``.
    #[pyo3(signature = (x, u=None, *, by=vec![], parameters=None, time=0.0))]
    #[allow(clippy::type_complexity)]
    fn step_jacobian<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        by: Vec<String>,
        parameters: Option<&Bound<'py, PyDict>>,
        time: f64,
    ) -> Outcome<(Array<'py>, Array<'py>, Array<'py>, Array<'py>)> {
        let (nx, nu, np) = (
            state_size(&self.stepper),
            self.stepper.num_inputs(),
            by.len(),
        );
        let starts = self.rows(x, "x", &[nx])?;
        let inputs = self.rows_or_zeros(u, "u", &[nu])?;
        let settings = self.settings(parameters)?;
        self.stepper.parameter_indices(&by)?;
        let found = py.detach(|| {
            self.each(&settings, |lane, worker, stepper| {
                let state = crate::system::state_of(stepper, starts.of(lane), time);
                if worker
                    .differentiator
                    .as_ref()
                    .is_none_or(|(names, _)| *names != by)
                {
                    worker.differentiator = Some((
                        by.clone(),
                        StepDifferentiator::new(stepper, &borrowed(&by))?,
                    ));
                }
                let Some((_, differentiator)) = &mut worker.differentiator else {
                    return Err(Failure::argument("no differentiator"));
                };
                let jacobian = &mut worker.jacobian;
                let next = differentiator.jacobian(&state, inputs.of(lane), jacobian)?;
                let next: Vec<f64> = crate::system::entries(next).collect();
                let [a, b, p] = [&jacobian.state, &jacobian.input, &jacobian.parameters]
                    .map(crate::array::row_major);
                Ok((next, a, b, p))
            })
        })?;
        let (mut next, mut a, mut b, mut p) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (of_x, of_a, of_b, of_p) in found {
            next.push(of_x);
            a.push(of_a);
            b.push(of_b);
            p.push(of_p);
        }
        Ok((
            stacked(py, next, &[nx])?,
            stacked(py, a, &[nx, nx])?,
            stacked(py, b, &[nx, nu])?,
            stacked(py, p, &[nx, np])?,
        ))
    }

    /// As :meth:`System.rollout_vjp`, of all copies: ``dstates`` (n, N + 1, nx), ``doutputs`` (n, N, ny) lead to gradients
    /// (n, nx), (n, N, nu) and, by the parameters of the names ``by``, (n, np).
    #[pyo3(signature = (x0, u=None, steps=None, *, dstates=None, doutputs=None, by=vec![], parameters=None, time=0.0))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn rollout_vjp<'py>(
        &self,
        py: Python<'py>,
        x0: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        dstates: Option<&Bound<'py, PyAny>>,
        doutputs: Option<&Bound<'py, PyAny>>,
        by: Vec<String>,
        parameters: Option<&Bound<'py, PyDict>>,
        time: f64,
    ) -> Outcome<(Array<'py>, Array<'py>, Array<'py>)> {
        let (nx, nu, ny) = (
            state_size(&self.stepper),
            self.stepper.num_inputs(),
            self.stepper.num_outputs(),
        );
        let starts = self.rows(x0, "x0", &[nx])?;
        let (inputs, steps) = self.inputs(u, steps)?;
        let of_states = self.rows_or_zeros(dstates, "dstates", &[steps + 1, nx])?;
        let of_outputs = self.rows_or_zeros(doutputs, "doutputs", &[steps, ny])?;
        let settings = self.settings(parameters)?;
        let indices = self.stepper.parameter_indices(&by)?;
        let found = py.detach(|| {
            self.each(&settings, |lane, worker, stepper| {
                let plan = Plan {
                    start: starts.of(lane),
                    time,
                    inputs: inputs.of(lane),
                    steps,
                };
                if ny > 0 {
                    worker.simulate(stepper, &plan, None)?;
                }
                if worker
                    .adjoint
                    .as_ref()
                    .is_none_or(|(names, _)| *names != by)
                {
                    worker.adjoint = Some((by.clone(), Adjoint::new(stepper, &borrowed(&by))?));
                }
                let Some((_, adjoint)) = &mut worker.adjoint else {
                    return Err(Failure::argument("no adjoint"));
                };
                let covector = (of_states.of(lane), of_outputs.of(lane));
                pull_back(
                    stepper,
                    adjoint,
                    &indices,
                    &plan,
                    &worker.passed.states,
                    covector,
                )
            })
        })?;
        stacked_gradients(py, found, [nx, steps, nu, by.len()])
    }

    /// As :meth:`System.rollout_jvp`, of all copies: ``dx0`` (n, nx), ``du`` (n, N, nu), and ``dparameters``, arrays (n,) or
    /// numbers by name, lead to derivatives (n, N + 1, nx) and (n, N, ny).
    #[pyo3(signature = (x0, u=None, steps=None, *, dx0=None, du=None, dparameters=None, parameters=None, time=0.0))]
    #[allow(clippy::too_many_arguments)]
    fn rollout_jvp<'py>(
        &self,
        py: Python<'py>,
        x0: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        dx0: Option<&Bound<'py, PyAny>>,
        du: Option<&Bound<'py, PyAny>>,
        dparameters: Option<&Bound<'py, PyDict>>,
        parameters: Option<&Bound<'py, PyDict>>,
        time: f64,
    ) -> Outcome<(Array<'py>, Array<'py>)> {
        let (nx, nu, ny) = (
            state_size(&self.stepper),
            self.stepper.num_inputs(),
            self.stepper.num_outputs(),
        );
        let starts = self.rows(x0, "x0", &[nx])?;
        let (inputs, steps) = self.inputs(u, steps)?;
        let of_starts = self.rows_or_zeros(dx0, "dx0", &[nx])?;
        let of_inputs = self.rows_or_zeros(du, "du", &[steps, nu])?;
        let slopes = self.settings(dparameters)?;
        let settings = self.settings(parameters)?;
        let found = py.detach(|| {
            self.each(&settings, |lane, worker, stepper| {
                let plan = Plan {
                    start: starts.of(lane),
                    time,
                    inputs: inputs.of(lane),
                    steps,
                };
                let direction = Direction {
                    start: of_starts.of(lane),
                    inputs: of_inputs.of(lane),
                    parameters: &slopes.of(lane),
                };
                let dual = worker.dual.get_or_insert_with(|| stepper.cast());
                let mut found = tangents(dual, &plan, &[direction])?;
                let Trajectory {
                    states, outputs, ..
                } = found.swap_remove(0);
                Ok((states, outputs))
            })
        })?;
        let (states, outputs) = found.into_iter().unzip();
        Ok((
            stacked(py, states, &[steps + 1, nx])?,
            stacked(py, outputs, &[steps, ny])?,
        ))
    }

    /// As :meth:`System.rollout_hvp`, of all copies: ``dstates`` (n, N + 1, nx), ``doutputs`` (n, N, ny), ``dx0`` (n, nx), ``du``
    /// (n, N, nu), and ``dparameters``, arrays (n,) or numbers by name, lead to changes of the gradients (n, nx), (n, N, nu)
    /// and, by the parameters of the names ``by``, (n, np).
    #[pyo3(signature = (x0, u=None, steps=None, *, dstates=None, doutputs=None, by=vec![], dx0=None, du=None, dparameters=None, parameters=None, time=0.0))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn rollout_hvp<'py>(
        &self,
        py: Python<'py>,
        x0: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        dstates: Option<&Bound<'py, PyAny>>,
        doutputs: Option<&Bound<'py, PyAny>>,
        by: Vec<String>,
        dx0: Option<&Bound<'py, PyAny>>,
        du: Option<&Bound<'py, PyAny>>,
        dparameters: Option<&Bound<'py, PyDict>>,
        parameters: Option<&Bound<'py, PyDict>>,
        time: f64,
    ) -> Outcome<(Array<'py>, Array<'py>, Array<'py>)> {
        let (nx, nu, ny) = (
            state_size(&self.stepper),
            self.stepper.num_inputs(),
            self.stepper.num_outputs(),
        );
        let starts = self.rows(x0, "x0", &[nx])?;
        let (inputs, steps) = self.inputs(u, steps)?;
        let of_states = self.rows_or_zeros(dstates, "dstates", &[steps + 1, nx])?;
        let of_outputs = self.rows_or_zeros(doutputs, "doutputs", &[steps, ny])?;
        let of_starts = self.rows_or_zeros(dx0, "dx0", &[nx])?;
        let of_inputs = self.rows_or_zeros(du, "du", &[steps, nu])?;
        let slopes = self.settings(dparameters)?;
        let settings = self.settings(parameters)?;
        let indices = self.stepper.parameter_indices(&by)?;
        let found = py.detach(|| {
            self.each(&settings, |lane, _, stepper| {
                let plan = Plan {
                    start: starts.of(lane),
                    time,
                    inputs: inputs.of(lane),
                    steps,
                };
                let direction = Direction {
                    start: of_starts.of(lane),
                    inputs: of_inputs.of(lane),
                    parameters: &slopes.of(lane),
                };
                let covector = (of_states.of(lane), of_outputs.of(lane));
                change_of_gradient(stepper, &indices, &plan, covector, &direction)
            })
        })?;
        stacked_gradients(py, found, [nx, steps, nu, by.len()])
    }
}

/// Gradients of all copies as arrays, by states, inputs and parameters.
fn stacked_gradients<'py>(
    py: Python<'py>,
    gradients: Vec<Gradient>,
    [nx, steps, nu, np]: [usize; 4],
) -> Outcome<(Array<'py>, Array<'py>, Array<'py>)> {
    let (mut x, mut u, mut p) = (Vec::new(), Vec::new(), Vec::new());
    for gradient in gradients {
        x.push(gradient.start);
        u.push(gradient.inputs);
        p.push(gradient.parameters);
    }
    Ok((
        stacked(py, x, &[nx])?,
        stacked(py, u, &[steps, nu])?,
        stacked(py, p, &[np])?,
    ))
}
