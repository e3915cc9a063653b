//! Signals from tables.

use super::error::MotionError;
use super::signals::{JITTER, Signals};
use super::unit::in_si;

impl Signals {
    /// Reads a table: a line with a name and a unit, `name [unit]`, for each column, and a line for each sample. One
    /// column is `time [s]` (or `[ms]`, `[us]`; of `time` alone the unit is s), at a constant rate to a thousandth of the interval; an empty field and `nan` are samples that are
    /// missing. Of a name without a unit the unit is 1.
    ///
    /// Units are those of [`with`](Self::with).
    ///
    /// # Errors
    /// [`MotionError::Table`] with the line of what cannot be read.
    pub fn from_csv(reader: impl std::io::Read) -> Result<Self, MotionError> {
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
        let names: Vec<(String, String)> = (reader.headers().map_err(unreadable)?.iter())
            .map(name_and_unit)
            .collect();
        let time = names.iter().position(|(name, _)| name == "time");
        let time = time.ok_or_else(|| {
            let only = names.first().filter(|_| names.len() == 1);
            let other = only.and_then(|(name, _)| name.find([';', '\t']).map(|at| &name[at..=at]));
            let reason = match other {
                Some(separator) => format!("columns are separated by {separator:?}, expected ','"),
                None => "there is no column \"time [s]\"".to_owned(),
            };
            failed(1, reason)
        })?;
        let mut columns = vec![Vec::new(); names.len()];
        let mut lines = Vec::new();
        for record in reader.records() {
            let record = record.map_err(unreadable)?;
            let line = record.position().map_or(0, csv::Position::line);
            lines.push(line);
            for ((column, field), (name, _)) in columns.iter_mut().zip(&record).zip(&names) {
                let value = match field {
                    "" => Ok(f64::NAN),
                    _ => field.parse(),
                };
                let value = value.ok().filter(|x: &f64| !x.is_infinite());
                let value = value.ok_or_else(|| {
                    failed(line, format!("{name} is {field:?}, expected a number"))
                })?;
                column.push(value);
            }
        }
        let unit = names[time].1.as_str();
        let scale = match in_si(unit) {
            Some((si, scale)) if si == "s" || unit == "1" => scale,
            _ => return Err(failed(1, format!("time is in {unit:?}, expected s or ms"))),
        };
        let is_time = |(name, _): &&(String, String)| name == "time";
        if names.iter().filter(is_time).count() > 1 {
            return Err(failed(1, "there are two columns of time".to_owned()));
        }
        let times: Vec<f64> = columns[time].iter().map(|t| t * scale).collect();
        for (i, line) in lines.iter().enumerate() {
            let reason = match (i.checked_sub(1).map(|before| times[before]), times[i]) {
                (_, t) if t.is_nan() => "there is no time".to_owned(),
                (Some(before), t) if t <= before => format!("time is {t} s, after {before} s"),
                _ => continue,
            };
            return Err(failed(*line, reason));
        }
        let [first, .., last] = times[..] else {
            return Err(failed(
                1,
                "below the names, expected two or more lines of numbers".to_owned(),
            ));
        };
        if let Some((i, gap, usual)) = gap(&times) {
            let reason = format!(
                "time is {} s, {gap:.4} s after the sample before, most are {usual:.4} s apart (rows of missing samples have a time and empty fields)",
                times[i]
            );
            return Err(failed(lines[i], reason));
        }
        let interval = (last - first) / (times.len() - 1) as f64;
        for (i, (t, &line)) in times.iter().zip(&lines).enumerate() {
            let expected = first + interval * i as f64;
            // Written so that NaN is off.
            let on_rate = (t - expected).abs() <= JITTER * interval;
            if !on_rate {
                let reason = format!("time is {t} s, {expected} s at a constant rate");
                return Err(failed(line, reason));
            }
        }
        let mut signals = Signals::new(first, interval)?.in_lines(lines);
        for (k, ((name, unit), values)) in names.into_iter().zip(columns).enumerate() {
            if k != time {
                signals = signals.with(name, unit, values)?;
            }
        }
        Ok(signals)
    }
}

/// The first of growing times that comes more than half an interval too late, with its distance from the one before and
/// the usual distance.
fn gap(times: &[f64]) -> Option<(usize, f64, f64)> {
    let intervals: Vec<f64> = times.windows(2).map(|t| t[1] - t[0]).collect();
    let mut sorted = intervals.clone();
    sorted.sort_by(f64::total_cmp);
    let usual = *sorted.get(sorted.len() / 2)?;
    let late = intervals.iter().position(|gap| *gap > 1.5 * usual)?;
    Some((late + 1, intervals[late], usual))
}

/// `name [unit]`.
fn name_and_unit(field: &str) -> (String, String) {
    let (name, unit) = match field.strip_suffix(']').and_then(|f| f.split_once('[')) {
        Some((name, unit)) => (name, unit.trim()),
        None => (field, "1"),
    };
    (name.trim().to_owned(), unit.to_owned())
}
