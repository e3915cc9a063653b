//! The deformation of a quasi-symmetric bushing: angles, displacement and their rates.

use crate::math::{RigidTransform, RollPitchYaw};
use nalgebra::Vector3;

/// How a [`LinearBushingRollPitchYaw`](super::LinearBushingRollPitchYaw) is deformed, and what follows
/// from that; see the [module](super#the-quasi-symmetric-bushing) for the equations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BushingDeformation<T> {
    /// The angles `q` of `R_AC` in rad.
    pub angles: RollPitchYaw<T>,
    /// Their rates `q̇` in rad/s.
    pub angle_rates: Vector3<T>,
    /// The pose `X_AB` of the half-way frame B.
    pub pose_of_b: RigidTransform<T>,
    /// The displacement `[x y z] = p_AoCo_B` in m.
    pub displacement: Vector3<T>,
    /// Its rates `[ẋ ẏ ż]` in m/s.
    pub displacement_rates: Vector3<T>,
    /// The torques τ of the gimbal in N m, conjugate to the angles.
    pub gimbal_torque: Vector3<T>,
    /// The torque `t` on C in N m, expressed in A.
    pub torque_on_c: Vector3<T>,
    /// The force `f` on C at Bo in N, expressed in B.
    pub force_on_c: Vector3<T>,
}
