//! IMU and encoder against readings of Drake's accelerometer, gyroscope and rotary encoder
//! (`scripts/reference/drake_sensors.py`).

use crate::support::reference::{cases, data, matrix, number, vector};
use dualbody::contact::ContactModel;
use dualbody::io::urdf::{UrdfBase, UrdfMimic, UrdfReader};
use dualbody::math::{RigidTransform, SpatialAcceleration};
use dualbody::sensor::{Encoder, Imu, Sensor, SensorContext};
use nalgebra::{Matrix3, Vector3};

#[test]
fn sensors_agree_with_reference() {
    let cases = cases("sensors.json");
    for case in &cases {
        let name = case["model"].as_str().unwrap();
        let (tree, _) = UrdfReader::new()
            .with_base(UrdfBase::Fixed)
            .with_mimic(UrdfMimic::Independent)
            .tree_from_file(data(&format!("models/{name}.urdf")))
            .unwrap();
        let mut q = vec![0.0; tree.num_positions()];
        let (mut v, mut vdot) = (q.clone(), q.clone());
        let resolution = std::f64::consts::TAU / number(&case["ticks_per_revolution"]);
        let mut encoders = Vec::new();
        let joints = case["joints"].as_array().unwrap();
        assert_eq!(joints.len(), q.len());
        for (k, joint) in joints.iter().enumerate() {
            let joint = tree.joint_by_name(joint.as_str().unwrap()).unwrap();
            let at = tree.joint(joint).unwrap();
            q[at.position_start()] = number(&case["q"][k]);
            v[at.velocity_start()] = number(&case["v"][k]);
            vdot[at.velocity_start()] = number(&case["vdot"][k]);
            encoders.push(Encoder::new("encoder", &tree, joint, resolution).unwrap());
        }
        let body = tree.body_by_name(case["body"].as_str().unwrap()).unwrap();
        let rotation = matrix(&case["rotation"], 3);
        let mounting = RigidTransform::new(
            Matrix3::from_column_slice(rotation.as_slice()),
            Vector3::from_column_slice(&vector(&case["translation"])),
        );
        let imu = Imu::new("imu", &tree, body, &mounting).unwrap();

        let (contact, mut workspace) = (ContactModel::none(), tree.workspace());
        let mut accelerations = vec![SpatialAcceleration::zero(); tree.num_bodies()];
        tree.set_state(&mut workspace, &q, &v).unwrap();
        tree.body_accelerations(&mut workspace, &vdot, &mut accelerations)
            .unwrap();
        let context = SensorContext::new(&tree, &workspace, &contact);
        let context = context.with_accelerations(&accelerations).unwrap();
        let mut read = [0.0; 6];
        imu.measure(&context, &[0.0; 6], &mut || 0.0, &mut read)
            .unwrap();
        let expected = [vector(&case["accelerometer"]), vector(&case["gyroscope"])].concat();
        for (read, expected) in read.iter().zip(&expected) {
            assert!(
                (read - expected).abs() < 1e-10 * (1.0 + expected.abs()),
                "{name}"
            );
        }
        for (encoder, expected) in encoders.iter().zip(vector(&case["encoders"])) {
            let mut out = [0.0; 3];
            encoder
                .measure(&context, &[], &mut || 0.0, &mut out)
                .unwrap();
            assert!((out[0] - expected).abs() < 1e-12, "{name}");
        }
    }
    println!("{} cases agree", cases.len());
    assert!(!cases.is_empty() || std::env::var_os("DUALBODY_REFERENCE").is_some());
}
