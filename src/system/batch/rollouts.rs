//! Rollouts of all members.

use super::Batch;
use super::error::BatchError;
use super::machine::{Described, Tunable, Worker};
use super::members::reset;
use super::plan::{BatchPlan, Checked, MemberPlan};
use crate::parameter::Parameters;
use crate::random::Random;
use crate::system::error::{RolloutFailure, SystemError};
use crate::system::state::State;
use crate::system::step::{Step, StepWorkspace};
use crate::system::time_stepping::TimeSteppingRigidBodySystem;
use nalgebra::DMatrix;

/// States and outputs of all members of a batch, or their derivatives; memory for the next call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BatchRollouts {
    /// The states at the start and after each of N steps (nx × (N + 1)·n), `[q; v; a; s]`.
    pub states: DMatrix<f64>,
    /// The outputs of each step (ny × N·n), in the order of
    /// [`output_names`](crate::system::RigidBodySystem::output_names).
    pub outputs: DMatrix<f64>,
}

impl Default for BatchRollouts {
    fn default() -> Self {
        BatchRollouts {
            states: DMatrix::zeros(0, 0),
            outputs: DMatrix::zeros(0, 0),
        }
    }
}

impl Batch {
    /// The states of all members after the last step (nx × n).
    ///
    /// # Errors
    /// [`BatchError::Invalid`] for a matrix of the wrong shape; [`BatchError::Members`] with every member that failed, of
    /// which there are zeros, beside the results of all others.
    pub fn ends(
        &mut self,
        plan: &BatchPlan<'_>,
        ends: &mut DMatrix<f64>,
    ) -> Result<(), BatchError> {
        let checked = Checked::new(plan, &self.described, &mut self.zeros)?;
        let members = checked.members;
        reset(ends, [self.described.num_states, 1], members)?;
        let results = [ends.as_mut_slice()];
        self.crew
            .run(members, results, |worker: &mut Worker, member, [end]| {
                let plan = checked.of(member);
                worker.roll(checked.described, &plan, |step, made| {
                    if step + 1 == plan.steps {
                        write(made.state(), end);
                    }
                })?;
                if plan.steps == 0 {
                    end.copy_from_slice(plan.start);
                }
                Ok(())
            })
    }

    /// The states and outputs of all members.
    ///
    /// # Errors
    /// As [`Self::ends`]; of a member that failed there is what was before, and zeros from there on.
    pub fn rollouts(
        &mut self,
        plan: &BatchPlan<'_>,
        rollouts: &mut BatchRollouts,
    ) -> Result<(), BatchError> {
        let checked = Checked::new(plan, &self.described, &mut self.zeros)?;
        let members = checked.members;
        let (nx, ny) = (
            self.described.num_states,
            self.described.system.num_outputs(),
        );
        let BatchRollouts { states, outputs } = rollouts;
        reset(states, [nx, plan.steps.saturating_add(1)], members)?;
        reset(outputs, [ny, plan.steps], members)?;
        let results = [states.as_mut_slice(), outputs.as_mut_slice()];
        self.crew.run(
            members,
            results,
            |worker: &mut Worker, member, [states, outputs]| {
                let plan = checked.of(member);
                let (first, rest) = states.split_at_mut(nx);
                write(plan.start(checked.described, &mut worker.start)?, first);
                worker.roll(checked.described, &plan, |step, made| {
                    write(made.state(), &mut rest[step * nx..(step + 1) * nx]);
                    outputs[step * ny..(step + 1) * ny].copy_from_slice(made.output().as_slice());
                })
            },
        )
    }
}

/// Writes the entries of a state.
pub(super) fn write(state: &State<f64>, entries: &mut [f64]) {
    (entries.iter_mut().zip(state.entries())).for_each(|(entry, x)| *entry = x);
}

impl Worker {
    /// Makes the steps of a member.
    fn roll(
        &mut self,
        described: &Described,
        plan: &MemberPlan<'_>,
        visit: impl FnMut(usize, &Step<'_, f64>),
    ) -> Result<(), RolloutFailure> {
        let start = plan.start(described, &mut self.start)?;
        let roller = (self.roller.at(described, plan.parameters))
            .map_err(RolloutFailure::at(0, plan.time))?;
        roller.roll(start, plan, visit)
    }
}

/// A machine that makes steps, and its memory.
#[derive(Debug)]
pub(super) struct Roller {
    system: TimeSteppingRigidBodySystem<f64>,
    steps: StepWorkspace<f64>,
    state: State<f64>,
}

impl Tunable for Roller {
    fn of(described: &Described) -> Result<Self, SystemError> {
        Ok(Roller {
            system: described.system.clone(),
            steps: described.system.workspace()?,
            state: described.system.initial_state(),
        })
    }

    fn set_parameters(&mut self, values: &[(usize, f64)]) -> Result<(), SystemError> {
        Ok(self.system.set_parameters(values)?)
    }
}

impl Roller {
    fn roll(
        &mut self,
        start: &State<f64>,
        plan: &MemberPlan<'_>,
        mut visit: impl FnMut(usize, &Step<'_, f64>),
    ) -> Result<(), RolloutFailure> {
        let Roller {
            system,
            steps,
            state,
        } = self;
        let nu = system.num_inputs();
        let mut random = plan.seed.map(Random::new);
        let mut normal = || random.as_mut().map_or(0.0, Random::normal);
        state.clone_from(start);
        steps.restart();
        for step in 0..plan.steps {
            let made = (system.step_with_noise(steps, state, plan.input(step, nu), &mut normal))
                .map_err(RolloutFailure::at(step, state.time))?;
            visit(step, &made);
            state.clone_from(made.state());
        }
        Ok(())
    }
}
