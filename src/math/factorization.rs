//! What the factorisations have in common.

use crate::{InvalidInput, Scalar};

/// An `f64` factorisation of a square matrix that solves for right-hand sides of any scalar.
///
/// Substitution multiplies and adds only, so derivatives ride along at one back-substitution a
/// direction; the factorisation itself and its pivot decisions never see a dual number. Where the
/// matrix has derivatives, too, [`implicit_step`](crate::autodiff::implicit_step) adds them.
pub trait Factorization {
    /// Number of rows and columns.
    fn size(&self) -> usize;

    /// Replaces `b` by `A⁻¹ b`.
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] when `b` does not have the size of the matrix.
    fn solve_in_place<T: Scalar>(&self, b: &mut [T]) -> Result<(), InvalidInput>;
}
