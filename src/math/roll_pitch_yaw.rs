//! Roll, pitch and yaw angles.

use crate::Scalar;
use nalgebra::Matrix3;

/// Space-fixed angles x, y, z: `R_AB = R_z(yaw) R_y(pitch) R_x(roll)`, in radians.
///
/// The convention of URDF and of Drake's class of the same name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RollPitchYaw<T> {
    /// Rotation about x, applied first.
    pub roll: T,
    /// Rotation about the space-fixed y.
    pub pitch: T,
    /// Rotation about the space-fixed z, applied last.
    pub yaw: T,
}

impl<T: Scalar> RollPitchYaw<T> {
    /// The angles, in the order roll, pitch, yaw.
    pub fn new(roll: T, pitch: T, yaw: T) -> Self {
        RollPitchYaw { roll, pitch, yaw }
    }

    /// The angles of a rotation matrix, with roll and yaw in (−π, π] and pitch in [−π/2, π/2].
    ///
    /// At gimbal lock (`|pitch| = π/2`) only `yaw ∓ roll` is determined; the angles returned there
    /// give back the matrix, but their derivatives are not defined and returned as zero.
    #[inline(never)]
    pub fn from_matrix(r: &Matrix3<T>) -> Self {
        let cos_pitch = T::norm_lifted(&[r[(2, 1)], r[(2, 2)]]);
        let pitch = (-r[(2, 0)]).atan2_lifted(cos_pitch);
        // A zero of negative sign would give −π.
        let angle = |sin: T, cos: T| (sin + 0.0).atan2_lifted(cos);
        if cos_pitch.re() > f64::EPSILON {
            let roll = angle(r[(2, 1)], r[(2, 2)]);
            // Of R R_x(roll)ᵀ, whose second column is (−sin yaw, cos yaw, 0): near gimbal lock this yaw
            // makes up for the round-off of roll, which that of the first column of R does not.
            let (sin, cos) = roll.sin_cos();
            let yaw = angle(
                r[(0, 2)] * sin - r[(0, 1)] * cos,
                r[(1, 1)] * cos - r[(1, 2)] * sin,
            );
            RollPitchYaw { roll, pitch, yaw }
        } else {
            let roll = angle(-r[(1, 2)], r[(1, 1)]);
            RollPitchYaw {
                roll: T::from(roll.re()),
                pitch: T::from(pitch.re()),
                yaw: T::zero(),
            }
        }
    }

    /// The rotation matrix `R_z(yaw) R_y(pitch) R_x(roll)`.
    #[inline(never)]
    pub fn to_matrix(&self) -> Matrix3<T> {
        let (sr, cr) = self.roll.sin_cos();
        let (sp, cp) = self.pitch.sin_cos();
        let (sy, cy) = self.yaw.sin_cos();
        Matrix3::new(
            cy * cp,
            cy * sp * sr - sy * cr,
            cy * sp * cr + sy * sr,
            sy * cp,
            sy * sp * sr + cy * cr,
            sy * sp * cr - cy * sr,
            -sp,
            cp * sr,
            cp * cr,
        )
    }
}
