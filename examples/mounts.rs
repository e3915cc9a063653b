//! A block on three bushings, with an arm that a motor swings against a spring: how a page draws what elements are.
//!
//! `--out DIR` is the folder for the page (default `out`), `--quick` simulates 1 s in place of 3.

#[path = "support/mod.rs"]
mod support;

use dualbody::actuator::TorqueSource;
use dualbody::constraint::DistanceConstraint;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::force::bushing::BushingConstants;
use dualbody::force::{BodyPoint, FlatPlateWing, LinearBushingRollPitchYaw, LinearSpringDamper};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::Lidar;
use dualbody::system::{Rollout, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::{Vector3, vector};
use support::Failure;
use support::arguments::Arguments;

const TIME_STEP: f64 = 1e-3;
const BLOCK: Vector3<f64> = vector![0.5, 0.36, 0.24];
/// Where the mounts are on the block, and the hinge of the arm.
const MOUNTS: [Vector3<f64>; 3] = [
    vector![-0.18, -0.12, -0.06],
    vector![-0.18, 0.12, -0.06],
    vector![0.18, 0.0, -0.06],
];
const HINGE: Vector3<f64> = vector![0.18, -0.2, 0.1];

fn machine() -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let world = BodyIndex::WORLD;
    let mut builder = RigidBodyTreeBuilder::new();
    let block = builder.add_body("block", SpatialInertia::solid_box(30.0, &BLOCK))?;
    let arm = SpatialInertia::point_mass(0.8, vector![0.35, 0.0, 0.0]);
    let arm = builder.add_body("arm", arm)?;
    let ball = builder.add_body("ball", SpatialInertia::solid_sphere(0.5, 0.04))?;
    let axis = JointKind::Revolute {
        axis: -Vector3::y(),
    };
    let at = RigidTransform::from_translation;
    let hinge = builder.add_joint("hinge", axis, block, at(HINGE), arm)?;
    builder.set_damping(hinge, &[0.05])?;
    builder.set_position_limits(hinge, &[-0.9], &[0.9])?;
    let frames = MOUNTS.iter().enumerate().map(|(k, &mount)| {
        let [a, c] = [("ground", world), ("block", block)];
        let a = builder.add_frame(format!("{} {k}", a.0), a.1, at(mount + Vector3::z() * 0.3))?;
        let c = builder.add_frame(format!("{} {k}", c.0), c.1, at(mount))?;
        Ok((a, c))
    });
    let frames: Vec<_> = frames.collect::<Result<_, Failure>>()?;
    let tree = builder.finish()?;

    let material = ContactMaterial::new(1e5, 0.5, 0.5)?;
    let solid = |name: &str, body, pose_in_body, shape| CollisionGeometry {
        name: name.to_owned(),
        body,
        pose_in_body,
        shape,
        material,
    };
    let mut contact = ContactModelBuilder::new();
    contact.add_geometry(solid(
        "block",
        block,
        at(Vector3::zeros()),
        Shape::new_box(BLOCK)?,
    ))?;
    let bar = Shape::new_capsule(0.02, 0.35)?;
    let along = RigidTransform::new(
        dualbody::math::rotation::exp(&(Vector3::y() * std::f64::consts::FRAC_PI_2)),
        vector![0.2, 0.0, 0.0],
    );
    contact.add_geometry(solid("arm", arm, along, bar))?;
    contact.add_geometry(solid(
        "ball",
        ball,
        at(Vector3::zeros()),
        Shape::new_sphere(0.04)?,
    ))?;
    let wall = Shape::new_box(vector![0.04, 0.8, 0.7])?;
    contact.add_geometry(solid("wall", world, at(vector![-0.75, 0.0, 0.35]), wall))?;
    let contact = contact.finish(&tree)?;

    let constants = BushingConstants {
        torque_stiffness: Vector3::repeat(20.0),
        torque_damping: Vector3::repeat(0.5),
        force_stiffness: vector![2e4, 2e4, 1e4],
        force_damping: Vector3::repeat(100.0),
    };
    let bushings = frames
        .into_iter()
        .enumerate()
        .map(|(k, (a, c))| LinearBushingRollPitchYaw::new(format!("mount {k}"), a, c, constants));
    let bushings: Vec<_> = bushings.collect::<Result<_, _>>()?;
    let ends = [
        BodyPoint::new(world, vector![0.5, -0.2, 0.0]),
        BodyPoint::new(arm, vector![0.3, 0.0, 0.0]),
    ];
    let spring = LinearSpringDamper::new("spring", &tree, ends, 250.0, 2.0, 0.4, 1e-3)?;
    let sail = BodyPoint::new(arm, vector![0.42, 0.0, 0.0]);
    let sail = FlatPlateWing::new("sail", &tree, sail, Vector3::z(), 1.2, 0.015)?;
    let rod = DistanceConstraint::new(
        "rod",
        (arm, vector![0.35, 0.0, 0.0]),
        (ball, Vector3::zeros()),
        0.2,
    )?;
    let motor = TorqueSource::new("motor", &tree, hinge, 1.0, Some(12.0))?;
    let fan = Lidar::fan(15, 2.6, 3.68);
    let lidar = Lidar::new(
        "lidar",
        &tree,
        block,
        &at(vector![-0.2, 0.0, 0.16]),
        &fan,
        [0.05, 1.2],
    )?;
    Ok(TimeSteppingRigidBodySystem::new(tree, contact, TIME_STEP)?
        .with_forces(bushings)?
        .with_forces([spring])?
        .with_forces([sail])?
        .with_constraints([rod])?
        .with_actuators([motor])?
        .with_sensors([lidar])?)
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: mounts [--quick] [--out DIR]");
    let seconds = if arguments.flag("--quick") { 1.0 } else { 3.0 };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let system = machine()?;
    let mut start = system.initial_state();
    system.set_body_position(&mut start, "block", vector![0.0, 0.0, 0.3])?;
    system.set_body_position(&mut start, "ball", vector![0.53, -0.2, 0.2])?;
    let mut workspace = system.workspace()?;
    let steps = (seconds / TIME_STEP) as usize;
    let swing = |k: usize, _: &_, input: &mut [f64]| {
        input[0] = 4.0 + 2.0 * (5.0 * TIME_STEP * k as f64).sin();
    };
    let rollout: Rollout<f64> = system.rollout_with(&mut workspace, &start, steps, swing);
    let end = rollout.last();
    let sink = 0.3 - system.body_pose(end, "block")?.translation.z;
    println!("The block sinks by {:.1} mm in its mounts.", 1e3 * sink);
    let scene = rollout.scene(&system)?.titled("A block on three bushings").about(
        "A motor swings an arm against a spring; a ball hangs from it on a rod, and a lidar sees a wall.",
    );
    support::show(&scene, &folder, "mounts")
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}
