//! Bushing constants from tests, natural frequencies, settling times and decay.
//!
//! The functions serve torques and forces alike: a *load* is a moment (N m) or a force (N), a
//! *displacement* an angle (rad) or a length (m), an *inertia* a moment of inertia (kg m²) or a mass
//! (kg). Stiffness is then in N m/rad or N/m, damping in N m s/rad or N s/m.
//!
//! | known | stiffness | damping |
//! |---|---|---|
//! | a static test | [`stiffness_from_static_test`] | |
//! | the displacement that is tolerable at the largest load | [`stiffness_from_maximum_displacement`] | |
//! | a characteristic inertia and a natural frequency | [`stiffness_from_natural_frequency`] | [`damping_from_inertia`] |
//! | damping ratio and settling time | | natural frequency, then [`damping_from_natural_frequency`] |
//! | peaks of a vibration that dies away | | [`damping_ratio_from_decay`], then as above |
//!
//! The other way round, [`natural_frequency_of`] and [`damping_ratio_of`] say what constants make of an inertia.
//!
//! # Settling
//! The oscillator `ẍ + 2 ζ ωₙ ẋ + ωₙ² x = 0`, released at rest, settles within a share ε of its initial
//! displacement in the time `tₛ`. The natural frequency that this takes is
//!
//! ```text
//! ζ < 1   ωₙ ≈ −ln(ε)/(ζ tₛ), or with the envelope's height −ln(ε √(1 − ζ²))/(ζ tₛ)
//!         exp(−ζ ωₙ tₛ) (cos φ + ζ/s sin φ) = ±ε after the last peak beyond ε,   φ = s ωₙ tₛ,
//!         s = √(1 − ζ²), peaks exp(−π k ζ/s) at φ = π k
//! ζ = 1   (1 + ωₙ tₛ) exp(−ωₙ tₛ) = ε
//! ζ ≈ 1   ln[C + ζ ωₙ tₛ S] − ζ ωₙ tₛ = ln ε,   with y = (ζ² − 1)(ωₙ tₛ)²,
//!         C = Σ yᵏ/(2k)!, S = Σ yᵏ/(2k + 1)!, smooth in ζ
//! ζ > 1   [s₂ exp(−s₁ ωₙ tₛ) − s₁ exp(−s₂ ωₙ tₛ)]/(s₂ − s₁) = ε,   s₁,₂ = ζ ∓ √(ζ² − 1)
//!         ωₙ ≈ −ln(2 ε √(ζ² − 1)/s₂)/(s₁ tₛ), without the faster exponential
//! ```
//!
//! Results that overflow are errors.
//!
//! The exact roots are found by Newton's method in `f64` and differentiated at the solution. The
//! functions to solve are concave in the logarithm, so it converges from the right for any input.
//!
//! # References
//! Ogata, *Modern Control Engineering*, 5th ed., §5.3 (settling time and its envelope);
//! Ramos-Paja et al. 2012, *Accurate calculation of settling time in second order systems*, Revista
//! Facultad de Ingeniería Universidad de Antioquia 66 (why the exact underdamped time jumps).

use crate::autodiff::implicit_step;
use crate::math::Lu;
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// Stiffness from a load and the displacement that it causes: `load/displacement`.
///
/// # Errors
/// [`InvalidInput`] unless the displacement is positive and the load not negative.
pub fn stiffness_from_static_test<T: Scalar>(load: T, displacement: T) -> Result<T, InvalidInput> {
    not_negative("load", load)?;
    positive("displacement", displacement)?;
    finite("stiffness", load / displacement)
}

/// Stiffness that keeps the displacement below a maximum at the largest load that is expected:
/// `maximum_load/maximum_displacement`.
///
/// The load counts gravity, applied forces and inertia forces.
///
/// # Errors
/// [`InvalidInput`] unless the displacement is positive and the load not negative.
pub fn stiffness_from_maximum_displacement<T: Scalar>(
    maximum_load: T,
    maximum_displacement: T,
) -> Result<T, InvalidInput> {
    not_negative("maximum load", maximum_load)?;
    positive("maximum displacement", maximum_displacement)?;
    finite("stiffness", maximum_load / maximum_displacement)
}

/// Stiffness with which a characteristic inertia vibrates at the angular frequency ωₙ (rad/s):
/// `inertia ωₙ²`.
///
/// # Errors
/// [`InvalidInput`] unless both are positive.
pub fn stiffness_from_natural_frequency<T: Scalar>(
    inertia: T,
    natural_frequency: T,
) -> Result<T, InvalidInput> {
    positive("inertia", inertia)?;
    positive("natural frequency", natural_frequency)?;
    finite("stiffness", inertia * natural_frequency * natural_frequency)
}

/// Damping from damping ratio, stiffness and natural frequency (rad/s): `2 ζ k/ωₙ`.
///
/// # Errors
/// [`InvalidInput`] unless the frequency is positive and the others are not negative.
pub fn damping_from_natural_frequency<T: Scalar>(
    damping_ratio: T,
    stiffness: T,
    natural_frequency: T,
) -> Result<T, InvalidInput> {
    not_negative("damping ratio", damping_ratio)?;
    not_negative("stiffness", stiffness)?;
    positive("natural frequency", natural_frequency)?;
    finite(
        "damping",
        damping_ratio * stiffness * 2.0 / natural_frequency,
    )
}

/// Damping from damping ratio, a characteristic inertia and stiffness: `2 ζ √(I k)`.
///
/// # Errors
/// [`InvalidInput`] unless inertia and stiffness are positive and the ratio is not negative.
pub fn damping_from_inertia<T: Scalar>(
    damping_ratio: T,
    inertia: T,
    stiffness: T,
) -> Result<T, InvalidInput> {
    not_negative("damping ratio", damping_ratio)?;
    let root = half_critical_damping(inertia, stiffness)?;
    finite("damping", damping_ratio * root * 2.0)
}

/// The angular frequency ωₙ (rad/s) at which an inertia on a stiffness vibrates without damping: `√(k/I)`.
///
/// # Errors
/// [`InvalidInput`] unless both are positive.
pub fn natural_frequency_of<T: Scalar>(inertia: T, stiffness: T) -> Result<T, InvalidInput> {
    positive("inertia", inertia)?;
    positive("stiffness", stiffness)?;
    let root = stiffness.sqrt_lifted() / inertia.sqrt_lifted();
    finite("natural frequency", root)
}

/// The damping ratio of an inertia on a stiffness and a damping: `b/(2 √(I k))`.
///
/// # Errors
/// [`InvalidInput`] unless inertia and stiffness are positive and the damping is not negative.
pub fn damping_ratio_of<T: Scalar>(
    inertia: T,
    stiffness: T,
    damping: T,
) -> Result<T, InvalidInput> {
    let root = half_critical_damping(inertia, stiffness)?;
    not_negative("damping", damping)?;
    finite("damping ratio", damping / root * 0.5)
}

/// `√(I k)`.
fn half_critical_damping<T: Scalar>(inertia: T, stiffness: T) -> Result<T, InvalidInput> {
    positive("inertia", inertia)?;
    positive("stiffness", stiffness)?;
    Ok(inertia.sqrt_lifted() * stiffness.sqrt_lifted())
}

/// Natural frequency (rad/s) of an oscillator of any damping ratio that settles in the given time (s), exactly:
/// [underdamped](underdamped_natural_frequency_exact), [critically damped](critically_damped_natural_frequency) or
/// [overdamped](overdamped_natural_frequency), with the derivative by the damping ratio at ζ = 1, too.
///
/// # Errors
/// [`InvalidInput`] unless 0 < ζ < 10¹⁵⁰, 0 < ε < 1 and the time is positive.
pub fn natural_frequency_from_settling_time<T: Scalar>(
    damping_ratio: T,
    settling_time: T,
    settling_ratio: T,
) -> Result<T, InvalidInput> {
    /// The series below converge to 64 bits up to this `|y|`.
    const NEAR: f64 = 0.5;
    positive("damping ratio", damping_ratio)?;
    check_settling(settling_time, settling_ratio)?;
    let log_ratio = settling_ratio.ln();
    let start = 2.1 - 2.1 * log_ratio.re();
    let beyond = (damping_ratio - 1.0) * (damping_ratio + 1.0);
    if (beyond.re() * start * start).abs() > NEAR {
        return match damping_ratio.re() < 1.0 {
            true => {
                underdamped_natural_frequency_exact(damping_ratio, settling_time, settling_ratio)
            }
            false => overdamped_natural_frequency(damping_ratio, settling_time, settling_ratio),
        };
    }
    let (ratio, real_beyond) = (damping_ratio.re(), beyond.re());
    let angle = root(
        start,
        &log_ratio,
        |x| {
            let [even, odd] = series(beyond * x * x);
            (even + damping_ratio * x * odd).ln() - damping_ratio * x
        },
        |x| {
            let [even, odd] = series(real_beyond * x * x);
            (real_beyond * x * odd + ratio * even) / (even + ratio * x * odd) - ratio
        },
    )?;
    natural_frequency(angle, settling_time)
}

/// `Σ yᵏ/(2k)!` and `Σ yᵏ/(2k + 1)!`: cosh √y and sinh √y/√y.
fn series<T: Scalar>(y: T) -> [T; 2] {
    let mut sums = [T::one(); 2];
    for k in (1..=10).rev() {
        let k = 2.0 * f64::from(k);
        sums[0] = sums[0] * y / (k * (k - 1.0)) + 1.0;
        sums[1] = sums[1] * y / (k * (k + 1.0)) + 1.0;
    }
    sums
}

/// Damping ratio from the ratio of successive peaks of a vibration, counted from where it comes to
/// rest: with the logarithmic decrement `δ = −ln(decay_ratio)`, `ζ = √(δ²/(4π² + δ²))`.
///
/// # Errors
/// [`InvalidInput`] unless the ratio lies between 0 and 1.
pub fn damping_ratio_from_decay<T: Scalar>(decay_ratio: T) -> Result<T, InvalidInput> {
    fraction("decay ratio", decay_ratio)?;
    let decrement = -decay_ratio.ln();
    let four_pi_squared = 4.0 * std::f64::consts::PI.powi(2);
    Ok(decrement / (decrement * decrement + four_pi_squared).sqrt_lifted())
}

/// Natural frequency (rad/s) of an underdamped oscillator that settles in the given time (s), by the
/// usual approximation `−ln(ε)/(ζ tₛ)`.
///
/// # Errors
/// [`InvalidInput`] unless 0 < ζ < 1, 0 < ε < 1 and the time is positive.
pub fn underdamped_natural_frequency<T: Scalar>(
    damping_ratio: T,
    settling_time: T,
    settling_ratio: T,
) -> Result<T, InvalidInput> {
    fraction("damping ratio", damping_ratio)?;
    check_settling(settling_time, settling_ratio)?;
    natural_frequency(-settling_ratio.ln() / damping_ratio, settling_time)
}

/// As [`underdamped_natural_frequency`], with the height of the envelope:
/// `−ln(ε √(1 − ζ²))/(ζ tₛ)`.
///
/// The vibration stays within its envelope, so it has settled no later than asked for.
///
/// # Errors
/// As [`underdamped_natural_frequency`].
pub fn underdamped_natural_frequency_of_envelope<T: Scalar>(
    damping_ratio: T,
    settling_time: T,
    settling_ratio: T,
) -> Result<T, InvalidInput> {
    fraction("damping ratio", damping_ratio)?;
    check_settling(settling_time, settling_ratio)?;
    let height = (-(damping_ratio * damping_ratio) + 1.0).sqrt_lifted();
    natural_frequency(
        -(settling_ratio * height).ln() / damping_ratio,
        settling_time,
    )
}

/// Natural frequency (rad/s) of an underdamped oscillator that settles in the given time (s), exactly.
///
/// It jumps, as a function of ζ and of ε, where a peak of the vibration begins to reach ε, by up to
/// the time between two peaks; from the other side its derivative grows without bound there.
///
/// # Errors
/// As [`underdamped_natural_frequency`].
pub fn underdamped_natural_frequency_exact<T: Scalar>(
    damping_ratio: T,
    settling_time: T,
    settling_ratio: T,
) -> Result<T, InvalidInput> {
    /// `cos φ + ζ/s sin φ` is never less at the root.
    const LEAST: f64 = 0.1;
    fraction("damping ratio", damping_ratio)?;
    check_settling(settling_time, settling_ratio)?;
    let s = ((-damping_ratio + 1.0) * (damping_ratio + 1.0)).sqrt_lifted();
    let slope = damping_ratio / s;
    let log_ratio = settling_ratio.ln();
    // The last peak beyond ε; after it the vibration falls through ε once before the next.
    let pi = std::f64::consts::PI;
    let peak = ((-log_ratio.re() / (slope.re() * pi)).ceil() - 1.0).max(0.0) * pi;
    finite("phase of the last peak", T::from(peak))?;
    let (real_s, real_slope) = (s.re(), slope.re());
    let start = damping_ratio.re().asin() + (LEAST * real_s).acos();
    let phase = root(
        start,
        &(log_ratio + slope * peak),
        |x| (x.cos() + slope * x.sin()).ln() - slope * x,
        |x| -x.sin() / (real_s * real_s * (x.cos() + real_slope * x.sin())),
    )?;
    natural_frequency((phase + peak) / s, settling_time)
}

/// Natural frequency (rad/s) of a critically damped oscillator that settles in the given time (s),
/// exactly.
///
/// # Errors
/// [`InvalidInput`] unless 0 < ε < 1 and the time is positive.
pub fn critically_damped_natural_frequency<T: Scalar>(
    settling_time: T,
    settling_ratio: T,
) -> Result<T, InvalidInput> {
    check_settling(settling_time, settling_ratio)?;
    let log_ratio = settling_ratio.ln();
    // ln(1 + x) − x falls short of ln ε here, whatever ε.
    let start = 2.0 - 2.0 * log_ratio.re();
    let angle = root(
        start,
        &log_ratio,
        |x| (x + 1.0).ln() - x,
        |x| 1.0 / (1.0 + x) - 1.0,
    )?;
    natural_frequency(angle, settling_time)
}

/// Natural frequency (rad/s) of an overdamped oscillator that settles in the given time (s), exactly.
///
/// # Errors
/// [`InvalidInput`] unless ζ > 1, 0 < ε < 1 and the time is positive.
pub fn overdamped_natural_frequency<T: Scalar>(
    damping_ratio: T,
    settling_time: T,
    settling_ratio: T,
) -> Result<T, InvalidInput> {
    check_overdamped(damping_ratio)?;
    check_settling(settling_time, settling_ratio)?;
    // With y = (s₂ − s₁) x, the oscillation is exp(−s₁ x) [1 + s₁ x (1 − exp(−y))/y].
    let (s1, _, split) = poles(damping_ratio);
    let (real_s1, real_split) = (s1.re(), split.re());
    let start = approximate_angle(damping_ratio, settling_ratio).re();
    let angle = root(
        start,
        &settling_ratio.ln(),
        |x| (s1 * -(-split * x).exp_m1() / split + 1.0).ln() - s1 * x,
        |x| {
            let decayed = (-real_split * x).exp();
            let sum = 1.0 + real_s1 * (1.0 - decayed) / real_split;
            real_s1 * decayed / sum - real_s1
        },
    )?;
    natural_frequency(angle, settling_time)
}

/// As [`overdamped_natural_frequency`], by the approximation that neglects the faster exponential:
/// `−ln(2 ε √(ζ² − 1)/s₂)/(s₁ tₛ)`.
///
/// For ε ≤ 0.1 it is too large by at most 8.3 % at ζ = 1.01 and 0.26 % at ζ = 1.1.
///
/// # Errors
/// As [`overdamped_natural_frequency`].
pub fn overdamped_natural_frequency_approximate<T: Scalar>(
    damping_ratio: T,
    settling_time: T,
    settling_ratio: T,
) -> Result<T, InvalidInput> {
    check_overdamped(damping_ratio)?;
    check_settling(settling_time, settling_ratio)?;
    natural_frequency(
        approximate_angle(damping_ratio, settling_ratio),
        settling_time,
    )
}

/// `s₁`, `s₂` and `s₂ − s₁`.
fn poles<T: Scalar>(damping_ratio: T) -> (T, T, T) {
    let sz = ((damping_ratio - 1.0) * (damping_ratio + 1.0)).sqrt_lifted();
    let s2 = damping_ratio + sz;
    // s₁ s₂ = 1; the difference ζ − √(ζ² − 1) would lose digits.
    (s2.recip(), s2, sz * 2.0)
}

/// `ωₙ tₛ` without the faster exponential.
fn approximate_angle<T: Scalar>(damping_ratio: T, settling_ratio: T) -> T {
    let (s1, s2, split) = poles(damping_ratio);
    -(settling_ratio * split / s2).ln() / s1
}

/// The root `x` of `f(x) = value`, for `f` that falls and is concave, from a start to the right of it.
fn root<T: Scalar>(
    start: f64,
    value: &T,
    f: impl Fn(T) -> T,
    slope: impl Fn(f64) -> f64,
) -> Result<T, InvalidInput> {
    /// Newton's method needs about ten.
    const MAX_ITERATIONS: usize = 100;
    let mut x = start;
    for _ in 0..MAX_ITERATIONS {
        let next = x - (f(T::from(x)).re() - value.re()) / slope(x);
        if next >= x || !next.is_finite() {
            break;
        }
        x = next;
    }
    let mut jacobian = Lu::identity(1);
    let slope = slope(x);
    let singular = InvalidInput::OutOfRange {
        quantity: "slope at the root",
        index: None,
        value: slope,
        expected: "a number that is not zero",
    };
    (jacobian.factor(&DMatrix::from_element(1, 1, slope))).map_err(|_| singular)?;
    let mut x = [T::from(x)];
    implicit_step(&jacobian, &mut x, &mut [T::zero()], |x, r| {
        r[0] = f(x[0]) - *value;
        Ok::<(), InvalidInput>(())
    })?;
    Ok(x[0])
}

/// `ωₙ` from `ωₙ tₛ`.
fn natural_frequency<T: Scalar>(angle: T, settling_time: T) -> Result<T, InvalidInput> {
    finite("natural frequency", angle / settling_time)
}

/// The value, unless it has overflowed.
fn finite<T: Scalar>(quantity: &'static str, value: T) -> Result<T, InvalidInput> {
    InvalidInput::check_finite(quantity, &[value])?;
    Ok(value)
}

fn positive<T: Scalar>(quantity: &'static str, value: T) -> Result<(), InvalidInput> {
    InvalidInput::check_range(quantity, &[value], "a positive number", |x| {
        x > 0.0 && x.is_finite()
    })
}

fn not_negative<T: Scalar>(quantity: &'static str, value: T) -> Result<(), InvalidInput> {
    InvalidInput::check_range(quantity, &[value], "a finite number, not negative", |x| {
        x >= 0.0 && x.is_finite()
    })
}

fn fraction<T: Scalar>(quantity: &'static str, value: T) -> Result<(), InvalidInput> {
    InvalidInput::check_range(quantity, &[value], "between 0 and 1", |x| {
        x > 0.0 && x < 1.0
    })
}

fn check_settling<T: Scalar>(time: T, ratio: T) -> Result<(), InvalidInput> {
    positive("settling time", time)?;
    fraction("settling ratio", ratio)
}

fn check_overdamped<T: Scalar>(damping_ratio: T) -> Result<(), InvalidInput> {
    InvalidInput::check_range("damping ratio", &[damping_ratio], "more than 1", |x| {
        x > 1.0 && x < 1e150
    })
}
