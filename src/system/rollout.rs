//! Rollouts: many steps in a row.

use super::error::{RolloutFailure, SystemError};
use super::state::State;
use super::status::{StepKink, StepStatus};
use super::step::StepWorkspace;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::{InvalidInput, Scalar};

/// The states that a system passes through.
#[derive(Debug, Clone, PartialEq)]
pub struct Rollout<T: Scalar> {
    /// The initial state, and the state after each step that succeeded.
    pub states: Vec<State<T>>,
    /// The inputs of each of these steps.
    pub inputs: Vec<Vec<T>>,
    /// How each of these steps went.
    pub statuses: Vec<StepStatus>,
    /// Why there are fewer steps than asked for.
    pub failure: Option<RolloutFailure>,
}

impl<T: Scalar> Rollout<T> {
    /// The state after the last step that succeeded; the initial state if there is none.
    pub fn last(&self) -> &State<T> {
        &self.states[self.states.len() - 1]
    }

    /// For each unit the step that came nearest to a kink, by its number, and that kink. A distance of zero means a
    /// one-sided derivative whatever its unit. In continuous time there are none unless the
    /// [workspace](StepWorkspace::set_kink_search) looks for them.
    #[inline(never)]
    pub fn nearest_kinks(&self) -> Vec<(usize, StepKink)> {
        let mut nearest: Vec<(usize, StepKink)> = Vec::new();
        for (step, status) in self.statuses.iter().enumerate() {
            for &kink in status.nearest_kinks.iter() {
                let of_unit = (nearest.iter_mut()).find(|(_, other)| other.unit() == kink.unit());
                match of_unit {
                    Some((_, other)) if other.distance() <= kink.distance() => {}
                    Some(other) => *other = (step, kink),
                    None => nearest.push((step, kink)),
                }
            }
        }
        nearest
    }

    /// The rollout, if no step failed.
    ///
    /// # Errors
    /// The failure of the step at which it ended.
    pub fn completed(self) -> Result<Self, RolloutFailure> {
        match self.failure {
            None => Ok(self),
            Some(failure) => Err(failure),
        }
    }
}

/// Writes the inputs of a step from its number and the state at its start.
type Control<'a, T> = &'a mut dyn FnMut(usize, &State<T>, &mut [T]);

impl<T: Scalar> TimeSteppingRigidBodySystem<T> {
    /// Makes `steps` steps from `initial` with zero inputs and without noise.
    ///
    /// # Errors
    /// The failure of the step at which it ended; [`Self::rollout_with`] keeps what was before.
    #[inline(never)]
    pub fn rollout(&self, initial: &State<T>, steps: usize) -> Result<Rollout<T>, SystemError> {
        let rollout = self.rollout_with(&mut self.workspace()?, initial, steps, |_, _, _| {});
        rollout.completed().map_err(|failure| *failure.source)
    }

    /// Makes `steps` steps from `initial`.
    ///
    /// `control` writes the inputs of each step (zero beforehand) from its number and the state at its
    /// start; it is also the place to show progress. A step that fails ends the rollout; what has been
    /// computed before is kept.
    pub fn rollout_with(
        &self,
        workspace: &mut StepWorkspace<T>,
        initial: &State<T>,
        steps: usize,
        mut control: impl FnMut(usize, &State<T>, &mut [T]),
    ) -> Rollout<T> {
        self.roll_out(workspace, initial, steps, &mut control)
    }

    /// As [`Self::rollout`] over the same time, with its steps shifted: the first has the part `phase` of the length of a
    /// step, what is missing is made at the end. What depends on where within steps impacts fall, depends on the phase;
    /// averages over it do not.
    ///
    /// # Errors
    /// As [`Self::rollout`], and unless `0 < phase ≤ 1`.
    pub fn rollout_in_phase(
        &self,
        initial: &State<T>,
        steps: usize,
        phase: f64,
    ) -> Result<Rollout<T>, SystemError> {
        InvalidInput::check_range("phase", &[phase], "positive, at most 1", |phase| {
            phase > 0.0 && phase <= 1.0
        })?;
        if phase == 1.0 || steps == 0 {
            return self.rollout(initial, steps);
        }
        let mut part = self.clone();
        part.set_time_step(self.time_step * T::from(phase));
        let mut rollout = part.rollout(initial, 1)?;
        part.set_time_step(self.time_step * T::from(1.0 - phase));
        for (system, steps) in [(self, steps - 1), (&part, 1)] {
            let start = rollout.states.len() - 1;
            let next = system.rollout(&rollout.states[start], steps)?;
            rollout.states.truncate(start);
            rollout.states.extend(next.states);
            rollout.inputs.extend(next.inputs);
            rollout.statuses.extend(next.statuses);
        }
        Ok(rollout)
    }

    #[inline(never)]
    pub(crate) fn roll_out(
        &self,
        workspace: &mut StepWorkspace<T>,
        initial: &State<T>,
        steps: usize,
        control: Control<'_, T>,
    ) -> Rollout<T> {
        let mut rollout = Rollout {
            states: Vec::new(),
            inputs: Vec::new(),
            statuses: Vec::new(),
            failure: None,
        };
        let mut input = vec![T::zero(); self.num_inputs()];
        let mut state = initial.clone();
        workspace.evaluation.index = 0;
        for index in 0..steps {
            input.fill(T::zero());
            control(index, &state, &mut input);
            let step = match self.step(workspace, &state, &input) {
                Ok(step) => step,
                Err(error) => {
                    let at = RolloutFailure::at(index, state.time.re());
                    rollout.failure = Some(at(error));
                    break;
                }
            };
            rollout.statuses.push(*step.status());
            rollout.inputs.push(input.clone());
            let next = step.state().clone();
            rollout.states.push(std::mem::replace(&mut state, next));
        }
        rollout.states.push(state);
        rollout
    }
}
