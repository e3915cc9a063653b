//! A start that averages the samples before the first touch.

use crate::cube::WIDTH;
use crate::tosses::{Sample, Toss};
use dualbody::math::rotation;
use nalgebra::{Quaternion, Vector3};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

/// The first sample, smoothed by those of the free flight that follow it: constant angular velocity,
/// and constant acceleration `scale · g` in measured lengths.
///
/// With fewer than three samples in the air it is the first sample as it is.
pub fn smoothed_start(toss: &Toss, scale: f64) -> Sample {
    let first = toss.samples[0];
    let flight: Vec<&Sample> = toss
        .samples
        .iter()
        .take_while(|s| clearance(s) > 0.003)
        .collect();
    if flight.len() < 3 {
        return first;
    }
    let times: Vec<f64> = flight.iter().map(|s| s.time - first.time).collect();
    let fall = |t: f64| GRAVITY * (0.5 * scale * t * t);
    let positions = (flight.iter().zip(&times)).map(|(s, &t)| s.position - fall(t));
    let (position, velocity) = line(&times, positions);
    // In the first sample's frame, where the turns are small.
    let turns =
        (flight.iter()).map(|s| rotation::log(&(s.orientation * first.orientation.conjugate())));
    let (turn, angular_velocity) = line(&times, turns);
    let correction: Quaternion<f64> = rotation::quaternion_exp(&turn);
    Sample {
        time: first.time,
        orientation: (correction * first.orientation).normalize(),
        position,
        angular_velocity,
        velocity,
    }
}

/// Height of the lowest corner over the table.
fn clearance(sample: &Sample) -> f64 {
    let r = rotation::matrix_from_quaternion(&sample.orientation);
    sample.position.z - 0.5 * WIDTH * r.row(2).abs().sum()
}

/// Value at 0 and slope of the line through vectors at some times, by least squares.
fn line(times: &[f64], values: impl Iterator<Item = Vector3<f64>>) -> (Vector3<f64>, Vector3<f64>) {
    let n = times.len() as f64;
    let mean_time = times.iter().sum::<f64>() / n;
    let (mut mean, mut slope, mut spread) = (Vector3::zeros(), Vector3::zeros(), 0.0);
    for (&t, x) in times.iter().zip(values) {
        mean += x / n;
        slope += x * (t - mean_time);
        spread += (t - mean_time).powi(2);
    }
    slope /= spread;
    (mean - slope * mean_time, slope)
}
