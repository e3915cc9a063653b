//! What can go wrong with a system and its steps.

use crate::InvalidInput;
use crate::contact::ContactError;
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
}
