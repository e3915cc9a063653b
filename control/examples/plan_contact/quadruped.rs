//! A quadruped of 19.6 kg stands, trots in place and jumps, by torques of its twelve motors.
//!
//! 20 stages of 0.05 s, 2000 N/m, friction 1. In the closed loop it plans 60 times a second, and the plant has steps of 2 ms,
//! other masses, stiffness and friction, and is pushed.

use crate::outcome::{Failure, Outcome, Random, Settings};
use dualbody::DefaultScalar;
use dualbody::Parameters;
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{RigidBodySystem, State, SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody_control::{
    ByDuals, Configuration, ControlError, InputResidual, Machine, MachineFunction, Mpc, Problem,
    Solver, SolverOptions, StateResidual,
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
const HIP: f64 = 0.8;
const KNEE: f64 = -1.6;
const FOOT: f64 = 0.02;
const LIMIT: f64 = 40.0;

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
            ("knee", Vector3::y(), thigh, at(0.0, 0.0, -0.22), shank),
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
        add(name, *body, at(0.0, 0.0, -0.22), Shape::new_sphere(FOOT)?)?;
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

/// On its feet.
fn standing(system: &TimeSteppingRigidBodySystem<f64>) -> Result<State<f64>, Failure> {
    let mut state = system.initial_state();
    let sink = 19.6 * 9.81 / (4.0 * 2000.0);
    let height = 0.44 * HIP.cos() + FOOT - sink;
    system.set_body_position(&mut state, "trunk", Vector3::new(0.0, 0.0, height))?;
    for (leg, ..) in LEGS {
        system.set_joint_position(&mut state, &format!("{leg}_pitch"), &[HIP])?;
        system.set_joint_position(&mut state, &format!("{leg}_knee"), &[KNEE])?;
    }
    Ok(state)
}

/// The heights of the feet against those of a trot in place, m.
#[derive(Debug, Clone)]
struct Trot {
    shanks: Vec<BodyIndex>,
    /// How high feet are lifted, m, and how long a stride takes, s.
    lift: f64,
    period: f64,
}

impl MachineFunction for Trot {
    fn size(&self) -> usize {
        4
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        let phase = std::f64::consts::TAU * at.state.time.re() / self.period;
        let foot = Vector3::new(T::zero(), T::zero(), T::from(-0.22));
        for (leg, (out, shank)) in out.iter_mut().zip(&self.shanks).enumerate() {
            let height = at.body_pose(*shank)?.transform_point(&foot).z;
            // Diagonal pairs in turn.
            let sign = if leg == 0 || leg == 3 { 1.0 } else { -1.0 };
            *out = height - FOOT - self.lift * (sign * phase.sin()).max(0.0);
        }
        Ok(())
    }
}

fn problem(
    system: &TimeSteppingRigidBodySystem<f64>,
    task: Task,
) -> Result<Problem<Machine>, Failure> {
    let stand = standing(system)?;
    let machine = Machine::new(system)?;
    let nv = system.tree().num_velocities();
    let (mut running, mut end) = (vec![0.0; 2 * nv], vec![0.0; 2 * nv]);
    for joint in system.tree().joints() {
        let is_base = joint.num_velocities() == 6;
        for k in joint.velocity_start()..joint.velocity_start() + joint.num_velocities() {
            let (q, v) = if is_base { (20.0, 1.0) } else { (1.0, 0.02) };
            (running[k], running[nv + k]) = (TIME_STEP * q, TIME_STEP * v);
            (end[k], end[nv + k]) = (q, v);
        }
    }
    let effort = vec![2e-4 * TIME_STEP; 12];
    let mut problem = Problem::new(machine, STAGES, stand.clone())?
        .running_cost("state", StateResidual::new(stand.clone()), running)?
        .running_cost("input", InputResidual::of_size(12), effort)?
        .terminal_cost("end", StateResidual::new(stand), end)?
        .input_limits(vec![-LIMIT; 12], vec![LIMIT; 12])?;
    if task == Task::Trot {
        let shanks = LEGS.map(|(leg, ..)| system.tree().body_by_name(&format!("{leg}_shank")));
        let shanks = shanks.into_iter().collect::<Result<_, _>>()?;
        let trot = ByDuals::new(
            system,
            Trot {
                shanks,
                lift: 0.06,
                period: 0.6,
            },
        );
        problem = problem.running_cost("trot", trot, vec![400.0 * TIME_STEP; 4])?;
    }
    Ok(problem)
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

fn closed_loop(settings: &Settings, task: Task, name: &'static str) -> Result<Outcome, Failure> {
    let model = machine(TIME_STEP)?;
    let stand = standing(&model)?;
    let mut outcome = Outcome::new(name);
    let seconds = if settings.quick { 1.0 } else { 10.0 };
    for seed in 0..settings.seeds(20) {
        let mut random = settings.random(seed);
        let mut options = SolverOptions::default();
        options.threads = settings.threads;
        options.max_iterations = 50;
        options.tolerance = 1e-4;
        let mut solver = from_guess(problem(&model, task)?, options, |_| stand.clone())?;
        let begin = Instant::now();
        let first = solver.solve()?;
        let first_time = begin.elapsed().as_secs_f64();
        options.max_iterations = 1;
        solver.set_options(options)?;
        let mut mpc = Mpc::new(solver);
        let mut plant = plant(&mut random)?;
        let steps = (seconds / PLANT_STEP) as usize;
        let every = (2.0 / PLANT_STEP) as usize;
        let push = |step: usize, state: &mut State<f64>| {
            if step % every == every / 2 {
                state.v[3] += random.between(-0.4, 0.4);
                state.v[4] += random.between(-0.4, 0.4);
            }
        };
        let run = mpc.run(&mut plant, &stand, steps, 1.0 / RATE, push, Clone::clone)?;
        let lowest = run
            .states
            .iter()
            .map(|state| state.q[6])
            .fold(f64::INFINITY, f64::min);
        let fell = run.failure.is_some() || lowest < 0.18;
        println!(
            "  seed {seed}: first plan {} ({} iterations, {:.1} ms each), trunk never below {lowest:.3} m, \
             plans of {:.1} ms, the slowest {:.1} ms{}",
            first.ending,
            first.iterations,
            1e3 * first_time / first.iterations.max(1) as f64,
            1e3 / run.rate(),
            1e3 * run.slowest().as_secs_f64(),
            match &run.failure {
                Some(error) => format!("; ended: {error}"),
                None => String::new(),
            }
        );
        outcome.add_plain(first.cost, run.reports.len(), run.times.iter().sum(), !fell);
        outcome.add_run(&run, fell);
        outcome.keep_states(&machine(PLANT_STEP)?, &run.states, &run.inputs);
    }
    Ok(outcome)
}

/// Stands in spite of pushes.
pub fn stand(settings: &Settings) -> Result<Outcome, Failure> {
    closed_loop(settings, Task::Stand, "quadruped stands")
}

/// Trots in place in spite of pushes.
pub fn trot(settings: &Settings) -> Result<Outcome, Failure> {
    closed_loop(settings, Task::Trot, "quadruped trots in place")
}

/// Jumps by 0.2 m.
pub fn jump(settings: &Settings) -> Result<Outcome, Failure> {
    const HEIGHT: f64 = 0.2;
    let model = machine(TIME_STEP)?;
    let stand = standing(&model)?;
    let mut outcome = Outcome::new("quadruped jumps 0.2 m");
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
    for seed in 0..settings.seeds(1) {
        let mut weights = vec![0.0; 2 * model.tree().num_velocities()];
        weights[..6].copy_from_slice(&[20.0, 20.0, 20.0, 5.0, 5.0, 5000.0].map(|w| w * TIME_STEP));
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
        outcome.keep(&model, &solver);
    }
    Ok(outcome)
}
