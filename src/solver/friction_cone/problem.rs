//! The data of a problem with friction cones.

use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;
use std::ops::Range;

/// A problem as the [module](super) states it; the data are checked.
#[doc(alias = "semismooth Newton")]
#[doc(alias = "Gauss-Seidel")]
#[doc(alias = "Alart-Curnier")]
#[derive(Debug, Clone, Copy)]
pub struct FrictionConeProblem<'a, T> {
    pub(super) matrix: &'a DMatrix<T>,
    pub(super) vector: &'a [T],
    pub(super) equations: usize,
    pub(super) mu: &'a [T],
}

impl<'a, T: Scalar> FrictionConeProblem<'a, T> {
    /// `w = matrix f + vector` with so many `equations`, a contact for each coefficient of friction `mu`, and inequalities
    /// in the rest of the rows. The matrix is usually `J M⁻¹ Jᵀ`, but may be any.
    ///
    /// # Errors
    /// [`InvalidInput`] when sizes do not fit, an entry is not finite, or a coefficient is negative.
    pub fn new(
        matrix: &'a DMatrix<T>,
        vector: &'a [T],
        equations: usize,
        mu: &'a [T],
    ) -> Result<Self, InvalidInput> {
        let n = vector.len();
        InvalidInput::check_size("matrix of rows", matrix.nrows(), n)?;
        InvalidInput::check_size("matrix of rows, its columns", matrix.ncols(), n)?;
        let contacts = 3 * mu.len();
        if equations > n || contacts > n - equations {
            InvalidInput::check_size(
                "rows of equations and contacts",
                equations.saturating_add(contacts),
                n,
            )?;
        }
        InvalidInput::check_finite("matrix of rows", matrix.as_slice())?;
        InvalidInput::check_finite("motions without forces", vector)?;
        InvalidInput::check_range(
            "coefficients of friction",
            mu,
            "finite and not negative",
            |mu| mu >= 0.0 && mu.is_finite(),
        )?;
        Ok(FrictionConeProblem {
            matrix,
            vector,
            equations,
            mu,
        })
    }

    /// The first row of a contact, that of its normal.
    pub(super) fn normal(&self, contact: usize) -> usize {
        self.equations + 3 * contact
    }

    pub(super) fn inequalities(&self) -> Range<usize> {
        self.normal(self.mu.len())..self.vector.len()
    }

    /// Writes `A f + b`.
    pub(super) fn rates(&self, forces: &[T], rates: &mut [T]) {
        rates.copy_from_slice(self.vector);
        let n = rates.len().max(1);
        for (&f, column) in forces.iter().zip(self.matrix.as_slice().chunks_exact(n)) {
            for (rate, &a) in rates.iter_mut().zip(column) {
                *rate += a * f;
            }
        }
    }
}
