//! Stribeck curve: the coefficient of friction falls with the slip speed.
//!
//! Between the static coefficient μ_s at rest and the dynamic one μ_d of fast sliding lies the curve of
//! Hess & Soom (1990, *Journal of Tribology* 112(1), 147–152),
//!
//! ```text
//! μ(σ) = μ_d + (μ_s − μ_d) q,     q = v_S²/(v_S² + σ²)
//! ```
//!
//! half way between the two at the slip speed `σ = v_S`. It is rational, so that it has derivatives of all
//! orders at every speed, and flattens as `1/σ²`, so that data at all speeds say something of v_S.
//! `∂q/∂σ = −2 σ p` and `∂q/∂v_S = 2 σ² p/v_S` with `p = q²/v_S² = (v_S/(v_S² + σ²))²`.

use crate::{InvalidInput, Scalar};
use std::ops::RangeInclusive;

/// The largest constant of a law of contact: what two of them combine to is finite.
pub(crate) const LARGEST_CONSTANT: f64 = 1e100;

/// A coefficient of friction at rest that differs from that of sliding, and where the one becomes the other.
///
/// With the coefficient μ_d of sliding, that at the slip speed σ is
/// `μ_d + (μ_s − μ_d) v_S²/(v_S² + σ²)` (Hess & Soom 1990, *Journal of Tribology* 112(1), 147–152).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct StribeckCurve<T> {
    /// Coefficient of static friction μ_s; below that of sliding, friction grows with speed.
    pub static_friction: T,
    /// Slip speed `v_S` in m/s at which the coefficient is half way between the two.
    pub velocity: T,
}

impl<T> StribeckCurve<T> {
    /// Velocities whose squares are far from overflow, in m/s.
    pub(crate) const VELOCITIES: RangeInclusive<f64> = 1e-100..=1e100;
}

impl<T: Scalar> StribeckCurve<T> {
    /// Checks the values.
    ///
    /// # Errors
    /// [`InvalidInput`] unless the coefficient is from 0 to 10¹⁰⁰, and the velocity from 10⁻¹⁰⁰ to 10¹⁰⁰ m/s.
    pub fn validate(&self) -> Result<(), InvalidInput> {
        let StribeckCurve {
            static_friction,
            velocity,
        } = self;
        InvalidInput::check_range(
            "static friction",
            &[*static_friction],
            "a number from 0 to 1e100",
            |x| (0.0..=LARGEST_CONSTANT).contains(&x),
        )?;
        InvalidInput::check_range(
            "Stribeck velocity",
            &[*velocity],
            "a positive speed from 1e-100 to 1e100 m/s",
            |x| Self::VELOCITIES.contains(&x),
        )
    }

    /// The same curve in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> StribeckCurve<U> {
        StribeckCurve {
            static_friction: U::from(self.static_friction.re()),
            velocity: U::from(self.velocity.re()),
        }
    }

    /// q, the share of static friction, at the square of a slip speed.
    pub(super) fn share(&self, slip_squared: T) -> T {
        let square = self.velocity * self.velocity;
        square.div_lifted(square + slip_squared)
    }

    /// The coefficient, with that of fast sliding, at the square of a slip speed.
    pub(crate) fn coefficient(&self, dynamic_friction: T, slip_squared: T) -> T {
        let excess = self.static_friction - dynamic_friction;
        dynamic_friction + excess * self.share(slip_squared)
    }
}

impl StribeckCurve<f64> {
    /// p.
    pub(super) fn steepness(&self, slip_squared: f64) -> f64 {
        (self.velocity / (self.velocity * self.velocity + slip_squared)).powi(2)
    }
}
