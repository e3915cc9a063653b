//! How a solve can fail.

use super::solution::Solution;
use crate::InvalidInput;
use crate::math::Singular;

/// A solve that did not find a solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImplicitStribeckSolverError {
    /// The guess or the time step cannot be used.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// No strategy brought the residual down to the tolerance.
    #[error(
        "no solution after {} iterations: relative residual {:e}",
        last.statistics.iterations(),
        last.statistics.residual
    )]
    NotConverged {
        /// The last iterate, with the forces there and the statistics.
        last: Box<Solution<f64>>,
    },
    /// The Jacobian of the momentum balance cannot be factored.
    #[error("after {} iterations the Jacobian is singular: {cause}", last.statistics.iterations())]
    SingularJacobian {
        /// The last iterate, with the forces there and the statistics.
        last: Box<Solution<f64>>,
        /// Where elimination stopped.
        cause: Singular,
    },
}
