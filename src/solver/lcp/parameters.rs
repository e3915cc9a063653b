//! Parameters of the complementarity solver.

use crate::InvalidInput;

/// Which path is tried first. Others follow when round-off has spoilt it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LcpMethod {
    /// Lemke's method, for any matrix. It finds a solution, or shows that the inequalities have
    /// none, when the matrix is copositive plus: positive semidefinite, for example, or that of the
    /// friction pyramids of Anitescu and Potra without constraints that contradict each other.
    #[default]
    Lemke,
    /// Principal pivoting, for matrices with `xᵀ M x ≥ 0`: as many major cycles as `q` has negative
    /// entries, at most.
    PrincipalPivoting,
}

/// The method, and its limits.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LcpSolverParameters {
    /// The path that is tried first.
    pub method: LcpMethod,
    /// Number of pivots after which a path is given up, for each variable.
    pub max_pivots_per_variable: usize,
    /// Largest [residual](super::LcpSolution::residual) of a solution. That of a
    /// polished solution is typically between 10⁻¹⁶ and 10⁻¹³.
    pub residual_tolerance: f64,
}

impl Default for LcpSolverParameters {
    /// Lemke's method, 10 pivots a variable, residuals to 10⁻¹¹.
    fn default() -> Self {
        LcpSolverParameters {
            method: LcpMethod::default(),
            max_pivots_per_variable: 10,
            residual_tolerance: 1e-11,
        }
    }
}

impl LcpSolverParameters {
    /// Checks every parameter.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] for the first that is not in its range.
    pub fn validate(&self) -> Result<(), InvalidInput> {
        InvalidInput::check_range(
            "number of pivots a variable",
            &[self.max_pivots_per_variable as f64],
            "at least 1",
            |n| n >= 1.0,
        )?;
        InvalidInput::check_range(
            "residual tolerance",
            &[self.residual_tolerance],
            "between 0 and 1",
            |x| x > 0.0 && x < 1.0,
        )
    }
}
