//! Errors of contact.

use crate::InvalidInput;
use crate::error::{Brief, debug_as_sentence};
use crate::geometry::{GeometryError, ShapeKind};
use crate::spelling::Proposal;
use crate::tree::TreeError;

/// A contact model cannot be built, or cannot find the contacts of a state.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactError {
    /// A property of a geometry is not acceptable.
    #[error("geometry {name:?}: {source}", name = Brief(name))]
    InvalidGeometry {
        /// The name of the geometry.
        name: String,
        /// What is wrong.
        source: InvalidInput,
    },
    /// The model was made for a tree whose joints connect other bodies, or have other degrees of freedom.
    #[error(
        "the contact model was made for another tree: one with {} joints; this one has {}{}", joints[0], joints[1],
        joint.as_ref().map_or(String::new(), |name| format!(", and {:?} is the first that differs", Brief(name)))
    )]
    ForeignTree {
        /// Number of joints of the tree that it was made for, and of the other.
        joints: [usize; 2],
        /// The first joint of the other that differs, if it is not that it has fewer.
        joint: Option<String>,
    },
    /// Two geometries, or two pairs with materials of their own, have the same name.
    #[error("two geometries or pairs are named {name:?}", name = Brief(name))]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// No geometry has this name.
    #[error("there is no geometry {name:?}{}", Proposal(nearest), name = Brief(name))]
    UnknownName {
        /// The name that was asked for.
        name: String,
        /// Up to three names of geometries that resemble it, the nearest first.
        nearest: Vec<String>,
    },
    /// Two geometries can meet, but contact between their shapes is not implemented.
    #[error(
        "contact of {first:?} (a {first_kind}) with {second:?} (a {second_kind}) is not supported; \
         exclude the pair if it cannot happen", first = Brief(first), second = Brief(second))]
    UnsupportedPair {
        /// Name of the first geometry.
        first: String,
        /// Its shape.
        first_kind: ShapeKind,
        /// Name of the second geometry.
        second: String,
        /// Its shape.
        second_kind: ShapeKind,
    },
    /// Two geometries can meet, neither gives way, and contact is compliant.
    #[error(
        "{first:?} and {second:?} are both rigid, compliant contact needs a side that gives way: give one of them a finite \
         stiffness, or make rigid steps", first = Brief(first), second = Brief(second))]
    RigidPair {
        /// Name of the first geometry.
        first: String,
        /// Name of the second geometry.
        second: String,
    },
    /// More pairs of geometries move relative to each other than a model can hold.
    #[error(
        "more than {pairs} pairs of the {geometries} geometries move relative to each other: exclude pairs that never touch"
    )]
    TooManyPairs {
        /// Number of geometries.
        geometries: usize,
        /// The largest number of pairs.
        pairs: usize,
    },
    /// Two geometries resist turning at their contact, and contact is rigid.
    #[error(
        "{first:?} on {second:?} has torsional or rolling friction, which rigid contact leaves out: use compliant \
         contact, or take it from the materials", first = Brief(first), second = Brief(second))]
    RotationalFriction {
        /// Name of the first geometry.
        first: String,
        /// Name of the second geometry.
        second: String,
    },
    /// The contacts of a pair cannot be computed.
    #[error("contact of {first:?} with {second:?}: {source}", first = Brief(first), second = Brief(second))]
    Geometry {
        /// Name of the first geometry.
        first: String,
        /// Name of the second geometry.
        second: String,
        /// Why.
        source: GeometryError,
    },
    /// A pair is listed that cannot touch, twice, or in the wrong order.
    #[error(
        "geometries {first:?} and {second:?} are no pair: it is listed twice, not in the order of the kinds of shapes, or their bodies are one, or connected", first = Brief(first), second = Brief(second))]
    InvalidPair {
        /// The geometry listed first.
        first: String,
        /// The geometry listed second.
        second: String,
    },
    /// A body does not belong to the tree, or a workspace does not.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

debug_as_sentence!(ContactError);
