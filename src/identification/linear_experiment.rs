//! Experiments whose measurements are linear in the parameters.

use super::experiment::Experiment;
use super::parametrization::Parametrization;
use crate::autodiff::{VectorFunction, jacobian};
use crate::{DefaultScalar, InvalidInput};
use nalgebra::{DMatrix, DVector};

/// How far a value of a function that is called linear may be from its tangent, relative to the terms of its sum.
const LINEARITY: f64 = 1e-9;

/// Measurements `y = Y π + noise` with a regressor `Y`: torques of a robot, forces of a bushing.
///
/// It is an [`Experiment`], so the [optimiser](super::LevenbergMarquardt) fits it with bounds, robust
/// losses and priors beside other experiments, and gives standard errors; without these its minimum
/// is the weighted least squares solution `(YᵀWY)⁻¹YᵀW y`, `W = diag(1/σ²)`. Unknowns are the
/// parameters themselves, or what a [`Parametrization`] makes them from.
///
/// ```
/// use dualbody::identification::{LevenbergMarquardt, LinearExperiment, Noise, Problem, Unknown};
/// use nalgebra::dmatrix;
///
/// // A motor with inertia and damping, from accelerations and velocities; torques are known to 0.1 N m.
/// let regressor = dmatrix![1.0, 0.0; 2.0, 1.0; 0.0, 2.0];
/// let torques = LinearExperiment::new(regressor, vec![0.5, 1.3, 0.6], &[0.1])?;
/// let unknowns = vec![Unknown::new("inertia", "kg m²", 1.0)?, Unknown::new("damping", "N m s/rad", 1.0)?];
/// let experiments = [torques];
/// let fit = LevenbergMarquardt::new().noise(Noise::Unit).fit(&Problem::new(unknowns, &experiments)?)?;
/// assert!((fit.estimates[0].value - 0.5).abs() < 1e-9 && (fit.estimates[1].value - 0.3).abs() < 1e-9);
/// # Ok::<(), dualbody::identification::IdentificationError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinearExperiment<P = ()> {
    /// Both divided by the standard deviations.
    regressor: DMatrix<f64>,
    measured: DVector<f64>,
    parametrization: P,
}

impl LinearExperiment {
    /// From a regressor (measurements × parameters), what was measured, and its standard deviations:
    /// one for each measurement, or one for all.
    ///
    /// # Errors
    /// [`InvalidInput`] for sizes that do not fit, numbers that are not finite, and standard
    /// deviations that are not positive.
    pub fn new(
        mut regressor: DMatrix<f64>,
        measured: impl Into<Vec<f64>>,
        standard_deviations: &[f64],
    ) -> Result<Self, InvalidInput> {
        let mut measured = DVector::from_vec(measured.into());
        let m = measured.len();
        InvalidInput::check_size("rows of the regressor", regressor.nrows(), m)?;
        InvalidInput::check_finite("regressor", regressor.as_slice())?;
        InvalidInput::check_finite("measurements", measured.as_slice())?;
        if standard_deviations.len() != 1 {
            InvalidInput::check_size("standard deviations", standard_deviations.len(), m)?;
        }
        InvalidInput::check_range(
            "standard deviations",
            standard_deviations,
            "a positive number",
            |s| s > 0.0 && s.is_finite(),
        )?;
        for (i, mut row) in regressor.row_iter_mut().enumerate() {
            let deviation = standard_deviations[i.min(standard_deviations.len() - 1)];
            row /= deviation;
            measured[i] /= deviation;
        }
        Ok(LinearExperiment {
            regressor,
            measured,
            parametrization: (),
        })
    }

    /// From a function that predicts the measurements and is linear in its argument, but for a
    /// constant: the force of a bushing as a function of its stiffness and damping along a measured
    /// motion, say. The regressor is its Jacobian, from duals.
    ///
    /// # Errors
    /// That of the function; [`InvalidInput`] when it is not linear near `at`: when at `2 at`, and at 1
    /// for parameters that are zero, it is not on the tangent; and as [`new`](Self::new).
    pub fn of_function<F: VectorFunction>(
        function: &F,
        at: &[f64],
        measured: impl Into<Vec<f64>>,
        standard_deviations: &[f64],
    ) -> Result<Self, F::Error> {
        let (value, slopes) = jacobian(function, at)?;
        let constant = value - &slopes * DVector::from_column_slice(at);
        let other: Vec<f64> = (at.iter())
            .map(|&p| if p == 0.0 { 1.0 } else { 2.0 * p })
            .collect();
        let there = function.eval(&other)?;
        let tangent = &constant + &slopes * DVector::from_column_slice(&other);
        // Of each value, relative to the terms of its sum.
        let sizes = constant.abs() + slopes.abs() * DVector::from_column_slice(&other).abs();
        let departures = (there - tangent).zip_map(&sizes, |d, size| d.abs() - LINEARITY * size);
        InvalidInput::check_range(
            "departure of the function from its tangent",
            departures.as_slice(),
            "zero, as of a linear function",
            |excess| excess <= 0.0,
        )?;
        let measured: Vec<f64> = measured.into();
        InvalidInput::check_size("measurements", measured.len(), constant.len())?;
        let measured = DVector::from_vec(measured) - constant;
        Ok(Self::new(slopes, measured.as_slice(), standard_deviations)?)
    }

    /// The same measurements with the parameters made from other unknowns.
    pub fn with_parametrization<P: Parametrization>(
        self,
        parametrization: P,
    ) -> LinearExperiment<P> {
        LinearExperiment {
            regressor: self.regressor,
            measured: self.measured,
            parametrization,
        }
    }
}

impl<P: Parametrization> Experiment for LinearExperiment<P> {
    type Error = InvalidInput;

    fn residual_count(&self) -> usize {
        self.measured.len()
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), InvalidInput> {
        let mut parameters = vec![T::zero(); self.regressor.ncols()];
        self.parametrization.parameters(unknowns, &mut parameters)?;
        for (r, &y) in residuals.iter_mut().zip(&self.measured) {
            *r = T::from(-y);
        }
        for (column, &parameter) in self.regressor.column_iter().zip(&parameters) {
            for (r, &y) in residuals.iter_mut().zip(column.iter()) {
                *r += parameter * y;
            }
        }
        Ok(())
    }
}
