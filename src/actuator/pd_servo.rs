//! A servo with proportional and derivative gain.

use super::element::Actuator;
use super::{check_coordinate, coordinate, entries, kink_at_limit};
use crate::force::{ForceContext, ForceError, Forces};
use crate::kink::limited;
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{ElementKink, Scalar, constants};
use std::fmt;

/// Drives a joint with one degree of freedom to a target:
///
/// ```text
/// τ = clamp(k_p (q_d − q) + k_d (v_d − v), −L, L)
/// ```
///
/// with the inputs `{name}/position` (rad or m) and `{name}/rate` (rad/s or m/s). In a discrete step δt, with compliant
/// or rigid contact, both terms are those of the end of the step, `q + δt v⁺` and `v⁺`, so that no gain is too large for
/// the step (Tan, Liu & Turk 2011, *IEEE Computer Graphics and Applications* 31(4), 34–44). At the limit, derivatives
/// are those below it. Parameters are `{name}/proportional_gain`, `{name}/derivative_gain` and, if there is one,
/// `{name}/limit`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct PdServo<T> {
    name: String,
    joint: JointIndex,
    proportional_gain: T,
    derivative_gain: T,
    limit: Option<T>,
}

impl<T: Scalar> PdServo<T> {
    /// A servo at a joint with the gains `[k_p, k_d]` (N m/rad and N m s/rad, or N/m and N s/m) and a
    /// limit of its torque or force.
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such joint, it has not one degree of freedom of its own, or
    /// a constant is negative or not finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        [proportional_gain, derivative_gain]: [T; 2],
        limit: Option<T>,
    ) -> Result<Self, ForceError> {
        PdServo {
            name: name.into(),
            joint,
            proportional_gain,
            derivative_gain,
            limit,
        }
        .validated(tree)
    }

    fn check_joint(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        check_coordinate(&self.name, tree, self.joint)
    }

    /// The torque or force without limit, and the velocity coordinate on which it acts.
    fn demand(&self, context: &ForceContext<'_, T>, input: &[T]) -> Result<(T, usize), ForceError> {
        let joint = context.tree().joint(self.joint)?;
        let (i, k) = (joint.position_start(), joint.velocity_start());
        let (q, v) = (coordinate(context.q(), i)?, coordinate(context.v(), k)?);
        let [position, rate] = entries("input", input)?;
        let error = position - q - context.time_step() * v;
        let demand = self.proportional_gain * error + self.derivative_gain * (rate - v);
        Ok((demand, k))
    }
}

impl<T: Scalar> Actuator<T> for PdServo<T> {
    constants! { Actuator for PdServo, checked by check_joint {
        name;
        joint;
        proportional_gain: not_negative("N m/rad or N/m");
        derivative_gain: not_negative("N m s/rad or N s/m");
        limit: not_negative("N m or N");
    } }

    fn num_inputs(&self) -> usize {
        2
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/position", self.name));
        visit(format_args!("{}/rate", self.name));
    }

    fn input_unit(&self, input: usize) -> &'static str {
        match input {
            0 => "rad or m",
            _ => "rad/s or m/s",
        }
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let (demand, k) = self.demand(context, input)?;
        forces.add_generalized(k, limited(demand, self.limit))
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        visit: &mut dyn FnMut(ElementKink<'a>),
    ) -> Result<(), ForceError> {
        let (demand, _) = self.demand(context, input)?;
        kink_at_limit(&self.name, demand, self.limit).map(visit);
        Ok(())
    }
}
