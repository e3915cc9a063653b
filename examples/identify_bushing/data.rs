//! Measured poses, and noise of our own.

use super::support::Failure;
use dualbody::Random;
use dualbody::math::rotation;
use nalgebra::{Quaternion, Vector3};

/// Standard deviations of the measured poses: orientation in rad, position in m.
pub const NOISE: (f64, f64) = (2e-3, 2e-4);

/// A measured pose.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// In s.
    pub time: f64,
    /// `R_WB`, of unit length.
    pub orientation: Quaternion<f64>,
    /// `p_WBo` in m.
    pub position: Vector3<f64>,
}

/// The poses of one release, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    pub samples: Vec<Sample>,
}

/// The releases that come with the example.
pub fn embedded() -> Result<Vec<Release>, Failure> {
    parse(include_str!("../data/drake_bushing.csv"))
}

/// Reads the columns `release, t, qw, qx, qy, qz, px, py, pz`.
pub fn parse(text: &str) -> Result<Vec<Release>, Failure> {
    let mut releases: Vec<Release> = Vec::new();
    let mut current = None;
    for record in csv::Reader::from_reader(text.as_bytes()).into_deserialize() {
        let (number, time, [w, x, y, z], position): (usize, f64, [f64; 4], [f64; 3]) = record?;
        if current != Some(number) {
            releases.push(Release { samples: vec![] });
            current = Some(number);
        }
        if let Some(release) = releases.last_mut() {
            release.samples.push(Sample {
                time,
                orientation: Quaternion::new(w, x, y, z).normalize(),
                position: position.into(),
            });
        }
    }
    Ok(releases)
}

/// Normally distributed numbers, reproducible everywhere.
pub struct Normal(Random);

impl Normal {
    pub fn new(seed: u64) -> Self {
        Normal(Random::new(seed))
    }

    /// Uniform in (0, 1).
    fn uniform(&mut self) -> f64 {
        self.0.uniform() + 1e-17
    }

    /// Of variance 1, by the method of Box and Muller.
    fn draw(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.draw())
    }

    /// The sample with noise of the measurement.
    pub fn disturb(&mut self, sample: &Sample) -> Sample {
        let turn = rotation::quaternion_exp(&(self.vector() * NOISE.0));
        Sample {
            time: sample.time,
            orientation: turn * sample.orientation,
            position: sample.position + self.vector() * NOISE.1,
        }
    }
}
