//! How gradients of rollouts change: products of their Hessians with a direction.
//!
//! With the steps `x⁺ = f(z)` and the outputs `y = h(z)` of `z = (x, u, p)`, the adjoint goes back by the gradient of
//! `g = λ⁺ · f + d · y`, which changes in the direction δz by
//!
//! ```text
//! δλ = Aᵀ δλ⁺ + ∂²g/∂x∂z δz,      A = ∂f/∂x
//! ```
//!
//! and so by inputs and parameters. A step in hyper-dual numbers has all of that for one entry of z: its first direction is
//! δz, the second that entry.

use crate::error::Outcome;
use crate::system::{Stepper, state_size};
use crate::trajectory::{
    Direction, Gradient, Plan, Trajectory, simulate, state_entries, tangent, zero_state,
};
use dualbody::Parameters;
use dualbody::num_dual::HyperDual64;
use dualbody::system::{Batch, RolloutFailure, StepWorkspace, TimeSteppingRigidBodySystem};

/// The change in a direction of the gradient of `Σ states · x + Σ outputs · y`, by the parameters at these positions.
///
/// # Errors
/// That of the step at which it ended.
pub fn change_of_gradient(
    stepper: &Stepper,
    indices: &[usize],
    plan: &Plan<'_>,
    (of_states, of_outputs): (&[f64], &[f64]),
    direction: &Direction<'_>,
) -> Outcome<Gradient> {
    let (nx, nu, ny) = (
        state_size(stepper),
        stepper.num_inputs(),
        stepper.num_outputs(),
    );
    let mut known = Trajectory::default();
    simulate(stepper, &mut stepper.workspace()?, plan, None, &mut known)?;
    let list = stepper.parameters();
    let names = direction
        .parameters
        .iter()
        .map(|(index, _)| list[*index].name.as_str());
    let mut batch = Batch::new(stepper, &names.collect::<Vec<_>>())?;
    let changes = tangent(&mut batch, plan, direction)?.states;
    let mut machines = Machine::of_parameters(stepper, indices, direction.parameters)?;

    let mut slope = of_states[plan.steps * nx..].to_vec();
    let mut change = vec![0.0; nx];
    let mut inputs = vec![0.0; plan.steps * nu];
    let mut parameters = vec![0.0; indices.len()];
    for k in (0..plan.steps).rev() {
        let (x, u) = (k * nx..(k + 1) * nx, k * nu..(k + 1) * nu);
        let of_output = &of_outputs[k * ny..(k + 1) * ny];
        let values = known.states[x.clone()]
            .iter()
            .chain(&plan.inputs[u.clone()]);
        let slopes = changes.as_slice()[x.clone()]
            .iter()
            .chain(&direction.inputs[u.clone()]);
        let along = values.zip(slopes);
        let mut point: Vec<_> = along
            .map(|(&value, &slope)| HyperDual64::new(value, slope, 0.0, 0.0))
            .collect();
        // By the entries of the state, the inputs, and the parameters.
        let size = nx + nu + indices.len();
        let (mut first, mut second) = (vec![0.0; size], vec![0.0; size]);
        for i in 0..size {
            let machine = &mut machines[(i + 1).saturating_sub(nx + nu)];
            if let Some(entry) = point.get_mut(i) {
                entry.eps2 = 1.0;
            }
            let (next, output) = machine.step(&point, (nx, nu), (plan.time, k))?;
            if let Some(entry) = point.get_mut(i) {
                entry.eps2 = 0.0;
            }
            for (x, (&slope, &change)) in next.iter().zip(slope.iter().zip(&change)) {
                first[i] += slope * x.eps2;
                second[i] += slope * x.eps1eps2 + change * x.eps2;
            }
            for (y, &weight) in output.iter().zip(of_output) {
                first[i] += weight * y.eps2;
                second[i] += weight * y.eps1eps2;
            }
        }
        for ((slope, &first), &own) in slope.iter_mut().zip(&first).zip(&of_states[x]) {
            *slope = own + first;
        }
        change.copy_from_slice(&second[..nx]);
        inputs[u].copy_from_slice(&second[nx..nx + nu]);
        for (sum, term) in parameters.iter_mut().zip(&second[nx + nu..]) {
            *sum += term;
        }
    }
    Ok(Gradient {
        start: change,
        inputs,
        parameters,
    })
}

/// A machine in hyper-dual numbers.
struct Machine {
    system: TimeSteppingRigidBodySystem<HyperDual64>,
    workspace: StepWorkspace<HyperDual64>,
}

impl Machine {
    /// One whose parameters change along a direction; then one for each parameter, in which it is the second direction.
    fn of_parameters(
        stepper: &Stepper,
        indices: &[usize],
        slopes: &[(usize, f64)],
    ) -> Outcome<Vec<Self>> {
        let list = stepper.parameters();
        let machine = |second: Option<usize>| {
            let mut changed: Vec<usize> = slopes.iter().map(|(index, _)| *index).collect();
            changed.extend(second);
            changed.sort_unstable();
            changed.dedup();
            let settings: Vec<_> = (changed.into_iter())
                .map(|index| {
                    let own = slopes.iter().filter(|(of, _)| *of == index);
                    let slope = own.map(|(_, slope)| slope).sum();
                    let unit = f64::from(second == Some(index));
                    (index, HyperDual64::new(list[index].value, slope, unit, 0.0))
                })
                .collect();
            let mut system = stepper.cast::<HyperDual64>();
            if !settings.is_empty() {
                system.set_parameters(&settings)?;
            }
            let workspace = system.workspace()?;
            Ok(Machine { system, workspace })
        };
        std::iter::once(None)
            .chain(indices.iter().copied().map(Some))
            .map(machine)
            .collect()
    }

    /// The state after a step from entries of a state and inputs, and the outputs. The k-th step begins k lengths of a step
    /// after the start.
    fn step(
        &mut self,
        point: &[HyperDual64],
        (nx, nu): (usize, usize),
        (start, k): (f64, usize),
    ) -> Outcome<(Vec<HyperDual64>, Vec<HyperDual64>)> {
        let mut state = zero_state(&self.system, 0.0);
        for (entry, &x) in state_entries(&mut state).zip(&point[..nx]) {
            *entry = x;
        }
        state.time = self.system.time_step() * k as f64 + start;
        let made = (self.system).step(&mut self.workspace, &state, &point[nx..nx + nu]);
        let made = made.map_err(|source| RolloutFailure {
            step: k,
            time: state.time.re,
            source: Box::new(source),
        })?;
        let next = made.state().iter().skip(1).copied().collect();
        Ok((next, made.output().as_slice().to_vec()))
    }
}
