//! Motion profiles: positions as functions of time.

use crate::constants::{Constant, Domain};
use crate::parameter::Parameter;
use crate::{InvalidInput, Scalar};

/// A position as a function of time, twice differentiable, with constants in `T`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
#[non_exhaustive]
pub enum MotionProfile<T> {
    /// `x(t) = Σ cₖ tᵏ`.
    Polynomial {
        /// `c₀, c₁, …` in rad or m by powers of the second; none is zero.
        coefficients: Vec<T>,
    },
    /// `x(t) = mean + amplitude sin(ω t + phase)`.
    Harmonic {
        /// In rad or m.
        mean: T,
        /// In rad or m.
        amplitude: T,
        /// `ω` in rad/s.
        angular_frequency: T,
        /// In rad.
        phase: T,
    },
    /// A smooth curve through samples.
    Spline(MotionSpline<T>),
}

/// A cubic spline on equidistant knots, at rest before the first and after the last.
///
/// With the coefficients `c₀ … cₙ₋₁` of the uniform B-splines `B` that are centred on the knots (de Boor
/// 1978, *A Practical Guide to Splines*, ch. IX), mirrored at both ends, `c₋₁ = c₁` and `cₙ = cₙ₋₂`,
///
/// ```text
/// x(t) = Σ cₖ B((t − start)/spacing − k)
/// ```
///
/// Position and velocity are continuous for all times, the acceleration between the first and the last
/// knot.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct MotionSpline<T> {
    start: T,
    spacing: T,
    coefficients: Vec<T>,
}

/// In s; accelerations are divided by its square.
const MIN_SPACING: f64 = 1e-100;
const MAX_SPACING: f64 = 1e100;

impl<T: Scalar> MotionSpline<T> {
    /// The spline through samples (rad or m) at the times `start + k spacing` (s).
    ///
    /// ```
    /// use dualbody::constraint::{MotionProfile, MotionSpline};
    /// let spline = MotionSpline::through(0.0, 0.5, &[0.0, 1.0, 3.0])?;
    /// let [position, velocity, _] = MotionProfile::Spline(spline).at(1.0);
    /// assert!((position - 3.0f64).abs() < 1e-14 && velocity.abs() < 1e-14);
    /// # Ok::<(), dualbody::InvalidInput>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`] for less than two samples, a sample or a start that is not finite, a spacing
    /// below 10⁻¹⁰⁰ or above 10¹⁰⁰ s.
    #[inline(never)]
    pub fn through(start: T, spacing: T, samples: &[T]) -> Result<Self, InvalidInput> {
        let n = samples.len();
        InvalidInput::check_range("number of samples", &[n as f64], "at least 2", |n| n >= 2.0)?;
        InvalidInput::check_finite("samples", samples)?;
        // cₖ₋₁ + 4 cₖ + cₖ₊₁ = 6 yₖ, with twice the one neighbour at the ends: elimination of a matrix
        // with a dominant diagonal, whose entries do not depend on the samples.
        let (mut above, mut coefficients) = (vec![0.0; n], samples.to_vec());
        for k in 0..n {
            let (lower, upper) = match k {
                0 => (0.0, 2.0),
                _ if k + 1 == n => (2.0, 0.0),
                _ => (1.0, 1.0),
            };
            let before = k.checked_sub(1);
            let pivot = 4.0 - before.map_or(0.0, |i| lower * above[i]);
            above[k] = upper / pivot;
            let carried = before.map_or(T::zero(), |i| coefficients[i] * lower);
            coefficients[k] = (samples[k] * 6.0 - carried) / pivot;
        }
        for k in (0..n - 1).rev() {
            let next = coefficients[k + 1] * above[k];
            coefficients[k] -= next;
        }
        let spline = MotionSpline {
            start,
            spacing,
            coefficients,
        };
        spline.check()?;
        Ok(spline)
    }

    fn check(&self) -> Result<(), InvalidInput> {
        InvalidInput::check_finite("start of the spline", &[self.start])?;
        let words = "from 1e-100 to 1e100";
        InvalidInput::check_range("spacing of the knots", &[self.spacing], words, |h| {
            (MIN_SPACING..=MAX_SPACING).contains(&h)
        })?;
        let count = self.coefficients.len() as f64;
        InvalidInput::check_range("number of samples", &[count], "at least 2", |n| n >= 2.0)?;
        InvalidInput::check_finite("coefficients", &self.coefficients)
    }

    fn at(&self, time: T) -> [T; 3] {
        let last = self.coefficients.len() - 1;
        let u = (time - self.start) / self.spacing;
        let knot = |k: usize| {
            let [before, after] = [k.abs_diff(1), if k < last { k + 1 } else { last - 1 }];
            let (before, after) = (self.coefficients[before], self.coefficients[after]);
            (before + self.coefficients[k] * 4.0 + after) / 6.0
        };
        if u.re() <= 0.0 {
            return [knot(0), T::zero(), T::zero()];
        }
        if u.re() >= last as f64 {
            return [knot(last), T::zero(), T::zero()];
        }
        // Decided on the real part; below `last`, so that a segment follows.
        let k = u.re() as usize;
        let s = u - k as f64;
        let r = -s + 1.0;
        let c = |i: usize| self.coefficients[if i > last { last - 1 } else { i }];
        let (c0, c1, c2, c3) = (c(k.abs_diff(1)), c(k), c(k + 1), c(k + 2));
        let position = (c0 * r * r * r
            + c1 * (s * s * (s * 3.0 - 6.0) + 4.0)
            + c2 * (r * r * (r * 3.0 - 6.0) + 4.0)
            + c3 * s * s * s)
            / 6.0;
        let (d0, d1, d2) = (c1 - c0, c2 - c1, c3 - c2);
        let velocity = (d0 * r * r + d1 * (s * r * 2.0 + 1.0) + d2 * s * s) * 0.5;
        let acceleration = (d1 - d0) * r + (d2 - d1) * s;
        let h = self.spacing;
        [position, velocity / h, acceleration / (h * h)]
    }
}

impl<T: Scalar> MotionProfile<T> {
    /// Position (rad or m), velocity and acceleration at a time in s.
    #[inline(never)]
    pub fn at(&self, time: T) -> [T; 3] {
        match self {
            MotionProfile::Polynomial { coefficients } => {
                let mut motion = [T::zero(); 3];
                for &c in coefficients.iter().rev() {
                    let [x, v, a] = motion;
                    motion = [x * time + c, v * time + x, a * time + v * 2.0];
                }
                motion
            }
            MotionProfile::Harmonic {
                mean,
                amplitude,
                angular_frequency: omega,
                phase,
            } => {
                let (sin, cos) = (*omega * time + *phase).sin_cos();
                let swing = *amplitude * sin;
                [
                    *mean + swing,
                    *amplitude * *omega * cos,
                    -swing * *omega * *omega,
                ]
            }
            MotionProfile::Spline(spline) => spline.at(time),
        }
    }

    pub(super) fn cast<U: Scalar>(&self) -> MotionProfile<U> {
        match self {
            MotionProfile::Polynomial { coefficients } => MotionProfile::Polynomial {
                coefficients: coefficients.cast(),
            },
            MotionProfile::Harmonic {
                mean,
                amplitude,
                angular_frequency,
                phase,
            } => MotionProfile::Harmonic {
                mean: mean.cast(),
                amplitude: amplitude.cast(),
                angular_frequency: angular_frequency.cast(),
                phase: phase.cast(),
            },
            MotionProfile::Spline(spline) => MotionProfile::Spline(MotionSpline {
                start: spline.start.cast(),
                spacing: spline.spacing.cast(),
                coefficients: spline.coefficients.cast(),
            }),
        }
    }

    /// Shows `prefix/coefficients/{0,1,…}`, of a spline with `prefix/{start,spacing}`, or
    /// `prefix/{mean,amplitude,angular_frequency,phase}`.
    pub(super) fn visit_parameters(
        &mut self,
        prefix: &str,
        unit: &'static str,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        let any = Domain::ANY;
        match self {
            MotionProfile::Polynomial { coefficients } => {
                for (k, value) in coefficients.iter_mut().enumerate() {
                    let name = format_args!("{prefix}/coefficients/{k}");
                    value.visit(name, power_unit(unit, k), any, visit);
                }
            }
            MotionProfile::Harmonic {
                mean,
                amplitude,
                angular_frequency,
                phase,
            } => {
                mean.visit(format_args!("{prefix}/mean"), unit, any, visit);
                amplitude.visit(format_args!("{prefix}/amplitude"), unit, any, visit);
                let frequency = format_args!("{prefix}/angular_frequency");
                angular_frequency.visit(frequency, "rad/s", any, visit);
                phase.visit(format_args!("{prefix}/phase"), "rad", any, visit);
            }
            MotionProfile::Spline(spline) => {
                let (start, spacing) = (&mut spline.start, &mut spline.spacing);
                start.visit(format_args!("{prefix}/start"), "s", any, visit);
                let coefficients = format_args!("{prefix}/coefficients");
                (spline.coefficients).visit(coefficients, unit, any, visit);
                let spacings = Domain::between(MIN_SPACING, MAX_SPACING);
                spacing.visit(format_args!("{prefix}/spacing"), "s", spacings, visit);
            }
        }
    }

    pub(super) fn validate(&self) -> Result<(), InvalidInput> {
        match self {
            MotionProfile::Polynomial { coefficients } => {
                InvalidInput::check_finite("coefficients", coefficients)
            }
            MotionProfile::Harmonic {
                mean,
                amplitude,
                angular_frequency,
                phase,
            } => {
                let constants = [*mean, *amplitude, *angular_frequency, *phase];
                InvalidInput::check_finite(
                    "mean, amplitude, angular frequency and phase",
                    &constants,
                )
            }
            MotionProfile::Spline(spline) => spline.check(),
        }
    }
}

/// The unit of the coefficient of `tᵏ`.
fn power_unit(unit: &'static str, k: usize) -> &'static str {
    match (unit, k) {
        (_, 0) => unit,
        ("rad", 1) => "rad/s",
        ("rad", 2) => "rad/s²",
        ("rad", 3) => "rad/s³",
        ("rad", 4) => "rad/s⁴",
        ("rad", 5) => "rad/s⁵",
        ("m", 1) => "m/s",
        ("m", 2) => "m/s²",
        ("m", 3) => "m/s³",
        ("m", 4) => "m/s⁴",
        ("m", 5) => "m/s⁵",
        ("rad", _) => "rad/sᵏ",
        _ => "m/sᵏ",
    }
}
