//! The limits of a joint.

use super::joint_coordinate::JointCoordinate;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintKind, ConstraintRows, TreeConstraint};
use crate::erased::casts_by_list;
use crate::tree::{JointIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar, constants};

/// A joint of one degree of freedom stays between bounds: `φ = q − lower ≥ 0` and
/// `φ = upper − q ≥ 0` (a row for each bound that there is, rad or m, the lower first).
///
/// Parameters: `name/lower`, `name/upper` (rad or m), those that there are.
///
/// ```
/// use dualbody::constraint::{JointLimitConstraint, TreeConstraint};
/// use dualbody::math::{RigidTransform, SpatialInertia};
/// use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
/// use nalgebra::Vector3;
///
/// let mut builder = RigidBodyTreeBuilder::<f64>::new();
/// let door = builder.add_body("door", SpatialInertia::solid_box(20.0, &Vector3::new(0.9, 0.04, 2.0)))?;
/// let hinge = JointKind::Revolute { axis: Vector3::z() };
/// let here = RigidTransform::identity();
/// let hinge = builder.add_joint("hinge", hinge, BodyIndex::WORLD, here, door)?;
/// builder.set_position_limits(hinge, &[0.0], &[1.6])?;
/// let tree = builder.finish()?;
///
/// let limits = JointLimitConstraint::of_tree(&tree)?;
/// assert_eq!((limits[0].name(), limits[0].num_rows()), ("hinge/limits", 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct JointLimitConstraint<T> {
    name: String,
    pub(crate) joint: JointCoordinate,
    pub(crate) lower: Option<T>,
    pub(crate) upper: Option<T>,
}

impl<T: Scalar> JointLimitConstraint<T> {
    /// The bounds of a joint, in rad or m.
    ///
    /// # Errors
    /// [`ConstraintError`] when the joint is not one of one degree of freedom, a bound is not finite, or
    /// the lower is above the upper.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        lower: Option<T>,
        upper: Option<T>,
    ) -> Result<Self, ConstraintError> {
        let name = name.into();
        let joint = JointCoordinate::new(&name, tree, joint)?;
        let constraint = JointLimitConstraint {
            name,
            joint,
            lower,
            upper,
        };
        constraint.validate(tree)?;
        Ok(constraint)
    }

    /// The position limits of all revolute and prismatic joints of a tree that have some, under the
    /// names `joint/limits`. The limits are copied; joints that follow others have those of their own
    /// motion.
    ///
    /// # Errors
    /// As [`Self::new`].
    #[inline(never)]
    pub fn of_tree(tree: &RigidBodyTree<T>) -> Result<Vec<Self>, ConstraintError> {
        let mut all = Vec::new();
        for joint in tree.joints() {
            let index = joint.index();
            let limits = joint.limits();
            let (&[lower], &[upper]) = (limits.lower.as_slice(), limits.upper.as_slice()) else {
                continue;
            };
            let [lower, upper] = [lower, upper].map(|x: T| x.re().is_finite().then_some(x));
            if lower.is_some() || upper.is_some() {
                let name = format!("{}/limits", joint.name());
                all.push(Self::new(name, tree, index, lower, upper)?);
            }
        }
        Ok(all)
    }

    /// Each bound with the sense of its row, `φ = (q − bound) sense`.
    fn bounds(&self) -> impl Iterator<Item = (T, f64)> {
        let lower = self.lower.map(|bound| (bound, 1.0));
        lower.into_iter().chain(self.upper.map(|b| (b, -1.0)))
    }

    fn check(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        let invalid = ConstraintError::invalid(&self.name);
        for (bound, _) in self.bounds() {
            InvalidInput::check_finite("bound", &[bound]).map_err(&invalid)?;
        }
        if let (Some(lower), Some(upper)) = (self.lower, self.upper) {
            let above = "not less than the lower bound";
            InvalidInput::check_range("upper bound", &[upper], above, |x| x >= lower.re())
                .map_err(&invalid)?;
        }
        self.joint.validate(&self.name, tree)
    }
}

impl<T: Scalar> TreeConstraint<T> for JointLimitConstraint<T> {
    casts_by_list! {}
    constants! { TreeConstraint for JointLimitConstraint, checked by check {
        name;
        joint;
        lower: unchecked(joint.unit());
        upper: unchecked(joint.unit());
    } }

    fn num_rows(&self) -> usize {
        self.bounds().count()
    }

    fn kind(&self) -> ConstraintKind {
        ConstraintKind::Unilateral
    }

    fn is_angular(&self) -> bool {
        self.joint.turns()
    }

    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let (position, velocity, ratio) = self.joint.evaluate(tree, workspace)?;
        for (row, (bound, sense)) in self.bounds().enumerate() {
            rows.phi[row] = (position - bound) * sense;
            rows.jacobian[(row, velocity)] = ratio * sense;
        }
        Ok(())
    }
}
