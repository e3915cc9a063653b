//! The singular states of the binary `system` with every kind of scalar.
//!
//! Each kind compiles the library once more, so that `cargo test` leaves this binary out unless it is named.

#[path = "../support/mod.rs"]
mod support;

mod elements;
mod other_scalars;
#[path = "../system/derivatives/singular/mod.rs"]
mod singular;
