//! Linear dynamics with a quadratic cost.

use crate::ControlError;
use crate::matrix::{check_matrix, check_symmetric};
use nalgebra::DMatrix;

/// `x⁺ = A x + B u` or `ẋ = A x + B u` with the cost of a step, or its rate,
///
/// ```text
/// xᵀQ x + uᵀR u + 2 xᵀS u
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinearQuadratic {
    /// n×n.
    pub a: DMatrix<f64>,
    /// n×m.
    pub b: DMatrix<f64>,
    /// n×n, symmetric.
    pub q: DMatrix<f64>,
    /// m×m, symmetric and positive definite.
    pub r: DMatrix<f64>,
    /// n×m.
    pub cross: DMatrix<f64>,
}

/// A change of the first four matrices of a [`LinearQuadratic`]: their derivatives with respect to a parameter.
pub type LinearQuadraticChange = [DMatrix<f64>; 4];

impl LinearQuadratic {
    /// Without a cross term.
    ///
    /// # Errors
    /// For sizes that do not fit, entries that are not finite, and weights that are not symmetric.
    pub fn new(
        a: DMatrix<f64>,
        b: DMatrix<f64>,
        q: DMatrix<f64>,
        r: DMatrix<f64>,
    ) -> Result<Self, ControlError> {
        let (n, m) = (a.nrows(), b.ncols());
        let cross = DMatrix::zeros(n, m);
        let problem = LinearQuadratic { a, b, q, r, cross };
        problem.check()?;
        Ok(problem)
    }

    /// With the cross term `2 xᵀS u`, n×m.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_cross(self, cross: DMatrix<f64>) -> Result<Self, ControlError> {
        let problem = LinearQuadratic { cross, ..self };
        problem.check()?;
        Ok(problem)
    }

    /// Checks sizes, entries and symmetry.
    pub(crate) fn check(&self) -> Result<(), ControlError> {
        let (n, m) = (self.a.nrows(), self.b.ncols());
        check_matrix("A", &self.a, n, n)?;
        check_matrix("B", &self.b, n, m)?;
        check_symmetric("Q", &self.q, n)?;
        check_symmetric("R", &self.r, m)?;
        check_matrix("S", &self.cross, n, m)
    }

    /// The cost of a step as a quadratic form of x under `u = −K x`: `Q + KᵀR K − S K − KᵀSᵀ`.
    pub(crate) fn closed_loop_cost(&self, gain: &DMatrix<f64>) -> DMatrix<f64> {
        let crossed = &self.cross * gain;
        &self.q + gain.tr_mul(&(&self.r * gain)) - &crossed - crossed.transpose()
    }
}
