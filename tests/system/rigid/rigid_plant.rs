//! Actuators and sensors with rigid contact, and recordings of contacts and stored energy.

use crate::support::scenes::geometry;
use dualbody::Parameters;
use dualbody::actuator::{FirstOrderLag, GeneralizedForce, SpringDamper, TorqueSource};
use dualbody::constraint::{
    AnyConstraint, DistanceConstraint, GearConstraint, JointLimitConstraint, MotionProfile,
    PrescribedMotion,
};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{JointMotion, JointSpring};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::{AnySensor, ContactForce, Imu};
use dualbody::system::{
    IntegrationMethod, Recording, RigidBodySystem, Scheme, SystemError, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use num_dual::Dual64;

const G: f64 = 9.81;
const M: f64 = 2.0;
const MU: f64 = 0.4;
const DT: f64 = 0.01;

fn push() -> GeneralizedForce {
    GeneralizedForce::new("push", 3)
}

/// A box on the ground that a force along x pushes.
fn pushed_box() -> RigidBodySystem<f64> {
    felt_box().with_actuators([push()]).unwrap()
}

/// A box on the ground, with sensors.
fn felt_box() -> RigidBodySystem<f64> {
    let system = box_on_ground();
    let body = BodyIndex::new(1);
    let imu = Imu::new("imu", system.tree(), body, &RigidTransform::identity()).unwrap();
    let feel = ContactForce::new("feel", body);
    let sensors = [AnySensor::new(imu), AnySensor::new(feel)];
    system.with_sensors(sensors).unwrap()
}

fn box_on_ground() -> RigidBodySystem<f64> {
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
    RigidBodySystem::new(tree, contact).unwrap()
}

fn rigid() -> TimeSteppingRigidBodySystem<f64> {
    TimeSteppingRigidBodySystem::rigid(pushed_box(), DT).unwrap()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} and {b}");
}

/// The outputs of a step and the speed after it, by friction and push.
fn step(speed: f64, push: Dual64, friction: Dual64) -> ([Dual64; 12], Dual64) {
    let mut system = rigid().cast::<Dual64>();
    for surface in ["box", "ground, flat"] {
        let name = format!("{surface}/friction");
        system.set_parameter(&name, friction).unwrap();
    }
    let mut workspace = system.workspace().unwrap();
    let mut state = system.initial_state();
    state.q[6] = Dual64::from(0.05);
    state.v[3] = Dual64::from(speed);
    let mut step = system.step(&mut workspace, &state, &[push]).unwrap();
    assert_eq!(step.contacts().unwrap().len(), 4);
    let output = step.output().as_slice().try_into().unwrap();
    (output, step.state().v[3])
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

/// A box that slides along y is held against a push along x by a rod; the push follows its input.
#[test]
fn a_rod_holds_a_box_that_slides() {
    let reach = 3.0;
    let push = FirstOrderLag::new("lag", 0.02, push()).unwrap();
    let far = Vector3::new(-reach, 0.0, 0.05);
    let ends = [
        (BodyIndex::new(1), Vector3::zeros()),
        (BodyIndex::WORLD, far),
    ];
    let rod = DistanceConstraint::new("rod", ends[0], ends[1], reach).unwrap();
    let system = felt_box().with_actuators([push]).unwrap();
    let system = system.with_constraints([rod]).unwrap();
    let system = TimeSteppingRigidBodySystem::rigid(system, DT).unwrap();
    let mut system = system.cast::<Dual64>();
    let friction = Dual64::from(MU).derivative();
    for surface in ["box", "ground, flat"] {
        let name = format!("geometry/{surface}/friction");
        system.set_parameter(&name, friction).unwrap();
    }
    let mut workspace = system.workspace().unwrap();
    let mut state = system.initial_state();
    state.q[6] = Dual64::from(0.05);
    state.v[4] = Dual64::from(1.0);
    state.actuators[0] = Dual64::from(3.0);
    let mut step = system
        .step(&mut workspace, &state, &[Dual64::from(8.0)])
        .unwrap();
    let after = step.state().clone();
    close(after.actuators[0].re, 8.0 - 5.0 * (-DT / 0.02).exp());
    close(after.v[3].re, 0.0);
    close(after.v[4].re, 1.0 - DT * MU * G);
    close(after.v[4].eps, -DT * G);
    // The rod pulls back with what the motor pushes with at the start, the ground with μ m g.
    let [rod] = step.constraint_forces().unwrap() else {
        panic!("one row");
    };
    close(rod.force.re, -3.0);
    close(rod.force.eps, 0.0);
    let output = step.output();
    close(output[9].re, 0.0);
    close(output[10].re, -MU * M * G);
    close(output[10].eps, -M * G);
}

/// A motor drives a wheel that is geared to another, which comes to its stop.
#[test]
fn geared_wheels_stop() {
    let mut builder = RigidBodyTreeBuilder::new();
    let wheels = [("a", 0.5), ("b", 0.2)].map(|(name, inertia)| {
        let inertia = SpatialInertia::principal(1.0, Vector3::repeat(inertia));
        let wheel = builder.add_body(name, inertia).unwrap();
        let kind = JointKind::Revolute { axis: Vector3::z() };
        let at = RigidTransform::identity();
        builder
            .add_joint(name, kind, BodyIndex::WORLD, at, wheel)
            .unwrap()
    });
    let tree = builder.finish().unwrap();
    let motor = TorqueSource::new("motor", &tree, wheels[0], 5.0, None).unwrap();
    let gear = GearConstraint::new("gear", &tree, wheels[1], wheels[0], 2.0).unwrap();
    let stop = JointLimitConstraint::new("stop", &tree, wheels[1], Some(-1.0), Some(0.01)).unwrap();
    let system = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let system = system.with_actuators([motor]).unwrap();
    let system = system
        .with_constraints([AnyConstraint::new(gear), AnyConstraint::new(stop)])
        .unwrap();
    for scheme in [Scheme::Rigid, Scheme::Compliant] {
        let system = TimeSteppingRigidBodySystem::with_scheme(system.clone(), DT, scheme).unwrap();
        let system = system.cast::<Dual64>();
        let mut workspace = system.workspace().unwrap();
        let mut state = system.initial_state();
        let input = [Dual64::from(1.17).derivative()];
        let torque = input[0] * 5.0;
        // J = I_a + 4 I_b seen from the motor.
        let acceleration = torque / (0.5 + 4.0 * 0.2);
        for k in 1..=20 {
            let mut step = system.step(&mut workspace, &state, &input).unwrap();
            let forces = step.constraint_forces().unwrap().to_vec();
            let (gear, stop) = (
                forces[0].force,
                forces.iter().find(|f| (f.constraint, f.row) == (1, 1)),
            );
            let next = step.state();
            let way = acceleration * DT * DT * (k * (k + 1)) as f64;
            if way.re < 0.01 {
                for (value, exact) in [
                    (next.q[0], way / 2.0),
                    (next.q[1], way),
                    (next.v[1], acceleration * 2.0 * DT * k as f64),
                    (gear, acceleration * 2.0 * 0.2),
                ] {
                    close(value.re, exact.re);
                    close(value.eps, exact.eps);
                }
                assert!(stop.is_none_or(|stop| stop.force.re == 0.0));
            } else {
                close(next.q[1].re, 0.01);
                close(next.q[1].eps, 0.0);
            }
            if k == 20 {
                // At rest the stop bears half of the torque, through the gear.
                let stop = stop.unwrap();
                for force in [gear, stop.force] {
                    close(force.re, 0.5 * torque.re);
                    close(force.eps, 0.5 * torque.eps);
                }
            }
            state = next.clone();
        }
    }
}

/// A workspace serves every scheme of a system, one after the other, and no other system.
#[test]
fn schemes_share_workspaces() {
    let system = pushed_box();
    let rigid = TimeSteppingRigidBodySystem::rigid(system.clone(), DT).unwrap();
    let compliant = TimeSteppingRigidBodySystem::compliant(system.clone(), DT).unwrap();
    let method = IntegrationMethod::RungeKutta4;
    let scheme = Scheme::Continuous {
        method,
        substeps: 3,
    };
    let continuous = TimeSteppingRigidBodySystem::with_scheme(system, DT, scheme).unwrap();
    let mut state = rigid.initial_state();
    state.q[6] = 0.05 - 1e-4;
    let mut shared = rigid.workspace().unwrap();
    let systems = [&rigid, &compliant, &continuous];
    let mut ends = Vec::new();
    for system in systems.into_iter().chain(systems) {
        let mut fresh = system.workspace().unwrap();
        let mut step = system.step(&mut fresh, &state, &[3.0]).unwrap();
        let mut same = system.step(&mut shared, &state, &[3.0]).unwrap();
        assert_eq!(same.state(), step.state());
        assert_eq!(same.output(), step.output());
        assert_eq!(same.contacts().unwrap(), step.contacts().unwrap());
        assert_eq!(same.status(), step.status());
        ends.push(step.state().clone());
    }
    assert!(ends[0] != ends[1] && ends[1] != ends[2] && ends[0] != ends[2]);

    let blind = box_on_ground().with_actuators([push()]).unwrap();
    let blind = TimeSteppingRigidBodySystem::rigid(blind, DT).unwrap();
    let mut unfit = blind.workspace().unwrap();
    let refused = rigid.step(&mut unfit, &state, &[0.0]);
    assert_eq!(refused.err(), Some(SystemError::ForeignWorkspace));
    let state = blind.initial_state();
    let refused = blind.step(&mut shared, &state, &[0.0]);
    assert_eq!(refused.err(), Some(SystemError::ForeignWorkspace));
}

#[test]
fn contacts_are_recorded_and_files_are_whole() {
    let system = rigid();
    let mut state = system.initial_state();
    state.q[6] = 0.05;
    let mut recording = Recording::default();
    let push = |_: usize, _: &_, _: &[f64], input: &mut [f64]| input[0] = 3.0;
    for steps in [5, 20] {
        system
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

/// A body on a rail between a spring with a driven end and a spring of the joint.
fn oscillator() -> TimeSteppingRigidBodySystem<f64> {
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
    let system = system.with_actuators([tendon]).unwrap();
    system.with_forces([spring]).unwrap()
}

#[test]
fn stored_energy_is_recorded() {
    let system = oscillator();
    let mut state = system.initial_state();
    state.q[0] = 0.7;
    let mut recording = Recording::default();
    let pull = |_: usize, _: &_, _: &[f64], input: &mut [f64]| input[0] = 0.05;
    system
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

/// A motion that is prescribed in time is where it should be at the end of every step.
#[test]
fn prescribed_motions_are_met_at_the_end_of_steps() {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
    let body = tree.add_body("slider", inertia).unwrap();
    let kind = JointKind::Prismatic { axis: Vector3::x() };
    let here = RigidTransform::identity();
    let rail = tree
        .add_joint("rail", kind, BodyIndex::WORLD, here, body)
        .unwrap();
    let tree = tree.finish().unwrap();
    let coefficients = vec![0.0, 0.0, 2.0, -1.0];
    let profile = MotionProfile::Polynomial { coefficients };
    let motion = PrescribedMotion::new("motion", &tree, rail, profile.clone()).unwrap();
    let system = RigidBodySystem::new(tree, ContactModel::none())
        .and_then(|system| system.with_constraints([motion]))
        .unwrap();
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let stepper = TimeSteppingRigidBodySystem::with_scheme(system.clone(), 0.01, scheme);
        let stepper = stepper.unwrap();
        let start = stepper.initial_state();
        for state in &stepper.rollout(&start, 50).unwrap().states {
            let [position, ..] = profile.at(state.time);
            let error: f64 = state.q[0] - position;
            assert!(error.abs() < 1e-14, "{scheme:?}, {}: {error:e}", state.time);
        }
    }
}
