//! The backward sweep of the [adjoint](super::adjoint).

use super::checkpoints::{Checkpoints, Reversible};
use super::derivative::StepGradient;
use super::error::{RolloutFailure, SystemError};
use super::jacobian::{StepAt, StepDifferentiator};
use super::objective::{Objective, Stage};
use super::state::State;
use super::step::StepWorkspace;
use super::time_stepping::{TIME_STEP, TimeSteppingRigidBodySystem};
use crate::InvalidInput;
use crate::math::reset_vector;
use crate::parameter::Parameters;
use nalgebra::DVector;
use std::ops::Range;

/// As many numbers are kept of the states of a rollout before any of its steps is made twice: 16 MB.
const KEPT_NUMBERS: usize = 1 << 21;

/// Memory of sweeps.
#[derive(Debug, Clone)]
pub(super) struct ReverseSweep {
    differentiator: StepDifferentiator,
    pub checkpoint_interval: Option<usize>,
    /// Where the length of a step is among the parameters. If it is, derivatives with respect to the time of a state come
    /// after them.
    lengths: Vec<usize>,
    steps: StepWorkspace<f64>,
    of_step: StepGradient,
    checkpoints: Checkpoints<State<f64>>,
    /// Derivative with respect to the state at the present step.
    covector: DVector<f64>,
    /// The state after the last step.
    last: State<f64>,
    /// Zero for each input.
    no_input: Vec<f64>,
}

/// Where a gradient is written.
#[derive(Debug)]
pub(super) struct GradientParts<'a> {
    pub initial_state: &'a mut [f64],
    /// Of one step after the other.
    pub inputs: &'a mut [f64],
    pub parameters: &'a mut [f64],
}

impl ReverseSweep {
    /// For rollouts of a system, and derivatives with respect to the parameters at these positions.
    pub fn new(
        system: &TimeSteppingRigidBodySystem<f64>,
        parameters: &[usize],
    ) -> Result<Self, SystemError> {
        let mut differentiator = StepDifferentiator::by(system, parameters)?;
        let of_length = system.parameter_index(TIME_STEP)?;
        let places = parameters.iter().enumerate();
        let lengths: Vec<usize> = places
            .filter(|(_, index)| **index == of_length)
            .map(|(place, _)| place)
            .collect();
        if !lengths.is_empty() {
            differentiator = differentiator.with_time();
        }
        Ok(ReverseSweep {
            differentiator,
            checkpoint_interval: None,
            lengths,
            steps: system.workspace()?,
            of_step: StepGradient::default(),
            checkpoints: Checkpoints::default(),
            covector: DVector::zeros(0),
            last: system.initial_state(),
            no_input: vec![0.0; system.num_inputs()],
        })
    }

    pub fn system(&self) -> &TimeSteppingRigidBodySystem<f64> {
        self.differentiator.system()
    }

    /// The parameters that derivatives are taken with respect to, as positions in those of the system.
    pub fn parameters(&self) -> &[usize] {
        self.differentiator.parameters()
    }

    /// The state after the last step of the last rollout.
    pub fn last(&self) -> &State<f64> {
        &self.last
    }

    /// Sets parameters of the system by their positions.
    pub fn set_parameters(&mut self, values: &[(usize, f64)]) -> Result<(), SystemError> {
        self.differentiator.set_parameters(values)
    }

    /// The value of `objective` over so many steps with inputs one after the other; writes its derivatives.
    pub fn gradient(
        &mut self,
        objective: &mut impl Objective,
        initial: &State<f64>,
        (inputs, steps): (&[f64], usize),
        parts: GradientParts<'_>,
    ) -> Result<f64, RolloutFailure> {
        let at = || RolloutFailure::at(0, initial.time);
        let (nu, entries) = (self.system().num_inputs(), parts.initial_state.len());
        InvalidInput::check_size("inputs of all steps", inputs.len(), nu * steps).map_err(at())?;
        (self.system().check_sizes(initial, &self.no_input))
            .map_err(RolloutFailure::at(0, initial.time))?;
        reset_vector(&mut self.covector, entries);
        parts.parameters.fill(0.0);
        self.steps.restart();
        let keeps_all = steps.saturating_mul(entries) <= KEPT_NUMBERS;
        let interval = self.checkpoint_interval.unwrap_or(match keeps_all {
            true => 1,
            false => (steps as f64).sqrt().ceil() as usize,
        });
        let mut checkpoints = std::mem::take(&mut self.checkpoints);
        let mut rollout = Backwards {
            sweep: self,
            objective,
            inputs,
            steps,
            value: 0.0,
            on_time: 0.0,
            on_inputs: &mut *parts.inputs,
            on_parameters: &mut *parts.parameters,
        };
        let swept = checkpoints.sweep(&mut rollout, steps, interval, initial);
        let value = rollout.value;
        self.checkpoints = checkpoints;
        swept?;
        parts
            .initial_state
            .copy_from_slice(self.covector.as_slice());
        for (quantity, values) in [
            ("objective", &[value][..]),
            ("gradient", parts.initial_state),
            ("gradient", parts.inputs),
            ("gradient", parts.parameters),
        ] {
            InvalidInput::check_finite(quantity, values).map_err(at())?;
        }
        Ok(value)
    }
}

/// A rollout whose gradient is being computed.
struct Backwards<'a, O> {
    sweep: &'a mut ReverseSweep,
    objective: &'a mut O,
    inputs: &'a [f64],
    steps: usize,
    value: f64,
    /// Derivative with respect to the time of the present state, where it is asked for.
    on_time: f64,
    on_inputs: &'a mut [f64],
    on_parameters: &'a mut [f64],
}

impl<O> Backwards<'_, O> {
    /// The places of the inputs of a step.
    fn inputs_of(&self, step: usize) -> Range<usize> {
        let size = self.sweep.no_input.len();
        step * size..(step + 1) * size
    }
}

impl<O: Objective> Reversible for Backwards<'_, O> {
    type State = State<f64>;
    type Error = RolloutFailure;

    fn advance(&mut self, step: usize, state: &mut State<f64>) -> Result<(), RolloutFailure> {
        let input = &self.inputs[self.inputs_of(step)];
        let ReverseSweep {
            differentiator,
            steps,
            ..
        } = &mut *self.sweep;
        let made = (differentiator.system())
            .step(steps, state, input)
            .map_err(RolloutFailure::at(step, state.time))?;
        state.clone_from(made.state());
        Ok(())
    }

    fn turn(&mut self, last: &State<f64>) -> Result<(), RolloutFailure> {
        let end = Stage {
            step: self.steps,
            state: last,
            input: &[],
        };
        let sweep = &mut *self.sweep;
        let on_time = (!sweep.lengths.is_empty()).then_some(&mut self.on_time);
        let covector = sweep.covector.as_mut_slice();
        self.value = (self.objective).add(end, covector, &mut [], on_time);
        sweep.last.clone_from(last);
        Ok(())
    }

    fn pull_back(
        &mut self,
        step: usize,
        state: &State<f64>,
        end: &State<f64>,
    ) -> Result<(), RolloutFailure> {
        let places = self.inputs_of(step);
        let input = &self.inputs[places.clone()];
        let on_input = &mut self.on_inputs[places];
        let ReverseSweep {
            differentiator,
            of_step,
            lengths,
            covector,
            ..
        } = &mut *self.sweep;
        let at = || RolloutFailure::at(step, state.time);
        let end = Some(end);
        differentiator
            .pull_back_from(StepAt { state, input, end }, covector.as_slice(), of_step)
            .map_err(at())?;
        covector.copy_from(&of_step.state);
        on_input.copy_from_slice(of_step.input.as_slice());
        let has_time = !lengths.is_empty();
        let count = self.on_parameters.len();
        let by_time = |of_step: &StepGradient| match has_time {
            true => of_step.parameters[of_step.parameters.len() - 1],
            false => 0.0,
        };
        add(self.on_parameters, &of_step.parameters.as_slice()[..count]);
        for &length in lengths.iter() {
            self.on_parameters[length] += self.on_time;
        }
        self.on_time += by_time(of_step);
        if let Some(on_outputs) = self.objective.on_outputs(step) {
            self.value += differentiator
                .pull_back_outputs(state, input, on_outputs, of_step)
                .map_err(at())?;
            add(covector.as_mut_slice(), of_step.state.as_slice());
            add(on_input, of_step.input.as_slice());
            add(self.on_parameters, &of_step.parameters.as_slice()[..count]);
            self.on_time += by_time(of_step);
        }
        let stage = Stage { step, state, input };
        let on_time = has_time.then_some(&mut self.on_time);
        let on_state = covector.as_mut_slice();
        self.value += (self.objective).add(stage, on_state, on_input, on_time);
        Ok(())
    }
}

fn add(sums: &mut [f64], terms: &[f64]) {
    (sums.iter_mut().zip(terms)).for_each(|(sum, term)| *sum += term);
}
