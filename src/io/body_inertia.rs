//! Bodies with the mass properties that descriptions give them.

use crate::math::SpatialInertia;
use crate::tree::{self, BodyIndex, RigidBodyTreeBuilder, TreeError};
use crate::{InvalidInput, Scalar};

/// How far from those of a rigid body mass properties may be before a report says so; figures in
/// descriptions are rounded.
const REPORTED: f64 = 1e-3;

/// Adds a body whose mass properties are used as they stand; with it, why no rigid body can have them.
pub(super) fn add_described_body<T: Scalar>(
    builder: &mut RigidBodyTreeBuilder<T>,
    name: &str,
    inertia: &SpatialInertia<f64>,
) -> Result<(BodyIndex, Option<InvalidInput>), TreeError> {
    match inertia.validate(tree::INERTIA_TOLERANCE) {
        Ok(()) => Ok((builder.add_body(name, inertia.cast())?, None)),
        Err(_) => Ok((
            builder.add_body_as_given(name, inertia.cast())?,
            inertia.validate(REPORTED).err(),
        )),
    }
}
