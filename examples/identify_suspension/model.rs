//! The wrench that a base on its wheels applies to the ground, from its motion.
//!
//! # Suspension
//! Wheels slip, so that displacements along the ground and turns about the vertical say little of the wrench. Roll φ and
//! pitch θ, in the frame of the cameras, say
//!
//! - `m_y = k_θ θ + c_θ (θ − s) + k_φθ φ`: a spring, and one that yields, as rubber and castors creep:
//!   `τ ṡ = θ − s` (a Maxwell element);
//! - `m_x = k_φ gap(φ) + k_φθ θ`: the base stands on one set of castors, tips, and stands on the other: two
//!   [stops](Roll::Stops) of one stiffness with a gap between, or [none](Roll::Spring);
//! - `f_z = k_zθ θ + c_zθ (θ − s)`: the springs do not sit below the centre.
//!
//! # Balance of momentum
//! The mass above says the rest: with its mean height `h`, gravity `g` and its centre `c`, the torque about the plate
//! is `m_y = m g c_x − h m c̈_x` and the force `f_x = −m c̈_x`. So `m g c_x` is the bounded solution of
//! `s − τ² s̈ = m_y` with `τ² = h/g`, and `f_x = (m_y − s)/h`; likewise `f_y = −(m_x − s)/h`. Both are
//! evaluated with the predicted torques. What moves is an arm beside the centre, at `(x, y)`: `m_z = x f_y − y f_x`.

use crate::observation::Observation;
use crate::signal::{lag, two_sided_lag};
use dualbody::Scalar;
use dualbody::identification::{Experiment, IdentificationError, Unknown};

/// Standard deviations of the wrench, N and N·m, as a model like this one leaves them; they last for
/// about a second.
pub const DEVIATIONS: [f64; 6] = [2.0, 2.0, 2.0, 3.0, 4.0, 0.5];
const CORRELATION_TIME: f64 = 1.0;
const GRAVITY: f64 = 9.81;
/// Angle in rad over which a stop comes to bear: what the markers resolve.
const STOP_WIDTH: f64 = 5e-5;

/// What holds the base in roll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roll {
    Spring,
    Stops,
}

impl Roll {
    pub const ALL: [Roll; 2] = [Roll::Spring, Roll::Stops];

    pub fn name(self) -> &'static str {
        match self {
            Roll::Spring => "a spring in roll",
            Roll::Stops => "two stops in roll",
        }
    }
}

/// The unknowns: all are left to the data.
///
/// # Errors
/// None that a user can cause.
pub fn unknowns(
    observation: &Observation,
    roll: Roll,
) -> Result<Vec<Unknown>, IdentificationError> {
    let positive =
        |name: &str, unit: &str, start: f64| Unknown::new(name, unit, start)?.logarithmic();
    let signed = |name: &str, unit: &str, start: f64, scale: f64| {
        Unknown::new(name, unit, start)?.scale(scale)
    };
    let mut list = vec![
        positive("roll/stiffness", "N·m/rad", 2e4)?,
        positive("pitch/stiffness", "N·m/rad", 2e4)?,
        positive("pitch/creeping stiffness", "N·m/rad", 1e4)?,
        positive("creep/time constant", "s", 1.0)?,
        signed("roll by pitch/stiffness", "N·m/rad", 0.0, 5e3)?,
        signed("heave by pitch/stiffness", "N/rad", 0.0, 5e3)?,
        signed("heave by pitch/creeping stiffness", "N/rad", 0.0, 5e3)?,
    ];
    for (name, mean) in crate::CHANNELS.iter().zip(observation.mean_wrench()) {
        let unit = if name.starts_with('f') { "N" } else { "N·m" };
        list.push(signed(&format!("offset/{name}"), unit, mean, 5.0)?);
    }
    list.extend([
        positive("mass/height", "m", 0.9)?,
        signed("arm/x", "m", 0.0, 0.3)?,
        signed("arm/y", "m", 0.0, 0.3)?,
        signed("wrench/delay", "s", 0.0, 0.03)?,
    ]);
    if roll == Roll::Stops {
        let (lowest, highest) = observation.range_of_roll();
        let range = highest - lowest;
        let width = Unknown::new("roll/gap", "rad", 0.2 * range)?;
        list.extend([
            signed(
                "roll/middle of the gap",
                "rad",
                0.5 * (lowest + highest),
                range,
            )?,
            width.scale(range)?.bounds(0.0, 3.0 * range)?,
        ]);
    }
    Ok(list)
}

/// The record as an experiment.
pub struct Suspension<'a> {
    observation: &'a Observation,
    signs: [f64; 2],
}

impl<'a> Suspension<'a> {
    pub fn new(observation: &'a Observation) -> Self {
        Suspension {
            observation,
            signs: force_signs(observation),
        }
    }

    /// The wrench at all samples, N and N·m.
    pub fn predict<T: Scalar>(&self, values: &[T]) -> Vec<[T; 6]> {
        let observation = self.observation;
        let [
            roll,
            pitch,
            creeping,
            time_constant,
            coupling,
            heave,
            heave_creeping,
        ] = std::array::from_fn(|i| values[i]);
        let [height, x, y, delay] = std::array::from_fn(|i| values[13 + i]);
        let tilt = observation.tilt(delay);
        let pitches: Vec<T> = tilt.iter().map(|&[_, b]| b).collect();
        let crept = lag(&pitches, observation.decay(time_constant));
        let held = |angle: T| match values[17..] {
            [middle, width] => gap(angle - middle, width),
            _ => angle,
        };
        let mx: Vec<T> = (tilt.iter())
            .map(|&[a, b]| roll * held(a) + coupling * b)
            .collect();
        let my: Vec<T> = (tilt.iter().zip(&crept))
            .map(|(&[a, b], &s)| pitch * b + creeping * (b - s) + coupling * a)
            .collect();
        let forces = balance(&mx, &my, height, observation);
        (0..tilt.len())
            .map(|i| {
                let (b, [fx, fy]) = (pitches[i], forces[i]);
                let fz = heave * b + heave_creeping * (b - crept[i]);
                let mz = x * fy - y * fx;
                let wrench = [fx * self.signs[0], fy * self.signs[1], fz, mx[i], my[i], mz];
                std::array::from_fn(|c| wrench[c] + values[7 + c])
            })
            .collect()
    }
}

/// How far an angle from the middle of a gap is beyond its ends, each end smoothed.
fn gap<T: Scalar>(angle: T, width: T) -> T {
    // ln(1 + eˣ), without overflow.
    let beyond = |angle: T| {
        let x = (angle - width * 0.5) / STOP_WIDTH;
        let positive = if x.re() > 0.0 { x } else { T::zero() };
        let magnitude = if x.re() > 0.0 { x } else { -x };
        (positive + (-magnitude).exp().ln_1p()) * STOP_WIDTH
    };
    beyond(angle) - beyond(-angle)
}

/// Horizontal forces from torques by the balance of momentum.
fn balance<T: Scalar>(mx: &[T], my: &[T], height: T, observation: &Observation) -> Vec<[T; 2]> {
    let decay = observation.decay((height / T::from(GRAVITY)).sqrt());
    let (slow_x, slow_y) = (two_sided_lag(mx, decay), two_sided_lag(my, decay));
    (0..mx.len())
        .map(|i| [(my[i] - slow_y[i]) / height, -(mx[i] - slow_x[i]) / height])
        .collect()
}

/// Signs with which the plate measures fx and fy: those of their correlations with what the balance
/// of momentum makes of the measured torques.
pub fn force_signs(observation: &Observation) -> [f64; 2] {
    let samples = &observation.wrench[observation.fitted.clone()];
    let mean = observation.mean_wrench();
    let torque = |axis| samples.iter().map(|w| w[axis]).collect::<Vec<_>>();
    let forces = balance(&torque(3), &torque(4), 1.0, observation);
    [0, 1].map(|axis| {
        let product: f64 = (samples.iter().zip(&forces))
            .map(|(w, f)| (w[axis] - mean[axis]) * f[axis])
            .sum();
        if product < 0.0 { -1.0 } else { 1.0 }
    })
}

impl Experiment for Suspension<'_> {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        6 * self.observation.fitted.len()
    }

    fn residuals<T: Scalar>(&self, unknowns: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        let inflation = (CORRELATION_TIME * self.observation.rate).sqrt();
        let predicted = self.predict(unknowns);
        for (i, r) in self
            .observation
            .fitted
            .clone()
            .zip(residuals.chunks_exact_mut(6))
        {
            for c in 0..6 {
                let deviation = T::from(DEVIATIONS[c] * inflation);
                r[c] = (predicted[i][c] - self.observation.wrench[i][c]) / deviation;
            }
        }
        Ok(())
    }
}
