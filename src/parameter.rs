//! Differentiable parameters: listed, read and written by name.
//!
//! Masses, damping constants, stiffnesses, sensor mounts: whatever a model holds in its scalar `T`
//! is a parameter with a name, a unit and bounds. Identification picks unknowns by name, and a
//! gradient with respect to a parameter is the derivative part that its value carries.
//!
//! A name is a path, `"quadruped/FL_knee/damping"`: model, element, quantity. Whoever asks for a
//! parameter gives its full name or the end of it, `"FL_knee/damping"`, if no other ends so.

mod list;

pub use list::ParameterList;

use crate::error::{Brief, Listed, Short, debug_as_sentence};
use crate::spelling::{Proposal, nearest_paths, other_order, paths_of};
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
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// Several parameters end in this name.
    #[error("{name:?} may be any of these: {}", Listed(candidates), name = Brief(name))]
    Ambiguous {
        /// The name that was asked for.
        name: String,
        /// The full names that end so.
        candidates: Vec<String>,
    },
    /// There is no parameter of this name.
    #[error("there is no parameter {name:?}{}", Proposal(nearest), name = Brief(name))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// Up to three full names in the model that resemble it, as a whole or by their end, the nearest first.
        nearest: Vec<String>,
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
    #[error("{name} = {}{} is outside {}", Short(*value), Unit(unit), Interval { lower: *lower, upper: *upper }, name = Brief(name))]
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
    #[error("the parameters are not those of a valid model: {reason}", reason = Brief(reason))]
    Rejected {
        /// What the component says.
        reason: String,
    },
}

debug_as_sentence!(ParameterError);

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

    /// All parameters; printed, they are a table with name, value, unit and bounds.
    #[inline(never)]
    fn parameters(&self) -> ParameterList {
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
        list.into_iter().collect()
    }

    /// The position of a parameter in [`Parameters::parameters`], for [`Parameters::set_parameters`].
    ///
    /// The name is the full one, or else the end of a path that no other parameter has:
    /// `"knee/damping"` for `"robot/left/knee/damping"`. The two of a pair are in either order: `"box|floor/friction"` or
    /// `"floor|box/friction"`.
    ///
    /// # Errors
    /// [`ParameterError::Unknown`], [`ParameterError::Ambiguous`].
    #[inline(never)]
    fn parameter_index(&self, name: &str) -> Result<usize, ParameterError> {
        find_name(&names_of(&mut self.clone()), name)
    }

    /// The positions of several parameters, as [`Parameters::parameter_index`].
    ///
    /// # Errors
    /// Those for the first name that is not found.
    fn parameter_indices(&self, names: &[impl AsRef<str>]) -> Result<Vec<usize>, ParameterError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let list = names_of(&mut self.clone());
        (names.iter())
            .map(|name| find_name(&list, name.as_ref()))
            .collect()
    }

    /// The value of a parameter, by its name as in [`Parameters::parameter_index`].
    ///
    /// # Errors
    /// [`ParameterError::Unknown`], [`ParameterError::Ambiguous`].
    #[inline(never)]
    fn parameter(&self, name: &str) -> Result<T, ParameterError> {
        let mut model = self.clone();
        let wanted = find_name(&names_of(&mut model), name)?;
        let (mut index, mut value) = (0, T::zero());
        model.visit_parameters(&mut |p| {
            if index == wanted {
                value = *p.value;
            }
            index += 1;
        });
        Ok(value)
    }

    /// Sets a parameter, by its name as in [`Parameters::parameter_index`].
    ///
    /// # Errors
    /// [`ParameterError::Unknown`], [`ParameterError::Ambiguous`], or as
    /// [`Parameters::set_parameters`]; the model is then as before.
    #[inline(never)]
    fn set_parameter(&mut self, name: &str, value: T) -> Result<(), ParameterError> {
        let index = find_name(&names_of(self), name)?;
        self.set_parameters(&[(index, value)])
    }

    /// Sets parameters by their positions; of several values for one position the last holds.
    ///
    /// All are set, or none.
    ///
    /// # Errors
    /// The model is then as before. [`ParameterError::OutOfBounds`] for a value outside the bounds or
    /// not finite, unless it is the one that the parameter has, [`ParameterError::NoSuchIndex`], [`ParameterError::Invalid`] or
    /// [`ParameterError::Rejected`] when the values together are not a valid model.
    #[inline(never)]
    fn set_parameters(&mut self, values: &[(usize, T)]) -> Result<(), ParameterError> {
        let mut error = None;
        let mut len = 0;
        self.visit_parameters(&mut |p| {
            for (_, value) in values.iter().filter(|(i, _)| *i == len) {
                let value = value.re();
                // A limit that there is none of keeps its infinite value.
                let is_kept = value == p.value.re();
                let valid = is_kept || (value.is_finite() && (p.lower..=p.upper).contains(&value));
                if !valid && error.is_none() {
                    error = Some(ParameterError::OutOfBounds {
                        name: p.name.to_string(),
                        value,
                        unit: p.unit,
                        lower: p.lower,
                        upper: p.upper,
                    });
                }
            }
            len += 1;
        });
        if let Some(&(index, _)) = values.iter().find(|(i, _)| *i >= len) {
            return Err(ParameterError::NoSuchIndex { index, len });
        }
        if let Some(error) = error {
            return Err(error);
        }
        // Exchanged, so that the values of before can be exchanged back, the last first.
        let mut exchanged = values.to_vec();
        exchange(self, &mut exchanged);
        self.parameters_changed().inspect_err(|_| {
            exchanged.reverse();
            exchange(self, &mut exchanged);
            // What was derived from these values before can be derived from them again.
            let _ = self.parameters_changed();
        })
    }
}

/// Exchanges values with the parameters at their positions, one after the other.
fn exchange<T: Scalar>(model: &mut impl Parameters<T>, values: &mut [(usize, T)]) {
    let mut index = 0;
    model.visit_parameters(&mut |p| {
        for (_, value) in values.iter_mut().filter(|(i, _)| *i == index) {
            std::mem::swap(p.value, value);
        }
        index += 1;
    });
}

/// The full names of all parameters, in their order.
fn names_of<T: Scalar>(model: &mut impl Parameters<T>) -> Vec<String> {
    let mut names = Vec::new();
    model.visit_parameters(&mut |p| names.push(p.name.to_string()));
    names
}

/// The position of the name, or of the only one that ends in `/name`.
fn find_name(names: &[String], wanted: &str) -> Result<usize, ParameterError> {
    let found = find_as_written(names, wanted);
    let (Err(ParameterError::Unknown { .. }), Some(other)) = (&found, other_order(wanted)) else {
        return found;
    };
    match find_as_written(names, &other) {
        Err(ParameterError::Unknown { .. }) => found,
        in_other_order => in_other_order,
    }
}

fn find_as_written(names: &[String], wanted: &str) -> Result<usize, ParameterError> {
    match paths_of(names, wanted)[..] {
        [(index, _)] => Ok(index),
        [] => Err(ParameterError::Unknown {
            name: wanted.to_owned(),
            nearest: nearest_paths(names.iter().map(String::as_str), wanted),
        }),
        ref several => Err(ParameterError::Ambiguous {
            name: wanted.to_owned(),
            candidates: several.iter().map(|(_, name)| (*name).clone()).collect(),
        }),
    }
}

/// A unit after a number; that of a pure number is not written.
struct Unit<'a>(&'a str);

impl fmt::Display for Unit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" | "1" => Ok(()),
            unit => write!(f, " {unit}"),
        }
    }
}

/// Bounds as an error shows them: the smallest positive number is an open zero.
struct Interval {
    lower: f64,
    upper: f64,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lower {
            f64::MIN_POSITIVE => f.write_str("(0")?,
            f64::NEG_INFINITY => f.write_str("(-∞")?,
            lower => write!(f, "[{}", Short(lower))?,
        }
        match self.upper {
            f64::INFINITY => f.write_str(", ∞)"),
            upper => write!(f, ", {}]", Short(upper)),
        }
    }
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
