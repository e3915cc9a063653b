//! A transmission between two joints.

use super::coordinate;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintKind, ConstraintRows, TreeConstraint};
use crate::tree::{JointIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};

/// A joint moves `ratio` times as far as another: `φ = q_driven − ratio q_driving − offset` (1 row).
/// Gears, racks, belts, pulleys; the joints have one degree of freedom each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GearConstraint<T> {
    /// The joint that is driven.
    pub driven: JointIndex,
    /// The joint that drives it.
    pub driving: JointIndex,
    /// `v_driven / v_driving`; negative when they turn in opposite senses.
    pub ratio: T,
    /// `q_driven` where `q_driving` is zero.
    pub offset: T,
}

impl<T: Scalar> TreeConstraint<T> for GearConstraint<T> {
    fn num_rows(&self) -> usize {
        1
    }

    fn kind(&self) -> ConstraintKind {
        ConstraintKind::Bilateral
    }

    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        InvalidInput::check_finite("ratio and offset", &[self.ratio, self.offset])?;
        rows.phi[0] = -self.offset;
        for (joint, factor) in [(self.driven, T::one()), (self.driving, -self.ratio)] {
            let c = coordinate(tree, joint)?;
            rows.phi[0] += factor * (workspace.q()[c.position] * c.ratio + c.offset);
            rows.jacobian[(0, c.velocity)] += factor * c.ratio;
        }
        Ok(())
    }
}
