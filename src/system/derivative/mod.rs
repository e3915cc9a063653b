//! Analytic derivatives of a compliant step.
//!
//! At the solution of the [balance](super::compliant) `r(v⁺; q, v, u) = 0`, with its Jacobian
//! `A = ∂r/∂v⁺`, wrenches F of contacts, and the forces τ of elements and actuators,
//!
//! ```text
//! ∂v⁺/∂x = −A⁻¹ ∂r/∂x
//! ∂r/∂q = δt (∂ID/∂q − ∂(Σ Jᵀ F)/∂q − ∂τ/∂q),    ∂r/∂v = δt ∂ID/∂v − M,    ∂r/∂u = −δt ∂τ/∂u
//! ```
//!
//! Where constraints act, their impulses λ are found together with `v⁺`, by the [saddle-point
//! matrix](super::compliant::SaddlePoint) in the place of A: τ has `Gᵀ λ/δt` too, and r the errors `G v⁺ + k` of the rows.
//! `q⁺` follows from `q` and `v⁺`. Derivatives with respect to q are along the velocity coordinates
//! until the end, where those of quaternions become derivatives with respect to their components. τ and the rows of
//! constraints alone are [evaluated with duals](applied).
//! Coordinates that neither a body nor a force couples are in different [islands](islands), and no matrix
//! has an entry between them. A covector takes the same way back: one solution with `Aᵀ`, and products with
//! the derivatives of r.
//!
//! [Parameters](parameters) that leave bodies where they are, mass properties, damping, all of contact and of elements, have their
//! own terms of `∂r/∂p`; for others r is evaluated with duals.

mod applied;
mod balance;
mod directions;
mod islands;
mod parameters;
mod response;
mod rows;
mod slopes;
mod target;

pub(super) use directions::{Directions, seed};
pub(super) use parameters::ParameterSlopes;
pub(super) use slopes::StepSlopes;
pub(super) use target::{Against, Target};
pub use target::{SparseStepJacobian, StepGradient, StepJacobian};
