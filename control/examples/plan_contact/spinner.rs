//! A finger of two links turns a free wheel, by 2 rad in 2 s.
//!
//! Links of 1 m and 1 kg, moving in a plane without gravity; a ball of 5 cm at the tip, and a wheel of 25 cm that it has to
//! reach over 82 mm. 40 stages of 0.05 s, 200 N/m. Costs are sums of weighted squares times the length of a stage, without ½.

use crate::machine::{dynamics, in_steps};
use crate::outcome::{Failure, Outcome, Settings, weighted};
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{RigidBodySystem, SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody_control::{
    InputResidual, Machine, Problem, Solver, SolverOptions, StateResidual, solve_annealed,
};
use nalgebra::{Matrix3, Vector3};
use std::time::Instant;

const STAGES: usize = 40;
const TIME_STEP: f64 = 0.05;
const START: [f64; 3] = [0.3, 1.5, 0.0];
const TURN: f64 = 2.0;

/// The machine, with a stiction tolerance in m/s and a force over a length in m.
pub fn machine(tolerance: f64, length: f64) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.set_gravity(Vector3::zeros())?;
    let about_center = |mass: f64, height: f64, [x, y, z]: [f64; 3]| SpatialInertia {
        mass,
        center_of_mass: Vector3::new(0.0, 0.0, height),
        rotational_inertia: Matrix3::from_diagonal(&Vector3::new(x, y, z)),
    };
    let link = about_center(1.0, 0.5, [0.0839, 0.0839, 0.00125]);
    let [first, second] = ["finger_one", "finger_two"].map(|name| tree.add_body(name, link));
    let (first, second) = (first?, second?);
    let wheel = tree.add_body("wheel", about_center(1.0, 0.0, [0.054, 0.074, 0.022]))?;
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    let at = |x: f64, z: f64| RigidTransform::from_translation(Vector3::new(x, 0.0, z));
    let joints = [
        tree.add_joint("one", hinge, BodyIndex::WORLD, at(0.0, 0.0), first)?,
        tree.add_joint("two", hinge, first, at(0.0, 1.0), second)?,
        tree.add_joint("three", hinge, BodyIndex::WORLD, at(1.5, 1.0), wheel)?,
    ];
    for joint in joints {
        tree.set_damping(joint, &[0.1])?;
    }
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(200.0, 10.0, 0.5)?;
    for (name, body, radius, height) in [("tip", second, 0.05, 0.95), ("rim", wheel, 0.25, 0.0)] {
        contact.add_geometry(CollisionGeometry {
            name: name.into(),
            body,
            pose_in_body: at(0.0, height),
            shape: Shape::new_sphere(radius)?,
            material: soft,
        })?;
    }
    contact.set_pair_material("tip", "rim", soft)?;
    let contact = contact.finish(&tree)?;
    let motors = [
        TorqueSource::new("one", &tree, joints[0], 1.0, None)?,
        TorqueSource::new("two", &tree, joints[1], 1.0, None)?,
    ];
    let mut options = SystemOptions::default();
    options.contact_solver.stiction_tolerance = tolerance;
    // Trial steps that are hard to make are given up soon.
    options.contact_solver.max_iterations = 20;
    options.max_turn = f64::INFINITY;
    let system = RigidBodySystem::new(tree, contact)?
        .with_options(options)?
        .with_actuators(motors)?;
    in_steps(system, TIME_STEP, length)
}

/// The problem on a variation of the machine.
fn problem(system: &TimeSteppingRigidBodySystem<f64>) -> Result<Problem<Machine>, Failure> {
    let mut start = system.initial_state();
    start.q.copy_from_slice(&START);
    let nominal = (0..=STAGES).map(|k| {
        let mut state = start.clone();
        state.q[2] = TURN * k as f64 / STAGES as f64;
        state
    });
    let nominal: Vec<_> = nominal.collect();
    let last = nominal[STAGES].clone();
    let running = weighted(2.0 * TIME_STEP, &[1.0, 1.0, 1.0, 0.1, 0.1, 0.1]);
    let end = weighted(2.0, &[10.0, 10.0, 10.0, 0.1, 0.1, 0.1]);
    let effort = weighted(2.0 * TIME_STEP, &[0.1, 0.1]);
    Ok(Problem::new(Machine::new(system)?, STAGES, start)?
        .running_cost("state", StateResidual::tracking(nominal)?, running)?
        .running_cost("input", InputResidual::of_size(2), effort)?
        .terminal_cost("end", StateResidual::new(last), end)?)
}

/// From zero inputs, then from random ones.
pub fn solve(settings: &Settings) -> Result<Outcome, Failure> {
    let truth = dynamics(&machine(1e-4, 0.0)?)?;
    let lengths = [0.05, 0.02, 0.01, 0.005];
    let variations = lengths.map(|length| dynamics(&machine(0.05, length)?));
    let variations: Vec<_> = variations.into_iter().collect::<Result<_, _>>()?;
    let mut outcome = Outcome::new("spinner", settings);
    for seed in settings.seeds(8) {
        let mut options = SolverOptions::default();
        options.max_iterations = 60;
        options.tolerance = 1e-6;
        let mut solver = Solver::new(problem(variations[0].system())?, options)?;
        let mut random = settings.random(seed);
        let scale = if seed == 0 { 0.0 } else { 0.1 };
        let inputs: Vec<Vec<f64>> = (0..STAGES)
            .map(|_| (0..2).map(|_| scale * random.normal()).collect())
            .collect();
        solver.set_inputs(&inputs)?;
        let begin = Instant::now();
        let annealed = solve_annealed(&mut solver, &variations, &truth)?;
        let seconds = begin.elapsed().as_secs_f64();
        let turned = solver.states()[STAGES].q[2];
        let solved = (turned - TURN).abs() < 0.2;
        outcome.add(
            &annealed,
            annealed.iterations(),
            seconds,
            solved,
            &format!("turned {turned:.3} rad"),
        );
        outcome.keep(&solver, &annealed.history)?;
    }
    Ok(outcome)
}
