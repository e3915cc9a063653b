//! A pole on a cart between soft walls is caught before it falls, where pushing off a wall is cheaper.
//!
//! A cart of 1 kg, a pole of 0.8 m with 0.1 kg at its end, walls of 200 N/m on both sides of the tip. 100 stages of 0.02 s.

use crate::machine::{dynamics, in_steps};
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
/// Where the walls are, m to both sides.
const WALL: f64 = 0.45;
const TIP: f64 = 0.03;

/// The machine, with or without walls, with a force over a length in m.
fn machine(has_walls: bool, length: f64) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let cart = tree.add_body(
        "cart",
        SpatialInertia::solid_box(1.0, &Vector3::new(0.2, 0.1, 0.1)),
    )?;
    let end = Vector3::new(0.0, 0.0, 0.8);
    let pole = tree.add_body("pole", SpatialInertia::point_mass(0.1, end))?;
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    let here = RigidTransform::identity();
    let rail = tree.add_joint("rail", rail, BodyIndex::WORLD, here, cart)?;
    tree.add_joint("hinge", hinge, cart, here, pole)?;
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(200.0, 0.5, 0.0)?;
    let mut add = |name: &str, body, pose_in_body, shape| {
        let name = name.into();
        let material = soft;
        contact.add_geometry(CollisionGeometry {
            name,
            body,
            pose_in_body,
            shape,
            material,
        })
    };
    add(
        "tip",
        pole,
        RigidTransform::from_translation(end),
        Shape::new_sphere(TIP)?,
    )?;
    if has_walls {
        for (name, side) in [("left", -1.0), ("right", 1.0)] {
            // A half space that looks inwards.
            let turn = Vector3::y() * (-side * std::f64::consts::FRAC_PI_2);
            let rotation = dualbody::math::rotation::exp(&turn);
            let pose = RigidTransform::new(rotation, Vector3::new(side * WALL, 0.0, 0.0));
            add(name, BodyIndex::WORLD, pose, Shape::HalfSpace)?;
        }
        contact.set_pair_material("tip", "left", soft)?;
        contact.set_pair_material("tip", "right", soft)?;
    }
    let contact = contact.finish(&tree)?;
    let motor = TorqueSource::new("motor", &tree, rail, 1.0, None)?;
    let mut options = SystemOptions::default();
    options.max_turn = f64::INFINITY;
    let system = RigidBodySystem::new(tree, contact)?
        .with_options(options)?
        .with_actuators([motor])?;
    in_steps(system, TIME_STEP, length)
}

fn problem(
    system: &TimeSteppingRigidBodySystem<f64>,
    start: &State<f64>,
) -> Result<Problem<Machine>, Failure> {
    let upright = system.initial_state();
    let running = weighted(TIME_STEP, &[1.0, 5.0, 0.1, 0.1]);
    Ok(Problem::new(Machine::new(system)?, STAGES, start.clone())?
        .running_cost("state", StateResidual::new(upright.clone()), running)?
        .running_cost(
            "input",
            InputResidual::of_size(1),
            weighted(TIME_STEP, &[0.5]),
        )?
        .terminal_cost(
            "end",
            StateResidual::new(upright),
            vec![20.0, 50.0, 10.0, 10.0],
        )?
        .input_limits(vec![-10.0], vec![10.0])?)
}

/// From zero inputs, for starts that move faster and faster; solved where the plan ends upright, pushes off a wall, and costs
/// less than the best that was found without walls.
pub fn solve(settings: &Settings) -> Result<Outcome, Failure> {
    let (truth, open) = (machine(true, 0.0)?, machine(false, 0.0)?);
    let lengths = [0.05, 0.025, 0.0125, 0.006, 0.003, 0.0015, 0.001];
    let variations = lengths.map(|length| dynamics(&machine(true, length)?));
    let variations: Vec<_> = variations.into_iter().collect::<Result<_, _>>()?;
    let on_truth = dynamics(&truth)?;
    let mut outcome = Outcome::new("cart-pole between soft walls", settings);
    for seed in settings.seeds(8) {
        let mut options = SolverOptions::default();
        options.max_iterations = 200;
        options.tolerance = 1e-7;
        options.threads = settings.threads;
        let mut start = truth.initial_state();
        start.q[1] = 0.1;
        start.v[1] = 1.0 + 0.1 * seed as f64;
        // Standing upright, which no inputs lead to: what the pole does without any, it falls and turns, leads nowhere.
        let upright = vec![truth.initial_state(); STAGES + 1];
        let inputs = vec![vec![0.0]; STAGES];
        let begin_with = |problem| Solver::from_trajectory(problem, options, &upright, &inputs);
        let mut without = begin_with(problem(&open, &start)?)?;
        let cost_without = without.solve()?.cost;
        let mut solver = begin_with(problem(variations[0].system(), &start)?)?;
        let begin = Instant::now();
        let annealed = solve_annealed(&mut solver, &variations, &on_truth)?;
        let seconds = begin.elapsed().as_secs_f64();
        let reach = |state: &State<f64>| (state.q[0] + 0.8 * state.q[1].sin()).abs() + TIP;
        let deepest = solver.states().iter().map(reach).fold(0.0, f64::max) - WALL;
        let end = &solver.states()[STAGES];
        let is_there = end.q[1].abs() < 0.1 && deepest > 0.0;
        let solved = is_there && annealed.cost < cost_without && annealed.is_motion();
        let note = format!(
            "from {:.2} rad/s, {:.1} mm into the wall, pole at {:.3} rad, {:.3} without walls",
            start.v[1],
            1e3 * deepest.max(0.0),
            end.q[1],
            cost_without
        );
        outcome.add(&annealed, annealed.iterations(), seconds, solved, &note);
        outcome.keep(&solver, &annealed.history)?;
    }
    Ok(outcome)
}
