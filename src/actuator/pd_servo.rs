//! A PD servo: proportional and derivative gain.

use super::element::Actuator;
use super::{check_coordinate, coordinate, entries};
use crate::erased::casts_by_list;
use crate::force::{ForceContext, ForceError, Forces};
use crate::kink::{unsigned, within};
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{ElementKink, InvalidInput, Scalar, constants};
use std::fmt;

/// Drives a joint with one degree of freedom to a target:
///
/// ```text
/// τ = min(max(k_p (q_d − q) + k_d (v_d − v), lower), upper)
/// ```
///
/// with the inputs `{name}/position` (rad or m) and `{name}/rate` (rad/s or m/s). In a discrete step δt, with compliant
/// or rigid contact, both terms are those of the end of the step, `q + δt v⁺` and `v⁺`, so that no gain is too large for
/// the step (Tan, Liu & Turk 2011, *IEEE Computer Graphics and Applications* 31(4), 34–44). At a limit, derivatives
/// are those between the limits; where these are one, the force is the limit. Parameters are `{name}/proportional_gain`,
/// `{name}/derivative_gain` and, those that there are, `{name}/lower_limit` and `{name}/upper_limit`.
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
    lower_limit: Option<T>,
    upper_limit: Option<T>,
}

impl<T: Scalar> PdServo<T> {
    /// A servo at a joint with the gains `[k_p, k_d]` (N m/rad and N m s/rad, or N/m and N s/m) and the
    /// limits `[lower, upper]` of its torque or force (N m or N).
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such joint, it has not one degree of freedom of its own, a
    /// constant is not finite, a gain negative, or the upper limit below the lower.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        [proportional_gain, derivative_gain]: [T; 2],
        limits: Option<[T; 2]>,
    ) -> Result<Self, ForceError> {
        PdServo {
            name: name.into(),
            joint,
            proportional_gain,
            derivative_gain,
            lower_limit: limits.map(|[lower, _]| lower),
            upper_limit: limits.map(|[_, upper]| upper),
        }
        .validated(tree)
    }

    fn check_joint_and_limits(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        check_coordinate(&self.name, tree, self.joint)?;
        let [lower, upper] = self.limits();
        let expected = "an upper limit that is not below the lower";
        InvalidInput::check_range("upper minus lower limit", &[upper - lower], expected, |x| {
            x >= 0.0
        })
        .map_err(ForceError::invalid(&self.name))
    }

    /// The lower and the upper limit, infinite where there is none.
    fn limits(&self) -> [T; 2] {
        [
            self.lower_limit.unwrap_or(T::from(f64::NEG_INFINITY)),
            self.upper_limit.unwrap_or(T::from(f64::INFINITY)),
        ]
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
    casts_by_list! {}
    constants! { Actuator for PdServo, checked by check_joint_and_limits {
        name;
        joint;
        proportional_gain: not_negative("N m/rad or N/m");
        derivative_gain: not_negative("N m s/rad or N s/m");
        lower_limit: any("N m or N");
        upper_limit: any("N m or N");
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

    fn depends_on_bodies(&self) -> bool {
        false
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let (demand, k) = self.demand(context, input)?;
        forces.add_generalized(k, within(demand, self.limits()))
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let (demand, _) = self.demand(context, input)?;
        let [lower, upper] = self.limits();
        let acts = self.proportional_gain.re() > 0.0 || self.derivative_gain.re() > 0.0;
        if lower.re() == upper.re() || !acts {
            return Ok(());
        }
        for (limit, change) in [(lower, "lower limit"), (upper, "upper limit")] {
            if limit.re().is_finite() {
                visit(ElementKink {
                    element: &self.name,
                    change,
                    distance: unsigned(demand - limit),
                    unit: "N m or N",
                    order: 1,
                });
            }
        }
        Ok(())
    }
}
