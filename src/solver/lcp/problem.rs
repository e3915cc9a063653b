//! The data of a linear complementarity problem.

use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// A matrix `M` (n×n), a vector `q` (n), and the number of free variables.
///
/// Sizes are checked when it is made, and that entries are finite when it is solved.
#[derive(Debug, Clone, Copy)]
pub struct LinearComplementarityProblem<'a, T> {
    pub(super) matrix: &'a DMatrix<T>,
    pub(super) vector: &'a [T],
    pub(super) free: usize,
}

impl<'a, T: Scalar> LinearComplementarityProblem<'a, T> {
    /// `w = M z + q`, `0 ≤ w ⊥ z ≥ 0`.
    ///
    /// # Errors
    /// [`InvalidInput`] when sizes do not fit.
    pub fn new(matrix: &'a DMatrix<T>, vector: &'a [T]) -> Result<Self, InvalidInput> {
        Self::mixed(matrix, vector, 0)
    }

    /// The same, except that the first `free` variables may have either sign, and the first `free`
    /// rows are equations `wᵢ = 0`.
    ///
    /// # Errors
    /// [`InvalidInput`] when sizes do not fit, or there are more free variables than variables.
    #[inline(never)]
    pub fn mixed(
        matrix: &'a DMatrix<T>,
        vector: &'a [T],
        free: usize,
    ) -> Result<Self, InvalidInput> {
        let n = vector.len();
        InvalidInput::check_size("rows of M", matrix.nrows(), n)?;
        InvalidInput::check_size("columns of M", matrix.ncols(), n)?;
        InvalidInput::check_range(
            "number of free variables",
            &[free as f64],
            "at most the number of variables",
            |f| f <= n as f64,
        )?;
        Ok(LinearComplementarityProblem {
            matrix,
            vector,
            free,
        })
    }

    /// Number of variables.
    pub fn size(&self) -> usize {
        self.vector.len()
    }
}
