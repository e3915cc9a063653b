//! Torsional and rolling friction against MuJoCo, where its cone and this law coincide.

use crate::support::reference::{cases, number, vector};
use dualbody::contact::ContactMaterial;
use dualbody::io::mjcf::MjcfReader;
use dualbody::system::{RigidBodySystem, TimeSteppingRigidBodySystem};

const STIFFNESS: f64 = 1e7;

/// What a ball loses of its spin or its roll, to 2.5 %: in MuJoCo forces along the normal are other ones, what rolls
/// slips a little, and with its cone the friction of slip takes a little from that of rolling.
#[test]
fn balls_slow_down_as_in_mujoco() {
    for case in cases("rotational_friction.json") {
        let name = case["name"].as_str().unwrap();
        let material = ContactMaterial::new(STIFFNESS, 1.0, 1.0).unwrap();
        let reader = MjcfReader::new().with_material(material).unwrap();
        let text = case["model"].as_str().unwrap();
        let (tree, model) = reader.tree_from_str::<f64>(text).unwrap();
        let gravity = *tree.gravity();
        let contact = model
            .contact_model_builder()
            .unwrap()
            .finish(&tree)
            .unwrap();
        let system = RigidBodySystem::new(tree, contact).unwrap();
        let dt = 2e-4;
        let system = TimeSteppingRigidBodySystem::compliant(system, dt).unwrap();
        let mut start = system.initial_state();
        // Two equal surfaces are springs in series.
        let depth = -1.5 * gravity.z / (0.5 * STIFFNESS);
        start.q[6] = number(&case["radius"]) - depth;
        let [before, expected] = ["start", "end"].map(|key| vector(&case[key]));
        for k in 0..3 {
            (start.v[3 + k], start.v[k]) = (before[k], before[3 + k]);
        }
        let steps = (number(&case["time"]) / dt).round() as usize;
        let rollout = system.rollout(&start, steps).unwrap().completed().unwrap();
        let v = &rollout.last().v;
        let found = [v[3], v[4], v[5], v[0], v[1], v[2]];
        // Across the normal; along it contacts have other laws.
        for k in [0, 1, 3, 4, 5] {
            let change = (expected[k] - before[k]).abs();
            let error = (found[k] - expected[k]).abs();
            assert!(
                error < 2.5e-2 * change + 2e-4,
                "{name}: {found:?} instead of {expected:?}"
            );
        }
    }
}
