//! The force of one contact point as a function of its velocity.
//!
//! # Normal force
//! Linear stiffness with the dissipation of Hunt and Crossley (1975, *Journal of Applied Mechanics*
//! 42(2), 440–445), on the penetration at the end of the step, `x = x₀ − δt vₙ`:
//!
//! ```text
//! fₙ(vₙ) = k (1 − d vₙ)₊ (x₀ − δt vₙ)₊
//! ```
//!
//! # Friction
//! Coulomb's law with the jump at zero slip replaced by a steep ramp. With the soft norm
//! `σ = √(‖vₜ‖² + ε²)` and `s = σ/v_s`,
//!
//! ```text
//! fₜ = −μ(s) fₙ vₜ/σ,     μ(s) = μ s (2 − s) for s < 1, μ from there on
//! ```
//!
//! μ(s) is continuously differentiable. Written as `fₜ = −fₙ h(σ) vₜ`, with `h = μ g(σ)`,
//! `g = (2 − s)/v_s` below and `g = 1/σ` above `v_s`, no direction is divided by its length. μ may itself
//! fall with σ, along a [curve](super::stribeck_curve).

use super::stribeck_curve::StribeckCurve;
use crate::Scalar;

/// `fₙ = k (1 − d vₙ)₊ (x₀ − δt vₙ)₊`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NormalLaw<T> {
    pub x0: T,
    pub stiffness: T,
    pub dissipation: T,
}

/// `fₜ = −fₙ h(σ) vₜ`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrictionLaw<T> {
    pub mu: T,
    /// How μ, then that of fast sliding, depends on the slip speed.
    pub stribeck: Option<StribeckCurve<T>>,
    pub stiction_tolerance: T,
    /// ε, the softening of the norm.
    pub softening: T,
}

impl<T: Scalar> NormalLaw<T> {
    /// The two factors `1 − d vₙ` and `x₀ − δt vₙ`; the force is zero unless both are positive.
    pub fn factors(&self, dt: T, vn: T) -> (T, T) {
        (-self.dissipation * vn + 1.0, self.x0 - dt * vn)
    }

    pub fn force(&self, dt: T, vn: T) -> T {
        let (damping, penetration) = self.factors(dt, vn);
        if damping.re() > 0.0 && penetration.re() > 0.0 {
            self.stiffness * damping * penetration
        } else {
            T::zero()
        }
    }
}

impl NormalLaw<f64> {
    /// The force and its slope `∂fₙ/∂vₙ ≤ 0`.
    pub fn force_and_slope(&self, dt: f64, vn: f64) -> (f64, f64) {
        let (damping, penetration) = self.factors(dt, vn);
        if damping > 0.0 && penetration > 0.0 {
            (
                self.stiffness * damping * penetration,
                -self.stiffness * (self.dissipation * penetration + dt * damping),
            )
        } else {
            (0.0, 0.0)
        }
    }
}

impl<T: Scalar> FrictionLaw<T> {
    /// σ, the softened slip speed.
    pub fn slip_speed(&self, vt: [T; 2]) -> T {
        T::soft_norm(&vt, self.softening)
    }

    /// `h(σ)`, the friction force per unit of normal force and of tangential velocity.
    pub fn coefficient(&self, slip_speed: T) -> T {
        let mu = match &self.stribeck {
            Some(curve) => curve.coefficient(self.mu, slip_speed * slip_speed),
            None => self.mu,
        };
        let s = slip_speed.div_lifted(self.stiction_tolerance);
        if s.re() < 1.0 {
            (mu * (-s + 2.0)).div_lifted(self.stiction_tolerance)
        } else {
            mu.div_lifted(slip_speed)
        }
    }

    pub fn force(&self, normal_force: T, vt: [T; 2]) -> [T; 2] {
        let h = self.coefficient(self.slip_speed(vt));
        vt.map(|v| -normal_force * h * v)
    }
}

impl FrictionLaw<f64> {
    /// `h(σ)` and `h′(σ)/σ`, which the Jacobian is made of:
    /// `∂(h vₜ)/∂vₜ = h I + (h′/σ) vₜ vₜᵀ`.
    pub fn coefficient_and_slope(&self, vt: [f64; 2]) -> (f64, f64) {
        let sigma = self.slip_speed(vt);
        match &self.stribeck {
            Some(curve) => {
                let square = sigma * sigma;
                let (h, slope) = self.ramp(curve.coefficient(self.mu, square), sigma);
                let excess = curve.static_friction - self.mu;
                // μ′/σ.
                let falling = -2.0 * excess * curve.steepness(square);
                (h, slope + self.ramp(falling, sigma).0)
            }
            None => self.ramp(self.mu, sigma),
        }
    }

    /// `μ g(σ)` and `μ g′(σ)/σ`.
    fn ramp(&self, mu: f64, sigma: f64) -> (f64, f64) {
        let vs = self.stiction_tolerance;
        if sigma < vs {
            (mu * (2.0 - sigma / vs) / vs, -mu / (vs * vs * sigma))
        } else {
            (mu / sigma, -mu / (sigma * sigma * sigma))
        }
    }

    /// `∂h` with respect to μ, the static friction, v_S, and the stiction tolerance, with the softening
    /// `ε = relative_tolerance · v_s`.
    pub fn parameter_slopes(&self, vt: [f64; 2], relative_tolerance: f64) -> [f64; 4] {
        let (sigma, vs) = (self.slip_speed(vt), self.stiction_tolerance);
        let (g, _) = self.ramp(1.0, sigma);
        let sigma_slope = self.softening * relative_tolerance / sigma;
        let ramp_slope = if sigma < vs {
            (-2.0 + 2.0 * sigma / vs - sigma_slope) / (vs * vs)
        } else {
            -sigma_slope / (sigma * sigma)
        };
        let Some(curve) = &self.stribeck else {
            return [g, 0.0, 0.0, self.mu * ramp_slope];
        };
        let square = sigma * sigma;
        let (share, excess) = (curve.share(square), curve.static_friction - self.mu);
        let falling = 2.0 * excess * curve.steepness(square);
        [
            g * (1.0 - share),
            g * share,
            g * falling * square / curve.velocity,
            curve.coefficient(self.mu, square) * ramp_slope - falling * sigma * sigma_slope * g,
        ]
    }
}
