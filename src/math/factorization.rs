//! The common trait of factorisations.

use crate::InvalidInput;
use num_traits::Zero;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, Sub, SubAssign};

/// An entry of a right-hand side: a [`Scalar`](crate::Scalar), or `nalgebra::SVector<f64, N>` for N right-hand
/// sides at once.
pub trait RightHandSide:
    Copy
    + Zero
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign
    + SubAssign
    + DivAssign<f64>
{
}

impl<T> RightHandSide for T where
    T: Copy
        + Zero
        + Add<Output = Self>
        + Sub<Output = Self>
        + Mul<f64, Output = Self>
        + Div<f64, Output = Self>
        + AddAssign
        + SubAssign
        + DivAssign<f64>
{
}

/// An `f64` factorisation of a square matrix that solves for right-hand sides of any scalar.
///
/// Substitution multiplies and adds only, so derivatives ride along at one back-substitution a
/// direction; the factorisation itself and its pivot decisions never see a dual number. Where the
/// matrix has derivatives, too, [`implicit_step`](crate::autodiff::implicit_step) adds them.
pub trait Factorization {
    /// Number of rows and columns.
    fn size(&self) -> usize;

    /// Replaces `b` by `A⁻¹ b`. As in LAPACK, entries that overflow are not finite.
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] when `b` does not have the size of the matrix.
    fn solve_in_place<T: RightHandSide>(&self, b: &mut [T]) -> Result<(), InvalidInput>;
}
