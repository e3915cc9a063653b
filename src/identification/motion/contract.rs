//! What data must be like for a fit to mean something, checked before anything is fitted.

use super::columns::{Column, Columns};
use super::grid::{NEAR, Span};
use super::hold::Hold;
use super::signals::{JITTER, usual_interval};
use crate::error::Short;
use std::fmt;

/// A sample that comes later than so many usual intervals after the one before comes after a gap.
const LATE: f64 = 1.5;
/// Times from sample to sample that are off the usual one by more than this part are irregular,
const IRREGULAR: f64 = 0.2;
/// and a signal whose times are so in this part is.
const OFTEN: f64 = 0.05;
/// Samples of the same value at an end of the range that make a flat top.
const FLAT: usize = 3;
/// How steep a signal must run into a flat top, in its usual changes and in the smallest, which may be a step of a counter: one
/// that comes to rest slows down before.
const STEEP: f64 = 0.5;
const STEPS: f64 = 2.5;
/// Flat tops from which a signal is said to be saturated.
const TOPS: usize = 2;
/// Digits of times from sample to sample.
const DIGITS: usize = 4;
/// Cosine of the angle between two inputs from which they are said to be proportional.
const PROPORTIONAL: f64 = 0.9999;

/// How bad a [`Finding`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Severity {
    /// A fit may be doubtful.
    Warning,
    /// A fit would be wrong, and there is none.
    Error,
}

/// What kind of defect a [`Finding`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Defect {
    /// Nothing was recorded.
    Missing,
    /// An input is not known during a part of the recording.
    Coverage,
    /// Samples are missing: later than 1.5 usual intervals after the one before. An error of an input, unless its
    /// [`Hold`] is [`Hold::OnChange`].
    Gap,
    /// Times scatter about a rate: one in twenty is off by a fifth of the usual interval. Samples of a channel that are nearer
    /// than half of that to each other, of which only the last may count.
    Rate,
    /// It stays at an end of its range, into which it runs without slowing down, twice or more.
    Saturation,
    /// An input or a channel never changes, or two inputs are proportional.
    Excitation,
}

/// A defect of the data of a recording.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    /// Whether a fit would be wrong or doubtful.
    pub severity: Severity,
    /// What kind it is.
    pub defect: Defect,
    /// The recording.
    pub recording: String,
    /// The table, if it was read from a file.
    pub file: Option<String>,
    /// The signal.
    pub signal: String,
    /// The line of the table, `line 14`, or else the number of the sample, `sample 12`.
    pub place: String,
    /// Its time, in s.
    pub time: f64,
    /// What was found.
    pub reason: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (recording, signal, place) = (&self.recording, &self.signal, &self.place);
        write!(f, "recording {recording:?}, ")?;
        if let Some(file) = &self.file {
            write!(f, "{file}, ")?;
        }
        let time = Short::to_digits(self.time, 9);
        write!(f, "signal {signal:?}, {place} ({time} s): {}", self.reason)
    }
}

/// A signal of a recording, as it was recorded.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RecordedSignal {
    /// Its name.
    pub signal: String,
    /// The table, if it was read from a file.
    pub file: Option<String>,
    /// Number of samples that are not missing.
    pub samples: usize,
    /// Median time from one to the next in s; `None` for fewer than two.
    pub interval: Option<f64>,
    /// Times of the first and the last in s; `None` for none.
    pub span: Option<[f64; 2]>,
    /// The smallest and the largest value, in SI units; `None` for none.
    pub range: Option<[f64; 2]>,
}

/// The checks of one recording.
pub(super) struct Contract<'c> {
    pub recording: &'c str,
    pub columns: &'c Columns<'c>,
    pub holds: &'c [Hold],
    pub span: Span,
    pub findings: Vec<Finding>,
}

impl Contract<'_> {
    /// The signals that were recorded.
    pub fn signals(&self) -> Vec<RecordedSignal> {
        self.recorded()
            .map(|(column, _)| {
                let times = column.times();
                let values = || column.present().map(|i| column.values[i]);
                let ends = times.first().zip(times.last());
                RecordedSignal {
                    signal: column.name.to_owned(),
                    file: column.table.places().file.clone(),
                    samples: times.len(),
                    interval: usual_interval(&times),
                    span: ends.map(|(first, last)| [*first, *last]),
                    range: ends.map(|_| {
                        [
                            values().fold(f64::INFINITY, f64::min),
                            values().fold(f64::NEG_INFINITY, f64::max),
                        ]
                    }),
                }
            })
            .collect()
    }

    /// Signals of channels, and of inputs with their holds.
    fn recorded(&self) -> impl Iterator<Item = (Column<'_>, Option<Hold>)> {
        let measured = self.columns.measured.iter().flatten();
        let inputs = self.columns.inputs.iter().zip(self.holds);
        let all = (measured.map(|c| (*c, None))).chain(inputs.map(|(c, h)| (*c, Some(*h))));
        all.filter(|(column, _)| !column.table.is_assumed(column.name))
    }

    /// Adds a finding about a sample of a signal.
    fn find(
        findings: &mut Vec<Finding>,
        (recording, column, sample): (&str, Column, usize),
        severity: Severity,
        defect: Defect,
        reason: String,
    ) {
        let places = column.table.places();
        findings.push(Finding {
            severity,
            defect,
            recording: recording.to_owned(),
            file: places.file.clone(),
            signal: column.name.to_owned(),
            place: places.within().of(sample),
            time: column.table.time(sample),
            reason,
        });
    }

    /// Restricts the span to where all inputs are known; of a `start` that is given it is an error if that is not all.
    pub fn cover(&mut self, is_start_given: bool) {
        let whole = self.span;
        let mut findings = Vec::new();
        let inputs = self.columns.inputs.iter().zip(self.holds);
        for (column, hold) in inputs.filter(|(c, _)| !c.table.is_assumed(c.name)) {
            let present: Vec<usize> = column.present().collect();
            let [Some(&first), Some(&last)] = [present.first(), present.last()] else {
                continue;
            };
            let reach = match hold {
                Hold::OnChange => f64::INFINITY,
                _ => LATE * usual_interval(&column.times()).unwrap_or(0.0),
            };
            let [from, to] = [first, last].map(|sample| column.table.time(sample));
            // Beyond what times may be off their rate.
            let begins_late = from > self.span.start + 2.0 * JITTER * column.table.interval();
            let mut found = |sample, severity, side: &str| {
                let [of, ends] = match side {
                    "begins" => [from, whole.start],
                    _ => [to, whole.end],
                }
                .map(|t| Short::to_digits(t, 9).to_string());
                let reason = format!(
                    "this input {side} at {of} s and the recording at {ends} s: only the part in which it is known is used"
                );
                let at = (self.recording, *column, sample);
                Self::find(&mut findings, at, severity, Defect::Coverage, reason);
            };
            if begins_late {
                let severity = match is_start_given {
                    true => Severity::Error,
                    false => Severity::Warning,
                };
                found(first, severity, "begins");
                self.span.start = from;
            }
            if to + reach < self.span.end {
                found(last, Severity::Warning, "ends");
                self.span.end = to;
            }
        }
        self.findings.extend(findings);
    }

    /// Checks every signal by itself, and the inputs beside each other.
    pub fn check(&mut self) {
        let mut findings = Vec::new();
        for (column, hold) in self.recorded() {
            let mut found = |sample, severity, defect, reason| {
                let at = (self.recording, column, sample);
                Self::find(&mut findings, at, severity, defect, reason);
            };
            let present: Vec<usize> = column.present().collect();
            if present.is_empty() {
                let severity = match hold {
                    Some(_) => Severity::Error,
                    None => Severity::Warning,
                };
                found(0, severity, Defect::Missing, "it has no samples".to_owned());
                continue;
            }
            if hold != Some(Hold::OnChange) {
                gaps(column, &present, hold.is_some(), &mut found);
            }
            flat_tops(column, &present, &mut found);
            let value = column.values[present[0]];
            if present.len() > FLAT && present.iter().all(|&i| column.values[i] == value) {
                let reason = format!("it is {} throughout", Short(value));
                found(present[0], Severity::Warning, Defect::Excitation, reason);
            }
        }
        for (k, column) in self.columns.inputs.iter().enumerate() {
            let others = &self.columns.inputs[..k];
            if let Some(other) = others.iter().find(|other| are_proportional(column, other)) {
                let reason = format!(
                    "it is proportional to {:?}: what each of them does cannot be told apart",
                    other.name
                );
                let at = (self.recording, *column, 0);
                let severity = Severity::Warning;
                Self::find(&mut findings, at, severity, Defect::Excitation, reason);
            }
        }
        self.findings.extend(findings);
    }
}

type Found<'f> = dyn FnMut(usize, Severity, Defect, String) + 'f;

/// Gaps of a signal, and times that scatter.
fn gaps(column: Column, present: &[usize], is_input: bool, found: &mut Found) {
    let times = column.times();
    let Some(usual) = usual_interval(&times) else {
        return;
    };
    let intervals = || times.windows(2).map(|t| t[1] - t[0]);
    let late = |h: f64| h > LATE * usual;
    let longest = (intervals().enumerate()).max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((k, longest)) = longest.filter(|(_, h)| late(*h)) {
        // The first row that lacks it, if there is one.
        let place = match present[k + 1] > present[k] + 1 {
            true => present[k] + 1,
            false => present[k + 1],
        };
        let count = intervals().filter(|h| late(*h)).count();
        let [longest, usual] = [longest, usual].map(|h| Short::to_digits(h, DIGITS));
        let (severity, what) = match is_input {
            true => (
                Severity::Error,
                "; what this input was there is not known, unless it is written only when it changes (hold \"OnChange\")",
            ),
            false => (Severity::Warning, ""),
        };
        let reason = format!(
            "no sample for {longest} s, where most are {usual} s apart; the longest of {count} gaps{what}"
        );
        found(place, severity, Defect::Gap, reason);
    }
    let near = || intervals().enumerate().filter(|(_, h)| *h < NEAR * usual);
    if let Some((first, _)) = near().next().filter(|_| !is_input) {
        let reason = format!(
            "{} samples come less than half of the usual {} s after the one before: of those between the same rows the last counts",
            near().count(),
            Short::to_digits(usual, DIGITS)
        );
        found(present[first + 1], Severity::Warning, Defect::Rate, reason);
    }
    let is_irregular = |h: &f64| !late(*h) && (h - usual).abs() > IRREGULAR * usual;
    let count = intervals().filter(is_irregular).count();
    if count as f64 > OFTEN * present.len() as f64 && !column.table.is_at_rate() {
        let first = intervals().position(|h| is_irregular(&h)).unwrap_or(0);
        let reason = format!(
            "{count} of {} times are off the usual {} s after the one before by more than {} %: are they when it was measured?",
            present.len(),
            Short::to_digits(usual, DIGITS),
            100.0 * IRREGULAR
        );
        found(present[first + 1], Severity::Warning, Defect::Rate, reason);
    }
}

/// Samples in a row at an end of the range, into which the signal does not run slower than it usually changes.
fn flat_tops(column: Column, present: &[usize], found: &mut Found) {
    let values: Vec<f64> = present.iter().map(|&i| column.values[i]).collect();
    let mut changes: Vec<f64> = values.windows(2).map(|x| (x[1] - x[0]).abs()).collect();
    changes.retain(|change| *change > 0.0);
    changes.sort_by(f64::total_cmp);
    let (Some(smallest), Some(usual)) = (changes.first(), changes.get(changes.len() / 2)) else {
        return;
    };
    let steep = (STEEP * usual).max(STEPS * smallest);
    for (end, name) in [
        (
            values.iter().copied().fold(f64::INFINITY, f64::min),
            "smallest",
        ),
        (
            values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            "largest",
        ),
    ] {
        let mut tops = Vec::new();
        let mut from = 0;
        while from < values.len() {
            let run = values[from..].iter().take_while(|x| **x == end).count();
            // The change before the one that is cut off.
            let way = |a: usize, b: usize| Some((values.get(a)? - values.get(b)?).abs());
            let sides = [
                from.checked_sub(2).and_then(|before| way(before, from - 1)),
                way(from + run, from + run + 1),
            ];
            if run >= FLAT && sides.iter().flatten().any(|way| *way >= steep) {
                tops.push((from, run));
            }
            from += run.max(1);
        }
        if let Some(&(first, run)) = tops.iter().max_by_key(|(_, run)| *run)
            && tops.len() >= TOPS
            && are_many(&values, 2 * TOPS)
        {
            let samples: usize = tops.iter().map(|(_, run)| run).sum();
            let reason = format!(
                "it stays at its {name} value, {}, {} times, for {samples} samples in all and here for {run}: is it saturated?",
                Short(end),
                tops.len()
            );
            found(
                present[first],
                Severity::Warning,
                Defect::Saturation,
                reason,
            );
        }
    }
}

/// Whether there are more than so many different values: an input that is switched has few.
fn are_many(values: &[f64], count: usize) -> bool {
    let mut seen: Vec<f64> = Vec::with_capacity(count + 1);
    values.iter().any(|x| {
        if !seen.contains(x) {
            seen.push(*x);
        }
        seen.len() > count
    })
}

/// Whether two inputs of one table are multiples of each other.
fn are_proportional(a: &Column, b: &Column) -> bool {
    if !std::ptr::eq(a.table, b.table) {
        return false;
    }
    let pairs = || {
        a.values
            .iter()
            .zip(b.values)
            .filter(|(x, y)| !(x.is_nan() || y.is_nan()))
    };
    let sum = |f: fn((&f64, &f64)) -> f64| -> f64 { pairs().map(f).sum() };
    let [xx, yy, xy] = [
        sum(|(x, _)| x * x),
        sum(|(_, y)| y * y),
        sum(|(x, y)| x * y),
    ];
    xx > 0.0 && yy > 0.0 && xy.abs() > PROPORTIONAL * (xx * yy).sqrt()
}
