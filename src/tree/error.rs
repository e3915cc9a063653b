//! Errors of trees.

use super::index::{BodyIndex, FrameIndex, JointIndex};
use crate::InvalidInput;
use crate::error::{Brief, Listed, Short, debug_as_sentence};
use crate::spelling::Proposal;

/// A tree cannot be built, or cannot compute what it was asked for.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A vector or matrix has the wrong size or an entry that is not finite or out of range.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// A property of a named body, joint or frame is not acceptable.
    #[error("{element} {name:?}: {source}", name = Brief(name))]
    InvalidElement {
        /// `"body"`, `"joint"` or `"frame"`.
        element: &'static str,
        /// Its name.
        name: String,
        /// What is wrong.
        source: InvalidInput,
    },
    /// A name is empty.
    #[error("a {element} needs a name")]
    EmptyName {
        /// `"body"`, `"joint"` or `"frame"`.
        element: &'static str,
    },
    /// Two elements have the same name.
    #[error("there are two {elements} {name:?}", name = Brief(name))]
    DuplicateName {
        /// `"bodies"`, `"joints"` or `"frames"`.
        elements: &'static str,
        /// The name.
        name: String,
    },
    /// No element has this name.
    #[error("there is no {element} {name:?}{}", Proposal(nearest), name = Brief(name))]
    UnknownName {
        /// `"body"`, `"joint"` or `"frame"`.
        element: &'static str,
        /// The name that was asked for.
        name: String,
        /// Up to three names that resemble it, as a whole or by their end, the nearest first.
        nearest: Vec<String>,
    },
    /// A short name belongs to several elements.
    #[error("{name:?} may be any of these: {}", Listed(candidates), name = Brief(name))]
    AmbiguousName {
        /// `"body"`, `"joint"` or `"frame"`.
        element: &'static str,
        /// The name that was asked for.
        name: String,
        /// The full names that end in it.
        candidates: Vec<String>,
    },
    /// The tree has no such body.
    #[error("there is no body {}, the tree has {len}", index.get())]
    NoSuchBody {
        /// The index that was given.
        index: BodyIndex,
        /// The number of bodies, with the world.
        len: usize,
    },
    /// The tree has no such joint.
    #[error("there is no joint {}, the tree has {len}", index.get())]
    NoSuchJoint {
        /// The index that was given.
        index: JointIndex,
        /// The number of joints.
        len: usize,
    },
    /// The tree has no such frame.
    #[error("there is no frame {}, the tree has {len}", index.get())]
    NoSuchFrame {
        /// The index that was given.
        index: FrameIndex,
        /// The number of frames.
        len: usize,
    },
    /// A body would be the child of two joints, or the world of one.
    #[error("joint {joint:?} cannot carry body {body:?}, {reason}", joint = Brief(joint), body = Brief(body), reason = Brief(reason))]
    TwoInboardJoints {
        /// The joint that was to be added.
        joint: String,
        /// Its child.
        body: String,
        /// What stands against it.
        reason: String,
    },
    /// Bodies carry each other in a circle and hang on nothing.
    #[error(
        "following the joints inwards from body {body:?} leads back to it and never to the world: leave one of the joints out, \
         and close the loop with a constraint", body = Brief(body))]
    KinematicLoop {
        /// One of them.
        body: String,
    },
    /// A joint cannot follow another as it was told to.
    #[error("joint {joint:?} cannot follow joint {followed:?}: {reason}", joint = Brief(joint), followed = Brief(followed))]
    InvalidMimic {
        /// The joint that was to follow.
        joint: String,
        /// The joint to be followed.
        followed: String,
        /// Why not.
        reason: &'static str,
    },
    /// The quaternion of a joint is too far from unit length to be one by round-off alone.
    #[error(
        "the quaternion of joint {joint:?} has the squared norm {}, expected 1 within 1e-3 (for differences by it, take \
         dualbody::autodiff::OnTangent)",
        Short(*squared_norm), joint = Brief(joint))]
    NotUnitQuaternion {
        /// The joint.
        joint: String,
        /// `‖q‖²`.
        squared_norm: f64,
    },
    /// The workspace was made by a tree with other bodies and joints.
    #[error(
        "the workspace belongs to a tree with other bodies and joints: take one from `workspace()` of this tree"
    )]
    ForeignWorkspace,
    /// Parameters of the tree have changed since the workspace's state was set.
    #[error("parameters of the tree have changed, set the state of the workspace again")]
    OutdatedWorkspace,
    /// A joint can move without moving any inertia, so its acceleration is not determined.
    #[error(
        "joint {joint:?} moves body {body:?} and what it carries without resistance: no inertia opposes the motion, but for round-off; \
         give the body mass or the joint armature, or weld the body with a fixed joint; if the motion has run away, take shorter steps", joint = Brief(joint), body = Brief(body))]
    SingularInertia {
        /// The joint.
        joint: String,
        /// Its child.
        body: String,
    },
    /// A tree without mass has no centre of mass.
    #[error("the bodies have no mass, so there is no centre of mass: give one of them mass")]
    NoMass,
}

debug_as_sentence!(TreeError);

pub(super) fn invalid(element: &'static str, name: &str, source: InvalidInput) -> TreeError {
    TreeError::InvalidElement {
        element,
        name: name.to_owned(),
        source,
    }
}
