//! Errors of a solve.

use super::solution::Solution;
use crate::InvalidInput;
use crate::math::Singular;
use std::fmt;

/// A solve that did not find a solution.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImplicitStribeckSolverError {
    /// The guess or the time step cannot be used.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// No strategy brought the residual down to the tolerance.
    #[error(
        "no solution after {} iterations, the last of {}: relative residual {:e}; take shorter steps or softer contact",
        last.statistics.iterations(),
        last.statistics.strategy,
        last.statistics.residual
    )]
    NotConverged {
        /// The last iterate, with the forces there and the statistics.
        last: Box<Solution<f64>>,
    },
    /// The Jacobian of the momentum balance cannot be factored.
    #[error("after {} iterations the Jacobian is singular: {cause}; take shorter steps or softer contact", last.statistics.iterations())]
    SingularJacobian {
        /// The last iterate, with the forces there and the statistics.
        last: Box<Solution<f64>>,
        /// Where elimination stopped.
        cause: Singular,
    },
}

impl ImplicitStribeckSolverError {
    /// The last iterate, where there is one.
    pub fn last(&self) -> Option<&Solution<f64>> {
        use ImplicitStribeckSolverError::{Invalid, NotConverged, SingularJacobian};
        match self {
            Invalid(_) => None,
            NotConverged { last } | SingularJacobian { last, .. } => Some(last),
        }
    }
}

/// Short: a program that ends with this error prints it so.
impl fmt::Debug for ImplicitStribeckSolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ImplicitStribeckSolverError::{Invalid, NotConverged, SingularJacobian};
        let (name, last, cause) = match self {
            Invalid(source) => return f.debug_tuple("Invalid").field(source).finish(),
            NotConverged { last } => ("NotConverged", last, None),
            SingularJacobian { last, cause } => ("SingularJacobian", last, Some(cause)),
        };
        let mut text = f.debug_struct(name);
        text.field("velocities", &last.velocities.len())
            .field("contacts", &last.normal_forces.len())
            .field("iterations", &last.statistics.iterations())
            .field("residual", &last.statistics.residual);
        if let Some(cause) = cause {
            text.field("cause", cause);
        }
        text.finish_non_exhaustive()
    }
}
