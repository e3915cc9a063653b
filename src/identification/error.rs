//! Errors of an identification.

use super::execution::ExecutionError;
use crate::error::{Brief, Short, debug_as_sentence};
use crate::{InvalidInput, ParameterError};
use std::sync::Arc;

/// Largest magnitude of a residual or derivative: sums of squares of 10⁶ of them do not overflow.
pub(super) const LARGEST: f64 = 1e140;

/// An identification cannot be set up or started.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum IdentificationError {
    /// An unknown is described by data that make no sense.
    #[error("unknown {name:?}: {source}", name = Brief(name))]
    Unknown {
        /// Name of the unknown.
        name: String,
        /// What is wrong.
        source: InvalidInput,
    },
    /// Two unknowns have the same name.
    #[error("there are two unknowns named {name:?}", name = Brief(name))]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// There is nothing to learn from.
    #[error("there is no experiment to learn from")]
    NoExperiments,
    /// The experiments that can be evaluated have no residuals.
    #[error("the experiments have no residuals")]
    NoResiduals,
    /// No residual responds to an unknown by more than 10⁻¹⁴⁰, whose square is lost.
    #[error(
        "no residual responds to an unknown by more than {:e}, too little to square: divide residuals by the standard \
         deviations of their measurements",
        LARGEST.recip()
    )]
    Underflow,
    /// The residuals of an experiment do not divide into blocks.
    #[error(
        "experiment {experiment} has {residuals} residuals, not a multiple of the block size {block}"
    )]
    PartialBlock {
        /// Index of the experiment.
        experiment: usize,
        /// Its number of residuals.
        residuals: usize,
        /// The block size that was asked for.
        block: usize,
    },
    /// An experiment has no finite residuals or derivatives at a point where it must.
    #[error("experiment {experiment}: {cause}")]
    Experiment {
        /// Index of the experiment.
        experiment: usize,
        /// What happened.
        cause: EvaluationError,
    },
    /// Every experiment fails at the start, so that none is left to learn from.
    #[error("all {count} experiments fail at the start; the first: {cause}")]
    AllExperimentsFail {
        /// Number of experiments.
        count: usize,
        /// What happened to the first.
        cause: EvaluationError,
    },
    /// The executor could not evaluate the experiments.
    #[error("{}", Brief(.0.to_string()))]
    Execution(Arc<dyn std::error::Error + Send + Sync>),
    /// A model has no such parameter, or several.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Other input that cannot be accepted.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
}

impl From<ExecutionError> for IdentificationError {
    fn from(error: ExecutionError) -> Self {
        IdentificationError::Execution(error.into())
    }
}

/// An experiment cannot be evaluated.
///
/// With the feature `serde` it is written and read; the experiment's own error is then its sentence.
#[derive(Clone, thiserror::Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum EvaluationError {
    /// The experiment returned its own error.
    #[error("{}", Brief(.0.to_string()))]
    #[cfg_attr(feature = "serde", serde(with = "sentence"))]
    Failed(Arc<dyn std::error::Error + Send + Sync>),
    /// A residual is NaN, infinite or too large to square (beyond 10¹⁴⁰), or was not written.
    #[error("residual {residual} = {}, expected at most {LARGEST:e} in magnitude", Short(*value))]
    NotFinite {
        /// Index of the residual in the experiment.
        residual: usize,
        /// Its value.
        #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended_or_nan"))]
        value: f64,
    },
    /// A derivative is NaN, infinite or too large to square (beyond 10¹⁴⁰).
    #[error(
        "the derivative of residual {residual} with respect to unknown {unknown} = {}, expected at most {LARGEST:e} \
         in magnitude",
        Short(*value)
    )]
    DerivativeNotFinite {
        /// Index of the residual in the experiment.
        residual: usize,
        /// Index of the unknown.
        unknown: usize,
        /// The derivative, in the optimiser's coordinate of the unknown.
        #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended_or_nan"))]
        value: f64,
    },
    /// The residuals do not determine the states that a [`Shooting`](super::Shooting) eliminates.
    #[error(
        "the residuals do not determine the states that are eliminated: a pivot of their equations is 0"
    )]
    StatesUndetermined,
    /// The values of the unknowns cannot be accepted.
    #[error(transparent)]
    #[cfg_attr(feature = "serde", serde(skip))]
    Invalid(#[from] InvalidInput),
}

debug_as_sentence!(IdentificationError, EvaluationError);

impl EvaluationError {
    /// Of an experiment's own error.
    pub(super) fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        EvaluationError::Failed(error.into().into())
    }
}

/// An error as its sentence.
#[cfg(feature = "serde")]
mod sentence {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::sync::Arc;

    type Error = Arc<dyn std::error::Error + Send + Sync>;

    pub fn serialize<S: Serializer>(error: &Error, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(error)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Error, D::Error> {
        let sentence = String::deserialize(deserializer)?;
        Ok(Box::<dyn std::error::Error + Send + Sync>::from(sentence).into())
    }
}
