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
//! - Its velocities at the end of a step are those that forces lead to at its start, as without
//!   `SystemOptions::keep_momentum`.

use crate::support::reference::{folder, number, read, vector};
use crate::support::robot_on_ground::{layout, state, system};
use dualbody::system::TimeSteppingRigidBodySystem;
use nalgebra::DVector;
use serde_json::Value;

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

fn check_case(system: &TimeSteppingRigidBodySystem<f64>, robot: &str, case: &Value, context: &str) {
    let layout = layout(system.tree(), robot);
    let state = |x: &[f64]| state(&layout, x);
    let start = state(&[vector(&case["q"]), vector(&case["v"])].concat());
    let mut workspace = system.workspace().unwrap();
    let rollout = system
        .rollout_with(&mut workspace, &start, 21, |_, _, _| {})
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
