//! Steps of two robots on the ground against those of Drake's compliant two-way coupled scheme.
//!
//! `DUALBODY_REFERENCE` names another folder with cases of the same format. What the cases leave
//! unsaid:
//!
//! - Drake makes its first discrete update at t = 0, so `x_after_k` is the state after k + 1 steps.
//! - The ground has friction 1, so that a contact has μ = 2 · 0.7 · 1/(0.7 + 1), and a stiffness of
//!   10¹⁵ N/m without dissipation.
//! - A contact exists in a step if the bodies overlap at its start.
//! - Drake does not normalise the quaternion of the base after a step.
#![cfg(feature = "urdf")]

mod support;

use dualbody::Parameters;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder, Detection};
use dualbody::geometry::Shape;
use dualbody::io::urdf::UrdfReader;
use dualbody::math::RigidTransform;
use dualbody::solver::implicit_stribeck::ImplicitStribeckSolverParameters;
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::BodyIndex;
use nalgebra::DVector;
use serde_json::Value;
use support::reference::{data, folder, number, read, read_from, vector};
use support::robots::{Layout, find_model, permuted};

/// Of the states after the first and after twenty steps more, in SI units.
const TOLERANCES: [(&str, usize, f64); 2] = [("x_after_1", 2, 1e-6), ("x_after_20", 21, 1e-4)];

#[test]
fn steps_agree_with_reference() {
    let mut count = 0;
    for robot in ["quadruped", "humanoid"] {
        let Some(reference) = read(&format!("steps_{robot}.json")) else {
            continue;
        };
        for (index, case) in reference["cases"].as_array().unwrap().iter().enumerate() {
            let system = system(&reference, number(&case["dt"]));
            check_case(&system, robot, case, &format!("{robot}, case {index}"));
            count += 1;
        }
    }
    assert!(count > 0, "no case in {}", folder().display());
    println!("{count} cases of {} agree", folder().display());
}

/// The robot on the ground z ≤ 0, without damping in its joints.
fn system(reference: &Value, dt: f64) -> TimeSteppingRigidBodySystem<f64> {
    let given = &reference["contact"];
    let material = ContactMaterial::new(
        number(&given["point_stiffness"]),
        number(&given["dissipation"]),
        number(&given["friction"]),
    );
    let (mut tree, model) = UrdfReader::new()
        .with_material(material.unwrap())
        .unwrap()
        .tree_from_file(find_model(&folder(), reference["model"].as_str().unwrap()))
        .unwrap_or_else(|e| panic!("{e}"));
    for parameter in tree.parameters() {
        if parameter.name.contains("/damping") {
            tree.set_parameter(&parameter.name, 0.0).unwrap();
        }
    }
    let mut contact = ContactModelBuilder::new();
    for geometry in model.collision_geometries {
        contact.add_geometry(geometry).unwrap();
    }
    let ground = CollisionGeometry {
        name: "ground".to_owned(),
        body: BodyIndex::WORLD,
        pose_in_body: RigidTransform::identity(),
        shape: Shape::HalfSpace,
        material: ContactMaterial::new(1e15, 0.0, 1.0).unwrap(),
    };
    contact.add_geometry(ground).unwrap();
    let contact = contact.finish(&tree).unwrap();
    TimeSteppingRigidBodySystem::new(tree, contact, dt)
        .unwrap()
        .with_detection(Detection::Overlapping)
        .with_solver_parameters(ImplicitStribeckSolverParameters {
            stiction_tolerance: number(&given["stiction_tolerance"]),
            ..Default::default()
        })
        .unwrap()
}

fn check_case(system: &TimeSteppingRigidBodySystem<f64>, robot: &str, case: &Value, context: &str) {
    let tree = system.tree();
    let layout_file = format!("dynamics_{robot}.json");
    let coordinates = read(&layout_file)
        .or_else(|| read_from(&data("reference"), &layout_file))
        .unwrap_or_else(|| panic!("no layout of the coordinates: {layout_file}"));
    let layout = Layout::new(tree, &coordinates);
    let state = |x: &[f64]| {
        let (q, v) = x.split_at(tree.num_positions());
        let mut q = DVector::from_vec(permuted(q, &layout.positions));
        q.rows_mut(0, 4).normalize_mut();
        State {
            q,
            v: DVector::from_vec(permuted(v, &layout.velocities)),
        }
    };
    let start = state(&[vector(&case["q"]), vector(&case["v"])].concat());
    let mut workspace = system.workspace().unwrap();
    let rollout = system
        .rollout(&mut workspace, &start, 21, |_, _, _| {})
        .completed()
        .unwrap_or_else(|e| panic!("{context}: {e}"));
    for (key, steps, tolerance) in TOLERANCES {
        let (actual, expected) = (&rollout.states[steps], state(&vector(&case[key])));
        let error = |a: &DVector<f64>, b: &DVector<f64>| (a - b).amax();
        let (q, v) = (error(&actual.q, &expected.q), error(&actual.v, &expected.v));
        println!("{context}: {key} differs by {q:.1e} in q, {v:.1e} in v");
        assert!(q <= tolerance && v <= tolerance, "{context}: {key}");
    }
}
