//! Signals from tables.

use super::error::MotionError;
use super::signals::Signals;
use super::unit::in_si;
use crate::spelling::{Proposal, nearest_paths};
use std::collections::BTreeMap;

/// The columns of a table that are read: their titles there, and those that they are to have.
pub(super) struct Titles<'t> {
    chosen: Option<&'t BTreeMap<String, String>>,
}

impl<'t> Titles<'t> {
    /// Those of a table that are named, or all as they are.
    pub fn new(chosen: Option<&'t BTreeMap<String, String>>) -> Self {
        Titles { chosen }
    }

    /// The columns to read, by their positions, with their names and units. The first is that of the time.
    pub fn columns(&self, titles: &[&str]) -> Result<Vec<(usize, String, String)>, MotionError> {
        let failed = |reason: String| MotionError::Table { line: 1, reason };
        let mut columns = Vec::new();
        for (k, title) in titles.iter().enumerate() {
            let title = match self.chosen {
                None => Some(*title),
                Some(chosen) => chosen.get(*title).map(String::as_str),
            };
            if let Some(title) = title {
                let (name, unit) = name_and_unit(title);
                columns.push((k, name, unit));
            }
        }
        for title in self.chosen.iter().flat_map(|chosen| chosen.keys()) {
            if !titles.contains(&title.as_str()) {
                let nearest = nearest_paths(titles.iter().copied(), title);
                let proposal = Proposal(&nearest);
                return Err(failed(format!("there is no column {title:?}{proposal}")));
            }
        }
        let is_time = |(_, name, _): &(usize, String, String)| name == "time";
        let Some(time) = columns.iter().position(is_time) else {
            let only = titles.first().filter(|_| titles.len() == 1);
            let other = only.and_then(|name| name.find([';', '\t']).map(|at| &name[at..=at]));
            return Err(failed(match other {
                Some(separator) => format!("columns are separated by {separator:?}, expected ','"),
                None => "there is no column \"time [s]\"".to_owned(),
            }));
        };
        columns[..=time].rotate_right(1);
        if columns[1..].iter().any(is_time) {
            return Err(failed("there are two columns of time".to_owned()));
        }
        let unit = columns[0].2.as_str();
        match in_si(unit) {
            Some((si, _)) if si == "s" || unit == "1" => Ok(columns),
            _ => Err(failed(format!("time is in {unit:?}, expected s or ms"))),
        }
    }
}

impl Signals {
    /// Reads a table: a line with a name and a unit, `name [unit]`, for each column, and a line for each sample. One
    /// column is `time [s]` (or `[ms]`, `[us]`, `[ns]`; of `time` alone the unit is s), whose values grow; an empty field and
    /// `nan` are samples that are missing. Of a name without a unit the unit is 1.
    ///
    /// Units are those of [`with`](Self::with).
    ///
    /// # Errors
    /// [`MotionError::Table`] with the line of what cannot be read.
    pub fn from_csv(reader: impl std::io::Read) -> Result<Self, MotionError> {
        Self::csv(reader, &Titles::new(None))
    }

    /// As [`Self::from_csv`], of the columns whose titles in the table are keys, read as if they had the title that is the
    /// value. The others are not read and may be text.
    ///
    /// # Errors
    /// As there, and for a title that there is not.
    pub fn from_csv_columns(
        reader: impl std::io::Read,
        titles: &BTreeMap<String, String>,
    ) -> Result<Self, MotionError> {
        Self::csv(reader, &Titles::new(Some(titles)))
    }

    /// Of columns in memory, with titles as those of a [table](Self::from_csv).
    ///
    /// ```
    /// use dualbody::identification::motion::Signals;
    /// let columns = [("time [ms]", [0.0, 10.0]), ("torque [mN m]", [5.0, 6.0])];
    /// let signals = Signals::from_columns(columns.map(|(title, values)| (title, values.to_vec())))?;
    /// assert_eq!(signals.interval(), 0.01);
    /// assert_eq!(signals.signal("torque"), Some((&[5e-3, 6e-3][..], "N m")));
    /// # Ok::<(), dualbody::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`MotionError`] for columns of another number of values than that of the time, and as [`Self::from_csv`] and [`Self::at`].
    pub fn from_columns(
        columns: impl IntoIterator<Item = (impl AsRef<str>, Vec<f64>)>,
    ) -> Result<Self, MotionError> {
        let (titles, mut values): (Vec<_>, Vec<Vec<f64>>) = columns.into_iter().unzip();
        let titles: Vec<&str> = titles.iter().map(AsRef::as_ref).collect();
        let read = Titles::new(None).columns(&titles)?;
        let named = read
            .into_iter()
            .map(|(k, name, unit)| ((name, unit), std::mem::take(&mut values[k])));
        Self::of_columns(named.collect(), Vec::new())
    }

    fn csv(reader: impl std::io::Read, titles: &Titles) -> Result<Self, MotionError> {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(reader);
        let failed = |line: u64, reason: String| MotionError::Table { line, reason };
        let unreadable = |error: csv::Error| {
            let line = error.position().map_or(1, csv::Position::line);
            let reason = match error.kind() {
                csv::ErrorKind::UnequalLengths {
                    expected_len, len, ..
                } => {
                    format!("{len} fields, where the lines before have {expected_len}")
                }
                csv::ErrorKind::Utf8 { .. } => "it is not text in UTF-8".to_owned(),
                _ => error.to_string(),
            };
            failed(line, reason)
        };
        let headers = reader.headers().map_err(unreadable)?.clone();
        let columns = titles.columns(&headers.iter().collect::<Vec<_>>())?;
        let mut values = vec![Vec::new(); columns.len()];
        let mut lines = Vec::new();
        for record in reader.records() {
            let record = record.map_err(unreadable)?;
            let line = record.position().map_or(0, csv::Position::line);
            lines.push(line);
            for (values, (k, name, _)) in values.iter_mut().zip(&columns) {
                let field = record.get(*k).unwrap_or_default();
                let value = match field {
                    "" => Ok(f64::NAN),
                    _ => field.parse(),
                };
                let value = value.ok().filter(|x: &f64| !x.is_infinite());
                let value = value.ok_or_else(|| {
                    failed(line, format!("{name} is {field:?}, expected a number"))
                })?;
                values.push(value);
            }
        }
        let named = columns.into_iter().map(|(_, name, unit)| (name, unit));
        Self::of_columns(named.zip(values).collect(), lines)
    }

    /// Signals of columns, the first of which is the time, and whose samples stand in these lines.
    pub(super) fn of_columns(
        columns: Vec<((String, String), Vec<f64>)>,
        lines: Vec<u64>,
    ) -> Result<Self, MotionError> {
        let failed = |line: u64, reason: String| MotionError::Table { line, reason };
        let mut columns = columns.into_iter();
        let Some(((_, unit), times)) = columns.next().filter(|(_, times)| times.len() > 1) else {
            let reason = "below the names, expected two or more lines of numbers";
            return Err(failed(1, reason.to_owned()));
        };
        let scale = in_si(&unit).map_or(1.0, |(_, scale)| scale);
        let times: Vec<f64> = times.into_iter().map(|t| t * scale).collect();
        for (i, line) in lines.iter().enumerate() {
            let reason = match (i.checked_sub(1).map(|before| times[before]), times[i]) {
                (_, t) if t.is_nan() => "there is no time".to_owned(),
                (Some(before), t) if t <= before => format!("time is {t} s, after {before} s"),
                _ => continue,
            };
            return Err(failed(*line, reason));
        }
        let mut signals = Signals::at(times)?.in_lines(lines);
        for ((name, unit), values) in columns {
            signals = signals.with(name, unit, values)?;
        }
        Ok(signals)
    }
}

/// `name [unit]`.
fn name_and_unit(field: &str) -> (String, String) {
    let (name, unit) = match field.strip_suffix(']').and_then(|f| f.split_once('[')) {
        Some((name, unit)) => (name, unit.trim()),
        None => (field, "1"),
    };
    (name.trim().to_owned(), unit.to_owned())
}
