//! Bodies with the mass properties that descriptions give them.

use crate::math::SpatialInertia;
use crate::tree::{self, BodyIndex, RigidBodyTreeBuilder, TreeError};
use crate::{InvalidInput, Scalar};
use nalgebra::Matrix3;

/// How far from those of a rigid body mass properties may be before a report says so; figures in
/// descriptions are rounded.
const REPORTED: f64 = 1e-3;

/// Adds a body whose mass properties are used as they stand; with it, why no rigid body can have them.
pub(super) fn add_described_body<T: Scalar>(
    builder: &mut RigidBodyTreeBuilder<T>,
    name: &str,
    inertia: &SpatialInertia<f64>,
) -> Result<(BodyIndex, Option<InvalidInput>), TreeError> {
    let body = match inertia.validate(tree::INERTIA_TOLERANCE) {
        Ok(()) => builder.add_body(name, inertia.cast())?,
        Err(_) => builder.add_body_as_given(name, inertia.cast())?,
    };
    let turns = inertia.rotational_inertia != Matrix3::zeros();
    let has_mass = InvalidInput::check_range(
        "mass",
        &[inertia.mass],
        "more than zero with a rotational inertia",
        |mass| mass > 0.0 || !turns,
    );
    Ok((
        body,
        has_mass.and_then(|()| inertia.validate(REPORTED)).err(),
    ))
}
