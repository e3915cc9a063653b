//! A controller in a process of its own: the simulation sends readings and receives torques over pipes,
//! with the bits of a controller in the same process.
//!
//! The program starts itself a second time, as the controller, which reads frames of numbers from its
//! standard input and answers on its standard output until the simulation hangs up.
//!
//! `--out DIR` is the folder for the picture (default `out`), `--quick` makes fewer steps.

#[path = "support/mod.rs"]
mod support;

use dualbody::actuator::TorqueSource;
use dualbody::contact::ContactModel;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::Encoder;
use dualbody::system::{TimeSteppingRigidBodySystem, read_signal, write_signal};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use std::io::ErrorKind;
use std::process::{Command, Stdio};
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

const TIME_STEP: f64 = 0.005;
/// The angle to hold, in rad.
const GOAL: f64 = 1.0;

/// Proportional, integral and derivative control of the angle.
#[derive(Default)]
struct Controller {
    /// Integral of the error, in rad s.
    integral: f64,
}

impl Controller {
    /// The torque in N m from a reading of the angle and its rate.
    fn torque(&mut self, reading: &[f64]) -> f64 {
        let [angle, rate] = reading else {
            return 0.0;
        };
        let error = GOAL - angle;
        self.integral += error * TIME_STEP;
        12.0 * error + 14.0 * self.integral - 2.5 * rate
    }
}

/// The process of the controller: answers every reading until the simulation hangs up.
fn answer() -> Result<(), Failure> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut controller = Controller::default();
    loop {
        match read_signal(&mut input) {
            Ok(reading) => write_signal(&mut output, &[controller.torque(&reading)])?,
            Err(end) if end.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The angle and the command over time under a controller.
fn simulate(
    steps: usize,
    mut control: impl FnMut(&[f64]) -> Result<f64, Failure>,
) -> Result<[Vec<(f64, f64)>; 2], Failure> {
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
        .with_actuators(motor)?
        .with_sensors(encoder)?;
    let (angle, rate) = (
        system.output_index("encoder/position")?,
        system.output_index("encoder/rate")?,
    );
    let mut workspace = system.workspace()?;
    let mut state = system.initial_state();
    let mut reading = [0.0, 0.0];
    let [mut angles, mut torques] = [const { Vec::new() }; 2];
    for k in 0..steps {
        let torque = control(&reading)?;
        let step = system.step(&mut workspace, &state, &[torque])?;
        let output = step.output();
        reading = [output[angle], output[rate]];
        angles.push((k as f64 * TIME_STEP, state.q[0]));
        torques.push((k as f64 * TIME_STEP, torque));
        state.clone_from(step.state());
    }
    Ok([angles, torques])
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: remote_actuator [--quick] [--out DIR]");
    if arguments.flag("--controller") {
        return answer();
    }
    let steps = if arguments.flag("--quick") { 400 } else { 1200 };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let mut controller = Command::new(std::env::current_exe()?)
        .arg("--controller")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    println!("The controller is process {}.", controller.id());
    let (Some(mut to), Some(mut from)) = (controller.stdin.take(), controller.stdout.take()) else {
        return Err("the controller has no pipes".into());
    };
    let remote = simulate(steps, |reading| {
        write_signal(&mut to, reading)?;
        match read_signal(&mut from)?.as_slice() {
            [torque] => Ok(*torque),
            other => Err(format!("the controller sent {} numbers", other.len()).into()),
        }
    })?;
    drop(to);
    let status = controller.wait()?;
    println!("After {steps} exchanges it has ended: {status}.");

    let mut controller = Controller::default();
    let local = simulate(steps, |reading| Ok(controller.torque(reading)))?;
    if remote != local {
        return Err("the remote controller gave other numbers than the local one".into());
    }
    let [angles, torques] = remote;
    println!(
        "The arm ends at {:.4} rad (goal {GOAL} rad), bit for bit as with a controller in this process.",
        angles[steps - 1].1
    );

    let goal = vec![(0.0, GOAL), (steps as f64 * TIME_STEP, GOAL)];
    let motion = Chart::new(
        "An arm under a controller in another process",
        "time [s]",
        "rad",
    )
    .with("angle", Mark::Line, angles)
    .with("goal", Mark::Dashes, goal);
    let command =
        Chart::new("Command to the motor", "time [s]", "N m").with("torque", Mark::Line, torques);
    let picture = folder.join("remote_actuator.svg");
    write_charts(&picture, &[motion, command])?;
    println!("Picture: {}", picture.display());
    Ok(())
}
