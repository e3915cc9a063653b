//! Arrays of numpy.

use crate::error::{Failure, Outcome};
use dualbody::nalgebra::DMatrix;
use numpy::{
    PyArray1, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Numbers and their shape, in the order of C.
#[derive(Debug, Clone)]
pub struct Numbers {
    /// How many along each axis.
    pub shape: Vec<usize>,
    /// One after the other.
    pub values: Vec<f64>,
}

impl Numbers {
    /// The numbers, if all are finite.
    pub fn finite(self, quantity: &str) -> Outcome<Vec<f64>> {
        match self.values.iter().position(|x| !x.is_finite()) {
            None => Ok(self.values),
            Some(at) => {
                let value = self.values[at];
                Err(Failure::argument(format!(
                    "{quantity}: number {at} is {value}, expected finite numbers"
                )))
            }
        }
    }
}

/// Reads what numpy takes for an array of real numbers.
pub fn numbers(value: &Bound<'_, PyAny>, quantity: &str) -> Outcome<Numbers> {
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>() {
        return copied(array, quantity);
    }
    let py = value.py();
    let numpy = py.import("numpy")?;
    let array = numpy.call_method1("asarray", (value,)).map_err(|error| {
        Failure::argument(format!(
            "{quantity}: not an array of numbers ({})",
            error.value(py)
        ))
    })?;
    let untyped = array.cast::<PyUntypedArray>().map_err(PyErr::from)?;
    let kind = untyped.dtype().kind();
    if !matches!(kind, b'f' | b'i' | b'u') {
        let dtype = untyped.dtype().to_string();
        return Err(Failure::argument(format!(
            "{quantity}: found an array of {dtype}, expected real numbers"
        )));
    }
    let options = PyDict::new(py);
    options.set_item("dtype", "float64")?;
    options.set_item("order", "C")?;
    let array = numpy.call_method("asarray", (array,), Some(&options))?;
    copied(
        array.cast::<PyArrayDyn<f64>>().map_err(PyErr::from)?,
        quantity,
    )
}

fn copied(array: &Bound<'_, PyArrayDyn<f64>>, quantity: &str) -> Outcome<Numbers> {
    let read = array.try_readonly();
    let read = read.map_err(|error| Failure::argument(format!("{quantity}: {error}")))?;
    let view = read.as_array();
    let mut values = Vec::new();
    // A view that repeats its numbers may have more of them than memory.
    if values.try_reserve_exact(view.len()).is_err() {
        let found = view.len();
        let text = format!("{quantity}: {found} numbers are too many for the memory");
        return Err(Failure::argument(text));
    }
    match view.as_slice() {
        Some(slice) => values.extend_from_slice(slice),
        None => values.extend(view.iter().copied()),
    }
    Ok(Numbers {
        shape: view.shape().to_vec(),
        values,
    })
}

/// Reads an array of one axis with so many entries.
pub fn vector(value: &Bound<'_, PyAny>, quantity: &str, size: usize) -> Outcome<Vec<f64>> {
    let read = numbers(value, quantity)?;
    match read.shape[..] {
        [n] if n == size => read.finite(quantity),
        _ => Err(wrong_shape(quantity, &read.shape, &format!("({size},)"))),
    }
}

/// As [`vector`]; zeros in place of `None`.
pub fn vector_or_zeros(
    value: Option<&Bound<'_, PyAny>>,
    quantity: &str,
    size: usize,
) -> Outcome<Vec<f64>> {
    value.map_or_else(
        || Ok(vec![0.0; size]),
        |value| vector(value, quantity, size),
    )
}

/// An error that says what shape was found.
pub fn wrong_shape(quantity: &str, found: &[usize], expected: &str) -> Failure {
    let found: Vec<_> = found.iter().map(usize::to_string).collect();
    let comma = if found.len() == 1 { "," } else { "" };
    Failure::argument(format!(
        "{quantity}: found the shape ({}{comma}), expected {expected}",
        found.join(", ")
    ))
}

/// Numbers as an array with a shape that they fill.
pub fn array<'py>(
    py: Python<'py>,
    values: Vec<f64>,
    shape: &[usize],
) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
    Ok(PyArray1::from_vec(py, values).reshape(shape.to_vec())?)
}

/// Numbers as an array of one axis.
pub fn array1(py: Python<'_>, values: Vec<f64>) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_vec(py, values)
}

/// A matrix as an array in the order of C.
pub fn matrix<'py>(py: Python<'py>, matrix: &DMatrix<f64>) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
    array(py, row_major(matrix), &[matrix.nrows(), matrix.ncols()])
}

/// The entries of a matrix row by row.
pub fn row_major(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.transpose().data.into()
}
