//! What was measured on a recording beside what was fitted to it.

use super::error::MotionError;
use super::experiment::MotionExperiment;

/// A signal of a recording, and its residuals.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// Name of the signal.
    pub signal: String,
    /// Its unit; empty for an output, which may have any.
    pub unit: &'static str,
    /// Standard deviation of its noise.
    pub deviation: f64,
    /// The samples at which it was measured, in s.
    pub times: Vec<f64>,
    /// What was measured there.
    pub measured: Vec<f64>,
    /// The residuals there, in deviations: what is fitted is the measured value and the deviation times these.
    pub residuals: Vec<f64>,
}

impl Comparison {
    /// What is fitted, at the same times.
    pub fn fitted(&self) -> impl Iterator<Item = f64> + '_ {
        let all = self.measured.iter().zip(&self.residuals);
        all.map(|(m, r)| m + r * self.deviation)
    }
}

impl MotionExperiment {
    /// What was measured beside these residuals, as [`Self::channel_residuals`] takes them, signal by signal. Rotations are
    /// left out.
    ///
    /// # Errors
    /// As there.
    pub fn comparisons(&self, residuals: &[f64]) -> Result<Vec<Comparison>, MotionError> {
        let by_entry = self.by_entry(residuals)?;
        let channels = self.model.channels().iter().zip(&by_entry).enumerate();
        let entries = channels.flat_map(|(c, (channel, entries))| {
            // Three of a rotation belong to the four signals of a quaternion.
            let (first, offset) = if channel.rotates { (3, 1) } else { (0, 0) };
            (entries.iter().enumerate().skip(first)).map(move |(i, series)| {
                let signal = i + offset;
                let (name, unit) = &channel.signals[signal];
                let rows = || series.iter().map(|&(row, _)| row);
                Comparison {
                    signal: name.clone(),
                    unit: unit.unwrap_or_default(),
                    deviation: channel.deviations[i],
                    times: rows().map(|row| self.sample_time(row, c)).collect(),
                    measured: rows().map(|row| self.signals(row, c)[signal]).collect(),
                    residuals: series.iter().map(|&(_, r)| r).collect(),
                }
            })
        });
        Ok(entries.collect())
    }
}
