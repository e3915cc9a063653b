//! The end of a fit whose steps bring less than the noise.

use super::Minimization;
use crate::identification::covariance::variance_of_data;
use crate::identification::error::IdentificationError;
use crate::identification::evaluation::Evaluator;
use crate::identification::execution::Executor;
use crate::identification::experiment::Experiment;
use crate::identification::fit::{Status, StopReason};
use crate::identification::gauss_newton::Bound;
use crate::identification::question::Costs;

/// Steps taken one after the other whose gain is compared with the noise.
const WATCHED: usize = 10;
/// What they may bring where a fit ends for another reason, in variances of the noise, so that it is over.
pub(super) const NOTHING: f64 = 1e-2;
/// Part of the tolerance below which the reduction that the model promises is none: with a tolerance of 10⁻³ no estimate is
/// farther than 0.005 standard errors from where the step ends.
const PROMISED: f64 = 1e-2;
/// Slope of the cost along an unknown, in standard deviations of the noise, above which the end of a fit below the noise is
/// not stationary.
const STEEP: f64 = 0.1;
/// Rise of the cost, in variances of the noise, that is none where an unknown is moved on.
const FLAT: f64 = 0.01;

impl<'e, 'a, X: Experiment, E: Executor<Evaluator<'a, X>>> Minimization<'e, 'a, X, E> {
    /// Whether the last steps together brought less than a part of the variance of the noise.
    pub(super) fn is_below_noise(&self, tolerance: f64) -> bool {
        let Some(watched) = self.gains.len().checked_sub(WATCHED) else {
            return false;
        };
        self.is_lost_in_noise(|| self.gains[watched..].iter().sum(), tolerance)
    }

    /// Whether the model promises less than a small part of what steps would have to bring so that the fit goes on.
    pub(super) fn promises_nothing(&self, tolerance: f64) -> bool {
        self.is_lost_in_noise(|| self.model.attainable_reduction(), PROMISED * tolerance)
    }

    /// Whether a reduction of the cost is at most a part of the variance of the noise; never, for a part of zero.
    fn is_lost_in_noise(&self, reduction: impl FnOnce() -> f64, part: f64) -> bool {
        part > 0.0 && (self.noise_variance()).is_some_and(|variance| reduction() <= part * variance)
    }

    /// The variance of the noise, as far as it is known here.
    pub(super) fn noise_variance(&self) -> Option<f64> {
        match self.options.estimates_variance() {
            true => variance_of_data(&self.model, self.costs, &self.priors).map(|(v, _)| v),
            false => Some(1.0),
        }
    }

    /// Whether a descent that has ended for this reason may have ended [below the noise](StopReason::BelowNoise).
    pub(super) fn may_be_below_noise(&self, stop: StopReason) -> bool {
        match stop {
            StopReason::BelowNoise | StopReason::NoDescent => true,
            StopReason::MaxIterations => self.is_below_noise(NOTHING),
            _ => false,
        }
    }

    /// The unknowns along which the cost has a slope and may be held all the same, and what holds them; and whether there
    /// are no others with a slope.
    ///
    /// An unknown that can move on by its scale at no cost is at an end of its range: a logarithm that goes to minus infinity.
    /// One that can be zero at no cost is where the residuals do not respond to it. Others are at a kink, or have a way to go.
    #[allow(clippy::type_complexity)]
    pub(super) fn find_flat(
        &mut self,
    ) -> Result<(Vec<(usize, Status)>, bool), IdentificationError> {
        let Some(variance) = self.noise_variance() else {
            return Ok((Vec::new(), false));
        };
        let (mut flat, mut is_whole) = (Vec::new(), true);
        for (j, slope) in self.model.steep(STEEP * variance.sqrt()) {
            let bound = match slope > 0.0 {
                true => Bound::Lower,
                false => Bound::Upper,
            };
            let ends = [
                (self.z[j] - slope.signum(), Status::AtBound(bound)),
                (0.0, Status::Undetermined),
            ];
            let mut holds = None;
            for (end, status) in ends {
                let mut point = self.z.clone();
                point[j] = end.clamp(self.limits.lower[j], self.limits.upper[j]);
                let Some(values) = self.values_at(&point) else {
                    continue;
                };
                let costs = Costs::of(&self.ask_cost(&values)?);
                let reduction = costs.reduction + self.priors.reduction(&self.z, &point);
                if reduction >= -FLAT * variance {
                    holds = Some(status);
                    break;
                }
            }
            match holds {
                Some(status) => flat.push((j, status)),
                None => is_whole = false,
            }
        }
        Ok((flat, is_whole))
    }
}
