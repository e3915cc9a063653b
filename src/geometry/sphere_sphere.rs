//! Sphere against sphere.
//!
//! With `d = p_WAo − p_WBo` the distance is `‖d‖ − r_A − r_B` and the normal `d/‖d‖`. The signed
//! distance is exact.
//!
//! *Singular state.* Where the centres coincide the normal is the x axis of B.

use super::direction::length_and_direction;
use super::{ContactPoint, Witness};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// Calls `visit` with the contact and its distance. Returns how far the nearest change of features is.
pub(super) fn visit_contact_features(
    radius_A: f64,
    p_WAo: &Vector3<f64>,
    radius_B: f64,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let contact = contact_point(radius_A, p_WAo, radius_B, X_WB);
    visit(Witness::SphereSphere, -contact.penetration);
    (p_WAo - X_WB.translation).norm()
}

/// The contact of a ball with one of radius `radius_B` about the origin of B.
pub(super) fn contact_point<T: Scalar>(
    radius_A: T,
    p_WAo: &Vector3<T>,
    radius_B: T,
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    let (length, nhat_BA_W) = length_and_direction(&(p_WAo - X_WB.translation), || {
        X_WB.rotation.column(0).into_owned()
    });
    ContactPoint::of_ball(p_WAo, radius_A, nhat_BA_W, length - radius_B)
}
