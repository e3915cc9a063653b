//! The trait of controlled discrete dynamics.

use crate::ControlError;
use nalgebra::DMatrix;
use std::fmt::Debug;

/// A system in discrete time, `x⁺ = f(x, u)`, whose states are on a manifold of n dimensions.
///
/// A displacement `δ` leads from a state to `x ⊕ δ`; `y ⊖ x` is the displacement from x to y, so that
/// `x ⊕ (y ⊖ x) = y`. An implementation holds the memory that it needs; a clone works beside it, on another thread.
pub trait Dynamics: Clone + Debug + Send {
    /// A state.
    type State: Clone + Debug + Send + Sync;

    /// Number n of entries of a displacement.
    fn num_displacements(&self) -> usize;

    /// Number m of inputs.
    fn num_inputs(&self) -> usize;

    /// The length of a step, s.
    fn time_step(&self) -> f64;

    /// Writes `x ⊕ δ`.
    ///
    /// # Errors
    /// For sizes that do not fit and entries that are not finite.
    fn displace(
        &self,
        state: &Self::State,
        displacement: &[f64],
        to: &mut Self::State,
    ) -> Result<(), ControlError>;

    /// Writes `to ⊖ from`, n entries.
    ///
    /// # Errors
    /// As [`Self::displace`].
    fn difference(
        &self,
        from: &Self::State,
        to: &Self::State,
        displacement: &mut [f64],
    ) -> Result<(), ControlError>;

    /// Writes the derivative of `(to ⊕ δ) ⊖ from` with respect to δ at 0, n×n; the identity where states are vectors.
    ///
    /// # Errors
    /// As [`Self::displace`].
    fn difference_derivative(
        &self,
        from: &Self::State,
        to: &Self::State,
        derivative: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let _ = (from, to);
        derivative.fill_with_identity();
        Ok(())
    }

    /// Moves the clock of a state by a time in s; states have none unless the dynamics say so.
    fn advance_clock(&self, state: &mut Self::State, time: f64) {
        let _ = (state, time);
    }

    /// Sets the clock of a state to that of another one and a time in s after it.
    fn set_clock(&self, state: &mut Self::State, before: &Self::State, time: f64) {
        let _ = (state, before, time);
    }

    /// Writes `f(x, u)`. On entry, `next` is a state that is expected to be near, from which an iteration may start.
    ///
    /// # Errors
    /// When the step cannot be made. A solver takes shorter steps then.
    fn step(
        &mut self,
        state: &Self::State,
        input: &[f64],
        next: &mut Self::State,
    ) -> Result<(), ControlError>;

    /// As [`Self::step`], and writes the derivatives of `f(x ⊕ δx, u + δu) ⊖ f(x, u)`: `A`, n×n, and `B`, n×m.
    ///
    /// # Errors
    /// As [`Self::step`].
    fn linearize(
        &mut self,
        state: &Self::State,
        input: &[f64],
        next: &mut Self::State,
        a: &mut DMatrix<f64>,
        b: &mut DMatrix<f64>,
    ) -> Result<(), ControlError>;

    /// Writes by how much each displacement and each input, n + m entries, may change alone, to first order, for which the step
    /// decides nothing otherwise: how far its derivatives hold. Only [`AveragedSlopes::where_short`](crate::AveragedSlopes::where_short)
    /// asks for it; zeros, for not known, if it is not implemented.
    ///
    /// # Errors
    /// As [`Self::step`].
    fn radius(
        &mut self,
        state: &Self::State,
        input: &[f64],
        radius: &mut [f64],
    ) -> Result<(), ControlError> {
        let _ = (state, input);
        radius.fill(0.0);
        Ok(())
    }

    /// Adds `Σ λᵢ ∂²fᵢ` of `f(x ⊕ δx, u + δu) ⊖ f(x, u)` with respect to `[δx; δu]`, (n+m)×(n+m), with λ of n entries. Only
    /// [exact Hessians](crate::Hessian::Exact) ask for it; left out if it is not implemented.
    ///
    /// # Errors
    /// As [`Self::step`].
    fn add_curvature(
        &mut self,
        state: &Self::State,
        input: &[f64],
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let _ = (state, input, covector, curvature);
        Ok(())
    }
}
