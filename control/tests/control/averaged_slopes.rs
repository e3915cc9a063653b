//! Plans on slopes that are averaged over a width.

use crate::scalar_step::ScalarStep;
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactModelBuilder};
use dualbody::prelude::*;
use dualbody::tree::{BodyIndex, JointKind};
use dualbody_control::{
    AveragedSlopes, ControlError, Dynamics, InputResidual, Machine, Problem, Solver, SolverOptions,
    StateResidual, solve_annealed,
};
use nalgebra::DMatrix;

type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;

const TOOTH: f64 = 0.02;

/// `x⁺ = x + u + teeth(u)`, whose slope by u is −2 but for jumps, and 1 on average.
fn saw() -> std::result::Result<ScalarStep, ControlError> {
    ScalarStep::new(|x, u| {
        let part = u / TOOTH;
        let next = x + u - 3.0 * TOOTH * (part - part.floor());
        [next, 1.0, -2.0, 0.0]
    })
}

#[test]
fn the_trend_of_a_saw_is_followed() -> Outcome {
    let mut averaged = AveragedSlopes::new(saw()?, &[0.0], &[0.1], 8)?;
    let (mut a, mut b) = (DMatrix::zeros(1, 1), DMatrix::zeros(1, 1));
    averaged.linearize(&vec![0.0], &[0.123], &mut vec![0.0], &mut a, &mut b)?;
    // No width along the state, and over ten teeth along the input.
    assert_eq!(a[(0, 0)], 1.0);
    assert!((b[(0, 0)] - 1.0).abs() < 1e-9, "{b}");

    let goal = || StateResidual::new(vec![5.0]);
    let exact = Problem::new(saw()?, 4, vec![0.0])?
        .running_cost("effort", InputResidual::of_size(1), vec![1e-3])?
        .terminal_cost("goal", goal(), vec![1.0])?;
    let averaged = Problem::new(averaged, 4, vec![0.0])?
        .running_cost("effort", InputResidual::of_size(1), vec![1e-3])?
        .terminal_cost("goal", goal(), vec![1.0])?;
    let mut solver = Solver::new(exact, SolverOptions::default())?;
    assert!(solver.solve()?.cost > 10.0);
    let mut solver = Solver::new(averaged, SolverOptions::default())?;
    assert!(solver.solve()?.cost < 0.02);
    Ok(())
}

/// Two balls on a line, the first with a motor, 5 cm from each other.
fn pushers() -> std::result::Result<TimeSteppingRigidBodySystem<f64>, Box<dyn std::error::Error>> {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.set_gravity(Vector3::zeros())?;
    let hard = ContactMaterial::new(1e4, 0.1, 0.0)?;
    let mut contact = ContactModelBuilder::new();
    let mut joints = Vec::new();
    for (name, x) in [("pusher", 0.0), ("target", 0.25)] {
        let body = tree.add_body(name, SpatialInertia::solid_sphere(1.0, 0.1))?;
        let at = RigidTransform::from_translation(Vector3::new(x, 0.0, 0.0));
        let guide = JointKind::Prismatic { axis: Vector3::x() };
        joints.push(tree.add_joint(name, guide, BodyIndex::WORLD, at, body)?);
        tree.set_damping(joints[joints.len() - 1], &[1.0])?;
        contact.add_geometry(CollisionGeometry {
            name: name.into(),
            body,
            pose_in_body: RigidTransform::identity(),
            shape: Shape::new_sphere(0.1)?,
            material: hard,
        })?;
    }
    let tree = tree.finish()?;
    let contact = contact.finish(&tree)?;
    let motor = TorqueSource::new("motor", &tree, joints[0], 1.0, None)?;
    Ok(TimeSteppingRigidBodySystem::new(tree, contact, 0.02)?.with_actuators([motor])?)
}

#[test]
fn a_hard_contact_is_found_that_no_derivative_sees() -> Outcome {
    let system = pushers()?;
    let start = system.initial_state();
    let mut goal = start.clone();
    goal.q[1] = 0.1;
    let machine = Machine::new(&system)?;
    let problem = |width: f64| -> std::result::Result<_, ControlError> {
        let wide = AveragedSlopes::new(machine.clone(), &[width, width, 0.0, 0.0], &[0.0], 8)?;
        Problem::new(wide, 40, start.clone())?
            .running_cost("effort", InputResidual::of_size(1), vec![1e-4])?
            .terminal_cost(
                "goal",
                StateResidual::new(goal.clone()),
                vec![0.0, 100.0, 0.0, 1.0],
            )
    };
    let mut exact = Solver::new(problem(0.0)?, SolverOptions::default())?;
    let report = exact.solve()?;
    assert!(
        report.cost > 0.49,
        "nothing leads to the contact: {report:?}"
    );
    let widths = [0.1, 0.05, 0.02, 0.0].map(|width| Ok(problem(width)?.dynamics().clone()));
    let widths: Vec<_> = widths
        .into_iter()
        .collect::<std::result::Result<_, ControlError>>()?;
    for where_short in [false, true] {
        let variations = widths[..3].iter().cloned();
        let variations: Vec<_> = match where_short {
            true => variations.map(AveragedSlopes::where_short).collect(),
            false => variations.collect(),
        };
        let mut solver = Solver::new(problem(0.1)?, SolverOptions::default())?;
        solve_annealed(&mut solver, &variations, &widths[3])?;
        let pushed = solver.states()[40].q[1];
        assert!((pushed - 0.1).abs() < 0.01, "{where_short}: {pushed}");
    }
    Ok(())
}

#[test]
fn slopes_are_averaged_where_derivatives_do_not_hold() -> Outcome {
    let system = pushers()?;
    let mut machine = Machine::new(&system)?;
    let state = system.initial_state();
    // The balls touch where one moves by 5 cm, at the end of the step for its velocity.
    let mut radius = [0.0; 5];
    machine.radius(&state, &[0.0], &mut radius)?;
    for (found, expected) in radius.iter().zip([0.05, 0.05, 2.5, 2.5]) {
        assert!((found / expected - 1.0).abs() < 0.05, "{radius:?}");
    }
    let slopes = |width: f64, where_short: bool| -> std::result::Result<_, ControlError> {
        let wide = AveragedSlopes::new(machine.clone(), &[width, width, 0.0, 0.0], &[0.0], 8)?;
        let mut wide = if where_short {
            wide.where_short()
        } else {
            wide
        };
        let (mut a, mut b) = (DMatrix::zeros(4, 4), DMatrix::zeros(4, 1));
        wide.linearize(&state, &[0.0], &mut state.clone(), &mut a, &mut b)?;
        Ok(a)
    };
    // No corner of a narrow box touches, one of a wide box does.
    assert_eq!(slopes(0.02, true)?, slopes(0.0, false)?);
    assert_eq!(slopes(0.04, true)?, slopes(0.04, false)?);
    assert_ne!(slopes(0.04, true)?, slopes(0.0, false)?);

    // What does not know its radii is averaged everywhere.
    let mut saw = AveragedSlopes::new(saw()?, &[0.0], &[0.1], 8)?.where_short();
    let (mut a, mut b) = (DMatrix::zeros(1, 1), DMatrix::zeros(1, 1));
    saw.linearize(&vec![0.0], &[0.123], &mut vec![0.0], &mut a, &mut b)?;
    assert!((b[(0, 0)] - 1.0).abs() < 1e-9, "{b}");
    Ok(())
}

#[test]
fn widths_that_make_no_sense_are_errors() -> Outcome {
    let width = |x: &[f64], u: &[f64], pairs| AveragedSlopes::new(saw().unwrap(), x, u, pairs);
    assert!(width(&[0.0; 2], &[0.1], 4).is_err());
    assert!(width(&[0.0], &[-0.1], 4).is_err());
    assert!(width(&[f64::NAN], &[0.1], 4).is_err());
    assert!(width(&[0.0], &[0.1], 0).is_err());
    assert!(width(&[0.0], &[0.0], 1).is_ok());
    Ok(())
}
