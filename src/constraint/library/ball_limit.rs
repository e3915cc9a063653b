//! The limit of the rotation angle of a ball or floating joint.

use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintKind, ConstraintRows, TreeConstraint};
use crate::erased::casts_by_list;
use crate::tree::{JointIndex, JointKind, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar, constants};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// A ball joint, or a floating one, is turned by an angle of at most a bound, about any axis: `φ = upper − θ ≥ 0` (one row, rad), with the
/// angle θ between 0 and π.
///
/// With the axis `n` of the turn, θ grows at the rate `n·w`. Without a turn there is no axis, and the row has any.
///
/// Parameters: `name/upper` (rad).
///
/// ```
/// use dualbody::constraint::{BallLimitConstraint, TreeConstraint};
/// use dualbody::math::{RigidTransform, SpatialInertia};
/// use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
///
/// let mut builder = RigidBodyTreeBuilder::<f64>::new();
/// let arm = builder.add_body("arm", SpatialInertia::solid_sphere(1.0, 0.1))?;
/// let here = RigidTransform::identity();
/// let shoulder = builder.add_joint("shoulder", JointKind::Ball, BodyIndex::WORLD, here, arm)?;
/// let tree = builder.finish()?;
/// let limit = BallLimitConstraint::new("cone", &tree, shoulder, 0.7)?;
/// assert_eq!(limit.num_rows(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct BallLimitConstraint<T> {
    name: String,
    joint: JointIndex,
    upper: T,
}

impl<T: Scalar> BallLimitConstraint<T> {
    /// Of a ball joint or a floating one, with the bound of the angle in rad.
    ///
    /// # Errors
    /// [`ConstraintError`] when the joint is none of the tree or another one, or the bound is not from 0 to π.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        upper: T,
    ) -> Result<Self, ConstraintError> {
        let name = name.into();
        let constraint = BallLimitConstraint { name, joint, upper };
        constraint.validate(tree)?;
        Ok(constraint)
    }

    fn check(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        let invalid = ConstraintError::invalid(&self.name);
        InvalidInput::check_range("bound", &[self.upper], "from 0 to π", |x| {
            (0.0..=PI).contains(&x)
        })
        .map_err(&invalid)?;
        let kind = tree.joint(self.joint)?.kind();
        let is_ball = matches!(kind, JointKind::Ball | JointKind::Floating);
        let index = [self.joint.get() as f64];
        InvalidInput::check_range("joint", &index, "a ball joint or a floating one", |_| {
            is_ball
        })
        .map_err(invalid)
    }
}

impl<T: Scalar> TreeConstraint<T> for BallLimitConstraint<T> {
    casts_by_list! {}
    constants! { TreeConstraint for BallLimitConstraint, checked by check {
        name;
        joint;
        upper: unchecked("rad");
    } }

    fn num_rows(&self) -> usize {
        1
    }

    fn kind(&self) -> ConstraintKind {
        ConstraintKind::Unilateral
    }

    fn is_angular(&self) -> bool {
        true
    }

    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let joint = tree.joint(self.joint)?;
        let (q, v) = (joint.position_start(), joint.velocity_start());
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| workspace.q()[q + k]);
        // Of q and −q, the one that turns less.
        let sign = if w.re() < 0.0 { -1.0 } else { 1.0 };
        let (cosine, vector) = (w * sign, Vector3::new(x, y, z) * T::from(sign));
        let sine = T::norm_lifted(vector.as_slice());
        if sine.re() == 0.0 {
            rows.phi[0] = self.upper;
            rows.jacobian[(0, v)] = -T::one();
            return Ok(());
        }
        let axis = vector.map(|x| x.div_lifted(sine));
        let rate = Vector3::from([0, 1, 2].map(|k| workspace.v()[v + k]));
        let along = axis.dot(&rate);
        rows.phi[0] = self.upper - sine.atan2_lifted(cosine) * 2.0;
        // The axis turns, too: ṅ·w = ½ cot(θ/2) (|w|² − (n·w)²).
        let across = rate.dot(&rate) - along * along;
        rows.bias[0] = -cosine.div_lifted(sine) * across * 0.5;
        for k in 0..3 {
            rows.jacobian[(0, v + k)] = -axis[k];
        }
        Ok(())
    }
}
