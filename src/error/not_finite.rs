//! Errors for elements that return numbers that are not finite.

use super::brief::{Brief, debug_as_sentence};
use super::invalid_input::Short;
use crate::Scalar;
use crate::autodiff::{ChunkDual, HessianDual};
use num_dual::{Dual2_64, Dual3_64, Dual64, HyperDual64};
use std::any::Any;

/// An element of a machine gave a number that is not finite or larger than 10¹⁵⁰, whose square is not, or one with a derivative
/// that is not finite.
#[derive(Clone, PartialEq, thiserror::Error)]
#[error(
    "{element}: {}{quantity} is {}{}", if *is_derivative { "the derivative of " } else { "" }, Short(*value),
    hint(*value, *is_derivative), element = Brief(element), quantity = Brief(quantity))]
#[non_exhaustive]
pub struct NotFiniteElement {
    /// What it is, its name and its type: `force element "oil" (Oil)`.
    pub element: String,
    /// What it gave.
    pub quantity: String,
    /// The value, or the derivative.
    pub value: f64,
    /// Whether the value is finite, and a derivative is not.
    pub is_derivative: bool,
}

debug_as_sentence!(NotFiniteElement);

/// The size up to which numbers of elements can be computed with.
const LARGEST: f64 = 1e150;

fn hint(value: f64, is_derivative: bool) -> &'static str {
    match is_derivative {
        true => "; at zero, norms have a derivative as `norm_lifted`, roots as `sqrt_lifted`",
        false if value.is_nan() => "; at zero, a norm that divides can be `soft_norm`",
        false if value.is_finite() => ", expected at most 1e150 in size",
        false => "",
    }
}

/// What an element is called in errors.
pub(crate) fn element_label(what: &str, name: &str, kind: &str) -> String {
    match name {
        "" => format!("{what} {kind}"),
        name => format!("{what} {name:?} ({kind})"),
    }
}

/// The name of a type, without the way to it and what it is generic over.
pub(crate) fn short_type_name(name: &'static str) -> &'static str {
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}

/// Whether numbers can be computed with, and their derivatives are finite, those of [default scalars](crate::DefaultScalar).
pub(crate) fn are_finite<T: Scalar>(values: &[T]) -> bool {
    values.iter().all(|x| bad_part(x).is_none())
}

/// The number among others that cannot be computed with, as an error of the element that gave it.
///
/// # Errors
/// [`NotFiniteElement`]; `label` and `quantity` are asked only then.
pub(crate) fn check_element<T: Scalar>(
    values: &[T],
    label: impl FnOnce() -> String,
    quantity: impl FnOnce(usize) -> String,
) -> Result<(), Box<NotFiniteElement>> {
    if are_finite(values) {
        return Ok(());
    }
    let bad = values.iter().enumerate();
    let mut bad = bad.filter_map(|(index, x)| Some((index, bad_part(x)?)));
    match bad.next() {
        None => Ok(()),
        Some((index, (value, is_derivative))) => Err(Box::new(NotFiniteElement {
            element: label(),
            quantity: quantity(index),
            value,
            is_derivative,
        })),
    }
}

/// The value or a derivative that cannot be computed with, and whether it is a derivative.
fn bad_part<T: Scalar>(x: &T) -> Option<(f64, bool)> {
    if x.re().is_nan() || x.re().abs() > LARGEST {
        return Some((x.re(), false));
    }
    derivative_part(x, |part| !part.is_finite()).map(|part| (part, true))
}

/// The first derivative part of a number that passes a test; none of a scalar that is not known.
pub(crate) fn derivative_part<T: Scalar>(x: &T, test: impl Fn(f64) -> bool) -> Option<f64> {
    if T::NDERIV == 0 {
        return None;
    }
    let any: &dyn Any = x;
    let first = |parts: &[f64]| parts.iter().copied().find(|&part| test(part));
    if let Some(x) = any.downcast_ref::<ChunkDual>() {
        return first(x.eps.0.as_ref()?.as_slice());
    }
    if let Some(x) = any.downcast_ref::<Dual64>() {
        return first(&[x.eps]);
    }
    if let Some(x) = any.downcast_ref::<HessianDual>() {
        let (a, b, ab) = (&x.eps1.0, &x.eps2.0, &x.eps1eps2.0);
        let parts = [
            a.as_ref().map(|x| x.as_slice()),
            b.as_ref().map(|x| x.as_slice()),
            ab.as_ref().map(|x| x.as_slice()),
        ];
        return parts.into_iter().flatten().find_map(first);
    }
    if let Some(x) = any.downcast_ref::<HyperDual64>() {
        return first(&[x.eps1, x.eps2, x.eps1eps2]);
    }
    if let Some(x) = any.downcast_ref::<Dual2_64>() {
        return first(&[x.v1, x.v2]);
    }
    if let Some(x) = any.downcast_ref::<Dual3_64>() {
        return first(&[x.v1, x.v2, x.v3]);
    }
    None
}
