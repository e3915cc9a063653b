//! Point cloud against half space.
//!
//! Every point is a contact of its own: the normal is the z axis of the half space, the distance
//! `z · (p_W − p_WBo)`. The signed distance is that of the lowest point. Exact, and without singular
//! states.

use super::{ContactPoint, Witness};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// Calls `visit` with every point and its distance. Features never change.
pub(super) fn visit_contact_features<T: Scalar>(
    points: &[Vector3<T>],
    X_WA: &RigidTransform<f64>,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    for (i, p) in points.iter().enumerate() {
        let contact = contact_point(&p.map(|x| x.re()), X_WA, X_WB);
        visit(Witness::PointsHalfSpace(i), -contact.penetration);
    }
    f64::INFINITY
}

/// The contact of the point `p_A`, fixed in A, with the half space B.
pub(super) fn contact_point<T: Scalar>(
    p_A: &Vector3<T>,
    X_WA: &RigidTransform<T>,
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    let p_W = X_WA.transform_point(p_A);
    let (height, nhat_BA_W) = height(&p_W, X_WB);
    ContactPoint::new(p_W, nhat_BA_W, height)
}

/// Height of a point above the half space B, and the normal of the half space in the world.
pub(super) fn height<T: Scalar>(p_W: &Vector3<T>, X_WB: &RigidTransform<T>) -> (T, Vector3<T>) {
    let nhat_W = X_WB.rotation.column(2).into_owned();
    (nhat_W.dot(&(p_W - X_WB.translation)), nhat_W)
}
