//! The steady-state Kalman filter, the dual of the linear-quadratic regulator.

use crate::ControlError;
use crate::linear_quadratic::LinearQuadratic;
use crate::matrix::{check_covariance, check_matrix, positive_definite, solve, symmetrize};
use crate::riccati::{Regulator, Wording};
use nalgebra::DMatrix;

/// The Kalman filter of `x⁺ = A x + w`, `y = C x + v` after a long time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Estimator {
    /// Covariance of the error of a prediction, before its measurement, n×n: the solution of
    /// `P = A P Aᵀ − A P Cᵀ(C P Cᵀ + V)⁻¹C P Aᵀ + W`.
    pub covariance: DMatrix<f64>,
    /// `P Cᵀ(C P Cᵀ + V)⁻¹`, n×p: what is added to a prediction is this times `y − C x`.
    pub gain: DMatrix<f64>,
}

/// The steady Kalman filter with covariances `W` of the process noise, n×n, and `V` of the measurement noise, p×p and
/// positive definite (Kalman 1960, *Journal of Basic Engineering* 82, 35–45).
///
/// # Errors
/// [`ControlError::NotStabilizable`] when a mode that is not stable is not seen in the outputs, and for matrices that do
/// not fit or are no covariances.
pub fn steady_estimator(
    a: &DMatrix<f64>,
    c: &DMatrix<f64>,
    process: &DMatrix<f64>,
    measurement: &DMatrix<f64>,
) -> Result<Estimator, ControlError> {
    let (n, p) = (a.nrows(), c.nrows());
    check_matrix("C", c, p, n)?;
    check_covariance("process noise", process, n)?;
    check_covariance("measurement noise", measurement, p)?;
    positive_definite("measurement noise", measurement)?;
    let dual = LinearQuadratic::new(
        a.transpose(),
        c.transpose(),
        process.clone(),
        measurement.clone(),
    )?;
    let terms = Wording {
        unreached: "no output sees",
        unseen: "no process noise drives",
        demand: "a mode that is not stable must be seen by an output and driven by noise: measure it, give it noise, or \
                 leave it out",
        ..Wording::default()
    };
    let covariance = Regulator::solve(dual, true, &terms)?.cost;
    let gain = kalman_gain(&covariance, c, measurement)?;
    Ok(Estimator { covariance, gain })
}

/// `P Cᵀ(C P Cᵀ + V)⁻¹`.
pub(crate) fn kalman_gain(
    covariance: &DMatrix<f64>,
    c: &DMatrix<f64>,
    measurement: &DMatrix<f64>,
) -> Result<DMatrix<f64>, ControlError> {
    let crossed = c * covariance;
    let mut innovation = &crossed * c.transpose() + measurement;
    symmetrize(&mut innovation);
    let factor = positive_definite("covariance of the innovation", &innovation)?;
    Ok(solve(&factor, &crossed)?.transpose())
}
