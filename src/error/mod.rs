//! Invalid input, and one error type for all of the crate.

mod any_error;
mod brief;
mod invalid_input;
mod not_finite;

pub use any_error::{Error, Result};
pub(crate) use brief::{Brief, Listed, debug_as_sentence};
pub use invalid_input::InvalidInput;
pub(crate) use invalid_input::Short;
pub use not_finite::NotFiniteElement;
pub(crate) use not_finite::{
    are_finite, check_element, derivative_part, element_label, short_type_name,
};
