//! Restitution of an impact, and the dissipation that causes it.
//!
//! Two bodies of reduced mass m that meet at the speed u₀ follow `m ẍ = −k x (1 + d ẋ)` until they
//! part. With the speed `u = ẋ` as a function of the penetration this is
//! `u du/(1 + d u) = −(k/m) x dx`, of which both sides integrate in closed form. Contact begins and
//! ends at x = 0, with u₀ and −e u₀, so that, with `w = d u₀` and `φ(z) = z − ln(1 + z)`,
//!
//! ```text
//! φ(w) = φ(−e w)
//! ```
//!
//! (Marhefka & Orin 1999, *IEEE Transactions on Systems, Man, and Cybernetics A* 29(6), 566–572).
//! Neither mass nor stiffness matter. Slow impacts restore `e ≈ 1 − ⅔ d u₀` (Hunt & Crossley's own
//! approximation), fast ones `e → 1/(d u₀)`, since bodies part no faster than at 1/d.

use super::material::ContactMaterial;
use crate::{InvalidInput, Scalar};
use num_dual::Dual64;

/// Below this `w` the series of `e(w)` is exact to round-off.
const SERIES: f64 = 1e-3;

/// Halvings of a bracket, and iterations of Newton's method, that reach round-off.
const ITERATIONS: usize = 200;

impl<T: Scalar> ContactMaterial<T> {
    /// The coefficient of restitution e of a central impact at the speed `impact_speed` in m/s: the
    /// bodies part at e times the speed at which they met, if nothing else acts on them. It is the
    /// constant of the material if that has one, or else follows from its dissipation.
    ///
    /// It belongs to a [pair](Self::combined), or a surface that meets a rigid one. A simulation with compliant contact
    /// has that of the dissipation in the limit of time steps that are short beside the duration of the impact,
    /// `π √(m/k)` without dissipation.
    ///
    /// # Errors
    /// [`InvalidInput`] unless the speed is finite and not negative, the dissipation valid, and their product finite.
    #[inline(never)]
    pub fn restitution_at(&self, impact_speed: T) -> Result<T, InvalidInput> {
        let not_negative = |x: f64| x >= 0.0 && x.is_finite();
        let words = "a finite number, not negative";
        InvalidInput::check_range("impact speed", &[impact_speed], words, not_negative)?;
        if let Some(restitution) = self.restitution {
            return Ok(restitution);
        }
        InvalidInput::check_range("dissipation", &[self.dissipation], words, not_negative)?;
        let product = self.dissipation * impact_speed;
        InvalidInput::check_finite("dissipation times impact speed", &[product])?;
        Ok(restitution(product))
    }

    /// The dissipation in s/m with which an impact at the speed `impact_speed` in m/s has the
    /// coefficient of restitution `restitution`.
    ///
    /// ```
    /// use dualbody::contact::ContactMaterial;
    ///
    /// // Dropped from half a metre, a ball is to return to a quarter of it: e = √½ at √(2 g h).
    /// let speed = (2.0 * 9.81 * 0.5f64).sqrt();
    /// let dissipation = ContactMaterial::dissipation_of(0.5f64.sqrt(), speed)?;
    /// let ball = ContactMaterial::new(1e5, dissipation, 0.5)?;
    /// assert!((ball.restitution_at(speed)? - 0.5f64.sqrt()).abs() < 1e-14);
    /// // Slower impacts restore more.
    /// assert!(ball.restitution_at(0.1 * speed)? > 0.95);
    /// # Ok::<(), dualbody::InvalidInput>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`] unless `restitution` is in (0, 1] and the speed positive and finite. Hunt and
    /// Crossley's law has no impact without any restitution.
    #[inline(never)]
    pub fn dissipation_of(restitution: T, impact_speed: T) -> Result<T, InvalidInput> {
        InvalidInput::check_range("restitution", &[restitution], "in (0, 1]", |e| {
            e > 0.0 && e <= 1.0
        })?;
        let words = "a positive finite speed";
        InvalidInput::check_range("impact speed", &[impact_speed], words, |u| {
            u > 0.0 && u.is_finite()
        })?;
        let dissipation = dissipation_times_speed(restitution).div_lifted(impact_speed);
        InvalidInput::check_finite("dissipation", &[dissipation])?;
        Ok(dissipation)
    }
}

/// The coefficient of restitution at `w = d u₀`.
fn restitution<T: Scalar>(w: T) -> T {
    if w.re() < SERIES {
        let series = [104.0 / 405.0, -44.0 / 135.0, 4.0 / 9.0, -2.0 / 3.0];
        let sum = series.iter().fold(T::zero(), |sum, &c| (sum + c) * w);
        return sum + 1.0;
    }
    let level = phi(w);
    let y = parting(level.re());
    // With −φ′(−y) = y/(1 − y), once for every order of derivatives.
    let slope = y / (1.0 - y);
    let mut lifted = T::from(y);
    for _ in 0..T::NDERIV {
        lifted = (lifted - (phi(-lifted) - level) / slope).with_real(y);
    }
    lifted.div_lifted(w)
}

/// The inverse of [`restitution`].
fn dissipation_times_speed<T: Scalar>(e: T) -> T {
    let (mut low, mut high) = (0.0, 1.0 / e.re());
    if e.re() == 1.0 {
        high = 0.0;
    }
    for _ in 0..ITERATIONS {
        let middle = 0.5 * (low + high);
        if restitution(middle) > e.re() {
            low = middle;
        } else {
            high = middle;
        }
    }
    let w = high;
    let slope = restitution(Dual64::from(w).derivative()).eps;
    let mut lifted = T::from(w);
    for _ in 0..T::NDERIV {
        lifted = (lifted - (restitution(lifted) - e) / slope).with_real(w);
    }
    lifted
}

/// The root y in [0, 1) of `φ(−y) = c`, for c ≥ 0.
///
/// φ(−y) is convex and grows, and `1 − e^(−1−c)` is not below the root: Newton's method descends.
fn parting(c: f64) -> f64 {
    let mut y = -(-1.0 - c).exp_m1();
    for _ in 0..ITERATIONS {
        let next = y - (phi(-y) - c) * (1.0 - y) / y;
        if !(next < y && next > 0.0) {
            break;
        }
        y = next;
    }
    y
}

/// `φ(z) = z − ln(1 + z)`, without cancellation.
fn phi<T: Scalar>(z: T) -> T {
    let x = z.re();
    let value = if x.abs() < 0.05 {
        // x²/2 − x³/3 + …
        (2..16)
            .rev()
            .fold(0.0, |sum, n| 1.0 / f64::from(n) - x * sum)
            * x
            * x
    } else {
        x - x.ln_1p()
    };
    let inverse = 1.0 / (1.0 + x);
    z.lift([
        value,
        x * inverse,
        inverse * inverse,
        -2.0 * inverse * inverse * inverse,
    ])
}
