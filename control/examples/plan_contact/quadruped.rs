//! A quadruped of 19.6 kg stands, trots in place and jumps, by torques of its twelve motors.
//!
//! 20 stages of 0.05 s, 2000 N/m, friction 1. In the closed loop it plans 60 times a second, and the plant has steps of 2 ms,
//! other masses, stiffness and friction, and is pushed.

use crate::gait::{LINK, Leg, Trot};
use crate::outcome::{Failure, Outcome, Random, Settings, weighted};
use dualbody::Parameters;
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{RigidBodySystem, State, SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody_control::{
    GapClosing, InputResidual, Machine, Mpc, Problem, Solver, SolverOptions, StateResidual,
};
use nalgebra::{Matrix3, Vector3};
use std::time::Instant;

const STAGES: usize = 20;
const TIME_STEP: f64 = 0.05;
const PLANT_STEP: f64 = 0.002;
const RATE: f64 = 60.0;
const LEGS: [(&str, f64, f64); 4] = [
    ("FL", 1.0, 1.0),
    ("FR", 1.0, -1.0),
    ("HL", -1.0, 1.0),
    ("HR", -1.0, -1.0),
];
/// Pitch of the hips, where it stands and where it crouches.
const HIP: f64 = 0.8;
const CROUCH: f64 = 1.25;
const FOOT: f64 = 0.02;
const LIMIT: f64 = 40.0;
/// How long a stride takes, s.
const STRIDE: f64 = 0.5;
/// How far feet sink in where all carry, m.
const SINK: f64 = 19.6 * 9.81 / (4.0 * 2000.0);

/// What it is to do.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Task {
    Stand,
    Trot,
}

/// The machine in steps of this length in s.
pub fn machine(time_step: f64) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = |mass: f64, center: f64, moments: [f64; 3]| SpatialInertia {
        mass,
        center_of_mass: Vector3::new(0.0, 0.0, center),
        rotational_inertia: Matrix3::from_diagonal(&moments.into()),
    };
    let trunk = tree.add_body("trunk", inertia(12.0, 0.0, [0.0769, 0.2644, 0.3125]))?;
    let at = |x: f64, y: f64, z: f64| RigidTransform::from_translation(Vector3::new(x, y, z));
    let mut motors = Vec::new();
    let mut feet = Vec::new();
    for (leg, front, left) in LEGS {
        let name = |part: &str| format!("{leg}_{part}");
        let hip = tree.add_body(name("hip"), inertia(0.7, 0.0, [5e-4, 7e-4, 5e-4]))?;
        let thigh = tree.add_body(name("thigh"), inertia(1.0, -0.11, [4.13e-3, 4.13e-3, 2e-4]))?;
        let shank = tree.add_body(name("shank"), inertia(0.2, -0.11, [8.1e-4, 8.1e-4, 1.4e-5]))?;
        let about = |axis| JointKind::Continuous { axis };
        let joints = [
            (
                "roll",
                Vector3::x(),
                trunk,
                at(0.22 * front, 0.06 * left, 0.0),
                hip,
            ),
            ("pitch", Vector3::y(), hip, at(0.0, 0.09 * left, 0.0), thigh),
            ("knee", Vector3::y(), thigh, at(0.0, 0.0, -LINK), shank),
        ];
        for (part, axis, parent, pose, child) in joints {
            let joint = tree.add_joint(name(part), about(axis), parent, pose, child)?;
            tree.set_damping(joint, &[0.1])?;
            motors.push((name(part), joint));
        }
        feet.push((name("foot"), shank));
    }
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(2000.0, 1.0, 1.0)?;
    let mut add = |name: &str, body, pose_in_body, shape| {
        let (name, material) = (name.into(), soft);
        contact.add_geometry(CollisionGeometry {
            name,
            body,
            pose_in_body,
            shape,
            material,
        })
    };
    add(
        "floor",
        BodyIndex::WORLD,
        RigidTransform::identity(),
        Shape::HalfSpace,
    )?;
    for (name, body) in &feet {
        add(name, *body, at(0.0, 0.0, -LINK), Shape::new_sphere(FOOT)?)?;
    }
    for (i, (name, _)) in feet.iter().enumerate() {
        contact.set_pair_material(name, "floor", soft)?;
        for (other, _) in &feet[..i] {
            contact.exclude(name, other)?;
        }
    }
    let contact = contact.finish(&tree)?;
    let motors: Vec<_> = (motors.into_iter())
        .map(|(name, joint)| TorqueSource::new(name, &tree, joint, 1.0, None))
        .collect::<Result<_, _>>()?;
    let mut options = SystemOptions::default();
    options.contact_solver.stiction_tolerance = 0.01;
    options.max_turn = f64::INFINITY;
    let system = RigidBodySystem::new(tree, contact)?
        .with_options(options)?
        .with_actuators(motors)?;
    Ok(TimeSteppingRigidBodySystem::compliant(system, time_step)?)
}

/// On its feet, with that pitch of its hips.
fn on_feet(system: &TimeSteppingRigidBodySystem<f64>, pitch: f64) -> Result<State<f64>, Failure> {
    let mut state = system.initial_state();
    let height = 2.0 * LINK * pitch.cos() + FOOT - SINK;
    system.set_body_position(&mut state, "trunk", Vector3::new(0.0, 0.0, height))?;
    for (leg, ..) in LEGS {
        system.set_joint_position(&mut state, &format!("{leg}_pitch"), &[pitch])?;
        system.set_joint_position(&mut state, &format!("{leg}_knee"), &[-2.0 * pitch])?;
    }
    Ok(state)
}

/// The reference of a trot in place.
fn trotting(system: &TimeSteppingRigidBodySystem<f64>) -> Result<Trot, Failure> {
    let stand = on_feet(system, HIP)?;
    let tree = system.tree();
    let mut legs = Vec::new();
    for (leg, front, left) in LEGS {
        let joint = |part| tree.joint(tree.joint_by_name(&format!("{leg}_{part}"))?);
        let (pitch, knee) = (joint("pitch")?, joint("knee")?);
        legs.push(Leg {
            positions: [pitch.position_start(), knee.position_start()],
            velocities: [pitch.velocity_start(), knee.velocity_start()],
            // Diagonal pairs in turn.
            phase: if front == left { 0.0 } else { 0.5 },
        });
    }
    Ok(Trot {
        hips: stand.q[6],
        reference: stand.clone(),
        stand,
        legs,
        // Between where all carry and where two do.
        carrying: FOOT - 1.5 * SINK,
        lift: 0.08,
        period: STRIDE,
        swing: 0.45,
    })
}

fn problem(
    system: &TimeSteppingRigidBodySystem<f64>,
    task: Task,
) -> Result<Problem<Machine>, Failure> {
    let stand = on_feet(system, HIP)?;
    let machine = Machine::new(system)?;
    let nv = system.tree().num_velocities();
    // Knees hold the lengths of legs; hips are free to step aside.
    let mut weights = vec![0.0; 2 * nv];
    for joint in system.tree().joints() {
        let k = joint.velocity_start();
        let (q, v): (&[f64], &[f64]) = match joint.name() {
            _ if joint.num_velocities() == 6 => (
                &[100.0, 100.0, 20.0, 20.0, 20.0, 100.0],
                &[1.0, 1.0, 1.0, 5.0, 5.0, 1.0],
            ),
            name if name.ends_with("knee") => (&[5.0], &[0.02]),
            _ => (&[2.0], &[0.02]),
        };
        weights[k..k + q.len()].copy_from_slice(q);
        weights[nv + k..nv + k + v.len()].copy_from_slice(v);
    }
    let running = weighted(TIME_STEP, &weights);
    let effort = vec![2e-4 * TIME_STEP; 12];
    let problem = Problem::new(machine, STAGES, stand.clone())?
        .running_cost("input", InputResidual::of_size(12), effort)?
        .input_limits(vec![-LIMIT; 12], vec![LIMIT; 12])?;
    Ok(match task {
        Task::Stand => problem
            .running_cost("state", StateResidual::new(stand.clone()), running)?
            .terminal_cost("end", StateResidual::new(stand), weights)?,
        Task::Trot => problem
            .running_cost("state", trotting(system)?, running)?
            .terminal_cost("end", trotting(system)?, weights)?,
    })
}

/// A solver from zero inputs and guesses of the states, between which there are gaps.
fn from_guess(
    problem: Problem<Machine>,
    options: SolverOptions,
    guess: impl Fn(usize) -> State<f64>,
) -> Result<Solver<Machine>, Failure> {
    let states: Vec<_> = (0..=STAGES).map(guess).collect();
    let inputs = vec![vec![0.0; 12]; STAGES];
    Ok(Solver::from_trajectory(problem, options, &states, &inputs)?)
}

/// A plant with other masses, stiffness and friction, each by up to 10 %.
fn plant(random: &mut Random) -> Result<Machine, Failure> {
    let mut system = machine(PLANT_STEP)?;
    let mut names = vec!["body/trunk/mass".to_owned()];
    for (leg, ..) in LEGS {
        names.push(format!("body/{leg}_thigh/mass"));
        for constant in ["stiffness", "friction"] {
            names.push(format!("pair/floor|{leg}_foot/{constant}"));
        }
    }
    for name in names {
        let name = match system.parameter(&name) {
            Ok(_) => name,
            Err(_) => name.replace("floor|", "").replace("_foot/", "_foot|floor/"),
        };
        let value = system.parameter(&name)?;
        system.set_parameter(&name, value * random.between(0.9, 1.1))?;
    }
    Ok(Machine::new(&system)?)
}

/// How many strides there were, and in how many of them every foot was lifted by a centimetre.
fn strides(
    system: &TimeSteppingRigidBodySystem<f64>,
    states: &[State<f64>],
) -> Result<(usize, usize), Failure> {
    let foot = Vector3::new(0.0, 0.0, -LINK);
    let (mut all, mut lifted) = (0, 0);
    for stride in states.chunks_exact((STRIDE / PLANT_STEP) as usize) {
        let mut highest = [f64::NEG_INFINITY; 4];
        for state in stride {
            for ((leg, ..), highest) in LEGS.iter().zip(&mut highest) {
                let shank = system.body_pose(state, &format!("{leg}_shank"))?;
                *highest = highest.max(shank.transform_point(&foot).z - FOOT);
            }
        }
        all += 1;
        lifted += usize::from(highest.iter().all(|height| *height > 0.01));
    }
    Ok((all, lifted))
}

/// Plans take as long as there is from one to the next, and are made for then.
fn closed_loop(settings: &Settings, task: Task, name: &'static str) -> Result<Outcome, Failure> {
    let model = machine(TIME_STEP)?;
    let start = match task {
        Task::Stand => on_feet(&model, CROUCH)?,
        Task::Trot => on_feet(&model, HIP)?,
    };
    let mut outcome = Outcome::new(name, settings);
    let seconds = if settings.quick { 1.0 } else { 10.0 };
    for seed in settings.seeds(20) {
        let mut random = settings.random(seed);
        let mut options = SolverOptions::default();
        options.threads = settings.threads;
        options.max_iterations = 50;
        options.tolerance = 1e-4;
        let mut solver = from_guess(problem(&model, task)?, options, |_| start.clone())?;
        solver.set_initial(&start);
        let begin = Instant::now();
        let first = solver.solve()?;
        let first_time = begin.elapsed().as_secs_f64();
        options.max_iterations = 2;
        // A rollout from a crouch may fall; in a trot the gaps that a line leaves after two iterations are large.
        if task == Task::Stand {
            options.gap_closing = GapClosing::Line;
            options.gap_growth = 1.0;
        }
        solver.set_options(options)?;
        let mut mpc = Mpc::new(solver);
        mpc.set_delay(1.0 / RATE)?;
        let mut plant = plant(&mut random)?;
        let steps = (seconds / PLANT_STEP) as usize;
        let every = (2.0 / PLANT_STEP) as usize;
        let push = |step: usize, state: &mut State<f64>| {
            if step % every == every / 2 {
                state.v[3] += random.between(-0.4, 0.4);
                state.v[4] += random.between(-0.4, 0.4);
            }
        };
        let run = mpc.run(&mut plant, &start, steps, 1.0 / RATE, push, Clone::clone)?;
        // From where it is to have stood up.
        let lowest = (run.states.iter().skip((0.8 / PLANT_STEP) as usize))
            .map(|state| state.q[6])
            .fold(f64::INFINITY, f64::min);
        let fell = run.failure.is_some() || lowest < 0.2;
        let (all, lifted) = strides(&model, &run.states)?;
        // A step aside after a push may come instead of one.
        let steps_as_asked = task == Task::Stand || 10 * lifted >= 9 * all;
        let end = &run.states[run.states.len() - 1];
        println!(
            "  seed {seed}: first plan {} ({} iterations, {:.1} ms each), trunk never below {lowest:.3} m, at the end \
             {:.3} m from its place; all feet lifted in {lifted} of {all} strides; plans of {:.1} ms, the slowest {:.1} ms{}",
            first.ending,
            first.iterations,
            1e3 * first_time / first.iterations.max(1) as f64,
            end.q[4].hypot(end.q[5]),
            1e3 / run.rate(),
            1e3 * run.slowest().as_secs_f64(),
            match &run.failure {
                Some(error) => format!("; ended: {error}"),
                None => String::new(),
            }
        );
        let iterations = run.reports.iter().map(|report| report.iterations).sum();
        let solved = !fell && steps_as_asked;
        outcome.add_plain(first.cost, iterations, run.times.iter().sum(), solved);
        outcome.add_run(&run, fell);
        outcome.keep_states(&machine(PLANT_STEP)?, &run.states, &run.inputs)?;
    }
    Ok(outcome)
}

/// Stands up from a crouch, and stays so in spite of pushes.
pub fn stand(settings: &Settings) -> Result<Outcome, Failure> {
    closed_loop(settings, Task::Stand, "quadruped stands up")
}

/// Trots in place in spite of pushes.
pub fn trot(settings: &Settings) -> Result<Outcome, Failure> {
    closed_loop(settings, Task::Trot, "quadruped trots in place")
}

/// Jumps by 0.2 m.
pub fn jump(settings: &Settings) -> Result<Outcome, Failure> {
    const HEIGHT: f64 = 0.2;
    let model = machine(TIME_STEP)?;
    let stand = on_feet(&model, HIP)?;
    let mut outcome = Outcome::new("quadruped jumps 0.2 m", settings);
    // Down, up to the height at stage 12, and back.
    let reference = |k: usize| {
        let mut state = stand.clone();
        if (8..=16).contains(&k) {
            let t = (k as f64 - 12.0) / 4.0;
            state.q[6] += HEIGHT * (1.0 - t * t);
        }
        state
    };
    let references: Vec<_> = (0..=STAGES).map(reference).collect();
    for seed in settings.seeds(1) {
        let mut weights = vec![0.0; 2 * model.tree().num_velocities()];
        weights[..6].copy_from_slice(&[20.0, 20.0, 20.0, 5.0, 5.0, 20000.0].map(|w| w * TIME_STEP));
        let problem = problem(&model, Task::Stand)?.running_cost(
            "height",
            StateResidual::tracking(references.clone())?,
            weights,
        )?;
        let mut options = SolverOptions::default();
        options.threads = settings.threads;
        options.max_iterations = 200;
        options.tolerance = 1e-6;
        let mut solver = from_guess(problem, options, reference)?;
        let begin = Instant::now();
        let report = solver.solve()?;
        let time = begin.elapsed();
        let highest = solver.states().iter().map(|s| s.q[6]).fold(0.0, f64::max) - stand.q[6];
        let end = solver.states()[STAGES].q[6] - stand.q[6];
        println!(
            "  seed {seed}: {} at {highest:.3} m, back at {end:.3} m",
            report.ending
        );
        let solved = highest > 0.95 * HEIGHT && end.abs() < 0.05;
        outcome.add_plain(report.cost, report.iterations, time, solved);
        outcome.keep(&solver, solver.history())?;
    }
    Ok(outcome)
}
