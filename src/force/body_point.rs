//! Points that are fixed on bodies.

use super::context::ForceContext;
use super::error::ForceError;
use super::forces::Forces;
use crate::Scalar;
use crate::math::SpatialForce;
use crate::tree::BodyIndex;
use nalgebra::Vector3;

/// A point Q that is fixed on a body B, or on the world.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct BodyPoint<T> {
    /// The body.
    pub body: BodyIndex,
    /// `p_BoQ_B` in m.
    pub position: Vector3<T>,
}

impl<T: Scalar> BodyPoint<T> {
    /// The point of a body at `p_BoQ_B`.
    pub fn new(body: BodyIndex, position: Vector3<T>) -> Self {
        BodyPoint { body, position }
    }

    /// The origin of a body.
    pub fn origin(body: BodyIndex) -> Self {
        BodyPoint {
            body,
            position: Vector3::zeros(),
        }
    }

    /// Where the point is, `p_WQ`.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such body.
    pub fn position_in_world(
        &self,
        context: &ForceContext<'_, T>,
    ) -> Result<Vector3<T>, ForceError> {
        context.point_position(self.body, &self.position)
    }

    /// Its velocity `v_WQ`, expressed in W.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such body.
    pub fn velocity(&self, context: &ForceContext<'_, T>) -> Result<Vector3<T>, ForceError> {
        Ok(context.point_velocity(self.body, &self.position)?.linear)
    }

    /// Adds a force on the body at the point, expressed in W.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such body.
    pub fn add_force(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
        force: Vector3<T>,
    ) -> Result<(), ForceError> {
        let offset = context.body_pose(self.body)?.rotation * self.position;
        forces.add_on_body(self.body, &SpatialForce::new(offset.cross(&force), force))
    }
}
