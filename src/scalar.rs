//! The number type that everything is generic over, and the functions that are safe on it.
//!
//! # Why not just call `sqrt`
//! Dual numbers carry `(f, f′, f″, …)` through arithmetic. Some elementary functions lose that
//! information, or the value itself, exactly where mechanics uses them: `atan2(1, 0)` has a NaN
//! derivative, `tanh(800)` a NaN value, the norm of a zero vector a NaN derivative, `49/49` is not
//! 1, `floor` panics. The methods of [`Scalar`] that end in `_lifted` compute the value in `f64`
//! and the derivatives from the `f64` derivatives of the function, so that
//!
//! - the real part has the bits of the `f64` computation, whatever the scalar, and a program takes
//!   the same branches with duals as with `f64`;
//! - derivatives are finite wherever the function is differentiable, and follow a stated rule
//!   where it is not.
//!
//! # Rules at points without a derivative
//! - *Kinks* (`abs` at 0, `max`, `min` at a tie, `clamp` at a bound): the mean of the two one-sided
//!   derivatives, which is what central differences converge to.
//! - *Ends of the domain with an infinite slope* (`sqrt` at 0, a power with a fractional exponent at
//!   0): the function is continued by its value there; terms of the Taylor polynomial that would
//!   be infinite are dropped.
//! - *Undefined directions* (`atan2(0, 0)`, the norm of zeros): derivative zero.
//! - *Derivatives that `f64` cannot hold*, near such points: a term of the Taylor polynomial with a
//!   coefficient above 1e292 is dropped like an infinite one. The third derivative of a norm is
//!   dropped below 1e-146, that of an angle below 1e-97; first derivatives down to 1e-292 are exact.
//!
//! # What stays as it is in num-dual
//! Functions without the ending compute in duals throughout. `exp`, `sin`, `cos`, `sinh`, `cosh` are
//! right wherever value and derivatives are finite. Outside, a derivative may be NaN while the value
//! is what `f64` says:
//!
//! | expression | value | derivatives |
//! |---|---|---|
//! | `ln(0)`, `log2(0)`, `log10(0)` | −∞ | infinite or NaN |
//! | `exp(1e200)` | ∞ | infinite or NaN |
//! | `recip(0)`, `x / 0` | ±∞ or NaN | infinite or NaN |
//! | `asin(±1)`, `acos(±1)`, `acosh(1)`, `atanh(±1)` | as `f64` | infinite or NaN |
//! | `atan(1e200)`, and others in which powers of the argument overflow | right | 0 or NaN |
//! | any function of NaN or an infinity | as `f64` | 0, infinite or NaN |
//!
//! Whoever calls one keeps its argument away from there, or applies it by [`Scalar::lift`] with the
//! derivatives that are meant.
//!
//! # How
//! A dual number is `x = re + h` with a nilpotent `h`, so the Taylor polynomial
//! `f(re) + f′(re) h + ½ f″(re) h² + ⅙ f‴(re) h³` is exact up to the third order, the highest that
//! the supported types carry ([`Scalar::lift`]).

use nalgebra::RealField;
use num_dual::DualNum;

/// A real number or a dual number over `f64`.
///
/// Implemented for every type that has the arithmetic: `f64`, `Dual64`, `DualSVec64<N>`,
/// `Dual2_64`, `Dual2SVec64<N>`, `Dual3_64`, `HyperDual64`, `HyperDualSVec64<M, N>` and
/// `HyperHyperDual64` of [`num_dual`]. Comparison operators (`<`, `==`) look at real parts only.
///
/// ```
/// use dualbody::Scalar;
/// use num_dual::Dual64;
///
/// fn polar_angle<T: Scalar>(x: T, y: T) -> T {
///     y.atan2_lifted(x)
/// }
/// let y = polar_angle(Dual64::from(0.0).derivative(), Dual64::from(2.0));
/// assert_eq!(y.re, std::f64::consts::FRAC_PI_2);
/// assert_eq!(y.eps, -0.5); // ∂/∂x atan2(y, x) = −y / (x² + y²)
/// ```
pub trait Scalar: RealField + DualNum<Primitive = f64> + Copy {
    /// The infinitesimal part `self − re(self)`, with real part `+0`; needs a finite real part.
    fn infinitesimal(self) -> Self {
        self - Self::from(self.re())
    }

    /// The infinitesimal part of `self` on the real part `re`, which is kept bit for bit.
    ///
    /// This is how a derivative is attached to a value that `f64` has already decided. Needs a
    /// finite real part of `self`.
    fn with_real(self, re: f64) -> Self {
        if Self::NDERIV == 0 {
            return Self::from(re);
        }
        // re − (+0) keeps the sign of a zero, which re + (+0) would not.
        Self::from(re) - (Self::from(self.re()) - self)
    }

    /// Applies a function from its derivatives `[f, f′, f″, f‴]` at `re(self)`.
    ///
    /// The value is `derivatives[0]` bit for bit; derivatives are exact up to the order that the
    /// type carries, at most 3. Derivatives up to that order must be finite.
    ///
    /// ```
    /// use dualbody::Scalar;
    /// use num_dual::Dual3_64;
    /// let x = Dual3_64::from(0.5).derivative();
    /// let e = 0.5f64.exp();
    /// let y = x.lift([e; 4]);
    /// assert_eq!((y.re, y.v1, y.v2, y.v3), (e, e, e, e));
    /// ```
    fn lift(self, derivatives: [f64; 4]) -> Self {
        let [f0, f1, f2, f3] = derivatives;
        let h = self.infinitesimal();
        let taylor = match Self::NDERIV {
            0 => return Self::from(f0),
            1 => h * f1,
            2 => h * (h * (0.5 * f2) + f1),
            _ => h * (h * (h * (f3 / 6.0) + 0.5 * f2) + f1),
        };
        taylor.with_real(f0)
    }

    /// `self / divisor` with the value of the `f64` division; a quotient that is not finite is a
    /// constant.
    ///
    /// With `a/b = q`, `a/b − q = (a − q b)/b` holds for the infinitesimal parts too.
    fn div_lifted(self, divisor: Self) -> Self {
        let b = divisor.re();
        let q = self.re() / b;
        if Self::NDERIV == 0 || !q.is_finite() || !b.is_finite() {
            return Self::from(q);
        }
        let [c1, c2, c3] = reciprocal_powers(b);
        let e = divisor.infinitesimal();
        // 1/(b + e) = 1/b − e/b² + e²/b³.
        let reciprocal = match Self::NDERIV {
            1 => Self::from(c1),
            2 => -e * c2 + c1,
            _ => e * (e * c3 - c2) + c1,
        };
        ((self - divisor * q).infinitesimal() * reciprocal).with_real(q)
    }

    /// `√self`; at 0 the constant 0.
    fn sqrt_lifted(self) -> Self {
        let x = self.re();
        let s = x.sqrt();
        if x == 0.0 {
            return Self::from(s);
        }
        let higher = [0.5 / s, -0.25 / s / x, 0.375 / s / x / x].map(representable);
        self.lift([s, higher[0], higher[1], higher[2]])
    }

    /// `self^exponent`; terms that are infinite at 0 are dropped.
    fn powf_lifted(self, exponent: f64) -> Self {
        let x = self.re();
        let f = |order| power_derivative(x, exponent, order, 0);
        self.lift([x.powf(exponent), f(1), f(2), f(3)])
    }

    /// `self^exponent` for an exponent with derivatives; terms that are infinite at 0 are dropped.
    ///
    /// At the base 0 the derivatives are the limits from above where these are finite: `∂/∂y x^y = 0`
    /// for `y > 0`, and `∂²/∂x² x^y = 2` for `y = 2`. For a negative base, where the power exists for
    /// integers only, it is that of a constant exponent.
    ///
    /// ```
    /// use dualbody::Scalar;
    /// use num_dual::Dual64;
    ///
    /// let y = Dual64::from(3.0).derivative();
    /// let power = Dual64::from(2.0).pow_lifted(y);
    /// assert_eq!((power.re, power.eps), (8.0, 8.0 * 2f64.ln()));
    /// assert_eq!(Dual64::from(0.0).pow_lifted(y).eps, 0.0);
    /// ```
    fn pow_lifted(self, exponent: Self) -> Self {
        let (x, y) = (self.re(), exponent.re());
        let value = x.powf(y);
        if Self::NDERIV == 0 || !(x.is_finite() && y.is_finite()) {
            return Self::from(value);
        }
        let (h, k) = (self.infinitesimal(), exponent.infinitesimal());
        let f = |i, j| power_derivative(x, y, i, j);
        let mut taylor = h * f(1, 0) + k * f(0, 1);
        if Self::NDERIV > 1 {
            taylor += h * (h * (0.5 * f(2, 0)) + k * f(1, 1)) + k * k * (0.5 * f(0, 2));
        }
        if Self::NDERIV > 2 {
            taylor += h * h * (h * (f(3, 0) / 6.0) + k * (0.5 * f(2, 1)))
                + k * k * (h * (0.5 * f(1, 2)) + k * (f(0, 3) / 6.0));
        }
        taylor.with_real(value)
    }

    /// `tanh(self)`, saturating like the `f64` function.
    fn tanh_lifted(self) -> Self {
        let t = self.re().tanh();
        let slope = self.re().cosh().recip().powi(2);
        self.lift([t, slope, -2.0 * t * slope, slope * (6.0 * t * t - 2.0)])
    }

    /// The angle of the point `(x, self)`, in (−π, π]; at the origin a constant.
    ///
    /// With the angle θ of the real parts, the point turned back by θ lies on the positive x axis at
    /// `(r + t, s)` with infinitesimal `t` and `s`, where the angle is
    /// `s/r − s t/r² + (s t² − s³/3)/r³` up to the third order.
    fn atan2_lifted(self, x: Self) -> Self {
        let (y0, x0) = (self.re(), x.re());
        let theta = y0.atan2(x0);
        let radius = x0.hypot(y0);
        if Self::NDERIV == 0 || radius == 0.0 || !radius.is_finite() {
            return Self::from(theta);
        }
        let (sin, cos) = (y0 / radius, x0 / radius);
        let (dx, dy) = (x.infinitesimal(), self.infinitesimal());
        let (t, s) = (dx * cos + dy * sin, dy * cos - dx * sin);
        let [c1, c2, c3] = reciprocal_powers(radius);
        let turned = match Self::NDERIV {
            1 => s * c1,
            2 => s * (-t * c2 + c1),
            _ => s * ((t * t - s * s / 3.0) * c3 - t * c2 + c1),
        };
        turned.with_real(theta)
    }

    /// `|self|`; at 0 the mean of both branches, which is 0.
    fn abs_lifted(self) -> Self {
        let x = self.re();
        self.lift([x.abs(), sign_or_zero(x), 0.0, 0.0])
    }

    /// The larger of two numbers by real parts, ignoring NaN; at a tie the mean of both.
    fn max_lifted(self, other: Self) -> Self {
        let (a, b) = (self.re(), other.re());
        if a > b || b.is_nan() {
            self
        } else if b > a || a.is_nan() {
            other
        } else {
            ((self + other) * 0.5).with_real(a.max(b))
        }
    }

    /// The smaller of two numbers by real parts, ignoring NaN; at a tie the mean of both.
    fn min_lifted(self, other: Self) -> Self {
        -(-self).max_lifted(-other)
    }

    /// `self` limited to `[low, high]`; at a bound the mean of both branches.
    ///
    /// Bounds in the wrong order give `high`.
    fn clamp_lifted(self, low: Self, high: Self) -> Self {
        self.max_lifted(low).min_lifted(high)
    }

    /// The largest integer not above `self`: a constant between integers, and at one.
    fn floor_lifted(self) -> Self {
        Self::from(self.re().floor())
    }

    /// The nearest integer, halves away from zero: a constant.
    fn round_lifted(self) -> Self {
        Self::from(self.re().round())
    }

    /// The remainder `self − divisor · trunc(self / divisor)`, with the sign of `self`.
    fn rem_lifted(self, divisor: Self) -> Self {
        let (a, b) = (self.re(), divisor.re());
        (self - divisor * (a / b).trunc()).with_real(a % b)
    }

    /// `√(x₁² + … + xₙ²)`; for a zero vector the constant 0.
    ///
    /// With the unit vector `u` of the real parts and the infinitesimal parts `h`, split into
    /// `t = u·h` along it and `d = h − u t` across, the norm is `n + t + d·d/(2 (n + t))` up to the third
    /// order.
    fn norm_lifted(components: &[Self]) -> Self {
        norm(components.iter().copied())
    }

    /// `√(x₁² + … + xₙ² + ε²)`, smooth everywhere for ε > 0 and larger than the norm by at most ε.
    fn soft_norm(components: &[Self], epsilon: Self) -> Self {
        norm(components.iter().copied().chain([epsilon]))
    }
}

impl<T: RealField + DualNum<Primitive = f64> + Copy> Scalar for T {}

/// Coefficients of a Taylor polynomial above this count as infinite: what is left of the range of
/// `f64` is for the infinitesimal parts that they are multiplied with.
const LARGEST: f64 = 1e292;

/// Zero for what cannot be held.
fn representable(coefficient: f64) -> f64 {
    if coefficient.abs() > LARGEST {
        0.0
    } else {
        coefficient
    }
}

/// `1/x`, `1/x²`, `1/x³`.
fn reciprocal_powers(x: f64) -> [f64; 3] {
    let c1 = representable(x.recip());
    let c2 = representable(c1 / x);
    [c1, c2, representable(c2 / x)]
}

/// The length of a vector, with squares that neither underflow nor overflow.
fn norm<T: Scalar>(components: impl Iterator<Item = T> + Clone) -> T {
    let squares = |scale: f64| {
        (components.clone()).fold(0.0, |sum, x| {
            let x = x.re() * scale;
            sum + x * x
        })
    };
    let mut square = squares(1.0);
    let mut scale = 1.0;
    if square < 1e-280 {
        scale = 2f64.powi(600);
        square = squares(scale);
    } else if square > 1e300 {
        scale = 2f64.powi(-600);
        square = squares(scale);
    }
    let scaled = square.sqrt();
    // Division by one costs as much as any.
    let value = if scale == 1.0 { scaled } else { scaled / scale };
    if T::NDERIV == 0 || scaled == 0.0 || !value.is_finite() {
        return T::from(value);
    }
    // Components along the vector, in units of its length, beside the infinitesimal parts.
    let parts = components.map(|x| (x.re() * scale / scaled, x.infinitesimal()));
    let along = (parts.clone()).fold(T::zero(), |sum, (u, h)| sum + h * u);
    if T::NDERIV == 1 {
        return along.with_real(value);
    }
    let across = parts.fold(T::zero(), |sum, (u, h)| {
        let d = h - along * u;
        sum + d * d
    });
    let [c1, c2, _] = reciprocal_powers(value).map(|c| 0.5 * c);
    let bent = if T::NDERIV == 2 {
        across * c1
    } else {
        across * (-along * c2 + c1)
    };
    (along + bent).with_real(value)
}

/// `∂ⁱ⁺ʲ x^y/∂xⁱ∂yʲ` for `1 ≤ i + j ≤ 3`; at `x = 0` the limit from above, zero if that is infinite.
///
/// With the falling factorial `p(y) = y (y−1) … (y−i+1)` and `L = ln x` it is the j-th derivative of
/// `p x^(y−i)` with respect to y, `x^(y−i) (p Lʲ + j p′ Lʲ⁻¹)`; p″ does not vanish for `i ≥ 2` only, where
/// `j ≤ 1`.
fn power_derivative(x: f64, y: f64, i: i32, j: i32) -> f64 {
    let (p, slope) = match i {
        0 => (1.0, 0.0),
        1 => (y, 1.0),
        2 => (y * (y - 1.0), 2.0 * y - 1.0),
        _ => (y * (y - 1.0) * (y - 2.0), 0.0),
    };
    let power = x.powf(y - f64::from(i));
    if j == 0 {
        // What is constant stays so where the power is infinite.
        return if p == 0.0 {
            0.0
        } else {
            representable(p * power)
        };
    }
    let rest = f64::from(j) * slope;
    if x > 0.0 {
        let l = x.ln();
        let sum = p * l.powi(j) + rest * l.powi(j - 1);
        return if sum == 0.0 {
            0.0
        } else {
            representable(sum * power)
        };
    }
    // A logarithm makes the limit at 0 zero or infinite; of negative bases it does not exist.
    if x == 0.0 && p == 0.0 && j == 1 && rest != 0.0 {
        return representable(rest * power);
    }
    0.0
}

fn sign_or_zero(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}
