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
//! - *Ends of the domain with an infinite slope* (`sqrt` at 0, `powf` with a fractional exponent at
//!   0): the function is continued by its value there; terms of the Taylor polynomial that would
//!   be infinite are dropped.
//! - *Undefined directions* (`atan2(0, 0)`): derivative zero.
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

    /// `self / divisor` with the value of the `f64` division.
    ///
    /// With `a/b = q`, `a/b − q = (a − q b)/b` holds for the infinitesimal parts too.
    fn div_lifted(self, divisor: Self) -> Self {
        let q = self.re() / divisor.re();
        if Self::NDERIV == 0 {
            return Self::from(q);
        }
        ((self - divisor * q).infinitesimal() / divisor).with_real(q)
    }

    /// `√self`; at 0 the constant 0.
    fn sqrt_lifted(self) -> Self {
        let x = self.re();
        let s = x.sqrt();
        if x == 0.0 {
            return Self::from(s);
        }
        self.lift([s, 0.5 / s, -0.25 / (s * x), 0.375 / (s * x * x)])
    }

    /// `self^exponent`; terms that are infinite at 0 are dropped.
    fn powf_lifted(self, exponent: f64) -> Self {
        let x = self.re();
        let mut coefficient = 1.0;
        let derivatives = std::array::from_fn(|order| {
            let power = exponent - order as f64;
            let derivative = if order == 0 {
                x.powf(power)
            } else if coefficient == 0.0 || (x == 0.0 && power < 0.0) {
                0.0
            } else {
                coefficient * x.powf(power)
            };
            coefficient *= power;
            derivative
        });
        self.lift(derivatives)
    }

    /// `tanh(self)`, saturating like the `f64` function.
    fn tanh_lifted(self) -> Self {
        let t = self.re().tanh();
        let slope = 1.0 - t * t;
        self.lift([t, slope, -2.0 * t * slope, slope * (6.0 * t * t - 2.0)])
    }

    /// The angle of the point `(x, self)`, in (−π, π]; at the origin a constant.
    ///
    /// With the angle θ of the real parts, the point turned back by θ lies on the positive x axis,
    /// where the angle is `atan(y′/x′)` and free of singularities.
    fn atan2_lifted(self, x: Self) -> Self {
        let (y0, x0) = (self.re(), x.re());
        let theta = y0.atan2(x0);
        let radius = x0.hypot(y0);
        if Self::NDERIV == 0 || radius == 0.0 {
            return Self::from(theta);
        }
        let (sin, cos) = (y0 / radius, x0 / radius);
        let turned = (self * cos - x * sin).infinitesimal() / (x * cos + self * sin);
        turned.lift([theta, 1.0, 0.0, -2.0])
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
    fn norm_lifted(components: &[Self]) -> Self {
        squared_norm(components).sqrt_lifted()
    }

    /// `√(x₁² + … + xₙ² + ε²)`, smooth everywhere for ε > 0 and larger than the norm by at most ε.
    fn soft_norm(components: &[Self], epsilon: Self) -> Self {
        (squared_norm(components) + epsilon * epsilon).sqrt_lifted()
    }
}

impl<T: RealField + DualNum<Primitive = f64> + Copy> Scalar for T {}

fn squared_norm<T: Scalar>(components: &[T]) -> T {
    components.iter().fold(T::zero(), |sum, &x| sum + x * x)
}

fn sign_or_zero(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}
