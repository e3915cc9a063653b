//! Steps in a row, and their derivatives, without Python.

use crate::error::Outcome;
use crate::random::Random;
use crate::system::{Stepper, entries, state_of, state_size};
use dualbody::autodiff::{CHUNK, ChunkDual, jacobian_of};
use dualbody::nalgebra::DMatrix;
use dualbody::system::{
    Adjoint, RolloutFailure, RolloutObjective, State, StepStatus, StepWorkspace,
};
use dualbody::{DefaultScalar, Parameters, Scalar};

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
    let mut random = seed.map(Random::of);
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

/// How states and outputs change in some directions, at most [`CHUNK`]; for each direction a trajectory of derivatives.
pub fn tangents(
    dual: &dualbody::system::TimeSteppingRigidBodySystem<ChunkDual>,
    plan: &Plan<'_>,
    directions: &[Direction<'_>],
) -> Outcome<Vec<Trajectory>> {
    let mut system = dual.clone();
    let seeded = |value: f64, slope: &dyn Fn(&Direction<'_>) -> f64| {
        directions
            .iter()
            .take(CHUNK)
            .enumerate()
            .fold(ChunkDual::from_re(value), |x, (k, direction)| {
                x + ChunkDual::from_re(0.0).derivative(k) * slope(direction)
            })
    };
    // Parameters that change in any direction.
    let mut indices: Vec<usize> = directions
        .iter()
        .flat_map(|d| d.parameters.iter().map(|(i, _)| *i))
        .collect();
    indices.sort_unstable();
    indices.dedup();
    let list = system.parameters();
    let settings: Vec<_> = (indices.into_iter())
        .map(|index| {
            let slope = |direction: &Direction<'_>| {
                direction
                    .parameters
                    .iter()
                    .filter(|(i, _)| *i == index)
                    .map(|(_, slope)| slope)
                    .sum()
            };
            (index, seeded(list[index].value, &slope))
        })
        .collect();
    if !settings.is_empty() {
        system.set_parameters(&settings)?;
    }
    let (nu, mut workspace) = (system.num_inputs(), system.workspace()?);
    let mut state = zero_state(&system, plan.time);
    for (k, x) in state_entries(&mut state).enumerate() {
        *x = seeded(plan.start[k], &|direction| direction.start[k]);
    }
    let mut out = vec![Trajectory::default(); directions.len()];
    let take = |out: &mut [Trajectory], state: &State<ChunkDual>| {
        for (k, trajectory) in out.iter_mut().enumerate() {
            trajectory
                .states
                .extend(state.iter().skip(1).map(|x| slope(x, k)));
        }
    };
    take(&mut out, &state);
    for step in 0..plan.steps {
        let at = step * nu;
        let input: Vec<_> = (0..nu)
            .map(|i| seeded(plan.inputs[at + i], &|direction| direction.inputs[at + i]))
            .collect();
        let time = state.time.re;
        let made = system.step(&mut workspace, &state, &input);
        let made = made.map_err(|source| RolloutFailure {
            step,
            time,
            source: Box::new(source),
        })?;
        for (k, trajectory) in out.iter_mut().enumerate() {
            trajectory
                .outputs
                .extend(made.output().iter().map(|y| slope(y, k)));
        }
        take(&mut out, made.state());
        let next = made.state().clone();
        state = next;
    }
    Ok(out)
}

fn slope(x: &ChunkDual, k: usize) -> f64 {
    x.eps.0.map_or(0.0, |eps| eps[k])
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

/// `Σ c_k · x_k + Σ d_k · u_k`.
struct Linear<'l> {
    nx: usize,
    states: &'l [f64],
    inputs: &'l [f64],
}

impl RolloutObjective for Linear<'_> {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, input: &[T]) -> T {
        let of_state = &self.states[step * self.nx..(step + 1) * self.nx];
        let at = step * input.len();
        let of_input = if input.is_empty() {
            &[][..]
        } else {
            &self.inputs[at..at + input.len()]
        };
        let mut sum = T::zero();
        for (&x, &c) in state
            .iter()
            .skip(1)
            .zip(of_state)
            .chain(input.iter().zip(of_input))
        {
            if c != 0.0 {
                sum += x * T::from(c);
            }
        }
        sum
    }
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

/// The gradient of `Σ states · x + Σ outputs · y` over the steps of a plan, whose states are known.
pub fn pull_back(
    stepper: &Stepper,
    adjoint: &mut Adjoint,
    indices: &[usize],
    plan: &Plan<'_>,
    known: &[f64],
    (states, outputs): (&[f64], &[f64]),
) -> Outcome<Gradient> {
    let (nx, nu, ny) = (
        state_size(stepper),
        stepper.num_inputs(),
        stepper.num_outputs(),
    );
    let mut of_states = states.to_vec();
    let mut of_inputs = vec![0.0; plan.steps * nu];
    let mut of_parameters = vec![0.0; indices.len()];
    if outputs.iter().any(|y| *y != 0.0) {
        let slopes = OutputSlopes::new(stepper, indices);
        for step in 0..plan.steps {
            let covector = &outputs[step * ny..(step + 1) * ny];
            if covector.iter().all(|y| *y == 0.0) {
                continue;
            }
            let at = &known[step * nx..(step + 1) * nx];
            let input = plan.input(step, nu);
            let jacobian = slopes.jacobian(at, (plan.time, step), input)?;
            let row = jacobian.tr_mul(&dualbody::nalgebra::DVector::from_column_slice(covector));
            let (x, rest) = row.as_slice().split_at(nx);
            let (u, p) = rest.split_at(nu);
            add(&mut of_states[step * nx..(step + 1) * nx], x);
            add(&mut of_inputs[step * nu..(step + 1) * nu], u);
            add(&mut of_parameters, p);
        }
    }
    let objective = Linear {
        nx,
        states: &of_states,
        inputs: &of_inputs,
    };
    let inputs = DMatrix::from_column_slice(nu, plan.steps, plan.inputs);
    let start = state_of(stepper, plan.start, plan.time);
    let gradient = adjoint.gradient(&objective, &start, &inputs)?;
    add(&mut of_parameters, gradient.parameters.as_slice());
    Ok(Gradient {
        start: gradient.initial_state.as_slice().to_vec(),
        // What the objective has of inputs themselves is in it.
        inputs: gradient.inputs.as_slice().to_vec(),
        parameters: of_parameters,
    })
}

fn add(sum: &mut [f64], terms: &[f64]) {
    sum.iter_mut()
        .zip(terms)
        .for_each(|(sum, term)| *sum += term);
}

/// Derivatives of the outputs of a step by state, inputs and parameters.
pub struct OutputSlopes<'s> {
    dual: dualbody::system::TimeSteppingRigidBodySystem<ChunkDual>,
    values: Vec<f64>,
    indices: &'s [usize],
    time_step: usize,
}

impl<'s> OutputSlopes<'s> {
    /// Of a machine, by the parameters at these positions.
    pub fn new(stepper: &Stepper, indices: &'s [usize]) -> Self {
        let list = stepper.parameters();
        OutputSlopes {
            dual: stepper.cast(),
            values: indices.iter().map(|&i| list[i].value).collect(),
            indices,
            time_step: list.len() - 1,
        }
    }

    /// Rows are outputs. The k-th step begins k lengths of a step after the start.
    pub fn jacobian(
        &self,
        state: &[f64],
        (start, step): (f64, usize),
        input: &[f64],
    ) -> Outcome<DMatrix<f64>> {
        let (nx, nu) = (state.len(), input.len());
        let point: Vec<f64> = state
            .iter()
            .chain(input)
            .chain(&self.values)
            .copied()
            .collect();
        let (_, jacobian) = jacobian_of(
            |x: &[ChunkDual]| {
                let mut system = self.dual.clone();
                let settings: Vec<_> = self
                    .indices
                    .iter()
                    .copied()
                    .zip(x[nx + nu..].iter().copied())
                    .collect();
                if !settings.is_empty() {
                    system.set_parameters(&settings)?;
                }
                let mut at = zero_state(&system, 0.0);
                state_entries(&mut at)
                    .zip(x)
                    .for_each(|(entry, &x)| *entry = x);
                let varies = self.indices.contains(&self.time_step);
                let length = system.time_step();
                at.time = match varies {
                    true => length * step as f64 + start,
                    false => ChunkDual::from_re(start + length.re * step as f64),
                };
                let mut workspace = system.workspace()?;
                let made = system.step(&mut workspace, &at, &x[nx..nx + nu])?;
                let output = made.output().as_slice().to_vec();
                Ok::<_, dualbody::Error>(output)
            },
            &point,
        )?;
        Ok(jacobian)
    }
}
