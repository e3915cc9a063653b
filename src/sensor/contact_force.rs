//! The resultant of the contact forces on a body.

use super::context::SensorContext;
use super::element::{Sensor, visit_vector_names};
use super::error::SensorError;
use crate::erased::casts_by_list;
use crate::tree::BodyIndex;
use crate::{InvalidInput, Scalar, constants};
use nalgebra::Vector3;
use std::fmt;

/// Measures the resultant of all contact forces on a body.
///
/// Outputs are `{name}/torque/{x,y,z}` (N m, about the origin of the body) and `{name}/force/{x,y,z}`
/// (N), both expressed in W; zero where nothing touches.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ContactForce {
    name: String,
    body: BodyIndex,
}

impl ContactForce {
    /// For a body.
    pub fn new(name: impl Into<String>, body: BodyIndex) -> Self {
        let name = name.into();
        ContactForce { name, body }
    }
}

impl<T: Scalar> Sensor<T> for ContactForce {
    casts_by_list! {}
    constants! { Sensor for ContactForce as ContactForce {
        name;
        body: in_tree;
    } }

    fn num_outputs(&self) -> usize {
        6
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit_vector_names(&self.name, ["torque", "force"], visit);
    }

    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        InvalidInput::check_size("outputs", out.len(), 6)?;
        let origin = context.body_pose(self.body)?.translation;
        let (mut torque, mut force) = (Vector3::zeros(), Vector3::zeros());
        for contact in context.contacts() {
            let arm = contact.position - origin;
            let (f, pure) = (contact.force_on_a(), contact.torque_on_a());
            for (body, f, pure) in [(contact.body_a, f, pure), (contact.body_b, -f, -pure)] {
                if body == self.body {
                    torque += arm.cross(&f) + pure;
                    force += f;
                }
            }
        }
        out[..3].copy_from_slice(torque.as_slice());
        out[3..].copy_from_slice(force.as_slice());
        Ok(())
    }
}
