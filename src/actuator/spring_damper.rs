//! A spring and damper between two points.

use super::element::Actuator;
use super::{check_not_negative, entries};
use crate::Scalar;
use crate::force::{ForceContext, ForceError, Forces};
use crate::math::SpatialForce;
use crate::parameter::Parameter;
use crate::tree::{FrameIndex, RigidBodyTree};
use nalgebra::Vector3;
use std::fmt;

/// A linear spring and damper between the origins of two frames, whose rest length can be driven:
///
/// ```text
/// f = k (ℓ − ℓ₀ − u) + d ℓ̇
/// ```
///
/// pulls the origins together along the line between them. The input u, `{name}/extension` in m, adds
/// to the rest length, as a hydraulic cylinder or a tendon does. (Without an input:
/// [`LinearSpringDamper`](crate::force::LinearSpringDamper).) Where the origins coincide the line has no direction
/// and no force acts. Parameters are `{name}/stiffness` (N/m), `{name}/damping` (N s/m) and
/// `{name}/rest_length` (m).
#[derive(Debug, Clone, PartialEq)]
pub struct SpringDamper<T> {
    name: String,
    frames: [FrameIndex; 2],
    stiffness: T,
    damping: T,
    rest_length: T,
}

impl<T: Scalar> SpringDamper<T> {
    /// Between two frames of the tree, with the constants `[k, d, ℓ₀]` in N/m, N s/m and m.
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such frame, or a constant is negative or not finite.
    pub fn new(
        name: &str,
        tree: &RigidBodyTree<T>,
        frames: [FrameIndex; 2],
        [stiffness, damping, rest_length]: [T; 3],
    ) -> Result<Self, ForceError> {
        let spring = SpringDamper {
            name: name.to_owned(),
            frames,
            stiffness,
            damping,
            rest_length,
        };
        spring.validate(tree)?;
        Ok(spring)
    }

    /// `ℓ − ℓ₀ − u`, the direction of the line from A to B, expressed in W, and `ℓ̇`; the last two are
    /// zero where the origins coincide.
    fn stretch(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
    ) -> Result<(T, Vector3<T>, T), ForceError> {
        let [extension] = entries("input", input)?;
        let [a, b] = self.frames;
        let line = context.frame_pose(b)?.translation - context.frame_pose(a)?.translation;
        let length = T::norm_lifted(line.as_slice());
        let stretch = length - self.rest_length - extension;
        if length.re() == 0.0 {
            return Ok((stretch, Vector3::zeros(), T::zero()));
        }
        let direction = line / length;
        let velocity = context.frame_velocity(b)?.linear - context.frame_velocity(a)?.linear;
        Ok((stretch, direction, direction.dot(&velocity)))
    }
}

impl<T: Scalar> Actuator<T> for SpringDamper<T> {
    type Cast<U: Scalar> = SpringDamper<U>;

    fn cast<U: Scalar>(&self) -> SpringDamper<U> {
        SpringDamper {
            name: self.name.clone(),
            frames: self.frames,
            stiffness: U::from(self.stiffness.re()),
            damping: U::from(self.damping.re()),
            rest_length: U::from(self.rest_length.re()),
        }
    }

    fn num_inputs(&self) -> usize {
        1
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/extension", self.name));
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let (stretch, direction, rate) = self.stretch(context, input)?;
        let pull = self.stiffness * stretch + self.damping * rate;
        let on_a = SpatialForce::new(Vector3::zeros(), direction * pull);
        for (frame, force) in self.frames.into_iter().zip([on_a, -on_a]) {
            let body = context.tree().frame(frame)?.body();
            let origin = context.frame_pose(frame)?.translation;
            forces.add_at_point(context, body, &origin, &force)?;
        }
        Ok(())
    }

    fn potential_energy(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
    ) -> Result<T, ForceError> {
        let (stretch, _, _) = self.stretch(context, input)?;
        Ok(self.stiffness * stretch * stretch * 0.5)
    }

    fn conservative_power(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
    ) -> Result<T, ForceError> {
        let (stretch, _, rate) = self.stretch(context, input)?;
        Ok(-self.stiffness * stretch * rate)
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let name = &self.name;
        for (quantity, unit, value) in [
            ("stiffness", "N/m", &mut self.stiffness),
            ("damping", "N s/m", &mut self.damping),
            ("rest_length", "m", &mut self.rest_length),
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
        for frame in self.frames {
            tree.frame(frame)?;
        }
        let constants = [
            ("stiffness", self.stiffness),
            ("damping", self.damping),
            ("rest length", self.rest_length),
        ];
        check_not_negative(&self.name, &constants)
    }
}
