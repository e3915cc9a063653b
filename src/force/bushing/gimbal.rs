//! Torques of springs and dampers on roll, pitch and yaw angles.

use crate::Scalar;
use crate::force::ForceError;
use crate::math::RollPitchYaw;
use nalgebra::{Matrix3, Vector3};

/// Smallest `|cos q₁|` at which the angle rates are computed; the pitch is then within 0.46° of ±90°.
pub const GIMBAL_LOCK_TOLERANCE: f64 = 0.008;

/// The angles `q`, their rates, and what takes angular velocities to rates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gimbal<T> {
    /// Roll, pitch and yaw of `R_AC`.
    pub q: Vector3<T>,
    /// Their rates.
    pub rates: Vector3<T>,
    /// `N`.
    pub n: Matrix3<T>,
}

/// Whether the pitch of `R_AC` is so near to ±90° that angle rates are not computed.
pub(super) fn is_locked<T: Scalar>(r_ac: &Matrix3<T>) -> bool {
    let pitch = RollPitchYaw::from_matrix(r_ac).pitch.re();
    pitch.cos().abs() < GIMBAL_LOCK_TOLERANCE
}

impl<T: Scalar> Gimbal<T> {
    /// The gimbal of a bushing.
    ///
    /// # Errors
    /// [`ForceError::GimbalLock`].
    pub fn new(name: &str, r_ac: &Matrix3<T>, w_ac_a: &Vector3<T>) -> Result<Self, ForceError> {
        let RollPitchYaw { roll, pitch, yaw } = RollPitchYaw::from_matrix(r_ac);
        let (sin1, cos1) = pitch.sin_cos();
        if cos1.re().abs() < GIMBAL_LOCK_TOLERANCE {
            return Err(ForceError::GimbalLock {
                name: name.to_owned(),
                pitch: pitch.re(),
                tolerance: GIMBAL_LOCK_TOLERANCE,
            });
        }
        let (sin2, cos2) = yaw.sin_cos();
        let tan1 = sin1.div_lifted(cos1);
        let (zero, one) = (T::zero(), T::one());
        let n = Matrix3::new(
            cos2.div_lifted(cos1),
            sin2.div_lifted(cos1),
            zero, //
            -sin2,
            cos2,
            zero, //
            cos2 * tan1,
            sin2 * tan1,
            one,
        );
        Ok(Gimbal {
            q: Vector3::new(roll, pitch, yaw),
            rates: n * w_ac_a,
            n,
        })
    }
}
