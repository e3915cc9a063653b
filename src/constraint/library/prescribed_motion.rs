//! A joint with a prescribed motion.

use super::joint_coordinate::JointCoordinate;
use super::motion_profile::MotionProfile;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::{ConstraintRows, TreeConstraint};
use crate::erased::casts_by_list;
use crate::tree::{JointIndex, RigidBodyTree, TreeWorkspace};
use crate::{Scalar, constants};

/// A joint of one degree of freedom follows a function of time: `φ = q − x(t)` (1 row, rad or m). The
/// constraint force is what a motor must supply.
///
/// Parameters are those of the profile: `name/coefficients/{0,1,…}`, or `name/mean`,
/// `name/amplitude`, `name/angular_frequency`, `name/phase`. For a function of another form, implement
/// [`TreeConstraint`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct PrescribedMotion<T> {
    name: String,
    joint: JointCoordinate,
    profile: MotionProfile<T>,
}

impl<T: Scalar> PrescribedMotion<T> {
    /// The joint follows the profile.
    ///
    /// # Errors
    /// [`ConstraintError`] when the joint is not one of one degree of freedom, or a constant of the
    /// profile is not finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        profile: MotionProfile<T>,
    ) -> Result<Self, ConstraintError> {
        let name = name.into();
        let constraint = PrescribedMotion {
            joint: JointCoordinate::new(&name, tree, joint)?,
            name,
            profile,
        };
        constraint.validate(tree)?;
        Ok(constraint)
    }

    /// The function of time.
    pub fn profile(&self) -> &MotionProfile<T> {
        &self.profile
    }

    fn check_joint(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        self.joint.validate(&self.name, tree)
    }
}

impl<T: Scalar> TreeConstraint<T> for PrescribedMotion<T> {
    casts_by_list! {}
    constants! { TreeConstraint for PrescribedMotion, checked by check_joint {
        name;
        joint;
        profile: nested(joint.unit());
    } }

    fn num_rows(&self) -> usize {
        1
    }

    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let (position, velocity, ratio) = self.joint.evaluate(tree, workspace)?;
        let [x, rate, acceleration] = self.profile.at(time);
        rows.phi[0] = position - x;
        rows.explicit_rate[0] = -rate;
        rows.bias[0] = -acceleration;
        rows.jacobian[(0, velocity)] = ratio;
        Ok(())
    }
}
