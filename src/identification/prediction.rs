//! Uncertainty of predictions that follow from estimates.

use super::fit::{Fit, Status};
use super::student::two_sided_quantile;
use crate::InvalidInput;
use crate::autodiff::{VectorFunction, jacobian};
use nalgebra::{DMatrix, DVector};

/// What a fit predicts, and how far it may be off.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PredictionBand {
    /// The prediction at the estimates.
    pub values: DVector<f64>,
    /// Half the width of the band about each; `None` where it depends on an unknown that is not
    /// determined.
    pub half_widths: Vec<Option<f64>>,
}

impl Fit {
    /// Standard errors of quantities that are functions of the unknowns, to first order: the roots of the
    /// diagonal of `J C Jᵀ`, with the Jacobian `J` of the quantities at the estimates (a row each, a
    /// column for each unknown) and the [covariance](Self::covariance) `C`. Unknowns that are fixed or at
    /// a bound count as known; `None` for a quantity that depends on one that is not determined.
    ///
    /// ```
    /// use dualbody::Scalar;
    /// use dualbody::identification::{Experiment, LevenbergMarquardt, Noise, Problem, Unknown};
    /// use nalgebra::dmatrix;
    ///
    /// /// A line through points that are measured with the standard deviation 0.1.
    /// struct Line([(f64, f64); 4]);
    ///
    /// impl Experiment for Line {
    ///     type Error = std::convert::Infallible;
    ///     fn residual_count(&self) -> usize {
    ///         4
    ///     }
    ///     fn residuals<T: Scalar>(&self, u: &[T], r: &mut [T]) -> Result<(), Self::Error> {
    ///         self.0.iter().zip(r).for_each(|(&(x, y), r)| *r = (u[0] + u[1] * x - y) / 0.1);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let unknowns = vec![Unknown::new("height", "m", 0.0)?, Unknown::new("slope", "1", 0.0)?];
    /// let lines = [Line([(0.0, 1.0), (1.0, 3.1), (2.0, 4.9), (3.0, 7.0)])];
    /// let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
    /// let fit = optimiser.fit(&Problem::new(unknowns, &lines)?)?;
    ///
    /// // Of the line at x = 1.5, the mean of the abscissae, and at x = 3: σ √(1/n + (x − x̄)²/Σ(xᵢ − x̄)²).
    /// let errors = fit.standard_errors_of(&dmatrix![1.0, 1.5; 1.0, 3.0])?;
    /// for (error, closed) in errors.into_iter().zip([0.05, 0.1 * 0.7f64.sqrt()]) {
    ///     assert!((error.ok_or("not determined")? - closed).abs() < 1e-9);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`] when `J` has another number of columns, or an entry that is not finite.
    pub fn standard_errors_of(
        &self,
        jacobian: &DMatrix<f64>,
    ) -> Result<Vec<Option<f64>>, InvalidInput> {
        let count = self.estimates.len();
        InvalidInput::check_size("columns of the Jacobian", jacobian.ncols(), count)?;
        InvalidInput::check_finite("Jacobian", jacobian.as_slice())?;
        let covariance = DMatrix::from_fn(count, count, |i, j| {
            self.covariance(i, j).unwrap_or_default()
        });
        let is_known = |j: usize| match self.estimates[j].status {
            Status::Determined | Status::HeldByPrior => self.covariance(j, j).is_some(),
            Status::Undetermined => false,
            Status::Fixed | Status::AtBound(_) => true,
        };
        let errors = jacobian.row_iter().map(|row| {
            let known = (0..count).all(|j| row[j] == 0.0 || is_known(j));
            known.then(|| (row * &covariance).dot(&row).max(0.0).sqrt())
        });
        Ok(errors.collect())
    }

    /// The band about a simulation, a function of the unknowns, that contains each value with probability
    /// `level`, to first order: quantile × √(variance by the estimates + `deviation`²). With a standard
    /// deviation of 0 the value is that of the model, otherwise a new measurement of it, with an
    /// error of that standard deviation (Seber & Wild 1989, *Nonlinear Regression*, §5.1).
    ///
    /// # Errors
    /// That of the function; [`InvalidInput`] unless `0 < level < 1` and the deviation is finite and not
    /// negative, and as [`standard_errors_of`](Self::standard_errors_of).
    pub fn prediction_band<F: VectorFunction>(
        &self,
        function: &F,
        level: f64,
        deviation: f64,
    ) -> Result<PredictionBand, F::Error> {
        InvalidInput::check_range("confidence level", &[level], "between 0 and 1", |level| {
            0.0 < level && level < 1.0
        })?;
        let expected = "a number that is not negative";
        InvalidInput::check_range("standard deviation", &[deviation], expected, |s| {
            s >= 0.0 && s.is_finite()
        })?;
        let (values, slopes) = jacobian(function, &self.values())?;
        let quantile = two_sided_quantile(level, self.degrees_of_freedom);
        let errors = self.standard_errors_of(&slopes)?.into_iter();
        let half_widths = errors.map(|error| Some(quantile * error?.hypot(deviation)));
        Ok(PredictionBand {
            values,
            half_widths: half_widths.collect(),
        })
    }
}
