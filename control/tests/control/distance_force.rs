//! The force at a distance, and plans that it lets find contact.

use dualbody::Parameters;
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody_control::{
    Dynamics, ForceAtDistance, InputResidual, Machine, Problem, Solver, SolverOptions,
    StateResidual, solve_annealed_with,
};
use nalgebra::{DMatrix, Vector3};
use std::ops::ControlFlow;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const STIFFNESS: f64 = 200.0;
const TIME_STEP: f64 = 0.02;

/// Two balls of 10 cm and 1 kg on a line without gravity, the first with a motor; 30 cm of air between them.
fn balls(length: f64) -> Result<TimeSteppingRigidBodySystem<f64>, Box<dyn std::error::Error>> {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.set_gravity(Vector3::zeros())?;
    let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
    let guide = JointKind::Prismatic { axis: Vector3::x() };
    let mut bodies = Vec::new();
    let mut joints = Vec::new();
    for (name, x) in [("pusher", 0.0), ("target", 0.5)] {
        let body = tree.add_body(name, inertia)?;
        let at = RigidTransform::from_translation(Vector3::new(x, 0.0, 0.0));
        let joint = tree.add_joint(name, guide, BodyIndex::WORLD, at, body)?;
        tree.set_damping(joint, &[0.5])?;
        bodies.push(body);
        joints.push(joint);
    }
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(STIFFNESS, 0.5, 0.3)?;
    for (name, body) in [("a", bodies[0]), ("b", bodies[1])] {
        contact.add_geometry(CollisionGeometry {
            name: name.into(),
            body,
            pose_in_body: RigidTransform::identity(),
            shape: Shape::new_sphere(0.1)?,
            material: soft,
        })?;
    }
    contact.set_pair_material("a", "b", soft)?;
    let contact = contact.finish(&tree)?;
    let motor = TorqueSource::new("motor", &tree, joints[0], 1.0, None)?;
    let mut options = SystemOptions::default();
    options.max_turn = f64::INFINITY;
    let mut system = TimeSteppingRigidBodySystem::new(tree, contact, TIME_STEP)?
        .with_options(options)?
        .with_actuators([motor])?;
    if length > 0.0 {
        system.add_force(ForceAtDistance::of_system(
            "distance",
            system.system(),
            length,
        )?)?;
    }
    Ok(system)
}

#[test]
fn contact_and_the_force_at_a_distance_add_up_to_the_smooth_law() -> Outcome {
    let length = 0.02;
    let system = balls(length)?;
    let mut machine = Machine::new(&system)?;
    let mut state = system.initial_state();
    let mut next = state.clone();
    for gap in [0.1, 0.03, 0.0, -0.01, -0.05] {
        state.q[0] = 0.3 - gap;
        machine.step(&state, &[0.0], &mut next)?;
        // m (v⁺ − v) = δt (−f − c v⁺) with f = k ((1 − d vₙ) (x)₊ + σ exp(min(x, 0)/σ)) at the end.
        let vn = next.v[1] - next.v[0];
        let x = -gap - TIME_STEP * vn;
        let tail = length * (x.min(0.0) / length).exp();
        let force = STIFFNESS * ((1.0 - 0.5 * vn) * x.max(0.0) + tail);
        let balance = next.v[1] - TIME_STEP * (force - 0.5 * next.v[1]);
        assert!(balance.abs() < 1e-9, "gap {gap}: {balance:e}");
    }
    Ok(())
}

#[test]
fn a_light_body_has_steps_at_every_height() -> Outcome {
    // δt² k is forty times the mass.
    let mut tree = RigidBodyTreeBuilder::new();
    let body = tree.add_body("ball", SpatialInertia::solid_sphere(0.05, 0.03))?;
    let here = RigidTransform::identity();
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let material = ContactMaterial::new(800.0, 10.0, 1.0)?;
    for (name, body, shape) in [
        ("ball", body, Shape::new_sphere(0.03)?),
        ("floor", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        contact.add_geometry(CollisionGeometry {
            name: name.into(),
            body,
            pose_in_body: here,
            shape,
            material,
        })?;
    }
    contact.set_pair_material("ball", "floor", material)?;
    let contact = contact.finish(&tree)?;
    let mut options = SystemOptions::default();
    options.contact_solver.stiction_tolerance = 0.05;
    let mut system =
        TimeSteppingRigidBodySystem::new(tree, contact, 0.05)?.with_options(options)?;
    system.add_force(ForceAtDistance::of_system(
        "distance",
        system.system(),
        0.01,
    )?)?;
    let mut workspace = system.workspace()?;
    for height in [-0.05, 0.0, 0.02, 0.03, 0.04, 0.06, 0.1, 0.3] {
        for speed in [-8.0, -2.0, -0.5, 0.0, 0.5, 2.0] {
            let mut state = system.initial_state();
            system.set_body_position(&mut state, "ball", Vector3::new(0.0, 0.0, height))?;
            state.v[3] = 1.0;
            state.v[5] = speed;
            system
                .step(&mut workspace, &state, &[])
                .map_err(|error| format!("at {height} m and {speed} m/s: {error}"))?;
        }
    }
    Ok(())
}

#[test]
fn derivatives_through_it_agree_with_differences() -> Outcome {
    let system = balls(0.02)?;
    let mut machine = Machine::new(&system)?;
    let mut state = system.initial_state();
    state.v.copy_from_slice(&[0.4, 0.1]);
    let (mut a, mut b) = (DMatrix::zeros(4, 4), DMatrix::zeros(4, 1));
    let mut next = state.clone();
    for position in [0.25, 0.31] {
        state.q[0] = position;
        machine.linearize(&state, &[0.3], &mut next, &mut a, &mut b)?;
        let h = 1e-6;
        for j in 0..4 {
            let mut ends = [vec![0.0; 4], vec![0.0; 4]];
            for (end, change) in ends.iter_mut().zip([h, -h]) {
                let (mut displaced, mut displacement) = (state.clone(), [0.0; 4]);
                displacement[j] = change;
                machine.displace(&state, &displacement, &mut displaced)?;
                let mut after = next.clone();
                machine.step(&displaced, &[0.3], &mut after)?;
                machine.difference(&next, &after, end)?;
            }
            for i in 0..4 {
                let slope = (ends[0][i] - ends[1][i]) / (2.0 * h);
                assert!(
                    (slope - a[(i, j)]).abs() < 1e-5,
                    "{i} {j}: {slope} {}",
                    a[(i, j)]
                );
            }
        }
    }
    Ok(())
}

#[test]
fn a_length_of_zero_is_the_machine_itself() -> Outcome {
    let plain = balls(0.0)?;
    let mut system = balls(0.02)?;
    system.set_parameter("force/distance/length", 0.0)?;
    let mut state = plain.initial_state();
    state.v[0] = 2.0;
    let ends = [&plain, &system].map(|system| system.rollout(&state, 40).map(|r| r.last().clone()));
    let [plain_end, end] = ends;
    assert!((plain_end?.q - end?.q).amax() < 1e-12);
    let error = system
        .set_parameter("force/distance/length", -1.0)
        .unwrap_err();
    assert!(error.to_string().contains("length"), "{error}");
    Ok(())
}

#[test]
fn from_zero_inputs_a_plan_finds_the_contact_that_it_needs() -> Outcome {
    let truth = balls(0.0)?;
    let start = truth.initial_state();
    let mut goal = start.clone();
    goal.q[1] = 0.3;
    let problem = |system: &TimeSteppingRigidBodySystem<f64>| {
        Problem::new(Machine::new(system)?, 60, start.clone())?
            .running_cost("input", InputResidual::of_size(1), vec![1e-3])?
            .terminal_cost(
                "end",
                StateResidual::new(goal.clone()),
                vec![0.0, 100.0, 0.1, 1.0],
            )
    };
    // On the machine itself nothing leads to the other ball.
    let mut blind = Solver::new(problem(&truth)?, SolverOptions::default())?;
    assert_eq!(blind.solve()?.iterations, 0);

    let mut variations = Vec::new();
    for length in [0.1, 0.05, 0.02, 0.01] {
        variations.push(Machine::new(&balls(length)?)?);
    }
    let truth = Machine::new(&truth)?;
    let mut solver = Solver::new(problem(variations[0].system())?, SolverOptions::default())?;
    let mut seen = 0;
    let annealed = solve_annealed_with(&mut solver, &variations, &truth, &mut |_| {
        seen += 1;
        ControlFlow::Continue(())
    })?;
    assert_eq!((annealed.reports.len(), annealed.iterations()), (5, seen));
    assert!(
        (solver.states()[60].q[1] - 0.3).abs() < 0.01,
        "{annealed:?}"
    );
    assert!(annealed.cost <= annealed.cost_replayed + 1e-12);
    assert!(annealed.gap().is_finite());
    Ok(())
}
