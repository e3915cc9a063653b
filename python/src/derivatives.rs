//! Derivatives of steps and rollouts.

use crate::array::{array, array1, matrix, numbers, vector, vector_or_zeros, wrong_shape};
use crate::curvature::change_of_gradient;
use crate::error::{Failure, Outcome};
use crate::rollout::inputs;
use crate::system::{Stepper, System, entries, state_size};
use crate::trajectory::{Direction, Plan, pull_back, tangent, tangents};
use dualbody::Parameters;
use dualbody::math::SparseColumns;
use dualbody::nalgebra::DMatrix;
use dualbody::system::{Adjoint, BatchDirections, LinearModel, SparseStepJacobian, StepJacobian};
use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;

/// The derivatives of a step, by the entries of the state as they are: ``x`` (nx,) after the step, ``A`` (nx, nx), ``B`` (nx, nu),
/// ``P`` (nx, np) by parameters; of the outputs ``y`` (ny,): ``C`` (ny, nx), ``D`` (ny, nu), ``Q`` (ny, np).
///
/// ``A``, ``B`` and ``P`` are matrices of ``scipy.sparse`` if that was asked for.
#[pyclass(frozen, get_all, module = "dualbody", name = "StepJacobian")]
pub struct Jacobian {
    x: Py<PyArray1<f64>>,
    y: Py<PyArray1<f64>>,
    #[pyo3(name = "A")]
    a: Py<PyAny>,
    #[pyo3(name = "B")]
    b: Py<PyAny>,
    #[pyo3(name = "P")]
    p: Py<PyAny>,
    #[pyo3(name = "C")]
    c: Py<PyArrayDyn<f64>>,
    #[pyo3(name = "D")]
    d: Py<PyArrayDyn<f64>>,
    #[pyo3(name = "Q")]
    q: Py<PyArrayDyn<f64>>,
}

/// A step, or the rates of continuous time, to first order: ``A``, ``B``, ``C``, ``D``, of displacements in tangent space
/// with the names ``states``, ``inputs``, ``outputs``; ``base``, the state after the step or the rates; ``output``.
#[pyclass(frozen, get_all, module = "dualbody", name = "LinearModel")]
pub struct Linear {
    #[pyo3(name = "A")]
    a: Py<PyArrayDyn<f64>>,
    #[pyo3(name = "B")]
    b: Py<PyArrayDyn<f64>>,
    #[pyo3(name = "C")]
    c: Py<PyArrayDyn<f64>>,
    #[pyo3(name = "D")]
    d: Py<PyArrayDyn<f64>>,
    states: Vec<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    base: Py<PyArray1<f64>>,
    output: Py<PyArray1<f64>>,
}

fn linear<X>(
    py: Python<'_>,
    model: LinearModel<X>,
    base: impl Fn(&X) -> Vec<f64>,
) -> Outcome<Linear> {
    Ok(Linear {
        a: matrix(py, &model.a)?.unbind(),
        b: matrix(py, &model.b)?.unbind(),
        c: matrix(py, &model.c)?.unbind(),
        d: matrix(py, &model.d)?.unbind(),
        base: array1(py, base(&model.base)).unbind(),
        output: array1(py, model.output.as_slice().to_vec()).unbind(),
        states: model.states,
        inputs: model.inputs,
        outputs: model.outputs,
    })
}

/// A matrix of `scipy.sparse`, by columns.
fn sparse(py: Python<'_>, columns: &SparseColumns) -> PyResult<Py<PyAny>> {
    let (mut values, mut rows, mut starts) = (Vec::new(), Vec::new(), vec![0i64]);
    for column in 0..columns.num_columns() {
        for (row, value) in columns.column(column) {
            rows.push(row as i64);
            values.push(value);
        }
        starts.push(rows.len() as i64);
    }
    let shape = (columns.num_rows(), columns.num_columns());
    let parts = (
        PyArray1::from_vec(py, values),
        PyArray1::from_vec(py, rows),
        PyArray1::from_vec(py, starts),
    );
    let matrix = py.import("scipy.sparse")?.getattr("csc_array")?;
    Ok(matrix.call1((parts, shape))?.unbind())
}

/// Names as the library takes them.
pub fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

#[pymethods]
impl System {
    /// The derivatives of the step from ``x`` (nx,) with ``u`` (nu,), also by the parameters of these names.
    ///
    /// They are by the entries of the state as they are: those along a quaternion are zero for the rotation, and products
    /// over steps are derivatives of rollouts. :meth:`linearize` has them in tangent space. ``sparse`` needs scipy.
    #[pyo3(signature = (x, u=None, *, parameters=vec![], time=0.0, sparse=false))]
    fn step_jacobian<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        parameters: Vec<String>,
        time: f64,
        sparse: bool,
    ) -> Outcome<Jacobian> {
        let stepper = self.stepper();
        let (state, input) = self.at(&stepper, x, u, time)?;
        let mut dense = StepJacobian::default();
        let mut by_columns = SparseStepJacobian::default();
        let (next, output, of_outputs) = py.detach(|| {
            self.with_differentiator(&stepper, &parameters, |differentiator| {
                let next = match sparse {
                    true => differentiator.sparse_jacobian(&state, &input, &mut by_columns)?,
                    false => differentiator.jacobian(&state, &input, &mut dense)?,
                };
                let next = entries(next).collect::<Vec<f64>>();
                let mut of_outputs = StepJacobian::default();
                let output = differentiator.output_jacobian(&state, &input, &mut of_outputs)?;
                Ok::<_, Failure>((next, output.as_slice().to_vec(), of_outputs))
            })
        })?;
        let [a, b, p] = match sparse {
            true => {
                let SparseStepJacobian {
                    state,
                    input,
                    parameters,
                    ..
                } = &by_columns;
                [
                    self::sparse(py, state)?,
                    self::sparse(py, input)?,
                    self::sparse(py, parameters)?,
                ]
            }
            false => {
                let of = |m: &DMatrix<f64>| Ok::<_, Failure>(matrix(py, m)?.into_any().unbind());
                [of(&dense.state)?, of(&dense.input)?, of(&dense.parameters)?]
            }
        };
        Ok(Jacobian {
            x: array1(py, next).unbind(),
            y: array1(py, output).unbind(),
            a,
            b,
            p,
            c: matrix(py, &of_outputs.state)?.unbind(),
            d: matrix(py, &of_outputs.input)?.unbind(),
            q: matrix(py, &of_outputs.parameters)?.unbind(),
        })
    }

    /// The linear model of the step from ``x`` (nx,) with ``u`` (nu,), or of the rates of continuous time, in tangent space.
    #[pyo3(signature = (x, u=None, *, time=0.0, continuous=false))]
    fn linearize<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        time: f64,
        continuous: bool,
    ) -> Outcome<Linear> {
        let stepper = self.stepper();
        let (state, input) = self.at(&stepper, x, u, time)?;
        if continuous {
            let model = py.detach(|| stepper.system().linearize(&state, &input))?;
            return linear(py, model, |rates| rates.as_slice().to_vec());
        }
        let model = py.detach(|| {
            self.with_differentiator(&stepper, &[], |differentiator| {
                Ok(differentiator.linearize(&state, &input)?)
            })
        })?;
        linear(py, model, |next| entries(next).collect())
    }

    /// The displacement between two states (nx,), in tangent space, as :meth:`linearize` counts it.
    fn displacement<'py>(
        &self,
        py: Python<'py>,
        x0: &Bound<'py, PyAny>,
        x1: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let stepper = self.stepper();
        let (from, _) = self.at(&stepper, x0, None, 0.0)?;
        let (to, _) = self.at(&stepper, x1, None, 0.0)?;
        Ok(array1(
            py,
            stepper.displacement(&from, &to)?.as_slice().to_vec(),
        ))
    }

    /// The state (nx,) that a displacement ``dx`` (2 nv + na + ns,) leads to from ``x`` (nx,), the inverse of
    /// :meth:`displacement`.
    fn displace<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        dx: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let stepper = self.stepper();
        let (from, _) = self.at(&stepper, x, None, 0.0)?;
        let dx = vector(dx, "dx", from.num_displacements())?;
        let mut to = from.clone();
        from.displace(stepper.tree(), &dx, &mut to)?;
        Ok(array1(py, entries(&to).collect()))
    }

    /// For each unit the kink nearest to the step from ``x`` (nx,) with ``u`` (nu,): a list of ``(distance, unit)``. At a
    /// distance of zero derivatives are one-sided.
    #[pyo3(signature = (x, u=None, *, time=0.0))]
    fn nearest_kinks<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        time: f64,
    ) -> Outcome<Vec<(f64, &'static str)>> {
        let stepper = self.stepper();
        let (state, input) = self.at(&stepper, x, u, time)?;
        py.detach(|| {
            self.with_steps(&stepper, |workspace| {
                let step = stepper.step(workspace, &state, &input)?;
                let kinks = step.status().nearest_kinks.iter();
                Ok(kinks.map(|kink| (kink.distance(), kink.unit())).collect())
            })
        })
    }

    /// How a rollout changes: the derivatives of its states (N + 1, nx) and outputs (N, ny) in a direction of the state at
    /// the start ``dx0`` (nx,), of the inputs ``du`` (N, nu), and of parameters, by name.
    #[pyo3(signature = (x0, u=None, steps=None, *, dx0=None, du=None, dparameters=None, time=0.0))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn rollout_jvp<'py>(
        &self,
        py: Python<'py>,
        x0: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        dx0: Option<&Bound<'py, PyAny>>,
        du: Option<&Bound<'py, PyAny>>,
        dparameters: Option<std::collections::BTreeMap<String, f64>>,
        time: f64,
    ) -> Outcome<(Bound<'py, PyArrayDyn<f64>>, Bound<'py, PyArrayDyn<f64>>)> {
        let stepper = self.stepper();
        let (nx, nu, ny) = (
            state_size(&stepper),
            stepper.num_inputs(),
            stepper.num_outputs(),
        );
        let start = vector(x0, "x0", nx)?;
        let (inputs, steps) = inputs(u, steps, nu)?;
        let (names, along) = Along::read(&stepper, [dx0, du], dparameters, steps)?;
        let direction = along.direction();
        let plan = Plan {
            start: &start,
            time,
            inputs: &inputs,
            steps,
        };
        let found = py.detach(|| {
            self.with_batch(&stepper, &names, |batch| tangent(batch, &plan, &direction))
        })?;
        Ok((
            array(py, found.states.data.into(), &[steps + 1, nx])?,
            array(py, found.outputs.data.into(), &[steps, ny])?,
        ))
    }

    /// How far the derivatives of a rollout hold in a direction, as :meth:`rollout_jvp` takes it: ``(radius, nearest)``, the largest
    /// factor of the direction, to either side, for which nothing on the way is decided otherwise (to first order; infinite
    /// where nothing depends on it), and what is decided otherwise there, or None. It costs a rollout in dual numbers.
    #[pyo3(signature = (x0, u=None, steps=None, *, dx0=None, du=None, dparameters=None, time=0.0))]
    #[allow(clippy::too_many_arguments)]
    fn rollout_radius<'py>(
        &self,
        py: Python<'py>,
        x0: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        dx0: Option<&Bound<'py, PyAny>>,
        du: Option<&Bound<'py, PyAny>>,
        dparameters: Option<std::collections::BTreeMap<String, f64>>,
        time: f64,
    ) -> Outcome<(f64, Option<String>)> {
        let stepper = self.stepper();
        let nu = stepper.num_inputs();
        let (start, _) = self.at(&stepper, x0, None, time)?;
        let (inputs, steps) = inputs(u, steps, nu)?;
        let (names, along) = Along::read(&stepper, [dx0, du], dparameters, steps)?;
        let found = py.detach(|| {
            let adjoint = Adjoint::new(&stepper, &borrowed(&names))?;
            let mut direction = adjoint.zero_gradient(&start, steps);
            direction.initial_state.copy_from_slice(&along.start);
            direction.inputs.copy_from_slice(&along.inputs);
            for (entry, (_, slope)) in direction.parameters.iter_mut().zip(&along.parameters) {
                *entry = *slope;
            }
            let inputs = DMatrix::from_column_slice(nu, steps, &inputs);
            Ok::<_, Failure>(adjoint.radius_along(&direction, &start, &inputs)?)
        })?;
        Ok((found.radius, found.nearest.map(|it| it.to_string())))
    }

    /// The derivatives of a rollout by parameters: of its states (np, N + 1, nx) and outputs (np, N, ny).
    #[pyo3(signature = (x0, u=None, steps=None, *, parameters, time=0.0))]
    #[allow(clippy::type_complexity)]
    fn rollout_jacobian<'py>(
        &self,
        py: Python<'py>,
        x0: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        parameters: Vec<String>,
        time: f64,
    ) -> Outcome<(Bound<'py, PyArrayDyn<f64>>, Bound<'py, PyArrayDyn<f64>>)> {
        let stepper = self.stepper();
        let (nx, ny, np) = (
            state_size(&stepper),
            stepper.num_outputs(),
            parameters.len(),
        );
        let start = vector(x0, "x0", nx)?;
        let (inputs, steps) = inputs(u, steps, stepper.num_inputs())?;
        let plan = Plan {
            start: &start,
            time,
            inputs: &inputs,
            steps,
        };
        let units = DMatrix::identity(np, np);
        let directions = BatchDirections {
            parameters: Some(&units),
            ..BatchDirections::new(np)
        };
        let found = py.detach(|| {
            self.with_batch(&stepper, &parameters, |batch| {
                tangents(batch, &plan, &directions)
            })
        })?;
        Ok((
            array(py, found.states.data.into(), &[np, steps + 1, nx])?,
            array(py, found.outputs.data.into(), &[np, steps, ny])?,
        ))
    }

    /// The gradient of ``sum(dstates * states) + sum(doutputs * outputs)`` of a rollout by the adjoint: by the state at the start
    /// (nx,), by the inputs (N, nu), by the parameters of these names (np,). Its cost does not grow with their number.
    #[pyo3(signature = (x0, u=None, steps=None, *, dstates=None, doutputs=None, parameters=vec![], time=0.0))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn rollout_vjp<'py>(
        &self,
        py: Python<'py>,
        x0: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        dstates: Option<&Bound<'py, PyAny>>,
        doutputs: Option<&Bound<'py, PyAny>>,
        parameters: Vec<String>,
        time: f64,
    ) -> Outcome<(
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArrayDyn<f64>>,
        Bound<'py, PyArray1<f64>>,
    )> {
        let stepper = self.stepper();
        let (nx, nu, ny) = (
            state_size(&stepper),
            stepper.num_inputs(),
            stepper.num_outputs(),
        );
        let start = vector(x0, "x0", nx)?;
        let (inputs, steps) = inputs(u, steps, nu)?;
        let of_states = covector(dstates, "dstates", &[steps + 1, nx])?;
        let of_outputs = covector(doutputs, "doutputs", &[steps, ny])?;
        let plan = Plan {
            start: &start,
            time,
            inputs: &inputs,
            steps,
        };
        let covector = (&of_states[..], &of_outputs[..]);
        let gradient = py.detach(|| {
            self.with_batch(&stepper, &parameters, |batch| {
                pull_back(batch, &plan, covector)
            })
        })?;
        Ok((
            array1(py, gradient.starts.data.into()),
            array(py, gradient.inputs.data.into(), &[steps, nu])?,
            array1(py, gradient.parameters.data.into()),
        ))
    }

    /// How the gradients of :meth:`rollout_vjp` change in a direction of the state at the start ``dx0`` (nx,), of the inputs
    /// ``du`` (N, nu), and of parameters, by name: the product of the Hessian of ``sum(dstates * states) + sum(doutputs *
    /// outputs)`` with that direction, (nx,), (N, nu), (np,). It is exact; its cost is that of N (nx + nu + np) steps.
    #[pyo3(signature = (x0, u=None, steps=None, *, dstates=None, doutputs=None, parameters=vec![], dx0=None, du=None, dparameters=None, time=0.0))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    fn rollout_hvp<'py>(
        &self,
        py: Python<'py>,
        x0: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        steps: Option<usize>,
        dstates: Option<&Bound<'py, PyAny>>,
        doutputs: Option<&Bound<'py, PyAny>>,
        parameters: Vec<String>,
        dx0: Option<&Bound<'py, PyAny>>,
        du: Option<&Bound<'py, PyAny>>,
        dparameters: Option<std::collections::BTreeMap<String, f64>>,
        time: f64,
    ) -> Outcome<(
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArrayDyn<f64>>,
        Bound<'py, PyArray1<f64>>,
    )> {
        let stepper = self.stepper();
        let (nx, nu, ny) = (
            state_size(&stepper),
            stepper.num_inputs(),
            stepper.num_outputs(),
        );
        let start = vector(x0, "x0", nx)?;
        let (inputs, steps) = inputs(u, steps, nu)?;
        let of_states = covector(dstates, "dstates", &[steps + 1, nx])?;
        let of_outputs = covector(doutputs, "doutputs", &[steps, ny])?;
        let (_, along) = Along::read(&stepper, [dx0, du], dparameters, steps)?;
        let indices = stepper.parameter_indices(&parameters)?;
        let direction = along.direction();
        let plan = Plan {
            start: &start,
            time,
            inputs: &inputs,
            steps,
        };
        let covector = (&of_states[..], &of_outputs[..]);
        let change =
            py.detach(|| change_of_gradient(&stepper, &indices, &plan, covector, &direction))?;
        Ok((
            array1(py, change.start),
            array(py, change.inputs, &[steps, nu])?,
            array1(py, change.parameters),
        ))
    }
}

/// A direction of the state at the start, the inputs and parameters of a rollout.
struct Along {
    start: Vec<f64>,
    inputs: Vec<f64>,
    parameters: Vec<(usize, f64)>,
}

impl Along {
    /// Reads `dx0`, `du` and slopes of parameters, whose names come first; zeros for what is not given.
    fn read(
        stepper: &Stepper,
        [dx0, du]: [Option<&Bound<'_, PyAny>>; 2],
        dparameters: Option<std::collections::BTreeMap<String, f64>>,
        steps: usize,
    ) -> Outcome<(Vec<String>, Self)> {
        let dparameters = dparameters.unwrap_or_default();
        let names = dparameters.keys().cloned().collect();
        let along = Along {
            start: vector_or_zeros(dx0, "dx0", state_size(stepper))?,
            inputs: covector(du, "du", &[steps, stepper.num_inputs()])?,
            parameters: slopes(stepper, dparameters)?,
        };
        Ok((names, along))
    }

    fn direction(&self) -> Direction<'_> {
        Direction {
            start: &self.start,
            inputs: &self.inputs,
            parameters: &self.parameters,
        }
    }
}

/// Slopes of parameters by their positions.
fn slopes(
    stepper: &Stepper,
    by_name: std::collections::BTreeMap<String, f64>,
) -> Outcome<Vec<(usize, f64)>> {
    let slopes = by_name.into_iter().map(|(name, slope)| {
        if !slope.is_finite() {
            return Err(Failure::argument(format!("dparameters: {name} is {slope}")));
        }
        Ok((stepper.parameter_index(&name)?, slope))
    });
    slopes.collect()
}

/// An array of this shape; zeros in place of `None`.
fn covector(
    value: Option<&Bound<'_, PyAny>>,
    quantity: &str,
    shape: &[usize],
) -> Outcome<Vec<f64>> {
    let Some(value) = value else {
        return Ok(vec![0.0; shape.iter().product()]);
    };
    let read = numbers(value, quantity)?;
    match read.shape == shape {
        true => read.finite(quantity),
        false => {
            let expected: Vec<_> = shape.iter().map(usize::to_string).collect();
            Err(wrong_shape(
                quantity,
                &read.shape,
                &format!("({})", expected.join(", ")),
            ))
        }
    }
}
