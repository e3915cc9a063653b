//! A motor with a gear.

use super::element::Actuator;
use super::{check_coordinate, entries};
use crate::erased::casts_by_list;
use crate::force::{ForceContext, ForceError, Forces};
use crate::kink::{limited, unsigned};
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{ElementKink, Scalar, constants};
use std::fmt;

/// Applies a motor's torque to a joint with one degree of freedom, through a gear:
///
/// ```text
/// τ = n clamp(u, −L, L)
/// ```
///
/// with the input u, `{name}/torque` in N m (N for a prismatic joint), the gear ratio n and the limit L
/// of the motor. At the limit the derivative with respect to u is n, as below it. Parameters are `{name}/gear_ratio` and, if there is one, `{name}/limit`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct TorqueSource<T> {
    name: String,
    joint: JointIndex,
    gear_ratio: T,
    limit: Option<T>,
}

impl<T: Scalar> TorqueSource<T> {
    /// A motor at a joint, with a gear ratio (motor turns per joint turn) and a limit of the motor's
    /// torque.
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such joint, it has not one degree of freedom of its own, the
    /// ratio is not finite or the limit negative or not finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        gear_ratio: T,
        limit: Option<T>,
    ) -> Result<Self, ForceError> {
        TorqueSource {
            name: name.into(),
            joint,
            gear_ratio,
            limit,
        }
        .validated(tree)
    }

    /// A motor without gear and limit at each joint of one coordinate of its own, with the name of the joint.
    ///
    /// # Errors
    /// None that a tree can cause.
    pub fn at_joints(tree: &RigidBodyTree<T>) -> Result<Vec<Self>, ForceError> {
        let single =
            (tree.joints()).filter(|joint| joint.num_velocities() == 1 && joint.mimic().is_none());
        single
            .map(|joint| Self::new(joint.name(), tree, joint.index(), T::one(), None))
            .collect()
    }

    fn check_joint(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        check_coordinate(&self.name, tree, self.joint)
    }
}

impl<T: Scalar> Actuator<T> for TorqueSource<T> {
    casts_by_list! {}
    constants! { Actuator for TorqueSource, checked by check_joint {
        name;
        joint;
        gear_ratio: any("1");
        limit: not_negative("N m or N");
    } }

    fn num_inputs(&self) -> usize {
        1
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/torque", self.name));
    }

    fn input_unit(&self, _: usize) -> &'static str {
        "N m or N"
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let [torque] = entries("input", input)?;
        let torque = limited(torque, self.limit);
        let coordinate = context.tree().joint(self.joint)?.velocity_start();
        forces.add_generalized(coordinate, torque * self.gear_ratio)
    }

    fn depends_on_position(&self) -> bool {
        false
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn depends_on_bodies(&self) -> bool {
        false
    }

    fn visit_kinks<'a>(
        &'a self,
        _: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let [torque] = entries("input", input)?;
        let acts = |limit: &T| limit.re() > 0.0 && self.gear_ratio.re() != 0.0;
        if let Some(limit) = self.limit.filter(acts) {
            for (limit, change) in [(-limit, "lower limit"), (limit, "upper limit")] {
                visit(ElementKink {
                    element: &self.name,
                    change,
                    distance: unsigned(torque - limit),
                    unit: "N m or N",
                    order: 1,
                });
            }
        }
        Ok(())
    }
}
