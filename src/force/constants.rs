//! Checking and listing the constants of elements.

use super::error::ForceError;
use crate::parameter::{self, Parameter};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

type Visitor<'a, T> = dyn FnMut(Parameter<'_, T>) + 'a;

/// A constant that cannot be negative.
pub(super) const NOT_NEGATIVE: f64 = 0.0;
/// A constant of either sign.
pub(super) const ANY: f64 = f64::NEG_INFINITY;

/// Shows `name/quantity`.
pub(super) fn visit_constant<T: Scalar>(
    visit: &mut Visitor<'_, T>,
    name: &str,
    (quantity, unit): (&str, &'static str),
    lower: f64,
    value: &mut T,
) {
    visit(Parameter {
        name: format_args!("{name}/{quantity}"),
        unit,
        lower,
        upper: f64::INFINITY,
        value,
    });
}

/// Shows `name/quantity/{x,y,z}`.
pub(super) fn visit_vector<T: Scalar>(
    visit: &mut Visitor<'_, T>,
    name: &str,
    (quantity, unit): (&str, &'static str),
    vector: &mut Vector3<T>,
) {
    parameter::visit_vector(visit, format_args!("{name}/{quantity}"), unit, vector);
}

/// Checks constants that must be finite and not negative.
pub(super) fn check_not_negative<T: Scalar>(
    name: &str,
    constants: &[(&'static str, T)],
) -> Result<(), ForceError> {
    constants.iter().try_for_each(|&(quantity, value)| {
        let expected = "a finite number, not negative";
        let valid = |x: f64| x >= 0.0 && x.is_finite();
        InvalidInput::check_range(quantity, &[value], expected, valid).in_element(name)
    })
}

/// Checks constants that must be finite and positive.
pub(super) fn check_positive<T: Scalar>(
    name: &str,
    quantity: &'static str,
    value: T,
) -> Result<(), ForceError> {
    let valid = |x: f64| x > 0.0 && x.is_finite();
    InvalidInput::check_range(quantity, &[value], "a positive number", valid).in_element(name)
}

/// Checks that entries are finite.
pub(super) fn check_finite<T: Scalar>(
    name: &str,
    quantity: &'static str,
    values: &[T],
) -> Result<(), ForceError> {
    InvalidInput::check_finite(quantity, values).in_element(name)
}

/// Says which element an input is wrong in.
pub(super) trait InElement {
    fn in_element(self, name: &str) -> Result<(), ForceError>;
}

impl InElement for Result<(), InvalidInput> {
    fn in_element(self, name: &str) -> Result<(), ForceError> {
        self.map_err(|source| ForceError::InvalidElement {
            name: name.to_owned(),
            source,
        })
    }
}

/// The same vector in another scalar; only real parts are carried over.
pub(super) fn cast_vector<T: Scalar, U: Scalar>(vector: &Vector3<T>) -> Vector3<U> {
    vector.map(|x| U::from(x.re()))
}
