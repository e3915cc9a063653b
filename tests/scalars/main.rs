//! The singular states of the binary `system` with every kind of scalar.
//!
//! Each kind compiles the library once more, so that `cargo test` leaves this binary out unless it is named.

#[path = "../support/mod.rs"]
mod support;

#[allow(dead_code)] // `system` uses more of it
#[path = "../system/every_element.rs"]
mod every_element;
mod other_scalars;
#[path = "../system/singular/mod.rs"]
mod singular;
