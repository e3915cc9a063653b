//! A cart whose lidar and controller both live in a second process: the simulation sends where it is and receives
//! distances and commands, over pipes and with the bits of a rollout in one process.
//!
//! The program starts itself a second time, as that process, which answers until the simulation hangs up.
//!
//! `--out DIR` is the folder for picture and page (default `out`), `--quick` makes fewer steps.

#[path = "support/mod.rs"]
mod support;

use dualbody::actuator::{RemoteActuator, TorqueSource};
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::remote::{RemoteChannel, RemoteElement, RemoteRequest, serve};
use dualbody::scene::Scene;
use dualbody::sensor::{FullState, Lidar, RemoteSensor};
use dualbody::system::{RigidBodySystem, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

const TIME_STEP: f64 = 0.005;
/// Where the wall begins, and the distance to keep from it, in m.
const WALL: f64 = 4.0;
const GOAL: f64 = 1.0;
const RAYS: usize = 5;

/// A cart on a rail towards a wall, with what it is driven by and what it sees; without either in one process.
fn machine(channel: Option<&RemoteChannel>) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let size = Vector3::new(0.5, 0.3, 0.2);
    let cart = tree.add_body("cart", SpatialInertia::solid_box(2.0, &size))?;
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let at = RigidTransform::from_translation(Vector3::new(0.0, 0.0, 0.3));
    let rail = tree.add_joint("rail", rail, BodyIndex::WORLD, at, cart)?;
    tree.set_damping(rail, &[0.5])?;
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    for (name, body, x, size) in [
        ("cart", cart, 0.0, size),
        (
            "wall",
            BodyIndex::WORLD,
            WALL + 0.1,
            Vector3::new(0.2, 3.0, 2.0),
        ),
    ] {
        contact.add_geometry(CollisionGeometry {
            name: name.into(),
            body,
            pose_in_body: RigidTransform::from_translation(Vector3::new(x, 0.0, 0.0)),
            shape: Shape::new_box(size)?,
            material: ContactMaterial::new(1e4, 0.5, 0.3)?,
        })?;
    }
    let contact = contact.finish(&tree)?;
    let motor = TorqueSource::new("motor", &tree, rail, 1.0, Some(8.0))?;
    let forward = RigidTransform::from_translation(Vector3::new(0.3, 0.0, 0.0));
    let rays = Lidar::fan(RAYS, -0.2, 0.2);
    let lidar = Lidar::new("lidar", &tree, cart, &forward, &rays, [0.0, 10.0])?;
    let system = RigidBodySystem::new(tree, contact)?;
    let system = match channel {
        None => system.with_actuators([motor])?.with_sensors([lidar])?,
        Some(channel) => {
            let driver = RemoteActuator::new("driver", channel, system.tree(), motor)?;
            let names: Vec<_> = (0..RAYS).map(|i| format!("distance/{i}")).collect();
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            let lidar = RemoteSensor::new("eye", channel, FullState::new(system.tree()), &names)?;
            system.with_actuators([driver])?.with_sensors([lidar])?
        }
    };
    Ok(TimeSteppingRigidBodySystem::compliant(system, TIME_STEP)?)
}

/// A lidar: the distances that the machine in this process would see where the other one is.
struct Eye {
    system: TimeSteppingRigidBodySystem<f64>,
    state: State<f64>,
}

impl Eye {
    fn new() -> Result<Self, Failure> {
        let system = machine(None)?;
        let state = system.initial_state();
        Ok(Eye { system, state })
    }

    fn look(&mut self, q_and_v: &[f64], distances: &mut [f64]) -> Result<(), Failure> {
        let (q, v) = q_and_v.split_at(self.state.q.len());
        self.state.q.copy_from_slice(q);
        self.state.v.copy_from_slice(v);
        let system = self.system.system();
        let mut workspace = system.dynamics_workspace();
        let input = vec![0.0; system.num_inputs()];
        system.output(&mut workspace, &self.state, &input, &mut || 0.0, distances)?;
        Ok(())
    }
}

impl RemoteElement for Eye {
    fn name(&self) -> &str {
        "eye"
    }
    fn receives(&self) -> Vec<String> {
        vec!["state/q/0".into(), "state/v/0".into()]
    }
    fn sends(&self) -> Vec<String> {
        (0..RAYS).map(|i| format!("distance/{i}")).collect()
    }
    fn respond(&mut self, request: RemoteRequest<'_>, answer: &mut [f64]) -> Result<(), Failure> {
        self.look(request.values, answer)
    }
}

/// Proportional, integral and derivative control of the nearest distance.
struct Driver {
    eye: Eye,
    /// Integral of the error, in m s.
    integral: f64,
}

impl RemoteElement for Driver {
    fn name(&self) -> &str {
        "driver"
    }
    fn receives(&self) -> Vec<String> {
        vec!["q/0".into(), "v/0".into()]
    }
    fn sends(&self) -> Vec<String> {
        vec!["motor/torque".into()]
    }
    fn respond(&mut self, request: RemoteRequest<'_>, answer: &mut [f64]) -> Result<(), Failure> {
        if request.begins {
            self.integral = 0.0;
        }
        let mut distances = [0.0; RAYS];
        self.eye.look(request.values, &mut distances)?;
        let error = distances.into_iter().fold(f64::INFINITY, f64::min) - GOAL;
        self.integral += error * TIME_STEP;
        answer[0] = 3.0 * error + 0.2 * self.integral - 4.0 * request.values[1];
        Ok(())
    }
}

/// This program as a process that computes both.
struct Process(Child);

impl Process {
    fn start() -> Result<(Self, RemoteChannel), Failure> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--process")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the process has no pipes".into());
        };
        let channel = RemoteChannel::connect(from, to, TIME_STEP, Duration::from_secs(10))?;
        Ok((Process(child), channel))
    }

    /// Waits until it has noticed that nobody asks any more.
    fn finish(mut self) -> Result<(), Failure> {
        match self.0.wait()? {
            status if status.success() => Ok(()),
            status => Err(format!("process {} has ended with {status}", self.0.id()).into()),
        }
    }
}

/// Positions, velocities and distances of a rollout.
type Rows = Vec<Vec<f64>>;

/// A rollout of a machine whose inputs, if it has any, `command` gives from a state.
fn roll_out(
    system: &TimeSteppingRigidBodySystem<f64>,
    steps: usize,
    mut command: impl FnMut(&State<f64>, &mut [f64]) -> Result<(), Failure>,
) -> Result<(Vec<State<f64>>, Rows), Failure> {
    let mut workspace = system.workspace()?;
    let mut states = vec![system.initial_state()];
    let mut rows = Vec::new();
    let mut input = vec![0.0; system.num_inputs()];
    for k in 0..steps {
        let state = &states[k];
        let step = system.step(&mut workspace, state, &input)?;
        let row = state.q.iter().chain(&state.v).chain(step.output().iter());
        rows.push(row.copied().collect());
        let next = step.state().clone();
        // What is commanded at a sample acts from the next step on.
        command(state, &mut input)?;
        states.push(next);
    }
    Ok((states, rows))
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: remote_actuator [--quick] [--out DIR]");
    let driver = || -> Result<Driver, Failure> {
        Ok(Driver {
            eye: Eye::new()?,
            integral: 0.0,
        })
    };
    if arguments.flag("--process") {
        let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
        serve(
            input,
            output,
            TIME_STEP,
            &mut [&mut Eye::new()?, &mut driver()?],
        )?;
        return Ok(());
    }
    let steps = if arguments.flag("--quick") { 400 } else { 2400 };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let (process, channel) = Process::start()?;
    println!("Lidar and controller are process {}.", process.0.id());
    let remote = machine(Some(&channel))?;
    drop(channel);
    let (states, rows) = roll_out(&remote, steps, |_, _| Ok(()))?;
    drop(remote);
    process.finish()?;
    println!("After {steps} steps it has ended.");

    let system = machine(None)?;
    let mut driver = driver()?;
    let (_, local) = roll_out(&system, steps, |state, input| {
        let values = [state.q[0], state.v[0]];
        let request = RemoteRequest {
            time: state.time,
            begins: state.time == 0.0,
            values: &values,
        };
        driver.respond(request, input)
    })?;
    if rows != local {
        return Err("the other process gave other numbers than this one".into());
    }
    let nearest = |row: &Vec<f64>| row[2..].iter().copied().fold(f64::INFINITY, f64::min);
    let last = rows.last().map_or(f64::NAN, nearest);
    println!(
        "The cart ends {last:.4} m from the wall (goal {GOAL} m), bit for bit as in one process."
    );

    let at = |k: usize| k as f64 * TIME_STEP;
    let distances = rows
        .iter()
        .enumerate()
        .map(|(k, row)| (at(k), nearest(row)));
    let speeds = rows.iter().enumerate().map(|(k, row)| (at(k), row[1]));
    let motion = Chart::new("A cart that another process drives", "time [s]", "m")
        .with("nearest distance", Mark::Line, distances.collect())
        .with("goal", Mark::Dashes, vec![(0.0, GOAL), (at(steps), GOAL)]);
    let speed = Chart::new("Speed", "time [s]", "m/s").with("speed", Mark::Line, speeds.collect());
    let picture = folder.join("remote_actuator.svg");
    write_charts(&picture, &[motion.clone(), speed.clone()])?;
    println!("Picture: {}", picture.display());
    let states: Vec<_> = states
        .into_iter()
        .map(|state| State {
            // The other machine's actuators have no states.
            actuators: system.initial_state().actuators,
            ..state
        })
        .collect();
    let scene = Scene::of_states(&system, &states)?
        .titled("A cart that another process drives")
        .about("Its lidar and its controller run in a process of their own.")
        .with_chart(motion)
        .with_chart(speed);
    support::show(&scene, &folder, "remote_actuator")
}
