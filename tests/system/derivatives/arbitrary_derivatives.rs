//! Arbitrary numbers through derivatives of steps, rollouts and rates: an error or finite results.

use crate::elements::every_element::{
    Machine, actuators, constraints, forces, frictions, lively, mechanism, sensors,
};
use crate::support::arbitrary_number::HOSTILE;
use crate::support::cases::tier;
use dualbody::system::{
    Adjoint, IntegrationMethod, RolloutObjective, Scheme, SparseStepJacobian, State,
    StepDifferentiator, StepGradient, StepJacobian, TimeSteppingRigidBodySystem,
};
use dualbody::{Parameters, Scalar};
use nalgebra::DMatrix;

/// The sum of all velocities at the end.
struct Speed;

impl RolloutObjective for Speed {
    fn evaluate<T: Scalar>(&self, _: usize, state: &State<T>, input: &[T]) -> T {
        match input.is_empty() {
            true => state.v.iter().fold(T::zero(), |sum, v| sum + *v),
            false => T::zero(),
        }
    }
}

fn finite<'a>(what: &str, numbers: impl IntoIterator<Item = &'a f64>) -> Result<(), String> {
    match numbers.into_iter().find(|x| !x.is_finite()) {
        Some(x) => Err(format!("{what}: {x}")),
        None => Ok(()),
    }
}

/// What comes of derivatives with respect to everything, and to one constant: how many were not refused. Names what is
/// neither an error nor finite.
fn differentiate(
    machine: &Machine,
    parameter: &str,
    state: &State<f64>,
    input: &[f64],
) -> Result<usize, String> {
    let mut count = 0;
    if let Ok(rates) = machine.linearize(state, input) {
        for (what, matrix) in [("a", &rates.a), ("b", &rates.b), ("c", &rates.c)] {
            finite(&format!("rates, {what}"), matrix)?;
        }
    }
    for scheme in [
        Scheme::Compliant,
        Scheme::Rigid,
        Scheme::Continuous {
            method: IntegrationMethod::RungeKutta4,
            substeps: 1,
        },
    ] {
        let made = TimeSteppingRigidBodySystem::with_scheme(machine.clone(), 1e-3, scheme);
        let Ok(stepper) = made else { continue };
        let at = format!("{scheme:?}");
        let mut differentiator = StepDifferentiator::new(&stepper, &[parameter]).unwrap();
        let mut jacobian = StepJacobian::default();
        if let Ok(next) = differentiator.jacobian(state, input, &mut jacobian) {
            finite(&format!("{at}, state"), next.q.iter().chain(&next.v))?;
            let StepJacobian {
                state,
                input,
                parameters,
                ..
            } = &jacobian;
            let all = state.iter().chain(input).chain(parameters);
            finite(&format!("{at}, Jacobian"), all)?;
            count += 1;
        }
        let mut sparse = SparseStepJacobian::default();
        if (differentiator.sparse_jacobian(state, input, &mut sparse)).is_ok() {
            let dense = sparse.state.to_dense();
            finite(&format!("{at}, sparse Jacobian"), &dense)?;
        }
        let covector = vec![0.3; jacobian.state.nrows()];
        let mut gradient = StepGradient::default();
        if !covector.is_empty()
            && (differentiator.pull_back(state, input, &covector, &mut gradient)).is_ok()
        {
            let StepGradient {
                state,
                input,
                parameters,
                ..
            } = &gradient;
            let all = state.iter().chain(input).chain(parameters);
            finite(&format!("{at}, pull-back"), all)?;
        }
        let mut adjoint = Adjoint::new(&stepper, &[parameter]).unwrap();
        let inputs = DMatrix::from_fn(input.len(), 2, |i, _| input[i]);
        if let Ok(found) = adjoint.gradient(&Speed, state, &inputs) {
            let all = (found.initial_state.iter())
                .chain(&found.inputs)
                .chain(&found.parameters);
            finite(&format!("{at}, adjoint"), all.chain([&found.value]))?;
        }
    }
    Ok(count)
}

/// Every constant of every element, every coordinate of a state and every input, one after the other; a part of them
/// in the everyday tier.
#[test]
fn derivatives_at_any_numbers_are_refused_or_finite() {
    let bare = mechanism().0;
    let known: Vec<String> = bare.parameters().into_iter().map(|p| p.name).collect();
    let elements = [forces(), actuators(), sensors(), constraints(), frictions()];
    let machines = [("mechanism", bare)]
        .into_iter()
        .chain(elements.into_iter().flatten());
    let (mut wrong, mut differentiated) = (Vec::new(), 0);
    let every = tier(17, 1);
    let mut case = 0;
    let mut is_chosen = || {
        case += 1;
        case % every == 0
    };
    for (name, machine) in machines {
        let input = vec![0.6; machine.num_inputs()];
        let start = lively(&machine, 1);
        let is_bare = name == "mechanism";
        let own: Vec<String> = (machine.parameters().into_iter().map(|p| p.name))
            .filter(|parameter| is_bare || !known.contains(parameter))
            .collect();
        for parameter in &own {
            for x in HOSTILE.into_iter().filter(|_| is_chosen()) {
                let mut changed = machine.clone();
                if changed.set_parameter(parameter, x).is_err() {
                    continue;
                }
                match differentiate(&changed, parameter, &start, &input) {
                    Ok(count) => differentiated += count,
                    Err(what) => wrong.push(format!("{name}, {parameter} = {x:e}: {what}")),
                }
            }
        }
        let parameter = own.first().unwrap_or(&known[0]);
        let count = start.q.len() + start.v.len() + start.actuators.len() + start.sensors.len();
        let first = match is_bare {
            true => 0,
            false => start.q.len() + start.v.len(),
        };
        for index in first..=count + input.len() {
            for x in HOSTILE.into_iter().filter(|_| is_chosen()) {
                let (mut state, mut input) = (start.clone(), input.clone());
                if index == count + input.len() {
                    state.time = x;
                } else if index >= count {
                    input[index - count] = x;
                } else {
                    let mut entries = (state.q.iter_mut())
                        .chain(&mut state.v)
                        .chain(&mut state.actuators)
                        .chain(&mut state.sensors);
                    *entries.nth(index).unwrap() = x;
                }
                match differentiate(&machine, parameter, &state, &input) {
                    Ok(count) => differentiated += count,
                    Err(what) => wrong.push(format!("{name}, entry {index} = {x:e}: {what}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
    assert!(
        differentiated > 5000 / every,
        "{differentiated} derivatives"
    );
}
