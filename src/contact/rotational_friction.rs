//! Torsional and rolling friction.
//!
//! A contact that a point stands for is a patch. Where its pressure is spread, it resists being turned about the
//! normal, and where the surfaces lose energy as they give way, being rolled. With the angular velocity ω of A
//! relative to B, `ωₙ` about the normal n̂ and `ωₜ` about the tangents, the torque on A is
//!
//! ```text
//! τ = −fₙ (h_t(σ_t) ωₙ n̂ + h_r(σ_r) ωₜ),    σ_t² = ωₙ² + ε²,   σ_r² = ‖ωₜ‖² + ε²
//! ```
//!
//! `h` is that of slip: `μ (2 − s)/ω_s` with `s = σ/ω_s` below 1, and `μ/σ` above, so that a contact that turns
//! transmits the torque `μ fₙ`, against the motion, and dissipates `fₙ (h_t ωₙ² + h_r ‖ωₜ‖²) ≥ 0`. The coefficients
//! are lengths: `μ_r` is the arm by which the normal force is ahead of the point, `μ_t` the coefficient of friction
//! times the mean distance at which it acts, two thirds of the radius for a disc that presses evenly.
//!
//! The tolerance `ω_s` is the stiction tolerance over a length of 1 m: as many rad/s as that has m/s, and ε likewise. A
//! size of the bodies in its place would be one more constant, and which of the two bodies has it is not known to a
//! contact; 10⁻⁴ rad/s is slow for a marble and for a wheel.
//!
//! To the solver such a torque is the friction of a contact whose tangential velocities are angular ones, under the
//! normal force of another contact
//! ([`with_friction_only`](crate::solver::implicit_stribeck::TwoWayCoupledProblem::with_friction_only)): under given
//! normal forces it has a convex potential, as slip has, and every strategy of the solver holds. A coefficient of
//! zero adds no rows.

use super::force_law::ContactForceLaw;
use super::friction_rule::FrictionRule;
use super::material::ContactMaterial;
use crate::parameter::Parameter;
use crate::solver::implicit_stribeck::FrictionLaw;
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::fmt;

/// The largest arm in m.
const LARGEST: f64 = 1e3;

/// Coefficients of friction against spinning and rolling, in m: the torque of a contact that turns, per unit of
/// normal force.
///
/// ```
/// use dualbody::contact::{ContactMaterial, RotationalFriction};
///
/// let felt = ContactMaterial::new(1e5, 0.1, 0.5)?.with_rotational_friction(2e-3, 5e-4)?; // m
/// assert_eq!(felt.rotational, Some(RotationalFriction { torsional: 2e-3, rolling: 5e-4 }));
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct RotationalFriction<T> {
    /// `μ_t` in m, against turning about the normal.
    pub torsional: T,
    /// `μ_r` in m, against turning about the tangents.
    pub rolling: T,
}

impl<T: Scalar> RotationalFriction<T> {
    /// Checks the values.
    ///
    /// # Errors
    /// [`InvalidInput`] unless both are from 0 to 10³ m: with longer arms the torques of a contact leave nothing of its forces
    /// in 64 bits.
    pub fn validate(&self) -> Result<(), InvalidInput> {
        let expected = "a length from 0 to 1000 m";
        for (quantity, value) in [
            ("torsional friction", self.torsional),
            ("rolling friction", self.rolling),
        ] {
            InvalidInput::check_range(quantity, &[value], expected, |x| {
                (0.0..=LARGEST).contains(&x)
            })?;
        }
        Ok(())
    }

    /// The same coefficients in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> RotationalFriction<U> {
        RotationalFriction {
            torsional: U::from(self.torsional.re()),
            rolling: U::from(self.rolling.re()),
        }
    }

    /// The coefficients of a contact between two surfaces; one that has none leaves them to the other.
    ///
    /// Lengths have no product: where coefficients of friction are multiplied, each length is multiplied by the
    /// coefficient of the other surface, and both are added.
    pub(super) fn combined(
        [a, b]: [&ContactMaterial<T>; 2],
        rule: FrictionRule,
    ) -> Option<RotationalFriction<T>> {
        let (Some(of_a), Some(of_b)) = (a.rotational, b.rotational) else {
            return a.rotational.or(b.rotational);
        };
        let combine = |x: T, y: T| match rule {
            FrictionRule::Product => x * b.friction + y * a.friction,
            _ => rule.combine(x, y),
        };
        Some(RotationalFriction {
            torsional: combine(of_a.torsional, of_b.torsional),
            rolling: combine(of_a.rolling, of_b.rolling),
        })
    }

    /// Calls `visit` with `{prefix}/torsional_friction` and `{prefix}/rolling_friction`.
    pub(super) fn visit_parameters(
        &mut self,
        prefix: &impl fmt::Display,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        for (name, value) in [
            ("torsional_friction", &mut self.torsional),
            ("rolling_friction", &mut self.rolling),
        ] {
            visit(Parameter {
                name: format_args!("{prefix}/{name}"),
                unit: "m",
                lower: 0.0,
                upper: LARGEST,
                value,
            });
        }
    }

    /// The laws of torsional and of rolling friction.
    fn laws(&self, law: &ContactForceLaw<T>) -> [FrictionLaw<T>; 2] {
        [self.torsional, self.rolling].map(|mu| FrictionLaw {
            mu,
            stribeck: None,
            stiction_tolerance: law.stiction_tolerance,
            softening: law.softening,
        })
    }

    /// The torque on A under a normal force, at an angular velocity of A relative to B; both in the contact frame.
    pub(super) fn torque(
        &self,
        law: &ContactForceLaw<T>,
        normal_force: T,
        angular: &Vector3<T>,
    ) -> Vector3<T> {
        let [torsional, rolling] = self.laws(law);
        let [t1, t2] = rolling.force(normal_force, [angular.x, angular.y]);
        let [n, _] = torsional.force(normal_force, [angular.z, T::zero()]);
        Vector3::new(t1, t2, n)
    }
}

/// `m = h_t ωₙ n̂ + h_r ωₜ`, the torque against a unit of normal force, and its derivatives.
pub(super) struct Resistance {
    pub torque: Vector3<f64>,
    /// `∂m/∂ω`.
    pub by_angular: Matrix3<f64>,
    /// `∂m/∂n̂`.
    pub by_normal: Matrix3<f64>,
}

impl RotationalFriction<f64> {
    /// At the angular velocity ω and the normal n̂, in W. With `a = h_t + (h_t′/σ) ωₙ²` and `P = I − n̂ n̂ᵀ`,
    ///
    /// ```text
    /// ∂m/∂ω = a n̂ n̂ᵀ + h_r P + (h_r′/σ) ωₜ ωₜᵀ
    /// ∂m/∂n̂ = (a − h_r) n̂ ωᵀ + (h_t − h_r) ωₙ I − (h_r′/σ) ωₙ ωₜ ωₜᵀ
    /// ```
    pub(super) fn resistance(
        &self,
        law: &ContactForceLaw<f64>,
        angular: &Vector3<f64>,
        normal: &Vector3<f64>,
    ) -> Resistance {
        let spin = normal.dot(angular);
        let roll = angular - normal * spin;
        let [torsional, rolling] = self.laws(law);
        let (h_t, slope_t) = torsional.coefficient_and_slope([spin, 0.0]);
        let (h_r, slope_r) = rolling.coefficient_and_slope([roll.norm(), 0.0]);
        let along = h_t + slope_t * spin * spin;
        let directed = roll * roll.transpose() * slope_r;
        let isotropic = Matrix3::from_diagonal_element;
        Resistance {
            torque: normal * (h_t * spin) + roll * h_r,
            by_angular: normal * normal.transpose() * (along - h_r) + isotropic(h_r) + directed,
            by_normal: normal * angular.transpose() * (along - h_r) + isotropic((h_t - h_r) * spin)
                - directed * spin,
        }
    }
}
