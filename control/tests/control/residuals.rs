//! Derivatives of residuals and of steps against differences.

use crate::scenes::{cart_pole, pushed_box, tilted};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::BodyIndex;
use dualbody::{DefaultScalar, Parameters};
use dualbody_control::{
    BodyPosition, BodyTurn, BodyVelocity, ByDuals, CenterOfMass, Configuration, ContactForce,
    ControlError, Design, Dissipation, Dynamics, InputResidual, Machine, MachineFunction,
    MechanicalEnergy, Outputs, Point, Problem, Residual, Solver, SolverOptions, StateResidual,
};
use nalgebra::{DMatrix, Matrix3, Vector3};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Kinetic energy of a machine and power of its first input: of one's own.
#[derive(Debug, Clone)]
struct Energy;

impl MachineFunction for Energy {
    fn size(&self) -> usize {
        2
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        out[0] = at.system.tree().kinetic_energy(at.placed)?;
        out[1] = at.input[0] * at.state.v[0];
        Ok(())
    }
}

/// Compares derivatives with central differences along displacements.
fn check(
    system: &TimeSteppingRigidBodySystem<f64>,
    residual: &mut dyn Residual<Machine>,
    state: &State<f64>,
    input: &[f64],
) -> Outcome {
    check_for(Machine::new(system)?, residual, state, input)
}

fn check_for<D: Dynamics>(
    machine: D,
    residual: &mut dyn Residual<D>,
    state: &D::State,
    input: &[f64],
) -> Outcome {
    let (n, m) = (machine.num_displacements(), machine.num_inputs());
    let size = residual.size(&machine);
    let (mut by_state, mut by_input) = (DMatrix::zeros(size, n), DMatrix::zeros(size, m));
    let (mut value, mut again) = (vec![0.0; size], vec![0.0; size]);
    let at = Point {
        dynamics: &machine,
        stage: 0,
        moved: 0,
        state,
        input,
    };
    residual.evaluate(&at, &mut again)?;
    residual.linearize(&at, &mut value, &mut by_state, &mut by_input)?;
    for (a, b) in value.iter().zip(&again) {
        assert!((a - b).abs() < 1e-12);
    }
    let h = 1e-6;
    for j in 0..n + m {
        let mut values = [vec![0.0; size], vec![0.0; size]];
        for (value, change) in values.iter_mut().zip([h, -h]) {
            let (mut displaced, mut input) = (state.clone(), input.to_vec());
            match j.checked_sub(n) {
                None => {
                    let mut displacement = vec![0.0; n];
                    displacement[j] = change;
                    machine.displace(state, &displacement, &mut displaced)?;
                }
                Some(j) => input[j] += change,
            }
            let at = Point {
                dynamics: &machine,
                stage: 0,
                moved: 0,
                state: &displaced,
                input: &input,
            };
            residual.evaluate(&at, value)?;
        }
        for i in 0..size {
            let slope = (values[0][i] - values[1][i]) / (2.0 * h);
            let exact = if j < n {
                by_state[(i, j)]
            } else {
                by_input[(i, j - n)]
            };
            let error = (slope - exact).abs();
            assert!(
                error < 1e-6 * (1.0 + slope.abs()),
                "row {i}, column {j}: {slope} {exact}"
            );
        }
    }
    Ok(())
}

#[test]
fn derivatives_of_residuals_agree_with_differences() -> Outcome {
    let system = pushed_box()?;
    let state = tilted(&system, 0.3)?;
    let input = [0.1, 0.2, -0.3, 0.4, -0.5, 0.6];
    let reference = tilted(&system, 0.5)?;
    let mut turned = system.initial_state();
    let turn = dualbody::math::rotation::exp(&Vector3::new(-0.4, 1.2, 0.3));
    let pose = dualbody::math::RigidTransform::new(turn, Vector3::new(0.0, 0.1, 0.2));
    system.set_body_pose(&mut turned, "box", &pose)?;
    for reference in [reference, turned] {
        check(&system, &mut StateResidual::new(reference), &state, &input)?;
    }
    let body = system.tree().body_by_name("box")?;
    let position = BodyPosition {
        body,
        point: Vector3::new(0.1, 0.2, 0.3),
        target: Vector3::new(1.0, 0.0, 0.5),
    };
    check(
        &system,
        &mut ByDuals::new(&system, position),
        &state,
        &input,
    )?;
    let target: Matrix3<f64> = turn;
    check(
        &system,
        &mut ByDuals::new(&system, BodyTurn { body, target }),
        &state,
        &input,
    )?;
    let target = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
    let velocity = BodyVelocity { body, target };
    check(
        &system,
        &mut ByDuals::new(&system, velocity),
        &state,
        &input,
    )?;
    check(&system, &mut ByDuals::new(&system, Energy), &state, &input)?;

    let system = cart_pole()?;
    let mut state = system.initial_state();
    state.q.copy_from_slice(&[0.2, 0.4]);
    state.v.copy_from_slice(&[0.3, -0.2]);
    let target = Vector3::new(0.1, 0.0, 0.3);
    let center = &mut ByDuals::new(&system, CenterOfMass { target });
    check(&system, center, &state, &[0.7])?;
    let mut outputs = Outputs::new(&system, &[("pole/position", 0.1), ("cart/rate", 0.0)])?;
    check(&system, &mut outputs, &state, &[0.7])?;
    let error = Outputs::new(&system, &[("pole/positon", 0.0)]).unwrap_err();
    assert!(error.to_string().contains("pole/position"), "{error}");
    Ok(())
}

#[test]
fn derivatives_of_forces_and_energies_agree_with_differences() -> Outcome {
    let system = pushed_box()?;
    let body = system.tree().body_by_name("box")?;
    let input = [0.1, 0.2, -0.3, 0.4, -0.5, 0.6];
    // One corner touches, and slides.
    let state = tilted(&system, 0.1)?;
    let force = |by| ContactForce {
        body,
        by,
        target: Vector3::new(1.0, -2.0, 3.0),
    };
    for by in [None, Some(BodyIndex::WORLD)] {
        let force = &mut ByDuals::new(&system, force(by));
        check(&system, force, &state, &input)?;
        let pressed = value(&system, force, &state, &input)?;
        assert!(pressed[2] + 3.0 > 1.0, "{pressed:?}");
    }
    let by_none = &mut ByDuals::new(&system, force(Some(body)));
    assert_eq!(value(&system, by_none, &state, &input)?, [-1.0, 2.0, -3.0]);
    let energy = MechanicalEnergy { target: 0.5 };
    check(&system, &mut ByDuals::new(&system, energy), &state, &input)?;
    let lost = &mut ByDuals::new(&system, Dissipation);
    check(&system, lost, &state, &input)?;
    assert!(value(&system, lost, &state, &input)?[0] > 1e-3);

    // At rest the floor carries the weight; the energy is that of its height, and of what it presses into the floor.
    let mut start = system.initial_state();
    let sunk = 9.81 / (4.0 * 1e3);
    system.set_body_position(&mut start, "box", Vector3::new(0.0, 0.0, 0.05 - sunk))?;
    let rest = system.rollout(&start, 300)?.last().clone();
    let mut weight = ByDuals::new(&system, force(None));
    let carried = value(&system, &mut weight, &rest, &[0.0; 6])?;
    for (carried, expected) in carried.iter().zip([-1.0, 2.0, 9.81 - 3.0]) {
        assert!((carried - expected).abs() < 1e-6, "{carried} {expected}");
    }
    let height = system.body_pose(&rest, "box")?.translation.z;
    let stored = 4.0 * 0.5 * 1e3 * (0.05 - height) * (0.05 - height);
    let expected = 9.81 * height + stored - 0.5;
    let energy = MechanicalEnergy { target: 0.5 };
    let found = value(&system, &mut ByDuals::new(&system, energy), &rest, &[])?[0];
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    let error = value(&system, &mut weight, &rest, &[]).unwrap_err();
    assert!(error.to_string().contains("inputs of the step"), "{error}");
    Ok(())
}

/// The entries of a residual.
fn value(
    system: &TimeSteppingRigidBodySystem<f64>,
    residual: &mut dyn Residual<Machine>,
    state: &State<f64>,
    input: &[f64],
) -> Result<Vec<f64>, ControlError> {
    let machine = Machine::new(system)?;
    let mut value = vec![0.0; residual.size(&machine)];
    let at = Point {
        dynamics: &machine,
        stage: 0,
        moved: 0,
        state,
        input,
    };
    residual.evaluate(&at, &mut value)?;
    Ok(value)
}

#[test]
fn a_box_is_pressed_to_the_floor_by_a_force_that_a_cost_asks_for() -> Outcome {
    let system = pushed_box()?;
    let mut start = system.initial_state();
    let sunk = 9.81 / (4.0 * 1e3);
    system.set_body_position(&mut start, "box", Vector3::new(0.0, 0.0, 0.05 - sunk))?;
    let start = system.rollout(&start, 300)?.last().clone();
    let force = ContactForce {
        body: system.tree().body_by_name("box")?,
        by: None,
        target: Vector3::new(0.0, 0.0, 20.0),
    };
    let horizon = 30;
    let problem = Problem::new(Machine::new(&system)?, horizon, start)?
        .running_cost("effort", InputResidual::of_size(6), vec![1e-6; 6])?
        .running_cost("force", ByDuals::new(&system, force), vec![1.0; 3])?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let report = solver.solve()?;
    // What the weight of 9.81 N leaves is pushed, about at rest.
    let pushed = solver.inputs()[horizon / 2][5];
    assert!((pushed + 20.0 - 9.81).abs() < 0.1, "{report:?} {pushed}");

    // On another machine it is that of the other.
    let mut heavier = system.clone();
    let mass = heavier.parameter("box/mass")?;
    heavier.set_parameter("box/mass", 1.5 * mass)?;
    solver.set_dynamics(Machine::new(&heavier)?)?;
    solver.solve()?;
    let pushed = solver.inputs()[horizon / 2][5];
    assert!((pushed + 20.0 - 1.5 * 9.81).abs() < 0.2, "{pushed}");
    Ok(())
}

#[test]
fn derivatives_by_parameters_of_a_design_agree_with_differences() -> Outcome {
    let system = pushed_box()?;
    let body = system.tree().body_by_name("box")?;
    let input = [0.1, 0.2, -0.3, 0.4, -0.5, 0.6];
    let design = || Design::new(&system, &["box/mass", "floor/friction"]);
    let mut state = design()?.state(tilted(&system, 0.1)?);
    state.parameters[0] *= 1.1;
    let force = ContactForce {
        body,
        by: None,
        target: Vector3::zeros(),
    };
    let force = &mut ByDuals::new(&system, force);
    check_for(design()?, force, &state, &input)?;
    let energy = &mut ByDuals::new(&system, MechanicalEnergy { target: 0.0 });
    check_for(design()?, energy, &state, &input)
}

#[test]
fn derivatives_of_steps_are_those_of_the_linear_model() -> Outcome {
    let system = pushed_box()?;
    let mut machine = Machine::new(&system)?;
    let (n, m) = (machine.num_displacements(), machine.num_inputs());
    assert_eq!((n, m), (12, 6));
    let (mut a, mut b) = (DMatrix::zeros(n, n), DMatrix::zeros(n, m));
    for height in [0.05, 0.5] {
        let state = tilted(&system, height)?;
        let input = [0.1, 0.2, -0.3, 0.4, -0.5, 0.6];
        let mut next = state.clone();
        machine.linearize(&state, &input, &mut next, &mut a, &mut b)?;
        let model = system.linearize(&state, &input)?;
        assert_eq!(model.base, next);
        assert!((&a - &model.a).amax() < 1e-9 * (1.0 + model.a.amax()));
        assert!((&b - &model.b).amax() < 1e-9);
    }
    Ok(())
}

#[test]
fn machines_are_small_enough_to_be_moved() {
    assert!(size_of::<Machine>() < 4096, "{}", size_of::<Machine>());
    assert!(
        size_of::<ByDuals<Energy>>() < 16384,
        "{}",
        size_of::<ByDuals<Energy>>()
    );
}
