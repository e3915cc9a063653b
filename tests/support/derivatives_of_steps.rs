//! Derivatives of steps and of rollouts, against differences and against each other. Positions have no quaternions.

use dualbody::Parameters;
use dualbody::system::{
    Adjoint, RolloutObjective, State, StepDifferentiator, StepJacobian, TimeSteppingRigidBodySystem,
};
use nalgebra::{DMatrix, DVector};
use num_dual::Dual64;

/// What derivatives and differences may differ by, relative to the largest entry of a column, or to a floor below that.
const CLOSE: f64 = 1e-8;
/// The same of the adjoint and products of Jacobians, relative to the largest derivative of their kind.
const EQUAL: f64 = 1e-12;

/// Positions, velocities, states of actuators and sensors.
pub fn entries(state: &State<f64>) -> DVector<f64> {
    DVector::from_vec(state.iter().skip(1).copied().collect())
}

fn with_entry(state: &State<f64>, index: usize, change: f64) -> State<f64> {
    let mut state = state.clone();
    let all = (state.q.iter_mut().chain(&mut state.v))
        .chain(state.actuators.iter_mut().chain(&mut state.sensors));
    *all.into_iter().nth(index).unwrap() += change;
    state
}

/// By central differences over h, 2 h and 4 h, extrapolated twice.
fn differences(f: impl Fn(f64) -> DVector<f64>, h: f64) -> DVector<f64> {
    let [one, two, four] = [h, 2.0 * h, 4.0 * h].map(|h| (f(h) - f(-h)) / (2.0 * h));
    let (fine, coarse) = ((one * 4.0 - &two) / 3.0, (two * 4.0 - four) / 3.0);
    (fine * 16.0 - coarse) / 15.0
}

/// That the Jacobian of a step is that of differences over `h`, of inputs and parts of parameters over `10 h`.
pub fn assert_step_jacobian_agrees(
    stepper: &TimeSteppingRigidBodySystem<f64>,
    (start, input): (&State<f64>, &[f64]),
    parameters: &[&str],
    h: f64,
) {
    let mut differentiator = StepDifferentiator::new(stepper, parameters).unwrap();
    let mut jacobian = StepJacobian::default();
    (differentiator.jacobian(start, input, &mut jacobian)).unwrap();
    let after = |stepper: &TimeSteppingRigidBodySystem<f64>, state: &State<f64>, input: &[f64]| {
        let mut workspace = stepper.workspace().unwrap();
        let step = stepper.step(&mut workspace, state, input).unwrap();
        entries(step.state())
    };
    let check = |column: DVector<f64>, expected: DVector<f64>, floor: f64, what: &str| {
        let error = (column - &expected).amax() / expected.amax().max(floor);
        assert!(
            error < CLOSE,
            "{:?}, {what}: {error:e}, {expected}",
            stepper.scheme()
        );
    };
    for j in 0..jacobian.state.ncols() {
        let moved = |h: f64| after(stepper, &with_entry(start, j, h), input);
        let column = jacobian.state.column(j).into_owned();
        check(column, differences(moved, h), 1.0, &format!("state {j}"));
    }
    for j in 0..input.len() {
        let moved = |h: f64| {
            let mut input = input.to_vec();
            input[j] += h;
            after(stepper, start, &input)
        };
        let column = jacobian.input.column(j).into_owned();
        check(
            column,
            differences(moved, 10.0 * h),
            0.04,
            &format!("input {j}"),
        );
    }
    for (k, name) in parameters.iter().enumerate() {
        let value = stepper.parameter(name).unwrap();
        let moved = |h: f64| {
            let mut changed = stepper.clone();
            changed.set_parameter(name, value * (1.0 + h)).unwrap();
            after(&changed, start, input)
        };
        let column = jacobian.parameters.column(k).into_owned();
        check(column * value, differences(moved, 10.0 * h), 0.2, name);
    }
}

/// That the gradient of an objective is that of products of Jacobians of the steps, and that of differences over `h`, of
/// what is not a position over `10 h`, of parameters over that part of them. Nothing that is asked for is zero.
pub fn assert_adjoint_agrees(
    stepper: &TimeSteppingRigidBodySystem<f64>,
    (start, inputs): (&State<f64>, &DMatrix<f64>),
    parameters: &[&str],
    objective: &impl RolloutObjective,
    h: f64,
) {
    let scheme = stepper.scheme();
    let gradient = (Adjoint::new(stepper, parameters).unwrap())
        .gradient(objective, start, inputs)
        .unwrap();
    let value =
        |stepper: &TimeSteppingRigidBodySystem<f64>, start: &State<f64>, inputs: &DMatrix<f64>| {
            let mut workspace = stepper.workspace().unwrap();
            let (mut state, mut sum) = (start.clone(), 0.0);
            for (k, input) in inputs.column_iter().enumerate() {
                sum += objective.evaluate(k, &state, input.as_slice());
                let step = stepper.step(&mut workspace, &state, input.as_slice());
                let next = step.unwrap().state().clone();
                state = next;
            }
            sum + objective.evaluate(inputs.ncols(), &state, &[])
        };
    let expected = value(stepper, start, inputs);
    assert!((gradient.value / expected - 1.0).abs() < 1e-14);

    let by_products = forwards(stepper, (start, inputs), parameters, objective);
    let claimed = [
        gradient.initial_state.clone(),
        DVector::from_column_slice(gradient.inputs.as_slice()),
        gradient.parameters.clone(),
    ];
    for (kind, (claimed, expected)) in claimed.iter().zip(&by_products).enumerate() {
        assert_eq!(claimed.len(), expected.len());
        let error = (claimed - expected).amax() / expected.amax();
        assert!(error < EQUAL, "{scheme:?}, products, {kind}: {error:e}");
    }
    let check = |claimed: f64, f: &dyn Fn(f64) -> f64, h: f64, what: &str| {
        let expected = differences(|h| DVector::from_element(1, f(h)), h)[0];
        let error = (claimed - expected).abs() / expected.abs().max(1.0);
        assert!(
            error < CLOSE && claimed != 0.0,
            "{scheme:?}, {what}: {claimed} and {expected}, {error:e}"
        );
    };
    for j in 0..gradient.initial_state.len() {
        let moved = |h: f64| value(stepper, &with_entry(start, j, h), inputs);
        let wide = if j < start.q.len() { h } else { 10.0 * h };
        check(
            gradient.initial_state[j],
            &moved,
            wide,
            &format!("state {j}"),
        );
    }
    for j in 0..inputs.len() {
        let moved = |h: f64| {
            let mut inputs = inputs.clone();
            inputs[j] += h;
            value(stepper, start, &inputs)
        };
        check(gradient.inputs[j], &moved, 10.0 * h, &format!("input {j}"));
    }
    for (k, name) in parameters.iter().enumerate() {
        let nominal = stepper.parameter(name).unwrap();
        let moved = |h: f64| {
            let mut changed = stepper.clone();
            changed.set_parameter(name, nominal * (1.0 + h)).unwrap();
            value(&changed, start, inputs)
        };
        check(gradient.parameters[k] * nominal, &moved, 10.0 * h, name);
    }
}

/// The gradient of an objective by products of Jacobians from the start of a rollout to its end: with respect to the
/// initial state, inputs and parameters.
fn forwards(
    stepper: &TimeSteppingRigidBodySystem<f64>,
    (start, inputs): (&State<f64>, &DMatrix<f64>),
    parameters: &[&str],
    objective: &impl RolloutObjective,
) -> [DVector<f64>; 3] {
    let (states, (rows, steps)) = (entries(start).len(), inputs.shape());
    let mut differentiator = StepDifferentiator::new(stepper, parameters).unwrap();
    let mut jacobian = StepJacobian::default();
    let all = states + rows * steps + parameters.len();
    let (of_inputs, of_parameters) = (states, states + rows * steps);
    let mut sensitivity = DMatrix::zeros(states, all);
    sensitivity
        .view_mut((0, 0), (states, states))
        .fill_diagonal(1.0);
    let (mut state, mut gradient) = (start.clone(), DVector::zeros(all));
    for k in 0..=steps {
        let input: Vec<f64> = match k < steps {
            true => inputs.column(k).iter().copied().collect(),
            false => Vec::new(),
        };
        let slopes = slopes(objective, k, &state, &input);
        gradient += sensitivity.tr_mul(&slopes.rows(0, states));
        let mut own = gradient.rows_mut(of_inputs + rows * k.min(steps), input.len());
        own += slopes.rows(states, input.len());
        if k == steps {
            break;
        }
        let next = differentiator.jacobian(&state, &input, &mut jacobian);
        state = next.unwrap().clone();
        sensitivity = &jacobian.state * sensitivity;
        let mut own = sensitivity.columns_mut(of_inputs + rows * k, rows);
        own += &jacobian.input;
        let mut own = sensitivity.columns_mut(of_parameters, parameters.len());
        own += &jacobian.parameters;
    }
    [
        gradient.rows(0, states).into_owned(),
        gradient.rows(of_inputs, rows * steps).into_owned(),
        gradient.rows(of_parameters, parameters.len()).into_owned(),
    ]
}

/// Of one part of an objective, with respect to the entries of the state and the inputs.
fn slopes(
    objective: &impl RolloutObjective,
    step: usize,
    state: &State<f64>,
    input: &[f64],
) -> DVector<f64> {
    let count = entries(state).len() + input.len();
    DVector::from_fn(count, |chosen, _| {
        let (mut state, mut input) = (
            state.cast::<Dual64>(),
            Vec::from_iter(input.iter().map(|&u| Dual64::from_re(u))),
        );
        let all = (state.q.iter_mut().chain(&mut state.v))
            .chain(state.actuators.iter_mut().chain(&mut state.sensors))
            .chain(&mut input);
        all.into_iter().nth(chosen).unwrap().eps = 1.0;
        objective.evaluate(step, &state, &input).eps
    })
}
