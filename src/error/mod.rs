//! The error that every component returns for data it cannot accept, and one for all errors of the crate.

mod any_error;
mod invalid_input;

pub use any_error::{Error, Result};
pub use invalid_input::InvalidInput;
pub(crate) use invalid_input::Short;
