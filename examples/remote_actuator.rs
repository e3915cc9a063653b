//! A sensor and a controller in processes of their own: the simulation sends what happens to the sensor,
//! what that measures to the controller, and receives torques, over pipes and with the bits of a sensor
//! and a controller in the same process.
//!
//! The program starts itself a second and a third time, as the sensor and as the controller. Each reads
//! frames of numbers from its standard input and answers on its standard output until the simulation
//! hangs up.
//!
//! `--out DIR` is the folder for picture and page (default `out`), `--quick` makes fewer steps.

#[path = "support/mod.rs"]
mod support;

use dualbody::actuator::TorqueSource;
use dualbody::contact::ContactModel;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::scene::Scene;
use dualbody::sensor::Encoder;
use dualbody::system::{State, TimeSteppingRigidBodySystem, read_signal, write_signal};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use std::io::ErrorKind;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

const TIME_STEP: f64 = 0.005;
/// The angle to hold, in rad.
const GOAL: f64 = 1.0;

/// What answers a list of numbers with another one, here or in a process of its own.
trait Respond {
    fn respond(&mut self, received: &[f64]) -> Result<Vec<f64>, Failure>;
}

/// The electronics of an encoder: the angle as it is counted, the rate through a low pass.
#[derive(Default)]
struct Electronics {
    /// What the low pass has come to, in rad/s.
    rate: f64,
}

impl Respond for Electronics {
    /// From angle and rate of the encoder, those that are measured.
    fn respond(&mut self, received: &[f64]) -> Result<Vec<f64>, Failure> {
        let &[angle, rate] = received else {
            return Err(format!("the sensor received {} numbers", received.len()).into());
        };
        self.rate += (rate - self.rate) * 0.4;
        Ok(vec![angle, self.rate])
    }
}

/// Proportional, integral and derivative control of the angle.
#[derive(Default)]
struct Controller {
    /// Integral of the error, in rad s.
    integral: f64,
}

impl Respond for Controller {
    /// The torque in N m from a reading of the angle and its rate.
    fn respond(&mut self, received: &[f64]) -> Result<Vec<f64>, Failure> {
        let [angle, rate] = received else {
            return Err(format!("the controller received {} numbers", received.len()).into());
        };
        let error = GOAL - angle;
        self.integral += error * TIME_STEP;
        Ok(vec![12.0 * error + 14.0 * self.integral - 2.5 * rate])
    }
}

/// A process that runs this program with one argument.
struct Remote {
    process: Child,
    to: ChildStdin,
    from: ChildStdout,
}

impl Remote {
    fn start(argument: &str) -> Result<Self, Failure> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(argument)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(to), Some(from)) => Ok(Remote { process, to, from }),
            _ => Err("the process has no pipes".into()),
        }
    }

    /// Hangs up, and waits until the process has ended.
    fn finish(self) -> Result<(), Failure> {
        let Remote {
            mut process, to, ..
        } = self;
        drop(to);
        let status = process.wait()?;
        if !status.success() {
            return Err(format!("process {} has ended with {status}", process.id()).into());
        }
        Ok(())
    }
}

impl Respond for Remote {
    fn respond(&mut self, received: &[f64]) -> Result<Vec<f64>, Failure> {
        write_signal(&mut self.to, received)?;
        Ok(read_signal(&mut self.from)?)
    }
}

/// Such a process: answers until the simulation hangs up.
fn serve(mut responder: impl Respond) -> Result<(), Failure> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    loop {
        match read_signal(&mut input) {
            Ok(received) => write_signal(&mut output, &responder.respond(&received)?)?,
            Err(end) if end.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The torque that sensor and controller answer a reading with.
fn torque(
    sensor: &mut impl Respond,
    controller: &mut impl Respond,
    reading: &[f64],
) -> Result<f64, Failure> {
    let measured = sensor.respond(reading)?;
    match controller.respond(&measured)?.as_slice() {
        [torque] => Ok(*torque),
        other => Err(format!("the controller sent {} numbers", other.len()).into()),
    }
}

/// An arm under a controller, its states, and the commands over time.
struct Run {
    system: TimeSteppingRigidBodySystem<f64>,
    states: Vec<State<f64>>,
    torques: Vec<(f64, f64)>,
}

fn simulate(
    steps: usize,
    mut control: impl FnMut(&[f64]) -> Result<f64, Failure>,
) -> Result<Run, Failure> {
    let mut builder = RigidBodyTreeBuilder::new();
    let arm = SpatialInertia::point_mass(0.8, Vector3::new(0.0, 0.0, -0.5));
    let arm = builder.add_body("arm", arm)?;
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    let at = RigidTransform::identity();
    let hinge = builder.add_joint("hinge", hinge, BodyIndex::WORLD, at, arm)?;
    let tree = builder.finish()?;
    let motor = TorqueSource::new("motor", &tree, hinge, 1.0, Some(8.0))?;
    let encoder = Encoder::new("encoder", &tree, hinge, 1e-3)?;
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), TIME_STEP)?
        .with_actuators([motor])?
        .with_sensors([encoder])?;
    let (angle, rate) = (
        system.output_index("encoder/position")?,
        system.output_index("encoder/rate")?,
    );
    let mut workspace = system.workspace()?;
    let mut state = system.initial_state();
    let mut reading = [0.0, 0.0];
    let (mut states, mut torques) = (Vec::new(), Vec::new());
    for k in 0..steps {
        let torque = control(&reading)?;
        let step = system.step(&mut workspace, &state, &[torque])?;
        let output = step.output();
        reading = [output[angle], output[rate]];
        torques.push((k as f64 * TIME_STEP, torque));
        let next = step.state().clone();
        states.push(std::mem::replace(&mut state, next));
    }
    Ok(Run {
        system,
        states,
        torques,
    })
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: remote_actuator [--quick] [--out DIR]");
    if arguments.flag("--sensor") {
        return serve(Electronics::default());
    }
    if arguments.flag("--controller") {
        return serve(Controller::default());
    }
    let steps = if arguments.flag("--quick") { 400 } else { 1200 };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let (mut sensor, mut controller) = (Remote::start("--sensor")?, Remote::start("--controller")?);
    println!(
        "The sensor is process {}, the controller process {}.",
        sensor.process.id(),
        controller.process.id()
    );
    let remote = simulate(steps, |reading| {
        torque(&mut sensor, &mut controller, reading)
    })?;
    sensor.finish()?;
    controller.finish()?;
    println!("After {steps} exchanges with each they have ended.");

    let (mut sensor, mut controller) = (Electronics::default(), Controller::default());
    let local = simulate(steps, |reading| {
        torque(&mut sensor, &mut controller, reading)
    })?;
    if (&remote.states, &remote.torques) != (&local.states, &local.torques) {
        return Err("the other processes gave other numbers than this one".into());
    }
    let Run {
        system,
        states,
        torques,
    } = remote;
    let angles: Vec<_> = states
        .iter()
        .map(|state| (state.time, state.q[0]))
        .collect();
    println!(
        "The arm ends at {:.4} rad (goal {GOAL} rad), bit for bit as in one process.",
        angles[steps - 1].1
    );

    let goal = vec![(0.0, GOAL), (steps as f64 * TIME_STEP, GOAL)];
    let motion = Chart::new(
        "An arm with its sensor and controller in other processes",
        "time [s]",
        "rad",
    )
    .with("angle", Mark::Line, angles)
    .with("goal", Mark::Dashes, goal);
    let command =
        Chart::new("Command to the motor", "time [s]", "N m").with("torque", Mark::Line, torques);
    let picture = folder.join("remote_actuator.svg");
    write_charts(&picture, &[motion.clone(), command.clone()])?;
    println!("Picture: {}", picture.display());
    let scene = Scene::of_states(&system, &states)?
        .titled("An arm that others control")
        .about("Its sensor and its controller run in processes of their own.")
        .with_chart(motion)
        .with_chart(command);
    support::show(&scene, &folder, "remote_actuator")
}
