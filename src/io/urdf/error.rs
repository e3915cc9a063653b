//! URDF: errors of descriptions.

use crate::InvalidInput;
use crate::error::{Brief, debug_as_sentence};
use crate::io::XmlPlace;
use crate::spelling::Proposal;
use crate::tree::TreeError;
use std::path::PathBuf;

/// A robot description cannot be read.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum UrdfError {
    /// The file cannot be read, or its text is not UTF-8.
    #[error("{}: {source}", Brief(&path.to_string_lossy()))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The description has a mistake.
    #[error("{place}: {}", problem.at(place))]
    Invalid {
        /// Where it is.
        place: XmlPlace,
        /// What it is.
        problem: Box<UrdfProblem>,
    },
}

/// A mistake in a robot description.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UrdfProblem {
    /// The text is not well-formed XML.
    #[error("{message}", message = Brief(message))]
    Syntax {
        /// What is wrong.
        message: String,
    },
    /// The outermost element is another one than `<robot>`.
    #[error("expected <robot>, found <{found}>", found = Brief(found))]
    NotARobot {
        /// Its name.
        found: String,
    },
    /// An element is a macro: the description must be expanded first.
    #[error("this is a macro, expand the description with xacro first")]
    Macro,
    /// The value of an attribute is an expression of a macro: the description must be expanded first.
    #[error("{attribute} = {value:?} is an expression, expand the description with xacro first", attribute = Brief(attribute), value = Brief(value))]
    Unexpanded {
        /// The attribute.
        attribute: String,
        /// Its value.
        value: String,
    },
    /// An element lacks an attribute.
    #[error("attribute {attribute:?} is missing")]
    MissingAttribute {
        /// The attribute.
        attribute: &'static str,
    },
    /// An element lacks a child.
    #[error("<{element}> is missing")]
    MissingElement {
        /// The child.
        element: &'static str,
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
    /// A collision element has no shape.
    #[error("there is no shape, expected one of box, capsule, cylinder, mesh, sphere")]
    NoShape,
    /// A collision element has a shape that the format does not know.
    #[error("unknown shape <{found}>, expected one of box, capsule, cylinder, mesh, sphere", found = Brief(found))]
    UnknownShape {
        /// The name of the element.
        found: String,
    },
    /// A dimension of a shape is not acceptable.
    #[error(transparent)]
    Shape(InvalidInput),
    /// A mesh cannot be read, or has no hull.
    #[error("{message}", message = Brief(message))]
    Mesh {
        /// The file, the line if it has lines, and what is wrong.
        message: String,
    },
    /// Two elements have the same name.
    #[error("there are two {elements} {name:?}", name = Brief(name))]
    DuplicateName {
        /// `"links"` or `"joints"`.
        elements: &'static str,
        /// The name.
        name: String,
    },
    /// Nothing has the name that is referred to.
    #[error("there is no {element} {name:?}{}", Proposal(nearest.as_slice()), name = Brief(name))]
    UnknownName {
        /// `"link"` or `"joint"`.
        element: &'static str,
        /// The name.
        name: String,
        /// The name that resembles it most, if one does.
        nearest: Option<String>,
    },
    /// There is no link, or every one is the child of a joint.
    #[error("there is no root, a link that is not the child of any joint")]
    NoRoot,
    /// Several links are not the child of any joint.
    #[error("{first:?} and {second:?} are both roots, links that are not the child of any joint", first = Brief(first), second = Brief(second))]
    SeveralRoots {
        /// One of them.
        first: String,
        /// Another.
        second: String,
    },
    /// Joints follow each other by `<mimic>`, and none of them moves by itself.
    #[error("joints follow each other in a circle: {}", circle(joints))]
    MimicCircle {
        /// Their names, each before that which it follows.
        joints: Vec<String>,
    },
    /// A quantity of a tree that the format cannot hold, or not where the description has it.
    #[error("the description cannot hold the {quantity} of {element:?}", element = Brief(element))]
    NotExpressible {
        /// `"mass"`, `"axis"`, `"friction of the surface"`, ….
        quantity: &'static str,
        /// The body, joint or geometry that it belongs to.
        element: String,
    },
    /// The tree does not accept a body or a joint.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

debug_as_sentence!(UrdfError, UrdfProblem);

/// Names of a circle, that of the first again at its end.
fn circle(joints: &[String]) -> String {
    const MOST: usize = 8;
    let quoted = |name: &String| format!("{:?}", Brief(name));
    let mut shown: Vec<String> = joints.iter().take(MOST).map(quoted).collect();
    if joints.len() > MOST {
        shown.push(format!("({} more)", joints.len() - MOST));
    }
    shown.extend(joints.first().map(quoted));
    shown.join(" -> ")
}

impl UrdfProblem {
    /// The problem in words that follow its place, which has named the element.
    fn at(&self, place: &XmlPlace) -> &dyn std::fmt::Display {
        match self {
            UrdfProblem::Tree(TreeError::InvalidElement {
                element, source, ..
            }) if is_within(place, element) => source,
            problem => problem,
        }
    }
}

/// Whether a place is one of a body or a joint, and names it.
fn is_within(place: &XmlPlace, element: &str) -> bool {
    let tag = if element == "body" { "link" } else { element };
    (place.element.strip_prefix(tag)).is_some_and(|name| name.starts_with(" \""))
}
