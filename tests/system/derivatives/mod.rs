//! Derivatives of steps and rollouts, and how far they hold.

mod adjoint;
mod arbitrary_derivatives;
mod averaged_slopes;
mod batches;
mod continuity;
mod gradient_macros;
mod other_scalars;
mod plant_adjoint;
mod radius;
mod scheme_derivatives;
pub mod singular;
