//! URDF: the model that a description becomes, and its options.

use super::report::UrdfReport;
use crate::contact::CollisionGeometry;
use crate::tree::{BodyIndex, JointIndex};

/// What carries the root link of a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UrdfBase {
    /// A root link of the name `world` is the world; any other floats.
    #[default]
    Automatic,
    /// The root link is fixed to the world, with the frames of both coinciding; a root link of the
    /// name `world` is the world.
    Fixed,
    /// The root link is a body that no joint carries, whatever its name, and so gets a floating
    /// joint when the tree is finished, unless one is added to the builder before.
    Floating,
}

/// What `<mimic>` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UrdfMimic {
    /// The joint follows: `q = multiplier · q_followed + offset`, exactly, in all kinematics and
    /// dynamics. It has no coordinates of its own.
    #[default]
    Coupled,
    /// The joint has coordinates of its own, and the report names it. There need not be a joint of
    /// the name that it would follow.
    Independent,
}

/// What becomes of mistakes in a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UrdfMistakes {
    /// They are errors.
    #[default]
    Refused,
    /// Those that have [one reading](super#repairs) are mended, and [listed](super::UrdfReport::repairs).
    Repaired,
}

/// What a description has added to a tree.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UrdfModel<T> {
    /// The name that precedes those of bodies, joints and geometries.
    pub name: String,
    /// The body of the root link.
    pub root: BodyIndex,
    /// The bodies of the links, in the order of the description.
    pub bodies: Vec<BodyIndex>,
    /// The joints, in the order of the description.
    pub joints: Vec<JointIndex>,
    /// The shapes of the links, for a [`ContactModelBuilder`](crate::contact::ContactModelBuilder).
    /// Their names are those of the body, followed by `/collision` or the name in the description,
    /// made unique by `_2`, `_3`, ….
    pub collision_geometries: Vec<CollisionGeometry<T>>,
    /// What was read and what was not.
    pub report: UrdfReport,
}
