//! Many rollouts of one machine at once.

use crate::array::{array, numbers, wrong_shape};
use crate::curvature::change_of_gradient;
use crate::derivatives::borrowed;
use crate::error::{Failure, Outcome};
use crate::rollout::checked;
use crate::system::{Stepper, System, state_size};
use crate::trajectory::{Direction, Gradient, Plan};
use dualbody::Parameters;
use dualbody::nalgebra::DMatrix;
use dualbody::system::{
    Batch as Members, BatchCovectors, BatchDirections, BatchGradients, BatchJacobians, BatchPlan,
    BatchRollouts,
};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Array<'py> = Bound<'py, PyArrayDyn<f64>>;

/// ``n`` copies of a system, worked on by ``threads`` threads (0: as many as the machine has).
///
/// Arrays have the copies along their first axis; one without that axis is the same for all. Results have the same bits
/// for any number of threads. ``parameters`` of methods are arrays (n,) or numbers by name. The system is that of the moment at which
/// the batch was made.
#[pyclass(frozen, module = "dualbody")]
pub struct Batch {
    stepper: Arc<Stepper>,
    n: usize,
    threads: usize,
    members: Mutex<Members>,
    /// Values of the parameters of the system, and the positions of those that were asked for by name.
    defaults: Vec<f64>,
    known: Mutex<HashMap<String, usize>>,
}

/// What copies are to do, as matrices with columns for each of them, or for all.
struct Given {
    starts: DMatrix<f64>,
    time: f64,
    steps: usize,
    inputs: Option<DMatrix<f64>>,
    settings: Settings,
    seeds: Option<Vec<u64>>,
}

/// Values of parameters: those that derivatives are taken by first, then others.
struct Settings {
    by: Vec<String>,
    others: Vec<String>,
    values: Option<DMatrix<f64>>,
}

impl Given {
    fn plan(&self) -> BatchPlan<'_> {
        BatchPlan {
            starts: &self.starts,
            time: self.time,
            steps: self.steps,
            inputs: self.inputs.as_ref(),
            parameters: self.settings.values.as_ref(),
            seeds: self.seeds.as_deref(),
        }
    }
}

impl Batch {
    /// An array of this shape, or of one with the copies before it, as columns of its last axis.
    fn columns(
        &self,
        value: &Bound<'_, PyAny>,
        quantity: &str,
        shape: &[usize],
    ) -> Outcome<DMatrix<f64>> {
        let read = numbers(value, quantity)?;
        let found = read.shape.clone();
        let is_own = found.len() == shape.len() + 1 && found[0] == self.n && found[1..] == *shape;
        if found != shape && !is_own {
            let own: Vec<_> = shape.iter().map(usize::to_string).collect();
            let own = own.join(", ");
            let expected = format!("({}, {own}) or ({own})", self.n);
            return Err(wrong_shape(quantity, &found, &expected));
        }
        let (rows, before) = shape
            .split_last()
            .map_or((1, &[][..]), |(last, before)| (*last, before));
        let copies = if is_own { self.n } else { 1 };
        let columns = before.iter().product::<usize>() * copies;
        Ok(DMatrix::from_vec(rows, columns, read.finite(quantity)?))
    }

    fn columns_if_given(
        &self,
        value: Option<&Bound<'_, PyAny>>,
        quantity: &str,
        shape: &[usize],
    ) -> Outcome<Option<DMatrix<f64>>> {
        value
            .map(|value| self.columns(value, quantity, shape))
            .transpose()
    }

    /// The states at the start, of each copy.
    fn starts(&self, value: &Bound<'_, PyAny>, quantity: &str) -> Outcome<DMatrix<f64>> {
        let starts = self.columns(value, quantity, &[state_size(&self.stepper)])?;
        Ok(match starts.ncols() {
            1 => DMatrix::from_fn(starts.nrows(), self.n, |i, _| starts[i]),
            _ => starts,
        })
    }

    /// Inputs with a column for each step, and how many steps; (nu,) are the same for all steps, of which the number is given.
    fn inputs(
        &self,
        value: Option<&Bound<'_, PyAny>>,
        steps: Option<usize>,
    ) -> Outcome<(Option<DMatrix<f64>>, usize)> {
        let nu = self.stepper.num_inputs();
        let Some(value) = value else {
            let steps = steps
                .ok_or_else(|| Failure::argument("steps: expected, where there are no inputs"))?;
            checked("steps", steps, nu)?;
            return Ok((None, steps));
        };
        let read = numbers(value, "u")?;
        let found = read.shape.clone();
        let steps = match (&found[..], steps) {
            ([size], Some(steps)) if *size == nu => {
                checked("steps", steps, nu)?;
                let values = read.finite("u")?;
                return Ok((Some(DMatrix::from_fn(nu, steps, |i, _| values[i])), steps));
            }
            ([.., steps, _], None) => *steps,
            (_, Some(steps)) => steps,
            (found, None) => {
                let expected = format!("({}, steps, {nu}) or (steps, {nu})", self.n);
                return Err(wrong_shape("u", found, &expected));
            }
        };
        Ok((Some(self.columns(value, "u", &[steps, nu])?), steps))
    }

    /// The position of a parameter, which takes all names of the system the first time.
    fn parameter_index(&self, name: &str) -> Outcome<usize> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&index) = known.get(name) {
            return Ok(index);
        }
        let index = self.stepper.parameter_index(name)?;
        known.insert(name.to_owned(), index);
        Ok(index)
    }

    /// Values of parameters by name, for each copy or for all.
    fn values(&self, by_name: &Bound<'_, PyDict>) -> Outcome<Vec<(String, DMatrix<f64>)>> {
        let values = by_name.iter().map(|(name, value)| {
            let name: String = name.extract()?;
            self.parameter_index(&name)?;
            let value = self.columns(&value, &name, &[])?;
            Ok((name, value))
        });
        values.collect()
    }

    fn settings(
        &self,
        parameters: Option<&Bound<'_, PyDict>>,
        by: Vec<String>,
    ) -> Outcome<Settings> {
        let indices = by.iter().map(|name| self.parameter_index(name));
        let mut indices = indices.collect::<Outcome<Vec<_>>>()?;
        let Some(given) = parameters.filter(|given| !given.is_empty()) else {
            let (others, values) = (Vec::new(), None);
            return Ok(Settings { by, others, values });
        };
        let mut rows: Vec<_> = (indices.iter())
            .map(|&index| DMatrix::from_element(1, 1, self.defaults[index]))
            .collect();
        let mut others = Vec::new();
        for (name, row) in self.values(given)? {
            let index = self.parameter_index(&name)?;
            match indices.iter().position(|other| *other == index) {
                Some(at) => rows[at] = row,
                None => {
                    indices.push(index);
                    others.push(name);
                    rows.push(row);
                }
            }
        }
        let values = Some(stacked_rows(&rows));
        Ok(Settings { by, others, values })
    }

    #[allow(clippy::too_many_arguments)]
    fn given(
        &self,
        x0: &Bound<'_, PyAny>,
        u: Option<&Bound<'_, PyAny>>,
        steps: Option<usize>,
        parameters: Option<&Bound<'_, PyDict>>,
        by: Vec<String>,
        time: f64,
        seeds: Option<Vec<u64>>,
    ) -> Outcome<Given> {
        let starts = self.starts(x0, "x0")?;
        let (inputs, steps) = self.inputs(u, steps)?;
        checked(
            "steps of all copies",
            steps.saturating_mul(self.n),
            starts.nrows() + self.stepper.num_outputs(),
        )?;
        let settings = self.settings(parameters, by)?;
        Ok(Given {
            starts,
            time,
            steps,
            inputs,
            settings,
            seeds,
        })
    }

    /// The same for one step.
    fn given_of_step(
        &self,
        x: &Bound<'_, PyAny>,
        u: Option<&Bound<'_, PyAny>>,
        parameters: Option<&Bound<'_, PyDict>>,
        by: Vec<String>,
        time: f64,
    ) -> Outcome<Given> {
        Ok(Given {
            starts: self.starts(x, "x")?,
            time,
            steps: 1,
            inputs: self.columns_if_given(u, "u", &[self.stepper.num_inputs()])?,
            settings: self.settings(parameters, by)?,
            seeds: None,
        })
    }

    /// The batch of the library with these parameters.
    fn members(&self, settings: &Settings) -> Outcome<MutexGuard<'_, Members>> {
        let mut members = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        members.select(&borrowed(&settings.by), &borrowed(&settings.others))?;
        Ok(members)
    }
}

/// Rows of one column, or of as many as the longest has, as one matrix.
fn stacked_rows(rows: &[DMatrix<f64>]) -> DMatrix<f64> {
    let columns = rows.iter().map(DMatrix::ncols).max().unwrap_or(1);
    DMatrix::from_fn(rows.len(), columns, |i, k| rows[i][k % rows[i].ncols()])
}

/// The columns of a matrix as an array of this shape.
fn as_array<'py>(py: Python<'py>, matrix: DMatrix<f64>, shape: &[usize]) -> Outcome<Array<'py>> {
    array(py, matrix.data.into(), shape)
}

/// Blocks of columns of a matrix, (n, rows, columns), in the memory of the matrix.
fn blocks<'py>(
    py: Python<'py>,
    matrix: DMatrix<f64>,
    [n, rows, columns]: [usize; 3],
) -> Outcome<Array<'py>> {
    let by_columns = as_array(py, matrix, &[n, columns, rows])?;
    Ok(by_columns.permute(Some(vec![0, 2, 1]))?)
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (system, n, threads=0))]
    fn new(system: &Bound<'_, System>, n: usize, threads: usize) -> Outcome<Self> {
        if n == 0 {
            return Err(Failure::argument("found n = 0, expected at least one copy"));
        }
        const MOST: usize = 1 << 24;
        if n > MOST {
            let text = format!("n: {n} copies are too many, at most {MOST}");
            return Err(Failure::argument(text));
        }
        let stepper = system.get().stepper();
        let members = Members::new(&stepper, &[])?.with_threads(threads)?;
        Ok(Batch {
            threads: members.threads(),
            members: Mutex::new(members),
            defaults: stepper.parameters().iter().map(|p| p.value).collect(),
            known: Mutex::default(),
            stepper,
            n,
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
        self.threads
    }

    fn __repr__(&self) -> String {
        let Batch { n, threads, .. } = self;
        format!("<dualbody.Batch: {n} copies, {threads} threads>")
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
        let given = self.given_of_step(x, u, parameters, vec![], time)?;
        let ends = py.detach(|| {
            let mut ends = DMatrix::zeros(0, 0);
            (self.members(&given.settings)?).ends(&given.plan(), &mut ends)?;
            Ok::<_, Failure>(ends)
        })?;
        as_array(py, ends, &[self.n, given.starts.nrows()])
    }

    /// The states (n, N + 1, nx) and outputs (n, N, ny) of N steps from ``x0`` (n, nx) with ``u`` (n, N, nu), or (nu,) of all.
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
        let given = self.given(x0, u, steps, parameters, vec![], time, seeds)?;
        let found = py.detach(|| {
            let mut found = BatchRollouts::default();
            (self.members(&given.settings)?).rollouts(&given.plan(), &mut found)?;
            Ok::<_, Failure>(found)
        })?;
        self.rollout_arrays(py, found, given.steps)
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
        let np = by.len();
        let given = self.given_of_step(x, u, parameters, by, time)?;
        let nx = given.starts.nrows();
        checked("n", self.n, nx * (1 + nx + self.stepper.num_inputs() + np))?;
        let found = py.detach(|| {
            let mut found = BatchJacobians::default();
            (self.members(&given.settings)?).step_jacobians(&given.plan(), &mut found)?;
            Ok::<_, Failure>(found)
        })?;
        let (n, nx, nu) = (self.n, given.starts.nrows(), self.stepper.num_inputs());
        Ok((
            as_array(py, found.ends, &[n, nx])?,
            blocks(py, found.state, [n, nx, nx])?,
            blocks(py, found.input, [n, nx, nu])?,
            blocks(py, found.parameters, [n, nx, np])?,
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
        let np = by.len();
        let given = self.given(x0, u, steps, parameters, by, time, None)?;
        let [states, outputs] = self.covectors(dstates, doutputs, given.steps)?;
        let covectors = BatchCovectors {
            states: states.as_ref(),
            outputs: outputs.as_ref(),
        };
        let found = py.detach(|| {
            let mut found = BatchGradients::default();
            (self.members(&given.settings)?).pull_back(&given.plan(), &covectors, &mut found)?;
            Ok::<_, Failure>(found)
        })?;
        let (n, nu) = (self.n, self.stepper.num_inputs());
        Ok((
            as_array(py, found.starts, &[n, given.starts.nrows()])?,
            as_array(py, found.inputs, &[n, given.steps, nu])?,
            as_array(py, found.parameters, &[n, np])?,
        ))
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
        let (by, of_parameters) = self.slopes(dparameters)?;
        let given = self.given(x0, u, steps, parameters, by, time, None)?;
        let nu = self.stepper.num_inputs();
        let of_starts = self.columns_if_given(dx0, "dx0", &[given.starts.nrows()])?;
        let of_inputs = self.columns_if_given(du, "du", &[given.steps, nu])?;
        let directions = BatchDirections {
            starts: of_starts.as_ref(),
            inputs: of_inputs.as_ref(),
            parameters: Some(&of_parameters),
            ..BatchDirections::new(1)
        };
        let found = py.detach(|| {
            let mut found = BatchRollouts::default();
            (self.members(&given.settings)?).push_forward(
                &given.plan(),
                &directions,
                &mut found,
            )?;
            Ok::<_, Failure>(found)
        })?;
        self.rollout_arrays(py, found, given.steps)
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
        let indices = self.stepper.parameter_indices(&by)?;
        let given = self.given(x0, u, steps, parameters, vec![], time, None)?;
        let (nx, nu, steps) = (given.starts.nrows(), self.stepper.num_inputs(), given.steps);
        let [states, outputs] = self.covectors(dstates, doutputs, steps)?;
        let of_starts = self.columns_if_given(dx0, "dx0", &[nx])?;
        let of_inputs = self.columns_if_given(du, "du", &[steps, nu])?;
        let (names, of_parameters) = self.slopes(dparameters)?;
        let changing = self.stepper.parameter_indices(&names)?;
        let ny = self.stepper.num_outputs();
        let found = py.detach(|| {
            let set = self.stepper.parameter_indices(&given.settings.others)?;
            let values = given.settings.values.as_ref();
            let change = |lane: usize| {
                let mut own = self.stepper.clone();
                if !set.is_empty() {
                    let values = set.iter().copied().zip(of_lane(values, set.len(), lane));
                    Arc::make_mut(&mut own).set_parameters(&values.collect::<Vec<_>>())?;
                }
                let of = |part: &Option<DMatrix<f64>>, size| of_lane(part.as_ref(), size, lane);
                let slopes = of_lane(Some(&of_parameters), changing.len(), lane);
                let plan = Plan {
                    start: &of_lane(Some(&given.starts), nx, lane),
                    time,
                    inputs: &of(&given.inputs, nu * steps),
                    steps,
                };
                let covector = (
                    &of(&states, nx * (steps + 1))[..],
                    &of(&outputs, ny * steps)[..],
                );
                let direction = Direction {
                    start: &of(&of_starts, nx),
                    inputs: &of(&of_inputs, nu * steps),
                    parameters: &changing.iter().copied().zip(slopes).collect::<Vec<_>>(),
                };
                change_of_gradient(&own, &indices, &plan, covector, &direction)
            };
            let members = self.members(&given.settings)?;
            let changes = members.map(self.n, change).into_iter().enumerate();
            changes
                .map(|(lane, change)| change.map_err(|failure| failure.of_copy(lane)))
                .collect::<Outcome<Vec<_>>>()
        })?;
        let of_all = |of: fn(Gradient) -> Vec<f64>| found.iter().cloned().flat_map(of).collect();
        Ok((
            array(py, of_all(|change| change.start), &[self.n, nx])?,
            array(py, of_all(|change| change.inputs), &[self.n, steps, nu])?,
            array(py, of_all(|change| change.parameters), &[self.n, by.len()])?,
        ))
    }
}

impl Batch {
    fn rollout_arrays<'py>(
        &self,
        py: Python<'py>,
        found: BatchRollouts,
        steps: usize,
    ) -> Outcome<(Array<'py>, Array<'py>)> {
        let (nx, ny) = (found.states.nrows(), found.outputs.nrows());
        Ok((
            as_array(py, found.states, &[self.n, steps + 1, nx])?,
            as_array(py, found.outputs, &[self.n, steps, ny])?,
        ))
    }

    fn covectors(
        &self,
        dstates: Option<&Bound<'_, PyAny>>,
        doutputs: Option<&Bound<'_, PyAny>>,
        steps: usize,
    ) -> Outcome<[Option<DMatrix<f64>>; 2]> {
        let (nx, ny) = (state_size(&self.stepper), self.stepper.num_outputs());
        Ok([
            self.columns_if_given(dstates, "dstates", &[steps + 1, nx])?,
            self.columns_if_given(doutputs, "doutputs", &[steps, ny])?,
        ])
    }

    /// Names of parameters, and how each changes.
    fn slopes(&self, by_name: Option<&Bound<'_, PyDict>>) -> Outcome<(Vec<String>, DMatrix<f64>)> {
        let slopes = by_name.map_or_else(|| Ok(Vec::new()), |by_name| self.values(by_name))?;
        let (names, rows): (Vec<_>, Vec<_>) = slopes.into_iter().unzip();
        Ok((names, stacked_rows(&rows)))
    }
}

/// The entries of a copy, of which each has so many, or all the same; zeros of what is not given.
fn of_lane(columns: Option<&DMatrix<f64>>, size: usize, lane: usize) -> Vec<f64> {
    match columns.map(DMatrix::as_slice) {
        None => vec![0.0; size],
        Some(shared) if shared.len() == size => shared.to_vec(),
        Some(all) => all[lane * size..(lane + 1) * size].to_vec(),
    }
}
