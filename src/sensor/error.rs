//! Errors of sensors.

use crate::InvalidInput;
use crate::error::{Brief, NotFiniteElement, debug_as_sentence};
use crate::remote::RemoteError;
use crate::tree::TreeError;

/// A sensor cannot be used, or cannot measure.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SensorError {
    /// A quantity has the wrong size or a value that makes no sense.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// A constant of a named sensor is not acceptable.
    #[error("sensor {name:?}: {source}", name = Brief(name))]
    InvalidSensor {
        /// The name of the sensor.
        name: String,
        /// What is wrong.
        source: InvalidInput,
    },
    /// A sensor gave a number that is not finite.
    #[error(transparent)]
    NotFinite(#[from] Box<NotFiniteElement>),
    /// A sensor does not say how its state moves.
    #[error(
        "the state of the sensor {sensor} stands still in continuous time: it needs a \
         `state_derivative`, or `is_sampled` if samples change it"
    )]
    StateWithoutRate {
        /// The type of the sensor.
        sensor: &'static str,
    },
    /// The process that computes a sensor does not answer as it should.
    #[error("sensor {name:?}: {source}", name = Brief(name))]
    Remote {
        /// The name of the sensor.
        name: String,
        /// What is wrong.
        source: RemoteError,
    },
    /// The sensor is on something that the tree does not have, or a workspace belongs to another
    /// tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The sensor needs something that the context does not hold.
    #[error("sensor {name:?} needs {needed}", name = Brief(name))]
    Missing {
        /// The name of the sensor.
        name: String,
        /// What it needs, in words.
        needed: &'static str,
    },
}

debug_as_sentence!(SensorError);

impl SensorError {
    /// Says which sensor an input is wrong in: `check.map_err(SensorError::invalid(name))`.
    pub fn invalid(name: &str) -> impl Fn(InvalidInput) -> Self {
        move |source| SensorError::InvalidSensor {
            name: name.to_owned(),
            source,
        }
    }
}
