//! What can go wrong with a system and its steps.

use crate::InvalidInput;
use crate::constraint::ConstraintError;
use crate::contact::ContactError;
use crate::force::ForceError;
use crate::parameter::ParameterError;
use crate::sensor::SensorError;
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
    /// A sensor does not make sense, or does not fit the tree.
    #[error(transparent)]
    Sensor(#[from] SensorError),
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

/// A system with actuators and sensors cannot go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlantError {
    /// A state or an input has the wrong size or an entry that is not finite.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// The step cannot be made.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The tree rejects the state, or the workspace belongs to another system.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The contacts of the state cannot be computed.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// An actuator cannot compute its force.
    #[error(transparent)]
    Force(#[from] ForceError),
    /// A sensor cannot measure.
    #[error(transparent)]
    Sensor(#[from] SensorError),
    /// The constraint forces were not found.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// The workspace is not one of this plant.
    #[error("the workspace belongs to another plant")]
    ForeignWorkspace,
    /// There is no input or output of this name.
    #[error("there is no signal {name:?}, only {}", known.join(", "))]
    UnknownSignal {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// No equilibrium was found.
    #[error("no equilibrium was found: after {iterations} iterations a force of {force} is left")]
    NoEquilibrium {
        /// Number of iterations.
        iterations: usize,
        /// Largest generalized force that is left, in N m or N.
        force: f64,
    },
    /// A system has equilibria that are no root of equations.
    #[error("the search for an equilibrium does not cover {what}")]
    EquilibriumUndefined {
        /// What the system has that is not covered.
        what: &'static str,
    },
    /// Steps with rigid contact have no adjoint.
    #[error("the adjoint is that of compliant contact, and contact is rigid here")]
    AdjointUndefined,
    /// A parameter cannot be read or written.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The equilibrium is not isolated, so it has no derivative.
    #[error("the equilibrium is not isolated: its positions have no derivative")]
    IndifferentEquilibrium,
}
