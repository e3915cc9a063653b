//! Ways on from points at which the linear model promises nothing.

use super::{LEAST_GAIN, Minimization, Next, Proposal};
use crate::identification::error::IdentificationError;
use crate::identification::evaluation::Evaluator;
use crate::identification::execution::Executor;
use crate::identification::experiment::Experiment;
use crate::identification::fit::{Consequence, Iteration, StopReason};
use crate::identification::gauss_newton::GaussNewton;
use crate::identification::question::Costs;
use std::ops::ControlFlow;

/// How often steps along the edge of what can be evaluated are made ten times shorter.
const MAX_SHORTER: usize = 6;
/// Change of the unknowns, relative to their size, by which a stationary point is probed.
const PROBE: f64 = 1e-3;
/// Part of the rise that the model expects which shows that the cost is curved upwards.
const CURVED: f64 = 0.25;

impl<'e, 'a, X: Experiment, E: Executor<Evaluator<'a, X>>> Minimization<'e, 'a, X, E> {
    /// Leaves a stationary point that is not a minimum, and returns the radius of the next step; `stop` if it is one, or
    /// why else the fit ends.
    ///
    /// The Jacobian sees the curvature `JᵀJ` of the cost, not the part of the second derivatives of
    /// the residuals: at a maximum and at a saddle its gradient vanishes, too. The cost is evaluated
    /// a small step along every singular direction of the free unknowns, the undetermined ones included, and to the other
    /// side where it does not rise as `JᵀJ` says.
    pub(super) fn leave(
        &mut self,
        (relative_offset, stop): (f64, StopReason),
        progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Next, IdentificationError> {
        if self.escapes == 0 || self.iterations.len() >= self.options.max_iterations {
            return Ok(Next::Stop(stop));
        }
        let resolution = self.model.resolution(self.options.cost_tolerance);
        let noise = (self.noise_variance()).filter(|_| self.options.noise_tolerance > 0.0);
        for k in 0..self.model.free().len() {
            let direction = self.model.direction(k);
            let relative = (direction.iter().zip(&self.z)).map(|(d, z)| d.abs() / z.abs().max(1.0));
            let mut length = PROBE / relative.fold(0.0, f64::max);
            let stretch = self.model.stretch(k);
            // With a noise tolerance a probe need not change the residuals by more than a standard deviation of the noise.
            if let Some(noise) = noise.filter(|_| stretch > 0.0) {
                length = length.min(noise.sqrt() / stretch);
            }
            let expected = 0.5 * (length * stretch).powi(2);
            for length in [length, -length] {
                let point: Vec<f64> = (0..self.z.len())
                    .map(|j| {
                        let z = self.z[j] + length * direction[j];
                        z.clamp(self.limits.lower[j], self.limits.upper[j])
                    })
                    .collect();
                let Some(values) = self.values_at(&point) else {
                    continue;
                };
                let costs = Costs::of(&self.ask_cost(&values)?);
                let reduction = costs.reduction + self.priors.reduction(&self.z, &point);
                // What the gradient promises is left to a smaller tolerance: only curvature makes another minimum.
                let promised = -self.model.slope(&self.z, &point);
                let rise = promised - reduction;
                if stretch > 0.0 && rise > resolution.max(CURVED * expected) {
                    // Curved upwards: the other side rises, too.
                    break;
                }
                if reduction.min(reduction - promised) <= resolution {
                    continue;
                }
                let (step, from) = (self.step_size(&point), self.z.clone());
                let trial = self.try_point(point, resolution, None)?;
                if trial.accepted {
                    self.escapes -= 1;
                    let proposal = Proposal {
                        step,
                        damping: 0.0,
                        expected_reduction: 0.0,
                        relative_offset,
                    };
                    return Ok(match self.record(trial, proposal, progress) {
                        true => Next::Stop(StopReason::Callback),
                        false => Next::Radius(self.model.length(&from, &self.z)),
                    });
                }
            }
        }
        Ok(Next::Stop(stop))
    }

    /// Whether an experiment failed at the end of a step after this number of them.
    pub(super) fn has_failed_after(&self, iterations: usize) -> bool {
        let mut last = self.failures.iter().rev();
        last.find(|failure| failure.consequence == Consequence::StepRejected)
            .is_some_and(|failure| failure.iteration > iterations)
    }

    /// Moves along the edge of what the experiments can be evaluated at, and returns the radius of the next step, or why
    /// the fit ends.
    ///
    /// Where the edge is, only failures tell. If one unknown leads beyond it, the others may go on: each
    /// in turn is held until they do no more, the one first without which the model promises most.
    pub(super) fn slide(
        &mut self,
        relative_offset: f64,
        progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Next, IdentificationError> {
        let before = self.iterations.len();
        let longest = self.options.initial_radius * self.unit_length();
        let promise = |model: &GaussNewton, j| model.holding(j).attainable_reduction();
        let mut held: Vec<(usize, f64)> = (self.model.free().iter())
            .map(|&j| (j, promise(&self.model, j)))
            .collect();
        held.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        for (j, _) in held {
            let (mut radius, mut shorter, mut has_moved) = (longest, 0, false);
            while shorter < MAX_SHORTER && self.iterations.len() < self.options.max_iterations {
                let resolution = self.model.resolution(self.options.cost_tolerance);
                let model = self.model.holding(j);
                let (point, proposal) = self.propose(&model, radius, relative_offset);
                let predicted = proposal.expected_reduction;
                if predicted <= resolution {
                    break;
                }
                let length = model.length(&self.z, &point);
                let trial = self.try_point(point, LEAST_GAIN * predicted, None)?;
                if self.record(trial, proposal, progress) {
                    return Ok(Next::Stop(StopReason::Callback));
                }
                if trial.accepted {
                    has_moved = true;
                    radius = 2.0 * length;
                } else {
                    shorter += 1;
                    radius = 0.1 * radius.min(length);
                }
            }
            if has_moved {
                return Ok(Next::Radius(longest));
            }
        }
        Ok(Next::Stop(
            if self.iterations.len() >= self.options.max_iterations {
                StopReason::MaxIterations
            } else if self.has_failed_after(before.saturating_sub(1)) {
                StopReason::Blocked
            } else {
                StopReason::NoDescent
            },
        ))
    }
}
