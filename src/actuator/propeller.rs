//! Thrust and torque of a propeller.

use super::element::Actuator;
use super::entries;
use crate::erased::casts_by_list;
use crate::force::{ForceContext, ForceError, Forces};
use crate::kink::unsigned;
use crate::math::SpatialForce;
use crate::tree::{FrameIndex, RigidBodyTree};
use crate::{ElementKink, Scalar, constants};
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
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
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        frame: FrameIndex,
        thrust_coefficient: T,
        torque_coefficient: T,
    ) -> Result<Self, ForceError> {
        Propeller {
            name: name.into(),
            frame,
            thrust_coefficient,
            torque_coefficient,
        }
        .validated(tree)
    }
}

impl<T: Scalar> Actuator<T> for Propeller<T> {
    casts_by_list! {}
    constants! { Actuator for Propeller {
        name;
        frame: in_tree;
        thrust_coefficient: any("N s²/rad²");
        torque_coefficient: any("N m s²/rad²");
    } }

    fn num_inputs(&self) -> usize {
        1
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/speed", self.name));
    }

    fn input_unit(&self, _: usize) -> &'static str {
        "rad/s"
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

    fn visit_kinks<'a>(
        &'a self,
        _: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let [speed] = entries("input", input)?;
        if self.thrust_coefficient.re() == 0.0 && self.torque_coefficient.re() == 0.0 {
            return Ok(());
        }
        visit(ElementKink {
            element: &self.name,
            change: "direction of rotation",
            distance: unsigned(speed),
            unit: "rad/s",
            order: 2,
        });
        Ok(())
    }
}
