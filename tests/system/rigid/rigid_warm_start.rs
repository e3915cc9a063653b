//! Rigid steps from the active set of the step before, judged by steps from nothing.

use crate::support::scenes::geometry;
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::SpatialInertia;
use dualbody::system::{RigidBodySystem, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use nalgebra::Vector3;

/// Boxes in towers of three, which rest or slide over the ground.
fn towers(count: usize) -> (TimeSteppingRigidBodySystem<f64>, State<f64>) {
    let size = Vector3::new(0.3, 0.2, 0.1);
    let mut tree = RigidBodyTreeBuilder::new();
    let mut contact = ContactModelBuilder::new();
    let material = ContactMaterial::new(1e5, 0.0, 0.4).unwrap();
    let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, material);
    contact.add_geometry(ground).unwrap();
    for k in 0..3 * count {
        let name = format!("box{k}");
        let inertia = SpatialInertia::solid_box(1.0, &size);
        let body = tree.add_body(&name, inertia).unwrap();
        let shape = Shape::new_box(size).unwrap();
        let shape = geometry(&name, body, shape, material);
        contact.add_geometry(shape).unwrap();
    }
    let tree = tree.finish().unwrap();
    let contact = contact.finish(&tree).unwrap();
    let system = RigidBodySystem::new(tree, contact).unwrap();
    let system = system.with_generalized_forces().unwrap();
    let system = TimeSteppingRigidBodySystem::rigid(system, 5e-3).unwrap();
    let mut state = system.initial_state();
    for k in 0..3 * count {
        let (tower, floor) = (k / 3, k % 3);
        state.q[7 * k + 4] = 1.5 * tower as f64;
        state.q[7 * k + 6] = 0.05 + 0.1 * floor as f64;
        // Every other tower slides as one.
        state.v[6 * k + 3] = if tower % 2 == 1 { 1.2 } else { 0.0 };
    }
    (system, state)
}

#[test]
fn steps_from_the_last_active_set_are_those_from_nothing() {
    let (system, start) = towers(2);
    let input = vec![0.0; start.v.len()];
    let [mut cold, mut warm] = [system.workspace().unwrap(), system.workspace().unwrap()];
    warm.set_warm_start(true);
    let (mut state, mut without_pivots) = (start, 0);
    for step in 0..100 {
        let judge = system.step(&mut cold, &state, &input).unwrap();
        let expected = judge.state().clone();
        let next = system.step(&mut warm, &state, &input).unwrap();
        assert!(next.status().residual <= 1e-11, "{step}");
        let error = (&next.state().v - &expected.v).amax();
        assert!(error < 1e-10, "{step}: {error}");
        without_pivots += usize::from(next.status().iterations == 0);
        state = next.state().clone();
    }
    assert!(state.v.amax() < 1e-10, "it slides still");
    assert!(without_pivots > 80, "{without_pivots}");
}

#[test]
fn what_changes_is_found_all_the_same() {
    // Towers that are pushed over: contacts come and go.
    let (system, mut state) = towers(1);
    state.v[15] = 2.5;
    state.v[6] = 4.0;
    let mut workspace = system.workspace().unwrap();
    workspace.set_warm_start(true);
    let mut cold = system.workspace().unwrap();
    for step in 0..150 {
        let push: Vec<f64> = (0..18).map(|i| ((i * step) as f64).sin()).collect();
        let next = (system.step(&mut workspace, &state, &push))
            .unwrap_or_else(|error| panic!("{step}: {error}"));
        assert!(next.status().residual <= 1e-9, "{step}");
        let judge = system.step(&mut cold, &state, &push).unwrap();
        let error = (&next.state().v - &judge.state().v).amax();
        assert!(error < 1e-7, "{step}: {error}");
        state = next.state().clone();
    }
}
