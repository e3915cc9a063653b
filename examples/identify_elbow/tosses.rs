//! Measured tosses, from CSV.

use crate::support::Failure;
use nalgebra::{Quaternion, Vector3};
use std::path::Path;

const COLUMNS: [&str; 17] = [
    "toss", "t", "qw", "qx", "qy", "qz", "px", "py", "pz", "angle", "wx", "wy", "wz", "vx", "vy",
    "vz", "rate",
];

/// Pose and velocity of the blocks at one time.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Time, s.
    pub time: f64,
    /// Orientation R_WB of block 1, a unit quaternion.
    pub orientation: Quaternion<f64>,
    /// Position of its centre in world, m.
    pub position: Vector3<f64>,
    /// Angle of the hinge, rad.
    pub angle: f64,
    /// Angular velocity of block 1, expressed in world, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Velocity of its centre in world, m/s.
    pub velocity: Vector3<f64>,
    /// Rate of the hinge, rad/s.
    pub rate: f64,
}

/// One throw.
#[derive(Debug, Clone)]
pub struct Toss {
    /// Its number in the file.
    pub number: u64,
    /// At equal intervals, at least two.
    pub rows: Vec<Row>,
}

impl Toss {
    /// Time between rows, s.
    pub fn interval(&self) -> f64 {
        let last = self.rows.len() - 1;
        (self.rows[last].time - self.rows[0].time) / last as f64
    }
}

/// Reads a file of tosses.
///
/// # Errors
/// With file, line and column, unless the header has the known columns, all entries are finite numbers,
/// quaternions have unit length and the rows of a toss follow each other at equal intervals.
pub fn read(path: &Path) -> Result<Vec<Toss>, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = reader.headers().map_err(|e| format!("{name}: {e}"))?;
    for (i, wanted) in COLUMNS.iter().enumerate() {
        let found = header.get(i).unwrap_or("nothing").trim();
        if found != *wanted {
            let column = i + 1;
            return Err(format!(
                "{name}, line 1, column {column}: the header says {found:?}, not {wanted:?}"
            )
            .into());
        }
    }
    let mut tosses: Vec<Toss> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| format!("{name}: {e}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        let at = |column: usize, message: String| {
            let (number, column) = (column + 1, COLUMNS[column]);
            format!("{name}, line {line}, column {number} ({column}): {message}")
        };
        if record.len() != COLUMNS.len() {
            let (found, wanted) = (record.len(), COLUMNS.len());
            return Err(format!("{name}, line {line}: {found} entries instead of {wanted}").into());
        }
        let mut x = [0.0; 17];
        for (i, (x, entry)) in x.iter_mut().zip(&record).enumerate() {
            *x = (entry.trim().parse::<f64>().ok())
                .filter(|x| x.is_finite())
                .ok_or_else(|| at(i, format!("{entry:?} is not a finite number")))?;
        }
        if x[0] < 0.0 || x[0].fract() != 0.0 {
            return Err(at(0, format!("{} is not the number of a toss", x[0])).into());
        }
        let q = Quaternion::new(x[2], x[3], x[4], x[5]);
        if (q.norm() - 1.0).abs() > 1e-3 {
            return Err(at(2, format!("the quaternion has length {}", q.norm())).into());
        }
        let orientation = q.normalize();
        let turn = dualbody::math::rotation::matrix_from_quaternion(&orientation);
        let row = Row {
            time: x[1],
            orientation,
            position: Vector3::new(x[6], x[7], x[8]),
            angle: x[9],
            angular_velocity: turn * Vector3::new(x[10], x[11], x[12]),
            velocity: Vector3::new(x[13], x[14], x[15]),
            rate: x[16],
        };
        let number = x[0] as u64;
        match tosses.last_mut() {
            Some(toss) if toss.number == number => {
                if row.time <= toss.rows[toss.rows.len() - 1].time {
                    return Err(at(1, "time does not advance".to_owned()).into());
                }
                toss.rows.push(row);
            }
            _ => tosses.push(Toss {
                number,
                rows: vec![row],
            }),
        }
    }
    if tosses.is_empty() {
        return Err(format!("{name}: there are no tosses").into());
    }
    for toss in &tosses {
        let number = toss.number;
        if toss.rows.len() < 2 {
            return Err(format!("{name}: toss {number} has one row only").into());
        }
        let interval = toss.interval();
        for pair in toss.rows.windows(2) {
            let step = pair[1].time - pair[0].time;
            if (step - interval).abs() > 0.02 * interval {
                let time = pair[1].time;
                return Err(format!(
                    "{name}: toss {number} at {time} s: {step} s after the row before, where {interval} s is the mean"
                )
                .into());
            }
        }
    }
    Ok(tosses)
}
