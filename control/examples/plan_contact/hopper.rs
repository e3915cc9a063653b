//! A hopper of one leg in a plane hops 0.5 m forward in 2 s.
//!
//! A torso of 1 kg, a leg of 0.4 m and 0.2 kg, a foot of 0.1 kg with a ball at heel and toe; motors in knee and ankle. 40
//! stages of 0.05 s, 800 N/m, friction 1. Running weights are a tenth of those of published work, so that where it ends counts for
//! more than how it gets there, and the place at the end has ten times the weight.

use crate::machine::{dynamics, in_steps};
use crate::outcome::{Failure, Outcome, Settings, weighted};
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{RigidBodySystem, State, SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody_control::{
    GapClosing, InputResidual, Machine, Problem, Solver, SolverOptions, StateResidual,
    solve_annealed,
};
use nalgebra::Vector3;
use std::time::Instant;

const STAGES: usize = 40;
const TIME_STEP: f64 = 0.05;
/// Height and place of the torso, its tilt, knee and ankle.
const START: [f64; 5] = [0.61, 0.0, 0.3, -0.5, 0.2];
const WAY: f64 = 0.5;

/// The machine, with a stiction tolerance in m/s, a force over a length in m, and the length of a step in s.
pub fn machine(
    tolerance: f64,
    length: f64,
    time_step: f64,
) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let part = |mass: f64, center: [f64; 3], moment: f64| SpatialInertia {
        center_of_mass: center.into(),
        ..SpatialInertia::principal(mass, Vector3::repeat(moment))
    };
    let torso = tree.add_body("torso", part(1.0, [0.0; 3], 0.013))?;
    let leg = tree.add_body("leg", part(0.2, [0.0, 0.0, -0.2], 0.01))?;
    let foot = tree.add_body("foot", part(0.1, [0.05, 0.0, 0.0], 0.005))?;
    // Angles lean back, towards −x, where they are positive.
    let plane = JointKind::Planar {
        x_axis: Vector3::z(),
        y_axis: -Vector3::x(),
    };
    let hinge = JointKind::Continuous {
        axis: -Vector3::y(),
    };
    let at = |x: f64, z: f64| RigidTransform::from_translation(Vector3::new(x, 0.0, z));
    tree.add_joint("base", plane, BodyIndex::WORLD, at(0.0, 0.0), torso)?;
    let knee = tree.add_joint("knee", hinge, torso, at(0.0, -0.2), leg)?;
    let ankle = tree.add_joint("ankle", hinge, leg, at(0.0, -0.4), foot)?;
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(800.0, 10.0, 1.0)?;
    for (name, body, shape, pose_in_body) in [
        ("heel", foot, Shape::new_sphere(0.03)?, at(-0.05, 0.0)),
        ("toe", foot, Shape::new_sphere(0.03)?, at(0.15, 0.0)),
        ("floor", BodyIndex::WORLD, Shape::HalfSpace, at(0.0, 0.0)),
    ] {
        let name = name.into();
        let material = soft;
        contact.add_geometry(CollisionGeometry {
            name,
            body,
            pose_in_body,
            shape,
            material,
        })?;
    }
    contact.set_pair_material("heel", "floor", soft)?;
    contact.set_pair_material("toe", "floor", soft)?;
    let contact = contact.finish(&tree)?;
    let motors = [
        TorqueSource::new("knee", &tree, knee, 1.0, None)?,
        TorqueSource::new("ankle", &tree, ankle, 1.0, None)?,
    ];
    let mut options = SystemOptions::default();
    options.contact_solver.stiction_tolerance = tolerance;
    // Trial steps that are hard to make are given up soon.
    options.contact_solver.max_total_iterations = 2000;
    options.max_turn = f64::INFINITY;
    let system = RigidBodySystem::new(tree, contact)?
        .with_options(options)?
        .with_actuators(motors)?;
    in_steps(system, time_step, length)
}

/// Where the hopper is to be at each stage.
fn nominal(start: &State<f64>) -> Vec<State<f64>> {
    let at = |k: usize| {
        let mut state = start.clone();
        state.q[1] = -WAY * k as f64 / STAGES as f64;
        if k > 0 {
            state.v[1] = -WAY / (STAGES as f64 * TIME_STEP);
        }
        state
    };
    (0..=STAGES).map(at).collect()
}

fn problem(system: &TimeSteppingRigidBodySystem<f64>) -> Result<Problem<Machine>, Failure> {
    let mut start = system.initial_state();
    start.q.copy_from_slice(&START);
    let nominal = nominal(&start);
    let last = nominal[STAGES].clone();
    let running = weighted(2.0 * TIME_STEP, &[[0.1; 5], [0.01; 5]].concat());
    let end = weighted(2.0, &[[10.0, 100.0, 10.0, 10.0, 10.0], [1.0; 5]].concat());
    let effort = weighted(2.0 * TIME_STEP, &[0.01, 0.01]);
    Ok(Problem::new(Machine::new(system)?, STAGES, start)?
        .running_cost("state", StateResidual::tracking(nominal)?, running)?
        .running_cost("input", InputResidual::of_size(2), effort)?
        .terminal_cost("end", StateResidual::new(last), end)?)
}

/// From zero inputs along the line from start to target, then from random ones.
pub fn solve(settings: &Settings) -> Result<Outcome, Failure> {
    let truth = dynamics(&machine(1e-3, 0.0, TIME_STEP)?)?;
    let lengths = [0.03, 0.01, 0.003];
    let variations = lengths.map(|length| dynamics(&machine(0.05, length, TIME_STEP)?));
    let variations: Vec<_> = variations.into_iter().collect::<Result<_, _>>()?;
    let mut outcome = Outcome::new("hopper", settings);
    for seed in settings.seeds(8) {
        let mut options = SolverOptions::default();
        options.tolerance = 1e-4;
        options.gap_closing = GapClosing::Line;
        options.threads = settings.threads;
        let problem = problem(variations[0].system())?;
        let mut random = settings.random(seed);
        let scale = if seed == 0 { 0.0 } else { 0.3 };
        let inputs: Vec<Vec<f64>> = (0..STAGES)
            .map(|_| (0..2).map(|_| scale * random.normal()).collect())
            .collect();
        let guess = nominal(problem.initial());
        let mut solver = Solver::from_trajectory(problem, options, &guess, &inputs)?;
        let begin = Instant::now();
        let annealed = match solve_annealed(&mut solver, &variations, &truth) {
            Ok(annealed) => annealed,
            Err(error) => {
                outcome.add_failed(&error, begin.elapsed());
                continue;
            }
        };
        let seconds = begin.elapsed().as_secs_f64();
        let end = &solver.states()[STAGES];
        let (way, height) = (-end.q[1], end.q[0]);
        let is_there = (way - WAY).abs() < 0.1 && (height - START[0]).abs() < 0.1;
        let solved = is_there && annealed.is_motion();
        outcome.add(
            &annealed,
            annealed.iterations(),
            seconds,
            solved,
            &format!("{way:.3} m far, {height:.3} m high"),
        );
        outcome.keep(&solver, &annealed.history)?;
    }
    Ok(outcome)
}
