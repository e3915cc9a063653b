//! Motion and wrench below a cut-off.

use crate::record::Record;
use crate::signal::{low_pass, rate_of_change};
use dualbody::Scalar;
use std::ops::Range;

/// Cut-off in Hz below which prediction and measurement are compared.
const CUTOFF: f64 = 2.5;
/// Rate of the samples that are compared, Hz: four times what the filter leaves.
const RATE: f64 = 20.0;

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
    pub fitted: Range<usize>,
    /// First sample of the test.
    pub split: usize,
}

impl Observation {
    /// The record, of which the samples before `split` are fitted except for the first `skip` seconds.
    pub fn new(record: &Record, split: usize, skip: f64) -> Self {
        let every = (record.rate / RATE).round().max(1.0) as usize;
        let raw = record.displacements((2.0 * record.rate) as usize);
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
        }
    }

    /// Mean wrench of what is fitted.
    pub fn mean_wrench(&self) -> [f64; 6] {
        let samples = &self.wrench[self.fitted.clone()];
        std::array::from_fn(|c| samples.iter().map(|w| w[c]).sum::<f64>() / samples.len() as f64)
    }

    /// Least and largest roll of what is fitted, rad.
    pub fn range_of_roll(&self) -> (f64, f64) {
        let rolls = self.displacement[self.fitted.clone()].iter().map(|x| x[3]);
        rolls.fold((f64::MAX, f64::MIN), |(least, most), x| {
            (least.min(x), most.max(x))
        })
    }

    /// e^(−δt/τ) over an interval of the samples.
    pub fn decay<T: Scalar>(&self, time_constant: T) -> T {
        (-(time_constant * self.rate).recip()).exp()
    }

    /// Roll and pitch in rad, `delay` seconds before each sample.
    pub fn tilt<T: Scalar>(&self, delay: T) -> Vec<[T; 2]> {
        let last = self.displacement.len() - 1;
        (0..=last)
            .map(|i| {
                let at = -delay * self.rate + i as f64;
                let before = at.re().floor().clamp(0.0, (last - 1) as f64);
                let (weight, before) = (at - before, before as usize);
                [3, 4].map(|c| {
                    let (a, b) = (
                        self.displacement[before][c],
                        self.displacement[before + 1][c],
                    );
                    weight * (b - a) + a
                })
            })
            .collect()
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
