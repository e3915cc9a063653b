//! Capsule against half space.
//!
//! Each cap is a contact of its own, as a [sphere](super::sphere_half_space) about its centre. A
//! capsule that lies on the plane touches it with both, and nothing changes as it tilts. The signed
//! distance is that of the lower cap. Exact, and without singular states.

use super::sphere_capsule::cap_pose;
use super::{ContactPoint, End, Witness, sphere_half_space};
use crate::{Scalar, math::RigidTransform};

/// Calls `visit` with both caps and their distances. Features never change.
pub(super) fn visit_contact_features(
    dimensions: (f64, f64),
    X_WA: &RigidTransform<f64>,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    for end in End::ALL {
        let contact = contact_point(end, dimensions, X_WA, X_WB);
        visit(Witness::CapsuleHalfSpace(end), -contact.penetration);
    }
    f64::INFINITY
}

/// The contact of a cap of the capsule A with the half space B.
pub(super) fn contact_point<T: Scalar>(
    end: End,
    (radius, length): (T, T),
    X_WA: &RigidTransform<T>,
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    let center = cap_pose(length, X_WA, end).translation;
    sphere_half_space::contact_point(radius, &center, X_WB)
}
