//! A spring and damper between two points.

use super::element::Actuator;
use super::entries;
use crate::erased::casts_by_list;
use crate::force::{ForceContext, ForceError, Forces};
use crate::math::SpatialForce;
use crate::tree::{FrameIndex, RigidBodyTree};
use crate::{ElementKink, Scalar, constants};
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
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
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        frames: [FrameIndex; 2],
        [stiffness, damping, rest_length]: [T; 3],
    ) -> Result<Self, ForceError> {
        SpringDamper {
            name: name.into(),
            frames,
            stiffness,
            damping,
            rest_length,
        }
        .validated(tree)
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
        let direction = line.map(|x| x.div_lifted(length));
        let velocity = context.frame_velocity(b)?.linear - context.frame_velocity(a)?.linear;
        Ok((stretch, direction, direction.dot(&velocity)))
    }
}

impl<T: Scalar> Actuator<T> for SpringDamper<T> {
    casts_by_list! {}
    constants! { Actuator for SpringDamper {
        name;
        frames: in_tree;
        stiffness: not_negative("N/m");
        damping: not_negative("N s/m");
        rest_length: not_negative("m");
    } }

    fn num_inputs(&self) -> usize {
        1
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/extension", self.name));
    }

    fn input_unit(&self, _: usize) -> &'static str {
        "m"
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

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let [extension] = entries("input", input)?;
        let pulls = self.stiffness.re() * (self.rest_length + extension).re() != 0.0;
        if !pulls && self.damping.re() == 0.0 {
            return Ok(()); // none, or one that is linear in the line
        }
        let [a, b] = self.frames;
        let line = context.frame_pose(b)?.translation - context.frame_pose(a)?.translation;
        visit(ElementKink {
            element: &self.name,
            change: "coincident ends",
            distance: T::norm_lifted(line.as_slice()),
            unit: "m",
            order: 0,
        });
        Ok(())
    }
}
