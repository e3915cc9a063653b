//! A servo with proportional and derivative gain.

use super::element::Actuator;
use super::{check_coordinates, check_not_negative, coordinate, coordinates, entries};
use crate::Scalar;
use crate::force::{ForceContext, ForceError, Forces};
use crate::parameter::Parameter;
use crate::tree::{JointIndex, RigidBodyTree};
use std::fmt;

/// Drives a joint with one degree of freedom to a target:
///
/// ```text
/// τ = clamp(k_p (q_d − q) + k_d (v_d − v), −L, L)
/// ```
///
/// with the inputs `{name}/position` (rad or m) and `{name}/rate` (rad/s or m/s). In a time-stepping
/// system of step δt both terms are those of the end of the step, `q + δt v⁺` and `v⁺`, so that no gain
/// is too large for the step (Tan, Liu & Turk 2011, *IEEE Computer Graphics and Applications* 31(4),
/// 34–44). Parameters are `{name}/proportional_gain`, `{name}/derivative_gain` and, if there is one,
/// `{name}/limit`.
#[derive(Debug, Clone, PartialEq)]
pub struct PdServo<T> {
    name: String,
    joint: JointIndex,
    coordinates: (usize, usize),
    gains: [T; 2],
    limit: Option<T>,
    time_step: T,
}

impl<T: Scalar> PdServo<T> {
    /// A servo at a joint with the gains `[k_p, k_d]` (N m/rad and N m s/rad, or N/m and N s/m) and a
    /// limit of its torque or force.
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such joint, it has not one degree of freedom of its own, or
    /// a constant is negative or not finite.
    pub fn new(
        name: &str,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        gains: [T; 2],
        limit: Option<T>,
    ) -> Result<Self, ForceError> {
        let servo = PdServo {
            name: name.to_owned(),
            joint,
            coordinates: coordinates(name, tree, joint)?,
            gains,
            limit,
            time_step: T::zero(),
        };
        servo.validate(tree)?;
        Ok(servo)
    }
}

impl<T: Scalar> Actuator<T> for PdServo<T> {
    type Cast<U: Scalar> = PdServo<U>;

    fn cast<U: Scalar>(&self) -> PdServo<U> {
        PdServo {
            name: self.name.clone(),
            joint: self.joint,
            coordinates: self.coordinates,
            gains: self.gains.map(|x| U::from(x.re())),
            limit: self.limit.map(|x| U::from(x.re())),
            time_step: U::from(self.time_step.re()),
        }
    }

    fn num_inputs(&self) -> usize {
        2
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/position", self.name));
        visit(format_args!("{}/rate", self.name));
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let (i, k) = self.coordinates;
        let (q, v) = (coordinate(context.q(), i)?, coordinate(context.v(), k)?);
        let [position, rate] = entries("input", input)?;
        let [proportional, derivative] = self.gains;
        let torque = proportional * (position - q - self.time_step * v) + derivative * (rate - v);
        let torque = match self.limit {
            Some(limit) => torque.clamp_lifted(-limit, limit),
            None => torque,
        };
        forces.add_generalized(k, torque)
    }

    fn set_time_step(&mut self, dt: T) {
        self.time_step = dt;
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let name = &self.name;
        let [proportional, derivative] = &mut self.gains;
        let constants = [
            ("proportional_gain", "N m/rad or N/m", Some(proportional)),
            ("derivative_gain", "N m s/rad or N s/m", Some(derivative)),
            ("limit", "N m or N", self.limit.as_mut()),
        ];
        for (quantity, unit, value) in constants {
            if let Some(value) = value {
                visit(Parameter {
                    name: format_args!("{name}/{quantity}"),
                    unit,
                    lower: 0.0,
                    upper: f64::INFINITY,
                    value,
                });
            }
        }
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        check_coordinates(&self.name, tree, self.joint, self.coordinates)?;
        let [proportional, derivative] = self.gains;
        let constants = [
            ("proportional gain", proportional),
            ("derivative gain", derivative),
            ("limit", self.limit.unwrap_or_else(T::zero)),
        ];
        check_not_negative(&self.name, &constants)
    }
}
