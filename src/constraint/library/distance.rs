//! A constant distance between two points (a massless rod).

use super::point_pair::{Direction, PointPair};
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintRows, PointForce, TreeConstraint};
use crate::erased::casts_by_list;
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar, constants};
use nalgebra::Vector3;

/// Two points keep their distance: `φ = ‖p_WP − p_WQ‖ − length` (1 row, m). The force is positive
/// when it pushes the points apart.
///
/// Parameters: `name/point_a/{x,y,z}`, `name/point_b/{x,y,z}`, `name/length` (m).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct DistanceConstraint<T> {
    name: String,
    pub(crate) points: PointPair<T>,
    length: T,
}

impl<T: Scalar> DistanceConstraint<T> {
    /// Of the point P of body A, at `p_AoP_A` in m, and the point Q of body B, at `p_BoQ_B`; the
    /// length in m.
    ///
    /// # Errors
    /// [`ConstraintError::InvalidConstraint`] when a point is not finite or the length not positive.
    pub fn new(
        name: impl Into<String>,
        a: (BodyIndex, Vector3<T>),
        b: (BodyIndex, Vector3<T>),
        length: T,
    ) -> Result<Self, ConstraintError> {
        let (name, points) = (name.into(), PointPair::new(a, b));
        check_positive("length", length)
            .and_then(|()| points.validate())
            .map_err(ConstraintError::invalid(&name))?;
        Ok(DistanceConstraint {
            name,
            points,
            length,
        })
    }

    fn check_length(&self, _tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        check_positive("length", self.length).map_err(ConstraintError::invalid(&self.name))
    }
}

fn check_positive<T: Scalar>(quantity: &'static str, length: T) -> Result<(), InvalidInput> {
    InvalidInput::check_range(quantity, &[length], "a positive length", |x| {
        x > 0.0 && x.is_finite()
    })
}

impl<T: Scalar> TreeConstraint<T> for DistanceConstraint<T> {
    casts_by_list! {}
    constants! { TreeConstraint for DistanceConstraint, checked by check_length {
        name;
        points: nested in_tree;
        length: unchecked("m", f64::MIN_POSITIVE, f64::INFINITY);
    } }

    fn num_rows(&self) -> usize {
        1
    }

    /// With `d` the unit vector from Q to P at the distance `ρ`, `φ̇ = d·v` and
    /// `φ̈ = d·a + (v·v − (d·v)²)/ρ`.
    ///
    /// # Errors
    /// [`ConstraintError::Invalid`] when the points coincide, where `d` is not defined.
    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let motion = self.points.motion(tree, workspace)?;
        let distance = T::norm_lifted(motion.position.as_slice());
        check_positive("distance of the points", distance)?;
        let direction = motion.position.map(|x| x.div_lifted(distance));
        let v = &motion.velocity;
        let along = direction.dot(v);
        rows.phi[0] = distance - self.length;
        rows.bias[0] =
            direction.dot(&motion.bias) + (v.dot(v) - along * along).div_lifted(distance);
        let directions = [Direction::Linear(direction)];
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
        let motion = self.points.motion(tree, workspace)?;
        let distance = T::norm_lifted(motion.position.as_slice());
        check_positive("distance of the points", distance)?;
        let force = motion.position * f[0].div_lifted(distance);
        (self.points).force(tree, workspace, (force, Vector3::zeros()))
    }
}
