//! Plants with rigid contact, and recordings of contacts and stored energy.

mod support;

use dualbody::Parameters;
use dualbody::actuator::{GeneralizedForce, Passive, SpringDamper};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{JointMotion, JointSpring};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::{ContactForce, Imu};
use dualbody::system::{
    DiscretePlant, Recording, RigidContactSystem, SystemError, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use num_dual::Dual64;
use support::scenes::geometry;

const G: f64 = 9.81;
const M: f64 = 2.0;
const MU: f64 = 0.4;
const DT: f64 = 0.01;

type Plant<T> = DiscretePlant<T, GeneralizedForce, (Imu<T>, ContactForce)>;

/// A box on the ground that a force along x pushes.
fn pushed_box() -> Plant<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let size = Vector3::new(0.4, 0.4, 0.1);
    let body = builder
        .add_body("box", SpatialInertia::solid_box(M, &size))
        .unwrap();
    let tree = builder.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let material = ContactMaterial::new(1e5, 0.0, MU).unwrap();
    for (name, body, shape) in [
        ("box", body, Shape::new_box(size).unwrap()),
        ("ground, flat", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        contact
            .add_geometry(geometry(name, body, shape, material))
            .unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    let imu = Imu::new("imu", &tree, body, &RigidTransform::identity()).unwrap();
    let feel = ContactForce::new("feel", body);
    let system = RigidContactSystem::new(tree, contact, DT).unwrap();
    let push = GeneralizedForce::new("push", 3);
    DiscretePlant::with_rigid_contact(system, push, (imu, feel)).unwrap()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} and {b}");
}

/// The outputs of a step and the speed after it, by friction and push.
fn step(speed: f64, push: Dual64, friction: Dual64) -> ([Dual64; 12], Dual64) {
    let mut plant = pushed_box().cast::<Dual64>();
    for surface in ["box", "ground, flat"] {
        let name = format!("{surface}/friction");
        plant.set_parameter(&name, friction).unwrap();
    }
    let mut workspace = plant.workspace().unwrap();
    let mut state = plant.initial_state();
    state.q[6] = Dual64::from(0.05);
    state.v[3] = Dual64::from(speed);
    plant
        .step(&mut workspace, &state, &[push], &mut || 0.0)
        .unwrap();
    assert_eq!(workspace.contacts().len(), 4);
    let output = workspace.output().as_slice().try_into().unwrap();
    (output, workspace.state().v[3])
}

#[test]
fn a_box_slips_and_sticks_with_derivatives() {
    let (push, friction) = (Dual64::from(3.0), Dual64::from(MU).derivative());
    let (output, v) = step(1.0, push, friction);
    close(v.re, 1.0 + DT * (3.0 / M - MU * G));
    close(v.eps, -DT * G);
    close(output[0].re, 3.0 / M - MU * G);
    close(output[2].re, G);
    close(output[9].re, -MU * M * G);
    close(output[9].eps, -M * G);
    close(output[11].re, M * G);
    // Less than the friction can hold: it stays, and the friction is the push.
    let (output, v) = step(0.0, push.derivative(), Dual64::from(MU));
    close(v.re, 0.0);
    close(v.eps, 0.0);
    close(output[9].re, -3.0);
    close(output[9].eps, -1.0);
}

#[test]
fn workspaces_of_other_plants_are_refused() {
    let mut rigid = pushed_box();
    let system = rigid.system();
    let (tree, contact) = (system.tree().clone(), system.contact().clone());
    let compliant = TimeSteppingRigidBodySystem::new(tree, contact, DT).unwrap();
    let push = GeneralizedForce::new("push", 3);
    let compliant = DiscretePlant::new(compliant, push, rigid.sensors().clone()).unwrap();
    let mut workspace = compliant.workspace().unwrap();
    let state = rigid.initial_state();
    let result = rigid.step(&mut workspace, &state, &[0.0], &mut || 0.0);
    assert_eq!(result, Err(SystemError::ForeignWorkspace));
}

#[test]
fn contacts_are_recorded_and_files_are_whole() {
    let mut plant = pushed_box();
    let mut state = plant.initial_state();
    state.q[6] = 0.05;
    let mut recording = Recording::default();
    let push = |_: usize, _: &_, _: &[f64], input: &mut [f64]| input[0] = 3.0;
    for steps in [5, 20] {
        plant
            .record(&mut state, steps, push, &mut || 0.0, &mut recording)
            .unwrap();
    }
    assert_eq!(recording.rows().len(), 20);
    let column = |name: &str| recording.column(name).unwrap();
    close(column("contact/box|ground, flat/force/z")[19], M * G);
    close(column("contact/box|ground, flat/force/x")[19], -3.0);
    assert_eq!(column("contact/count")[19], 4.0);

    let folder = std::env::temp_dir().join(format!("dualbody-recording-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("run.csv");
    recording.save_csv(&path).unwrap();
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let names: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(names, recording.columns());
    let rows: Vec<Vec<f64>> = reader.deserialize().map(|row| row.unwrap()).collect();
    assert_eq!(rows, recording.rows());
    // A file that cannot be put in its place leaves nothing behind.
    let occupied = folder.join("occupied.csv");
    std::fs::create_dir_all(occupied.join("by a folder")).unwrap();
    assert!(recording.save_csv(&occupied).is_err());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    assert!(recording.save_csv(&folder.join("nowhere/run.csv")).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

type Springs = (SpringDamper<f64>, Passive<JointSpring<f64>>);

/// A body on a rail between a spring with a driven end and a spring of the joint.
fn oscillator() -> DiscretePlant<f64, Springs, ()> {
    let mut builder = RigidBodyTreeBuilder::new();
    let body = builder
        .add_body("body", SpatialInertia::solid_sphere(M, 0.1))
        .unwrap();
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let rail = builder
        .add_joint(
            "rail",
            rail,
            BodyIndex::WORLD,
            RigidTransform::identity(),
            body,
        )
        .unwrap();
    let frames = [BodyIndex::WORLD, body].map(|body| {
        let name = format!("end {}", body.get());
        builder
            .add_frame(&name, body, RigidTransform::identity())
            .unwrap()
    });
    let tree = builder.finish().unwrap();
    let tendon = SpringDamper::new("tendon", &tree, frames, [50.0, 0.0, 0.2]).unwrap();
    let spring = JointSpring {
        name: "spring".to_owned(),
        joint: rail,
        motion: JointMotion::Translation,
        stiffness: 30.0,
        damping: 0.0,
        nominal_position: 0.1,
    };
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 1e-5).unwrap();
    DiscretePlant::new(system, (tendon, Passive(spring)), ()).unwrap()
}

#[test]
fn stored_energy_is_recorded() {
    let mut plant = oscillator();
    let mut state = plant.initial_state();
    state.q[0] = 0.7;
    let mut recording = Recording::default();
    let pull = |_: usize, _: &_, _: &[f64], input: &mut [f64]| input[0] = 0.05;
    plant
        .record(&mut state, 20_000, pull, &mut || 0.0, &mut recording)
        .unwrap();
    let [kinetic, stored] =
        ["energy/kinetic", "energy/stored"].map(|name| recording.column(name).unwrap());
    close(
        stored[0],
        25.0 * (0.7f64 - 0.25).powi(2) + 15.0 * (0.7f64 - 0.1).powi(2),
    );
    let exchanged = kinetic.iter().copied().fold(0.0, f64::max);
    assert!(exchanged > 5.0);
    for (k, u) in kinetic.iter().zip(&stored) {
        assert!((k + u - stored[0]).abs() < 1e-3 * stored[0]);
    }
}
