//! An upper limit of the acceleration of a joint.

use super::joint_coordinate::JointCoordinate;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{
    ConstraintKind, ConstraintLevel, ConstraintRows, TreeConstraint,
};
use crate::erased::casts_by_list;
use crate::tree::{JointIndex, RigidBodyTree, TreeWorkspace};
use crate::{Scalar, constants};

/// The acceleration of a joint of one degree of freedom is not above a limit: `0 ≤ −v̇ + limit`
/// (1 row).
///
/// Parameter: `name/limit` (rad/s² or m/s²).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct AccelerationLimit<T> {
    name: String,
    joint: JointCoordinate,
    limit: T,
}

impl<T: Scalar> AccelerationLimit<T> {
    /// The largest acceleration of a joint, in rad/s² or m/s².
    ///
    /// # Errors
    /// [`ConstraintError`] when the joint is not one of one degree of freedom, or the limit is not
    /// finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        limit: T,
    ) -> Result<Self, ConstraintError> {
        let name = name.into();
        let joint = JointCoordinate::new(&name, tree, joint)?;
        let constraint = AccelerationLimit { name, joint, limit };
        constraint.validate(tree)?;
        Ok(constraint)
    }

    fn check_joint(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        self.joint.validate(&self.name, tree)
    }
}

impl<T: Scalar> TreeConstraint<T> for AccelerationLimit<T> {
    casts_by_list! {}
    constants! { TreeConstraint for AccelerationLimit, checked by check_joint {
        name;
        joint;
        limit: any(joint.rate_units()[1]);
    } }

    fn num_rows(&self) -> usize {
        1
    }

    fn kind(&self) -> ConstraintKind {
        ConstraintKind::Unilateral
    }

    fn is_angular(&self) -> bool {
        self.joint.turns()
    }

    fn level(&self) -> ConstraintLevel {
        ConstraintLevel::Acceleration
    }

    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let (_, velocity, ratio) = self.joint.evaluate(tree, workspace)?;
        rows.bias[0] = self.limit;
        rows.jacobian[(0, velocity)] = -ratio;
        Ok(())
    }
}
