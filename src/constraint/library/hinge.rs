//! A hinge that closes a kinematic loop.

use super::ball::write_point_rows;
use super::point_pair::{Direction, PointPair};
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintRows, PointForce, TreeConstraint};
use crate::erased::casts_by_list;
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar, constants};
use nalgebra::Vector3;

/// A point and an axis of one body stay at those of another (5 rows): `φ` is `p_WP − p_WQ` in W,
/// then `u·b` and `w·b` with the unit axis `b` of B, and unit vectors `u`, `w` of A normal to its
/// axis. The Jacobian of the points is that of a [`BallConstraint`](super::BallConstraint).
///
/// Parameters: `name/point_a/{x,y,z}`, `name/point_b/{x,y,z}` (m), `name/axis_a/{x,y,z}`,
/// `name/axis_b/{x,y,z}` (1).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct HingeConstraint<T> {
    name: String,
    pub(crate) points: PointPair<T>,
    axis_a: Vector3<T>,
    axis_b: Vector3<T>,
}

impl<T: Scalar> HingeConstraint<T> {
    /// Of the point P of body A, at `p_AoP_A` in m, with an axis expressed in A, and the point Q of
    /// body B, at `p_BoQ_B`, with an axis expressed in B; axes of any length but zero.
    ///
    /// # Errors
    /// [`ConstraintError::InvalidConstraint`] when a point is not finite or an axis has no direction.
    pub fn new(
        name: impl Into<String>,
        (body_a, p_ap, axis_a): (BodyIndex, Vector3<T>, Vector3<T>),
        (body_b, p_bq, axis_b): (BodyIndex, Vector3<T>, Vector3<T>),
    ) -> Result<Self, ConstraintError> {
        let constraint = HingeConstraint {
            name: name.into(),
            points: PointPair::new((body_a, p_ap), (body_b, p_bq)),
            axis_a,
            axis_b,
        };
        constraint
            .axes()
            .and_then(|_| constraint.points.validate())
            .map_err(ConstraintError::invalid(&constraint.name))?;
        Ok(constraint)
    }

    fn check_axes(&self, _tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        let axes = self.axes().map_err(ConstraintError::invalid(&self.name));
        axes.map(|_| ())
    }

    /// The unit axes, in A and in B.
    fn axes(&self) -> Result<[Vector3<T>; 2], InvalidInput> {
        Ok([
            unit("axis on A", &self.axis_a)?,
            unit("axis on B", &self.axis_b)?,
        ])
    }
}

/// Two unit vectors across an axis of unit length, and across each other.
fn across<T: Scalar>(axis: &Vector3<T>) -> Result<[Vector3<T>; 2], InvalidInput> {
    let furthest = axis.map(|x| x.re()).iamin();
    let u = unit("axis on A", &Vector3::ith(furthest, T::one()).cross(axis))?;
    Ok([u, axis.cross(&u)])
}

fn unit<T: Scalar>(quantity: &'static str, v: &Vector3<T>) -> Result<Vector3<T>, InvalidInput> {
    let length = T::norm_lifted(v.as_slice());
    InvalidInput::check_range(quantity, &[length], "a vector that is not zero", |x| {
        x > 0.0 && x.is_finite()
    })?;
    Ok(v.map(|x| x.div_lifted(length)))
}

impl<T: Scalar> TreeConstraint<T> for HingeConstraint<T> {
    casts_by_list! {}
    constants! { TreeConstraint for HingeConstraint, checked by check_axes {
        name;
        points: nested in_tree;
        axis_a: unchecked("1");
        axis_b: unchecked("1");
    } }

    fn num_rows(&self) -> usize {
        5
    }

    /// With `w` the angular velocities and `Δw = w_B − w_A`, the rate of `u·b` is `Δw·(b × u)`, and
    /// its bias `Δα·(b × u) + Δw·((w_B × b) × u + b × (w_A × u))`.
    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let [axis_a, axis_b] = self.axes()?;
        let motion = self.points.motion_seen_by_b(tree, workspace)?;
        write_point_rows(&motion, rows);
        let (wa, wb) = (motion.a.angular_velocity, motion.b.angular_velocity);
        let alpha = motion.b.bias.angular - motion.a.bias.angular;
        let b = motion.b.rotation * axis_b;
        let across = across(&axis_a)?.map(|u| motion.a.rotation * u);
        let normals = across.map(|u| b.cross(&u));
        for (k, u) in across.into_iter().enumerate() {
            let turning = wb.cross(&b).cross(&u) + b.cross(&wa.cross(&u));
            rows.phi[3 + k] = u.dot(&b);
            rows.bias[3 + k] = alpha.dot(&normals[k]) + (wb - wa).dot(&turning);
        }
        let [x, y, z] = Direction::axes(Direction::Linear);
        let [first, second] = normals.map(|normal| Direction::Angular(-normal));
        let directions = [x, y, z, first, second];
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
        let [axis_a, axis_b] = self.axes()?;
        let motion = self.points.motion_seen_by_b(tree, workspace)?;
        let b = motion.b.rotation * axis_b;
        let [first, second] = across(&axis_a)?.map(|u| b.cross(&(motion.a.rotation * u)));
        let torque = -(first * f[3] + second * f[4]);
        self.points.force(tree, workspace, (force, torque))
    }
}
