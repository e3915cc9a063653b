//! Steps of one number, to try dynamics of one's own.

use dualbody_control::{ControlError, Dynamics, Linear};
use nalgebra::{DMatrix, dmatrix};

type Outcome<T = ()> = Result<T, ControlError>;

/// `x⁺ = f(x, u)`.
#[derive(Debug, Clone)]
pub struct ScalarStep {
    /// f, ∂f/∂x, ∂f/∂u and ∂²f/∂u².
    f: fn(f64, f64) -> [f64; 4],
    /// How states are displaced.
    space: Linear,
}

impl ScalarStep {
    pub fn new(f: fn(f64, f64) -> [f64; 4]) -> Outcome<Self> {
        let space = Linear::new(dmatrix![1.0], dmatrix![1.0], 1.0)?;
        Ok(ScalarStep { f, space })
    }
}

impl Dynamics for ScalarStep {
    type State = Vec<f64>;

    fn num_displacements(&self) -> usize {
        1
    }

    fn num_inputs(&self) -> usize {
        1
    }

    fn time_step(&self) -> f64 {
        1.0
    }

    fn displace(&self, state: &Vec<f64>, displacement: &[f64], to: &mut Vec<f64>) -> Outcome {
        self.space.displace(state, displacement, to)
    }

    fn difference(&self, from: &Vec<f64>, to: &Vec<f64>, displacement: &mut [f64]) -> Outcome {
        self.space.difference(from, to, displacement)
    }

    fn step(&mut self, state: &Vec<f64>, input: &[f64], next: &mut Vec<f64>) -> Outcome {
        [next[0], ..] = (self.f)(state[0], input[0]);
        Ok(())
    }

    fn linearize(
        &mut self,
        state: &Vec<f64>,
        input: &[f64],
        next: &mut Vec<f64>,
        a: &mut DMatrix<f64>,
        b: &mut DMatrix<f64>,
    ) -> Outcome {
        [next[0], a[(0, 0)], b[(0, 0)], _] = (self.f)(state[0], input[0]);
        Ok(())
    }

    fn add_curvature(
        &mut self,
        state: &Vec<f64>,
        input: &[f64],
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Outcome {
        let [.., second] = (self.f)(state[0], input[0]);
        curvature[(1, 1)] += covector[0] * second;
        Ok(())
    }
}
