//! The wrench that a base on its wheels applies to the ground, from its motion.
//!
//! # Suspension
//! Displacements are below 1 mm and 20 mrad, so that a bushing is linear in the displacement
//! `ξ = [d; θ]` of the base. In a frame F of its own, with the point `p` and the rotation `R`, it sees
//! `ξ_F = [Rᵀ(d + θ × p); Rᵀθ]` and answers with `K ξ_F + D ξ̇_F`, K and D diagonal: twelve constants. A second
//! bushing in another frame yields: rubber and castors creep, so that its spring sees `ξ_F − s` with
//! `τ ṡ = ξ_F − s` (a Maxwell element). Both carry the weight, and add up with the wrench at rest.
//!
//! # Balance of momentum
//! Horizontally the wheels hold by friction and slip, so that the displacement says little of the force.
//! The mass above says more: with its mean height `h`, gravity `g` and its centre `c`, the torque about the plate
//! is `m_y = m g c_x − h m c̈_x` and the force `f_x = −m c̈_x`. So `m g c_x` is the bounded solution of
//! `s − τ² s̈ = m_y` with `τ² = h/g`, and `f_x = (m_y − s)/h`; likewise `f_y = −(m_x − s)/h`. Both are
//! evaluated with the torques that the bushings predict.

use crate::record::Record;
use crate::signal::{lag, low_pass, rate_of_change, two_sided_lag};
use dualbody::Scalar;
use dualbody::identification::{Experiment, IdentificationError, Unknown};
use dualbody::math::rotation;
use nalgebra::Vector3;

/// Cut-off in Hz below which prediction and measurement are compared.
const CUTOFF: f64 = 2.5;
/// Rate of the samples that are compared, Hz: four times what the filter leaves.
const RATE: f64 = 20.0;
/// Origin of the plate in the frame of the cameras, m.
const PLATE: [f64; 3] = [0.9, 0.45, 0.0];
/// Standard deviations of the wrench, N and N·m, as a model like this one leaves them; they last for
/// about a second.
const DEVIATIONS: [f64; 6] = [2.0, 2.0, 2.0, 3.0, 4.0, 0.5];
const CORRELATION_TIME: f64 = 1.0;
const GRAVITY: f64 = 9.81;

/// Motion and wrench below the cut-off.
pub struct Observation {
    /// Rate of the samples, Hz.
    pub rate: f64,
    /// Displacements of the base, m and rad.
    pub displacement: Vec<[f64; 6]>,
    /// Their rates.
    pub velocity: Vec<[f64; 6]>,
    /// Force in N, torque about the origin of the plate in N·m.
    pub wrench: Vec<[f64; 6]>,
    /// Samples that are fitted.
    pub fitted: std::ops::Range<usize>,
    /// First sample of the test.
    pub split: usize,
    /// From the plate to the centre of the markers, m.
    center: Vector3<f64>,
}

impl Observation {
    /// The record, of which the samples before `split` are fitted except for the first `skip` seconds.
    pub fn new(record: &Record, split: usize, skip: f64) -> Self {
        let every = (record.rate / RATE).round().max(1.0) as usize;
        let (raw, center) = record.displacements((2.0 * record.rate) as usize);
        // The test is not seen through the filter by what is fitted.
        let filtered = |signal: &[[f64; 6]]| {
            let mut parts = channels(&signal[..split], record.rate, low_passed);
            let all = channels(signal, record.rate, low_passed);
            parts.extend_from_slice(&all[split..]);
            parts
        };
        let displacement = filtered(&raw);
        let velocity = channels(&displacement, record.rate, rate_of_change);
        let wrench = filtered(&record.wrench);
        let thin = |signal: Vec<[f64; 6]>| signal.into_iter().step_by(every).collect::<Vec<_>>();
        let split = split.div_ceil(every);
        let rate = record.rate / every as f64;
        Observation {
            rate,
            displacement: thin(displacement),
            velocity: thin(velocity),
            wrench: thin(wrench),
            fitted: (skip * rate).ceil() as usize..split,
            split,
            center: center - Vector3::from(PLATE),
        }
    }

    /// Mean wrench of what is fitted.
    fn mean_wrench(&self) -> [f64; 6] {
        let samples = &self.wrench[self.fitted.clone()];
        std::array::from_fn(|c| samples.iter().map(|w| w[c]).sum::<f64>() / samples.len() as f64)
    }

    /// Signs with which the plate measures fx and fy: those of their correlations with what the balance
    /// of momentum makes of the measured torques.
    pub fn force_signs(&self) -> [f64; 2] {
        let samples = &self.wrench[self.fitted.clone()];
        let mean = self.mean_wrench();
        let (height, decay) = (1.0, self.decay(f64::sqrt(1.0 / GRAVITY)));
        let torque = |axis| samples.iter().map(|w| w[axis]).collect::<Vec<_>>();
        let forces = balance(&torque(3), &torque(4), height, decay);
        [0, 1].map(|axis| {
            let product: f64 = (samples.iter().zip(&forces))
                .map(|(w, f)| (w[axis] - mean[axis]) * f[axis])
                .sum();
            if product < 0.0 { -1.0 } else { 1.0 }
        })
    }

    /// e^(−δt/τ) over an interval of the samples.
    fn decay<T: Scalar>(&self, time_constant: T) -> T {
        (-(time_constant * self.rate).recip()).exp()
    }

    /// The motion in m, rad and s⁻¹, `delay` seconds before each sample.
    fn delayed<T: Scalar>(&self, delay: T) -> [Vec<[T; 6]>; 2] {
        let last = self.displacement.len() - 1;
        [&self.displacement, &self.velocity].map(|signal| {
            (0..=last)
                .map(|i| {
                    let at = -delay * self.rate + i as f64;
                    let before = at.re().floor().clamp(0.0, (last - 1) as f64);
                    let (weight, before) = (at - before, before as usize);
                    std::array::from_fn(|c| {
                        let (a, b) = (signal[before][c], signal[before + 1][c]);
                        weight * (b - a) + a
                    })
                })
                .collect()
        })
    }
}

fn low_passed(signal: &[f64], rate: f64) -> Vec<f64> {
    low_pass(signal, CUTOFF, rate)
}

/// Works each of six channels on its own.
fn channels(
    signal: &[[f64; 6]],
    rate: f64,
    work: impl Fn(&[f64], f64) -> Vec<f64>,
) -> Vec<[f64; 6]> {
    let mut result = vec![[0.0; 6]; signal.len()];
    for c in 0..6 {
        let channel: Vec<f64> = signal.iter().map(|x| x[c]).collect();
        for (row, x) in result.iter_mut().zip(work(&channel, rate)) {
            row[c] = x;
        }
    }
    result
}

/// Horizontal forces from torques by the balance of momentum.
fn balance<T: Scalar>(mx: &[T], my: &[T], height: T, decay: T) -> Vec<[T; 2]> {
    let (slow_x, slow_y) = (two_sided_lag(mx, decay), two_sided_lag(my, decay));
    (0..mx.len())
        .map(|i| [(my[i] - slow_y[i]) / height, -(mx[i] - slow_x[i]) / height])
        .collect()
}

/// An unknown with the mean and standard deviation of what is believed of it before.
struct Prior {
    name: String,
    unit: &'static str,
    mean: f64,
    /// In the unit, or of the logarithm.
    deviation: f64,
    logarithmic: bool,
}

const AXES: [&str; 3] = ["x", "y", "z"];

fn priors(observation: &Observation) -> Vec<Prior> {
    let mut list = Vec::new();
    let mut add = |name: String, unit, mean, deviation, logarithmic| {
        list.push(Prior {
            name,
            unit,
            mean,
            deviation,
            logarithmic,
        });
    };
    for (bushing, yaw, stiffness) in [
        ("elastic", 0.0, [1e3, 1e3, 1e4, 1e4, 1e4, 1e2]),
        ("creeping", 0.5, [1e4, 1e4, 1e4, 1e4, 1e4, 1e3]),
    ] {
        for (axis, mean) in AXES.iter().zip([0.0, 0.0, -0.2]) {
            add(format!("{bushing}/point/{axis}"), "m", mean, 0.3, false);
        }
        for (axis, mean) in AXES.iter().zip([0.0, 0.0, yaw]) {
            add(
                format!("{bushing}/rotation/{axis}"),
                "rad",
                mean,
                0.3,
                false,
            );
        }
        for (c, mean) in stiffness.into_iter().enumerate() {
            let (kind, unit) = [("force", "N/m"), ("torque", "N·m/rad")][c / 3];
            let name = format!("{bushing}/{kind}_stiffness/{}", AXES[c % 3]);
            add(name, unit, mean, 2.0, true);
        }
    }
    for c in 0..6 {
        let (kind, unit) = [("force", "N·s/m"), ("torque", "N·m·s/rad")][c / 3];
        let name = format!("elastic/{kind}_damping/{}", AXES[c % 3]);
        add(name, unit, 1e2, 2.0, true);
    }
    add("creeping/time constant".to_owned(), "s", 1.0, 1.0, true);
    for (c, mean) in observation.mean_wrench().into_iter().enumerate() {
        let unit = ["N", "N·m"][c / 3];
        add(
            format!("offset/{}", crate::CHANNELS[c]),
            unit,
            mean,
            20.0,
            false,
        );
    }
    add("height of the mass".to_owned(), "m", 0.9, 0.5, true);
    add("delay of the wrench".to_owned(), "s", 0.0, 0.05, false);
    list
}

/// The unknowns, starting where their priors are.
///
/// # Errors
/// None that a user can cause.
pub fn unknowns(observation: &Observation) -> Result<Vec<Unknown>, IdentificationError> {
    (priors(observation).into_iter())
        .map(|prior| {
            let unknown = Unknown::new(prior.name, prior.unit, prior.mean)?;
            let unknown = if prior.logarithmic {
                unknown.logarithmic()?
            } else {
                unknown.scale(prior.deviation)?
            };
            unknown.with_prior(prior.mean, prior.deviation)
        })
        .collect()
}

/// The record as an experiment.
pub struct Suspension<'a> {
    observation: &'a Observation,
    signs: [f64; 2],
}

/// A bushing's frame and stiffness.
struct Frame<T> {
    point: Vector3<T>,
    rotation: nalgebra::Matrix3<T>,
}

impl<T: Scalar> Frame<T> {
    /// Point and rotation vector.
    fn new(values: &[T]) -> Self {
        Frame {
            point: Vector3::from_row_slice(&values[..3]),
            rotation: rotation::exp(&Vector3::from_row_slice(&values[3..6])),
        }
    }

    /// A displacement of the base, or its rate, as the frame sees it.
    fn seen(&self, x: &[T; 6]) -> [T; 6] {
        let (d, turn) = (
            Vector3::from_row_slice(&x[..3]),
            Vector3::from_row_slice(&x[3..]),
        );
        let d = self.rotation.tr_mul(&(d + turn.cross(&self.point)));
        let turn = self.rotation.tr_mul(&turn);
        [d.x, d.y, d.z, turn.x, turn.y, turn.z]
    }

    /// A wrench in the frame as the plate sees it.
    fn wrench(&self, w: &[T; 6], center: &Vector3<T>) -> [T; 6] {
        let force = self.rotation * Vector3::from_row_slice(&w[..3]);
        let torque = self.rotation * Vector3::from_row_slice(&w[3..]);
        let torque = torque + (center + self.point).cross(&force);
        [force.x, force.y, force.z, torque.x, torque.y, torque.z]
    }
}

impl<'a> Suspension<'a> {
    pub fn new(observation: &'a Observation) -> Self {
        Suspension {
            observation,
            signs: observation.force_signs(),
        }
    }

    /// The wrench at all samples, N and N·m.
    pub fn predict<T: Scalar>(&self, values: &[T]) -> Vec<[T; 6]> {
        let observation = self.observation;
        let (elastic, creeping) = (Frame::new(&values[..6]), Frame::new(&values[12..18]));
        let (stiffness, yielding, damping) = (&values[6..12], &values[18..24], &values[24..30]);
        let (time_constant, offset) = (values[30], &values[31..37]);
        let (height, delay) = (values[37], values[38]);
        let center = observation.center.map(T::from);

        let [displacement, velocity] = observation.delayed(delay);
        let seen: Vec<[T; 6]> = displacement.iter().map(|x| creeping.seen(x)).collect();
        let decay = observation.decay(time_constant);
        let crept: [Vec<T>; 6] = std::array::from_fn(|c| {
            let channel: Vec<T> = seen.iter().map(|x| x[c]).collect();
            lag(&channel, decay)
        });
        let mut wrench: Vec<[T; 6]> = (0..seen.len())
            .map(|i| {
                let (x, v) = (elastic.seen(&displacement[i]), elastic.seen(&velocity[i]));
                let held = std::array::from_fn(|c| stiffness[c] * x[c] + damping[c] * v[c]);
                let yields = std::array::from_fn(|c| yielding[c] * (seen[i][c] - crept[c][i]));
                let (held, yields) = (
                    elastic.wrench(&held, &center),
                    creeping.wrench(&yields, &center),
                );
                std::array::from_fn(|c| held[c] + yields[c])
            })
            .collect();
        let torque = |axis| wrench.iter().map(|w| w[axis]).collect::<Vec<_>>();
        let decay = observation.decay((height / T::from(GRAVITY)).sqrt());
        let forces = balance(&torque(3), &torque(4), height, decay);
        for (w, f) in wrench.iter_mut().zip(forces) {
            for axis in 0..2 {
                w[axis] = f[axis] * self.signs[axis];
            }
            for (w, &offset) in w.iter_mut().zip(offset) {
                *w += offset;
            }
        }
        wrench
    }
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
