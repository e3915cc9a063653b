//! Writes a machine into a file, reads it, and lets both move: the bits are the same.
//!
//! ```text
//! cargo run --release -p dualbody --features serde --example machine_file -- [--robot ROBOT.urdf] [--quick] [--out DIR]
//! ```

#[path = "support/mod.rs"]
mod support;

use dualbody::actuator::PdServo;
use dualbody::contact::{CollisionGeometry, ContactModelBuilder};
use dualbody::io::urdf::UrdfReader;
use dualbody::nalgebra::DVector;
use dualbody::prelude::*;
use dualbody::tree::{BodyIndex, JointKind};
use std::path::PathBuf;
use support::Failure;
use support::arguments::Arguments;

const QUADRUPED: &str = include_str!("../tests/data/models/quadruped.urdf");
const USAGE: &str = "\
Write a machine into a file, read it, and compare how both move.

usage: machine_file [options]

  --robot FILE  a URDF. Default: a quadruped
  --quick       fewer steps
  --out DIR     folder for the files (default: out)";

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(USAGE);
    let robot = arguments.option::<PathBuf>("--robot")?;
    let steps = if arguments.flag("--quick") { 400 } else { 1500 };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let system = TimeSteppingRigidBodySystem::compliant(robot_on_floor(robot)?, 1e-3)?;
    let mut start = system.initial_state();
    for joint in system.tree().joints() {
        if *joint.kind() == JointKind::Floating {
            start.q[joint.position_start() + 6] = 0.5; // m above the floor
        }
    }

    let (machine, state) = (folder.join("machine.json"), folder.join("state.json"));
    system.save(&machine)?;
    system.save_state(&state, &start)?;
    println!("wrote {} and {}", machine.display(), state.display());
    let read = TimeSteppingRigidBodySystem::load(&machine)?;
    let read_start = read.load_state(&state)?;

    let (end, read_end) = (
        system.rollout(&start, steps)?,
        read.rollout(&read_start, steps)?,
    );
    let bits = |q: &DVector<f64>| q.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let same = end
        .states
        .iter()
        .zip(&read_end.states)
        .all(|(a, b)| (bits(&a.q), bits(&a.v)) == (bits(&b.q), bits(&b.v)));
    println!(
        "{} bodies, {steps} steps of {} s: {}",
        read.tree().num_bodies() - 1,
        read.time_step(),
        if same { "the same bits" } else { "other bits" }
    );
    if !same {
        return Err("the machine that was read moves otherwise".into());
    }
    let scene = (read_end.scene(&read)?)
        .titled("A quadruped drops to the floor")
        .about("It was read from a file; a servo at each joint holds its angle.");
    let (model, table) = (
        folder.join("machine_file.glb"),
        folder.join("machine_file.csv"),
    );
    scene.save_glb(&model)?;
    scene.save_csv(&table)?;
    println!(
        "its motion for other programs: {} and {}",
        model.display(),
        table.display()
    );
    support::show(&scene, &folder, "machine_file")
}

/// A robot on the floor, with a servo at each of its joints.
fn robot_on_floor(robot: Option<PathBuf>) -> Result<RigidBodySystem<f64>, Failure> {
    let rubber = ContactMaterial::new(1e4, 0.3, 0.6)?; // N/m, s/m, 1
    let reader = UrdfReader::new().with_material(rubber)?;
    let (tree, model) = match robot {
        Some(path) => reader.tree_from_file(path)?,
        None => reader.tree_from_str(QUADRUPED)?,
    };
    let mut contact = ContactModelBuilder::new();
    for geometry in model.collision_geometries {
        contact.add_geometry(geometry)?;
    }
    contact.add_geometry(CollisionGeometry {
        name: "floor".to_owned(),
        body: BodyIndex::WORLD,
        pose_in_body: RigidTransform::identity(),
        shape: Shape::HalfSpace,
        material: rubber,
    })?;
    let contact = contact.finish(&tree)?;
    let single =
        (tree.joints()).filter(|joint| joint.num_velocities() == 1 && joint.mimic().is_none());
    let gains = [40.0, 1.0]; // N m/rad, N m s/rad
    let servos = single
        .map(|joint| {
            Ok(PdServo::new(
                joint.name(),
                &tree,
                joint.index(),
                gains,
                None,
            )?)
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    Ok(RigidBodySystem::new(tree, contact)?.with_actuators(servos)?)
}
