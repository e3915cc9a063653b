//! A motor with a gear.

use super::element::Actuator;
use super::{check_coordinates, check_not_negative, coordinates, entries, invalid};
use crate::force::{ForceContext, ForceError, Forces};
use crate::parameter::Parameter;
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{InvalidInput, Scalar};
use std::fmt;

/// Applies a motor's torque to a joint with one degree of freedom, through a gear:
///
/// ```text
/// τ = n clamp(u, −L, L)
/// ```
///
/// with the input u, `{name}/torque` in N m (N for a prismatic joint), the gear ratio n and the limit L
/// of the motor. At the limit the derivative with respect to u is the mean of both sides. Parameters
/// are `{name}/gear_ratio` and, if there is one, `{name}/limit`.
#[derive(Debug, Clone, PartialEq)]
pub struct TorqueSource<T> {
    name: String,
    joint: JointIndex,
    coordinates: (usize, usize),
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
        name: &str,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        gear_ratio: T,
        limit: Option<T>,
    ) -> Result<Self, ForceError> {
        let source = TorqueSource {
            name: name.to_owned(),
            joint,
            coordinates: coordinates(name, tree, joint)?,
            gear_ratio,
            limit,
        };
        source.validate(tree)?;
        Ok(source)
    }
}

impl<T: Scalar> Actuator<T> for TorqueSource<T> {
    type Cast<U: Scalar> = TorqueSource<U>;

    fn cast<U: Scalar>(&self) -> TorqueSource<U> {
        TorqueSource {
            name: self.name.clone(),
            joint: self.joint,
            coordinates: self.coordinates,
            gear_ratio: U::from(self.gear_ratio.re()),
            limit: self.limit.map(|x| U::from(x.re())),
        }
    }

    fn num_inputs(&self) -> usize {
        1
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/torque", self.name));
    }

    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let [torque] = entries("input", input)?;
        let torque = match self.limit {
            Some(limit) => torque.clamp_lifted(-limit, limit),
            None => torque,
        };
        forces.add_generalized(self.coordinates.1, torque * self.gear_ratio)
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        visit(Parameter {
            name: format_args!("{}/gear_ratio", self.name),
            unit: "1",
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            value: &mut self.gear_ratio,
        });
        if let Some(limit) = &mut self.limit {
            visit(Parameter {
                name: format_args!("{}/limit", self.name),
                unit: "N m or N",
                lower: 0.0,
                upper: f64::INFINITY,
                value: limit,
            });
        }
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        check_coordinates(&self.name, tree, self.joint, self.coordinates)?;
        InvalidInput::check_finite("gear ratio", &[self.gear_ratio])
            .map_err(invalid(&self.name))?;
        let limit = self.limit.unwrap_or_else(T::zero);
        check_not_negative(&self.name, &[("limit", limit)])
    }
}
