//! Time-varying linear-quadratic regulator along a trajectory.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::linear_quadratic::LinearQuadratic;
use crate::matrix::{check_symmetric, positive_definite, solve, symmetrize};
use dualbody::InvalidInput;
use nalgebra::DMatrix;

/// `δu = −Kₖ δx` along a trajectory, from the Riccati recursion
///
/// ```text
/// Kₖ = (R + BᵀX B)⁻¹(BᵀX A + Sᵀ),      Xₖ = Q + AᵀX A − (AᵀX B + S) Kₖ
/// ```
///
/// with the matrices of stage k and `X = Xₖ₊₁` on the right (Kalman 1960, *Boletín de la Sociedad Matemática Mexicana* 5,
/// 102–119).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TimeVaryingRegulator {
    /// `Kₖ`, m×n, for each stage.
    pub gains: Vec<DMatrix<f64>>,
    /// `Xₖ`, n×n, for each stage and the end.
    pub costs: Vec<DMatrix<f64>>,
}

impl TimeVaryingRegulator {
    /// For the linear models and weights of all stages, and the weight of the last displacement, n×n.
    ///
    /// # Errors
    /// [`ControlError::NotPositiveDefinite`] for `R + BᵀX B`, for matrices that do not fit, and for costs that are too
    /// large for a number.
    pub fn new(stages: &[LinearQuadratic], terminal: DMatrix<f64>) -> Result<Self, ControlError> {
        let mut gains = Vec::with_capacity(stages.len());
        let mut costs = vec![terminal];
        for stage in stages.iter().rev() {
            stage.check()?;
            let next = &costs[costs.len() - 1];
            check_symmetric("cost of the next stage", next, stage.a.nrows())?;
            let LinearQuadratic { a, b, q, r, cross } = stage;
            let bx = b.tr_mul(next);
            let mut weight = r + &bx * b;
            symmetrize(&mut weight);
            let right = &bx * a + cross.transpose();
            let gain = solve(&positive_definite("R + BᵀX B", &weight)?, &right)?;
            let mut cost = q + a.tr_mul(&(next * a)) - right.tr_mul(&gain);
            symmetrize(&mut cost);
            gains.push(gain);
            costs.push(cost);
        }
        let first = &costs[costs.len() - 1];
        check_symmetric("cost of the first stage", first, first.nrows())?;
        gains.reverse();
        costs.reverse();
        Ok(TimeVaryingRegulator { gains, costs })
    }

    /// Along states and inputs of dynamics, with the same weights `Q`, n×n, and `R`, m×m, at all stages.
    ///
    /// # Errors
    /// As [`Self::new`], for sizes that do not fit, and [`ControlError::Step`].
    pub fn along<D: Dynamics>(
        dynamics: &mut D,
        states: &[D::State],
        inputs: &[Vec<f64>],
        q: &DMatrix<f64>,
        r: &DMatrix<f64>,
        terminal: DMatrix<f64>,
    ) -> Result<Self, ControlError> {
        InvalidInput::check_size("states", states.len(), inputs.len() + 1)?;
        let (n, m) = (dynamics.num_displacements(), dynamics.num_inputs());
        let mut next = states[0].clone();
        let mut stages = Vec::with_capacity(inputs.len());
        for (k, input) in inputs.iter().enumerate() {
            let (mut a, mut b) = (DMatrix::zeros(n, n), DMatrix::zeros(n, m));
            dynamics
                .linearize(&states[k], input, &mut next, &mut a, &mut b)
                .map_err(ControlError::in_step(k))?;
            stages.push(LinearQuadratic::new(a, b, q.clone(), r.clone())?);
        }
        Self::new(&stages, terminal)
    }
}
