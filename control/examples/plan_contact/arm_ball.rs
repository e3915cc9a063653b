//! An arm of three joints rolls a ball over the floor to a place.
//!
//! Links of 0.4 m, a tip of 3 cm, a ball of 10 cm and 0.5 kg on a carpet, whose rolling friction has an arm of 5 mm. The tip is
//! drawn to the far side of the ball, from where it pushes it, until the ball comes to rest at its place by itself. 10 stages of 0.05 s, 300 N/m, in a closed loop
//! at 100 Hz with plant steps of 5 ms.

use crate::outcome::{Failure, Outcome, Settings, weighted};
use dualbody::DefaultScalar;
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{RigidBodySystem, State, SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody_control::{
    ByDuals, Configuration, ControlError, ForceAtDistance, InputResidual, Machine, MachineFunction,
    Mpc, Problem, Solver, SolverOptions, StateResidual,
};
use nalgebra::Vector3;
use std::time::Duration;

const STAGES: usize = 10;
const TIME_STEP: f64 = 0.05;
const PLANT_STEP: f64 = 0.005;
const RADIUS: f64 = 0.1;
const TIP: f64 = 0.03;
/// Yaw, shoulder and elbow at first: the tip is over the floor behind the ball.
const ARM: [f64; 3] = [0.0, -0.227, 2.025];

fn machine(length: f64, time_step: f64) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let ball = tree.add_body("ball", SpatialInertia::solid_sphere(0.5, RADIUS))?;
    let link = |mass: f64| SpatialInertia {
        center_of_mass: Vector3::new(0.2, 0.0, 0.0),
        ..SpatialInertia::solid_box(mass, &Vector3::new(0.4, 0.05, 0.05))
    };
    let base = tree.add_body("base", SpatialInertia::solid_sphere(1.0, 0.1))?;
    let upper = tree.add_body("upper", link(1.0))?;
    let lower = tree.add_body("lower", link(0.5))?;
    let about = |axis| JointKind::Continuous { axis };
    let at = |x: f64, z: f64| RigidTransform::from_translation(Vector3::new(x, 0.0, z));
    let joints = [
        tree.add_joint(
            "yaw",
            about(Vector3::z()),
            BodyIndex::WORLD,
            at(0.0, 0.4),
            base,
        )?,
        tree.add_joint("shoulder", about(Vector3::y()), base, at(0.0, 0.0), upper)?,
        tree.add_joint("elbow", about(Vector3::y()), upper, at(0.4, 0.0), lower)?,
    ];
    for joint in joints {
        tree.set_damping(joint, &[0.3])?;
    }
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(300.0, 1.0, 0.5)?;
    let carpet = soft.with_rotational_friction(0.005, 0.005)?;
    for (name, body, pose_in_body, shape) in [
        ("ball", ball, at(0.0, 0.0), Shape::new_sphere(RADIUS)?),
        ("tip", lower, at(0.4, 0.0), Shape::new_sphere(TIP)?),
        ("floor", BodyIndex::WORLD, at(0.0, 0.0), Shape::HalfSpace),
    ] {
        let (name, material) = (name.into(), soft);
        contact.add_geometry(CollisionGeometry {
            name,
            body,
            pose_in_body,
            shape,
            material,
        })?;
    }
    contact.set_pair_material("ball", "tip", soft)?;
    contact.set_pair_material("ball", "floor", carpet)?;
    contact.set_pair_material("tip", "floor", soft)?;
    let contact = contact.finish(&tree)?;
    let motors = ["yaw", "shoulder", "elbow"];
    let motors: Vec<_> = (motors.iter().zip(joints))
        .map(|(name, joint)| TorqueSource::new(*name, &tree, joint, 1.0, None))
        .collect::<Result<_, _>>()?;
    let mut options = SystemOptions::default();
    options.contact_solver.stiction_tolerance = 0.02;
    options.max_turn = f64::INFINITY;
    let system = RigidBodySystem::new(tree, contact)?
        .with_options(options)?
        .with_actuators(motors)?;
    let mut system = TimeSteppingRigidBodySystem::compliant(system, time_step)?;
    if length > 0.0 {
        let force = ForceAtDistance::of_pairs("distance", system.system(), length, |a, b| {
            a != "floor" && b != "floor"
        })?;
        system.add_force(force)?;
    }
    Ok(system)
}

/// How fast the ball slows down on the carpet, m/s²: `g b/(R (1 + 2/5))` with the arm b of its rolling friction.
const SLOWING: f64 = 9.81 * 0.005 / (1.4 * RADIUS);
/// How far from its target the ball may come to rest for the tip to be called, m.
const NEAR: f64 = 0.01;

/// The way that the ball rolls by itself until it rests, over the floor, m.
fn way_to_rest<T: DefaultScalar>(
    at: &Configuration<'_, T>,
    ball: BodyIndex,
) -> Result<Vector3<T>, ControlError> {
    let v = at.body_velocity(ball)?.linear;
    let time = T::norm_lifted(&[v.x, v.y]) / T::from(2.0 * SLOWING);
    Ok(Vector3::new(v.x, v.y, T::zero()) * time)
}

/// Where the ball comes to rest by itself, from its target, m.
#[derive(Debug, Clone)]
struct Rest {
    ball: BodyIndex,
    target: Vector3<f64>,
}

impl MachineFunction for Rest {
    fn size(&self) -> usize {
        2
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        let ball = at.body_pose(self.ball)?.translation;
        let left = ball + way_to_rest(at, self.ball)? - self.target.map(T::from);
        out.copy_from_slice(&[left.x, left.y]);
        Ok(())
    }
}

/// Where the tip is from the place where it touches the ball on the side away from the target, m; little of it where the ball comes
/// to rest at the target by itself.
#[derive(Debug, Clone)]
struct Behind {
    ball: BodyIndex,
    lower: BodyIndex,
    target: Vector3<f64>,
}

impl MachineFunction for Behind {
    fn size(&self) -> usize {
        3
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        let ball = at.body_pose(self.ball)?.translation;
        let end = Vector3::new(T::from(0.4), T::zero(), T::zero());
        let tip = at.body_pose(self.lower)?.transform_point(&end);
        let mut way = self.target.map(T::from) - ball;
        way.z = T::zero();
        let left = way - way_to_rest(at, self.ball)?;
        let square = left.dot(&left);
        let share = (square / (square + NEAR * NEAR) + 1e-3).sqrt_lifted();
        // Of no direction at the target.
        let length = (way.dot(&way) + 0.01 * 0.01).sqrt_lifted();
        let place = ball - way / length * T::from(RADIUS + TIP);
        out.copy_from_slice(((tip - place) * share).as_slice());
        Ok(())
    }
}

fn start(system: &TimeSteppingRigidBodySystem<f64>) -> Result<State<f64>, Failure> {
    let mut state = system.initial_state();
    let place = Vector3::new(0.45, 0.0, RADIUS - 0.5 * 9.81 / 300.0);
    system.set_body_position(&mut state, "ball", place)?;
    for (joint, angle) in ["yaw", "shoulder", "elbow"].iter().zip(ARM) {
        system.set_joint_position(&mut state, joint, &[angle])?;
    }
    Ok(state)
}

fn problem(
    system: &TimeSteppingRigidBodySystem<f64>,
    target: Vector3<f64>,
) -> Result<Problem<Machine>, Failure> {
    let begin = start(system)?;
    let tree = system.tree();
    let ball = tree.body_by_name("ball")?;
    let place = || ByDuals::new(system, Rest { ball, target });
    let nv = tree.num_velocities();
    let mut rest = vec![0.0; 2 * nv];
    for name in ["yaw", "shoulder", "elbow"] {
        let k = tree.joint(tree.joint_by_name(name)?)?.velocity_start();
        (rest[k], rest[nv + k]) = (0.05, 0.4);
    }
    for joint in tree.joints().filter(|joint| joint.num_velocities() == 6) {
        let first = nv + joint.velocity_start();
        rest[first + 3..first + 5].fill(1.0);
    }
    let behind = ByDuals::new(
        system,
        Behind {
            ball,
            lower: tree.body_by_name("lower")?,
            target,
        },
    );
    Ok(Problem::new(Machine::new(system)?, STAGES, begin.clone())?
        .running_cost("behind", behind, weighted(TIME_STEP, &[10.0; 3]))?
        .running_cost("ball", place(), weighted(TIME_STEP, &[100.0; 2]))?
        .running_cost(
            "rest",
            StateResidual::new(begin.clone()),
            weighted(TIME_STEP, &rest),
        )?
        .running_cost(
            "input",
            InputResidual::of_size(3),
            weighted(TIME_STEP, &[0.001; 3]),
        )?
        .terminal_cost("ball at the end", place(), vec![500.0; 2])?
        .terminal_cost("rest at the end", StateResidual::new(begin), rest)?
        .input_limits(vec![-30.0; 3], vec![30.0; 3])?)
}

/// To places to all sides; solved where the ball is within 2 cm after 4 s.
pub fn solve(settings: &Settings) -> Result<Outcome, Failure> {
    let model = machine(0.003, TIME_STEP)?;
    let mut outcome = Outcome::new("arm and ball", settings);
    for seed in settings.seeds(8) {
        let mut random = settings.random(seed);
        let target = Vector3::new(
            0.45 + random.between(0.05, 0.2),
            random.between(-0.15, 0.15),
            RADIUS,
        );
        let mut options = SolverOptions::default();
        options.threads = settings.threads;
        options.max_iterations = 30;
        let mut solver = Solver::new(problem(&model, target)?, options)?;
        let first = solver.solve()?;
        options.max_iterations = 1;
        solver.set_options(options)?;
        let mut mpc = Mpc::new(solver);
        mpc.set_rollout(true);
        let plant = machine(0.0, PLANT_STEP)?;
        let begin = start(&plant)?;
        let steps = (4.0 / PLANT_STEP) as usize;
        let mut machine = Machine::new(&plant)?;
        let run = mpc.run(&mut machine, &begin, steps, 0.01, |_, _| {}, Clone::clone)?;
        let last = &run.states[run.states.len() - 1];
        let away = (plant.body_pose(last, "ball")?.translation - target)
            .xy()
            .norm();
        let solved = run.failure.is_none() && away < 0.02;
        println!(
            "  seed {seed}: {:.1} mm from the target; plans of {:.1} ms, the slowest {:.1} ms{}",
            1e3 * away,
            1e3 / run.rate(),
            1e3 * run.slowest().as_secs_f64(),
            match &run.failure {
                Some(error) => format!("; ended: {error}"),
                None => String::new(),
            }
        );
        let total: Duration = run.times.iter().sum();
        outcome.add_plain(first.cost, run.reports.len(), total, solved);
        outcome.add_run(&run, run.failure.is_some());
        outcome.keep_states(&plant, &run.states, &run.inputs)?;
    }
    Ok(outcome)
}
