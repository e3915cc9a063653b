//! MJCF: limits and dry friction of joints.

use super::reader::MjcfModel;
use crate::Scalar;
use crate::constraint::{
    AnyConstraint, BallLimitConstraint, ConstraintError, JointLimitConstraint,
};
use crate::force::{AnyForce, ForceError};
use crate::io::dry_friction::dry_friction;
use crate::tree::{JointIndex, RigidBodyTree};

/// What of it acts, and what of it the tree does not hold.
#[derive(Debug, Clone, Default)]
pub(super) struct Resistance {
    /// Whether limits and friction are switched off.
    pub without_limits: bool,
    pub without_friction: bool,
    /// The largest angles of ball joints, in rad.
    pub ball_limits: Vec<(JointIndex, f64)>,
}

impl<T: Scalar> MjcfModel<T> {
    /// Dry friction, if a joint of the model has any in the tree.
    pub(super) fn friction(
        &self,
        tree: &RigidBodyTree<T>,
    ) -> Result<Option<AnyForce<T>>, ForceError> {
        match self.resistance.without_friction {
            true => Ok(None),
            false => dry_friction(tree, &self.joints, &self.name),
        }
    }

    /// The limits that joints of the model have in the tree, and those of ball joints.
    pub(super) fn limits(
        &self,
        tree: &RigidBodyTree<T>,
    ) -> Result<Vec<AnyConstraint<T>>, ConstraintError> {
        let mut all = Vec::new();
        if self.resistance.without_limits {
            return Ok(all);
        }
        for &index in &self.joints {
            let joint = tree.joint(index)?;
            let limits = joint.limits();
            let (&[lower], &[upper]) = (limits.lower.as_slice(), limits.upper.as_slice()) else {
                continue;
            };
            let [lower, upper] = [lower, upper].map(|x: T| x.re().is_finite().then_some(x));
            if lower.is_some() || upper.is_some() {
                let name = format!("{}/limits", joint.name());
                let limit = JointLimitConstraint::new(name, tree, index, lower, upper)?;
                all.push(AnyConstraint::new(limit));
            }
        }
        for &(index, upper) in &self.resistance.ball_limits {
            let name = format!("{}/limits", tree.joint(index)?.name());
            let limit = BallLimitConstraint::new(name, tree, index, T::from(upper))?;
            all.push(AnyConstraint::new(limit));
        }
        Ok(all)
    }
}
