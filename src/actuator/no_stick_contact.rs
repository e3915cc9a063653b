//! Contact of a point with the ground, with friction that does not stick.

use super::check_not_negative;
use super::element::Actuator;
use crate::Scalar;
use crate::force::{ForceContext, ForceError, Forces};
use crate::math::SpatialForce;
use crate::parameter::Parameter;
use crate::tree::{FrameIndex, RigidBodyTree};
use nalgebra::Vector3;
use std::fmt;

/// Contact of the origin of a frame with the ground z ≤ 0, as a force that follows from the state:
/// with the height φ of the point over the ground and its tangential velocity v_t,
///
/// ```text
/// fₙ = max(−k φ − b φ̇, 0),      f_t = −min(b ‖v_t‖, μ fₙ) v_t/‖v_t‖
/// ```
///
/// Friction is viscous up to the limit `μ fₙ`: on a slope the point creeps and never sticks. Parameters
/// are `{name}/stiffness` k (N/m), `{name}/damping` b (N s/m) and `{name}/friction` μ.
#[derive(Debug, Clone, PartialEq)]
pub struct NoStickContact<T> {
    name: String,
    frame: FrameIndex,
    stiffness: T,
    damping: T,
    friction: T,
}

impl<T: Scalar> NoStickContact<T> {
    /// For a frame of the tree, with the constants `[k, b, μ]` in N/m, N s/m and 1.
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such frame, or a constant is negative or not finite.
    pub fn new(
        name: &str,
        tree: &RigidBodyTree<T>,
        frame: FrameIndex,
        [stiffness, damping, friction]: [T; 3],
    ) -> Result<Self, ForceError> {
        let contact = NoStickContact {
            name: name.to_owned(),
            frame,
            stiffness,
            damping,
            friction,
        };
        contact.validate(tree)?;
        Ok(contact)
    }
}

impl<T: Scalar> Actuator<T> for NoStickContact<T> {
    type Cast<U: Scalar> = NoStickContact<U>;

    fn cast<U: Scalar>(&self) -> NoStickContact<U> {
        NoStickContact {
            name: self.name.clone(),
            frame: self.frame,
            stiffness: U::from(self.stiffness.re()),
            damping: U::from(self.damping.re()),
            friction: U::from(self.friction.re()),
        }
    }

    fn num_inputs(&self) -> usize {
        0
    }

    fn visit_input_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let p = context.frame_pose(self.frame)?.translation;
        if p.z.re() > 0.0 {
            return Ok(());
        }
        let v = context.frame_velocity(self.frame)?.linear;
        let normal = (-self.stiffness * p.z - self.damping * v.z).max_lifted(T::zero());
        let speed = T::norm_lifted(&[v.x, v.y]);
        let limit = self.friction * normal;
        let viscous = (self.damping * speed).re() <= limit.re();
        let coefficient = if viscous { self.damping } else { limit / speed };
        let force = Vector3::new(-coefficient * v.x, -coefficient * v.y, normal);
        let body = context.tree().frame(self.frame)?.body();
        forces.add_at_point(
            context,
            body,
            &p,
            &SpatialForce::new(Vector3::zeros(), force),
        )
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let name = &self.name;
        for (quantity, unit, value) in [
            ("stiffness", "N/m", &mut self.stiffness),
            ("damping", "N s/m", &mut self.damping),
            ("friction", "1", &mut self.friction),
        ] {
            visit(Parameter {
                name: format_args!("{name}/{quantity}"),
                unit,
                lower: 0.0,
                upper: f64::INFINITY,
                value,
            });
        }
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        tree.frame(self.frame)?;
        let constants = [
            ("stiffness", self.stiffness),
            ("damping", self.damping),
            ("friction", self.friction),
        ];
        check_not_negative(&self.name, &constants)
    }
}
