//! A finger pushes a box over a table to a pose.
//!
//! Half sizes of 0.5 m and 0.25 m, 1 kg, friction 0.5 between finger and box, and a table that brakes the box like oil. 100
//! stages of 0.02 s. Targets are random.

use crate::machine::in_steps;
use crate::outcome::{Failure, Outcome, Settings, weighted};
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{RigidBodySystem, State, SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody_control::{
    InputResidual, Machine, Problem, Solver, SolverOptions, StateResidual, solve_annealed,
};
use nalgebra::Vector3;
use std::time::Instant;

const STAGES: usize = 100;
const TIME_STEP: f64 = 0.02;
const HALF: [f64; 2] = [0.5, 0.25];
const FINGER: f64 = 0.05;

/// The machine, with a stiction tolerance in m/s and a force over a length in m. Coordinates are the place and the turn of the
/// box, then the place of the finger.
fn machine(tolerance: f64, length: f64) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.set_gravity(Vector3::zeros())?;
    let size = Vector3::new(2.0 * HALF[0], 2.0 * HALF[1], 0.2);
    let slider = tree.add_body("box", SpatialInertia::solid_box(1.0, &size))?;
    let carriage = tree.add_body("carriage", SpatialInertia::solid_sphere(0.1, FINGER))?;
    let finger = tree.add_body("finger", SpatialInertia::solid_sphere(0.1, FINGER))?;
    let plane = JointKind::Planar {
        x_axis: Vector3::x(),
        y_axis: Vector3::y(),
    };
    let here = RigidTransform::identity();
    let table = tree.add_joint("table", plane, BodyIndex::WORLD, here, slider)?;
    tree.set_damping(table, &[5.0, 5.0, 0.8])?;
    let along = |axis| JointKind::Prismatic { axis };
    let x = tree.add_joint("x", along(Vector3::x()), BodyIndex::WORLD, here, carriage)?;
    let y = tree.add_joint("y", along(Vector3::y()), carriage, here, finger)?;
    tree.set_damping(x, &[0.5])?;
    tree.set_damping(y, &[0.5])?;
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(1000.0, 1.0, 0.5)?;
    for (name, body, shape) in [
        ("box", slider, Shape::new_box(size)?),
        ("finger", finger, Shape::new_sphere(FINGER)?),
    ] {
        let (name, pose_in_body, material) = (name.into(), here, soft);
        contact.add_geometry(CollisionGeometry {
            name,
            body,
            pose_in_body,
            shape,
            material,
        })?;
    }
    contact.set_pair_material("box", "finger", soft)?;
    let contact = contact.finish(&tree)?;
    let motors = [
        TorqueSource::new("x", &tree, x, 1.0, None)?,
        TorqueSource::new("y", &tree, y, 1.0, None)?,
    ];
    let mut options = SystemOptions::default();
    options.contact_solver.stiction_tolerance = tolerance;
    options.max_turn = f64::INFINITY;
    let system = RigidBodySystem::new(tree, contact)?
        .with_options(options)?
        .with_actuators(motors)?;
    in_steps(system, TIME_STEP, length)
}

fn problem(
    system: &TimeSteppingRigidBodySystem<f64>,
    start: &State<f64>,
    goal: &State<f64>,
) -> Result<Problem<Machine>, Failure> {
    let running = weighted(
        TIME_STEP,
        &[10.0, 10.0, 10.0, 0.0, 0.0, 0.1, 0.1, 0.1, 0.1, 0.1],
    );
    let end = vec![2e3, 2e3, 2e3, 0.0, 0.0, 10.0, 10.0, 10.0, 0.1, 0.1];
    Ok(Problem::new(Machine::new(system)?, STAGES, start.clone())?
        .running_cost("state", StateResidual::new(goal.clone()), running)?
        .running_cost(
            "input",
            InputResidual::of_size(2),
            weighted(TIME_STEP, &[0.05; 2]),
        )?
        .terminal_cost("end", StateResidual::new(goal.clone()), end)?)
}

/// A place of the finger beside the box: beside the middle of the side that is best pushed.
fn beside(goal: &[f64; 3]) -> [f64; 2] {
    let [x, y, _] = *goal;
    if x.abs() / HALF[0] > y.abs() / HALF[1] {
        [-x.signum() * (HALF[0] + 2.0 * FINGER), 0.0]
    } else {
        [0.0, -y.signum() * (HALF[1] + 2.0 * FINGER)]
    }
}

/// To random targets, each from zero inputs.
pub fn solve(settings: &Settings) -> Result<Outcome, Failure> {
    let truth = machine(1e-3, 0.0)?;
    let variations = [0.1, 0.05, 0.02, 0.01, 0.005].map(|length| machine(0.05, length));
    let variations: Vec<_> = variations.into_iter().collect::<Result<_, _>>()?;
    let mut outcome = Outcome::new("box pushing");
    for seed in 0..settings.seeds(100) {
        let mut random = settings.random(seed);
        let target = [
            random.between(-0.3, 0.3),
            random.between(-0.3, 0.3),
            random.between(-0.5, 0.5),
        ];
        let mut start = truth.initial_state();
        let finger = beside(&target);
        start.q.as_mut_slice()[3..].copy_from_slice(&finger);
        let mut goal = start.clone();
        goal.q.as_mut_slice()[..3].copy_from_slice(&target);
        let mut options = SolverOptions::default();
        options.max_iterations = 60;
        options.tolerance = 1e-6;
        options.threads = settings.threads;
        let mut solver = Solver::new(problem(&variations[0], &start, &goal)?, options)?;
        let begin = Instant::now();
        let annealed = solve_annealed(&mut solver, &variations, &truth)?;
        let seconds = begin.elapsed().as_secs_f64();
        let end = &solver.states()[STAGES].q;
        let away = (end[0] - target[0]).hypot(end[1] - target[1]);
        let turned = (end[2] - target[2]).abs().to_degrees();
        let solved = away < 0.01 && turned < 3.0;
        let note = format!("{:.1} mm and {turned:.2}° from the target", 1e3 * away);
        outcome.add(&annealed, seconds, solved, &note);
        outcome.keep(&truth, &solver);
    }
    Ok(outcome)
}
