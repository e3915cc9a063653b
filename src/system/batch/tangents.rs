//! Derivatives of rollouts of all members along directions.

use super::Batch;
use super::error::BatchError;
use super::machine::{Described, Worker, differ};
use super::members::{Given, reset};
use super::plan::{BatchPlan, Checked, MemberPlan};
use super::rollouts::BatchRollouts;
use crate::InvalidInput;
use crate::autodiff::{CHUNK, ChunkDual, slopes};
use crate::parameter::Parameters;
use crate::system::error::{RolloutFailure, SystemError};
use crate::system::state::State;
use crate::system::step::StepWorkspace;
use crate::system::time_stepping::TimeSteppingRigidBodySystem;
use nalgebra::DMatrix;

/// Directions in which rollouts of a batch change, D for each member.
///
/// Columns are those of a [plan](BatchPlan) for each direction, one direction after the other, then for each member; or
/// those of one member for all. What is not given does not change.
#[derive(Debug, Clone, Copy)]
pub struct BatchDirections<'a> {
    /// The number D.
    pub count: usize,
    /// Of the states at the start (nx × D·n).
    pub starts: Option<&'a DMatrix<f64>>,
    /// Of the inputs (nu × N·D·n).
    pub inputs: Option<&'a DMatrix<f64>>,
    /// Of the parameters that derivatives are taken by (np × D·n).
    pub parameters: Option<&'a DMatrix<f64>>,
}

/// What directions are of, in errors.
const QUANTITIES: [&str; 3] = [
    "directions of states",
    "directions of inputs",
    "directions of parameters",
];

impl BatchDirections<'_> {
    /// So many, in which nothing changes.
    pub fn new(count: usize) -> Self {
        BatchDirections {
            count,
            starts: None,
            inputs: None,
            parameters: None,
        }
    }
}

impl Batch {
    /// How states and outputs change along directions, the Jacobian-vector products of [`Self::rollouts`]: states
    /// (nx × (N + 1)·D·n) and outputs (ny × N·D·n), those of a direction after those of the direction before.
    ///
    /// Up to [`CHUNK`] directions of a member cost as much as one.
    ///
    /// # Errors
    /// As [`Self::ends`].
    pub fn push_forward(
        &mut self,
        plan: &BatchPlan<'_>,
        directions: &BatchDirections<'_>,
        derivatives: &mut BatchRollouts,
    ) -> Result<(), BatchError> {
        let checked = Checked::new(plan, &self.described, &mut self.zeros)?;
        let (nx, ny) = (
            self.described.num_states,
            self.described.system.num_outputs(),
        );
        let (nu, np) = (
            self.described.system.num_inputs(),
            self.described.by().len(),
        );
        let (members, count) = (checked.members, directions.count);
        let columns = |of_one: usize| of_one.saturating_mul(count);
        let names = ["rows of directions of states", "directions of states"];
        let starts = Given::optional(directions.starts, names, [nx, columns(1)], members)?;
        let names = ["rows of directions of inputs", "directions of inputs"];
        let shape = [nu, columns(plan.steps)];
        let inputs = Given::optional(directions.inputs, names, shape, members)?;
        let names = [
            "rows of directions of parameters",
            "directions of parameters",
        ];
        let shape = [np, columns(1)];
        let parameters = Given::optional(directions.parameters, names, shape, members)?;
        let BatchRollouts { states, outputs } = derivatives;
        reset(states, [nx, columns(plan.steps.saturating_add(1))], members)?;
        reset(outputs, [ny, columns(plan.steps)], members)?;
        let results = [states.as_mut_slice(), outputs.as_mut_slice()];
        self.crew.run(
            members,
            results,
            |worker: &mut Worker, member, [states, outputs]| {
                let plan = checked.of(member);
                let described = checked.described;
                let start = plan.start(described, &mut worker.start)?;
                let at = |error: SystemError| RolloutFailure::at(0, plan.time)(error);
                let all = [starts.of(member), inputs.of(member), parameters.of(member)];
                for (quantity, entries) in QUANTITIES.into_iter().zip(all) {
                    InvalidInput::check_finite(quantity, entries)
                        .map_err(|error| at(error.into()))?;
                }
                let roller = match &mut worker.tangents {
                    Some(roller) => roller,
                    none => none.insert(Box::new(TangentRoller::new(described).map_err(at)?)),
                };
                for first in (0..count).step_by(CHUNK) {
                    let lanes = first..count.min(first + CHUNK);
                    let chunk = Chunk {
                        starts: part(all[0], nx, &lanes),
                        inputs: part(all[1], nu * plan.steps, &lanes),
                        parameters: part(all[2], np, &lanes),
                        lanes: lanes.len(),
                    };
                    let [of_states, of_outputs] = [nx * (plan.steps + 1), ny * plan.steps];
                    let states = &mut states[lanes.start * of_states..lanes.end * of_states];
                    let outputs = &mut outputs[lanes.start * of_outputs..lanes.end * of_outputs];
                    let rolled = roller.roll((described, &plan), start, &chunk, (states, outputs));
                    if rolled.is_err() {
                        states.fill(0.0);
                        outputs.fill(0.0);
                    }
                    rolled?;
                }
                Ok(())
            },
        )
    }
}

/// The entries of some directions, of each of which there are so many; or nothing.
fn part<'a>(entries: &'a [f64], size: usize, lanes: &std::ops::Range<usize>) -> &'a [f64] {
    entries
        .get(lanes.start * size..lanes.end * size)
        .unwrap_or(&[])
}

/// Directions that are taken together.
struct Chunk<'a> {
    starts: &'a [f64],
    inputs: &'a [f64],
    parameters: &'a [f64],
    lanes: usize,
}

/// A number that changes by its entry of each direction.
fn seeded(value: f64, of_directions: &[f64], size: usize, entry: usize) -> ChunkDual {
    let mut x = ChunkDual::from_re(value);
    if !of_directions.is_empty() {
        for (lane, direction) in of_directions.chunks(size).enumerate() {
            x += ChunkDual::from_re(0.0).derivative(lane) * direction[entry];
        }
    }
    x
}

/// A machine that makes steps with derivatives along directions, and its memory.
#[derive(Debug)]
pub(super) struct TangentRoller {
    system: TimeSteppingRigidBodySystem<ChunkDual>,
    steps: StepWorkspace<ChunkDual>,
    state: State<ChunkDual>,
    input: Vec<ChunkDual>,
    /// Values of the parameters of the batch and their directions in the system; and those of the present member.
    tuned: Vec<f64>,
    wanted: Vec<f64>,
}

impl TangentRoller {
    fn new(described: &Described) -> Result<Self, SystemError> {
        let system = described.system.cast::<ChunkDual>();
        Ok(TangentRoller {
            steps: system.workspace()?,
            state: system.initial_state(),
            input: vec![ChunkDual::from_re(0.0); system.num_inputs()],
            tuned: described.values.clone(),
            wanted: Vec::new(),
            system,
        })
    }

    /// Sets the parameters of a member, with their directions.
    fn tune(
        &mut self,
        described: &Described,
        values: &[f64],
        directions: &[f64],
    ) -> Result<(), SystemError> {
        self.wanted.clear();
        self.wanted.extend_from_slice(values);
        self.wanted.extend_from_slice(directions);
        while self.wanted.len() > values.len() && self.wanted.last() == Some(&0.0) {
            self.wanted.pop();
        }
        if !differ(&self.wanted, &self.tuned) {
            return Ok(());
        }
        let np = described.by().len();
        let parameters = described.parameters.iter().zip(values).enumerate();
        let settings = parameters.map(|(k, (&index, &value))| {
            let directions = if k < np { directions } else { &[] };
            (index, seeded(value, directions, np, k))
        });
        self.tuned.clear();
        self.system.set_parameters(&settings.collect::<Vec<_>>())?;
        self.tuned.clone_from(&self.wanted);
        Ok(())
    }

    /// Makes the steps of a member, and writes the derivatives of states and outputs.
    fn roll(
        &mut self,
        (described, plan): (&Described, &MemberPlan<'_>),
        start: &State<f64>,
        chunk: &Chunk<'_>,
        (states, outputs): (&mut [f64], &mut [f64]),
    ) -> Result<(), RolloutFailure> {
        (self.tune(described, plan.parameters, chunk.parameters))
            .map_err(RolloutFailure::at(0, plan.time))?;
        let TangentRoller {
            system,
            steps,
            state,
            input,
            ..
        } = self;
        let (nx, nu, ny) = (described.num_states, input.len(), system.num_outputs());
        let (of_states, of_outputs) = (states.len() / chunk.lanes, outputs.len() / chunk.lanes);
        state.time = ChunkDual::from_re(plan.time);
        for (i, (x, value)) in state.entries_mut().zip(start.entries()).enumerate() {
            *x = seeded(value, chunk.starts, nx, i);
        }
        let mut write_state = |step: usize, state: &State<ChunkDual>| {
            for (i, x) in state.entries().enumerate() {
                let slopes = slopes(&x);
                for lane in 0..chunk.lanes {
                    states[lane * of_states + step * nx + i] = slopes[lane];
                }
            }
        };
        write_state(0, state);
        steps.restart();
        for step in 0..plan.steps {
            for (i, (u, &value)) in input.iter_mut().zip(plan.input(step, nu)).enumerate() {
                *u = seeded(value, chunk.inputs, nu * plan.steps, step * nu + i);
            }
            let time = state.time.re;
            let made = system
                .step(steps, state, input)
                .map_err(RolloutFailure::at(step, time))?;
            for (i, y) in made.output().iter().enumerate() {
                let slopes = slopes(y);
                for lane in 0..chunk.lanes {
                    outputs[lane * of_outputs + step * ny + i] = slopes[lane];
                }
            }
            write_state(step + 1, made.state());
            state.clone_from(made.state());
        }
        Ok(())
    }
}
