//! Scalars, mathematics, parameters, derivatives of functions.

#[path = "../support/mod.rs"]
mod support;

mod constants;
mod gradient_macros;
mod math;
mod parameter;
mod scalar;
