//! Dry (Coulomb) friction in joints.

use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use crate::erased::casts_by_list;
use crate::tree::RigidBodyTree;
use crate::{Scalar, constants};

/// Coulomb friction of all joints, with the magnitudes that the joints of the tree have.
///
/// The jump of the friction force at rest is regularised: on each degree of freedom
///
/// ```text
/// τ = −f q̇/√(q̇² + v_s²)
/// ```
///
/// with the [friction](crate::tree::Joint::friction) `f` of the joint and a speed `v_s`. A joint under
/// a load below `f` creeps at a fraction of `v_s`. Discrete steps, with compliant or rigid contact, are implicit in this
/// force and may be as long as without it.
///
/// Parameters: `name/speed`; the magnitudes are parameters of the tree, `joint/NAME/friction`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct JointFriction<T> {
    /// The name.
    pub name: String,
    /// The speed `v_s` in rad/s or m/s.
    pub speed: T,
}

impl<T: Scalar> JointFriction<T> {
    /// With a speed `v_s` in rad/s or m/s.
    ///
    /// # Errors
    /// [`ForceError::InvalidElement`] unless it is positive.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        speed: T,
    ) -> Result<Self, ForceError> {
        let name = name.into();
        JointFriction { name, speed }.validated(tree)
    }
}

impl<T: Scalar> ForceElement<T> for JointFriction<T> {
    casts_by_list! {}
    constants! { ForceElement for JointFriction {
        name;
        speed: positive("rad/s or m/s");
    } }

    fn depends_on_position(&self) -> bool {
        false
    }

    fn depends_on_bodies(&self) -> bool {
        false
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        for joint in context.tree().joints() {
            let multiplier = joint.mimic().map_or(T::one(), |m| m.multiplier);
            let start = joint.velocity_start();
            let velocities = context.v().iter().skip(start);
            for (k, (&friction, &v)) in joint.friction().iter().zip(velocities).enumerate() {
                if friction == T::zero() && T::NDERIV == 0 {
                    continue;
                }
                let rate = v * multiplier;
                let share = rate.div_lifted(T::soft_norm(&[rate], self.speed));
                forces.add_generalized(start + k, -friction * share * multiplier)?;
            }
        }
        Ok(())
    }
}
