//! A joint encoder: quantised position.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use crate::erased::casts_by_list;
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{ElementKink, InvalidInput, Scalar, constants};
use std::fmt;

/// Measures a joint with one degree of freedom.
///
/// | output | |
/// |---|---|
/// | `{name}/position` | the coordinate minus the offset, rounded down to a multiple of the resolution (rad or m) |
/// | `{name}/unquantised` | the same without rounding |
/// | `{name}/rate` | the rate of the coordinate (rad/s or m/s) |
///
/// Rounding makes the first piecewise constant: it has no derivative with respect to the state, and
/// the one with respect to the resolution is the count. Estimation and control that need derivatives
/// use the second. With a resolution of zero nothing is rounded, and both are the same. Parameters are `{name}/resolution` and `{name}/offset` (rad or m).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct Encoder<T> {
    name: String,
    joint: JointIndex,
    resolution: T,
    offset: T,
}

impl<T: Scalar> Encoder<T> {
    /// An encoder of a joint, with the size of an increment in rad or m; zero for none.
    ///
    /// # Errors
    /// [`SensorError`] when the tree has no such joint, it has not one degree of freedom, or the
    /// resolution is negative.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        resolution: T,
    ) -> Result<Self, SensorError> {
        Encoder {
            name: name.into(),
            joint,
            resolution,
            offset: T::zero(),
        }
        .validated(tree)
    }

    /// Sets the coordinate at which the encoder reads zero, in rad or m.
    pub fn with_offset(mut self, offset: T) -> Self {
        self.offset = offset;
        self
    }

    fn check_joint(&self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
        let joint = tree.joint(self.joint)?;
        let followers = usize::from(joint.mimic().is_some());
        [
            ("degrees of freedom", joint.num_velocities(), 1),
            ("joints that the joint follows", followers, 0),
        ]
        .into_iter()
        .try_for_each(|(quantity, actual, expected)| {
            InvalidInput::check_size(quantity, actual, expected)
        })
        .map_err(SensorError::invalid(&self.name))
    }

    /// The coordinate minus the offset, and its rate.
    fn position_and_rate(&self, context: &SensorContext<'_, T>) -> Result<(T, T), SensorError> {
        let joint = context.tree().joint(self.joint)?;
        let (i, k) = (joint.position_start(), joint.velocity_start());
        let (Some(&q), Some(&v)) = (context.q().get(i), context.v().get(k)) else {
            return Err(SensorError::Missing {
                name: self.name.clone(),
                needed: "a joint with coordinates",
            });
        };
        Ok((q - self.offset, v))
    }
}

impl<T: Scalar> Sensor<T> for Encoder<T> {
    casts_by_list! {}
    constants! { Sensor for Encoder, checked by check_joint {
        name;
        joint;
        resolution: not_negative("rad or m");
        offset: any("rad or m");
    } }

    fn num_outputs(&self) -> usize {
        3
    }

    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        for quantity in ["position", "unquantised", "rate"] {
            visit(format_args!("{}/{quantity}", self.name));
        }
    }

    fn measure(
        &self,
        context: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        InvalidInput::check_size("outputs", out.len(), 3)?;
        let (position, v) = self.position_and_rate(context)?;
        out[0] = if self.resolution.re() == 0.0 {
            position
        } else {
            position.div_lifted(self.resolution).floor_lifted() * self.resolution
        };
        out[1] = position;
        out[2] = v;
        Ok(())
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &SensorContext<'_, T>,
        _: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), SensorError> {
        if self.resolution.re() == 0.0 {
            return Ok(());
        }
        let (position, _) = self.position_and_rate(context)?;
        let past = position - position.div_lifted(self.resolution).floor_lifted() * self.resolution;
        for distance in [past, self.resolution - past] {
            visit(ElementKink {
                element: &self.name,
                change: "count",
                distance,
                unit: "rad or m",
                order: 0,
            });
        }
        Ok(())
    }
}
