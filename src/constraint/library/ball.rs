//! A ball joint that closes a loop.

use super::point_pair::RelativeMotion;
use crate::Scalar;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintKind, ConstraintRows, TreeConstraint};
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use nalgebra::Vector3;

/// A point of one body stays at a point of another: `φ = p_WP − p_WQ`, expressed in W (3 rows, m).
/// Forces are those on body A at P, expressed in W.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(non_snake_case)]
pub struct BallConstraint<T> {
    /// Body A.
    pub body_a: BodyIndex,
    /// Position of P on A, `p_AoP_A`, in m.
    pub p_AP: Vector3<T>,
    /// Body B.
    pub body_b: BodyIndex,
    /// Position of Q on B, `p_BoQ_B`, in m.
    pub p_BQ: Vector3<T>,
}

impl<T: Scalar> TreeConstraint<T> for BallConstraint<T> {
    fn num_rows(&self) -> usize {
        3
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
        let (a, b) = ((self.body_a, &self.p_AP), (self.body_b, &self.p_BQ));
        let motion = RelativeMotion::new(tree, workspace, a, b)?;
        write_point_rows(&motion, rows);
        Ok(())
    }
}

/// Rows 0 to 2: the points coincide.
pub(super) fn write_point_rows<T: Scalar>(
    motion: &RelativeMotion<T>,
    rows: &mut ConstraintRows<T>,
) {
    let bias = motion.bias();
    for k in 0..3 {
        rows.phi[k] = motion.position[k];
        rows.bias[k] = bias[k];
        motion.add_row(3, &Vector3::ith(k, T::one()), &mut rows.jacobian, k);
    }
}
