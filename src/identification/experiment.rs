//! The trait of experiments: predictions and measurements.

use super::error::EvaluationError;
use crate::DefaultScalar;
use crate::autodiff::{JacobianWorkspace, jacobian_into};

/// Measurements of one experiment (a trajectory, a toss, a calibration run) and the model that
/// predicts them.
///
/// The model is written once for all scalars: the optimiser evaluates it with `f64` to compare
/// costs, and with dual numbers for exact derivatives.
///
/// # Residuals
/// A residual is (prediction − measurement) / standard deviation of the measurement: a pure number
/// of size 1 when model and data agree. When the standard deviations are known up to a common factor
/// only, that factor is estimated ([`Noise::Estimated`](super::Noise::Estimated)); robust losses
/// count in units of the residual.
///
/// ```
/// use dualbody::DefaultScalar;
/// use dualbody::identification::Experiment;
///
/// /// A mass that falls from rest: y = ½ g t², measured to 1 mm.
/// struct Fall {
///     times: Vec<f64>,
///     heights: Vec<f64>,
/// }
///
/// impl Experiment for Fall {
///     type Error = std::convert::Infallible;
///
///     fn residual_count(&self) -> usize {
///         self.times.len()
///     }
///
///     fn residuals<T: DefaultScalar>(&self, unknowns: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
///         let g = unknowns[0];
///         for (r, (&t, &y)) in residuals.iter_mut().zip(self.times.iter().zip(&self.heights)) {
///             *r = (g * (0.5 * t * t) - y) / T::from(1e-3);
///         }
///         Ok(())
///     }
/// }
/// ```
pub trait Experiment: Sync {
    /// Why the model cannot be evaluated, for example because a simulation does not converge: an error with a name, or
    /// a `Box<dyn Error + Send + Sync>` for errors of several kinds.
    type Error: Into<Box<dyn std::error::Error + Send + Sync>>;

    /// Number of residuals, the same at every call.
    fn residual_count(&self) -> usize;

    /// Number of quantities that the residuals have been fitted in already, for any unknowns, as the states of a
    /// [`Shooting`](super::Shooting): each takes one degree of freedom from the residuals (default 0).
    fn eliminated_count(&self) -> usize {
        0
    }

    /// Writes the residuals for the given unknowns, which are values in their physical units, in
    /// the order of [`Problem::unknowns`](super::Problem::unknowns).
    ///
    /// `residuals` has [`residual_count`](Experiment::residual_count) entries and arrives filled
    /// with NaN.
    ///
    /// # Errors
    /// As the implementation says. An experiment that fails at the first guess is left out of the
    /// fit; a step to unknowns where an experiment fails is not taken. Both are reported.
    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), Self::Error>;

    /// Writes the residuals, and their derivatives with respect to the unknowns into `jacobian`, column by column:
    /// [`residuals`](Experiment::residuals) in dual numbers. A model that has the same derivatives sooner implements it.
    ///
    /// # Errors
    /// As [`residuals`](Experiment::residuals), and [`EvaluationError::Invalid`] for unknowns that are not finite and another
    /// number of entries.
    fn jacobian(
        &self,
        unknowns: &[f64],
        workspace: &mut JacobianWorkspace,
        residuals: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EvaluationError> {
        jacobian_by_duals(self, unknowns, workspace, residuals, jacobian)
    }
}

/// [`Experiment::jacobian`] by dual numbers.
pub(super) fn jacobian_by_duals<X: Experiment + ?Sized>(
    experiment: &X,
    unknowns: &[f64],
    workspace: &mut JacobianWorkspace,
    residuals: &mut [f64],
    jacobian: &mut [f64],
) -> Result<(), EvaluationError> {
    jacobian_into(
        |p, r| (experiment.residuals(p, r)).map_err(EvaluationError::failed),
        unknowns,
        workspace,
        residuals,
        jacobian,
    )
}

impl<X: Experiment> Experiment for &X {
    type Error = X::Error;

    fn residual_count(&self) -> usize {
        X::residual_count(self)
    }

    fn eliminated_count(&self) -> usize {
        X::eliminated_count(self)
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), X::Error> {
        X::residuals(self, unknowns, residuals)
    }

    fn jacobian(
        &self,
        unknowns: &[f64],
        workspace: &mut JacobianWorkspace,
        residuals: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EvaluationError> {
        X::jacobian(self, unknowns, workspace, residuals, jacobian)
    }
}
