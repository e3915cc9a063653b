//! Robots of the reference cases.

use super::reference::data;
use dualbody::tree::RigidBodyTree;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The description of this name: in the folder of the cases, beside it in `models`, or in this
/// repository.
pub fn find_model(folder: &Path, name: &str) -> PathBuf {
    [
        folder.join(name),
        folder.join("../models").join(name),
        data("models").join(name),
    ]
    .into_iter()
    .find(|path| path.exists())
    .unwrap_or_else(|| panic!("no description {name}"))
}

/// Where the reference keeps what the tree has at each coordinate.
pub struct Layout {
    pub positions: Vec<usize>,
    pub velocities: Vec<usize>,
}

impl Layout {
    pub fn new(tree: &RigidBodyTree<f64>, reference: &Value) -> Self {
        let mut layout = Layout {
            positions: vec![usize::MAX; tree.num_positions()],
            velocities: vec![usize::MAX; tree.num_velocities()],
        };
        for entry in reference["layout"].as_array().unwrap() {
            let joint = tree
                .joint_by_name(entry["joint"].as_str().unwrap())
                .unwrap();
            let joint = tree.joint(joint).unwrap();
            let at = |key: &str| entry[key].as_u64().unwrap() as usize;
            assert_eq!(
                (at("nq"), at("nv")),
                (joint.num_positions(), joint.num_velocities())
            );
            for k in 0..at("nq") {
                layout.positions[joint.position_start() + k] = at("q_start") + k;
            }
            for k in 0..at("nv") {
                layout.velocities[joint.velocity_start() + k] = at("v_start") + k;
            }
        }
        layout
    }
}

/// The values in the order of the tree.
pub fn permuted(values: &[f64], source: &[usize]) -> Vec<f64> {
    assert_eq!(values.len(), source.len());
    source.iter().map(|&i| values[i]).collect()
}
