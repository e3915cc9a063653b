//! Ellipsoid against half space.
//!
//! With the semi-axes `D = diag(a, b, c)` and the normal `n` of the plane in the frame of the ellipsoid, the
//! lowest point is `−D² n/‖D n‖`, and its height that of the centre less `‖D n‖`. Exact, and without
//! singular states.

use super::points_half_space::height;
use super::{ContactPoint, Witness};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// Calls `visit` with the contact and its distance. Features never change.
pub(super) fn visit_contact_features(
    semi_axes: &Vector3<f64>,
    X_WA: &RigidTransform<f64>,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let contact = contact_point(semi_axes, X_WA, X_WB);
    visit(Witness::EllipsoidHalfSpace, -contact.penetration);
    f64::INFINITY
}

/// The contact of the ellipsoid A with the half space B.
pub(super) fn contact_point<T: Scalar>(
    semi_axes: &Vector3<T>,
    X_WA: &RigidTransform<T>,
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    let (height, nhat_BA_W) = height(&X_WA.translation, X_WB);
    let scaled = semi_axes.component_mul(&X_WA.rotation.tr_mul(&nhat_BA_W));
    let reach = T::norm_lifted(scaled.as_slice());
    let lowest = semi_axes
        .component_mul(&scaled)
        .map(|x| -x.div_lifted(reach));
    ContactPoint::new(X_WA.transform_point(&lowest), nhat_BA_W, height - reach)
}
