//! The force of one contact point: Hunt–Crossley normal force and regularised Coulomb friction.

use super::point_contact::PointContact;
use crate::Scalar;
use crate::math::{SpatialForce, SpatialVelocity};
use nalgebra::Vector3;

/// How the contact law is evaluated: at which end of which step, and how friction is regularised.
///
/// The law itself is stated in the [module](super); [`PointContact::force`] evaluates it.
#[doc(alias = "Hunt-Crossley")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactForceLaw<T> {
    /// Length δt in s of the step at whose end the penetration counts; with zero the law is that of
    /// the instant.
    pub time_step: T,
    /// Slip speed v_s in m/s at which friction reaches μ fₙ; positive.
    pub stiction_tolerance: T,
    /// Softening ε of the slip speed, in m/s; not negative, and positive for a law that is smooth at
    /// rest.
    pub softening: T,
}

impl<T: Scalar> PointContact<T> {
    /// The force on A at C in the contact frame, in N, at the velocity of A relative to B at C in that
    /// frame (see [`PointContact::relative_velocity`]).
    ///
    /// With `v = [vₜ; vₙ]`, the penetration `x₀` of the point, its stiffness k, dissipation d and
    /// friction μ (`y₊ = max(y, 0)`)
    ///
    /// ```text
    /// fₙ = k (1 − d vₙ)₊ (x₀ − δt vₙ)₊
    /// fₜ = −μ(s) fₙ vₜ/σ,   σ² = ‖vₜ‖² + ε²,   s = σ/v_s,   μ(s) = μ s (2 − s) for s < 1, μ above
    /// ```
    ///
    /// by Hunt & Crossley (1975, *Journal of Applied Mechanics* 42(2), 440–445) along the normal, where μ
    /// may fall with σ ([`ContactMaterial::with_static_friction`](super::ContactMaterial::with_static_friction)). Where
    /// a factor of fₙ is zero, the force and its derivatives are.
    ///
    /// ```
    /// # use dualbody::contact::{ContactForceLaw, ContactMaterial, PointContact};
    /// # use dualbody::tree::BodyIndex;
    /// # use nalgebra::{Matrix3, Vector3};
    /// # let point = PointContact {
    /// #     body_a: BodyIndex::new(1),
    /// #     body_b: BodyIndex::WORLD,
    /// #     position: Vector3::zeros(),
    /// #     rotation: Matrix3::identity(),
    /// #     penetration: 1e-3,
    /// #     material: ContactMaterial::new(1e4, 0.5, 0.4)?,
    /// # };
    /// // 1 mm deep with 10⁴ N/m, s/m 0.5 and μ 0.4; it slides along x and parts at 0.2 m/s.
    /// let law = ContactForceLaw { time_step: 1e-3, stiction_tolerance: 1e-3, softening: 1e-5 };
    /// let force: Vector3<f64> = point.force(&law, &Vector3::new(1.0, 0.0, 0.2));
    /// assert!((force.z - 1e4 * 0.9 * 0.8e-3).abs() < 1e-12);
    /// assert!((force.x + 0.4 * force.z).abs() < 1e-9);
    /// # Ok::<(), dualbody::InvalidInput>(())
    /// ```
    pub fn force(&self, law: &ContactForceLaw<T>, velocity: &Vector3<T>) -> Vector3<T> {
        let normal = (self.material)
            .normal_law(self.penetration)
            .force(law.time_step, velocity.z);
        let [t1, t2] = (self.material)
            .friction_law(law.stiction_tolerance, law.softening)
            .force(normal, [velocity.x, velocity.y]);
        Vector3::new(t1, t2, normal)
    }

    /// The torque and the force on A at C in the contact frame, at a motion of A relative to B at C in that frame:
    /// [`Self::force`], and torsional and rolling friction against the angular velocity, in N m, where the
    /// [material](super::ContactMaterial::rotational) has them.
    pub fn wrench(&self, law: &ContactForceLaw<T>, motion: &SpatialVelocity<T>) -> SpatialForce<T> {
        let force = self.force(law, &motion.linear);
        let torque = match &self.material.rotational {
            Some(friction) => friction.torque(law, force.z, &motion.angular),
            None => Vector3::zeros(),
        };
        SpatialForce::new(torque, force)
    }
}
