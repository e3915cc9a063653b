//! Signals over time.

use super::error::MotionError;
use super::unit::in_si;
use crate::InvalidInput;
use crate::spelling::{Proposal, nearest_paths};

/// Times of samples may be off the rate by this part of the interval.
pub(super) const JITTER: f64 = 1e-3;

/// Sampled signals with names and units, at the same times. NaN is a sample that is missing.
///
/// Signals with times of their own are [`Signals`] of their own, of which a
/// [`MotionExperiment`](super::MotionExperiment) takes any number.
#[derive(Debug, Clone, PartialEq)]
pub struct Signals {
    times: Times,
    columns: Vec<Column>,
    places: Places,
}

/// Where the samples of a table stand.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Places {
    pub file: Option<String>,
    pub lines: Vec<u64>,
}

impl Places {
    /// The line of a sample or else its number, behind the file.
    pub fn of(&self, sample: usize) -> String {
        let place = match self.lines.get(sample) {
            Some(line) => format!("line {line}"),
            None => format!("sample {sample}"),
        };
        match &self.file {
            Some(file) => format!("{file}, {place}"),
            None => place,
        }
    }

    /// The same, without the file.
    pub fn within(&self) -> Self {
        Places {
            file: None,
            lines: self.lines.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Times {
    Rate { start: f64, interval: f64 },
    Own(Vec<f64>),
}

#[derive(Debug, Clone, PartialEq)]
struct Column {
    name: String,
    unit: String,
    values: Vec<f64>,
    /// Whether nobody recorded it.
    is_assumed: bool,
}

impl Signals {
    /// No signals yet; samples are at `start + i interval`, in s.
    ///
    /// # Errors
    /// [`InvalidInput`] unless the start is finite and the interval positive.
    pub fn new(start: f64, interval: f64) -> Result<Self, InvalidInput> {
        InvalidInput::check_finite("start of the signals", &[start])?;
        InvalidInput::check_range(
            "interval of the signals",
            &[interval],
            "a positive time",
            |h| h > 0.0 && h.is_finite(),
        )?;
        Ok(Signals::timed(Times::Rate { start, interval }))
    }

    /// No signals yet, with samples at these times in s. Times that are within a thousandth of the interval of a constant rate
    /// are at that rate.
    ///
    /// # Errors
    /// [`InvalidInput`] for fewer than two times, and unless they are finite and grow.
    pub fn at(times: impl Into<Vec<f64>>) -> Result<Self, InvalidInput> {
        let times = times.into();
        InvalidInput::check_finite("times of the signals", &times)?;
        let [first, .., last] = times[..] else {
            let count = [times.len() as f64];
            InvalidInput::check_range("number of samples", &count, "at least 2", |_| false)?;
            return Signals::new(0.0, 1.0);
        };
        let steps: Vec<f64> = times.windows(2).map(|t| t[1] - t[0]).collect();
        InvalidInput::check_range(
            "times from sample to sample",
            &steps,
            "a positive time",
            |h| h > 0.0 && h.is_finite(),
        )?;
        let interval = (last - first) / (times.len() - 1) as f64;
        let is_at_rate = times.iter().enumerate().all(|(i, t)| {
            let expected = first + interval * i as f64;
            (t - expected).abs() <= JITTER * interval
        });
        match is_at_rate {
            true => Signals::new(first, interval),
            false => Ok(Signals::timed(Times::Own(times))),
        }
    }

    fn timed(times: Times) -> Self {
        Signals {
            times,
            columns: Vec::new(),
            places: Places::default(),
        }
    }

    /// The same signals, which were read from this file.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.places.file = Some(file.into());
        self
    }

    /// Adds a signal in its unit, which is brought to SI: symbols of SI with prefixes, `deg`, `°`, `rev`, `rpm` and `min`,
    /// and what is made of them, such as `mN m`, `N·mm`, `deg/s` or `g cm²`. Other units stay as they are.
    ///
    /// # Errors
    /// [`MotionError::Signal`] when the name is taken, when there are not as many samples as of the others, or one is infinite in SI units.
    pub fn with(
        mut self,
        name: impl Into<String>,
        unit: impl Into<String>,
        values: impl Into<Vec<f64>>,
    ) -> Result<Self, MotionError> {
        let (name, unit, mut values) = (name.into(), unit.into(), values.into());
        let unit = match in_si(&unit) {
            Some((si, factor)) => {
                values.iter_mut().for_each(|x| *x *= factor);
                si
            }
            None => unit,
        };
        let reason = if self.columns.iter().any(|c| c.name == name) {
            Some("there are two of this name".to_owned())
        } else if self.count().is_some_and(|count| values.len() != count) {
            let (n, expected) = (values.len(), self.len());
            Some(format!("{n} samples, others have {expected}"))
        } else {
            let infinite = values.iter().position(|x| x.is_infinite());
            infinite.map(|i| format!("{} is infinite", self.places.within().of(i)))
        };
        if let Some(reason) = reason {
            return Err(MotionError::Signal {
                signal: name,
                reason,
            });
        }
        self.columns.push(Column {
            name,
            unit,
            values,
            is_assumed: false,
        });
        Ok(self)
    }

    /// Adds a signal of zeros, of an input that was zero and that nobody recorded.
    ///
    /// # Errors
    /// [`MotionError::Signal`] when the name is taken.
    pub fn with_zeros(self, name: impl Into<String>) -> Result<Self, MotionError> {
        let zeros = vec![0.0; self.len()];
        let mut signals = self.with(name, "SI", zeros)?;
        if let Some(column) = signals.columns.last_mut() {
            column.is_assumed = true;
        }
        Ok(signals)
    }

    /// How many samples a signal must have, once that is known.
    fn count(&self) -> Option<usize> {
        match &self.times {
            Times::Own(times) => Some(times.len()),
            Times::Rate { .. } => self.columns.first().map(|c| c.values.len()),
        }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.count().unwrap_or(0)
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time of the first sample, in s.
    pub fn start(&self) -> f64 {
        self.time(0)
    }

    /// Time from sample to sample, in s: the median, where they are not at a constant rate.
    pub fn interval(&self) -> f64 {
        match &self.times {
            Times::Rate { interval, .. } => *interval,
            Times::Own(times) => usual_interval(times).unwrap_or(0.0),
        }
    }

    /// Whether samples are at a constant rate.
    pub fn is_at_rate(&self) -> bool {
        matches!(self.times, Times::Rate { .. })
    }

    /// Time of a sample, in s; of one behind the last that of the last.
    pub fn time(&self, sample: usize) -> f64 {
        match &self.times {
            Times::Rate { start, interval } => start + interval * sample as f64,
            Times::Own(times) => times[sample.min(times.len() - 1)],
        }
    }

    /// The last sample at or before a time in s, or within 10⁻⁶ of the interval after it; `None` before the first.
    pub fn sample_at(&self, time: f64) -> Option<usize> {
        let time = time + 1e-6 * self.interval();
        let after = match &self.times {
            Times::Rate { start, interval } => ((time - start) / interval + 1.0).max(0.0) as usize,
            Times::Own(times) => times.partition_point(|t| *t <= time),
        };
        after.min(self.len()).checked_sub(1)
    }

    /// The names of the signals.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|c| c.name.as_str())
    }

    /// The samples of a signal in SI units, with its unit.
    pub fn signal(&self, name: &str) -> Option<(&[f64], &str)> {
        let column = self.columns.iter().find(|c| c.name == name)?;
        Some((&column.values, &column.unit))
    }

    /// The same signals without some, such as columns of a table that nothing is to take.
    ///
    /// # Errors
    /// [`MotionError::Signal`] for one that there is not.
    pub fn without(mut self, names: &[impl AsRef<str>]) -> Result<Self, MotionError> {
        for name in names.iter().map(AsRef::as_ref) {
            let Some(index) = self.columns.iter().position(|c| c.name == name) else {
                let nearest = nearest_paths(self.names(), name);
                return Err(MotionError::Signal {
                    signal: name.to_owned(),
                    reason: format!("there is none of this name{}", Proposal(&nearest)),
                });
            };
            self.columns.remove(index);
        }
        Ok(self)
    }

    /// The same signals, whose samples stand in these lines of a table.
    #[cfg(feature = "serde")]
    pub(super) fn in_lines(mut self, lines: Vec<u64>) -> Self {
        self.places.lines = lines;
        self
    }

    pub(super) fn places(&self) -> &Places {
        &self.places
    }

    /// Whether a signal was not recorded.
    pub(super) fn is_assumed(&self, name: &str) -> bool {
        self.columns.iter().any(|c| c.name == name && c.is_assumed)
    }
}

impl AsRef<[Signals]> for Signals {
    fn as_ref(&self) -> &[Signals] {
        std::slice::from_ref(self)
    }
}

/// The median of the times from sample to sample.
pub(super) fn usual_interval(times: &[f64]) -> Option<f64> {
    let mut intervals: Vec<f64> = times.windows(2).map(|t| t[1] - t[0]).collect();
    intervals.sort_by(f64::total_cmp);
    intervals.get(intervals.len() / 2).copied()
}
