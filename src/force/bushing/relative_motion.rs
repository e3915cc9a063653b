//! Pose and velocity of frame C relative to frame A.

use crate::Scalar;
use crate::force::{Attachment, ForceContext, ForceError};
use crate::kink::positive_part;
use crate::math::rotation;
use nalgebra::{Matrix3, Quaternion, Vector3};
use std::f64::consts::PI;

/// Position, orientation and velocities of C relative to A.
#[derive(Debug, Clone, Copy)]
pub(super) struct RelativeMotion<T> {
    /// `R_WA`.
    pub r_wa: Matrix3<T>,
    /// `R_WC`.
    pub r_wc: Matrix3<T>,
    /// `p_AoCo_W`.
    pub p: Vector3<T>,
    /// `w_WA_W`.
    pub w_a: Vector3<T>,
    /// `w_WC_W`.
    pub w_c: Vector3<T>,
    /// `v_WCo_W − v_WAo_W`.
    pub v: Vector3<T>,
}

impl<T: Scalar> RelativeMotion<T> {
    pub fn of(
        context: &ForceContext<'_, T>,
        a: Attachment,
        c: Attachment,
    ) -> Result<Self, ForceError> {
        let (x_wa, x_wc) = (a.pose(context)?, c.pose(context)?);
        let (v_wa, v_wc) = (a.velocity(context)?, c.velocity(context)?);
        Ok(RelativeMotion {
            r_wa: x_wa.rotation,
            r_wc: x_wc.rotation,
            p: x_wc.translation - x_wa.translation,
            w_a: v_wa.angular,
            w_c: v_wc.angular,
            v: v_wc.linear - v_wa.linear,
        })
    }

    /// `R_AC`.
    pub fn r_ac(&self) -> Matrix3<T> {
        self.r_wa.tr_mul(&self.r_wc)
    }

    /// The unit quaternion of `R_AC` with `w ≥ 0`.
    pub fn quaternion(&self) -> Quaternion<T> {
        let q = rotation::quaternion_from_matrix(&self.r_ac());
        if q.w.re() < 0.0 { -q } else { q }
    }

    /// `w_AC_A`.
    pub fn w_ac_a(&self) -> Vector3<T> {
        self.r_wa.tr_mul(&(self.w_c - self.w_a))
    }

    /// How far the angle of `R_AC` is from π, where its axis jumps to the opposite one.
    pub fn angle_to_reversal(&self) -> T {
        let q = self.quaternion();
        let sine = T::norm_lifted(q.imag().as_slice());
        positive_part(-sine.atan2_lifted(q.w) * 2.0 + PI)
    }
}
