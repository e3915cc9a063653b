//! The data of one stage: linear dynamics, quadratic cost, gains.

use crate::evaluation::{Multiplier, Value};
use nalgebra::DMatrix;

/// The linear-quadratic model of a stage and its policy, in memory that is kept.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    /// Derivatives of the step, n×n and n×m.
    pub a: DMatrix<f64>,
    pub b: DMatrix<f64>,
    /// `f(xₖ₋₁, uₖ₋₁) ⊖ xₖ`, n entries; at the first stage what leads to where it may start.
    pub gap: Vec<f64>,
    /// Of the first stage, δx₀ of the solution.
    pub start: Vec<f64>,
    /// Gradient and Hessian of costs and penalties.
    pub gx: Vec<f64>,
    pub gu: Vec<f64>,
    pub hxx: DMatrix<f64>,
    pub hux: DMatrix<f64>,
    pub huu: DMatrix<f64>,
    /// What second derivatives of residuals and of the step add, in `[δx; δu]`; empty if they are left out.
    pub curvature: DMatrix<f64>,
    /// The gradient of the cost by the state after the stage.
    pub costate: Vec<f64>,
    pub value: Value,
    /// Multipliers of the constraints, one after the other.
    pub multipliers: Vec<Multiplier>,
    /// The policy `δu = k + K δx`.
    pub feedforward: Vec<f64>,
    pub gain: DMatrix<f64>,
}

impl Stage {
    pub fn new(n: usize, m: usize, multipliers: usize) -> Self {
        Stage {
            a: DMatrix::zeros(n, n),
            b: DMatrix::zeros(n, m),
            gap: vec![0.0; n],
            start: vec![0.0; n],
            gx: vec![0.0; n],
            gu: vec![0.0; m],
            hxx: DMatrix::zeros(n, n),
            hux: DMatrix::zeros(m, n),
            huu: DMatrix::zeros(m, m),
            curvature: DMatrix::zeros(0, 0),
            costate: vec![0.0; n],
            value: Value::default(),
            multipliers: vec![Multiplier::default(); multipliers],
            feedforward: vec![0.0; m],
            gain: DMatrix::zeros(m, n),
        }
    }

    /// Forgets gradient and Hessian.
    pub fn clear(&mut self) {
        self.gx.fill(0.0);
        self.gu.fill(0.0);
        self.hxx.fill(0.0);
        self.hux.fill(0.0);
        self.huu.fill(0.0);
    }
}
