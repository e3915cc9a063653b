//! A spring and a damper on a joint.

use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use super::joint_coordinate::{JointCoordinate, JointMotion};
use crate::erased::casts_by_list;
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{Scalar, constants};

/// A spring and a damper on a revolute or prismatic joint: `τ = −k (q − q₀) − c q̇`.
///
/// Parameters: `name/stiffness`, `name/damping`, `name/nominal_position`, in units of the motion.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct JointSpring<T> {
    /// The name.
    pub name: String,
    /// The joint.
    pub joint: JointIndex,
    /// Whether it turns or slides.
    pub motion: JointMotion,
    /// Stiffness `k` in N m/rad or N/m.
    pub stiffness: T,
    /// Damping `c` in N m s/rad or N s/m, beside that of the joint itself.
    pub damping: T,
    /// Position `q₀` in rad or m at which the spring is relaxed.
    pub nominal_position: T,
}

impl<T: Scalar> JointSpring<T> {
    /// On a joint of the tree, with stiffness `k`, damping `c` and relaxed position `q₀`.
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such joint, it neither turns nor slides, or a constant is
    /// not finite, or negative where it must not be.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        stiffness: T,
        damping: T,
        nominal_position: T,
    ) -> Result<Self, ForceError> {
        let name = name.into();
        JointSpring {
            motion: JointMotion::of_joint(&name, tree, joint)?,
            name,
            joint,
            stiffness,
            damping,
            nominal_position,
        }
        .validated(tree)
    }

    fn check_joint(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        self.motion.check(&self.name, tree, self.joint)
    }
}

impl<T: Scalar> ForceElement<T> for JointSpring<T> {
    casts_by_list! {}
    constants! { ForceElement for JointSpring, checked by check_joint {
        name;
        joint;
        motion;
        stiffness: not_negative(motion.units().stiffness);
        damping: not_negative(motion.units().damping);
        nominal_position: any(motion.units().position);
    } }

    fn depends_on_bodies(&self) -> bool {
        false
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let joint = JointCoordinate::of(context, self.joint)?;
        let stretch = joint.position - self.nominal_position;
        joint.add_force(
            forces,
            -(self.stiffness * stretch + self.damping * joint.velocity),
        )
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let stretch = JointCoordinate::of(context, self.joint)?.position - self.nominal_position;
        Ok(self.stiffness * stretch * stretch * 0.5)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let joint = JointCoordinate::of(context, self.joint)?;
        Ok(-self.stiffness * (joint.position - self.nominal_position) * joint.velocity)
    }
}
