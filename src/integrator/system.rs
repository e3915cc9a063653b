//! The trait of differential equations on a manifold.

use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// A system `ẋ = f(t, x)` whose state lies on a manifold.
pub trait ContinuousSystem<T: Scalar> {
    /// What can go wrong in an evaluation; [`InvalidInput`] if nothing else can.
    type Error: From<InvalidInput>;

    /// Number of entries of the state.
    fn size(&self) -> usize;

    /// Writes `f(t, x)`, for a state on the manifold and the time `t` in seconds.
    ///
    /// `&mut self` is for the memory of the computation: equal arguments must give equal results.
    ///
    /// # Errors
    /// As the implementation says; an integrator stops at the first and returns it.
    fn derivative(&mut self, t: T, x: &[T], xdot: &mut [T]) -> Result<(), Self::Error>;

    /// Brings a state near the manifold back to it; by default every state is on it.
    ///
    /// States on the manifold must stay where they are, derivatives along the manifold included.
    ///
    /// # Errors
    /// As the implementation says.
    fn project(&self, x: &mut [T]) -> Result<(), Self::Error> {
        let _ = x;
        Ok(())
    }
}

/// A system whose state is `x = [q; v; …]` with `q̇ = N(q) v`.
pub trait MechanicalSystem<T: Scalar>: ContinuousSystem<T> {
    /// Number of position coordinates, the first entries of the state.
    fn num_positions(&self) -> usize;

    /// Number of velocity coordinates, the entries after those.
    fn num_velocities(&self) -> usize;

    /// Writes `q̇ = N(q) v`.
    ///
    /// # Errors
    /// As the implementation says.
    fn position_derivative(&mut self, q: &[T], v: &[T], qdot: &mut [T]) -> Result<(), Self::Error>;
}

/// A system that shows its real parts, for methods that solve equations.
///
/// Both functions are those of `f ∘ π`: of [`ContinuousSystem::derivative`] after
/// [`ContinuousSystem::project`]. A system that is written for every scalar evaluates itself with
/// `f64` and, by [`jacobian_into`](crate::autodiff::jacobian_into), with duals.
pub trait StiffSystem<T: Scalar>: ContinuousSystem<T> {
    /// Writes the real part of `f(t, π(x))`.
    ///
    /// # Errors
    /// As the implementation says.
    fn real_derivative(&mut self, t: f64, x: &[f64], xdot: &mut [f64]) -> Result<(), Self::Error>;

    /// Writes the Jacobian `∂f(t, π(x))/∂x` of the real parts (n×n).
    ///
    /// # Errors
    /// As the implementation says.
    fn real_jacobian(
        &mut self,
        t: f64,
        x: &[f64],
        jacobian: &mut DMatrix<f64>,
    ) -> Result<(), Self::Error>;
}
