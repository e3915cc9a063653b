//! Casting and listing the constants of constraints.

use crate::Scalar;
use crate::parameter::{self, Parameter};
use nalgebra::Vector3;

type Visitor<'a, T> = dyn FnMut(Parameter<'_, T>) + 'a;

/// The real part in another scalar.
pub(super) fn cast<T: Scalar, U: Scalar>(x: T) -> U {
    U::from(x.re())
}

/// The real parts in another scalar.
pub(super) fn cast_vector<T: Scalar, U: Scalar>(vector: &Vector3<T>) -> Vector3<U> {
    vector.map(cast)
}

/// Shows `name/quantity`, of any value.
pub(super) fn visit_constant<T: Scalar>(
    visit: &mut Visitor<'_, T>,
    name: &str,
    (quantity, unit): (&str, &'static str),
    value: &mut T,
) {
    visit(Parameter {
        name: format_args!("{name}/{quantity}"),
        unit,
        lower: f64::NEG_INFINITY,
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
