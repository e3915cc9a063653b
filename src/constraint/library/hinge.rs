//! A hinge that closes a loop.

use super::ball::write_point_rows;
use super::point_pair::RelativeMotion;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintKind, ConstraintRows, TreeConstraint};
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// A point and an axis of one body stay at those of another (5 rows): `φ` is `p_WP − p_WQ` in W,
/// then `u·b` and `w·b` with the unit axis `b` of B, and unit vectors `u`, `w` of A normal to its
/// axis.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(non_snake_case)]
pub struct HingeConstraint<T> {
    /// Body A.
    pub body_a: BodyIndex,
    /// Position of P on A, `p_AoP_A`, in m.
    pub p_AP: Vector3<T>,
    /// The axis on A, expressed in A; of any length but zero.
    pub axis_A: Vector3<T>,
    /// Body B.
    pub body_b: BodyIndex,
    /// Position of Q on B, `p_BoQ_B`, in m.
    pub p_BQ: Vector3<T>,
    /// The axis on B, expressed in B; of any length but zero.
    pub axis_B: Vector3<T>,
}

impl<T: Scalar> TreeConstraint<T> for HingeConstraint<T> {
    fn num_rows(&self) -> usize {
        5
    }

    fn kind(&self) -> ConstraintKind {
        ConstraintKind::Bilateral
    }

    /// With `w` the angular velocities and `Δw = w_B − w_A`, the rate of `u·b` is `Δw·(b × u)`, and
    /// its bias `Δα·(b × u) + Δw·((w_B × b) × u + b × (w_A × u))`.
    ///
    /// # Errors
    /// [`ConstraintError::Invalid`] for an axis of length zero.
    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let (axis_a, axis_b) = (
            unit("axis on A", &self.axis_A)?,
            unit("axis on B", &self.axis_B)?,
        );
        let (a, b) = ((self.body_a, &self.p_AP), (self.body_b, &self.p_BQ));
        let motion = RelativeMotion::new(tree, workspace, a, b)?;
        write_point_rows(&motion, rows);
        let (wa, wb) = (motion.a.angular_velocity, motion.b.angular_velocity);
        let alpha = motion.b.bias.angular - motion.a.bias.angular;
        let furthest = axis_a.map(|x| x.re()).iamin();
        let u = unit(
            "axis on A",
            &Vector3::ith(furthest, T::one()).cross(&axis_a),
        )?;
        let b = motion.b.rotation * axis_b;
        for (k, u) in [u, axis_a.cross(&u)].into_iter().enumerate() {
            let u = motion.a.rotation * u;
            let normal = b.cross(&u);
            let turning = wb.cross(&b).cross(&u) + b.cross(&wa.cross(&u));
            rows.phi[3 + k] = u.dot(&b);
            rows.bias[3 + k] = alpha.dot(&normal) + (wb - wa).dot(&turning);
            motion.add_row(0, &-normal, &mut rows.jacobian, 3 + k);
        }
        Ok(())
    }
}

fn unit<T: Scalar>(quantity: &'static str, v: &Vector3<T>) -> Result<Vector3<T>, InvalidInput> {
    let length = T::norm_lifted(v.as_slice());
    InvalidInput::check_range(quantity, &[length], "a vector that is not zero", |x| {
        x > 0.0 && x.is_finite()
    })?;
    Ok(v / length)
}
