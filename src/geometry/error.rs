//! Errors of contact geometry.

use super::{ShapeKind, Witness};
use crate::InvalidInput;

/// A contact cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// There is no implementation for this pair of shapes, in either order.
    #[error("contact of {a} and {b} is not supported")]
    UnsupportedPair {
        /// Kind of the first shape.
        a: ShapeKind,
        /// Kind of the second shape.
        b: ShapeKind,
    },
    /// The features are not features of these shapes.
    #[error("{witness:?} does not name features of {a} and {b}")]
    WitnessMismatch {
        /// The features.
        witness: Witness,
        /// Kind of the first shape.
        a: ShapeKind,
        /// Kind of the second shape.
        b: ShapeKind,
    },
    /// The search for the features that are nearest ended without any, as numbers are at the ends of their range.
    #[error(
        "found no nearest features of {a} and {b}: look for sizes that differ by many orders of magnitude"
    )]
    NotFound {
        /// Kind of the first shape.
        a: ShapeKind,
        /// Kind of the second shape.
        b: ShapeKind,
    },
    /// The data is not valid.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
}
