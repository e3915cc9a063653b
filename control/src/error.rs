//! Errors of control.

use dualbody::InvalidInput;
use dualbody::force::ForceError;
use dualbody::parameter::ParameterError;
use dualbody::system::SystemError;
use dualbody::tree::TreeError;

/// A problem of control cannot be posed, or has no solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// A quantity has the wrong size or a value that makes no sense.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// A machine cannot be built, evaluated or moved.
    #[error(transparent)]
    System(Box<SystemError>),
    /// A step of the trajectory to start from fails.
    #[error("the step of stage {stage}: {source}")]
    Step {
        /// Number of the stage, from 0.
        stage: usize,
        /// What went wrong.
        source: Box<ControlError>,
    },
    /// A residual of a cost or a constraint cannot be evaluated.
    #[error("{name:?} at stage {stage}: {source}")]
    Residual {
        /// The name of the cost or constraint.
        name: String,
        /// Number of the stage, from 0; the horizon for the final one.
        stage: usize,
        /// What went wrong.
        source: Box<ControlError>,
    },
    /// A limit that nothing can satisfy.
    #[error(
        "the limits of {name:?} contradict each other: entry {index} is to be from {lower} to {upper}"
    )]
    EmptyBounds {
        /// The name of the constraint, or `"input"`.
        name: String,
        /// The entry.
        index: usize,
        /// Its lower limit.
        lower: f64,
        /// Its upper limit.
        upper: f64,
    },
    /// Two costs or constraints, or two parameters, have the same name.
    #[error("two of the same kind are named {name:?}")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// The operating system gives no thread.
    #[error("no thread can be started: {reason}")]
    NoThread {
        /// What it says.
        reason: String,
    },
    /// An input that has no weight, and no effect on what has one.
    #[error("no cost depends on input {input} of stage {stage}: give it a weight")]
    Undetermined {
        /// The input.
        input: usize,
        /// Number of the stage, from 0.
        stage: usize,
    },
    /// A free entry of the first state that has no effect on what has a weight.
    #[error(
        "no cost depends on entry {entry} of the first state: give it a weight, or do not free it"
    )]
    UndeterminedStart {
        /// The entry of its displacement.
        entry: usize,
    },
    /// A parameter that is not part of the design.
    #[error("{name:?} is no parameter of the design")]
    NotFree {
        /// Its name.
        name: String,
    },
    /// A matrix that has to be positive definite is not.
    #[error(
        "{quantity} is not positive definite, its diagonal is too small: pivot {index} is {pivot:e}"
    )]
    NotPositiveDefinite {
        /// The matrix.
        quantity: &'static str,
        /// The row at which that was found.
        index: usize,
        /// The pivot there.
        pivot: f64,
    },
    /// A Riccati equation has no stabilising solution.
    #[error("the {equation} Riccati equation has no stabilising solution: {reason}")]
    NotStabilizable {
        /// Which equation.
        equation: &'static str,
        /// The mode that no input reaches or the cost does not see, or else how that was noticed, and what to do.
        reason: String,
    },
    /// A matrix that has to be stable is not, so that a Gramian or a Lyapunov solution does not exist.
    #[error("the {equation} Lyapunov equation has no solution of its kind: {reason}")]
    Unstable {
        /// Which equation.
        equation: &'static str,
        /// How that was noticed.
        reason: String,
    },
    /// The state is not an equilibrium.
    #[error(
        "the step moves the equilibrium, take one from `equilibrium` with these inputs: entry {index} of the displacement is {value:e}"
    )]
    NotAtRest {
        /// The entry.
        index: usize,
        /// Its displacement in a step.
        value: f64,
    },
    /// The way from the guess to the equilibrium has led a joint to a limit.
    #[error(
        "the equilibrium has joint {joint:?} at its limit of {limit}, where the guess has {guess}: no gain holds what a limit \
         carries; check that the inputs balance the guess, or start at the limit if that is the equilibrium you mean"
    )]
    AtLimit {
        /// The joint.
        joint: String,
        /// The limit, in rad or m.
        limit: f64,
        /// Where the joint is in the guess.
        guess: f64,
    },
}

macro_rules! from_parts {
    ($($part:ty),+) => {
        $(impl From<$part> for ControlError {
            fn from(error: $part) -> Self {
                ControlError::from(SystemError::from(error))
            }
        })+
    };
}

from_parts!(TreeError, ForceError, ParameterError);

impl From<SystemError> for ControlError {
    fn from(error: SystemError) -> Self {
        match error {
            SystemError::Invalid(invalid) => ControlError::Invalid(invalid),
            other => ControlError::System(Box::new(other)),
        }
    }
}

impl ControlError {
    /// For `map_err`: an error in the step of a stage.
    pub(crate) fn in_step(stage: usize) -> impl Fn(ControlError) -> Self {
        move |source| ControlError::Step {
            stage,
            source: Box::new(source),
        }
    }

    /// For `map_err`: an error in a residual.
    pub(crate) fn in_residual(name: &str, stage: usize) -> impl Fn(ControlError) -> Self {
        move |source| ControlError::Residual {
            name: name.to_owned(),
            stage,
            source: Box::new(source),
        }
    }
}
