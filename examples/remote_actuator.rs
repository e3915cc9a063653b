//! A controller in a process of its own: the simulation sends readings and receives torques over a local
//! socket, with the bits of a controller in the same process.
//!
//! `cargo run --release --example remote_actuator [-- --quick]`

mod plot;

use dualbody::actuator::TorqueSource;
use dualbody::contact::ContactModel;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::Encoder;
use dualbody::system::{DiscretePlant, TimeSteppingRigidBodySystem, read_signal, write_signal};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use std::error::Error;
use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::process::Command;

const TIME_STEP: f64 = 0.005;

/// The controller: a torque from an angle and a rate.
fn torque(reading: &[f64]) -> f64 {
    match reading {
        [angle, rate] => 12.0 * (1.0 - angle) - 2.5 * rate,
        _ => 0.0,
    }
}

/// The process of the controller: answers every reading until the simulation hangs up.
fn answer(port: &str) -> Result<(), Box<dyn Error>> {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}"))?;
    stream.set_nodelay(true)?;
    loop {
        match read_signal(&mut stream) {
            Ok(reading) => write_signal(&mut stream, &[torque(&reading)])?,
            Err(end) if end.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The angle over time under a controller.
fn simulate(
    steps: usize,
    mut control: impl FnMut(&[f64]) -> Result<f64, Box<dyn Error>>,
) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let mut builder = RigidBodyTreeBuilder::new();
    let arm = SpatialInertia::point_mass(0.8, Vector3::new(0.0, 0.0, -0.5));
    let arm = builder.add_body("arm", arm)?;
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    let at = RigidTransform::identity();
    let hinge = builder.add_joint("hinge", hinge, BodyIndex::WORLD, at, arm)?;
    let tree = builder.finish()?;
    let motor = TorqueSource::new("motor", &tree, hinge, 1.0, Some(8.0))?;
    let encoder = Encoder::new("encoder", &tree, hinge, 1e-3)?;
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), TIME_STEP)?;
    let mut plant = DiscretePlant::new(system, motor, encoder)?;
    let (angle, rate) = (
        plant.output_index("encoder/position")?,
        plant.output_index("encoder/rate")?,
    );
    let mut workspace = plant.workspace()?;
    let mut state = plant.initial_state();
    let mut reading = [0.0, 0.0];
    let mut angles = Vec::with_capacity(steps);
    for k in 0..steps {
        let torque = control(&reading)?;
        plant.step(&mut workspace, &state, &[torque], &mut || 0.0)?;
        let output = workspace.output();
        reading = [output[angle], output[rate]];
        angles.push((k as f64 * TIME_STEP, state.tree.q[0]));
        state.clone_from(workspace.state());
    }
    Ok(angles)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, role, port] = arguments.as_slice()
        && role == "--controller"
    {
        return answer(port);
    }
    let steps = if plot::is_quick() { 200 } else { 2000 };
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    let program = std::env::current_exe()?;
    let mut controller = Command::new(program)
        .args(["--controller", &port.to_string()])
        .spawn()?;
    println!(
        "the controller is process {}, at port {port}",
        controller.id()
    );
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    let remote = simulate(steps, |reading| {
        write_signal(&mut stream, reading)?;
        match read_signal(&mut stream)?.as_slice() {
            [torque] => Ok(*torque),
            other => Err(format!("the controller sent {} numbers", other.len()).into()),
        }
    })?;
    drop(stream);
    let status = controller.wait()?;
    println!("{steps} exchanges; the controller has ended: {status}");

    let local = simulate(steps, |reading| Ok(torque(reading)))?;
    if remote != local {
        return Err("the remote controller gave other numbers than the local one".into());
    }
    println!(
        "the arm ends at {:.4} rad, bit for bit as with a local controller",
        remote[steps - 1].1
    );
    let lines = [("angle (rad)".to_owned(), remote)];
    plot::draw(
        "remote_actuator",
        "An arm under a remote controller",
        ["time in s", "rad"],
        &lines,
    )
}
