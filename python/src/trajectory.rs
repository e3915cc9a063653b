//! Steps in a row, and their derivatives, without Python.

use crate::error::Outcome;
use crate::system::{Stepper, entries, state_of};
use dualbody::nalgebra::DMatrix;
use dualbody::system::{
    Batch, BatchCovectors, BatchDirections, BatchError, BatchGradients, BatchPlan, BatchRollouts,
    RolloutFailure, State, StepStatus, StepWorkspace,
};
use dualbody::{DefaultScalar, Random, Scalar};

/// States after so many steps, and the outputs of each.
#[derive(Debug, Clone, Default)]
pub struct Trajectory {
    /// One more than steps, each of as many entries as a state.
    pub states: Vec<f64>,
    /// One for each step.
    pub outputs: Vec<f64>,
    /// How each step went.
    pub statuses: Vec<StepStatus>,
}

/// Where steps start, with which inputs.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'p> {
    /// Entries of the state.
    pub start: &'p [f64],
    /// In s.
    pub time: f64,
    /// One after the other; as many steps as there are.
    pub inputs: &'p [f64],
    /// How many steps.
    pub steps: usize,
}

impl<'p> Plan<'p> {
    /// As that of a batch of one member.
    fn of_one<'m>(&self, starts: &'m DMatrix<f64>, inputs: &'m DMatrix<f64>) -> BatchPlan<'m> {
        BatchPlan {
            time: self.time,
            inputs: (!inputs.is_empty()).then_some(inputs),
            ..BatchPlan::new(starts, self.steps)
        }
    }

    /// What there is of inputs as a column for each step.
    fn columns(&self, inputs: &[f64]) -> DMatrix<f64> {
        columns(self.steps, inputs)
    }

    fn input(&self, step: usize, size: usize) -> &'p [f64] {
        &self.inputs[step * size..(step + 1) * size]
    }
}

/// Makes the steps. With a seed sensors have noise.
///
/// # Errors
/// That of the step at which it ended.
pub fn simulate(
    stepper: &Stepper,
    workspace: &mut StepWorkspace<f64>,
    plan: &Plan<'_>,
    seed: Option<u64>,
    trajectory: &mut Trajectory,
) -> Outcome<()> {
    trajectory.states.clear();
    trajectory.outputs.clear();
    trajectory.statuses.clear();
    let nu = stepper.num_inputs();
    let mut random = seed.map(Random::new);
    let mut state = state_of(stepper, plan.start, plan.time);
    trajectory.states.extend_from_slice(plan.start);
    for step in 0..plan.steps {
        let time = state.time;
        let mut normal = || random.as_mut().map_or(0.0, Random::normal);
        let made = stepper.step_with_noise(workspace, &state, plan.input(step, nu), &mut normal);
        let made = made.map_err(|source| RolloutFailure {
            step,
            time,
            source: Box::new(source),
        })?;
        trajectory
            .outputs
            .extend_from_slice(made.output().as_slice());
        trajectory.states.extend(entries(made.state()));
        trajectory.statuses.push(*made.status());
        state.clone_from(made.state());
    }
    Ok(())
}

/// A direction in which the plan and parameters change.
#[derive(Debug, Clone, Copy)]
pub struct Direction<'d> {
    /// Of the state at the start.
    pub start: &'d [f64],
    /// Of all inputs.
    pub inputs: &'d [f64],
    /// Of parameters, by their positions.
    pub parameters: &'d [(usize, f64)],
}

/// How states and outputs change in a direction, by a batch of which derivatives are taken by the parameters of the direction.
pub fn tangent(
    batch: &mut Batch,
    plan: &Plan<'_>,
    direction: &Direction<'_>,
) -> Outcome<BatchRollouts> {
    let slopes = direction.parameters.iter().map(|(_, slope)| *slope);
    let parameters = DMatrix::from_iterator(direction.parameters.len(), 1, slopes);
    let (starts, inputs) = (column(direction.start), plan.columns(direction.inputs));
    let directions = BatchDirections {
        starts: Some(&starts),
        inputs: (!inputs.is_empty()).then_some(&inputs),
        parameters: Some(&parameters),
        ..BatchDirections::new(1)
    };
    tangents(batch, plan, &directions)
}

/// How states and outputs change in some directions of state, inputs and the parameters of a batch.
pub fn tangents(
    batch: &mut Batch,
    plan: &Plan<'_>,
    directions: &BatchDirections<'_>,
) -> Outcome<BatchRollouts> {
    let (starts, inputs) = (column(plan.start), plan.columns(plan.inputs));
    let plan = plan.of_one(&starts, &inputs);
    let mut found = BatchRollouts::default();
    of_one(batch.push_forward(&plan, directions, &mut found))?;
    Ok(found)
}

/// The gradient of `Σ states · x + Σ outputs · y` over the steps of a plan, by the parameters of a batch.
pub fn pull_back(
    batch: &mut Batch,
    plan: &Plan<'_>,
    (states, outputs): (&[f64], &[f64]),
) -> Outcome<BatchGradients> {
    let (starts, inputs) = (column(plan.start), plan.columns(plan.inputs));
    let states = columns(plan.steps + 1, states);
    let outputs = columns(plan.steps, outputs);
    let covectors = BatchCovectors {
        states: Some(&states),
        outputs: (!outputs.is_empty()).then_some(&outputs),
    };
    let plan = plan.of_one(&starts, &inputs);
    let mut found = BatchGradients::default();
    of_one(batch.pull_back(&plan, &covectors, &mut found))?;
    Ok(found)
}

fn column(entries: &[f64]) -> DMatrix<f64> {
    DMatrix::from_column_slice(entries.len(), 1, entries)
}

/// So many columns of these entries.
fn columns(count: usize, entries: &[f64]) -> DMatrix<f64> {
    let rows = entries.len().checked_div(count).unwrap_or(0);
    DMatrix::from_column_slice(rows, count, entries)
}

/// The error of a batch of one member is that of the member.
fn of_one(result: Result<(), BatchError>) -> Outcome<()> {
    result.map_err(|error| match error {
        BatchError::Members { mut failures } if !failures.is_empty() => {
            failures.swap_remove(0).source.into()
        }
        other => other.into(),
    })
}

/// The initial state at a time in s, to be filled.
pub fn zero_state<T: DefaultScalar>(
    system: &dualbody::system::TimeSteppingRigidBodySystem<T>,
    time: f64,
) -> State<T> {
    let mut state = system.initial_state();
    state.time = T::from(time);
    state
}

/// The entries of a state as arrays have them.
pub fn state_entries<T: Scalar>(state: &mut State<T>) -> impl Iterator<Item = &mut T> {
    (state.q.iter_mut())
        .chain(&mut state.v)
        .chain(&mut state.actuators)
        .chain(&mut state.sensors)
}

/// What a covector of all states and outputs pulls back to.
#[derive(Debug, Clone)]
pub struct Gradient {
    /// By the state at the start.
    pub start: Vec<f64>,
    /// By all inputs.
    pub inputs: Vec<f64>,
    /// By the parameters of the adjoint.
    pub parameters: Vec<f64>,
}
