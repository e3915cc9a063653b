//! Kinematics and dynamics of five robots against values computed by other software.
//!
//! `DUALBODY_REFERENCE` names another folder with cases of the same format; the descriptions of the
//! robots are then looked for there, beside it in `models`, and in this repository.

use crate::support::reference::{assert_close, data};
use crate::support::robots::{Layout, find_model, permuted};
use dualbody::io::urdf::UrdfReader;
use dualbody::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::{DMatrix, Vector3};
use serde_json::Value;
use std::path::PathBuf;

#[test]
fn robots_agree_with_reference() {
    let folder = std::env::var_os("DUALBODY_REFERENCE").map_or(data("reference"), PathBuf::from);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("dynamics_") && name.ends_with(".json")
        })
        .collect();
    files.sort();
    let mut count = 0;
    for file in &files {
        let reference: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap())
            .unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let model = find_model(&folder, reference["model"].as_str().unwrap());
        let (tree, _) = UrdfReader::new().tree_from_file(&model).unwrap();
        check_layout(&tree, &reference);
        for (index, case) in reference["cases"].as_array().unwrap().iter().enumerate() {
            let context = format!("{}, case {index}", file.display());
            check_case(&tree, &Layout::new(&tree, &reference), case, &context);
            count += 1;
        }
    }
    assert!(count > 0, "no case in {}", folder.display());
    println!(
        "{count} cases in {} files of {} agree",
        files.len(),
        folder.display()
    );
}

fn check_layout(tree: &RigidBodyTree<f64>, reference: &Value) {
    assert_eq!(reference["nq"], tree.num_positions());
    assert_eq!(reference["nv"], tree.num_velocities());
    assert_eq!(&numbers(&reference["gravity"]), tree.gravity().as_slice());
}

fn check_case(tree: &RigidBodyTree<f64>, layout: &Layout, case: &Value, context: &str) {
    let q = permuted(&numbers(&case["q"]), &layout.positions);
    let v = permuted(&numbers(&case["v"]), &layout.velocities);
    let tau = permuted(&numbers(&case["tau"]), &layout.velocities);
    let n = v.len();
    let mut ws = tree.workspace();
    tree.set_state(&mut ws, &q, &v).unwrap();
    let check = |quantity: &str, actual: &[f64], expected: &[f64]| {
        assert_close(&format!("{context}: {quantity}"), actual, expected);
    };
    let expected = &case["expected"];
    let by_velocity = |key: &str| permuted(&numbers(&expected[key]), &layout.velocities);

    let mut mass_matrix = DMatrix::zeros(n, n);
    tree.mass_matrix(&mut ws, &mut mass_matrix).unwrap();
    let rows = matrix(&expected["mass_matrix"]);
    let reference = DMatrix::from_fn(n, n, |i, j| {
        rows[(layout.velocities[i], layout.velocities[j])]
    });
    check("mass matrix", mass_matrix.as_slice(), reference.as_slice());

    let mut out = vec![f64::NAN; n];
    tree.bias_forces(&mut ws, &mut out).unwrap();
    check("bias forces", &out, &by_velocity("bias"));
    tree.gravity_forces(&mut ws, &mut out).unwrap();
    check("gravity forces", &out, &by_velocity("gravity_forces"));
    tree.joint_damping_forces(&ws, &mut out).unwrap();
    check("damping forces", &out, &by_velocity("joint_damping_forces"));

    let total: Vec<f64> = tau
        .iter()
        .zip(&out)
        .map(|(tau, damping)| tau + damping)
        .collect();
    tree.forward_dynamics(&mut ws, &total, None, &mut out)
        .unwrap();
    check("accelerations", &out, &by_velocity("vdot"));
    let vdot = out.clone();
    tree.inverse_dynamics(&mut ws, &vdot, None, &mut out)
        .unwrap();
    check("inverse dynamics", &out, &total);

    let scalar = |key: &str| [expected[key].as_f64().unwrap()];
    check(
        "kinetic energy",
        &[tree.kinetic_energy(&ws).unwrap()],
        &scalar("kinetic_energy"),
    );
    let potential = tree.potential_energy(&ws).unwrap();
    check(
        "potential energy",
        &[potential],
        &scalar("potential_energy"),
    );
    let center = tree.center_of_mass(&ws).unwrap();
    check(
        "centre of mass",
        center.as_slice(),
        &numbers(&expected["center_of_mass"]),
    );

    check_tip(tree, &ws, layout, expected, &check);
}

fn check_tip(
    tree: &RigidBodyTree<f64>,
    ws: &TreeWorkspace<f64>,
    layout: &Layout,
    expected: &Value,
    check: &impl Fn(&str, &[f64], &[f64]),
) {
    let n = tree.num_velocities();
    let tip = tree
        .body_by_name(expected["tip_body"].as_str().unwrap())
        .unwrap();
    let offset = Vector3::from_vec(numbers(&expected["tip_offset"]));
    let pose = tree.body_pose(ws, tip).unwrap();
    let rotation = matrix(&expected["tip_rotation"]);
    check(
        "tip rotation",
        pose.rotation.as_slice(),
        rotation.as_slice(),
    );
    let position = numbers(&expected["tip_position"]);
    check("tip position", pose.translation.as_slice(), &position);

    let rows = matrix(&expected["tip_jacobian"]);
    let reference = DMatrix::from_fn(6, n, |i, j| rows[(i, layout.velocities[j])]);
    let mut jacobian = DMatrix::zeros(6, n);
    tree.spatial_jacobian(ws, tip, &offset, &mut jacobian)
        .unwrap();
    check("tip Jacobian", jacobian.as_slice(), reference.as_slice());
    let mut linear = DMatrix::zeros(3, n);
    tree.point_jacobian(ws, tip, &offset, &mut linear).unwrap();
    let reference = reference.rows(3, 3).into_owned();
    check(
        "tip point Jacobian",
        linear.as_slice(),
        reference.as_slice(),
    );

    let bias = tree
        .bias_acceleration(ws, tip, &offset)
        .unwrap()
        .to_vector();
    check(
        "tip bias",
        bias.as_slice(),
        &numbers(&expected["tip_bias_acceleration"]),
    );
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|x| x.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> DMatrix<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}
