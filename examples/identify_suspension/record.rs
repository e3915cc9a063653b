//! Measured markers and wrenches, from CSV.

use crate::support::Failure;
use nalgebra::{Matrix3, Vector3};
use std::path::Path;

const COLUMNS: [&str; 16] = [
    "t", "m1x", "m1y", "m1z", "m2x", "m2y", "m2z", "m3x", "m3y", "m3z", "fx", "fy", "fz", "mx",
    "my", "mz",
];

/// Farthest that a marker moves between two samples of one record, m.
const CONTINUES_WITHIN: f64 = 2e-4;

/// Samples of three markers on a base and of the wrench that it applies to a plate, at equal intervals.
pub struct Record {
    /// Rate of the samples, Hz.
    pub rate: f64,
    /// Markers in the frame of the cameras, m.
    pub markers: Vec<[Vector3<f64>; 3]>,
    /// Force in N and torque about the origin of the plate in N·m.
    pub wrench: Vec<[f64; 6]>,
}

/// Reads a record.
///
/// # Errors
/// With file, line and column.
pub fn read(path: &Path) -> Result<Record, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
    parse(&name, &text)
}

/// Reads a record from the text of the file `name`. The stamps jitter, so that samples are taken to
/// follow each other at the mean interval.
///
/// # Errors
/// With line and column, unless the header has the known columns and all entries are finite numbers.
pub fn parse(name: &str, text: &str) -> Result<Record, Failure> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| format!("{name}: {e}"))?;
    for (i, wanted) in COLUMNS.iter().enumerate() {
        let found = header.get(i).unwrap_or("nothing").trim();
        if found != *wanted {
            return Err(format!(
                "{name}, line 1, column {}: the header says {found:?}, not {wanted:?}",
                i + 1
            )
            .into());
        }
    }
    let (mut times, mut markers, mut wrench) = (Vec::new(), Vec::new(), Vec::new());
    for row in reader.records() {
        let row = row.map_err(|e| format!("{name}: {e}"))?;
        let line = row.position().map_or(0, csv::Position::line);
        if row.len() != COLUMNS.len() {
            let (found, wanted) = (row.len(), COLUMNS.len());
            return Err(format!("{name}, line {line}: {found} entries instead of {wanted}").into());
        }
        let mut x = [0.0; 16];
        for (i, (x, entry)) in x.iter_mut().zip(&row).enumerate() {
            *x = (entry.trim().parse::<f64>().ok())
                .filter(|x| x.is_finite())
                .ok_or_else(|| {
                    let column = COLUMNS[i];
                    format!("{name}, line {line}, column {} ({column}): {entry:?} is not a finite number", i + 1)
                })?;
        }
        if times.last().is_some_and(|&last| x[0] <= last) {
            return Err(format!("{name}, line {line}, column 1 (t): time does not advance").into());
        }
        times.push(x[0]);
        markers.push([1, 4, 7].map(|i| Vector3::new(x[i], x[i + 1], x[i + 2])));
        wrench.push(std::array::from_fn(|i| x[10 + i]));
    }
    let last = times.len().saturating_sub(1);
    if last < 100 {
        return Err(format!("{name}: {} samples are too few", times.len()).into());
    }
    let rate = last as f64 / (times[last] - times[0]);
    if !(10.0..=2000.0).contains(&rate) {
        return Err(format!("{name}: {rate} Hz is no rate for this analysis").into());
    }
    Ok(Record {
        rate,
        markers,
        wrench,
    })
}

impl Record {
    pub fn len(&self) -> usize {
        self.markers.len()
    }

    /// The time from one sample to another, s.
    pub fn time(&self, from: usize, to: usize) -> f64 {
        (to - from) as f64 / self.rate
    }

    /// The first samples.
    pub fn first(&self, samples: usize) -> Record {
        Record {
            rate: self.rate,
            markers: self.markers[..samples].to_vec(),
            wrench: self.wrench[..samples].to_vec(),
        }
    }

    /// This record and another one after it, and where that one starts. Where the markers do not say that
    /// it goes on, the base is taken to wait in the pose in which the other one starts for 5 s between.
    pub fn followed_by(mut self, other: Record) -> (Record, usize) {
        let (last, first) = (self.markers[self.len() - 1], other.markers[0]);
        let jump = (last.iter().zip(&first)).map(|(a, b)| (a - b).norm());
        if jump.fold(0.0, f64::max) > CONTINUES_WITHIN {
            let wait = (5.0 * self.rate) as usize;
            self.markers.extend(std::iter::repeat_n(first, wait));
            (self.wrench).extend(std::iter::repeat_n(other.wrench[0], wait));
        }
        let split = self.len();
        self.markers.extend(other.markers);
        self.wrench.extend(other.wrench);
        (self, split)
    }

    /// Displacement of the base from its mean pose over the first `reference` samples: of the centre of
    /// the markers in m, and the rotation vector in rad, both in the frame of the cameras.
    ///
    /// The rotation is the best one in the sense of least squares (Kabsch 1976), to first order in the
    /// angle, which here is below 0.02 rad.
    pub fn displacements(&self, reference: usize) -> Vec<[f64; 6]> {
        let count = reference.min(self.len()) as f64;
        let mut initial = [Vector3::zeros(); 3];
        for markers in self.markers.iter().take(reference) {
            for (sum, marker) in initial.iter_mut().zip(markers) {
                *sum += marker / count;
            }
        }
        let center = initial.iter().sum::<Vector3<f64>>() / 3.0;
        let arms = initial.map(|p| p - center);
        let inertia: Matrix3<f64> = (arms.iter())
            .map(|a| Matrix3::identity() * a.norm_squared() - a * a.transpose())
            .sum();
        let inverse = inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
        (self.markers.iter())
            .map(|markers| {
                let now = markers.iter().sum::<Vector3<f64>>() / 3.0;
                let moment: Vector3<f64> = (arms.iter().zip(markers))
                    .map(|(a, p)| a.cross(&(p - now - a)))
                    .sum();
                let (d, turn) = (now - center, inverse * moment);
                [d.x, d.y, d.z, turn.x, turn.y, turn.z]
            })
            .collect()
    }
}
