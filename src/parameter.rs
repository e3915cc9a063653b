//! Differentiable parameters: listed, read and written by name.
//!
//! Masses, damping constants, stiffnesses, sensor mounts: whatever a model holds in its scalar `T`
//! is a parameter with a name, a unit and bounds. Identification picks unknowns by name, and a
//! gradient with respect to a parameter is the derivative part that its value carries.
//!
//! A name is a path, `"quadruped/FL_knee/damping"`: model, element, quantity.

use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;
use std::fmt;

/// One parameter, as a model shows it to a visitor.
#[derive(Debug)]
pub struct Parameter<'a, T> {
    /// The path of names; formatted only when somebody asks.
    pub name: fmt::Arguments<'a>,
    /// The SI unit, `"kg"`, `"N/m"`, `"1"` for a pure number.
    pub unit: &'static str,
    /// The smallest value that makes sense, `-f64::INFINITY` if there is none.
    pub lower: f64,
    /// The largest value that makes sense, `f64::INFINITY` if there is none.
    pub upper: f64,
    /// The value in the model.
    pub value: &'a mut T,
}

/// What a list of parameters says of each.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterInfo {
    /// The path of names.
    pub name: String,
    /// The SI unit, `"1"` for a pure number.
    pub unit: &'static str,
    /// The smallest value that makes sense.
    pub lower: f64,
    /// The largest value that makes sense.
    pub upper: f64,
    /// Real part of the value.
    pub value: f64,
}

/// A parameter cannot be read or written.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// There is no parameter of this name.
    #[error("there is no parameter {name:?}{}", nearest.as_ref().map(|n| format!(", is it {n:?}?")).unwrap_or_default())]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The name in the model that resembles it most, if one does.
        nearest: Option<String>,
    },
    /// There are fewer parameters than that.
    #[error("there is no parameter {index}, the model has {len}")]
    NoSuchIndex {
        /// The position that was asked for.
        index: usize,
        /// The number of parameters.
        len: usize,
    },
    /// The value lies outside the bounds of the parameter.
    #[error("{name} = {value} {unit} is outside [{lower}, {upper}]")]
    OutOfBounds {
        /// The parameter.
        name: String,
        /// Real part of the value that was given.
        value: f64,
        /// The unit of the parameter.
        unit: &'static str,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// The values together are not a valid model.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// A component finds its values unacceptable for a reason of its own.
    #[error("the parameters are not those of a valid model: {reason}")]
    Rejected {
        /// What the component says.
        reason: String,
    },
}

/// A model with named parameters.
///
/// An implementation shows its parameters to a visitor; everything else follows from that.
pub trait Parameters<T: Scalar>: Clone {
    /// Calls `visit` with every parameter, in an order that depends on the structure of the model
    /// only.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>));

    /// Brings whatever the model has derived from its parameters up to date, after a change.
    ///
    /// # Errors
    /// When the values together are not a valid model.
    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        Ok(())
    }

    /// All parameters.
    fn parameters(&self) -> Vec<ParameterInfo> {
        let mut list = Vec::new();
        self.clone().visit_parameters(&mut |p| {
            list.push(ParameterInfo {
                name: p.name.to_string(),
                unit: p.unit,
                lower: p.lower,
                upper: p.upper,
                value: p.value.re(),
            });
        });
        list
    }

    /// The position of a parameter in [`Parameters::parameters`], for [`Parameters::set_parameters`].
    ///
    /// # Errors
    /// [`ParameterError::Unknown`].
    fn parameter_index(&self, name: &str) -> Result<usize, ParameterError> {
        let list = self.parameters();
        list.iter()
            .position(|p| p.name == name)
            .ok_or_else(|| ParameterError::Unknown {
                name: name.to_owned(),
                nearest: nearest_name(&list, name),
            })
    }

    /// The value of a parameter.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`].
    fn parameter(&self, name: &str) -> Result<T, ParameterError> {
        let wanted = self.parameter_index(name)?;
        let (mut index, mut value) = (0, T::zero());
        self.clone().visit_parameters(&mut |p| {
            if index == wanted {
                value = *p.value;
            }
            index += 1;
        });
        Ok(value)
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`], or as [`Parameters::set_parameters`].
    fn set_parameter(&mut self, name: &str, value: T) -> Result<(), ParameterError> {
        let index = self.parameter_index(name)?;
        self.set_parameters(&[(index, value)])
    }

    /// Sets parameters by their positions; of several values for one position the last holds.
    ///
    /// # Errors
    /// [`ParameterError::OutOfBounds`] for a value outside the bounds or not finite, and
    /// [`ParameterError::NoSuchIndex`]; the model is then as before. [`ParameterError::Invalid`] or
    /// [`ParameterError::Rejected`] when the values together are not a valid model.
    fn set_parameters(&mut self, values: &[(usize, T)]) -> Result<(), ParameterError> {
        let mut error = None;
        for write in [false, true] {
            let mut index = 0;
            self.visit_parameters(&mut |p| {
                for &(_, value) in values.iter().filter(|(i, _)| *i == index) {
                    if write {
                        *p.value = value;
                    } else if !value.re().is_finite() || !(p.lower..=p.upper).contains(&value.re())
                    {
                        error = Some(ParameterError::OutOfBounds {
                            name: p.name.to_string(),
                            value: value.re(),
                            unit: p.unit,
                            lower: p.lower,
                            upper: p.upper,
                        });
                    }
                }
                index += 1;
            });
            if let Some(&(beyond, _)) = values.iter().find(|(i, _)| *i >= index) {
                return Err(ParameterError::NoSuchIndex {
                    index: beyond,
                    len: index,
                });
            }
            if let Some(error) = error {
                return Err(error);
            }
        }
        self.parameters_changed()
    }
}

/// The name in the list that shares the longest run of path segments with `name`.
fn nearest_name(list: &[ParameterInfo], name: &str) -> Option<String> {
    let segments: Vec<&str> = name.split('/').collect();
    list.iter()
        .map(|p| {
            let shared = p.name.split('/').filter(|s| segments.contains(s)).count();
            (shared, &p.name)
        })
        .filter(|(shared, _)| *shared > 0)
        .max_by_key(|(shared, _)| *shared)
        .map(|(_, name)| name.clone())
}

/// Shows the components of a vector, `path/{x,y,z}`, which may have any value.
pub(crate) fn visit_vector<T: Scalar>(
    visit: &mut dyn FnMut(Parameter<'_, T>),
    path: fmt::Arguments<'_>,
    unit: &'static str,
    vector: &mut Vector3<T>,
) {
    for (axis, value) in ["x", "y", "z"].into_iter().zip(vector.iter_mut()) {
        visit(Parameter {
            name: format_args!("{path}/{axis}"),
            unit,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            value,
        });
    }
}
