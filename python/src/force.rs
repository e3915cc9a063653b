//! Forces that are functions of Python.

use crate::array::numbers;
use crate::error::Outcome;
use crate::system::System;
use dualbody::force::{ForceContext, ForceElement, ForceError, Forces};
use dualbody::nalgebra::DMatrix;
use dualbody::{DefaultScalar, InvalidInput, Scalar};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::sync::Arc;

/// Forces on velocity coordinates, from a function of Python; for trying things: every call takes the interpreter.
///
/// It holds no scalar: values come from Python in `f64`, and derivatives of first order by its Jacobian or by differences.
#[derive(Clone)]
struct PythonForce {
    name: String,
    functions: Arc<Functions>,
}

struct Functions {
    /// Forces (nv,) of positions, velocities and time.
    force: Py<PyAny>,
    /// Their Jacobians (nv, nq), (nv, nv) of the same.
    jacobian: Option<Py<PyAny>>,
}

impl std::fmt::Debug for PythonForce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PythonForce({:?})", self.name)
    }
}

/// The step of a central difference, relative to the size of an entry or 1: the cube root of round-off.
const DIFFERENCE: f64 = 6e-6;

impl PythonForce {
    /// An element has no error for what another language says, but its name is its own.
    fn fail(&self, reason: impl ToString) -> ForceError {
        ForceError::InvalidElement {
            name: format!("{}: {}", self.name, reason.to_string()),
            source: InvalidInput::OutOfRange {
                quantity: "force",
                index: None,
                value: f64::NAN,
                expected: "what the function of Python should return",
            },
        }
    }

    fn value(&self, q: &[f64], v: &[f64], time: f64) -> Result<Vec<f64>, ForceError> {
        let size = v.len();
        let called = Python::attach(|py| {
            let arguments = (
                PyArray1::from_slice(py, q),
                PyArray1::from_slice(py, v),
                time,
            );
            let force = self.functions.force.bind(py).call1(arguments)?;
            numbers(&force, "force").map_err(PyErr::from)
        });
        let force = called.map_err(|error| self.fail(error))?;
        match force.shape[..] {
            [n] if n == size => Ok(force.values),
            _ => Err(self.fail(format!(
                "a force of the shape {:?}, expected [{size}]",
                force.shape
            ))),
        }
    }

    /// By positions and velocities.
    fn slopes(&self, q: &[f64], v: &[f64], time: f64) -> Result<DMatrix<f64>, ForceError> {
        let (nq, nv) = (q.len(), v.len());
        let mut slopes = DMatrix::zeros(nv, nq + nv);
        if self.functions.jacobian.is_none() {
            let mut point: Vec<f64> = q.iter().chain(v).copied().collect();
            for k in 0..point.len() {
                let (x, h) = (point[k], DIFFERENCE * point[k].abs().max(1.0));
                let mut at = |x: f64| {
                    point[k] = x;
                    self.value(&point[..nq], &point[nq..], time)
                };
                let (above, below) = (at(x + h)?, at(x - h)?);
                point[k] = x;
                for (i, (above, below)) in above.iter().zip(&below).enumerate() {
                    slopes[(i, k)] = (above - below) / (2.0 * h);
                }
            }
            return Ok(slopes);
        }
        let called = Python::attach(|py| {
            let arguments = (
                PyArray1::from_slice(py, q),
                PyArray1::from_slice(py, v),
                time,
            );
            let Some(jacobian) = &self.functions.jacobian else {
                return Ok(Vec::new());
            };
            let pair = jacobian.bind(py).call1(arguments)?;
            let part = |k: usize| {
                numbers(&pair.get_item(k)?, "Jacobian of the force").map_err(PyErr::from)
            };
            Ok::<_, PyErr>(vec![part(0)?, part(1)?])
        });
        let parts = called.map_err(|error| self.fail(error))?;
        let mut first = 0;
        for (part, columns) in parts.iter().zip([nq, nv]) {
            if part.shape != [nv, columns] {
                let (found, expected) = (&part.shape, [nv, columns]);
                return Err(self.fail(format!(
                    "a Jacobian of the shape {found:?}, expected {expected:?}"
                )));
            }
            let part = DMatrix::from_row_slice(nv, columns, &part.values);
            slopes.columns_mut(first, columns).copy_from(&part);
            first += columns;
        }
        Ok(slopes)
    }
}

impl<T: Scalar> ForceElement<T> for PythonForce {
    type Cast<U: DefaultScalar> = PythonForce;

    fn cast<U: DefaultScalar>(&self) -> PythonForce {
        self.clone()
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        if T::NDERIV > 1 {
            return Err(self.fail("it has no derivatives of second order"));
        }
        let [q, v] = [context.q(), context.v()];
        let [re_q, re_v] = [q, v].map(|x| x.iter().map(|x| x.re()).collect::<Vec<f64>>());
        let time = context.time().re();
        let values = self.value(&re_q, &re_v, time)?;
        InvalidInput::check_finite("force of Python", &values)
            .map_err(ForceError::invalid(&self.name))?;
        let mut out: Vec<T> = values.into_iter().map(T::from).collect();
        if T::NDERIV > 0 {
            let slopes = self.slopes(&re_q, &re_v, time)?;
            for (i, out) in out.iter_mut().enumerate() {
                for (k, x) in q.iter().chain(v).enumerate() {
                    *out += x.infinitesimal() * T::from(slopes[(i, k)]);
                }
            }
        }
        forces.add_all_generalized(&out)
    }
}

#[pymethods]
impl System {
    /// The system with a force that is a function of Python, for trying things: it is slower by far, since every evaluation
    /// takes the interpreter, and batches gain nothing from threads.
    ///
    /// ``force(q, v, time)`` returns forces (nv,) on the velocity coordinates. ``jacobian(q, v, time)`` returns their
    /// derivatives by ``q`` (nv, nq) and by ``v`` (nv, nv); without it they are central differences, good to some ten digits,
    /// and the system says so by a warning. Derivatives are of first order. The system cannot be written as JSON.
    #[pyo3(signature = (name, force, jacobian=None))]
    fn with_force(
        &self,
        py: Python<'_>,
        name: String,
        force: Py<PyAny>,
        jacobian: Option<Py<PyAny>>,
    ) -> Outcome<System> {
        if jacobian.is_none() {
            let warnings = py.import("warnings")?;
            let text =
                format!("derivatives of the force {name:?} are differences: it has no jacobian");
            warnings.call_method1("warn", (text,))?;
        }
        let force = PythonForce {
            name,
            functions: Arc::new(Functions { force, jacobian }),
        };
        let stepper = (*self.stepper()).clone();
        let stepper = py.detach(|| stepper.with_forces([force]))?;
        Ok(self.with(stepper))
    }
}
