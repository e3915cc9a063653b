//! Plans on slopes that are averaged over a width.

use crate::scalar_step::ScalarStep;
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactModelBuilder};
use dualbody::prelude::*;
use dualbody::tree::{BodyIndex, JointKind};
use dualbody_control::{
    AveragedSlopes, ControlError, Dynamics, InputResidual, Machine, Problem, Solver, SolverOptions,
    StateResidual,
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
    let mut solver = Solver::new(problem(0.1)?, SolverOptions::default())?;
    for width in [0.1, 0.05, 0.02, 0.0] {
        solver.set_dynamics(problem(width)?.dynamics().clone())?;
        solver.solve()?;
    }
    let pushed = solver.states()[40].q[1];
    assert!((pushed - 0.1).abs() < 0.01, "{pushed}");
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
