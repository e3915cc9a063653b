//! Derivatives of functions that are written once for all scalars.
//!
//! A function of run-time size implements [`ScalarFunction`] or [`VectorFunction`] (closures cannot
//! be generic); the drivers [`gradient`], [`jacobian`], [`hessian`] and
//! [`jacobian_vector_product`] evaluate it with dual numbers, [`CHUNK`] directions at a time. A
//! quantity that is defined implicitly gets its derivatives from [`implicit_step`], at a root that
//! `f64` has found. [`JacobianChecker`]
//! compares a Jacobian with finite differences, in this crate's tests and in its users';
//! [`assert_jacobian!`](crate::assert_jacobian!) does so in one line.

mod averaged;
mod check;
mod derivatives;
mod drivers;
mod function;
mod implicit;
mod macros;
mod radius;
mod tangent;

pub use crate::default_scalar::is_constant;
pub use averaged::{AveragedJacobian, AveragedSlope, averaged_gradient, averaged_jacobian};
#[doc(hidden)]
pub use check::check_jacobian_of;
pub(crate) use check::extrapolated_derivative;
pub use check::{
    EntryCheck, JacobianCheck, JacobianChecker, MistakePattern, Verdict, check_jacobian,
};
pub use derivatives::{DerivativeMismatch, Derivatives, compare_derivatives};
pub(crate) use drivers::HESSIAN_CHUNK;
pub use drivers::{
    CHUNK, ChunkDual, HessianDual, JacobianWorkspace, gradient, gradient_of, hessian, hessian_of,
    jacobian, jacobian_into, jacobian_of, jacobian_vector_product,
};
pub(crate) use drivers::{slopes, varies};
pub use function::{ScalarFunction, VectorFunction};
pub use implicit::implicit_step;
#[doc(hidden)]
pub use macros::with_model;
#[doc(hidden)]
pub use radius::with_observed_model;
pub use radius::{
    GradientWithRadius, JacobianWithRadius, NearestDecision, gradient_with_radius_of,
    jacobian_with_radius_of,
};
pub use tangent::{Manifold, OnTangent};
