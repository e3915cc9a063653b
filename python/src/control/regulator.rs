//! Regulators at rest.

use crate::array::{array1, matrix, numbers, vector, wrong_shape};
use crate::error::Outcome;
use crate::system::{Stepper, System, entries, state_of, state_size};
use dualbody::nalgebra::DMatrix;
use dualbody_control::{RestingRegulator, regulator_at_rest};
use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use std::sync::Arc;

/// A state at rest and the regulator that holds it there, ``u - K δ`` with the displacement δ from that state.
#[pyclass(frozen, module = "dualbody")]
pub struct Regulator {
    stepper: Arc<Stepper>,
    found: RestingRegulator,
}

/// A square matrix of so many rows.
fn square(value: &Bound<'_, PyAny>, quantity: &str, n: usize) -> Outcome<DMatrix<f64>> {
    let read = numbers(value, quantity)?;
    if read.shape != [n, n] {
        return Err(wrong_shape(quantity, &read.shape, &format!("({n}, {n})")));
    }
    Ok(DMatrix::from_row_slice(n, n, &read.finite(quantity)?))
}

#[pymethods]
impl System {
    /// The :class:`Regulator` about the equilibrium near the state ``x`` (nx,) with the inputs ``u`` (nu,), under contact and
    /// constraints: the least of ``Σ δᵀQδ + (u - u0)ᵀR(u - u0)`` over all steps, with ``Q`` (nd, nd) and ``R`` (nu, nu).
    #[pyo3(signature = (x, u=None, *, Q, R))]
    #[allow(non_snake_case)]
    fn regulator_at_rest<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        Q: &Bound<'py, PyAny>,
        R: &Bound<'py, PyAny>,
    ) -> Outcome<Regulator> {
        let stepper = self.stepper();
        let (state, input) = self.at(&stepper, x, u, 0.0)?;
        let n = 2 * state.v.len() + state.actuators.len() + state.sensors.len();
        let (q, r) = (square(Q, "Q", n)?, square(R, "R", input.len())?);
        let found = py.detach(|| regulator_at_rest(&stepper, &state, &input, &q, &r))?;
        Ok(Regulator { stepper, found })
    }
}

#[pymethods]
impl Regulator {
    /// The state at rest, (nx,).
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array1(py, entries(&self.found.state).collect())
    }

    /// The inputs that hold it, (nu,).
    #[getter]
    fn u<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array1(py, self.found.input.clone())
    }

    /// The gain, (nu, nd).
    #[getter(K)]
    fn gain<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
        matrix(py, &self.found.regulator.gain)
    }

    /// The solution of Riccati's equation, (nd, nd): the cost from a displacement δ on is ``δᵀPδ``.
    #[getter(P)]
    fn cost<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
        matrix(py, &self.found.regulator.cost)
    }

    /// The input (nu,) for a state ``x`` (nx,).
    fn input<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
    ) -> Outcome<Bound<'py, PyArray1<f64>>> {
        let x = vector(x, "x", state_size(&self.stepper))?;
        let state = state_of(&self.stepper, &x, 0.0);
        Ok(array1(py, self.found.input_for(&state)?))
    }

    fn __repr__(&self) -> String {
        let (m, n) = self.found.regulator.gain.shape();
        format!("<dualbody.Regulator: {m} inputs of {n} displacements>")
    }
}
