//! The parts of an objective of a rollout, and their derivatives.

use super::adjoint::RolloutObjective;
use super::damping::Dual;
use super::state::State;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::autodiff::{CHUNK, slopes};

/// Where a part is evaluated: its step, the state at its start, the inputs during it; at the end of the rollout none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage<'a> {
    pub step: usize,
    pub state: &'a State<f64>,
    pub input: &'a [f64],
}

/// An objective as a sum over the steps of a rollout.
pub(super) trait Objective {
    /// The value of a part; adds its derivatives with respect to state, inputs and, where it is asked for, time.
    fn add(
        &mut self,
        stage: Stage<'_>,
        on_state: &mut [f64],
        on_input: &mut [f64],
        on_time: Option<&mut f64>,
    ) -> f64;

    /// Its derivative with respect to the outputs of a step, if it depends on them.
    fn on_outputs(&self, step: usize) -> Option<&[f64]>;
}

/// Memory for derivatives of one part.
#[derive(Debug, Clone)]
pub(super) struct ObjectiveMemory {
    state: State<Dual>,
    input: Vec<Dual>,
}

impl ObjectiveMemory {
    pub fn new(system: &TimeSteppingRigidBodySystem<f64>) -> Self {
        ObjectiveMemory {
            state: system.initial_state().cast(),
            input: vec![Dual::from_re(0.0); system.num_inputs()],
        }
    }
}

/// A scalar of a rollout, evaluated with duals.
pub(super) struct ObjectiveSlopes<'a, O> {
    pub objective: &'a O,
    pub memory: &'a mut ObjectiveMemory,
}

impl<O: RolloutObjective> Objective for ObjectiveSlopes<'_, O> {
    fn add(
        &mut self,
        stage: Stage<'_>,
        on_state: &mut [f64],
        on_input: &mut [f64],
        on_time: Option<&mut f64>,
    ) -> f64 {
        let ObjectiveMemory { state, input } = &mut *self.memory;
        let input = &mut input[..stage.input.len()];
        state.copy_real(stage.state);
        (input.iter_mut().zip(stage.input)).for_each(|(u, &value)| *u = Dual::from_re(value));
        let size = on_state.len() + on_input.len();
        let mut targets = on_state.iter_mut().chain(on_input);
        let mut value = 0.0;
        for first in (0..size.max(1)).step_by(CHUNK) {
            let variables = state.entries_mut().chain(&mut *input).skip(first);
            for (lane, x) in variables.take(CHUNK).enumerate() {
                *x = x.derivative(lane);
            }
            let part = self.objective.evaluate(stage.step, state, input);
            let variables = state.entries_mut().chain(&mut *input).skip(first);
            variables.take(CHUNK).for_each(|x| *x = Dual::from_re(x.re));
            value = part.re;
            let chunk = targets.by_ref().take(CHUNK);
            (chunk.zip(&slopes(&part))).for_each(|(target, slope)| *target += slope);
        }
        if let Some(on_time) = on_time {
            state.time = state.time.derivative(0);
            let part = self.objective.evaluate(stage.step, state, input);
            *on_time += slopes(&part)[0];
        }
        value
    }

    fn on_outputs(&self, _: usize) -> Option<&[f64]> {
        None
    }
}

/// The objective `Σ cₖ·xₖ + Σ dₖ·yₖ` of states and outputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Covectors<'a> {
    /// `c`, one after the other, also that of the state after the last step; or nothing, for zero.
    pub states: &'a [f64],
    /// `d`, one after the other; or nothing, for zero.
    pub outputs: &'a [f64],
    /// How many outputs there are.
    pub num_outputs: usize,
}

impl Objective for Covectors<'_> {
    fn add(
        &mut self,
        stage: Stage<'_>,
        on_state: &mut [f64],
        _: &mut [f64],
        _: Option<&mut f64>,
    ) -> f64 {
        let first = stage.step * on_state.len();
        let covector = self.states.iter().skip(first);
        let mut value = 0.0;
        for ((target, &c), x) in on_state.iter_mut().zip(covector).zip(stage.state.entries()) {
            *target += c;
            value += c * x;
        }
        value
    }

    fn on_outputs(&self, step: usize) -> Option<&[f64]> {
        let first = step * self.num_outputs;
        let covector = self.outputs.get(first..first + self.num_outputs)?;
        covector.iter().any(|d| *d != 0.0).then_some(covector)
    }
}
