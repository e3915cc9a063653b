//! Many steps of a machine.

use crate::array::{array, array1, numbers, vector, wrong_shape};
use crate::error::{Failure, Outcome};
use crate::system::{Stepper, System, state_of, state_size};
use crate::trajectory::{Plan, Trajectory, simulate};
use dualbody::scene::Scene;
use dualbody::system::{Rollout as Passed, State};
use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// What a system passed through in N steps.
#[pyclass(frozen, module = "dualbody")]
pub struct Rollout {
    stepper: Arc<Stepper>,
    time: f64,
    inputs: Vec<f64>,
    passed: Trajectory,
    /// The states, (N + 1, nx).
    #[pyo3(get)]
    states: Py<PyArrayDyn<f64>>,
    /// The outputs of the steps, (N, ny).
    #[pyo3(get)]
    outputs: Py<PyArrayDyn<f64>>,
}

/// Inputs as rows for the steps: (N, nu), or (nu,) for all of so many steps, or none.
pub fn inputs(
    value: Option<&Bound<'_, PyAny>>,
    steps: Option<usize>,
    size: usize,
) -> Outcome<(Vec<f64>, usize)> {
    let Some(value) = value else {
        let steps =
            steps.ok_or_else(|| Failure::argument("steps: expected, where there are no inputs"))?;
        return Ok((vec![0.0; checked("steps", steps, size)?], steps));
    };
    let read = numbers(value, "u")?;
    match (&read.shape[..], steps) {
        ([n], Some(steps)) if *n == size => {
            checked("steps", steps, size)?;
            Ok((read.finite("u")?.repeat(steps), steps))
        }
        ([n, m], None) if *m == size => {
            let n = *n;
            Ok((read.finite("u")?, n))
        }
        ([n, m], Some(steps)) if *m == size && *n == steps => Ok((read.finite("u")?, steps)),
        (shape, Some(steps)) => Err(wrong_shape(
            "u",
            shape,
            &format!("({steps}, {size}) or ({size},)"),
        )),
        (shape, None) => Err(wrong_shape("u", shape, &format!("(steps, {size})"))),
    }
}

/// The number of entries of so many rows of what is named, if memory can hold them.
pub fn checked(what: &str, rows: usize, size: usize) -> Outcome<usize> {
    const MOST: usize = 1 << 34;
    let fits = |entries: &usize| Vec::<f64>::new().try_reserve_exact(*entries).is_ok();
    let entries = rows
        .checked_mul(size.max(1))
        .filter(|entries| *entries < MOST && fits(entries));
    entries
        .map(|_| rows * size)
        .ok_or_else(|| Failure::argument(format!("{what}: {rows} are too many for the memory")))
}

/// A page within a notebook.
pub fn frame(page: &str) -> String {
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<iframe srcdoc=\"{escaped}\" width=\"100%\" height=\"480\" style=\"border:0\"></iframe>"
    )
}

#[pymethods]
impl System {
    /// Makes steps from the state ``x0`` (nx,) with the inputs ``u`` (steps, nu), or (nu,) in all steps, or zero.
    ///
    /// With a ``seed`` sensors have noise. A step that fails is a :class:`SimulationError` that says which.
    #[pyo3(signature = (x0=None, u=None, steps=None, *, time=0.0, seed=None))]
    fn rollout<'py>(
        &self,
        py: Python<'py>,
        x0: Option<&Bound<'py, PyAny>>,
        u: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        time: f64,
        seed: Option<u64>,
    ) -> Outcome<Rollout> {
        let stepper = self.stepper();
        let (nx, ny) = (state_size(&stepper), stepper.num_outputs());
        let start = match x0 {
            Some(x0) => vector(x0, "x0", nx)?,
            None => self.start_entries(&stepper),
        };
        let (inputs, steps) = inputs(u, steps, stepper.num_inputs())?;
        checked("steps", steps, nx + ny)?;
        let mut passed = Trajectory::default();
        let plan = Plan {
            start: &start,
            time,
            inputs: &inputs,
            steps,
        };
        py.detach(|| {
            self.with_steps(&stepper, |workspace| {
                simulate(&stepper, workspace, &plan, seed, &mut passed)
            })
        })?;
        let states = array(py, std::mem::take(&mut passed.states), &[steps + 1, nx])?.unbind();
        let outputs = array(py, std::mem::take(&mut passed.outputs), &[steps, ny])?.unbind();
        Ok(Rollout {
            stepper,
            time,
            inputs,
            passed,
            states,
            outputs,
        })
    }
}

impl Rollout {
    fn steps(&self) -> usize {
        self.passed.statuses.len()
    }

    fn all_states(&self, py: Python<'_>) -> Outcome<Vec<State<f64>>> {
        let entries = numbers(self.states.bind(py).as_any(), "states")?.values;
        let (nx, length) = (state_size(&self.stepper), self.stepper.time_step());
        let state = |k: usize| {
            state_of(
                &self.stepper,
                &entries[k * nx..(k + 1) * nx],
                self.time + length * k as f64,
            )
        };
        Ok((0..=self.steps()).map(state).collect())
    }

    fn input(&self, step: usize) -> &[f64] {
        let nu = self.stepper.num_inputs();
        &self.inputs[step * nu..(step + 1) * nu]
    }

    fn scene(&self, py: Python<'_>) -> Outcome<Scene> {
        let inputs = (0..self.steps()).map(|step| self.input(step).to_vec());
        let statuses = self.passed.statuses.clone();
        let passed = Passed::new(self.all_states(py)?, inputs.collect(), statuses);
        Ok(py.detach(|| passed.scene(&self.stepper))?)
    }

    fn part<'py>(&self, py: Python<'py>, from: usize, to: usize) -> PyResult<Bound<'py, PyAny>> {
        let slice = py.import("builtins")?.getattr("slice")?;
        let rows = slice.call1((py.None(),))?;
        self.states
            .bind(py)
            .get_item((rows, slice.call1((from, to))?))
    }
}

#[pymethods]
impl Rollout {
    /// Positions, (N + 1, nq).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.part(py, 0, self.stepper.tree().num_positions())
    }

    /// Velocities, (N + 1, nv).
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let nq = self.stepper.tree().num_positions();
        self.part(py, nq, nq + self.stepper.tree().num_velocities())
    }

    /// The inputs of the steps, (N, nu).
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
        array(
            py,
            self.inputs.clone(),
            &[self.steps(), self.stepper.num_inputs()],
        )
    }

    /// The times of the states in s, (N + 1,).
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let length = self.stepper.time_step();
        array1(
            py,
            (0..=self.steps())
                .map(|k| self.time + length * k as f64)
                .collect(),
        )
    }

    /// The last state, (nx,).
    #[getter]
    fn last<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.states.bind(py).get_item(self.steps())
    }

    /// Energies of the states in J, each (N + 1,): ``kinetic``, ``gravitational``, ``stored`` in elements, actuators and contacts.
    #[getter]
    fn energies<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let states = self.all_states(py)?;
        let zero = vec![0.0; self.stepper.num_inputs()];
        let energies = py.detach(|| {
            let of_state = |(k, state): (usize, &State<f64>)| {
                let input = if k < self.steps() {
                    self.input(k)
                } else {
                    &zero
                };
                let energy = self.stepper.energy(state, input)?;
                let elements: f64 = energy
                    .elements
                    .iter()
                    .map(|(_, element)| element.stored)
                    .sum();
                let stored = elements + energy.actuators.stored + energy.stored_in_contact;
                Ok::<_, Failure>([energy.kinetic, energy.gravitational, stored])
            };
            states
                .iter()
                .enumerate()
                .map(of_state)
                .collect::<Outcome<Vec<_>>>()
        })?;
        let out = PyDict::new(py);
        for (k, name) in ["kinetic", "gravitational", "stored"]
            .into_iter()
            .enumerate()
        {
            out.set_item(
                name,
                array1(py, energies.iter().map(|of_state| of_state[k]).collect()),
            )?;
        }
        Ok(out)
    }

    /// The contacts of a step, arrays with a row for each point: ``pairs``, names of geometries; ``positions`` (n, 3) in the
    /// world, m; ``forces`` (n, 3) on the first of each pair, N; ``penetrations`` (n,), m.
    fn contacts<'py>(&self, py: Python<'py>, step: usize) -> Outcome<Bound<'py, PyDict>> {
        if step >= self.steps() {
            return Err(Failure::argument(format!(
                "step: found {step}, the rollout has {}",
                self.steps()
            )));
        }
        let state = self.all_states(py)?.swap_remove(step);
        let contacts = py.detach(|| {
            let mut workspace = self.stepper.workspace()?;
            let mut made = self
                .stepper
                .step(&mut workspace, &state, self.input(step))?;
            Ok::<_, Failure>(made.contacts()?.to_vec())
        })?;
        let names = |contact: &dualbody::contact::ContactResult<f64>| {
            let names = contact.names(self.stepper.contact());
            names
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .unwrap_or_default()
        };
        let n = contacts.len();
        let positions = contacts
            .iter()
            .flat_map(|c| c.position.iter().copied().collect::<Vec<_>>());
        let forces = contacts
            .iter()
            .flat_map(|c| c.force_on_a().iter().copied().collect::<Vec<_>>());
        let out = PyDict::new(py);
        out.set_item("pairs", contacts.iter().map(names).collect::<Vec<_>>())?;
        out.set_item("positions", array(py, positions.collect(), &[n, 3])?)?;
        out.set_item("forces", array(py, forces.collect(), &[n, 3])?)?;
        out.set_item(
            "penetrations",
            array1(py, contacts.iter().map(|c| c.penetration).collect()),
        )?;
        Ok(out)
    }

    /// For each unit the step that came nearest to a kink, where derivatives of both sides differ: a list of
    /// ``(step, distance, unit)``.
    #[getter]
    fn nearest_kinks(&self) -> Vec<(usize, f64, &'static str)> {
        let statuses = self.passed.statuses.clone();
        let passed = Passed::<f64>::new(Vec::new(), Vec::new(), statuses);
        let kinks = passed.nearest_kinks().into_iter();
        kinks
            .map(|(step, kink)| (step, kink.distance(), kink.unit()))
            .collect()
    }

    /// A page that plays the motion in a browser, with contact forces.
    fn to_html(&self, py: Python<'_>) -> Outcome<String> {
        Ok(self.scene(py)?.html())
    }

    /// Writes the page of :meth:`to_html`, whole or not at all.
    fn save_page(&self, py: Python<'_>, path: PathBuf) -> Outcome<()> {
        Ok(self.scene(py)?.save(path)?)
    }

    /// Writes the motion as binary glTF, whole or not at all.
    fn save_glb(&self, py: Python<'_>, path: PathBuf) -> Outcome<()> {
        Ok(self.scene(py)?.save_glb(path)?)
    }

    fn _repr_html_(&self, py: Python<'_>) -> Outcome<String> {
        Ok(frame(&self.to_html(py)?))
    }

    fn __len__(&self) -> usize {
        self.steps()
    }

    fn __repr__(&self) -> String {
        let (steps, length) = (self.steps(), self.stepper.time_step());
        format!("<dualbody.Rollout: {steps} steps of {length} s>")
    }
}
