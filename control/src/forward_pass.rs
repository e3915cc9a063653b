//! Forward pass of DDP: rollouts of a policy that close defects between stages.
//!
//! With a step of length α,
//!
//! ```text
//! ûₖ = clamp(uₖ + α kₖ + Kₖ (x̂ₖ ⊖ xₖ)),      x̂ₖ₊₁ = f(x̂ₖ, ûₖ) ⊕ −(1 − α) gₖ₊₁
//! ```
//!
//! from x̂₀ of the [start](crate::start), so that the whole step closes all gaps (Mastalli et al. 2020, *ICRA*, 2536–2542).

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::evaluation::{Value, evaluate};
use crate::problem::Problem;
use crate::stage::Stage;

/// States and inputs over a horizon.
#[derive(Debug, Clone)]
pub(crate) struct Trajectory<S> {
    /// One more than inputs.
    pub states: Vec<S>,
    pub inputs: Vec<Vec<f64>>,
}

/// What a candidate is worth.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trial {
    pub value: Value,
    /// Sum of the absolute values of all entries of gaps, and the largest of them.
    pub gaps: f64,
    pub largest_gap: f64,
}

impl Trial {
    /// Adds a gap of which that part is left.
    pub fn add_gap(&mut self, gap: &[f64], part: f64) {
        for gap in gap {
            self.gaps += part * gap.abs();
            self.largest_gap = self.largest_gap.max(part * gap.abs());
        }
    }
}

/// Memory of rollouts.
#[derive(Debug, Clone)]
pub(crate) struct ForwardPass<S> {
    pub candidate: Trajectory<S>,
    displacement: Vec<f64>,
    next: S,
}

impl<S: Clone> ForwardPass<S> {
    pub fn new(trajectory: &Trajectory<S>, n: usize) -> Self {
        ForwardPass {
            next: trajectory.states[0].clone(),
            candidate: trajectory.clone(),
            displacement: vec![0.0; n],
        }
    }

    /// Makes the candidate that the policy about a trajectory leads to, without a change of the inputs planned.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn replay<D: Dynamics<State = S>>(
        &mut self,
        problem: &mut Problem<D>,
        stages: &[Stage],
        from: &Trajectory<S>,
    ) -> Result<Trial, ControlError> {
        self.follow(problem, stages, from, [1.0, 0.0], 1.0)
    }

    /// Makes the candidate of a step, and says what it is worth.
    ///
    /// # Errors
    /// Those of the first step or residual that fails.
    pub fn run<D: Dynamics<State = S>>(
        &mut self,
        problem: &mut Problem<D>,
        stages: &[Stage],
        from: &Trajectory<S>,
        length: f64,
        penalty: f64,
    ) -> Result<Trial, ControlError> {
        self.follow(problem, stages, from, [length; 2], penalty)
    }

    /// Closes that part of the gaps and takes that part of the feedforward.
    fn follow<D: Dynamics<State = S>>(
        &mut self,
        problem: &mut Problem<D>,
        stages: &[Stage],
        from: &Trajectory<S>,
        [length, feedforward]: [f64; 2],
        penalty: f64,
    ) -> Result<Trial, ControlError> {
        let ForwardPass {
            candidate,
            displacement,
            next,
        } = self;
        let mut trial = Trial::default();
        (stages.iter()).for_each(|stage| trial.add_gap(&stage.gap, 1.0 - length));
        let shrink = |gap: &[f64], displacement: &mut [f64]| {
            for (d, gap) in displacement.iter_mut().zip(gap) {
                *d = -(1.0 - length) * gap;
            }
            displacement.iter().any(|d| *d != 0.0)
        };
        for (d, move_by) in displacement.iter_mut().zip(&stages[0].start) {
            *d = feedforward * move_by;
        }
        let first = &mut candidate.states[0];
        (problem.dynamics).displace(&from.states[0], displacement, first)?;
        let left = (1.0 - length, &stages[0].gap[..]);
        (problem.start()).clamp(&problem.dynamics, first, left, displacement)?;
        for (k, stage) in stages.iter().enumerate() {
            let (done, ahead) = candidate.states.split_at_mut(k + 1);
            let state = &done[k];
            let mut input = &mut [][..];
            if k < problem.horizon {
                input = &mut candidate.inputs[k];
                (problem.dynamics).difference(&from.states[k], state, displacement)?;
                input.copy_from_slice(&from.inputs[k]);
                for (u, k) in input.iter_mut().zip(&stage.feedforward) {
                    *u += feedforward * k;
                }
                crate::matrix::add_times(input, &stage.gain, displacement);
                problem.input_bounds.clamp_all(input);
            }
            let value = evaluate(problem.at(k, state, input), &stage.multipliers, penalty)?;
            trial.value.add(&value);
            if k == problem.horizon {
                break;
            }
            next.clone_from(&from.states[k + 1]);
            (problem.dynamics)
                .step(state, input, next)
                .map_err(ControlError::in_step(k))?;
            match shrink(&stages[k + 1].gap, displacement) {
                true => (problem.dynamics).displace(next, displacement, &mut ahead[0])?,
                false => ahead[0].clone_from(next),
            }
        }
        Ok(trial)
    }
}
