//! The status of an estimate: determined, well or poorly, at a bound, held by a prior, or undetermined.

use super::fit::{Fit, Status};
use super::gauss_newton::Bound;
use super::unknown::Transform;

/// What holds an estimate, and along which directions it is not held, for programs to act on.
///
/// With the feature `serde` it is written with its name in `verdict`: `{"verdict": "at_bound", "bound": "Lower"}`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "verdict", rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Verdict {
    /// The data. There may be no standard error where the fit has not converged.
    Determined,
    /// The data, which say less than was known before: its [standard error](Fit::relative_error) is larger than its size.
    PoorlyDetermined {
        /// The standard error over the size.
        relative_error: f64,
    },
    /// A bound, or an end of the range without one.
    AtBound {
        /// Which.
        bound: Bound,
    },
    /// [Priors](super::Unknown::with_prior) more than the data.
    HeldByPrior {
        /// The part of its variance that comes from the [data](super::Estimate::data_share).
        data_share: f64,
    },
    /// Nothing.
    NotDetermined {
        /// The combinations of unknowns that may change without a trace, in which it takes part. One unknown of each must be
        /// fixed, or tied to another, or known before.
        directions: Vec<Vec<Change>>,
    },
    /// The user: its bounds are equal.
    Fixed,
}

/// The change of one unknown in a [direction](super::Direction).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Change {
    /// Name of the unknown.
    pub unknown: String,
    /// Its change, in its unit.
    pub change: f64,
    /// Its unit.
    pub unit: String,
    /// The change over the magnitude of its value; `None` of a value of 0.
    pub relative: Option<f64>,
}

impl Verdict {
    /// Its name as it is written: `determined`, `poorly_determined`, `at_bound`, `held_by_prior`, `not_determined` or `fixed`.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Determined => "determined",
            Verdict::PoorlyDetermined { .. } => "poorly_determined",
            Verdict::AtBound { .. } => "at_bound",
            Verdict::HeldByPrior { .. } => "held_by_prior",
            Verdict::NotDetermined { .. } => "not_determined",
            Verdict::Fixed => "fixed",
        }
    }

    /// The combinations of unknowns that may change without a trace; none unless it is not determined.
    pub fn directions(&self) -> &[Vec<Change>] {
        match self {
            Verdict::NotDetermined { directions } => directions,
            _ => &[],
        }
    }
}

impl Fit {
    /// What holds an estimate; `None` for an index out of range.
    ///
    /// ```
    /// use dualbody::Scalar;
    /// use dualbody::identification::{Experiment, LevenbergMarquardt, Problem, Unknown, Verdict};
    ///
    /// /// Two springs side by side, of which the sum of forces is measured.
    /// struct Springs;
    ///
    /// impl Experiment for Springs {
    ///     type Error = std::convert::Infallible;
    ///     fn residual_count(&self) -> usize {
    ///         3
    ///     }
    ///     fn residuals<T: Scalar>(&self, k: &[T], r: &mut [T]) -> Result<(), Self::Error> {
    ///         let measured = [2.0, 4.1, 6.0];
    ///         (0..3).for_each(|i| r[i] = (k[0] + k[1]) * (i + 1) as f64 - measured[i]);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let unknowns = vec![Unknown::new("left", "N/m", 1.0)?, Unknown::new("right", "N/m", 1.0)?];
    /// let fit = LevenbergMarquardt::new().fit(&Problem::new(unknowns, &[Springs])?)?;
    /// let Some(Verdict::NotDetermined { directions }) = fit.verdict(0) else {
    ///     panic!("it is determined");
    /// };
    /// assert_eq!(directions[0][1].unknown, "right");
    /// assert!((directions[0][0].change + directions[0][1].change).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verdict(&self, index: usize) -> Option<Verdict> {
        let estimate = self.estimates.get(index)?;
        Some(match estimate.status {
            Status::Determined => match self.relative_error(index) {
                Some(relative_error) if relative_error > 1.0 => {
                    Verdict::PoorlyDetermined { relative_error }
                }
                _ => Verdict::Determined,
            },
            Status::Fixed => Verdict::Fixed,
            Status::AtBound(bound) => Verdict::AtBound { bound },
            Status::HeldByPrior => Verdict::HeldByPrior {
                data_share: estimate.data_share.unwrap_or(0.0),
            },
            Status::Undetermined => {
                let all = self.determinability.undetermined.iter();
                let own = all.filter(|d| d.changes.iter().any(|(j, _)| *j == index));
                let directions = own.map(|direction| self.changes(&direction.changes));
                Verdict::NotDetermined {
                    directions: directions.collect(),
                }
            }
        })
    }

    /// The standard error of an estimate, the one that counts correlated residuals if that is larger, over the size of the
    /// unknown. Above 1 the data say less than was known before the fit. `None` for an index out of range and without
    /// standard error.
    ///
    /// The size of a linear unknown is the larger of its value and its [scale](super::Unknown::scale), and that of a logarithmic
    /// one its value; at most the standard deviation of a number that is anywhere between its bounds, `(upper − lower)/√12`, or
    /// `ln(upper/lower)/√12` times the value.
    pub fn relative_error(&self, index: usize) -> Option<f64> {
        let (unknown, estimate) = (self.unknowns.get(index)?, self.estimates.get(index)?);
        let error = estimate.standard_error?;
        let error = error.max(estimate.correlated_standard_error.unwrap_or(0.0));
        let (value, [lower, upper]) = (estimate.value.abs(), [unknown.lower(), unknown.upper()]);
        let size = match unknown.transform() {
            Transform::Linear { scale } => value.max(scale).min((upper - lower) / 12.0f64.sqrt()),
            Transform::Logarithmic if lower > 0.0 => {
                value * 1.0f64.min((upper / lower).ln() / 12.0f64.sqrt())
            }
            Transform::Logarithmic => value,
        };
        Some(error / size)
    }

    /// Changes of unknowns by their index, with names.
    pub(super) fn changes(&self, changes: &[(usize, f64)]) -> Vec<Change> {
        let named = changes.iter().filter_map(|&(j, change)| {
            let (unknown, estimate) = (self.unknowns.get(j)?, self.estimates.get(j)?);
            Some(Change {
                unknown: unknown.name().to_owned(),
                change,
                unit: unknown.unit().to_owned(),
                relative: (estimate.value != 0.0).then(|| change / estimate.value.abs()),
            })
        });
        named.collect()
    }
}
