//! A propeller.

use super::element::Actuator;
use super::{entries, invalid};
use crate::force::{ForceContext, ForceError, Forces};
use crate::math::SpatialForce;
use crate::parameter::Parameter;
use crate::tree::{FrameIndex, RigidBodyTree};
use crate::{InvalidInput, Scalar};
use std::fmt;

/// Thrust and reaction torque of a propeller at the origin of a frame, along its z axis:
///
/// ```text
/// f = k_T Ω|Ω|,      τ = −k_Q Ω|Ω|
/// ```
///
/// with the speed Ω, the input `{name}/speed` in rad/s about z. A propeller that turns the other way
/// for the same thrust has a negative k_T and negative speeds, or a negative k_Q. Parameters are
/// `{name}/thrust_coefficient` k_T (N s²/rad²) and `{name}/torque_coefficient` k_Q (N m s²/rad²).
#[derive(Debug, Clone, PartialEq)]
pub struct Propeller<T> {
    name: String,
    frame: FrameIndex,
    thrust_coefficient: T,
    torque_coefficient: T,
}

impl<T: Scalar> Propeller<T> {
    /// At a frame of the tree, with the coefficients k_T and k_Q.
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such frame, or a coefficient is not finite.
    pub fn new(
        name: &str,
        tree: &RigidBodyTree<T>,
        frame: FrameIndex,
        thrust_coefficient: T,
        torque_coefficient: T,
    ) -> Result<Self, ForceError> {
        let propeller = Propeller {
            name: name.to_owned(),
            frame,
            thrust_coefficient,
            torque_coefficient,
        };
        propeller.validate(tree)?;
        Ok(propeller)
    }
}

impl<T: Scalar> Actuator<T> for Propeller<T> {
    type Cast<U: Scalar> = Propeller<U>;

    fn cast<U: Scalar>(&self) -> Propeller<U> {
        Propeller {
            name: self.name.clone(),
            frame: self.frame,
            thrust_coefficient: U::from(self.thrust_coefficient.re()),
            torque_coefficient: U::from(self.torque_coefficient.re()),
        }
    }

    fn num_inputs(&self) -> usize {
        1
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/speed", self.name));
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let body = context.tree().frame(self.frame)?.body();
        let pose = context.frame_pose(self.frame)?;
        let axis = pose.rotation.column(2);
        let [speed] = entries("input", input)?;
        let square = speed * speed.abs_lifted();
        let force = SpatialForce::new(
            axis * (-square * self.torque_coefficient),
            axis * (square * self.thrust_coefficient),
        );
        forces.add_at_point(context, body, &pose.translation, &force)
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let name = &self.name;
        for (quantity, unit, value) in [
            (
                "thrust_coefficient",
                "N s²/rad²",
                &mut self.thrust_coefficient,
            ),
            (
                "torque_coefficient",
                "N m s²/rad²",
                &mut self.torque_coefficient,
            ),
        ] {
            visit(Parameter {
                name: format_args!("{name}/{quantity}"),
                unit,
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
                value,
            });
        }
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        tree.frame(self.frame)?;
        let coefficients = [self.thrust_coefficient, self.torque_coefficient];
        InvalidInput::check_finite("coefficients", &coefficients).map_err(invalid(&self.name))
    }
}
