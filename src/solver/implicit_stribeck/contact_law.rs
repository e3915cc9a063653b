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
//! μ(s) is continuously differentiable. Written as `fₜ = −fₙ h(σ) vₜ`, with
//! `h = μ (2 − s)/v_s` below and `h = μ/σ` above `v_s`, no direction is divided by its length.

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
        let s = slip_speed / self.stiction_tolerance;
        if s.re() < 1.0 {
            self.mu * (-s + 2.0) / self.stiction_tolerance
        } else {
            self.mu / slip_speed
        }
    }

    pub fn force(&self, normal_force: T, vt: [T; 2]) -> [T; 2] {
        let h = self.coefficient(self.slip_speed(vt));
        vt.map(|v| -normal_force * h * v)
    }
}

impl FrictionLaw<f64> {
    /// `h(σ)` and `h′(σ)/σ ≤ 0`, which the Jacobian is made of:
    /// `∂(h vₜ)/∂vₜ = h I + (h′/σ) vₜ vₜᵀ`.
    pub fn coefficient_and_slope(&self, vt: [f64; 2]) -> (f64, f64) {
        let sigma = self.slip_speed(vt);
        let vs = self.stiction_tolerance;
        if sigma < vs {
            (
                self.mu * (2.0 - sigma / vs) / vs,
                -self.mu / (vs * vs * sigma),
            )
        } else {
            (self.mu / sigma, -self.mu / (sigma * sigma * sigma))
        }
    }
}
