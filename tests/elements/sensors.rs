//! Sensors: closed forms, derivatives, delays.

use crate::support::scenes::{cube, free_body, geometry};
use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialAcceleration, SpatialInertia, rotation};
use dualbody::parameter::Parameter;
use dualbody::sensor::{
    AnySensor, ContactForce, Delayed, Encoder, FramePose, FullState, Imu, ImuNoise, Lidar, Sensor,
    SensorContext, SensorError,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DVector, Matrix3, Vector3};
use num_dual::Dual64;

const G: f64 = 9.81;

/// A free body, and a turntable about the world's z axis that carries the frame `rim` at x = 0.5 m.
fn tree() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_box(2.0, &Vector3::new(0.3, 0.2, 0.1));
    let body = builder.add_body("body", inertia).unwrap();
    let table = builder.add_body("table", inertia).unwrap();
    let axis = JointKind::Continuous { axis: Vector3::z() };
    let (at, free) = (RigidTransform::identity(), JointKind::Floating);
    builder
        .add_joint("body", free, BodyIndex::WORLD, at, body)
        .unwrap();
    builder
        .add_joint("axis", axis, BodyIndex::WORLD, at, table)
        .unwrap();
    let rim = RigidTransform::new(
        rotation::exp(&Vector3::new(0.0, 0.0, 0.4)),
        Vector3::new(0.5, 0.0, 0.0),
    );
    builder.add_frame("rim", table, rim).unwrap();
    builder.finish().unwrap()
}

/// What an IMU reads.
fn read_imu<T: Scalar>(
    tree: &RigidBodyTree<T>,
    imu: &Imu<T>,
    state: [&[T]; 3],
    bias: &[T],
) -> [T; 6] {
    let [q, v, vdot] = state;
    let (contact, mut workspace) = (ContactModel::none(), tree.workspace());
    let mut accelerations = vec![SpatialAcceleration::zero(); tree.num_bodies()];
    tree.set_state(&mut workspace, q, v).unwrap();
    tree.body_accelerations(&mut workspace, vdot, &mut accelerations)
        .unwrap();
    let context = SensorContext::new(tree, &workspace, &contact);
    let context = context.with_accelerations(&accelerations).unwrap();
    let mut out = [T::zero(); 6];
    imu.measure(&context, bias, &mut || 0.0, &mut out).unwrap();
    out
}

const TILTED: [f64; 8] = [0.8, 0.0, 0.6, 0.0, 0.3, -0.2, 0.7, 0.9];

#[test]
fn an_imu_reads_what_it_must() {
    let tree = tree();
    let (body, table) = (
        tree.body_by_name("body").unwrap(),
        tree.body_by_name("table").unwrap(),
    );
    let mounting = RigidTransform::new(
        rotation::exp(&Vector3::new(0.4, -0.9, 0.2)),
        Vector3::new(0.1, 0.05, -0.2),
    );
    let imu = Imu::new("imu", &tree, body, &mounting).unwrap();
    // In free fall without rotation: nothing.
    let falling = [0.0, 0.0, 0.0, 0.0, 0.0, -G, 0.0];
    let v = [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0];
    let read = read_imu(&tree, &imu, [&TILTED, &v, &falling], &[0.0; 6]);
    assert!(read.iter().all(|x| x.abs() < 1e-14), "{read:?}");
    // At rest: g, upwards in the world.
    let read = read_imu(&tree, &imu, [&TILTED, &[0.0; 7], &[0.0; 7]], &[0.0; 6]);
    let q = nalgebra::Quaternion::new(0.8, 0.0, 0.6, 0.0);
    let r_wi = rotation::matrix_from_quaternion(&q) * mounting.rotation;
    let force = r_wi * Vector3::new(read[0], read[1], read[2]);
    assert!((force - Vector3::new(0.0, 0.0, G)).norm() < 1e-13);
    // On the rim of a turntable: ω² r inwards, α r along the rim, ω about z; with a bias on top.
    let rim = RigidTransform::from_translation(Vector3::new(0.5, 0.0, 0.0));
    let imu = Imu::new("imu", &tree, table, &rim).unwrap();
    let (w, a) = (3.0, 0.7);
    let mut v = [0.0; 7];
    let mut vdot = [0.0; 7];
    (v[6], vdot[6]) = (w, a);
    let bias = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06];
    let read = read_imu(&tree, &imu, [&TILTED, &v, &vdot], &bias);
    let expected = [-w * w * 0.5, a * 0.5, G, 0.0, 0.0, w];
    for i in 0..6 {
        assert!((read[i] - expected[i] - bias[i]).abs() < 1e-13);
    }
}

/// Readings of an IMU as a function of its mounting and the motion.
struct Mounted(RigidBodyTree<f64>);

impl VectorFunction for Mounted {
    type Error = InvalidInput;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let tree = self.0.cast::<T>();
        let body = tree.body_by_name("table").unwrap();
        let at = RigidTransform::from_translation(Vector3::new(0.2, 0.1, 0.3)).cast();
        let mut imu = Imu::new("imu", &tree, body, &at).unwrap();
        let mut k = 0;
        imu.visit_parameters(&mut |p: Parameter<'_, T>| {
            if k < 6 {
                *p.value = x[k];
            }
            k += 1;
        });
        let constants = |values: &[f64]| values.iter().map(|x| T::from(*x)).collect::<Vec<T>>();
        let q = constants(&TILTED);
        let (mut v, mut vdot) = (constants(&[0.0; 7]), constants(&[0.0; 7]));
        (v[6], vdot[6]) = (x[6], x[7]);
        let read = read_imu(&tree, &imu, [&q, &v, &vdot], &constants(&[0.0; 6]));
        Ok(DVector::from_column_slice(&read))
    }
}

#[test]
fn an_imu_is_differentiable_by_its_mounting() {
    let at = [0.5, -0.1, 0.2, 0.3, -0.4, 0.6, 2.0, 1.0];
    check_jacobian(&JacobianChecker::default(), &Mounted(tree()), &at)
        .unwrap()
        .assert_agrees();
    // ∂(ω² r)/∂r on the turntable.
    let straight = [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0];
    let x = straight.map(Dual64::from);
    let mut x = x.to_vec();
    x[0] = x[0].derivative();
    assert_eq!(Mounted(tree()).eval(&x).unwrap()[0].eps, -4.0);
}

#[test]
fn bias_walks_by_the_noise_of_the_caller() {
    let tree = tree();
    let body = BodyIndex::new(1);
    let noise = ImuNoise {
        specific_force_walk: 0.1,
        angular_rate_walk: 0.2,
        specific_force: 0.5,
        angular_rate: 0.25,
    };
    let at = RigidTransform::identity();
    let imu = Imu::new("imu", &tree, body, &at).unwrap();
    let imu = imu.with_noise(noise).unwrap();
    let imu = imu.with_bias(Vector3::repeat(1.0), Vector3::repeat(2.0));
    let (contact, workspace) = (ContactModel::none(), tree.workspace());
    let context = SensorContext::new(&tree, &workspace, &contact);
    let mut state = [0.0; 6];
    imu.write_initial_state(&mut state);
    let mut count = 0.0;
    let mut normal = || {
        count += 1.0;
        count
    };
    imu.update(&context, 0.25, &mut normal, &mut state).unwrap();
    let expected = [1.05, 1.1, 1.15, 2.4, 2.5, 2.6];
    for (x, y) in state.iter().zip(expected) {
        assert!((x - y).abs() < 1e-15);
    }
    // Accelerations are needed, and said to be.
    let result = imu.measure(&context, &state, &mut || 0.0, &mut [0.0; 6]);
    assert!(matches!(result, Err(SensorError::Missing { .. })));
    let accelerations = vec![SpatialAcceleration::zero(); tree.num_bodies()];
    let context = context.with_accelerations(&accelerations).unwrap();
    let mut out = [0.0; 6];
    imu.measure(&context, &[0.0; 6], &mut || 1.0, &mut out)
        .unwrap();
    assert_eq!(out, [0.5, 0.5, G + 0.5, 0.25, 0.25, 0.25]);
    let bad = ImuNoise {
        angular_rate: -1.0,
        ..noise
    };
    assert!(imu.clone().with_noise(bad).is_err());

    // With the same normal numbers, outputs and biases follow the deviations.
    for (name, entry) in [("specific_force", 0), ("angular_rate", 3)] {
        let mut dual = imu.cast::<Dual64>();
        let mut seen = 0;
        dual.visit_parameters(&mut |parameter| {
            let full = parameter.name.to_string();
            if full == format!("imu/noise/{name}") || full == format!("imu/noise/{name}_walk") {
                assert_eq!((parameter.lower, parameter.upper), (0.0, f64::INFINITY));
                *parameter.value = parameter.value.derivative();
                seen += 1;
            }
        });
        assert_eq!(seen, 2);
        let dual_tree = context.tree().cast::<Dual64>();
        let (contact, workspace) = (ContactModel::none(), dual_tree.workspace());
        let accelerations = vec![SpatialAcceleration::zero(); dual_tree.num_bodies()];
        let context = SensorContext::new(&dual_tree, &workspace, &contact)
            .with_accelerations(&accelerations)
            .unwrap();
        let mut state = [Dual64::from(0.0); 6];
        let mut out = [Dual64::from(0.0); 6];
        dual.measure(&context, &state, &mut || 0.7, &mut out)
            .unwrap();
        (dual.update(&context, Dual64::from(0.25), &mut || 0.7, &mut state)).unwrap();
        for i in 0..6 {
            let own = (entry..entry + 3).contains(&i);
            assert_eq!(out[i].eps, if own { 0.7 } else { 0.0 });
            assert_eq!(state[i].eps, if own { 0.35 } else { 0.0 });
        }
    }
}

#[test]
fn encoders_count() {
    let tree = tree();
    let joint = tree.joint_by_name("axis").unwrap();
    let resolution = Dual64::from(0.1).derivative();
    let dual = tree.cast::<Dual64>();
    let encoder = Encoder::new("enc", &dual, joint, resolution).unwrap();
    let (contact, mut workspace) = (ContactModel::none(), dual.workspace());
    let mut q: Vec<Dual64> = TILTED.iter().map(|x| Dual64::from(*x)).collect();
    for (angle, count) in [(0.37, 3.0), (-0.37, -4.0), (0.0, 0.0)] {
        q[7] = Dual64::from(angle);
        dual.set_positions(&mut workspace, &q).unwrap();
        let context = SensorContext::new(&dual, &workspace, &contact);
        let mut out = [Dual64::from(0.0); 3];
        encoder
            .measure(&context, &[], &mut || 0.0, &mut out)
            .unwrap();
        assert!((out[0].re - 0.1 * count).abs() < 1e-15 && out[0].eps == count);
        assert_eq!((out[1].re, out[1].eps), (angle, 0.0));
    }
    let free = tree.joint_by_name("body").unwrap();
    assert!(Encoder::new("enc", &tree, free, 0.1).is_err());
    assert!(Encoder::new("enc", &tree, joint, -0.1).is_err());
}

#[test]
fn encoders_without_increments_do_not_round() {
    let tree = tree().cast::<Dual64>();
    let joint = tree.joint_by_name("axis").unwrap();
    let encoder = Encoder::new("enc", &tree, joint, Dual64::from(0.0)).unwrap();
    let (contact, mut workspace) = (ContactModel::none(), tree.workspace());
    let mut q: Vec<Dual64> = TILTED.iter().map(|x| Dual64::from(*x)).collect();
    q[7] = Dual64::from(0.37).derivative();
    tree.set_positions(&mut workspace, &q).unwrap();
    let context = SensorContext::new(&tree, &workspace, &contact);
    let mut out = [Dual64::from(0.0); 3];
    (encoder.measure(&context, &[], &mut || 0.0, &mut out)).unwrap();
    assert_eq!((out[0].re, out[0].eps), (0.37, 1.0));
    let visit = &mut |kink| panic!("{kink:?}");
    encoder.visit_kinks(&context, &[], visit).unwrap();
}

fn room(tree: &RigidBodyTree<f64>) -> ContactModel<f64> {
    let mut contact = ContactModelBuilder::new();
    let rubber = ContactMaterial::new(1e4, 0.1, 0.5).unwrap();
    let ball = Shape::new_sphere(0.2).unwrap();
    contact
        .add_geometry(geometry("own", BodyIndex::new(1), ball.clone(), rubber))
        .unwrap();
    let mut pillar = geometry("pillar", BodyIndex::WORLD, ball, rubber);
    pillar.pose_in_body.translation = Vector3::new(2.0, 0.0, 1.0);
    contact.add_geometry(pillar).unwrap();
    let ground = ContactMaterial::rigid(0.5).unwrap();
    let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, ground);
    contact.add_geometry(ground).unwrap();
    contact.finish(tree).unwrap()
}

#[test]
fn a_lidar_sees_what_is_nearest() {
    let tree = tree();
    let body = BodyIndex::new(1);
    let directions = [
        Vector3::x(),
        -Vector3::z(),
        -Vector3::x(),
        Vector3::new(1.0, 0.0, -1.0),
    ];
    let at = RigidTransform::identity();
    let lidar = Lidar::new("lidar", &tree, body, &at, &directions, [0.1, 9.0]).unwrap();
    let tree = tree.cast::<Dual64>();
    let (contact, lidar) = (room(&self::tree()).cast::<Dual64>(), lidar.cast::<Dual64>());
    let mut q: Vec<Dual64> = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        .map(Dual64::from)
        .to_vec();
    q[6] = q[6].derivative(); // raise the body
    let mut workspace = tree.workspace();
    tree.set_positions(&mut workspace, &q).unwrap();
    let context = SensorContext::new(&tree, &workspace, &contact);
    let mut out = vec![Dual64::from(0.0); 4];
    lidar.measure(&context, &[], &mut || 0.0, &mut out).unwrap();
    let expected = [
        (1.8, 0.0),
        (1.0, 1.0),
        (9.0, 0.0),
        (2f64.sqrt(), 2f64.sqrt()),
    ];
    for (out, (re, eps)) in out.iter().zip(expected) {
        assert!(
            (out.re - re).abs() < 1e-14 && (out.eps - eps).abs() < 1e-13,
            "{out:?}"
        );
    }
    let fan = Lidar::fan(5, -1.0, 1.0);
    assert!((fan[2] - Vector3::x()).norm() < 1e-15 && fan.len() == 5);
    assert!((fan[4] - Vector3::new(1f64.cos(), 1f64.sin(), 0.0)).norm() < 1e-15);
    let tree = self::tree();
    let none = [Vector3::zeros()];
    assert!(Lidar::new("lidar", &tree, body, &at, &none, [0.1, 9.0]).is_err());
    assert!(Lidar::new("lidar", &tree, body, &at, &directions, [1.0, 0.5]).is_err());
    assert!(
        Lidar::new(
            "lidar",
            &tree,
            BodyIndex::new(9),
            &at,
            &directions,
            [0.1, 9.0]
        )
        .is_err()
    );
}

#[test]
fn a_contact_sensor_feels_the_weight() {
    let system = cube(1e-3);
    let depth = 0.37 * G / (4.0 * 2e4);
    let height = 0.0524 - depth;
    let state = free_body([1.0, 0.0, 0.0, 0.0], [0.1, 0.2, height], [0.0; 3], [0.0; 3]);
    let mut workspace = system.workspace().unwrap();
    let mut step = system.step(&mut workspace, &state, &[]).unwrap();
    let contacts = step.contacts().unwrap();
    let mut tree = system.tree().workspace();
    system
        .tree()
        .set_positions(&mut tree, state.q.as_slice())
        .unwrap();
    let context = SensorContext::new(system.tree(), &tree, system.contact());
    let context = context.with_contacts(contacts);
    let sensors = [
        ContactForce::new("cube", BodyIndex::new(1)),
        ContactForce::new("ground", BodyIndex::WORLD),
    ];
    let mut out = [0.0; 12];
    for (sensor, out) in sensors.iter().zip(out.chunks_mut(6)) {
        sensor.measure(&context, &[], &mut || 0.0, out).unwrap();
    }
    let weight = 0.37 * G;
    let expected = [
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        weight,
        -0.2 * weight,
        0.1 * weight,
        0.0,
        0.0,
        0.0,
        -weight,
    ];
    for (out, expected) in out.iter().zip(expected) {
        assert!((out - expected).abs() < 1e-9, "{out} {expected}");
    }
}

#[test]
fn poses_states_and_delays() {
    let tree = tree();
    let frame = tree.frame_by_name("rim").unwrap();
    let full = AnySensor::new(FullState::new(&tree));
    let pose = AnySensor::new(FramePose::new("rim", frame));
    let delayed = Delayed::new(pose.clone(), 2);
    let names = |sensor: &dyn Sensor<f64>| {
        sensor.validate(&tree).unwrap();
        let mut names = Vec::new();
        sensor.visit_output_names(&mut |name| names.push(name.to_string()));
        assert_eq!(names.len(), sensor.num_outputs());
        names
    };
    assert_eq!(
        (names(&full).len(), names(&full)[0].as_str()),
        (15, "state/q/0")
    );
    assert_eq!(names(&delayed)[0], "rim/position/x");
    assert_eq!(names(&delayed), names(&pose));
    let sensors: [(&dyn Sensor<f64>, usize); 3] = [(&full, 0), (&delayed, 14), (&pose, 0)];
    for (sensor, states) in sensors {
        assert_eq!(sensor.num_states(), states);
    }
    let mut state = [f64::NAN; 14];
    delayed.write_initial_state(&mut state);
    let (contact, mut workspace) = (ContactModel::none(), tree.workspace());
    let mut seen = Vec::new();
    for k in 0..4 {
        let mut q = TILTED;
        q[7] = 0.1 * k as f64;
        tree.set_positions(&mut workspace, &q).unwrap();
        let context = SensorContext::new(&tree, &workspace, &contact);
        let measured = sensors.map(|(sensor, states)| {
            let mut out = vec![0.0; sensor.num_outputs()];
            sensor
                .measure(&context, &state[..states], &mut || 0.0, &mut out)
                .unwrap();
            out
        });
        delayed
            .update(&context, 0.01, &mut || 0.0, &mut state)
            .unwrap();
        let [full, delayed, pose] = measured;
        assert_eq!(full[..8], q);
        // Half the angle of the table and of the mounting.
        let half = 0.5 * (0.1 * k as f64 + 0.4);
        assert!((pose[3] - half.cos()).abs() < 1e-15 && (pose[6] - half.sin()).abs() < 1e-15);
        seen.push(pose);
        match k {
            0 | 1 => assert_eq!(delayed, [0.0; 7]),
            k => assert_eq!(delayed, seen[k - 2]),
        }
    }
    // Too short a slice is an error.
    let context = SensorContext::new(&tree, &workspace, &contact);
    for (sensor, states) in sensors {
        let mut out = vec![0.0; sensor.num_outputs() - 1];
        let mut measure = |state| sensor.measure(&context, state, &mut || 0.0, &mut out);
        assert!(measure(&state[..states]).is_err());
    }
    let mut out = [0.0; 7];
    let short = delayed.measure(&context, &state[1..], &mut || 0.0, &mut out);
    assert!(short.is_err());
    let nan = RigidTransform::from_rotation(Matrix3::repeat(f64::NAN));
    assert!(Imu::new("imu", &tree, BodyIndex::new(1), &nan).is_err());
}
