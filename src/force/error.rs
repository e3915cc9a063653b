//! What can go wrong with a force element.

use crate::InvalidInput;
use crate::parameter::ParameterError;
use crate::tree::TreeError;

/// A force element cannot be used, or cannot compute its force.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ForceError {
    /// A quantity has the wrong size or a value that makes no sense.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// A constant of a named element is not acceptable.
    #[error("force element {name:?}: {source}")]
    InvalidElement {
        /// The name of the element.
        name: String,
        /// What is wrong.
        source: InvalidInput,
    },
    /// An element acts on something that the tree does not have, or a workspace belongs to another
    /// tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl From<ForceError> for ParameterError {
    fn from(error: ForceError) -> Self {
        match error {
            ForceError::Invalid(source) => ParameterError::Invalid(source),
            other => ParameterError::Rejected {
                reason: other.to_string(),
            },
        }
    }
}
