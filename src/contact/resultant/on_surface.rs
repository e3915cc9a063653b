//! Centres of pressure: resultants moved along their axis to the surface of a shape.
#![allow(non_snake_case)] // Monogram notation.

use super::contact_force::ContactForce;
use crate::geometry::{Ray, Shape, cast_ray};
use crate::math::RigidTransform;
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

impl<T: Scalar> ContactForce<T> {
    /// The same force at another point, with the torque that makes its effect the same.
    pub fn at_point(&self, p: &Vector3<T>) -> Self {
        Self::assemble(*p, *self.normal(), &self.spatial_force_about(p))
    }

    /// The same force at the centre of pressure on a body: where its axis, the line through its
    /// application point along its normal, enters the shape with the pose `X_WS`; `None` where the axis
    /// misses the shape.
    ///
    /// The normal of a contact force on a body points into the body, so the shape is one of the body
    /// that the force acts on; that on the other body is the [reaction](Self::reaction). Of a
    /// [resultant](super::ContactResultantForceCalculator::resultant) the axis is the central axis, and
    /// the moment of the normal forces is as small on the surface as where they were added up.
    ///
    /// # Errors
    /// [`InvalidInput`] when the pose or the shape is not finite, and when the torque overflows.
    #[inline(never)]
    pub fn on_surface(
        &self,
        shape: &Shape<T>,
        X_WS: &RigidTransform<T>,
    ) -> Result<Option<Self>, InvalidInput> {
        let from_shape = (self.application_point() - X_WS.translation).map(|x| x.re());
        InvalidInput::check_finite("position of the shape", from_shape.as_slice())?;
        let reach = match shape {
            Shape::Points { .. } => return Ok(None),
            Shape::HalfSpace => {
                // As far as the plane is along the normal, which must lead into the half space.
                let outward = X_WS.rotation.column(2).map(|x| x.re());
                let descent = -outward.dot(&self.normal().map(|x| x.re()));
                if descent <= 0.0 {
                    return Ok(None);
                }
                outward.dot(&from_shape).abs() / descent
            }
            _ => 2.0 * shape.extent(),
        };
        // Outside of the shape, against the normal.
        let back = from_shape.norm() + reach;
        let start = self.application_point() - self.normal() * T::from(back);
        let ray = Ray::new(start, *self.normal())?;
        let Some(surface) = cast_ray(shape, X_WS, &ray, f64::INFINITY) else {
            return Ok(None);
        };
        let slid = self.at_point(&surface.hit(shape, X_WS, &ray).point);
        InvalidInput::check_finite("torque at the surface", slid.pure_torque().as_slice())?;
        Ok(Some(slid))
    }
}
