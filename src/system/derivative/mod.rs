//! Analytic derivatives of a compliant step.
//!
//! At the solution of the [balance](super::compliant) `r(v⁺; q, v, u) = 0`, with its Jacobian
//! `A = ∂r/∂v⁺`, and τ what actuators do with their inputs,
//!
//! ```text
//! ∂v⁺/∂x = −A⁻¹ ∂r/∂x
//! ∂r/∂q = δt (∂ID/∂q − ∂(Σ Jᵀ F)/∂q),    ∂r/∂v = δt ∂ID/∂v − M,    ∂r/∂u = −δt ∂τ/∂u
//! ```
//!
//! and `q⁺` follows from `q` and `v⁺`. Derivatives with respect to q are along the velocity coordinates
//! until the end, where those of quaternions become derivatives with respect to their components.
//! Coordinates that neither a body nor a contact couples are in different [islands](islands), and no matrix
//! has an entry between them. A covector takes the same way back: one solution with `Aᵀ`, and products with
//! the derivatives of r.
//!
//! [Parameters](parameters) that leave bodies where they are, mass properties, damping and all of contact, have their
//! own terms of `∂r/∂p`; for others r is evaluated with duals.

mod actuation;
mod balance;
mod directions;
mod islands;
mod parameters;
mod response;
mod slopes;
mod target;

pub(super) use directions::{Directions, seed};
pub(super) use parameters::ParameterSlopes;
pub(super) use slopes::StepSlopes;
pub(super) use target::{Against, Target};
pub use target::{SparseStepJacobian, StepGradient, StepJacobian};
