//! What the members of a batch are to do.

use super::machine::Described;
use super::members::Given;
use crate::InvalidInput;
use crate::system::error::RolloutFailure;
use crate::system::state::State;
use nalgebra::DMatrix;

/// Rollouts of all members of a batch.
///
/// Matrices have a column for each of the n members or, of what changes from step to step, for each of the N steps of each
/// member, one member after the other. Where it says so, a matrix with the columns of one member holds for all.
///
/// ```
/// use dualbody::nalgebra::DMatrix;
/// use dualbody::system::BatchPlan;
///
/// let (starts, inputs) = (DMatrix::zeros(13, 1000), DMatrix::zeros(6, 50));
/// let plan = BatchPlan { inputs: Some(&inputs), ..BatchPlan::new(&starts, 50) };
/// assert!(plan.parameters.is_none() && plan.time == 0.0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BatchPlan<'a> {
    /// The states at the start, `[q; v; a; s]` (nx × n).
    pub starts: &'a DMatrix<f64>,
    /// The time at the start, in s.
    pub time: f64,
    /// The number of steps N.
    pub steps: usize,
    /// Inputs of the steps (nu × N·n), or (nu × N) for all; zero where there are none.
    pub inputs: Option<&'a DMatrix<f64>>,
    /// Values of the [parameters of the batch](super::Batch::select), those that derivatives are taken by first, (np × n),
    /// or (np × 1) for all; those of the system where there are none.
    pub parameters: Option<&'a DMatrix<f64>>,
    /// Seeds of the noise of sensors, one for each member, as of [`Random`](crate::Random); without them there is no noise.
    /// Derivatives are those without it.
    pub seeds: Option<&'a [u64]>,
}

impl<'a> BatchPlan<'a> {
    /// So many steps from these states, without inputs or noise, with the parameters of the system, from the time 0.
    pub fn new(starts: &'a DMatrix<f64>, steps: usize) -> Self {
        BatchPlan {
            starts,
            time: 0.0,
            steps,
            inputs: None,
            parameters: None,
            seeds: None,
        }
    }
}

/// A plan whose shapes have been checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checked<'a> {
    pub described: &'a Described,
    pub members: usize,
    pub steps: usize,
    time: f64,
    starts: Given<'a>,
    inputs: Given<'a>,
    parameters: Given<'a>,
    seeds: Option<&'a [u64]>,
}

/// What a member is to do.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemberPlan<'a> {
    /// Entries of the state.
    pub start: &'a [f64],
    pub time: f64,
    pub steps: usize,
    /// Of one step after the other.
    pub inputs: &'a [f64],
    pub parameters: &'a [f64],
    pub seed: Option<u64>,
}

impl<'a> Checked<'a> {
    /// `zeros` is memory for inputs that are not given.
    pub fn new(
        plan: &BatchPlan<'a>,
        described: &'a Described,
        zeros: &'a mut Vec<f64>,
    ) -> Result<Self, InvalidInput> {
        let members = plan.starts.ncols();
        let starts = ["rows of the initial states", "initial states"];
        let shape = [described.num_states, 1];
        let starts = Given::new(plan.starts, starts, shape, members)?;
        let nu = described.system.num_inputs();
        let inputs = match plan.inputs {
            Some(inputs) => {
                let names = ["rows of the inputs", "columns of the inputs"];
                Given::new(inputs, names, [nu, plan.steps], members)?
            }
            None => {
                zeros.clear();
                zeros.resize(super::members::bounded(nu, plan.steps)?, 0.0);
                Given::shared(zeros)
            }
        };
        let parameters = match plan.parameters {
            Some(values) => {
                let names = ["rows of the parameters", "columns of the parameters"];
                Given::new(values, names, [described.parameters.len(), 1], members)?
            }
            None => Given::shared(&described.values),
        };
        if let Some(seeds) = plan.seeds {
            InvalidInput::check_size("seeds", seeds.len(), members)?;
        }
        Ok(Checked {
            described,
            members,
            steps: plan.steps,
            time: plan.time,
            starts,
            inputs,
            parameters,
            seeds: plan.seeds,
        })
    }

    pub fn of(&self, member: usize) -> MemberPlan<'a> {
        MemberPlan {
            start: self.starts.of(member),
            time: self.time,
            steps: self.steps,
            inputs: self.inputs.of(member),
            parameters: self.parameters.of(member),
            seed: self.seeds.map(|seeds| seeds[member]),
        }
    }
}

impl<'a> MemberPlan<'a> {
    /// The state at the start, in memory for it.
    pub fn start<'m>(
        &self,
        described: &Described,
        memory: &'m mut Option<State<f64>>,
    ) -> Result<&'m State<f64>, RolloutFailure> {
        InvalidInput::check_finite("initial state", self.start)
            .map_err(RolloutFailure::at(0, self.time))?;
        let state = memory.get_or_insert_with(|| described.system.initial_state());
        state.time = self.time;
        (state.entries_mut().zip(self.start)).for_each(|(x, &entry)| *x = entry);
        Ok(state)
    }

    /// The inputs of a step.
    pub fn input(&self, step: usize, size: usize) -> &'a [f64] {
        &self.inputs[step * size..(step + 1) * size]
    }
}
