//! Constraints: problems, sets, rows of trees, servos.

#[path = "../support/mod.rs"]
mod support;

mod arbitrary;
mod contact_rates;
mod failures;
mod problem;
mod random;
mod servo;
mod set;
mod time_step;
mod tree_constraints;
