//! Errors of a solve.

use crate::InvalidInput;

/// A problem with friction cones has no solution, or none was found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FrictionConeError {
    /// The data cannot be used.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// No solution was found; there may be none.
    #[error(
        "no forces within friction cones were found: after {iterations} iterations the residual is {residual:e}"
    )]
    NotConverged {
        /// Iterations of Newton's method.
        iterations: usize,
        /// The smallest [residual](super::FrictionConeSolution::residual) that was reached.
        residual: f64,
    },
}
