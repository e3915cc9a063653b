//! Whole systems: descriptions, files, bits, hostile input.

mod arbitrary;
mod determinism;
mod hostile_plants;
pub mod json;
mod long_errors;
mod machines;
mod mutations;
mod options_as_parameters;
mod plant;
mod random_mechanisms;
mod rigid_body_system;
mod set_constants;
mod singular_inertia;
