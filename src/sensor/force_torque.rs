//! A force–torque sensor across a joint.

use super::context::SensorContext;
use super::element::{Sensor, visit_vector_names};
use super::error::SensorError;
use crate::erased::casts_by_list;
use crate::tree::FrameIndex;
use crate::{InvalidInput, Scalar, constants};
use std::fmt;

/// Measures the force that holds a body: the one that the inboard body exerts on it through the joint, as a force-torque
/// sensor at a wrist does, also where the joint is fixed.
///
/// Outputs are `{name}/torque/{x,y,z}` (N m, about the origin of a frame on the body) and `{name}/force/{x,y,z}` (N), both
/// expressed in the frame; zero for a body that floats. They are the
/// [reaction](crate::tree::RigidBodyTree::joint_reactions) of the joint, with what drives and damps it: mean values over a
/// discrete step, values at the start of a step in continuous time. What force laws and constraints without a
/// [`point_force`](crate::constraint::TreeConstraint::point_force) exert across the axes of a joint is not in it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ForceTorque {
    pub(crate) name: String,
    pub(crate) frame: FrameIndex,
}

impl ForceTorque {
    /// For the body of a frame of the tree.
    pub fn new(name: impl Into<String>, frame: FrameIndex) -> Self {
        let name = name.into();
        ForceTorque { name, frame }
    }
}

impl<T: Scalar> Sensor<T> for ForceTorque {
    casts_by_list! {}
    constants! { Sensor for ForceTorque as ForceTorque {
        name;
        frame: in_tree;
    } }

    fn num_outputs(&self) -> usize {
        6
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit_vector_names(&self.name, ["torque", "force"], visit);
    }

    fn needs_joint_reactions(&self) -> bool {
        true
    }

    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        InvalidInput::check_size("outputs", out.len(), 6)?;
        let frame = context.tree().frame(self.frame)?;
        let reaction = context.joint_reaction(frame.body())?;
        let reaction = reaction.ok_or_else(|| SensorError::Missing {
            name: self.name.clone(),
            needed: "forces across joints",
        })?;
        let pose = context.frame_pose(self.frame)?;
        let origin = context.body_pose(frame.body())?.translation;
        let about_frame = reaction.shift(&(pose.translation - origin));
        out[..3].copy_from_slice(pose.rotation.tr_mul(&about_frame.torque).as_slice());
        out[3..].copy_from_slice(pose.rotation.tr_mul(&about_frame.force).as_slice());
        Ok(())
    }
}
