//! A joint that moves as told.

use super::coordinate;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintKind, ConstraintRows, TreeConstraint};
use crate::tree::{JointIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};

/// A joint of one degree of freedom follows a function of time, given by its values at this instant:
/// `φ = q − position` (1 row, rad or m). The constraint force is what a motor must supply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrescribedMotion<T> {
    /// The joint.
    pub joint: JointIndex,
    /// Where it should be now (rad or m).
    pub position: T,
    /// How fast it should move now.
    pub velocity: T,
    /// How it should accelerate now.
    pub acceleration: T,
}

impl<T: Scalar> TreeConstraint<T> for PrescribedMotion<T> {
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
        let motion = [self.position, self.velocity, self.acceleration];
        InvalidInput::check_finite("prescribed motion", &motion)?;
        let c = coordinate(tree, self.joint)?;
        rows.phi[0] = workspace.q()[c.position] * c.ratio + c.offset - self.position;
        rows.explicit_rate[0] = -self.velocity;
        rows.bias[0] = -self.acceleration;
        rows.jacobian[(0, c.velocity)] = c.ratio;
        Ok(())
    }
}
