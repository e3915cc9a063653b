//! Parameters as a mapping.

use crate::error::Outcome;
use crate::system::System;
use dualbody::Parameters as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The parameters of a system by name, in SI units: a mapping that is read and written.
///
/// A name may be shortened from the left as far as it stays clear: ``"knee/damping"`` for
/// ``"joint/robot/knee/damping"``.
#[pyclass(frozen, module = "dualbody")]
pub struct Parameters {
    system: Py<System>,
}

impl Parameters {
    pub fn of(system: Py<System>) -> Self {
        Parameters { system }
    }
}

/// A parameter: ``name``, ``unit``, bounds ``lower`` and ``upper``, ``value``.
#[pyclass(frozen, get_all, module = "dualbody")]
pub struct ParameterInfo {
    name: String,
    unit: String,
    lower: f64,
    upper: f64,
    value: f64,
}

#[pymethods]
impl ParameterInfo {
    fn __repr__(&self) -> String {
        let ParameterInfo {
            name,
            unit,
            lower,
            upper,
            value,
        } = self;
        format!(
            "ParameterInfo(name={name:?}, value={value}, unit={unit:?}, lower={lower}, upper={upper})"
        )
    }
}

#[pymethods]
impl Parameters {
    fn __getitem__(&self, name: &str) -> Outcome<f64> {
        Ok(self.system.get().stepper().parameter(name)?)
    }

    fn __setitem__(&self, name: &str, value: f64) -> Outcome<()> {
        self.system
            .get()
            .set_parameters(&[(name.to_owned(), value)])
    }

    fn __delitem__(&self, _name: &str) -> PyResult<()> {
        Err(PyTypeError::new_err("parameters cannot be deleted"))
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        let name = name.extract::<String>();
        name.is_ok_and(|name| self.system.get().stepper().parameter_index(&name).is_ok())
    }

    fn __len__(&self) -> usize {
        self.system.get().stepper().parameters().len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.keys())?.try_iter()?.into_any())
    }

    /// The full names, in their order.
    fn keys(&self) -> Vec<String> {
        self.system
            .get()
            .stepper()
            .parameters()
            .into_iter()
            .map(|p| p.name)
            .collect()
    }

    /// The values, in the order of the names.
    fn values(&self) -> Vec<f64> {
        self.system
            .get()
            .stepper()
            .parameters()
            .into_iter()
            .map(|p| p.value)
            .collect()
    }

    /// Pairs of a name and a value.
    fn items(&self) -> Vec<(String, f64)> {
        self.system
            .get()
            .stepper()
            .parameters()
            .into_iter()
            .map(|p| (p.name, p.value))
            .collect()
    }

    /// The value of a parameter, or ``default`` if there is none of this name.
    #[pyo3(signature = (name, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        match self.system.get().stepper().parameter(name) {
            Ok(value) => Ok(value.into_pyobject(py)?.into_any().unbind()),
            Err(_) => Ok(default.map_or_else(|| py.None(), Bound::unbind)),
        }
    }

    /// Sets several parameters at once: all, or none if one is refused.
    fn update(&self, values: &Bound<'_, PyDict>) -> Outcome<()> {
        let list = values
            .iter()
            .map(|(name, value)| Ok((name.extract()?, value.extract()?)));
        self.system
            .get()
            .set_parameters(&list.collect::<PyResult<Vec<(String, f64)>>>()?)
    }

    /// Name, unit, bounds and value of a parameter.
    fn info(&self, name: &str) -> Outcome<ParameterInfo> {
        let system = self.system.get().stepper();
        let p = system.parameters()[system.parameter_index(name)?].clone();
        let unit = p.unit.to_owned();
        Ok(ParameterInfo {
            name: p.name,
            unit,
            lower: p.lower,
            upper: p.upper,
            value: p.value,
        })
    }

    fn __repr__(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        let list = self.system.get().stepper().parameters();
        for p in list.iter().take(20) {
            lines.push(format!("  {}: {} {}", p.name, p.value, p.unit));
        }
        if list.len() > lines.len() {
            lines.push(format!("  … {} in all", list.len()));
        }
        format!("Parameters(\n{}\n)", lines.join("\n"))
    }
}
