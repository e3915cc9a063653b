//! How uncertain is what follows from estimates.

use super::fit::{Fit, Status};
use crate::InvalidInput;
use nalgebra::DMatrix;

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
            Status::Determined => self.covariance(j, j).is_some(),
            Status::Undetermined => false,
            Status::Fixed | Status::AtBound(_) => true,
        };
        let errors = jacobian.row_iter().map(|row| {
            let known = (0..count).all(|j| row[j] == 0.0 || is_known(j));
            known.then(|| (row * &covariance).dot(&row).max(0.0).sqrt())
        });
        Ok(errors.collect())
    }
}
