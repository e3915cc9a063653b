//! The pose of a frame.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use crate::erased::casts_by_list;
use crate::kink::positive_part;
use crate::math::rotation;
use crate::tree::FrameIndex;
use crate::{ElementKink, InvalidInput, Scalar, constants};
use std::fmt;

/// Measures the pose `X_WF` of a frame.
///
/// Outputs are `{name}/position/{x,y,z}` (m) and `{name}/quaternion/{w,x,y,z}`, of the sign for which
/// the largest component is positive; the sign jumps where another component becomes the largest.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct FramePose {
    pub(crate) name: String,
    pub(crate) frame: FrameIndex,
}

impl FramePose {
    /// For a frame of the tree.
    pub fn new(name: impl Into<String>, frame: FrameIndex) -> Self {
        let name = name.into();
        FramePose { name, frame }
    }
}

impl<T: Scalar> Sensor<T> for FramePose {
    casts_by_list! {}
    constants! { Sensor for FramePose as FramePose {
        name;
        frame: in_tree;
    } }

    fn num_outputs(&self) -> usize {
        7
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        for axis in ["x", "y", "z"] {
            visit(format_args!("{}/position/{axis}", self.name));
        }
        for axis in ["w", "x", "y", "z"] {
            visit(format_args!("{}/quaternion/{axis}", self.name));
        }
    }

    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        InvalidInput::check_size("outputs", out.len(), 7)?;
        let pose = context.frame_pose(self.frame)?;
        let q = rotation::quaternion_from_matrix(&pose.rotation);
        out[..3].copy_from_slice(pose.translation.as_slice());
        out[3..].copy_from_slice(&[q.w, q.i, q.j, q.k]);
        Ok(())
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &SensorContext<'_, T>,
        _: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), SensorError> {
        let pose = context.frame_pose(self.frame)?;
        let q = rotation::quaternion_from_matrix(&pose.rotation).coords;
        visit(ElementKink {
            element: &self.name,
            change: "sign of the quaternion",
            distance: positive_part(q.max() + q.min()),
            unit: "1",
            order: 0,
        });
        Ok(())
    }
}
