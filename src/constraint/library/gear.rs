//! A gear: a linear relation between the coordinates of two joints.

use super::joint_coordinate::JointCoordinate;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintRows, TreeConstraint};
use crate::erased::casts_by_list;
use crate::tree::{JointIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar, constants};

/// A joint moves `ratio` times as far as another: `φ = q_driven − ratio q_driving − offset` (1 row).
/// Gears, racks, belts, pulleys; the joints have one degree of freedom each.
///
/// Parameters: `name/ratio` (1, m/rad or rad/m), `name/offset` (rad or m).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct GearConstraint<T> {
    name: String,
    driven: JointCoordinate,
    driving: JointCoordinate,
    ratio: T,
    offset: T,
}

impl<T: Scalar> GearConstraint<T> {
    /// The joint that is driven follows the one that drives at `ratio = v_driven / v_driving`, negative
    /// when they turn in opposite senses; the offset (at first zero) is `q_driven` where `q_driving`
    /// is zero.
    ///
    /// # Errors
    /// [`ConstraintError`] when a joint is not one of one degree of freedom, or the ratio is not finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        driven: JointIndex,
        driving: JointIndex,
        ratio: T,
    ) -> Result<Self, ConstraintError> {
        let name = name.into();
        let constraint = GearConstraint {
            driven: JointCoordinate::new(&name, tree, driven)?,
            driving: JointCoordinate::new(&name, tree, driving)?,
            ratio,
            offset: T::zero(),
            name,
        };
        constraint.validate(tree)?;
        Ok(constraint)
    }

    /// Sets `q_driven` where `q_driving` is zero, in rad or m.
    ///
    /// # Errors
    /// [`ConstraintError::InvalidConstraint`] when it is not finite.
    pub fn with_offset(mut self, offset: T) -> Result<Self, ConstraintError> {
        self.offset = offset;
        self.check()?;
        Ok(self)
    }

    fn check(&self) -> Result<(), ConstraintError> {
        InvalidInput::check_finite("ratio and offset", &[self.ratio, self.offset])
            .map_err(ConstraintError::invalid(&self.name))
    }

    fn check_in_tree(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        self.check()?;
        self.driven.validate(&self.name, tree)?;
        self.driving.validate(&self.name, tree)
    }
}

impl<T: Scalar> TreeConstraint<T> for GearConstraint<T> {
    casts_by_list! {}
    constants! { TreeConstraint for GearConstraint, checked by check_in_tree {
        name;
        driven;
        driving;
        ratio: unchecked(driven.ratio_unit(*driving));
        offset: unchecked(driven.unit());
    } }

    fn num_rows(&self) -> usize {
        1
    }

    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        rows.phi[0] = -self.offset;
        for (joint, factor) in [(self.driven, T::one()), (self.driving, -self.ratio)] {
            let (position, velocity, ratio) = joint.evaluate(tree, workspace)?;
            rows.phi[0] += factor * position;
            rows.jacobian[(0, velocity)] += factor * ratio;
        }
        Ok(())
    }
}
