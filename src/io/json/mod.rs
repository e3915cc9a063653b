//! Machines and states as JSON.

mod document;
mod error;
mod machine;
mod names;
mod number;
mod state;

pub use error::JsonError;
pub use machine::{Machine, SteppedMachine};
pub use number::Number;
pub(crate) use number::{extended, extended_list};
