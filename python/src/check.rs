//! Jacobians of functions of Python against differences.

use crate::array::{matrix, numbers, vector, wrong_shape};
use crate::error::{Failure, Outcome};
use dualbody::InvalidInput;
use dualbody::autodiff::{EntryCheck, JacobianCheck, JacobianChecker, Verdict};
use dualbody::nalgebra::{DMatrix, DVector};
use numpy::PyArrayDyn;
use pyo3::prelude::*;

/// A Jacobian beside extrapolated differences.
#[pyclass(frozen, module = "dualbody", name = "JacobianCheck")]
pub struct Check {
    check: JacobianCheck,
    /// The differences (m, n).
    #[pyo3(get)]
    differences: Py<PyArrayDyn<f64>>,
}

/// An entry: ``row``, ``column``, what is ``claimed``, the ``difference`` and its ``error``, and a ``verdict``: ``"agrees"``,
/// ``"unresolved"``, ``"kink"`` or ``"mistake"``.
#[pyclass(frozen, get_all, module = "dualbody", name = "EntryCheck")]
pub struct Entry {
    row: usize,
    column: usize,
    claimed: f64,
    difference: f64,
    error: f64,
    verdict: &'static str,
    text: String,
}

#[pymethods]
impl Entry {
    fn __repr__(&self) -> &str {
        &self.text
    }
}

impl From<&EntryCheck> for Entry {
    fn from(entry: &EntryCheck) -> Self {
        Entry {
            row: entry.row,
            column: entry.column,
            claimed: entry.claimed,
            difference: entry.difference,
            error: entry.difference_error,
            verdict: match entry.verdict {
                Verdict::Agrees => "agrees",
                Verdict::Unresolved => "unresolved",
                Verdict::Kink => "kink",
                Verdict::Mistake => "mistake",
            },
            text: entry.to_string(),
        }
    }
}

#[pymethods]
impl Check {
    /// Whether every entry agrees: at a kink, and where differences are too noisy, none does.
    #[getter]
    fn agrees(&self) -> bool {
        self.check.agrees()
    }

    /// All entries.
    #[getter]
    fn entries(&self) -> Vec<Entry> {
        self.check.entries().iter().map(Entry::from).collect()
    }

    /// The entry that is furthest from its difference, if there is one.
    #[getter]
    fn worst(&self) -> Option<Entry> {
        self.check.worst().map(Entry::from)
    }

    fn __bool__(&self) -> bool {
        self.check.agrees()
    }

    fn __repr__(&self) -> String {
        self.check.to_string()
    }
}

/// Compares the Jacobian (m, n) of a function with extrapolated central differences at ``x`` (n,).
///
/// ``f`` takes an array (n,) and returns one (m,), or a number. ``jacobian`` is an array or a function of ``x``. An entry may be off
/// by ``absolute + relative * size`` beside the error of its difference. ``scales`` (n,) are the changes over which ``f`` is
/// smooth, ``max(|x|, 1)`` if not given.
#[pyfunction]
#[pyo3(signature = (f, x, jacobian, *, relative=1e-6, absolute=1e-8, scales=None))]
pub fn check_jacobian<'py>(
    py: Python<'py>,
    f: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    jacobian: &Bound<'py, PyAny>,
    relative: f64,
    absolute: f64,
    scales: Option<&Bound<'py, PyAny>>,
) -> Outcome<Check> {
    let x = numbers(x, "x")?;
    let [n] = x.shape[..] else {
        return Err(wrong_shape("x", &x.shape, "(n,)"));
    };
    let call = |x: &[f64]| {
        let array = crate::array::array1(py, x.to_vec());
        let y = numbers(&f.call1((array,))?, "f(x)")?;
        match y.shape.len() {
            0 | 1 => Ok::<_, Failure>(DVector::from_vec(y.values)),
            _ => Err(wrong_shape("f(x)", &y.shape, "(m,)")),
        }
    };
    let m = call(&x.values)?.len();
    let claimed = match jacobian.is_callable() {
        true => jacobian.call1((crate::array::array1(py, x.values.clone()),))?,
        false => jacobian.clone(),
    };
    let claimed = numbers(&claimed, "jacobian")?;
    let fits = claimed.shape == [m, n] || (m == 1 && claimed.shape == [n]);
    if !fits {
        return Err(wrong_shape(
            "jacobian",
            &claimed.shape,
            &format!("({m}, {n})"),
        ));
    }
    let claimed = DMatrix::from_row_slice(m, n, &claimed.values);
    let mut checker = JacobianChecker::default().tolerance(relative, absolute);
    if let Some(scales) = scales {
        checker = checker.scales(vector(scales, "scales", n)?);
    }
    let check = checker.check(|x: &[f64]| call(x).map_err(Called), &x.values, &claimed);
    let check = check.map_err(|Called(failure)| failure)?;
    let mut differences = DMatrix::zeros(m, n);
    for entry in check.entries() {
        differences[(entry.row, entry.column)] = entry.difference;
    }
    Ok(Check {
        check,
        differences: matrix(py, &differences)?.unbind(),
    })
}

/// What a function of Python, or the checker, has to say.
struct Called(Failure);

impl From<InvalidInput> for Called {
    fn from(error: InvalidInput) -> Self {
        Called(error.into())
    }
}
