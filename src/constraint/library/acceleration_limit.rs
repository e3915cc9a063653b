//! A limit of an acceleration.

use super::coordinate;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{
    ConstraintKind, ConstraintLevel, ConstraintRows, TreeConstraint,
};
use crate::tree::{JointIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};

/// The acceleration of a joint of one degree of freedom is not above a limit: `0 ≤ −v̇ + limit`
/// (1 row).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AccelerationLimit<T> {
    /// The joint.
    pub joint: JointIndex,
    /// The largest acceleration, in rad/s² or m/s².
    pub limit: T,
}

impl<T: Scalar> TreeConstraint<T> for AccelerationLimit<T> {
    fn num_rows(&self) -> usize {
        1
    }

    fn kind(&self) -> ConstraintKind {
        ConstraintKind::Unilateral
    }

    fn level(&self) -> ConstraintLevel {
        ConstraintLevel::Acceleration
    }

    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        _workspace: &TreeWorkspace<T>,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        InvalidInput::check_finite("limit", &[self.limit])?;
        let c = coordinate(tree, self.joint)?;
        rows.bias[0] = self.limit;
        rows.jacobian[(0, c.velocity)] = -c.ratio;
        Ok(())
    }
}
