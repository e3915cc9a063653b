//! Regressors against the dynamics that they factor, and against other software.

use crate::support::random_tree::{Random, Style, constants, flow, random_state, random_tree};
use crate::support::reference::{assert_close, data};
use dualbody::Parameters;
use dualbody::math::SpatialInertia;
use dualbody::tree::{BodyIndex, RigidBodyTree, TreeError};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::Dual64;
use proptest::prelude::*;
use serde_json::Value;

/// With dry friction, which the random trees do not have.
fn tree_of(seed: u64, bodies: usize, style: Style) -> RigidBodyTree<f64> {
    let mut tree = random_tree(seed, bodies, style);
    let frictions: Vec<usize> = (tree.parameters().iter().enumerate())
        .filter(|(_, p)| p.name.contains("/friction"))
        .map(|(i, _)| i)
        .collect();
    for (k, index) in frictions.into_iter().enumerate() {
        tree.set_parameters(&[(index, 0.1 + 0.2 * k as f64)])
            .unwrap();
    }
    tree
}

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![Just(Style::General), Just(Style::Mimic), Just(Style::Free)]
}

/// `f sign v` of the joints.
fn dry_friction(tree: &RigidBodyTree<f64>, v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; v.len()];
    for joint in tree.joints() {
        let ratio = joint.mimic().map_or(1.0, |m| m.multiplier);
        for (k, friction) in joint.friction().iter().enumerate() {
            let i = joint.velocity_start() + k;
            out[i] += ratio * friction * (ratio * v[i]).signum();
        }
    }
    out
}

fn assert_near(a: &[f64], b: &[f64]) {
    let scale = b.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-12 * scale, "{a} is not {b}");
    }
}

proptest! {
    #[test]
    fn regressors_times_parameters_are_forces_momentum_and_energies(
        seed: u64, bodies in 1usize..12, style in style(),
    ) {
        let tree = tree_of(seed, bodies, style);
        let (n, p) = (tree.num_velocities(), tree.num_standard_parameters());
        let (q, v) = random_state(&tree, seed);
        let mut random = Random::new(seed ^ 7);
        let (vdot, point) = (random.numbers(n), random.vector());
        let mut ws = tree.workspace();
        tree.set_state(&mut ws, &q, &v).unwrap();
        let parameters = tree.standard_parameter_values();

        let mut tau = vec![0.0; n];
        tree.inverse_dynamics(&mut ws, &vdot, None, &mut tau).unwrap();
        let mut damping = vec![0.0; n];
        tree.joint_damping_forces(&ws, &mut damping).unwrap();
        let friction = dry_friction(&tree, &v);
        let expected: Vec<f64> = (0..n).map(|i| tau[i] - damping[i] + friction[i]).collect();
        let mut torques = DMatrix::repeat(n, p, f64::NAN);
        tree.torque_regressor(&mut ws, &vdot, &mut torques).unwrap();
        assert_near((&torques * &parameters).as_slice(), &expected);

        let momentum = tree.momentum(&ws, &point).unwrap();
        let mut momenta = DMatrix::repeat(6, p, f64::NAN);
        tree.momentum_regressor(&ws, &point, &mut momenta).unwrap();
        let product = &momenta * &parameters;
        assert_near(&product.as_slice()[..3], momentum.angular.as_slice());
        assert_near(&product.as_slice()[3..], momentum.linear.as_slice());

        let mut energies = DMatrix::repeat(2, p, f64::NAN);
        tree.energy_regressor(&ws, &mut energies).unwrap();
        let kinetic = tree.kinetic_energy(&ws).unwrap();
        let potential = tree.potential_energy(&ws).unwrap();
        assert_near((&energies * &parameters).as_slice(), &[kinetic, potential]);
    }

    /// `Ẏ π` along a motion is the rate of the forces, by duals on both sides.
    #[test]
    fn derivatives_of_the_regressor_are_those_of_the_forces(seed: u64, bodies in 1usize..8) {
        let tree = random_tree(seed, bodies, Style::Mimic).cast::<Dual64>();
        let (n, p) = (tree.num_velocities(), tree.num_standard_parameters());
        let real = tree.cast::<f64>();
        let (q, v) = random_state(&real, seed);
        let vdot = Random::new(seed ^ 3).numbers(n);
        let (q, v) = flow(&real, &q, &v, &vdot);
        let vdot: Vec<Dual64> = constants(&vdot);
        let mut ws = tree.workspace();
        tree.set_state(&mut ws, &q, &v).unwrap();
        let mut tau = vec![Dual64::from(0.0); n];
        tree.inverse_dynamics(&mut ws, &vdot, None, &mut tau).unwrap();
        let mut damping = tau.clone();
        tree.joint_damping_forces(&ws, &mut damping).unwrap();
        let mut regressor = DMatrix::zeros(n, p);
        tree.torque_regressor(&mut ws, &vdot, &mut regressor).unwrap();
        let product = regressor * tree.standard_parameter_values();
        let rates: Vec<f64> = product.iter().map(|x| x.eps).collect();
        let expected: Vec<f64> = tau.iter().zip(&damping).map(|(t, d)| t.eps - d.eps).collect();
        assert_near(&rates, &expected);
    }

    #[test]
    fn standard_parameters_come_back(seed: u64, bodies in 1usize..8, style in style()) {
        let (mut tree, other) = (tree_of(seed, bodies, style), tree_of(seed, bodies, style));
        let values = tree.standard_parameter_values();
        let infos = tree.standard_parameters();
        prop_assert_eq!(infos.len(), tree.num_standard_parameters());
        for (info, value) in infos.iter().zip(&values) {
            prop_assert_eq!(info.value, *value);
        }
        tree.set_standard_parameters((&values * 1.5).as_slice()).unwrap();
        tree.set_standard_parameters(values.as_slice()).unwrap();
        assert_near(tree.standard_parameter_values().as_slice(), values.as_slice());
        for body in tree.bodies().skip(1) {
            let index = body.index();
            let inertia = other.body(index).unwrap().inertia();
            assert_near(&[body.inertia().mass], &[inertia.mass]);
            let turn = (body.inertia().rotational_inertia, inertia.rotational_inertia);
            assert_near(turn.0.as_slice(), turn.1.as_slice());
        }
    }
}

#[test]
fn names_and_places_are_those_of_bodies_and_joints() {
    let tree = random_tree(3, 4, Style::General);
    let parameters = tree.standard_parameters();
    let place = tree.standard_parameters_of(BodyIndex::new(2)).unwrap();
    assert_eq!(parameters[place.start].name, "body/body2/mass");
    assert_eq!(
        parameters[place.end - 1].name,
        "body/body2/inertia_about_origin/yz"
    );
    assert!(
        tree.standard_parameters_of(BodyIndex::WORLD)
            .unwrap()
            .is_empty()
    );
    // The constants of joints have the names of the tree's own parameters.
    let known: Vec<String> = tree
        .clone()
        .parameters()
        .into_iter()
        .map(|p| p.name)
        .collect();
    for joint in &parameters[40..] {
        assert!(known.contains(&joint.name), "{}", joint.name);
    }
}

#[test]
fn impossible_parameters_leave_the_tree_as_it_was() {
    let mut tree = random_tree(3, 2, Style::General);
    let before = tree.standard_parameter_values();
    for (index, value) in [(0, -1.0), (0, 0.0), (4, 1e3), (1, f64::NAN)] {
        let mut values = before.clone();
        values[index] = value;
        assert!(
            tree.set_standard_parameters(values.as_slice()).is_err(),
            "{index} {value}"
        );
        assert_eq!(tree.standard_parameter_values(), before);
    }
    assert!(tree.set_standard_parameters(&[1.0]).is_err());
    let moment = [0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert!(SpatialInertia::from_standard_parameters(&moment).is_err());
}

#[test]
fn wrong_sizes_and_foreign_workspaces_are_errors() {
    let tree = random_tree(1, 3, Style::General);
    let (n, p) = (tree.num_velocities(), tree.num_standard_parameters());
    let mut ws = tree.workspace();
    let vdot = vec![0.0; n];
    for (rows, columns) in [(n + 1, p), (n, p - 1)] {
        let mut wrong = DMatrix::zeros(rows, columns);
        let result = tree.torque_regressor(&mut ws, &vdot, &mut wrong);
        assert!(matches!(result, Err(TreeError::Invalid(_))));
    }
    let mut right = DMatrix::zeros(n, p);
    let huge = vec![f64::INFINITY; n];
    assert!(tree.torque_regressor(&mut ws, &huge, &mut right).is_err());
    let other = random_tree(2, 3, Style::General);
    let mut energies = DMatrix::zeros(2, p);
    let result = tree.energy_regressor(&other.workspace(), &mut energies);
    assert!(matches!(result, Err(TreeError::ForeignWorkspace)));
    let nan = Vector3::repeat(f64::NAN);
    assert!(
        tree.momentum_regressor(&ws, &nan, &mut DMatrix::zeros(6, p))
            .is_err()
    );
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap();
    list.iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Positions, velocities and accelerations in the order of the tree.
fn state(tree: &RigidBodyTree<f64>, case: &Value) -> [DVector<f64>; 3] {
    let n = tree.num_velocities();
    let [mut q, mut v, mut vdot] = [
        tree.neutral_configuration(),
        DVector::zeros(n),
        DVector::zeros(n),
    ];
    for (name, values) in case["state"].as_object().unwrap() {
        let joint = tree.joint(reference_joint(tree, name)).unwrap();
        for (into, key, start) in [
            (&mut q, "q", joint.position_start()),
            (&mut v, "v", joint.velocity_start()),
            (&mut vdot, "vdot", joint.velocity_start()),
        ] {
            let values = numbers(&values[key]);
            into.rows_mut(start, values.len()).copy_from_slice(&values);
        }
    }
    [q, v, vdot]
}

/// The joint of this name; the reference calls that of a floating base `root_joint`.
fn reference_joint(tree: &RigidBodyTree<f64>, name: &str) -> dualbody::tree::JointIndex {
    match name {
        "root_joint" => {
            let base = tree.joints().find(|j| j.num_velocities() == 6);
            base.expect("a floating base").index()
        }
        _ => tree.joint_by_name(name).unwrap(),
    }
}

#[test]
fn torque_regressors_agree_with_reference() {
    for robot in ["arm7", "double_pendulum", "quadruped"] {
        let file = data("reference").join(format!("regressor_{robot}.json"));
        let reference: Value =
            serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let model = data("models").join(reference["model"].as_str().unwrap());
        let (tree, _) = dualbody::io::urdf::UrdfReader::new()
            .tree_from_file(&model)
            .unwrap();
        for case in reference["cases"].as_array().unwrap() {
            let [q, v, vdot] = state(&tree, case);
            let mut ws = tree.workspace();
            tree.set_state(&mut ws, q.as_slice(), v.as_slice()).unwrap();
            let p = tree.num_standard_parameters();
            let mut regressor = DMatrix::zeros(tree.num_velocities(), p);
            (tree.torque_regressor(&mut ws, vdot.as_slice(), &mut regressor)).unwrap();
            // What the reference does not list is zero.
            let mut missing = regressor.clone();
            for block in case["blocks"].as_array().unwrap() {
                let place = |key: &str| {
                    let index = reference_joint(&tree, block[key].as_str().unwrap());
                    tree.joint(index).unwrap()
                };
                let start = place("joint").velocity_start();
                let columns = tree
                    .standard_parameters_of(place("carried_by").child())
                    .unwrap();
                for (k, row) in block["rows"].as_array().unwrap().iter().enumerate() {
                    let ours: Vec<f64> = (columns.clone())
                        .map(|c| regressor[(start + k, c)])
                        .collect();
                    assert_close(
                        &format!("{robot}: {}", block["joint"]),
                        &ours,
                        &numbers(row),
                    );
                    missing
                        .row_mut(start + k)
                        .columns_range_mut(columns.clone())
                        .fill(0.0);
                }
            }
            for joint in case["state"].as_object().unwrap().keys() {
                let body = tree.joint(reference_joint(&tree, joint)).unwrap().child();
                let columns = tree.standard_parameters_of(body).unwrap();
                assert!(
                    missing.columns_range(columns).amax() < 1e-12,
                    "{robot}: {joint}"
                );
            }
        }
    }
}
