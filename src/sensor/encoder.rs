//! Position of a joint, in increments.

use super::context::SensorContext;
use super::element::Sensor;
use super::error::SensorError;
use crate::parameter::Parameter;
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{InvalidInput, Scalar};
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
/// use the second. The offset is a parameter, `{name}/offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoder<T> {
    name: String,
    joint: JointIndex,
    /// Where the joint's coordinate is in q and in v.
    coordinates: (usize, usize),
    resolution: T,
    offset: T,
}

impl<T: Scalar> Encoder<T> {
    /// An encoder of a joint, with the size of an increment in rad or m.
    ///
    /// # Errors
    /// [`SensorError`] when the tree has no such joint, it has not one degree of freedom, or the
    /// resolution is not positive.
    pub fn new(
        name: &str,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        resolution: T,
    ) -> Result<Self, SensorError> {
        let j = tree.joint(joint)?;
        let encoder = Encoder {
            name: name.to_owned(),
            joint,
            coordinates: (j.position_start(), j.velocity_start()),
            resolution,
            offset: T::zero(),
        };
        encoder.validate(tree)?;
        Ok(encoder)
    }

    /// Sets the coordinate at which the encoder reads zero, in rad or m.
    pub fn with_offset(mut self, offset: T) -> Self {
        self.offset = offset;
        self
    }
}

impl<T: Scalar> Sensor<T> for Encoder<T> {
    type Cast<U: Scalar> = Encoder<U>;

    fn cast<U: Scalar>(&self) -> Encoder<U> {
        Encoder {
            name: self.name.clone(),
            joint: self.joint,
            coordinates: self.coordinates,
            resolution: U::from(self.resolution.re()),
            offset: U::from(self.offset.re()),
        }
    }

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
        let (i, k) = self.coordinates;
        let (Some(&q), Some(&v)) = (context.q().get(i), context.v().get(k)) else {
            context.tree().joint(self.joint)?;
            return Err(SensorError::Missing {
                name: self.name.clone(),
                needed: "a joint with coordinates",
            });
        };
        let position = q - self.offset;
        out[0] = position.div_lifted(self.resolution).floor_lifted() * self.resolution;
        out[1] = position;
        out[2] = v;
        Ok(())
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        visit(Parameter {
            name: format_args!("{}/offset", self.name),
            unit: "rad or m",
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            value: &mut self.offset,
        });
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), SensorError> {
        let joint = tree.joint(self.joint)?;
        let invalid = SensorError::invalid(&self.name);
        InvalidInput::check_size("degrees of freedom", joint.num_velocities(), 1)
            .map_err(&invalid)?;
        if joint.mimic().is_some() {
            return Err(SensorError::Missing {
                name: self.name.clone(),
                needed: "a joint with coordinates of its own",
            });
        }
        let (q, v) = self.coordinates;
        InvalidInput::check_size("position of the joint in q", joint.position_start(), q)
            .and_then(|()| {
                InvalidInput::check_size("position of the joint in v", joint.velocity_start(), v)
            })
            .map_err(&invalid)?;
        InvalidInput::check_range(
            "resolution",
            &[self.resolution],
            "positive and finite",
            |x| x > 0.0 && x.is_finite(),
        )
        .map_err(&invalid)?;
        InvalidInput::check_finite("offset", &[self.offset]).map_err(invalid)
    }
}
