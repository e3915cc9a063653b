//! Many steps in a row.

use super::step::{StepStatus, StepWorkspace};
use super::system::TimeSteppingRigidBodySystem;
use crate::Scalar;
use crate::force::ForceElement;
use crate::system::error::StepError;
use crate::system::state::State;
use std::error::Error;

/// The states that a system passes through.
#[derive(Debug, Clone, PartialEq)]
pub struct Rollout<T: Scalar> {
    /// The initial state, and the state after each step that succeeded.
    pub states: Vec<State<T>>,
    /// How each of these steps went.
    pub statuses: Vec<StepStatus>,
    /// Why there are fewer steps than asked for.
    pub failure: Option<RolloutFailure>,
}

/// The step at which a rollout ended early.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("step {step} at t = {time} s: {source}")]
pub struct RolloutFailure<E: Error + 'static = StepError> {
    /// Number of the step, from 0.
    pub step: usize,
    /// Time at its start, in seconds.
    pub time: f64,
    /// What went wrong.
    pub source: Box<E>,
}

impl<E: Error + 'static> RolloutFailure<E> {
    /// For `map_err`: an error of a step of length `dt`.
    pub(in crate::system) fn at<S: Into<E>>(step: usize, dt: f64) -> impl Fn(S) -> Self {
        move |source| RolloutFailure {
            step,
            time: step as f64 * dt,
            source: Box::new(source.into()),
        }
    }
}

impl<T: Scalar> Rollout<T> {
    /// The state after the last step that succeeded; the initial state if there is none.
    pub fn last(&self) -> &State<T> {
        &self.states[self.states.len() - 1]
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

impl<T: Scalar, F: ForceElement<T>> TimeSteppingRigidBodySystem<T, F> {
    /// Makes `steps` steps from `initial`.
    ///
    /// `input` writes the generalized forces of actuators (nv, zero beforehand) for each step, from
    /// its number and the state at its start. A step that fails ends the rollout; what has been
    /// computed before is kept.
    pub fn rollout(
        &self,
        workspace: &mut StepWorkspace<T>,
        initial: &State<T>,
        steps: usize,
        mut input: impl FnMut(usize, &State<T>, &mut [T]),
    ) -> Rollout<T> {
        let mut rollout = Rollout {
            states: Vec::new(),
            statuses: Vec::new(),
            failure: None,
        };
        let mut tau = vec![T::zero(); self.tree().num_velocities()];
        let mut state = initial.clone();
        for index in 0..steps {
            tau.fill(T::zero());
            input(index, &state, &mut tau);
            let step = match self.step(workspace, &state, &tau) {
                Ok(step) => step,
                Err(error) => {
                    let at = RolloutFailure::at(index, self.time_step().re());
                    rollout.failure = Some(at(error));
                    break;
                }
            };
            rollout.statuses.push(*step.status());
            let next = step.state().clone();
            rollout.states.push(std::mem::replace(&mut state, next));
        }
        rollout.states.push(state);
        rollout
    }
}
