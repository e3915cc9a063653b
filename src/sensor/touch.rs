//! A touch sensor: normal force in a zone on a body.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use crate::erased::casts_by_list;
use crate::geometry::{Ray, Shape, cast_ray};
use crate::math::RigidTransform;
use crate::tree::{FrameIndex, RigidBodyTree};
use crate::{InvalidInput, Scalar, constants};
use nalgebra::Vector3;
use std::fmt;

/// Measures how hard a body is pressed in a zone, a shape on it: the sum of the normal forces of those contacts of the body
/// whose points are in the zone, or which it is ahead of on the normal away from the body.
///
/// The output is `{name}/force` (N), never negative. It jumps where a contact enters the zone.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Touch {
    name: String,
    frame: FrameIndex,
    zone: Shape<f64>,
}

impl Touch {
    /// For the body of a frame of the tree, with the zone in that frame.
    ///
    /// # Errors
    /// [`SensorError::InvalidSensor`] for a shape that is not bounded or makes no sense.
    pub fn new(
        name: impl Into<String>,
        frame: FrameIndex,
        zone: Shape<f64>,
    ) -> Result<Self, SensorError> {
        let touch = Touch {
            name: name.into(),
            frame,
            zone,
        };
        touch.check_zone()?;
        Ok(touch)
    }

    fn check_zone(&self) -> Result<(), SensorError> {
        let invalid = SensorError::invalid(&self.name);
        self.zone.validate().map_err(&invalid)?;
        let reach = [reach(&self.zone)];
        InvalidInput::check_range("reach of the zone", &reach, "a finite one", f64::is_finite)
            .map_err(invalid)
    }

    fn check<T: Scalar>(&self, _: &RigidBodyTree<T>) -> Result<(), SensorError> {
        self.check_zone()
    }

    /// Whether the zone is at a point or ahead of it.
    fn is_met(
        &self,
        pose: &RigidTransform<f64>,
        point: &Vector3<f64>,
        ahead: &Vector3<f64>,
    ) -> Result<bool, InvalidInput> {
        // Seen from beyond the zone, it is in front of the point.
        let distance = (point - pose.translation).norm() + 2.0 * reach(&self.zone);
        let ray = Ray::new(point + ahead * distance, -ahead)?;
        Ok(cast_ray(&self.zone, pose, &ray, distance).is_some())
    }
}

/// How far a shape reaches from its origin, at most; infinite for those that are no zones.
fn reach(shape: &Shape<f64>) -> f64 {
    match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => radius + length,
        Shape::Box { size } => size.norm(),
        Shape::Ellipsoid { semi_axes } => semi_axes.max(),
        Shape::Convex { polyhedron } => {
            let distances = polyhedron.vertices().iter().map(|p| p.norm());
            distances.fold(0.0, f64::max)
        }
        _ => f64::INFINITY,
    }
}

impl<T: Scalar> Sensor<T> for Touch {
    casts_by_list! {}
    constants! { Sensor for Touch as Touch, checked by check {
        name;
        frame: in_tree;
        zone;
    } }

    fn num_outputs(&self) -> usize {
        1
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/force", self.name));
    }

    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        InvalidInput::check_size("outputs", out.len(), 1)?;
        let pose = context.frame_pose(self.frame)?.cast::<f64>();
        let body = context.tree().frame(self.frame)?.body();
        out[0] = T::zero();
        for contact in context.contacts() {
            // The normal points from B into A.
            let into_a = contact.rotation.column(2).map(|x| x.re());
            let point = contact.position.map(|x| x.re());
            for (of_contact, ahead) in [(contact.body_a, -into_a), (contact.body_b, into_a)] {
                let presses = of_contact == body && contact.force.z.re() > 0.0;
                if presses && self.is_met(&pose, &point, &ahead)? {
                    out[0] += contact.force.z;
                }
            }
        }
        Ok(())
    }
}
