//! Errors of systems and their steps.

use crate::InvalidInput;
use crate::constraint::ConstraintError;
use crate::contact::ContactError;
use crate::error::{Brief, debug_as_sentence};
use crate::force::ForceError;
use crate::integrator::IntegrationError;
use crate::math::Singular;
use crate::parameter::ParameterError;
use crate::sensor::SensorError;
use crate::solver::implicit_stribeck::ImplicitStribeckSolverError;
use crate::spelling::Proposal;
use crate::tree::TreeError;
use std::fmt;

/// A system cannot be built, or cannot go on.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// A state, an input, an option or the time step does not make sense.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// An input of this name is not acceptable.
    #[error("input {name:?}: {source}", name = Brief(name))]
    InvalidSignal {
        /// Its name.
        name: String,
        /// What is wrong.
        source: InvalidInput,
    },
    /// The tree rejects the state, or the workspace belongs to another system.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The tree and the contact model do not fit, or the contacts of a state cannot be computed.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// A force element or an actuator does not fit the tree, or cannot compute its force.
    #[error(transparent)]
    Force(#[from] ForceError),
    /// A sensor does not fit the tree, or cannot measure.
    #[error(transparent)]
    Sensor(#[from] SensorError),
    /// A constraint does not fit the tree, or the constraint forces were not found.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// A parameter cannot be read or written.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The velocities at the end of a step were not found; the error holds the last iterate.
    #[error(transparent)]
    Solver(#[from] ImplicitStribeckSolverError),
    /// Two things have the same name, so that neither could be found by it.
    #[error("two {what} are named {name:?}: {}", remedy(what), name = Brief(name))]
    DuplicateName {
        /// What they are.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A body cannot be placed, because a joint holds it, or it floats in relation to another body.
    #[error("the body {body:?} does not float in the world: set the positions of its joints", body = Brief(body))]
    NotFloating {
        /// The body.
        body: String,
    },
    /// No velocities were found at which the force elements agree with their linearisation.
    #[error(
        "the force elements change too fast with velocity: after {linearizations} linearisations \
         the momentum balance is off by {error:e} of its largest term: take shorter steps"
    )]
    ForcesNotConverged {
        /// Number of linearisations that were tried.
        linearizations: usize,
        /// The smallest error that was reached, relative to the momenta that are balanced.
        error: f64,
    },
    /// No velocities were found that satisfy the constraints.
    #[error(
        "row {row} of the constraint {constraint:?} {} after \
         {iterations} iterations: it contradicts other constraints or contacts, of which one must go, or the steps are too long",
         Unsatisfied(*error), constraint = Brief(constraint))]
    ConstraintsNotSatisfied {
        /// The constraint that is violated most.
        constraint: String,
        /// Its row.
        row: usize,
        /// Its velocity error; zero where rows act and let go in turns.
        error: f64,
        /// Number of iterations.
        iterations: usize,
    },
    /// A row is not upheld by forces along [directions of their own](crate::constraint::ConstraintRows::force_directions).
    #[error(
        "row {row} of the constraint {constraint:?} is not upheld: beside those of other rows, forces along directions of \
         their own move it by {effect:e} of what they could", constraint = Brief(constraint))]
    NotUpheld {
        /// The constraint.
        constraint: String,
        /// Its row.
        row: usize,
        /// The cosine between the row and what forces do beside those of other rows.
        effect: f64,
    },
    /// The Jacobian of a step with constraints cannot be factored.
    #[error("the Jacobian of the constraints: {0}")]
    SingularConstraints(#[from] Singular),
    /// The integrator of a step in continuous time cannot go on.
    #[error(transparent)]
    Integration(Box<IntegrationError<SystemError>>),
    /// The workspace is not one of this system.
    #[error("the workspace belongs to another system: take one from `workspace()` of this one")]
    ForeignWorkspace,
    /// There is no input or output of this name.
    #[error("there is no signal {name:?}{}", Proposal(nearest), name = Brief(name))]
    UnknownSignal {
        /// The name that was asked for.
        name: String,
        /// Up to three names of signals that resemble it, the nearest first.
        nearest: Vec<String>,
    },
    /// A continuous flow cannot carry what moves from sample to sample only.
    #[error("{what} move from sample to sample: step the system in continuous time instead")]
    SampledState {
        /// Whose states they are.
        what: &'static str,
    },
    /// No equilibrium was found.
    #[error(
        "no equilibrium was found: after {iterations} iterations {quantity} is {left:e} instead of zero: {}",
        way_to_rest(*nothing_touches), quantity = Brief(quantity))]
    NoEquilibrium {
        /// Number of iterations.
        iterations: usize,
        /// What is not zero: the force on a joint, in N m or N, or a row of a constraint or a force law, in its unit.
        quantity: String,
        /// What is left of it.
        left: f64,
        /// Whether the machine has shapes that can touch, none of which do where the search ended.
        nothing_touches: bool,
    },
    /// The equilibrium is not isolated, or at a kink, so it has no derivative.
    #[error(
        "the positions of the equilibrium have no derivative: it has neighbours, forces are not determined, or a contact \
         or a limit just touches without a force"
    )]
    IndifferentEquilibrium,
}

/// What to do where no equilibrium was found.
fn way_to_rest(nothing_touches: bool) -> &'static str {
    match nothing_touches {
        true => {
            "nothing touches where the search ended, so that no contact carries this: let the guess touch what the machine is to \
             stand on, and check the size and sign of the inputs"
        }
        false => {
            "check that the inputs can hold the machine, and start nearer to an equilibrium, such as where a damped motion ends"
        }
    }
}

/// What to do about two of one name.
fn remedy(what: &str) -> &'static str {
    match what {
        "parameters of the batch" => "name it once",
        _ => {
            "names start with that of an element, so give each element one of its own (a type that is `named` in \
             `constants!` takes a field `name` instead)"
        }
    }
}

impl From<IntegrationError<SystemError>> for SystemError {
    fn from(error: IntegrationError<SystemError>) -> Self {
        SystemError::Integration(Box::new(error))
    }
}

/// The step at which a rollout ended early.
#[derive(Clone, PartialEq, thiserror::Error)]
#[error("step {step} at t = {time} s: {source}")]
pub struct RolloutFailure {
    /// Number of the step, from 0.
    pub step: usize,
    /// Time at its start, in seconds.
    pub time: f64,
    /// What went wrong.
    pub source: Box<SystemError>,
}

debug_as_sentence!(SystemError, RolloutFailure);

impl RolloutFailure {
    /// For `map_err`: an error of a step that starts at `time`.
    pub(super) fn at<S: Into<SystemError>>(step: usize, time: f64) -> impl Fn(S) -> Self {
        move |source| RolloutFailure {
            step,
            time,
            source: Box::new(source.into()),
        }
    }
}

/// How a constraint is not satisfied.
struct Unsatisfied(f64);

impl fmt::Display for Unsatisfied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0.0 => f.write_str("acts and lets go in turns, still"),
            error => write!(f, "is violated by {error:e} m/s or rad/s"),
        }
    }
}
