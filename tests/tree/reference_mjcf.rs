//! Dynamics of models in MJCF against MuJoCo's.
//!
//! Every JSON file in the folder `mjcf` of `DUALBODY_REFERENCE`, or of this repository when there is no
//! such folder, names its model and holds cases that `scripts/reference/mujoco_mjcf.py` wrote. Models
//! with elements that count and that the reader leaves out are listed, not compared.
#![cfg(feature = "urdf")]

use crate::support::reference::{assert_close, data, folder, matrix, vector};
use dualbody::force::BuiltinForce;
use dualbody::io::mjcf::{MjcfModel, MjcfReader};
use dualbody::math::rotation::matrix_from_quaternion;
use dualbody::tree::{Joint, JointKind, RigidBodyTree};
use nalgebra::{DMatrix, Matrix3, Quaternion};
use serde_json::Value;
use std::path::PathBuf;

#[test]
fn models_agree_with_reference() {
    let given = folder().join("mjcf");
    let is_given = given.is_dir();
    let folder = if is_given { given } else { data("mjcf") };
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    let (mut compared, mut incomplete, mut failures) = (0, vec![], vec![]);
    for file in &files {
        let reference: Value =
            serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let model = folder.join(reference["mjcf"].as_str().unwrap());
        let (tree, model) = MjcfReader::new()
            .tree_from_file::<f64>(&model)
            .unwrap_or_else(|e| panic!("{e}"));
        if let Some(reason) = what_is_missing(&model) {
            incomplete.push(format!("{}: {reason}", file.display()));
            continue;
        }
        compared += 1;
        for (index, case) in reference["cases"].as_array().unwrap().iter().enumerate() {
            let context = format!("{}, case {index}", file.display());
            let check = || check_case(&tree, &model, case, &context);
            if is_given && std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).is_err() {
                failures.push(context);
            } else if !is_given {
                check_case(&tree, &model, case, &context);
            }
        }
    }
    println!("{compared} models of {} agree", folder.display());
    println!(
        "not compared ({}):\n{}",
        incomplete.len(),
        incomplete.join("\n")
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared > 0 && (is_given || incomplete.is_empty()));
}

/// What of the dynamics of joints alone was left out.
fn what_is_missing(model: &MjcfModel<f64>) -> Option<String> {
    let report = &model.report;
    if let Some(body) = report.unknown_inertia.first() {
        return Some(format!("the inertia of {body} is that of a mesh"));
    }
    let counts = ["may hold bodies", "has a springdamper"];
    let omission = report.left_out.iter().find(|o| counts.contains(&o.reason));
    omission.map(|o| format!("{} {}", o.place, o.reason))
}

/// MuJoCo's free joints have the position first, and angular velocities of ball and free joints are
/// expressed in the body: `v = G v_MuJoCo`, with the rotations of the joints in G.
struct Coordinates {
    q: Vec<f64>,
    g: DMatrix<f64>,
}

impl Coordinates {
    fn new(tree: &RigidBodyTree<f64>, qpos: &[f64]) -> Self {
        let n = tree.num_velocities();
        let (mut q, mut g) = (qpos.to_vec(), DMatrix::identity(n, n));
        for (_, joint) in tree.joints() {
            let (i, k) = (joint.position_start(), joint.velocity_start());
            match joint.kind() {
                JointKind::Ball => turn(&mut g, &q[i..i + 4], k..k + 3),
                JointKind::Floating => {
                    q[i..i + 7].rotate_left(3);
                    // MuJoCo's velocity is [v; w], v = [w; v] here.
                    let mut block = g.view_mut((k, k), (6, 6));
                    block.fill(0.0);
                    let r = rotation(&q[i..i + 4]);
                    block.view_mut((0, 3), (3, 3)).copy_from(&r);
                    block.view_mut((3, 0), (3, 3)).fill_with_identity();
                }
                _ => {}
            }
        }
        Coordinates { q, g }
    }

    fn velocities(&self, v: &[f64]) -> Vec<f64> {
        (&self.g * DMatrix::from_column_slice(v.len(), 1, v))
            .as_slice()
            .to_vec()
    }
}

fn turn(g: &mut DMatrix<f64>, quaternion: &[f64], k: std::ops::Range<usize>) {
    g.view_mut((k.start, k.start), (3, 3))
        .copy_from(&rotation(quaternion));
}

fn rotation(q: &[f64]) -> Matrix3<f64> {
    matrix_from_quaternion(&Quaternion::new(q[0], q[1], q[2], q[3]))
}

fn check_case(tree: &RigidBodyTree<f64>, model: &MjcfModel<f64>, case: &Value, context: &str) {
    let n = tree.num_velocities();
    let coordinates = Coordinates::new(tree, &vector(&case["qpos"]));
    let g = &coordinates.g;
    let v = coordinates.velocities(&vector(&case["qvel"]));
    let mut ws = tree.workspace();
    tree.set_state(&mut ws, &coordinates.q, &v).unwrap();
    let check = |quantity: &str, actual: &[f64], expected: &[f64]| {
        assert_close(&format!("{context}: {quantity}"), actual, expected);
    };

    let mut mass = DMatrix::zeros(n, n);
    tree.mass_matrix(&mut ws, &mut mass).unwrap();
    let mass = g.tr_mul(&(mass * g));
    check(
        "mass matrix",
        mass.as_slice(),
        matrix(&case["mass_matrix"], n).as_slice(),
    );

    let mut bias = vec![0.0; n];
    tree.inverse_dynamics(&mut ws, &vec![0.0; n], None, &mut bias)
        .unwrap();
    let bias = g.tr_mul(&DMatrix::from_column_slice(n, 1, &bias));
    check("bias", bias.as_slice(), &vector(&case["bias"]));

    // The force of MuJoCo's coordinates is Gᵀ times that of these.
    let applied = DMatrix::from_column_slice(n, 1, &vector(&case["force"]));
    let mut tau = vec![0.0; n];
    tree.joint_damping_forces(&ws, &mut tau).unwrap();
    for (tau, applied) in tau.iter_mut().zip((g * applied).as_slice()) {
        *tau += applied;
    }
    for force in &model.elements.forces {
        let BuiltinForce::JointSpring(spring) = force else {
            panic!("{force:?}");
        };
        let joint: &Joint<f64> = tree.joint(spring.joint).unwrap();
        let stretch = coordinates.q[joint.position_start()] - spring.nominal_position;
        tau[joint.velocity_start()] -= spring.stiffness * stretch;
    }
    let mut vdot = vec![0.0; n];
    tree.forward_dynamics(&mut ws, &tau, None, &mut vdot)
        .unwrap();
    // Derivatives of the rotations in G cancel: they turn about the angular velocity itself.
    let expected = coordinates.velocities(&vector(&case["qacc"]));
    check("accelerations", &vdot, &expected);
}
