//! A rod without mass between two points.

use super::point_pair::RelativeMotion;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintKind, ConstraintRows, TreeConstraint};
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// Two points keep their distance: `φ = ‖p_WP − p_WQ‖ − length` (1 row, m). The force is positive
/// when it pushes the points apart.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(non_snake_case)]
pub struct DistanceConstraint<T> {
    /// Body A.
    pub body_a: BodyIndex,
    /// Position of P on A, `p_AoP_A`, in m.
    pub p_AP: Vector3<T>,
    /// Body B.
    pub body_b: BodyIndex,
    /// Position of Q on B, `p_BoQ_B`, in m.
    pub p_BQ: Vector3<T>,
    /// The distance in m, positive.
    pub length: T,
}

impl<T: Scalar> TreeConstraint<T> for DistanceConstraint<T> {
    fn num_rows(&self) -> usize {
        1
    }

    fn kind(&self) -> ConstraintKind {
        ConstraintKind::Bilateral
    }

    /// With `d` the unit vector from Q to P at the distance `ρ`, `φ̇ = d·v` and
    /// `φ̈ = d·a + (v·v − (d·v)²)/ρ`.
    ///
    /// # Errors
    /// [`ConstraintError::Invalid`] when the length is not positive or the points coincide, where `d`
    /// is not defined.
    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        InvalidInput::check_range("length", &[self.length], "a positive length", positive)?;
        let (a, b) = ((self.body_a, &self.p_AP), (self.body_b, &self.p_BQ));
        let motion = RelativeMotion::new(tree, workspace, a, b)?;
        let distance = T::norm_lifted(motion.position.as_slice());
        InvalidInput::check_range(
            "distance of the points",
            &[distance],
            "a positive length",
            positive,
        )?;
        let direction = motion.position / distance;
        let v = &motion.velocity;
        let along = direction.dot(v);
        rows.phi[0] = distance - self.length;
        rows.bias[0] = direction.dot(&motion.bias()) + (v.dot(v) - along * along) / distance;
        motion.add_row(3, &direction, &mut rows.jacobian, 0);
        Ok(())
    }
}
