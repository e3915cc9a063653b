//! Sphere against capsule.
//!
//! Let `p = (x, y, z)` be the centre of the sphere in the frame of the capsule, `r` the radius and
//! `h` half the length of the capsule. Nearest to `p` is
//!
//! - the side, for `|z| ≤ h`: distance `√(x² + y²) − r`, normal `(x, y, 0)/√(x² + y²)`;
//! - else a cap, which acts as a sphere about `(0, 0, ±h)`.
//!
//! The signed distance is exact, inside and outside.
//!
//! *Singular state.* With the centre on the segment the normal is the x axis of the capsule.

use super::feature::{CapsuleFeature, End};
use super::sphere_cylinder::side_contact_point;
use super::{ContactPoint, Witness, sphere_sphere};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// The part of the capsule nearest to the point `p`, given in the frame of the capsule.
pub(super) fn nearest_feature(length: f64, p: &Vector3<f64>) -> CapsuleFeature {
    if p.z > 0.5 * length {
        CapsuleFeature::Cap(End::Upper)
    } else if p.z < -0.5 * length {
        CapsuleFeature::Cap(End::Lower)
    } else {
        CapsuleFeature::Side
    }
}

/// How far a point, given in the frame of the capsule, is from where another part is nearest.
pub(super) fn feature_margin(length: f64, p: &Vector3<f64>) -> f64 {
    (p.z.abs() - 0.5 * length).abs()
}

/// The pose of the frame of the capsule, moved to the centre of a cap.
pub(super) fn cap_pose<T: Scalar>(
    length: T,
    X_WB: &RigidTransform<T>,
    end: End,
) -> RigidTransform<T> {
    let z_W = X_WB.rotation.column(2);
    let height = length * (0.5 * end.sign());
    RigidTransform::new(X_WB.rotation, X_WB.translation + z_W * height)
}

/// Calls `visit` with the contact and its distance. Returns how far the nearest change of features is.
pub(super) fn visit_contact_features(
    radius_A: f64,
    p_WAo: &Vector3<f64>,
    (radius_B, length_B): (f64, f64),
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let p = X_WB.inverse_transform_point(p_WAo);
    let feature = nearest_feature(length_B, &p);
    let contact = contact_point(feature, radius_A, p_WAo, (radius_B, length_B), X_WB);
    visit(Witness::SphereCapsule(feature), -contact.penetration);
    let from_segment = radius_A + radius_B - contact.penetration;
    feature_margin(length_B, &p).min(from_segment)
}

/// The contact of a ball with a part of the capsule B.
pub(super) fn contact_point<T: Scalar>(
    feature: CapsuleFeature,
    radius_A: T,
    p_WAo: &Vector3<T>,
    (radius_B, length_B): (T, T),
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    match feature {
        CapsuleFeature::Side => side_contact_point(radius_A, p_WAo, radius_B, X_WB),
        CapsuleFeature::Cap(end) => {
            let X_WCap = cap_pose(length_B, X_WB, end);
            sphere_sphere::contact_point(radius_A, p_WAo, radius_B, &X_WCap)
        }
    }
}
