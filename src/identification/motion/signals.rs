//! Signals over time.

use super::error::MotionError;
use super::unit::in_si;
use crate::InvalidInput;
use crate::spelling::{Proposal, nearest_paths};

/// Times of samples may be off the rate by this part of the interval.
pub(super) const JITTER: f64 = 1e-3;

/// Sampled signals with names and units, at a constant rate. NaN is a sample that is missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Signals {
    start: f64,
    interval: f64,
    columns: Vec<Column>,
    /// Of the samples in the table that they were read from.
    lines: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Column {
    name: String,
    unit: String,
    values: Vec<f64>,
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
        Ok(Signals {
            start,
            interval,
            columns: Vec::new(),
            lines: Vec::new(),
        })
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
        } else if !self.columns.is_empty() && values.len() != self.len() {
            let (n, expected) = (values.len(), self.len());
            Some(format!("{n} samples, others have {expected}"))
        } else {
            let infinite = values.iter().position(|x| x.is_infinite());
            infinite.map(|i| format!("{} is infinite", self.place(i)))
        };
        if let Some(reason) = reason {
            return Err(MotionError::Signal {
                signal: name,
                reason,
            });
        }
        self.columns.push(Column { name, unit, values });
        Ok(self)
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, |c| c.values.len())
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time of the first sample, in s.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Time from sample to sample, in s.
    pub fn interval(&self) -> f64 {
        self.interval
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
        self.lines = lines;
        self
    }

    pub(super) fn lines(&self) -> &[u64] {
        &self.lines
    }

    pub(super) fn place(&self, sample: usize) -> String {
        place(&self.lines, sample)
    }
}

/// Where a sample is: its line in the table or else its number.
pub(super) fn place(lines: &[u64], sample: usize) -> String {
    match lines.get(sample) {
        Some(line) => format!("line {line}"),
        None => format!("sample {sample}"),
    }
}
