//! Dynamics of robot descriptions against values computed by other software.
//!
//! Every JSON file that names its description (`"urdf"`) in the folder `urdf` of
//! `DUALBODY_REFERENCE`, or of this repository when there is no such folder, holds cases with
//!
//! - `q`, `v` and `tau` by the name of the joint, lists for joints with several coordinates,
//! - `order`: the joint of each row of the expected values,
//! - `mimic`: `"coupled"`, or else joints that follow others are independent,
//!
//! for a base that is fixed to the world. `vdot` is null where the mass matrix is nearly singular.
//! The centre of mass is that of the bodies that can move.

use crate::support::reference::{assert_close, data, folder, number, vector};
use dualbody::io::urdf::{UrdfBase, UrdfError, UrdfMimic, UrdfReader};
use dualbody::tree::{Joint, RigidBodyTree};
use nalgebra::{DMatrix, Vector3};
use serde_json::Value;
use std::path::{Path, PathBuf};

#[test]
fn descriptions_agree_with_reference() {
    let given = folder().join("urdf");
    let folder = if given.is_dir() { given } else { data("urdf") };
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    let (mut cases, mut agree, mut failures) = (0, 0, vec![]);
    for file in &files {
        let reference: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap())
            .unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let tree = match load(&folder, &reference) {
            Ok(tree) => tree,
            Err(error) => {
                failures.push(format!("{} is refused: {error}", file.display()));
                continue;
            }
        };
        let all = reference["cases"].as_array().unwrap();
        cases += all.len();
        // All files are counted, whatever differs in one.
        let compared = std::panic::catch_unwind(|| {
            for (index, case) in all.iter().enumerate() {
                let context = format!("{}, case {index}", file.display());
                check_case(&tree, &rows(&tree, &reference), case, &context);
            }
        });
        match compared {
            Ok(()) => agree += 1,
            Err(_) => failures.push(format!("{} differs", file.display())),
        }
    }
    println!(
        "{agree} of {} files of {} agree, in {cases} cases",
        files.len(),
        folder.display()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(cases > 0, "no case in {}", folder.display());
}

fn load(folder: &Path, reference: &Value) -> Result<RigidBodyTree<f64>, UrdfError> {
    assert_eq!(reference["base"], "fixed");
    let mimic = match reference["mimic"].as_str() {
        Some("coupled") => UrdfMimic::Coupled,
        _ => UrdfMimic::Independent,
    };
    let (tree, _) = UrdfReader::new()
        .with_base(UrdfBase::Fixed)
        .with_mimic(mimic)
        .with_model_name("")
        .tree_from_file::<f64>(folder.join(reference["urdf"].as_str().unwrap()))?;
    assert_eq!(reference["nv"], tree.num_velocities());
    assert_eq!(vector(&reference["gravity"]), tree.gravity().as_slice());
    Ok(tree)
}

/// The velocity coordinate that belongs to each row of the expected values.
fn rows(tree: &RigidBodyTree<f64>, reference: &Value) -> Vec<usize> {
    let order = reference["order"].as_array().unwrap();
    (0..order.len())
        .map(|row| {
            let name = order[row].as_str().unwrap();
            let nth = order[..row].iter().filter(|other| *other == name).count();
            joint(tree, name).velocity_start() + nth
        })
        .collect()
}

fn joint<'t>(tree: &'t RigidBodyTree<f64>, name: &str) -> &'t Joint<f64> {
    let index = tree.joint_by_name(name).unwrap();
    tree.joint(index).unwrap()
}

fn check_case(tree: &RigidBodyTree<f64>, rows: &[usize], case: &Value, context: &str) {
    let n = tree.num_velocities();
    let coordinates = |key: &str, len: usize, start: fn(&Joint<f64>) -> usize| {
        let mut values = vec![f64::NAN; len];
        for (name, value) in case[key].as_object().unwrap() {
            let start = start(joint(tree, name));
            let entries = if value.is_array() {
                vector(value)
            } else {
                vec![number(value)]
            };
            values[start..start + entries.len()].copy_from_slice(&entries);
        }
        values
    };
    let q = coordinates("q", tree.num_positions(), Joint::position_start);
    let v = coordinates("v", n, Joint::velocity_start);
    let tau = coordinates("tau", n, Joint::velocity_start);
    let mut ws = tree.workspace();
    tree.set_state(&mut ws, &q, &v).unwrap();
    let expected = &case["expected"];
    let check = |quantity: &str, actual: &[f64]| {
        let expected = match &expected[quantity] {
            Value::Array(rows) if rows[0].is_array() => rows.iter().flat_map(vector).collect(),
            Value::Array(_) => vector(&expected[quantity]),
            value => vec![number(value)],
        };
        assert_close(&format!("{context}: {quantity}"), actual, &expected);
    };
    let in_order = |values: &[f64]| -> Vec<f64> { rows.iter().map(|&k| values[k]).collect() };

    let mut mass_matrix = DMatrix::zeros(n, n);
    tree.mass_matrix(&mut ws, &mut mass_matrix).unwrap();
    let symmetric = DMatrix::from_fn(n, n, |i, j| mass_matrix[(rows[i], rows[j])]);
    check("mass_matrix", symmetric.as_slice());

    let mut bias = vec![0.0; n];
    tree.inverse_dynamics(&mut ws, &vec![0.0; n], None, &mut bias)
        .unwrap();
    check("bias_with_gravity", &in_order(&bias));

    if !expected["vdot"].is_null() {
        let mut vdot = vec![0.0; n];
        tree.forward_dynamics(&mut ws, &tau, None, &mut vdot)
            .unwrap();
        check("vdot", &in_order(&vdot));
    }
    check("kinetic_energy", &[tree.kinetic_energy(&ws).unwrap()]);

    let moving = tree.bodies().map(|body| body.index());
    let moving = moving.filter(|&index| !tree.is_anchored(index).unwrap());
    let center: Vector3<f64> = tree.center_of_mass_of(&ws, moving).unwrap();
    check("center_of_mass", center.as_slice());
}
