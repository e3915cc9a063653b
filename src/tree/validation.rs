//! Checks of the constants of a tree.

use super::joint::JointKind;
use crate::math::{RigidTransform, SpatialInertia};
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Vector3};

/// How far from orthonormal a rotation, and from perpendicular two axes, may be.
const TOLERANCE: f64 = 1e-6;

/// How far from that of a distribution of mass a rotational inertia may be, relative to its trace.
pub(crate) const INERTIA_TOLERANCE: f64 = 1e-6;

/// Checks that mass properties can be computed with and, if `is_checked`, that a distribution of mass
/// can have them.
pub(super) fn check_inertia<T: Scalar>(
    inertia: &SpatialInertia<T>,
    is_checked: bool,
) -> Result<(), InvalidInput> {
    if is_checked {
        inertia.validate(INERTIA_TOLERANCE)
    } else {
        inertia.check_entries(INERTIA_TOLERANCE)
    }
}

/// Checks that there is a number from each lower limit to the upper.
pub(super) fn check_position_limits<T: Scalar>(
    lower: &[T],
    upper: &[T],
) -> Result<(), InvalidInput> {
    InvalidInput::check_range("lower limits", lower, "a number below infinity", |x| {
        x < f64::INFINITY
    })?;
    InvalidInput::check_range(
        "upper limits",
        upper,
        "a number above minus infinity",
        |x| x > f64::NEG_INFINITY,
    )?;
    let are_several = lower.len() > 1;
    for (index, (lower, upper)) in lower.iter().zip(upper).enumerate() {
        let (value, upper) = (lower.re(), upper.re());
        if value > upper {
            return Err(InvalidInput::OutOfRange {
                quantity: "lower limits",
                index: are_several.then_some(index),
                value,
                expected: "at most the upper limit",
            });
        }
    }
    Ok(())
}

/// Checks that the axes of a joint have directions.
pub(super) fn check_axes<T: Scalar>(kind: &JointKind<T>) -> Result<(), InvalidInput> {
    match kind {
        JointKind::Fixed | JointKind::Ball | JointKind::Floating => Ok(()),
        JointKind::Revolute { axis }
        | JointKind::Continuous { axis }
        | JointKind::Prismatic { axis } => check_direction("axis", axis),
        JointKind::Planar { x_axis, y_axis } => {
            check_direction("x axis", x_axis)?;
            check_direction("y axis", y_axis)?;
            let (x, y) = (unit_vector(x_axis), unit_vector(y_axis));
            InvalidInput::check_range(
                "sine of the angle between the x axis and the y axis",
                &[T::norm_lifted(x.cross(&y).as_slice())],
                "at least 1e-6",
                |sine| sine >= TOLERANCE,
            )
        }
    }
}

/// Checks that a pose is finite and its matrix a rotation.
pub(crate) fn check_pose<T: Scalar>(pose: &RigidTransform<T>) -> Result<(), InvalidInput> {
    let rotation = pose.rotation.map(|x| x.re());
    InvalidInput::check_finite("rotation", rotation.as_slice())?;
    InvalidInput::check_finite("translation", pose.translation.as_slice())?;
    let departure = (rotation.transpose() * rotation - Matrix3::identity()).amax();
    InvalidInput::check_range(
        "departure of the rotation from orthonormal",
        &[departure],
        "at most 1e-6",
        |d| d <= TOLERANCE,
    )?;
    InvalidInput::check_range(
        "determinant of the rotation",
        &[rotation.determinant()],
        "1",
        |d| d > 0.0,
    )
}

/// The joint with axes of unit length, perpendicular if there are two.
pub(super) fn with_unit_axes<T: Scalar>(kind: JointKind<T>) -> Result<JointKind<T>, InvalidInput> {
    check_axes(&kind)?;
    Ok(match kind {
        JointKind::Fixed | JointKind::Ball | JointKind::Floating => kind,
        JointKind::Revolute { axis } => JointKind::Revolute {
            axis: unit_vector(&axis),
        },
        JointKind::Continuous { axis } => JointKind::Continuous {
            axis: unit_vector(&axis),
        },
        JointKind::Prismatic { axis } => JointKind::Prismatic {
            axis: unit_vector(&axis),
        },
        JointKind::Planar { x_axis, y_axis } => {
            let (x_axis, y_axis) = (unit_vector(&x_axis), unit_vector(&y_axis));
            InvalidInput::check_range(
                "cosine between the x axis and the y axis",
                &[x_axis.dot(&y_axis)],
                "0",
                |c| c.abs() <= TOLERANCE,
            )?;
            JointKind::Planar { x_axis, y_axis }
        }
    })
}

fn check_direction<T: Scalar>(
    quantity: &'static str,
    axis: &Vector3<T>,
) -> Result<(), InvalidInput> {
    InvalidInput::check_finite(quantity, axis.as_slice())?;
    let longest = axis.map(|x| x.re()).amax();
    InvalidInput::check_range(quantity, &[longest], "a vector that is not zero", |x| {
        x > 0.0
    })
}

/// The direction of a vector that is not zero; exact along an axis of the frame.
pub(super) fn unit_vector<T: Scalar>(v: &Vector3<T>) -> Vector3<T> {
    // Scaled by the longest component first, so that squaring cannot underflow or overflow.
    let longest = T::from(v.map(|x| x.re()).amax());
    let scaled = v.map(|x| x.div_lifted(longest));
    let norm = scaled.dot(&scaled).sqrt_lifted();
    scaled.map(|x| x.div_lifted(norm))
}

/// What is left of `v` without its component along the unit vector `along`.
pub(super) fn orthogonal_part<T: Scalar>(v: &Vector3<T>, along: &Vector3<T>) -> Vector3<T> {
    v - along * along.dot(v)
}
