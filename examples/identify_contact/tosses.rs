//! Measured tosses, from CSV.

use dualbody::math::rotation;
use nalgebra::{Quaternion, Vector3};
use std::fmt;
use std::path::Path;

/// The header, and the order of the columns.
const COLUMNS: [&str; 15] = [
    "toss", "t", "qw", "qx", "qy", "qz", "px", "py", "pz", "wx", "wy", "wz", "vx", "vy", "vz",
];

/// Pose and velocity of the cube at one time.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Time, s.
    pub time: f64,
    /// Orientation R_WB, a unit quaternion.
    pub orientation: Quaternion<f64>,
    /// Position of the centre in world, as measured, m.
    pub position: Vector3<f64>,
    /// Angular velocity, expressed in world, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Velocity of the centre in world, as measured, m/s.
    pub velocity: Vector3<f64>,
}

/// One throw, from the hand to rest.
#[derive(Debug, Clone)]
pub struct Toss {
    /// Its number in the file.
    pub number: u64,
    /// At equal intervals, at least two.
    pub samples: Vec<Sample>,
}

impl Toss {
    /// Time between samples, s.
    pub fn interval(&self) -> f64 {
        let last = self.samples.len() - 1;
        (self.samples[last].time - self.samples[0].time) / last as f64
    }
}

/// What is wrong with a file of tosses, and where.
#[derive(Debug)]
pub struct MalformedTosses {
    file: String,
    line: u64,
    /// Number and name of the column.
    column: Option<(usize, &'static str)>,
    message: String,
}

impl fmt::Display for MalformedTosses {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}, line {}", self.file, self.line)?;
        if let Some((number, name)) = self.column {
            write!(f, ", column {number} ({name})")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for MalformedTosses {}

/// Reads a file of tosses.
///
/// # Errors
/// [`MalformedTosses`] with the place, or as the file system says.
pub fn read(path: &Path) -> Result<Vec<Toss>, Box<dyn std::error::Error>> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
    Ok(parse(&name, &text)?)
}

/// Reads tosses from the text of the file `name`.
///
/// # Errors
/// [`MalformedTosses`] unless the header has the known columns, all entries are finite numbers, the
/// quaternions have unit length, and the samples of every toss follow each other at equal intervals.
pub fn parse(name: &str, text: &str) -> Result<Vec<Toss>, MalformedTosses> {
    let error = |line, column: Option<usize>, message: String| MalformedTosses {
        file: name.to_owned(),
        line,
        column: column.map(|c| (c + 1, COLUMNS[c])),
        message,
    };
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = reader
        .headers()
        .map_err(|e| error(1, None, e.to_string()))?;
    for (i, wanted) in COLUMNS.iter().enumerate() {
        match header.get(i) {
            Some(found) if found.trim() == *wanted => {}
            found => {
                let found = found.unwrap_or("nothing");
                return Err(error(
                    1,
                    Some(i),
                    format!("the header says {found:?}, not {wanted:?}"),
                ));
            }
        }
    }
    let mut tosses: Vec<Toss> = Vec::new();
    let mut lines: Vec<u64> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| {
            let line = e.position().map_or(0, csv::Position::line);
            error(line, None, e.to_string())
        })?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != COLUMNS.len() {
            let column = Some(record.len().min(COLUMNS.len() - 1));
            let (found, wanted) = (record.len(), COLUMNS.len());
            return Err(error(
                line,
                column,
                format!("{found} entries instead of {wanted}"),
            ));
        }
        let mut x = [0.0; 15];
        for (i, (x, text)) in x.iter_mut().zip(&record).enumerate() {
            *x = (text.trim().parse::<f64>().ok())
                .filter(|x| x.is_finite())
                .ok_or_else(|| error(line, Some(i), format!("{text:?} is not a finite number")))?;
        }
        if x[0] < 0.0 || x[0].fract() != 0.0 {
            return Err(error(
                line,
                Some(0),
                format!("{} is not the number of a toss", x[0]),
            ));
        }
        let q = Quaternion::new(x[2], x[3], x[4], x[5]);
        if (q.norm() - 1.0).abs() > 1e-3 {
            return Err(error(
                line,
                Some(2),
                format!("the quaternion has length {}", q.norm()),
            ));
        }
        let orientation = q.normalize();
        let sample = Sample {
            time: x[1],
            orientation,
            position: Vector3::new(x[6], x[7], x[8]),
            angular_velocity: rotation::matrix_from_quaternion(&orientation)
                * Vector3::new(x[9], x[10], x[11]),
            velocity: Vector3::new(x[12], x[13], x[14]),
        };
        let number = x[0] as u64;
        match tosses.last_mut() {
            Some(toss) if toss.number == number => {
                if sample.time <= toss.samples[toss.samples.len() - 1].time {
                    return Err(error(line, Some(1), "time does not advance".to_owned()));
                }
                toss.samples.push(sample);
            }
            _ => {
                tosses.push(Toss {
                    number,
                    samples: vec![sample],
                });
                lines.push(line);
            }
        }
    }
    if tosses.is_empty() {
        return Err(error(1, None, "there are no tosses".to_owned()));
    }
    for (toss, &line) in tosses.iter().zip(&lines) {
        if toss.samples.len() < 2 {
            return Err(error(
                line,
                Some(0),
                format!("toss {} has one sample only", toss.number),
            ));
        }
        let interval = toss.interval();
        for (i, pair) in toss.samples.windows(2).enumerate() {
            let step = pair[1].time - pair[0].time;
            if (step - interval).abs() > 0.02 * interval {
                let message = format!(
                    "{step} s after the sample before, where {interval} s is the mean of the toss"
                );
                return Err(error(line + i as u64 + 1, Some(1), message));
            }
        }
    }
    Ok(tosses)
}
