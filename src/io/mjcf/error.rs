//! MJCF: errors of models.

use crate::InvalidInput;
use crate::constraint::ConstraintError;
use crate::contact::ContactError;
use crate::error::{Brief, debug_as_sentence};
use crate::force::ForceError;
use crate::io::XmlPlace;
use crate::sensor::SensorError;
use crate::spelling::Proposal;
use crate::system::SystemError;
use crate::tree::TreeError;
use std::path::PathBuf;

/// A model cannot be read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum MjcfError {
    /// The file cannot be read, is larger than 100 MB, or its text is not UTF-8.
    #[error("{}: {source}", Brief(&path.to_string_lossy()))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The model has a mistake.
    #[error("{place}: {problem}")]
    Invalid {
        /// Where it is; of an included file, that file.
        place: XmlPlace,
        /// What it is.
        problem: Box<MjcfProblem>,
    },
    /// What was read does not make a machine, as with pairs of shapes that have no contact.
    #[error("{}: {source}", Brief(&path.to_string_lossy()))]
    System {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Box<SystemError>,
    },
}

/// A mistake in a model.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum MjcfProblem {
    /// The text is not well-formed XML.
    #[error("{message}", message = Brief(message))]
    Syntax {
        /// What is wrong.
        message: String,
    },
    /// The outermost element is another one than `<mujoco>`.
    #[error("expected <mujoco>, found <{found}>", found = Brief(found))]
    NotAModel {
        /// Its name.
        found: String,
    },
    /// The value of an attribute is an expression of a macro: the model must be expanded first.
    #[error("{attribute} = {value:?} is an expression, expand the model with xacro first", attribute = Brief(attribute), value = Brief(value))]
    Unexpanded {
        /// The attribute.
        attribute: String,
        /// Its value.
        value: String,
    },
    /// An included file cannot be read.
    #[error("{}: {reason}", Brief(&path.to_string_lossy()), reason = Brief(reason))]
    Include {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A mesh cannot be read, or its inertia is wanted and it encloses no volume.
    #[error("{message}", message = Brief(message))]
    Mesh {
        /// What is wrong with it.
        message: String,
    },
    /// An element lacks an attribute.
    #[error("attribute {attribute:?} is missing")]
    MissingAttribute {
        /// The attribute.
        attribute: &'static str,
    },
    /// The value of an attribute is not what it must be.
    #[error("{attribute} = {value:?}, expected {expected}", value = Brief(value))]
    Value {
        /// The attribute.
        attribute: &'static str,
        /// Its value.
        value: String,
        /// What is allowed, in words.
        expected: &'static str,
    },
    /// Two elements have the same name.
    #[error("there are two {elements} {name:?}", name = Brief(name))]
    DuplicateName {
        /// `"bodies"`, `"joints"`, ….
        elements: &'static str,
        /// The name.
        name: String,
    },
    /// Nothing has the name that is referred to.
    #[error("there is no {element} {name:?}{}", Proposal(nearest.as_slice()), name = Brief(name))]
    UnknownName {
        /// `"body"`, `"joint"`, `"site"`, `"geom"`, `"class"`, ….
        element: &'static str,
        /// The name.
        name: String,
        /// The name that resembles it most, if one does.
        nearest: Option<String>,
    },
    /// An element holds bodies, or makes a body heavy, and is not read: what is left would be another machine. A
    /// [lenient](super::MjcfReader::lenient) reader leaves it out.
    #[error("{reason}; a lenient reader leaves it out", reason = Brief(reason))]
    LeftOut {
        /// What of it counts, in words.
        reason: String,
    },
    /// A free joint is on a body that is not at the top level, or not alone on its body.
    #[error("a free joint must be alone on a body of the world")]
    FreeJoint,
    /// A joint is in a `<replicate>`, but not in a body there: the body around would have several of it.
    #[error("a joint is on one body, put a body around it in <replicate>")]
    ReplicatedJoint,
    /// A hinge or a ball joint follows a ball joint of the same body.
    #[error("nothing turns a body that a ball joint turns, hinges come before it")]
    TurnsBehindBall,
    /// The joints of a body have more than six degrees of freedom.
    #[error("the joints of a body have more than 6 degrees of freedom")]
    TooManyFreedoms,
    /// A quantity of a tree or of an element that the format cannot hold, or not where the model has it.
    #[error("the model cannot hold the {quantity}{}", element.as_ref().map(|e| format!(" of {:?}", Brief(e))).unwrap_or_default())]
    NotExpressible {
        /// `"mass"`, `"axis"`, `"stiffness of the surface"`, …; `"value"` of a constant of an element.
        quantity: &'static str,
        /// The body, joint, site or geometry that it belongs to, or the name of the constant; none of gravity.
        element: Option<String>,
    },
    /// A quantity is not acceptable.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// The tree does not accept a body, a joint or a site.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A spring or an actuator is not acceptable.
    #[error(transparent)]
    Force(#[from] ForceError),
    /// A sensor is not acceptable.
    #[error(transparent)]
    Sensor(#[from] SensorError),
    /// A constraint is not acceptable.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// A collision geometry is not acceptable.
    #[error(transparent)]
    Contact(#[from] ContactError),
}

debug_as_sentence!(MjcfError, MjcfProblem);
