//! A rod without mass between two points.

use super::constants::cast;
use super::point_pair::{Direction, PointPair};
use crate::constraint::constraint_set::ConstraintSet;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{
    ConstraintKind, ConstraintRows, PointForce, TreeConstraint,
};
use crate::parameter::Parameter;
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
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
    points: PointPair<T>,
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
        let constraint = DistanceConstraint {
            name: name.into(),
            points: PointPair::new(a, b),
            length,
        };
        constraint.check()?;
        Ok(constraint)
    }

    fn check(&self) -> Result<(), ConstraintError> {
        check_positive("length", self.length).map_err(ConstraintError::invalid(&self.name))?;
        self.points.check(&self.name)
    }
}

fn check_positive<T: Scalar>(quantity: &'static str, length: T) -> Result<(), InvalidInput> {
    InvalidInput::check_range(quantity, &[length], "a positive length", |x| {
        x > 0.0 && x.is_finite()
    })
}

impl<T: Scalar> TreeConstraint<T> for DistanceConstraint<T> {
    fn name(&self) -> &str {
        &self.name
    }

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
        self.points.force(tree, workspace, force)
    }
}

impl<T: Scalar> ConstraintSet<T> for DistanceConstraint<T> {
    type Cast<U: Scalar> = DistanceConstraint<U>;

    fn cast<U: Scalar>(&self) -> DistanceConstraint<U> {
        DistanceConstraint {
            name: self.name.clone(),
            points: self.points.cast(),
            length: cast(self.length),
        }
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a dyn TreeConstraint<T>)) {
        visit(self);
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.points.visit_parameters(&self.name, visit);
        visit(Parameter {
            name: format_args!("{}/length", self.name),
            unit: "m",
            lower: f64::MIN_POSITIVE,
            upper: f64::INFINITY,
            value: &mut self.length,
        });
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        self.check()?;
        self.points.validate(&self.name, tree)
    }
}
