//! Errors of force elements.

use crate::InvalidInput;
use crate::error::{Brief, NotFiniteElement, debug_as_sentence};
use crate::parameter::ParameterError;
use crate::remote::RemoteError;
use crate::tree::TreeError;

/// A force element cannot be used, or cannot compute its force.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ForceError {
    /// A quantity has the wrong size or a value that makes no sense.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// A constant of a named element is not acceptable.
    #[error("force element {name:?}: {source}", name = Brief(name))]
    InvalidElement {
        /// The name of the element.
        name: String,
        /// What is wrong.
        source: InvalidInput,
    },
    /// An element that says that it lives by coordinates alone asks for a body, or acts on one.
    #[error(
        "an element asks for a body or acts on one, though its `depends_on_bodies` says that it does not"
    )]
    CoordinatesAlone,
    /// An element gave a number that is not finite.
    #[error(transparent)]
    NotFinite(#[from] Box<NotFiniteElement>),
    /// Roll, pitch and yaw do not determine the rates of a bushing.
    #[error(
        "bushing {name:?} is near gimbal lock: its pitch is {pitch} rad, and the cosine of the pitch \
         must be at least {tolerance}; turn its frames so that it pitches less, or take a ConservativeBushing", name = Brief(name))]
    GimbalLock {
        /// The name of the bushing.
        name: String,
        /// The pitch angle in rad.
        pitch: f64,
        /// The smallest cosine of the pitch that is accepted.
        tolerance: f64,
    },
    /// An actuator does not say how its state moves.
    #[error(
        "the state of the actuator {actuator} stands still in continuous time: it needs a \
         `state_derivative`, or `is_sampled` if samples change it"
    )]
    StateWithoutRate {
        /// The type of the actuator.
        actuator: &'static str,
    },
    /// The process that commands an actuator does not answer as it should.
    #[error("actuator {name:?}: {source}", name = Brief(name))]
    Remote {
        /// The name of the actuator.
        name: String,
        /// What is wrong.
        source: RemoteError,
    },
    /// An element acts on something that the tree does not have, or a workspace belongs to another
    /// tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

debug_as_sentence!(ForceError);

impl ForceError {
    /// Says which element an input is wrong in: `check.map_err(ForceError::invalid(name))`.
    pub fn invalid(name: &str) -> impl Fn(InvalidInput) -> Self {
        move |source| ForceError::InvalidElement {
            name: name.to_owned(),
            source,
        }
    }
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
