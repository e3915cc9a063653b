//! The coordinate of a joint with one degree of freedom.

use crate::constraint::error::ConstraintError;
use crate::tree::{JointIndex, JointKind, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};

/// A joint that turns or slides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct JointCoordinate {
    pub joint: JointIndex,
    turns: bool,
}

impl JointCoordinate {
    pub fn new<T: Scalar>(
        name: &str,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
    ) -> Result<Self, ConstraintError> {
        let turns = match tree.joint(joint)?.kind() {
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => true,
            JointKind::Prismatic { .. } => false,
            other => {
                let freedom = [other.num_velocities() as f64];
                InvalidInput::check_range("degrees of freedom of the joint", &freedom, "1", |_| {
                    false
                })
                .map_err(ConstraintError::invalid(name))?;
                false
            }
        };
        Ok(JointCoordinate { joint, turns })
    }

    /// Checks that the tree has such a joint.
    pub fn validate<T: Scalar>(
        self,
        name: &str,
        tree: &RigidBodyTree<T>,
    ) -> Result<(), ConstraintError> {
        let found = JointCoordinate::new(name, tree, self.joint)?;
        let index = [self.joint.get() as f64];
        let expected = "a joint of the kind that the constraint was made for";
        InvalidInput::check_range("joint", &index, expected, |_| found == self)
            .map_err(ConstraintError::invalid(name))
    }

    pub fn turns(self) -> bool {
        self.turns
    }

    /// rad or m.
    pub fn unit(self) -> &'static str {
        if self.turns { "rad" } else { "m" }
    }

    /// Of `v` and of `v̇`.
    pub fn rate_units(self) -> [&'static str; 2] {
        if self.turns {
            ["rad/s", "rad/s²"]
        } else {
            ["m/s", "m/s²"]
        }
    }

    /// Of a ratio of this coordinate to another.
    pub fn ratio_unit(self, other: Self) -> &'static str {
        match (self.turns, other.turns) {
            (true, false) => "rad/m",
            (false, true) => "m/rad",
            _ => "1",
        }
    }

    /// Where the joint is, its velocity coordinate, and how fast it moves with that.
    ///
    /// A joint that follows another moves at `ratio` times the rate of the other's coordinate.
    pub fn evaluate<T: Scalar>(
        self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
    ) -> Result<(T, usize, T), ConstraintError> {
        let joint = tree.joint(self.joint)?;
        let q = workspace.q();
        InvalidInput::check_size("q of the workspace", q.len(), tree.num_positions())?;
        let (ratio, offset) =
            (joint.mimic()).map_or((T::one(), T::zero()), |m| (m.multiplier, m.offset));
        let position = q[joint.position_start()] * ratio + offset;
        Ok((position, joint.velocity_start(), ratio))
    }
}
