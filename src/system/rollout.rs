//! Rollouts: many steps in a row.

use super::energy_ledger::StateEnergy;
use super::error::{RolloutFailure, SystemError};
use super::state::State;
use super::status::{StepKink, StepStatus};
use super::step::{Step, StepWorkspace};
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::contact::ContactResult;
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// What a rollout keeps beside states, inputs and how steps went; nothing by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// [`Rollout::outputs`].
    pub outputs: bool,
    /// [`Rollout::contacts`].
    pub contacts: bool,
    /// [`Rollout::energies`].
    pub energies: bool,
    /// [`Rollout::law_forces`].
    pub law_forces: bool,
}

impl Kept {
    /// All of it.
    pub const EVERYTHING: Kept = Kept {
        outputs: true,
        contacts: true,
        energies: true,
        law_forces: true,
    };
}

/// The states that a system passes through.
#[derive(Debug, Clone, PartialEq)]
pub struct Rollout<T: Scalar> {
    /// The initial state, and the state after each step that succeeded.
    pub states: Vec<State<T>>,
    /// The inputs of each of these steps.
    pub inputs: Vec<Vec<T>>,
    /// How each of these steps went.
    pub statuses: Vec<StepStatus>,
    /// The outputs of the sensors in each of these steps, in the order of
    /// [`output_names`](super::RigidBodySystem::output_names), if [kept](Kept).
    pub outputs: Vec<DVector<T>>,
    /// The [contacts](super::Step::contacts) of each of these steps, if kept.
    pub contacts: Vec<Vec<ContactResult<T>>>,
    /// The [energies](super::RigidBodySystem::energy) at the start of each of these steps, with its inputs, if kept.
    pub energies: Vec<StateEnergy<T>>,
    /// The [forces of force laws](super::Step::law_forces) in each of these steps, if kept.
    pub law_forces: Vec<Vec<T>>,
    /// Why there are fewer steps than asked for.
    pub failure: Option<RolloutFailure>,
}

impl<T: Scalar> Rollout<T> {
    /// Of steps of which nothing else is known: one state more than inputs and statuses.
    pub fn new(states: Vec<State<T>>, inputs: Vec<Vec<T>>, statuses: Vec<StepStatus>) -> Self {
        Rollout {
            states,
            inputs,
            statuses,
            outputs: Vec::new(),
            contacts: Vec::new(),
            energies: Vec::new(),
            law_forces: Vec::new(),
            failure: None,
        }
    }

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

    /// As [`Self::rollout`], with what else is to be kept, in any scalar:
    ///
    /// ```
    /// use dualbody::prelude::*;
    /// use dualbody::system::Kept;
    ///
    /// /// The largest force on the floor, in N, under a ball that falls from a height in m.
    /// fn peak<T: Scalar>(system: &TimeSteppingRigidBodySystem<T>, x: &[T]) -> Result<T> {
    ///     let mut start = system.initial_state();
    ///     system.set_body_position(&mut start, "ball", Vector3::new(T::zero(), T::zero(), x[0]))?;
    ///     let kept = Kept { contacts: true, ..Kept::default() };
    ///     let rollout = system.rollout_keeping(&start, 400, kept)?;
    ///     let forces = rollout.contacts.iter().flatten().map(|contact| contact.force.z);
    ///     Ok(forces.fold(T::zero(), |peak, force| if force > peak { force } else { peak }))
    /// }
    ///
    /// let rubber = ContactMaterial::new(2e4, 0.2, 0.5)?;
    /// let system = SystemBuilder::new()
    ///     .floor("floor", rubber)
    ///     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
    ///     .compliant(1e-3)?;
    /// let (force, slope) = gradient!(peak, &system, [0.2])?;
    /// assert!(force > 20.0 && slope[0] > 0.0);
    /// # Ok::<(), dualbody::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::rollout`].
    #[inline(never)]
    pub fn rollout_keeping(
        &self,
        initial: &State<T>,
        steps: usize,
        kept: Kept,
    ) -> Result<Rollout<T>, SystemError> {
        let mut workspace = self.workspace()?;
        workspace.keep(kept);
        let rollout = self.rollout_with(&mut workspace, initial, steps, |_, _, _| {});
        rollout.completed().map_err(|failure| *failure.source)
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
        let mut rollout = Rollout::new(Vec::new(), Vec::new(), Vec::new());
        let kept = workspace.kept;
        let mut input = vec![T::zero(); self.num_inputs()];
        let mut state = initial.clone();
        workspace.restart();
        for index in 0..steps {
            input.fill(T::zero());
            control(index, &state, &mut input);
            let end = (self.step(workspace, &state, &input))
                .and_then(|step| self.keep(step, (&state, &input), kept, &mut rollout));
            match end {
                Ok(next) => rollout.states.push(std::mem::replace(&mut state, next)),
                Err(error) => {
                    let at = RolloutFailure::at(index, state.time.re());
                    rollout.failure = Some(at(error));
                    break;
                }
            }
        }
        rollout.states.push(state);
        rollout
    }

    /// Keeps a step but for its state, which it returns.
    fn keep(
        &self,
        mut step: Step<'_, T>,
        (start, input): (&State<T>, &[T]),
        kept: Kept,
        rollout: &mut Rollout<T>,
    ) -> Result<State<T>, SystemError> {
        let contacts = match kept.contacts {
            true => Some(step.contacts()?.to_vec()),
            false => None,
        };
        let energy = match kept.energies {
            true => Some(self.energy(start, input)?),
            false => None,
        };
        let law_forces = match kept.law_forces {
            true => Some(step.law_forces()?.to_vec()),
            false => None,
        };
        rollout.contacts.extend(contacts);
        rollout.energies.extend(energy);
        rollout.law_forces.extend(law_forces);
        rollout
            .outputs
            .extend(kept.outputs.then(|| step.output().clone()));
        rollout.statuses.push(*step.status());
        rollout.inputs.push(input.to_vec());
        Ok(step.state().clone())
    }
}
