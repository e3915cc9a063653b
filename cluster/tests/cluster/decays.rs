//! Experiments that are cheap, of different sizes, and not linear.

use dualbody::Scalar;
use dualbody::identification::{
    Blocks, Experiment, Fit, LevenbergMarquardt, Loss, Noise, Problem, Unknown,
};

/// `a e^(−b t)` at the times 0, 1, 2, …
pub struct Decay {
    pub number: usize,
    pub measured: Vec<f64>,
    /// Number of the experiment that has no solution for `b` above 2.
    pub broken: Option<usize>,
}

/// There is no prediction.
#[derive(Debug, thiserror::Error)]
#[error("decay {number} has no solution at b = {b}")]
pub struct NoSolution {
    number: usize,
    b: f64,
}

pub fn decays(count: usize) -> Vec<Decay> {
    (0..count)
        .map(|number| {
            let noise = |k: usize| ((number * 31 + k * 17) as f64).sin() * 0.03;
            let outlier = if number % 7 == 3 { 0.8 } else { 0.0 };
            let measured = (0..4 + number % 5)
                .map(|k| 2.0 * (-0.7 * k as f64).exp() + noise(k) + outlier)
                .collect();
            Decay {
                number,
                measured,
                broken: None,
            }
        })
        .collect()
}

pub fn unknowns(b: f64) -> [Unknown; 2] {
    let b = Unknown::new("b", "1/s", b)
        .unwrap()
        .bounds(1e-3, 10.0)
        .unwrap();
    [
        Unknown::new("a", "K", 1.0).unwrap(),
        b.logarithmic().unwrap(),
    ]
}

impl Experiment for Decay {
    type Error = NoSolution;

    fn residual_count(&self) -> usize {
        self.measured.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), NoSolution> {
        let (number, b) = (self.number, p[1].re());
        if self.broken == Some(number) && b > 2.0 {
            return Err(NoSolution { number, b });
        }
        for (k, (r, &y)) in residuals.iter_mut().zip(&self.measured).enumerate() {
            *r = p[0] * (p[1] * -(k as f64)).exp() - T::from(y);
        }
        Ok(())
    }
}

/// A robust fit, whose covariance asks for scores.
pub fn optimiser() -> LevenbergMarquardt {
    (LevenbergMarquardt::new().loss(Loss::cauchy(0.1).unwrap()))
        .blocks(Blocks::Experiment)
        .unwrap()
        .noise(Noise::Independent)
}

/// Every number of a fit.
pub fn bits(fit: &Fit) -> Vec<u8> {
    format!("{fit:?}").into_bytes()
}

pub fn alone(experiments: &[Decay]) -> Fit {
    let problem = Problem::new(unknowns(0.3), experiments).unwrap();
    optimiser().fit(&problem).unwrap()
}
