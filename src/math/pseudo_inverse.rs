//! Pseudo-inverse of a matrix: the shortest solutions of linear equations.

use super::{Factorization, RightHandSide};
use crate::InvalidInput;
use nalgebra::DMatrix;

/// The Moore–Penrose inverse of a square matrix.
#[derive(Debug, Clone)]
pub(crate) struct PseudoInverse {
    inverse: DMatrix<f64>,
    /// The number of singular values that count.
    pub rank: usize,
}

impl PseudoInverse {
    /// That of a matrix, which errors call `quantity`; singular values below a part of the largest are zero.
    ///
    /// # Errors
    /// [`InvalidInput`] when an entry is not finite.
    pub fn new(
        quantity: &'static str,
        matrix: DMatrix<f64>,
        tolerance: f64,
    ) -> Result<Self, InvalidInput> {
        InvalidInput::check_finite(quantity, matrix.as_slice())?;
        if matrix.is_empty() {
            let (inverse, rank) = (matrix, 0);
            return Ok(PseudoInverse { inverse, rank });
        }
        let svd = matrix.svd(true, true);
        let least = tolerance * svd.singular_values.max();
        let rank = svd.rank(least);
        let inverse = svd
            .pseudo_inverse(least)
            .map_err(|_| InvalidInput::OutOfRange {
                quantity: "largest singular value",
                index: None,
                value: least / tolerance,
                expected: "a positive number",
            })?;
        Ok(PseudoInverse { inverse, rank })
    }
}

impl Factorization for PseudoInverse {
    fn size(&self) -> usize {
        self.inverse.nrows()
    }

    fn solve_in_place<T: RightHandSide>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.size())?;
        let solution: Vec<T> = (0..b.len())
            .map(|i| {
                (b.iter().enumerate())
                    .fold(T::zero(), |sum, (j, &b)| sum + b * self.inverse[(i, j)])
            })
            .collect();
        b.copy_from_slice(&solution);
        Ok(())
    }
}
