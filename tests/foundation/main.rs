//! Scalars, mathematics, parameters.

#[path = "../support/mod.rs"]
mod support;

mod constants;
mod documents;
mod math;
mod parameter;
mod scalar;
