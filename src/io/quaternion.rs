//! Quaternions of descriptions, which need not have unit length.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion};

/// A quaternion (w, x, y, z), normalised; none of a zero one.
pub(in crate::io) fn unit_quaternion([w, x, y, z]: [f64; 4]) -> Option<UnitQuaternion<f64>> {
    let quaternion = Quaternion::new(w, x, y, z);
    // Scaled by the largest first, so that squaring cannot underflow or overflow.
    let largest = quaternion.coords.amax();
    (largest > 0.0).then(|| UnitQuaternion::new_normalize(quaternion / largest))
}

/// The rotation of a quaternion (w, x, y, z); none of a zero one.
pub(in crate::io) fn rotation_of(quaternion: [f64; 4]) -> Option<Matrix3<f64>> {
    let unit = unit_quaternion(quaternion)?;
    Some(unit.to_rotation_matrix().into_inner())
}
