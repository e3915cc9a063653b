//! A ball joint that closes a kinematic loop.

use super::point_pair::{Direction, PointPair, RelativeMotion};
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintRows, PointForce, TreeConstraint};
use crate::erased::casts_by_list;
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar, constants};
use nalgebra::Vector3;

/// A point of one body stays at a point of another: `φ = p_WP − p_WQ`, expressed in W (3 rows, m).
/// Forces are those on body A at P, expressed in W; their opposites act on B in the same place.
///
/// The Jacobian is that of the motion of P as B sees it, `v_WP` less the velocity of the point of B which is where P is.
/// That is the rate of `φ` where the points coincide; where a loop is open, it does not resist a turn of A and B together.
///
/// Parameters: `name/point_a/{x,y,z}`, `name/point_b/{x,y,z}` (m).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct BallConstraint<T> {
    name: String,
    pub(crate) points: PointPair<T>,
}

impl<T: Scalar> BallConstraint<T> {
    /// Of the point P of body A, at `p_AoP_A` in m, and the point Q of body B, at `p_BoQ_B`.
    ///
    /// # Errors
    /// [`ConstraintError::InvalidConstraint`] when a point is not finite.
    pub fn new(
        name: impl Into<String>,
        a: (BodyIndex, Vector3<T>),
        b: (BodyIndex, Vector3<T>),
    ) -> Result<Self, ConstraintError> {
        let (name, points) = (name.into(), PointPair::new(a, b));
        (points.validate()).map_err(ConstraintError::invalid(&name))?;
        Ok(BallConstraint { name, points })
    }
}

impl<T: Scalar> TreeConstraint<T> for BallConstraint<T> {
    casts_by_list! {}
    constants! { TreeConstraint for BallConstraint {
        name;
        points: nested in_tree;
    } }

    fn num_rows(&self) -> usize {
        3
    }

    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let motion = self.points.motion_seen_by_b(tree, workspace)?;
        write_point_rows(&motion, rows);
        let directions = Direction::axes(Direction::Linear);
        let out = &mut rows.jacobian;
        (self.points).add_rows(tree, workspace, &motion, &directions, out)
    }

    fn point_force(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        f: &[T],
    ) -> Result<Option<PointForce<T>>, ConstraintError> {
        InvalidInput::check_size("forces of the rows", f.len(), self.num_rows())?;
        let force = Vector3::new(f[0], f[1], f[2]);
        (self.points).force(tree, workspace, (force, Vector3::zeros()))
    }
}

/// Rows 0 to 2, but for the Jacobian: the points coincide.
pub(super) fn write_point_rows<T: Scalar>(
    motion: &RelativeMotion<T>,
    rows: &mut ConstraintRows<T>,
) {
    for k in 0..3 {
        rows.phi[k] = motion.position[k];
        rows.bias[k] = motion.bias[k];
    }
}
