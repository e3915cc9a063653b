//! What the tests of identification share.

use dualbody::identification::{Experiment, Unknown};
use dualbody::{Random, Scalar};

/// Normal random numbers that are the same in every run, by the method of Box and Muller.
pub struct Normal(Random);

impl Normal {
    pub fn new(seed: u64) -> Self {
        Normal(Random::new(seed))
    }

    /// Even in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0.uniform() + f64::EPSILON / 4.0
    }

    /// Mean 0, variance 1.
    pub fn draw(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// One point of a line.
#[derive(Clone, Copy)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Experiment for Point {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        residuals[0] = p[0] + p[1] * self.x - self.y;
        Ok(())
    }
}

pub fn unknown(name: &str, initial: f64) -> Unknown {
    Unknown::new(name, "1", initial).unwrap()
}

#[track_caller]
pub fn assert_close(value: f64, expected: f64, relative: f64) {
    let error = (value - expected).abs();
    assert!(
        error <= relative * expected.abs(),
        "{value:e} is not {expected:e} (relative error {:e})",
        error / expected.abs()
    );
}

/// Mean and standard deviation.
pub fn moments(samples: &[f64]) -> (f64, f64) {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let squares: f64 = samples.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}

/// Asserts that z-scores have mean 0 and standard deviation 1, to four standard errors of each.
#[track_caller]
pub fn assert_standard_normal(scores: &[f64]) {
    let (mean, deviation) = moments(scores);
    let n = scores.len() as f64;
    assert!(mean.abs() < 4.0 / n.sqrt(), "mean of the z-scores {mean}");
    assert!(
        (deviation - 1.0).abs() < 4.0 / (2.0 * n).sqrt(),
        "standard deviation of the z-scores {deviation}"
    );
}
