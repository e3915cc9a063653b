//! Signals in time.

use super::error::MotionError;
use crate::InvalidInput;

/// Times of samples may be off the rate by this part of the interval.
pub(super) const JITTER: f64 = 1e-3;

/// Sampled signals with names and units, at a constant rate. NaN is a sample that is missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Signals {
    start: f64,
    interval: f64,
    columns: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq)]
struct Column {
    name: String,
    unit: String,
    values: Vec<f64>,
}

/// Units that are read, what they are in SI, and how much of it.
const UNITS: [(&str, &str, f64); 11] = [
    ("deg", "rad", std::f64::consts::PI / 180.0),
    ("deg/s", "rad/s", std::f64::consts::PI / 180.0),
    ("mrad", "rad", 1e-3),
    ("rpm", "rad/s", std::f64::consts::PI / 30.0),
    ("mm", "m", 1e-3),
    ("cm", "m", 1e-2),
    ("mm/s", "m/s", 1e-3),
    ("cm/s", "m/s", 1e-2),
    ("kN", "N", 1e3),
    ("N mm", "N m", 1e-3),
    ("ms", "s", 1e-3),
];

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
        })
    }

    /// Adds a signal in its unit (SI; `deg`, `deg/s`, `mrad`, `rpm`, `mm`, `cm`, `mm/s`, `cm/s`, `kN`, `N mm` and
    /// `ms` are converted).
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
        let unit = match UNITS.iter().find(|(found, ..)| *found == unit) {
            Some((_, si, factor)) => {
                values.iter_mut().for_each(|x| *x *= factor);
                (*si).to_owned()
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
            infinite.map(|i| format!("sample {i} is infinite"))
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
}
