//! Loads a robot description, says what is in it, and differentiates with respect to a mass.
//!
//! ```text
//! cargo run --release -p dualbody --example load_urdf -- [--robot ROBOT.urdf] [--fixed] [--independent]
//! ```
//!
//! Without a file it takes a small arm. `--fixed` fixes the root link to the world, `--independent`
//! gives joints that follow others coordinates of their own. `--out DIR` is the folder for the page;
//! `--quick`, which all examples take, changes nothing here.

#[path = "support/mod.rs"]
mod support;

use dualbody::Parameters;
use dualbody::contact::ContactModelBuilder;
use dualbody::io::urdf::{UrdfBase, UrdfMimic, UrdfModel, UrdfReader};
use dualbody::scene::Scene;
use dualbody::system::RigidBodySystem;
use dualbody::tree::{BodyIndex, Joint, JointKind, RigidBodyTree, TreeError};
use num_dual::Dual64;
use std::path::PathBuf;
use support::Failure;
use support::arguments::Arguments;

const ARM: &str = include_str!("../tests/data/models/arm7.urdf");
const USAGE: &str = "\
Say what is in a robot description, and differentiate with respect to a mass.

usage: load_urdf [options]

  --robot FILE   a URDF. Default: a small arm
  --fixed        fix the root link to the world
  --independent  give joints that follow others coordinates of their own
  --out DIR      folder for the page (default out)
  --quick        as all examples take it; without effect here";

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(USAGE);
    let mut reader = UrdfReader::new();
    if arguments.flag("--fixed") {
        reader = reader.with_base(UrdfBase::Fixed);
    }
    if arguments.flag("--independent") {
        reader = reader.with_mimic(UrdfMimic::Independent);
    }
    let path = arguments.option::<PathBuf>("--robot")?;
    arguments.flag("--quick");
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let (tree, model) = match path {
        Some(path) => reader.tree_from_file(path)?,
        None => reader.tree_from_str(ARM)?,
    };
    print_bodies(&tree)?;
    print_joints(&tree)?;
    print_geometries(&tree, &model)?;
    println!("\n{}", model.report);
    println!(
        "{}: {} bodies, {} position and {} velocity coordinates, {:.4} kg",
        model.name,
        model.bodies.len(),
        tree.num_positions(),
        tree.num_velocities(),
        tree.total_mass()
    );
    print_gradient(&tree)?;
    support::show(&scene(tree, model)?, &folder, "load_urdf")
}

/// The robot, which moves one joint after the other between its limits.
fn scene(tree: RigidBodyTree<f64>, model: UrdfModel<f64>) -> Result<Scene, Failure> {
    const STEPS: u32 = 60;
    let mut contact = ContactModelBuilder::new();
    for geometry in model.collision_geometries {
        contact.add_geometry(geometry)?;
    }
    let contact = contact.finish(&tree)?;
    let system = RigidBodySystem::new(tree, contact)?;
    let mut states = vec![system.initial_state()];
    let mut names = Vec::new();
    for joint in system.tree().joints() {
        if joint.num_positions() != 1 || joint.mimic().is_some() {
            continue;
        }
        let range = |limit: f64| {
            if limit.is_finite() {
                limit
            } else {
                0.5 * limit.signum()
            }
        };
        let (lower, upper) = (
            range(joint.limits().lower[0]),
            range(joint.limits().upper[0]),
        );
        let start = states[states.len() - 1].clone();
        names.push((start.time, joint.name().to_owned()));
        for k in 1..=STEPS {
            let swing = (std::f64::consts::TAU * f64::from(k) / f64::from(STEPS)).sin();
            let reach = if swing > 0.0 { upper } else { -lower };
            let mut state = start.clone();
            state.time += f64::from(k) / f64::from(STEPS);
            state.q[joint.position_start()] += swing * reach;
            states.push(state);
        }
    }
    let scene = Scene::of_states(&system, &states)?
        .titled(model.name)
        .about("One joint after the other moves between its limits.");
    Ok((names.into_iter()).fold(scene, |scene, (time, name)| scene.with_event(time, name)))
}

fn print_bodies(tree: &RigidBodyTree<f64>) -> Result<(), TreeError> {
    println!("{:<40} {:>10}  centre of mass / m", "body", "mass / kg");
    for body in tree.bodies() {
        let index = body.index();
        let note = match tree.is_anchored(index)? {
            true if index != BodyIndex::WORLD => "  (does not move)",
            _ => "",
        };
        let inertia = body.inertia();
        let [x, y, z]: [f64; 3] = inertia.center_of_mass.into();
        let mass = inertia.mass;
        println!(
            "{:<40} {mass:>10.4}  {x:8.4} {y:8.4} {z:8.4}{note}",
            body.name()
        );
    }
    Ok(())
}

fn print_joints(tree: &RigidBodyTree<f64>) -> Result<(), TreeError> {
    println!(
        "\n{:<40} {:<10} {:>18} {:>9} {:>9} {:>8} {:>8}",
        "joint", "kind", "range", "velocity", "effort", "damping", "friction"
    );
    for joint in tree.joints() {
        print!("{:<40} {:<10}", joint.name(), kind_name(joint));
        let limits = joint.limits();
        if let ([lower], [upper], [velocity], [effort], [damping], [friction]) = (
            limits.lower.as_slice(),
            limits.upper.as_slice(),
            limits.velocity.as_slice(),
            limits.effort.as_slice(),
            joint.damping(),
            joint.friction(),
        ) {
            let range = format!("{lower:.3} … {upper:.3}");
            print!(" {range:>18} {velocity:>9.3} {effort:>9.3} {damping:>8.3} {friction:>8.3}");
        }
        match joint.mimic() {
            None => println!(),
            Some(mimic) => println!(
                "  = {} × {} + {}",
                mimic.multiplier,
                tree.joint(mimic.joint)?.name(),
                mimic.offset
            ),
        }
    }
    Ok(())
}

fn kind_name(joint: &Joint<f64>) -> &'static str {
    match joint.kind() {
        JointKind::Fixed => "fixed",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Continuous { .. } => "continuous",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Planar { .. } => "planar",
        JointKind::Ball => "ball",
        JointKind::Floating => "floating",
        _ => "other",
    }
}

fn print_geometries(tree: &RigidBodyTree<f64>, model: &UrdfModel<f64>) -> Result<(), TreeError> {
    if !model.collision_geometries.is_empty() {
        println!("\n{:<50} {:<10} on", "collision geometry", "shape");
    }
    for geometry in &model.collision_geometries {
        let body = tree.body(geometry.body)?.name();
        println!(
            "{:<50} {:<10} {body}",
            geometry.name,
            geometry.shape.kind().to_string()
        );
    }
    Ok(())
}

/// How the forces of gravity on the joints change with the mass of the last body that moves.
fn print_gradient(tree: &RigidBodyTree<f64>) -> Result<(), Failure> {
    let mut last = None;
    for body in tree.bodies() {
        let index = body.index();
        let mass = body.inertia().mass;
        if !tree.is_anchored(index)? && mass > 0.0 {
            last = Some((body.name(), mass));
        }
    }
    let Some((name, mass)) = last else {
        return Ok(());
    };
    let parameter = format!("body/{name}/mass");

    let mut dual = tree.cast::<Dual64>();
    dual.set_parameter(&parameter, Dual64::new(mass, 1.0))?;
    let mut workspace = dual.workspace();
    // Away from the neutral configuration, by the same velocity in all coordinates.
    let mut q = dual.neutral_configuration();
    let one = vec![Dual64::from(1.0); dual.num_velocities()];
    let from = q.clone();
    dual.integrate_exponential(from.as_slice(), &one, Dual64::from(0.3), q.as_mut_slice())?;
    dual.set_positions(&mut workspace, q.as_slice())?;
    let mut forces = one.clone();
    dual.gravity_forces(&mut workspace, &mut forces)?;

    println!(
        "\nwith 0.3 in all joints, and the derivative with respect to {parameter} = {mass} kg:"
    );
    let energy = dual.potential_energy(&workspace)?;
    println!("{:<40} {:>12} {:>12}", "", "value", "per kg");
    println!(
        "{:<40} {:>12.5} {:>12.5}",
        "potential energy / J", energy.re, energy.eps
    );
    for joint in tree.joints() {
        let start = joint.velocity_start();
        if joint.mimic().is_some() || joint.num_velocities() != 1 {
            continue;
        }
        let force = &forces[start];
        println!(
            "{:<40} {:>12.5} {:>12.5}",
            joint.name(),
            force.re,
            force.eps
        );
    }
    Ok(())
}
