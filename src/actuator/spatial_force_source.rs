//! A spatial force (torque and force) at a frame.

use super::element::Actuator;
use super::entries;
use crate::erased::casts_by_list;
use crate::force::{ForceContext, ForceError, Forces};
use crate::math::SpatialForce;
use crate::tree::FrameIndex;
use crate::{Scalar, constants};
use nalgebra::Vector3;
use std::fmt;

/// Applies its inputs at the origin of a frame F, expressed in F: `{name}/torque/{x,y,z}` (N m), then
/// `{name}/force/{x,y,z}` (N).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct SpatialForceSource {
    name: String,
    frame: FrameIndex,
}

impl SpatialForceSource {
    /// For a frame of the tree.
    pub fn new(name: impl Into<String>, frame: FrameIndex) -> Self {
        let name = name.into();
        SpatialForceSource { name, frame }
    }
}

impl<T: Scalar> Actuator<T> for SpatialForceSource {
    casts_by_list! {}
    constants! { Actuator for SpatialForceSource as SpatialForceSource {
        name;
        frame: in_tree;
    } }

    fn num_inputs(&self) -> usize {
        6
    }

    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        for quantity in ["torque", "force"] {
            for axis in ["x", "y", "z"] {
                visit(format_args!("{}/{quantity}/{axis}", self.name));
            }
        }
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
        let [tx, ty, tz, fx, fy, fz] = entries("input", input)?;
        let torque = pose.rotation * Vector3::new(tx, ty, tz);
        let force = pose.rotation * Vector3::new(fx, fy, fz);
        let force = SpatialForce::new(torque, force);
        forces.add_at_point(context, body, &pose.translation, &force)
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }
}
