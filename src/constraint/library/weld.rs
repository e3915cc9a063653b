//! A weld that closes a loop.

use super::ball::write_point_rows;
use super::point_pair::RelativeMotion;
use crate::Scalar;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintKind, ConstraintRows, TreeConstraint};
use crate::math::RigidTransform;
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use nalgebra::Vector3;

/// A frame P of one body coincides with a frame Q of another (6 rows): `φ` is `p_WP − p_WQ`, then
/// the axial vector `½ Σₖ qₖ × pₖ` of the frames' axes, the sine of the angle of the rotation from Q
/// to P about its axis; both expressed in W.
///
/// The rows of the rotation have the Jacobian of `w_WA − w_WB`, which is that of `φ` where the
/// frames coincide, and differs from it by the order of the error elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(non_snake_case)]
pub struct WeldConstraint<T> {
    /// Body A.
    pub body_a: BodyIndex,
    /// Pose of the frame P on A.
    pub X_AP: RigidTransform<T>,
    /// Body B.
    pub body_b: BodyIndex,
    /// Pose of the frame Q on B.
    pub X_BQ: RigidTransform<T>,
}

impl<T: Scalar> TreeConstraint<T> for WeldConstraint<T> {
    fn num_rows(&self) -> usize {
        6
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
        let motion = RelativeMotion::new(
            tree,
            workspace,
            (self.body_a, &self.X_AP.translation),
            (self.body_b, &self.X_BQ.translation),
        )?;
        write_point_rows(&motion, rows);
        let p = motion.a.rotation * self.X_AP.rotation;
        let q = motion.b.rotation * self.X_BQ.rotation;
        let axial = (0..3).fold(Vector3::zeros(), |sum, k| {
            sum + q.column(k).cross(&p.column(k))
        });
        let bias = motion.a.bias.angular - motion.b.bias.angular;
        for k in 0..3 {
            rows.phi[3 + k] = axial[k] * 0.5;
            rows.bias[3 + k] = bias[k];
            motion.add_row(0, &Vector3::ith(k, T::one()), &mut rows.jacobian, 3 + k);
        }
        Ok(())
    }
}
