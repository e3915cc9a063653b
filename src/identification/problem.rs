//! An estimation problem: unknowns and experiments.

use super::error::{EvaluationError, IdentificationError, LARGEST};
use super::experiment::Experiment;
use super::unknown::Unknown;
use crate::InvalidInput;
use crate::autodiff::JacobianWorkspace;
use nalgebra::{DMatrix, DVector};
use std::fmt;

/// Unknowns and experiments.
pub struct Problem<'a, X> {
    unknowns: Vec<Unknown>,
    experiments: &'a [X],
}

impl<X> fmt::Debug for Problem<'_, X> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Problem")
            .field("unknowns", &self.unknowns)
            .field("experiments", &self.experiments.len())
            .finish()
    }
}

impl<'a, X: Experiment> Problem<'a, X> {
    /// The problem of estimating `unknowns` from `experiments`.
    ///
    /// There may be no unknowns; the fit is then the evaluation of the cost.
    ///
    /// # Errors
    /// [`IdentificationError::DuplicateName`], [`IdentificationError::NoExperiments`], and
    /// [`IdentificationError::NoResiduals`] when no experiment has residuals.
    pub fn new(
        unknowns: impl Into<Vec<Unknown>>,
        experiments: &'a [X],
    ) -> Result<Self, IdentificationError> {
        let unknowns = unknowns.into();
        for (i, unknown) in unknowns.iter().enumerate() {
            if unknowns[..i].iter().any(|u| u.name() == unknown.name()) {
                return Err(IdentificationError::DuplicateName {
                    name: unknown.name().to_owned(),
                });
            }
        }
        if experiments.is_empty() {
            return Err(IdentificationError::NoExperiments);
        }
        if experiments.iter().all(|x| x.residual_count() == 0) {
            return Err(IdentificationError::NoResiduals);
        }
        Ok(Problem {
            unknowns,
            experiments,
        })
    }

    /// The unknowns, in the order in which experiments see their values.
    pub fn unknowns(&self) -> &[Unknown] {
        &self.unknowns
    }

    /// The experiments.
    pub fn experiments(&self) -> &'a [X] {
        self.experiments
    }

    /// First guesses of all unknowns.
    pub fn initial_values(&self) -> Vec<f64> {
        self.unknowns.iter().map(Unknown::initial).collect()
    }

    /// Residuals of one experiment at the given values of the unknowns (physical units).
    ///
    /// # Errors
    /// [`IdentificationError::Experiment`] when they cannot be evaluated,
    /// [`IdentificationError::Invalid`] for a wrong number of values or an index out of range.
    pub fn residuals(
        &self,
        experiment: usize,
        values: &[f64],
    ) -> Result<DVector<f64>, IdentificationError> {
        let x = self.experiment(experiment, values)?;
        let mut residuals = DVector::zeros(x.residual_count());
        evaluate(x, values, residuals.as_mut_slice())
            .map_err(|cause| IdentificationError::Experiment { experiment, cause })?;
        Ok(residuals)
    }

    /// Exact Jacobian of the residuals of one experiment with respect to the values of the unknowns
    /// (residuals × unknowns, physical units).
    ///
    /// With [`JacobianChecker`](crate::autodiff::JacobianChecker) it checks an implementation of
    /// [`Experiment`]:
    ///
    /// ```
    /// # use dualbody::{Scalar, autodiff::JacobianChecker, identification::*};
    /// # struct Decay;
    /// # impl Experiment for Decay {
    /// #     type Error = std::convert::Infallible;
    /// #     fn residual_count(&self) -> usize { 1 }
    /// #     fn residuals<T: Scalar>(&self, p: &[T], r: &mut [T]) -> Result<(), Self::Error> {
    /// #         r[0] = p[0].exp();
    /// #         Ok(())
    /// #     }
    /// # }
    /// # let experiments = [Decay];
    /// # let problem = Problem::new([Unknown::new("rate", "1/s", 0.5)?], &experiments)?;
    /// let jacobian = problem.jacobian(0, &[0.5])?;
    /// let check = JacobianChecker::default().check(|p| problem.residuals(0, p), &[0.5], &jacobian)?;
    /// assert!(check.agrees());
    /// # Ok::<(), IdentificationError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Problem::residuals`].
    pub fn jacobian(
        &self,
        experiment: usize,
        values: &[f64],
    ) -> Result<DMatrix<f64>, IdentificationError> {
        let x = self.experiment(experiment, values)?;
        let (m, n) = (x.residual_count(), values.len());
        let mut jacobian = DMatrix::zeros(m, n);
        differentiate(
            x,
            values,
            &vec![1.0; n],
            &mut JacobianWorkspace::default(),
            &mut vec![0.0; m],
            jacobian.as_mut_slice(),
        )
        .map_err(|cause| IdentificationError::Experiment { experiment, cause })?;
        Ok(jacobian)
    }

    fn experiment(&self, index: usize, values: &[f64]) -> Result<&'a X, InvalidInput> {
        InvalidInput::check_size("values of the unknowns", values.len(), self.unknowns.len())?;
        self.experiments.get(index).ok_or(InvalidInput::OutOfRange {
            quantity: "index of the experiment",
            index: None,
            value: index as f64,
            expected: "less than the number of experiments",
        })
    }
}

/// Residuals of `experiment`, all finite.
pub(super) fn evaluate<X: Experiment>(
    experiment: &X,
    values: &[f64],
    residuals: &mut [f64],
) -> Result<(), EvaluationError> {
    residuals.fill(f64::NAN);
    experiment
        .residuals(values, residuals)
        .map_err(EvaluationError::failed)?;
    match residuals.iter().position(|&r| !is_moderate(r)) {
        None => Ok(()),
        Some(residual) => Err(EvaluationError::NotFinite {
            residual,
            value: residuals[residual],
        }),
    }
}

/// Real parts and Jacobian (column by column) of the residuals of `experiment`, all finite, with
/// respect to coordinates in which the values have the given slopes.
pub(super) fn differentiate<X: Experiment>(
    experiment: &X,
    values: &[f64],
    slopes: &[f64],
    workspace: &mut JacobianWorkspace,
    residuals: &mut [f64],
    jacobian: &mut [f64],
) -> Result<(), EvaluationError> {
    experiment.jacobian(values, workspace, residuals, jacobian)?;
    if residuals.is_empty() {
        return Ok(());
    }
    for (unknown, (column, &slope)) in jacobian
        .chunks_exact_mut(residuals.len())
        .zip(slopes)
        .enumerate()
    {
        for (residual, dr) in column.iter_mut().enumerate() {
            *dr *= slope;
            if !is_moderate(*dr) {
                return Err(EvaluationError::DerivativeNotFinite {
                    residual,
                    unknown,
                    value: *dr,
                });
            }
        }
    }
    Ok(())
}

fn is_moderate(x: f64) -> bool {
    x.abs() <= LARGEST
}
