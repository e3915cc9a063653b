//! What can go wrong with a system and its steps.

use crate::InvalidInput;
use crate::contact::ContactError;
use crate::force::ForceError;
use crate::solver::implicit_stribeck::ImplicitStribeckSolverError;
use crate::tree::TreeError;

/// A system cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// The time step or a parameter of the solver does not make sense.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// The tree and the contact model do not fit.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// A force element does not make sense, or does not fit the tree.
    #[error(transparent)]
    Force(#[from] ForceError),
}

/// A step cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A state or an input has the wrong size or an entry that is not finite.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// The tree rejects the state, or the workspace belongs to another system.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The contacts of the state cannot be computed.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// The velocities at the end of the step were not found; the error holds the last iterate.
    #[error(transparent)]
    Solver(#[from] ImplicitStribeckSolverError),
    /// A force element cannot compute its force.
    #[error(transparent)]
    Force(#[from] ForceError),
    /// No velocities were found at which the force elements agree with their linearisation.
    #[error(
        "the force elements change too fast with velocity: after {linearizations} linearisations \
         the momentum balance is off by {error:e} of its largest term"
    )]
    ForcesNotConverged {
        /// Number of linearisations that were tried.
        linearizations: usize,
        /// The smallest error that was reached, relative to the momenta that are balanced.
        error: f64,
    },
}
