//! A limit of a joint.

use super::coordinate;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintKind, ConstraintRows, TreeConstraint};
use crate::tree::{JointIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};

/// On which side a limit is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointBound<T> {
    /// `φ = q − bound`.
    Lower(T),
    /// `φ = bound − q`.
    Upper(T),
}

/// A joint of one degree of freedom stays on one side of a bound: `φ ≥ 0` (1 row, rad or m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointLimitConstraint<T> {
    /// The joint.
    pub joint: JointIndex,
    /// The bound.
    pub bound: JointBound<T>,
}

impl<T: Scalar> TreeConstraint<T> for JointLimitConstraint<T> {
    fn num_rows(&self) -> usize {
        1
    }

    fn kind(&self) -> ConstraintKind {
        ConstraintKind::Unilateral
    }

    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let (bound, sign) = match self.bound {
            JointBound::Lower(bound) => (bound, 1.0),
            JointBound::Upper(bound) => (bound, -1.0),
        };
        InvalidInput::check_finite("bound", &[bound])?;
        let c = coordinate(tree, self.joint)?;
        rows.phi[0] = (workspace.q()[c.position] * c.ratio + c.offset - bound) * sign;
        rows.jacobian[(0, c.velocity)] = c.ratio * sign;
        Ok(())
    }
}
