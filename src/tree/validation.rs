//! What the numbers of a tree must satisfy.

use super::joint::JointKind;
use crate::math::{RigidTransform, SpatialInertia};
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Vector3};

/// How far from orthonormal a rotation, and from symmetric a rotational inertia, may be.
const TOLERANCE: f64 = 1e-6;

/// Checks that mass properties can be computed with: finite, not negative, symmetric.
pub(super) fn check_inertia<T: Scalar>(inertia: &SpatialInertia<T>) -> Result<(), InvalidInput> {
    InvalidInput::check_range(
        "mass",
        &[inertia.mass],
        "a number that is not negative",
        |m| m >= 0.0 && m.is_finite(),
    )?;
    InvalidInput::check_finite("centre of mass", inertia.center_of_mass.as_slice())?;
    let rotational = inertia.rotational_inertia.map(|x| x.re());
    InvalidInput::check_finite("rotational inertia", rotational.as_slice())?;
    let asymmetry = (rotational - rotational.transpose()).amax();
    InvalidInput::check_range(
        "asymmetry of the rotational inertia",
        &[asymmetry],
        "zero",
        |a| a <= TOLERANCE * rotational.amax(),
    )
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
pub(super) fn with_unit_axes(kind: JointKind) -> Result<JointKind, InvalidInput> {
    Ok(match kind {
        JointKind::Fixed | JointKind::Ball | JointKind::Floating => kind,
        JointKind::Revolute { axis } => JointKind::Revolute {
            axis: unit_axis("axis", &axis)?,
        },
        JointKind::Continuous { axis } => JointKind::Continuous {
            axis: unit_axis("axis", &axis)?,
        },
        JointKind::Prismatic { axis } => JointKind::Prismatic {
            axis: unit_axis("axis", &axis)?,
        },
        JointKind::Planar { x_axis, y_axis } => {
            let (x_axis, y_axis) = (unit_axis("x axis", &x_axis)?, unit_axis("y axis", &y_axis)?);
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

/// The direction of `axis`; exact along an axis of the frame.
fn unit_axis(quantity: &'static str, axis: &Vector3<f64>) -> Result<Vector3<f64>, InvalidInput> {
    InvalidInput::check_finite(quantity, axis.as_slice())?;
    // Scaled by the longest component first, so that squaring cannot underflow or overflow.
    let longest = axis.amax();
    InvalidInput::check_range(quantity, &[longest], "a vector that is not zero", |x| {
        x > 0.0
    })?;
    Ok((axis / longest).normalize())
}
