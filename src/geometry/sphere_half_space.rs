//! Sphere against half space.
//!
//! The normal is the z axis of the half space, the distance `z · (p_WAo − p_WBo) − r`. Exact, and
//! without singular states.

use super::points_half_space::height;
use super::{ContactPoint, Witness};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// Calls `visit` with the contact and its distance. Features never change.
pub(super) fn visit_contact_features(
    radius_A: f64,
    p_WAo: &Vector3<f64>,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let contact = contact_point(radius_A, p_WAo, X_WB);
    visit(Witness::SphereHalfSpace, -contact.penetration);
    f64::INFINITY
}

/// The contact of a ball with the half space B.
pub(super) fn contact_point<T: Scalar>(
    radius_A: T,
    p_WAo: &Vector3<T>,
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    let (height, nhat_BA_W) = height(p_WAo, X_WB);
    ContactPoint::of_ball(p_WAo, radius_A, nhat_BA_W, height)
}
