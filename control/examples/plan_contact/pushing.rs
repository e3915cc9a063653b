//! A finger pushes a box over a table to a pose.
//!
//! Half sizes of 0.5 m and 0.25 m, 1 kg, friction 0.5 between finger and box, and a table that brakes the box like oil. 100
//! stages of 0.02 s. Targets are random.
//!
//! A plan does not change the side from which it pushes, if it can do without. So places beside the box from which to start are
//! tried in turn, the most promising first, until a plan arrives on the machine itself.

use crate::machine::{dynamics, in_steps};
use crate::outcome::{Failure, Outcome, Settings, weighted};
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{RigidBodySystem, State, SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody_control::{
    Annealed, InputResidual, Machine, Problem, Solver, SolverOptions, StateResidual, solve_annealed,
};
use nalgebra::Vector3;
use std::time::Instant;

const STAGES: usize = 100;
const TIME_STEP: f64 = 0.02;
const HALF: [f64; 2] = [0.5, 0.25];
const FINGER: f64 = 0.05;
const FRICTION: f64 = 0.5;
/// How the table brakes the place and the turn of the box, N·s/m and N·m·s.
const OIL: [f64; 3] = [5.0, 5.0, 0.8];
/// How many places to start from are tried.
const STARTS: usize = 8;

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
    tree.set_damping(table, &OIL)?;
    let along = |axis| JointKind::Prismatic { axis };
    let x = tree.add_joint("x", along(Vector3::x()), BodyIndex::WORLD, here, carriage)?;
    let y = tree.add_joint("y", along(Vector3::y()), carriage, here, finger)?;
    tree.set_damping(x, &[0.5])?;
    tree.set_damping(y, &[0.5])?;
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(1000.0, 1.0, FRICTION)?;
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

/// Places of the finger beside the box from which to start, those first from which a steady push comes nearest to the goal.
fn places(goal: &[f64; 3]) -> Vec<[f64; 2]> {
    let mut places = Vec::new();
    for (axis, sign) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)] {
        for along in [-0.8, 0.0, 0.8] {
            let mut point = [0.0; 2];
            point[axis] = sign * HALF[axis];
            point[1 - axis] = along * HALF[1 - axis];
            let mut normal = [0.0; 2];
            normal[axis] = -sign;
            let mut place = point;
            place[axis] += sign * 2.0 * FINGER;
            places.push((left_by_push(goal, point, normal), place));
        }
    }
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    places.into_iter().map(|(_, place)| place).collect()
}

/// The squared distance to a goal, of place and turn, that the best steady push is left with, if it acts at a point of the box along
/// its normal or within friction, while the table brakes like oil.
fn left_by_push(goal: &[f64; 3], [x, y]: [f64; 2], [nx, ny]: [f64; 2]) -> f64 {
    // Half-way, the box has turned by half the angle.
    let (sin, cos) = (0.5 * goal[2]).sin_cos();
    let way = Vector3::new(
        cos * goal[0] + sin * goal[1],
        cos * goal[1] - sin * goal[0],
        goal[2],
    );
    let motion = |side: f64| {
        let (fx, fy) = (nx - side * FRICTION * ny, ny + side * FRICTION * nx);
        Vector3::new(fx / OIL[0], fy / OIL[1], (x * fy - y * fx) / OIL[2])
    };
    // The forces in friction are sums of those at its limits.
    let (one, other) = (motion(1.0), motion(-1.0));
    let alone = |a: &Vector3<f64>| way - a * (way.dot(a) / a.dot(a)).max(0.0);
    let mut left = alone(&one).norm_squared().min(alone(&other).norm_squared());
    let across = one.cross(&other);
    let parts = [way.cross(&other).dot(&across), one.cross(&way).dot(&across)];
    if parts.iter().all(|part| *part >= 0.0) {
        left = left.min((way.dot(&across)).powi(2) / across.norm_squared());
    }
    left
}

/// A plan, with how far it ends from a target, in m and degrees.
struct Push {
    solver: Solver<Machine>,
    annealed: Annealed,
    away: f64,
    turned: f64,
}

/// Plans from zero inputs, with the finger at a place.
fn push_from(
    settings: &Settings,
    (variations, truth): (&[Machine], &Machine),
    place: [f64; 2],
    target: [f64; 3],
) -> Result<Push, Failure> {
    let mut start = truth.system().initial_state();
    start.q.as_mut_slice()[3..].copy_from_slice(&place);
    let mut goal = start.clone();
    goal.q.as_mut_slice()[..3].copy_from_slice(&target);
    let mut options = SolverOptions::default();
    options.max_iterations = 60;
    options.tolerance = 1e-5;
    options.threads = settings.threads;
    let mut solver = Solver::new(problem(variations[0].system(), &start, &goal)?, options)?;
    let annealed = solve_annealed(&mut solver, variations, truth)?;
    let end = &solver.states()[STAGES].q;
    Ok(Push {
        away: (end[0] - target[0]).hypot(end[1] - target[1]),
        turned: (end[2] - target[2]).abs().to_degrees(),
        annealed,
        solver,
    })
}

/// To random targets, each from zero inputs.
pub fn solve(settings: &Settings) -> Result<Outcome, Failure> {
    let truth = dynamics(&machine(1e-3, 0.0)?)?;
    let lengths = [0.1, 0.05, 0.02, 0.01, 0.005];
    let variations = lengths.map(|length| dynamics(&machine(0.05, length)?));
    let variations: Vec<_> = variations.into_iter().collect::<Result<_, _>>()?;
    let mut outcome = Outcome::new("box pushing", settings);
    for seed in settings.seeds(100) {
        let mut random = settings.random(seed);
        let target = [
            random.between(-0.3, 0.3),
            random.between(-0.3, 0.3),
            random.between(-0.5, 0.5),
        ];
        let begin = Instant::now();
        let mut iterations = 0;
        for (starts, place) in (1..).zip(places(&target).into_iter().take(STARTS)) {
            let push = push_from(settings, (&variations, &truth), place, target)?;
            let Push { away, turned, .. } = push;
            iterations += push.annealed.iterations();
            let solved = away < 0.01 && turned < 3.0;
            if solved || starts == STARTS {
                let note = format!(
                    "{:.1} mm and {turned:.2}° from the target, from the {starts}. start, after {iterations} iterations",
                    1e3 * away
                );
                let seconds = begin.elapsed().as_secs_f64();
                outcome.add(&push.annealed, iterations, seconds, solved, &note);
                outcome.keep(&push.solver, &push.annealed.history)?;
                break;
            }
        }
    }
    Ok(outcome)
}
