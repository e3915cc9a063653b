//! Profile likelihood: the range of one unknown when all others are fitted again.

use super::covariance::{Noise, whole};
use super::error::IdentificationError;
use super::experiment::Experiment;
use super::fit::{Fit, StopReason};
use super::levenberg_marquardt::LevenbergMarquardt;
use super::problem::Problem;
use super::student::two_sided_quantile;
use super::unknown::Unknown;
use crate::InvalidInput;
use std::ops::ControlFlow;

/// Values of an unknown that are fitted to one side at most.
const MAX_POINTS: usize = 40;
/// Change of `τ` that a step aims at, as part of the quantile.
const PART: f64 = 0.3;
/// Values that are fitted to find an end of the interval.
const MAX_REFINEMENTS: usize = 20;
/// How near an end of the interval is found, in `τ`.
const TOLERANCE: f64 = 1e-3;
/// First step in the coordinate of an unknown without standard error.
const FIRST_STEP: f64 = 0.01;
/// How many times the size of its coordinate an unknown is followed: further away its sums with others lose half
/// of their digits.
const FARTHEST: f64 = 1e8;

/// Confidence intervals that do not take the model for linear.
///
/// The unknown is fixed at one value after the other, away from its estimate, and all others are fitted
/// again. With the cost `F` there, its minimum `F̂` and a variance `s²`,
///
/// ```text
/// τ(p) = ± √(2 (F(p) − F̂)/s²)
/// ```
///
/// would be `(p − p̂)/standard error` in a linear model, and is compared with the same quantile of
/// Student's distribution (normal for [`Noise::Unit`], where `s = 1`) as in
/// [`Fit::confidence_interval`]: a test of the likelihood ratio,
/// which does not depend on how the unknown is written (Raue et al. 2009, *Structural and practical
/// identifiability analysis of partially observed dynamical models by exploiting the profile
/// likelihood*, Bioinformatics 25(15), 1923–1929; Bates & Watts 1988, *Nonlinear Regression Analysis and
/// Its Applications*, ch. 6). A side on which τ does not reach the quantile within the bounds
/// ([`ProfileEnd::Unbounded`]) has no end: the data do not determine the unknown in practice, whatever its standard
/// error is.
///
/// Priors are a part of the cost, weighed by the variance of the whole fit.
///
/// For least squares `s²` is the variance of the residuals. Of a robust loss, and where only blocks are independent
/// ([`Noise::Independent`]), the cost is no likelihood: near its minimum it rises as `½ (p − p̂)²/v`, with the element
/// `v` of `H⁻¹` that belongs to the unknown, while the estimate has the variance that the sandwich
/// ([`Noise`]) says. Their ratio is `s²` then, different for each unknown, with which the interval agrees to second
/// order with that of the standard error (Kent 1982, *Robust properties of likelihood ratio tests*, Biometrika 69(1),
/// 19–27; for blocks Chandler & Bate 2007, *Inference for clustered data using the independence loglikelihood*,
/// Biometrika 94(1), 167–183).
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileLikelihood {
    optimiser: LevenbergMarquardt,
    level: f64,
}

/// The result of [`ProfileLikelihood`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// Points by ascending value of the unknown, with the estimate.
    pub points: Vec<ProfilePoint>,
    /// Lower end of the confidence interval; `None` where none was found, for the reason in `ends`.
    pub lower: Option<f64>,
    /// Upper end; `None` where none was found.
    pub upper: Option<f64>,
    /// How the profile ends below and above the estimate.
    pub ends: [ProfileEnd; 2],
}

/// How a side of a profile ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProfileEnd {
    /// Where τ is the quantile, to a thousandth of it: the end of the interval.
    Found,
    /// τ jumps over the quantile, or the fits between failed: the end of the interval is the nearest value at which τ
    /// is known to be beyond the quantile, so that the interval is rather too wide.
    Enclosed,
    /// τ stays below the quantile up to the bound of the unknown, or as far as it can be followed: the data do not
    /// determine the unknown on this side.
    Unbounded,
    /// The fit failed at the next value before τ reached the quantile: where the interval ends is not known.
    Failed,
    /// As many values as are allowed were fitted, and τ is still below the quantile: where the interval ends is not known.
    MaxPoints,
}

/// Where an unknown was fixed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProfilePoint {
    /// The unknown, in its unit.
    pub value: f64,
    /// `τ`, negative below the estimate; 0 also where the cost is below that of the fit, which is
    /// then no minimum.
    pub tau: f64,
    /// The cost.
    pub cost: f64,
    /// All unknowns.
    pub values: Vec<f64>,
    /// Why the fit of the others ended. Where it did not converge, `τ` is too large, and the interval too narrow.
    pub stop: StopReason,
}

impl ProfileLikelihood {
    /// Profiles at a confidence level, fitted by this optimiser: that of the fit.
    ///
    /// # Errors
    /// [`InvalidInput`] unless the level is between 0 and 1.
    pub fn new(optimiser: LevenbergMarquardt, level: f64) -> Result<Self, InvalidInput> {
        InvalidInput::check_range("confidence level", &[level], "between 0 and 1", |level| {
            0.0 < level && level < 1.0
        })?;
        Ok(ProfileLikelihood { optimiser, level })
    }

    /// The profile of one unknown of a fit.
    ///
    /// # Errors
    /// [`IdentificationError::Invalid`] for an index out of range, a fit of another number of unknowns,
    /// one without spare residuals, and, with a robust loss or [`Noise::Independent`], an unknown without standard error; [`IdentificationError::Experiment`] and
    /// [`IdentificationError::Execution`] as [`LevenbergMarquardt::fit`]. Values at which experiments fail
    /// end a side ([`ProfileEnd::Failed`]).
    pub fn profile<X: Experiment>(
        &self,
        problem: &Problem<X>,
        fit: &Fit,
        unknown: usize,
    ) -> Result<Profile, IdentificationError> {
        let count = problem.unknowns().len();
        InvalidInput::check_size("estimates of the fit", fit.estimates.len(), count)?;
        InvalidInput::check_range(
            "index of the unknown",
            &[unknown as f64],
            "in range",
            |_| unknown < count,
        )?;
        let (variance, degrees_of_freedom) = match fit.variance_factor(unknown) {
            Some(factor) => (factor, fit.degrees_of_freedom),
            None => self.variance_of_residuals(fit)?,
        };
        let expected = "positive, with more residuals than unknowns";
        InvalidInput::check_range("variance of the residuals", &[variance], expected, |v| {
            v > 0.0
        })?;
        let side = Side {
            optimiser: &self.optimiser.weighing_as(fit),
            problem,
            fit,
            unknown,
            variance,
            quantile: two_sided_quantile(self.level, degrees_of_freedom),
        };
        let (mut points, lower, below) = side.walk(-1.0)?;
        points.reverse();
        points.push(side.estimate());
        let (others, upper, above) = side.walk(1.0)?;
        points.extend(others);
        points.sort_by(|a, b| a.value.total_cmp(&b.value));
        Ok(Profile {
            points,
            lower,
            upper,
            ends: [below, above],
        })
    }
}

impl ProfileLikelihood {
    /// The variance for an unknown without standard error, and degrees of freedom.
    fn variance_of_residuals(&self, fit: &Fit) -> Result<(f64, Option<usize>), InvalidInput> {
        let quantity = "standard error of the unknown";
        let expected = "one, for a profile with a robust loss or independent blocks";
        InvalidInput::check_range(quantity, &[f64::NAN], expected, |_| {
            !self.optimiser.has_variance_of_blocks()
        })?;
        Ok(match self.optimiser.noise {
            Noise::Unit => (1.0, None),
            _ => {
                let deviation = fit.residual_standard_deviation().unwrap_or(f64::NAN);
                (deviation * deviation, fit.spare_residuals().map(whole))
            }
        })
    }
}

/// One side of a profile.
struct Side<'a, X> {
    optimiser: &'a LevenbergMarquardt,
    problem: &'a Problem<'a, X>,
    fit: &'a Fit,
    unknown: usize,
    variance: f64,
    quantile: f64,
}

impl<X: Experiment> Side<'_, X> {
    fn info(&self) -> &Unknown {
        &self.problem.unknowns()[self.unknown]
    }

    fn estimate(&self) -> ProfilePoint {
        ProfilePoint {
            value: self.fit.estimates[self.unknown].value,
            tau: 0.0,
            cost: self.fit.cost,
            values: self.fit.values(),
            stop: self.fit.stop,
        }
    }

    /// The point with the unknown at `value`, fitted from the values of another; `None` where that
    /// fails.
    fn point(
        &self,
        value: f64,
        from: &ProfilePoint,
        sign: f64,
    ) -> Result<Option<ProfilePoint>, IdentificationError> {
        let mut unknowns = self.problem.unknowns().to_vec();
        unknowns[self.unknown] = self.info().fixed_at(value);
        let mut start = from.values.clone();
        start[self.unknown] = value;
        let problem = Problem::new(unknowns, self.problem.experiments())?;
        let fit = (self.optimiser).fit_from(&problem, &start, |_| ControlFlow::Continue(()));
        let fit = match fit {
            Ok(fit) if fit.left_out() == self.fit.left_out() => fit,
            Ok(_)
            | Err(IdentificationError::AllExperimentsFail { .. })
            | Err(IdentificationError::Experiment { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let excess = (2.0 * (fit.cost - self.fit.cost) / self.variance).max(0.0);
        Ok(Some(ProfilePoint {
            value,
            tau: sign * excess.sqrt(),
            cost: fit.cost,
            values: fit.values(),
            stop: fit.stop,
        }))
    }

    /// Points away from the estimate until `|τ|` has passed the quantile, where it does, and how that ends.
    fn walk(
        &self,
        sign: f64,
    ) -> Result<(Vec<ProfilePoint>, Option<f64>, ProfileEnd), IdentificationError> {
        let info = self.info();
        let estimate = &self.fit.estimates[self.unknown];
        let bound = info.coordinate(if sign < 0.0 {
            info.lower()
        } else {
            info.upper()
        });
        let error = estimate
            .standard_error
            .map(|e| e / info.slope(estimate.value));
        let mut step = match error {
            Some(error) if error > 0.0 => PART * self.quantile * error,
            _ => FIRST_STEP * info.magnitude(estimate.value).max(1.0),
        };
        let farthest = FARTHEST * info.coordinate(estimate.value).abs().max(step);
        let mut points: Vec<ProfilePoint> = Vec::new();
        let mut last = self.estimate();
        while points.len() < MAX_POINTS {
            let from = info.coordinate(last.value);
            let to = if sign < 0.0 {
                (from - step).max(bound)
            } else {
                (from + step).min(bound)
            };
            let value = info.value(to);
            let is_value = value.is_finite() && info.coordinate(value).is_finite();
            if value == last.value || !is_value || to.abs() > farthest {
                return Ok((points, None, ProfileEnd::Unbounded));
            }
            let Some(point) = self.point(value, &last, sign)? else {
                return Ok((points, None, ProfileEnd::Failed));
            };
            let rise = (point.tau - last.tau).abs() / (PART * self.quantile);
            let passed = point.tau.abs() >= self.quantile;
            points.push(point.clone());
            if passed {
                let (value, end) = self.end(&last, &point, sign)?;
                return Ok((points, Some(value), end));
            }
            step *= (1.0 / rise.max(1e-3)).clamp(0.5, 4.0);
            last = point;
        }
        Ok((points, None, ProfileEnd::MaxPoints))
    }

    /// Where `|τ|` is the quantile, between points on both sides of it: the rule of false position in the
    /// coordinate of the unknown, that halves the weight of an end which stays (Illinois). Where that is not found,
    /// the nearest value beyond.
    fn end(
        &self,
        inside: &ProfilePoint,
        outside: &ProfilePoint,
        sign: f64,
    ) -> Result<(f64, ProfileEnd), IdentificationError> {
        let info = self.info();
        let excess = |point: &ProfilePoint| point.tau.abs() - self.quantile;
        let (mut low, mut high) = (
            info.coordinate(inside.value),
            info.coordinate(outside.value),
        );
        let (mut below, mut above) = (excess(inside), excess(outside));
        for _ in 0..MAX_REFINEMENTS {
            let middle = low + (high - low) * (-below / (above - below)).clamp(0.01, 0.99);
            let Some(point) = self.point(info.value(middle), inside, sign)? else {
                break;
            };
            let here = excess(&point);
            if here.abs() <= TOLERANCE * self.quantile {
                return Ok((info.value(middle), ProfileEnd::Found));
            }
            if here < 0.0 {
                (low, below, above) = (middle, here, 0.5 * above);
            } else {
                (high, above, below) = (middle, here, 0.5 * below);
            }
        }
        Ok((info.value(high), ProfileEnd::Enclosed))
    }
}
