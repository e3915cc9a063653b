//! Measured and desired angles of joints, from CSV.

use crate::support::Failure;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What the column of a joint's desired angle ends with.
const DESIRED: &str = "_desired";
/// Times may be off their rate by this part of an interval.
const JITTER: f64 = 0.1;
/// Fewest samples that say anything.
const LEAST: usize = 40;

/// Angles of joints at equal intervals, and the angles that their drives were told.
pub struct Recording {
    /// Time from sample to sample, s.
    pub interval: f64,
    pub joints: Vec<String>,
    /// Angles in rad, of each joint.
    pub angles: Vec<Vec<f64>>,
    /// Desired angles in rad, of each joint; a drive holds one until the next arrives.
    pub desired: Vec<Vec<f64>>,
}

impl Recording {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.angles[0].len()
    }

    /// Its duration, s.
    pub fn seconds(&self) -> f64 {
        self.len() as f64 * self.interval
    }

    /// Checks that it is of the same joints at the same rate as another.
    ///
    /// # Errors
    /// What differs.
    pub fn check_goes_with(&self, other: &Recording) -> Result<(), Failure> {
        if (self.interval - other.interval).abs() > 0.01 * other.interval {
            return Err(format!(
                "the test has a sample every {:.6} s, what is fitted every {:.6} s",
                self.interval, other.interval
            )
            .into());
        }
        if self.joints != other.joints {
            return Err(
                "the test has other joints, or in another order, than what is fitted".into(),
            );
        }
        if let Some(short) = [self, other].iter().find(|part| part.len() < LEAST) {
            return Err(format!(
                "{} samples to fit or to test are too few, {LEAST} are needed",
                short.len()
            )
            .into());
        }
        Ok(())
    }

    /// A part of it.
    pub fn part(&self, samples: Range<usize>) -> Recording {
        let cut = |signals: &[Vec<f64>]| {
            signals
                .iter()
                .map(|x| x[samples.clone()].to_vec())
                .collect()
        };
        Recording {
            interval: self.interval,
            joints: self.joints.clone(),
            angles: cut(&self.angles),
            desired: cut(&self.desired),
        }
    }

    /// Where a joint is among the columns.
    ///
    /// # Errors
    /// When it was not measured.
    pub fn column(&self, name: &str) -> Result<usize, Failure> {
        let found = self.joints.iter().position(|joint| joint == name);
        found.ok_or_else(|| {
            format!(
                "joint {name:?} was not measured: there are no columns {name} and {name}{DESIRED}"
            )
            .into()
        })
    }
}

/// A file, or the only one with an extension in a folder.
///
/// # Errors
/// When there is none, or several.
pub fn only_file(path: &Path, extension: &str) -> Result<PathBuf, Failure> {
    if !path.as_os_str().is_empty() && !path.is_dir() {
        return Ok(path.to_owned());
    }
    let folder = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|e| e == extension))
        .collect();
    match (files.pop(), files.len()) {
        (Some(file), 0) => Ok(file),
        (None, _) => Err(format!("{}: there is no file .{extension}", folder.display()).into()),
        (_, others) => Err(format!(
            "{}: there are {} files .{extension}, name one",
            folder.display(),
            others + 1
        )
        .into()),
    }
}

/// Reads a recording.
///
/// # Errors
/// With file, line and column.
pub fn read(path: &Path) -> Result<Recording, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
    parse(&name, &text)
}

/// Reads a recording from the text of the file `name`: columns `t` in s, `JOINT` and `JOINT_desired` in rad, in any order.
///
/// # Errors
/// With line and column, unless every joint has both columns, all entries are finite numbers and times are at a rate.
pub fn parse(name: &str, text: &str) -> Result<Recording, Failure> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader
        .headers()
        .map_err(|e| format!("{name}: {e}"))?
        .clone();
    let header: Vec<&str> = header.iter().map(str::trim).collect();
    let column = |wanted: &str| {
        let found = header.iter().position(|h| *h == wanted);
        found.ok_or_else(|| format!("{name}, line 1: there is no column {wanted:?}"))
    };
    let time = column("t")?;
    let mut joints = Vec::new();
    for (i, joint) in header.iter().enumerate() {
        match joint.strip_suffix(DESIRED) {
            Some(joint) => drop(column(joint)?),
            None if i != time => joints.push((
                joint.to_string(),
                [i, column(&format!("{joint}{DESIRED}"))?],
            )),
            None => {}
        }
    }
    if joints.is_empty() {
        return Err(format!(
            "{name}, line 1: no joint has columns of its angle and its desired angle"
        )
        .into());
    }
    let mut columns = vec![Vec::new(); header.len()];
    for row in reader.records() {
        let row = row.map_err(|e| format!("{name}: {e}"))?;
        let line = row.position().map_or(0, csv::Position::line);
        for (i, entry) in row.iter().enumerate() {
            let value = entry.trim().parse::<f64>().ok().filter(|x| x.is_finite());
            let value = value.ok_or_else(|| {
                format!(
                    "{name}, line {line}, column {} ({}): {entry:?} is not a finite number",
                    i + 1,
                    header[i]
                )
            })?;
            columns[i].push(value);
        }
    }
    let times = &columns[time];
    let [first, .., last] = times[..] else {
        return Err(format!(
            "{name}: a recording has at least two samples, not {}",
            times.len()
        )
        .into());
    };
    let interval = (last - first) / (times.len() - 1) as f64;
    for (i, t) in times.iter().enumerate() {
        let off = (t - first - interval * i as f64).abs();
        if off.is_nan() || off > JITTER * interval {
            return Err(format!(
                "{name}: sample {i} is at {t} s, not at a constant rate of one in {interval:.6} s from {first} s on"
            )
            .into());
        }
    }
    let take = |which: usize| {
        joints
            .iter()
            .map(|(_, columns_of)| columns[columns_of[which]].clone())
            .collect()
    };
    Ok(Recording {
        interval,
        angles: take(0),
        desired: take(1),
        joints: joints.into_iter().map(|(name, _)| name).collect(),
    })
}
