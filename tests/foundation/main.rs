//! Scalars, mathematics, parameters.

#[path = "../support/mod.rs"]
mod support;

mod constants;
mod math;
mod parameter;
mod scalar;
