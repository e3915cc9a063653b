//! Baumgarte stabilisation of constraints on positions.

use crate::{InvalidInput, Scalar};

/// See [`Baumgarte::recovery`]; in m or rad.
const SMALL: f64 = 1e-3;

/// How an error of a constraint decays: `φ̈ + 2 α φ̇ + β² φ = 0` in place of `φ̈ = 0`, which would let
/// round-off and integration errors grow.
///
/// Baumgarte 1972, *Computer Methods in Applied Mechanics and Engineering* 1(1), 1–16.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baumgarte<T> {
    /// Damping `α` in 1/s, not negative.
    pub alpha: T,
    /// Stiffness `β` in 1/s, not negative.
    pub beta: T,
}

impl<T: Scalar> Baumgarte<T> {
    /// No stabilisation.
    pub fn none() -> Self {
        Baumgarte {
            alpha: T::zero(),
            beta: T::zero(),
        }
    }

    /// Critical damping, `α = β = 1/time_constant`, the time constant in s: ten steps of an
    /// integrator are a usual choice.
    ///
    /// # Errors
    /// [`InvalidInput`] when the time constant is not positive and finite.
    pub fn critical(time_constant: T) -> Result<Self, InvalidInput> {
        InvalidInput::check_range("time constant", &[time_constant], "a positive time", |t| {
            t > 0.0 && t.is_finite()
        })?;
        let rate = time_constant.recip();
        Ok(Baumgarte {
            alpha: rate,
            beta: rate,
        })
    }

    /// Checks both constants.
    pub(super) fn validate(&self) -> Result<(), InvalidInput> {
        InvalidInput::check_range(
            "Baumgarte's alpha and beta",
            &[self.alpha, self.beta],
            "finite and not negative",
            |x| x >= 0.0 && x.is_finite(),
        )
    }

    /// `2 α φ̇ + β² φ`.
    pub(super) fn acceleration(&self, phi: T, rate: T) -> T {
        self.alpha * rate * 2.0 + self.beta * self.beta * phi
    }

    /// The speed that a time step takes back with what is beyond an inequality: small errors [`SMALL`] at once, as `φ/δt`,
    /// what is larger with the decay `d = (1 − exp(−β δt))/δt`; between them, with four continuous derivatives,
    ///
    /// ```text
    /// φ (d + (1/δt − d)/(1 + (φ/s)⁴)^¼)
    /// ```
    pub(crate) fn recovery(&self, phi: T, dt: T) -> T {
        let ratio = phi * (1.0 / SMALL);
        let fourth = ratio * ratio * ratio * ratio + 1.0;
        let slowly = self.velocity(phi, dt);
        slowly + (phi.div_lifted(dt) - slowly).div_lifted(fourth.sqrt_lifted().sqrt_lifted())
    }

    /// The speed `φ (1 − exp(−β δt))/δt` that a time step takes an error back with.
    pub(super) fn velocity(&self, phi: T, dt: T) -> T {
        (phi * (-(-self.beta * dt).exp() + 1.0)).div_lifted(dt)
    }
}
