//! Bushings: compliant connections of two frames with stiffness and damping in six directions.
//!
//! Frame A is fixed on one link and frame C on another, or on the world. `p` is the position from Ao
//! to Co, `R_AC` the orientation of C in A and `w_AC` the angular velocity of C in A.
//!
//! # The quasi-symmetric bushing
//! [`LinearBushingRollPitchYaw`] has a floating frame B whose origin lies halfway between Ao and Co
//! and whose orientation lies halfway from A to C: with `R_AC` the rotation by the angle θ ∈ [0, π]
//! about an axis, `R_AB` is that by θ/2 about the same axis. A *force* `f` acts on C at Bo, its
//! opposite on A at Bo, and a *torque* `t` on C, its opposite on A:
//!
//! ```text
//! [x y z] = R_BA p_AoCo_A                  f_B = −K_xyz [x y z] − D_xyz [ẋ ẏ ż]
//! R_AC = R_z(q₂) R_y(q₁) R_x(q₀)           τ   = −K₀₁₂ q − D₀₁₂ q̇,       q̇ = N w_AC_A
//! t_A = Nᵀ τ                               (t·w_AC = τ·q̇: torques of a gimbal)
//! ```
//!
//! With roll q₀ and yaw q₂ in (−π, π] and pitch q₁ in \[−π/2, π/2\]; where one of them jumps, the
//! torque of its spring does, too. At θ = π the axis reverses, and where stiffness or damping is unequal
//! the force jumps with B. `N` is singular at a pitch of ±π/2:
//!
//! ```text
//!     ⎡ cos q₂/cos q₁   sin q₂/cos q₁   0 ⎤
//! N = ⎢   −sin q₂          cos q₂       0 ⎥
//!     ⎣ cos q₂ tan q₁   sin q₂ tan q₁   1 ⎦
//! ```
//!
//! The displacement rates are taken as `[ẋ ẏ ż] = R_BW (v_WCo − v_WAo − ½ (w_WA + w_WC) × p)`, the
//! velocity of the point of C at Bo relative to the point of A there. They are what makes `f·[ẋ ẏ ż]`
//! the power of the forces.
//!
//! ## Which energies balance
//! Let `U = ½ qᵀ K₀₁₂ q + ½ [x y z] K_xyz [x y z]ᵀ` be the stored energy. Then, exactly,
//!
//! - the dampers take the power `q̇ᵀ D₀₁₂ q̇ + [ẋ ẏ ż] D_xyz [ẋ ẏ ż]ᵀ`, never negative;
//! - the torque springs give what `½ qᵀ K₀₁₂ q` loses.
//!
//! The force springs do so *only* when `k_x = k_y = k_z`, or in the limit of small angles. With the
//! rotation vector φ of `R_AC`, B turns about A with `½ w_AC − ⅛ φ × w_AC` to first order in φ, and not
//! with ½ `w_AC`, so `[ẋ ẏ ż]` above is the time derivative of `[x y z]` only where φ is zero or the
//! axis of rotation constant. With unequal stiffness the spring force is then not the gradient of its
//! energy, by an amount that grows in proportion to the angle, and a motion in a closed loop can gain
//! or lose energy.
//! [`conservative_power`](super::ForceElement::conservative_power) is `−dU/dt`; what the springs do
//! besides counts as
//! [`nonconservative_power`](LinearBushingRollPitchYaw::nonconservative_power).
//!
//! # The energy-consistent bushing
//! [`ConservativeBushing`] starts from its energy. With the displacements `p_A = R_AW p` and
//! `p_C = R_CW p` as seen from A and from C, and three angles q (roll-pitch-yaw, or a rotation vector),
//!
//! ```text
//! U = ½ qᵀ K₀₁₂ q + ¼ p_Aᵀ K_xyz p_A + ¼ p_Cᵀ K_xyz p_C
//! R = ½ q̇ᵀ D₀₁₂ q̇ + ¼ ṗ_Aᵀ D_xyz ṗ_A + ¼ ṗ_Cᵀ D_xyz ṗ_C
//! ```
//!
//! are the stored energy and half the dissipated power, with true time derivatives. Forces are the
//! negative derivatives of U with respect to displacements and of R with respect to velocities. With
//! `h_A = ½ R_WA (K p_A + D ṗ_A)`, `h_C` likewise and `t = R_WA Nᵀ (K₀₁₂ q + D₀₁₂ q̇)`, they are
//!
//! ```text
//! on A: force  h_A + h_C,  torque about Ao   p × h_A + t
//! on C: force −h_A − h_C,  torque about Co   p × h_C − t
//! ```
//!
//! The forces treat A and C alike, need no half-way frame, and have no singular orientation. As
//! `p_A = R_AB [x y z]` and `p_C = R_CB [x y z]` with opposite rotations, U differs from the energy of
//! the quasi-symmetric bushing to the second order in the angle only.

pub mod choosing;
mod conservative;
mod constants;
mod deformation;
mod gimbal;
mod linear_roll_pitch_yaw;
mod relative_motion;

pub use conservative::{BushingOrientation, ConservativeBushing};
pub use constants::BushingConstants;
pub use deformation::BushingDeformation;
pub use gimbal::GIMBAL_LOCK_TOLERANCE;
pub use linear_roll_pitch_yaw::LinearBushingRollPitchYaw;
