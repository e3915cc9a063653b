//! Home configurations of robots.

use dualbody::io::srdf::Srdf;
use dualbody::io::urdf::UrdfModel;
use dualbody::tree::RigidBodyTree;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// How a robot stands before anything happens.
pub struct Home {
    pub q: Vec<f64>,
    /// The state of its semantic description that this is, if there is one.
    pub name: Option<String>,
    pub semantics: Option<Srdf>,
}

/// The neutral configuration within the limits of the joints, with the joints of a state of the semantic description of
/// the robot where that puts them.
///
/// Semantic descriptions lie in a folder `srdf` beside that of the robot's description or above it, within `folder`. Of
/// several, and of several states in one, it takes what names the fewest joints that the robot does not have,
/// then what has more of the name of the robot's description, then what sets more joints.
pub fn home(
    description: &Path,
    folder: &Path,
    tree: &RigidBodyTree<f64>,
    model: &UrdfModel<f64>,
) -> Home {
    let neutral = neutral_within_limits(tree);
    let stem = description
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let mut homes = Vec::new();
    for file in semantic_descriptions(description, folder) {
        let Ok(semantics) = Srdf::from_file(&file) else {
            continue;
        };
        let its_stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let common = stem.chars().zip(its_stem.chars());
        let common = common.take_while(|(a, b)| a == b).count();
        for state in &semantics.group_states {
            let Ok((configuration, unknown)) = state.configuration(tree, model) else {
                continue;
            };
            let joints = configuration.joints.len();
            let mut q = neutral.clone();
            if joints > 0 && configuration.write(tree, &mut q).is_ok() {
                let (name, semantics) = (Some(state.name.clone()), Some(semantics.clone()));
                let rank = (unknown.len(), Reverse(common), Reverse(joints));
                homes.push((rank, Home { q, name, semantics }));
            }
        }
    }
    let best = homes.into_iter().min_by_key(|(rank, _)| *rank);
    best.map(|(_, home)| home).unwrap_or(Home {
        q: neutral,
        name: None,
        semantics: None,
    })
}

fn semantic_descriptions(description: &Path, folder: &Path) -> Vec<PathBuf> {
    let above = description.ancestors().skip(1);
    let within = above.take_while(|place| place.starts_with(folder));
    let Some(entries) = (within.map(|place| place.join("srdf"))).find_map(|p| p.read_dir().ok())
    else {
        return vec![];
    };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|e| e == "srdf"))
        .collect();
    files.sort();
    files
}

fn neutral_within_limits(tree: &RigidBodyTree<f64>) -> Vec<f64> {
    let mut q = tree.neutral_configuration().as_slice().to_vec();
    for joint in tree.joints() {
        let limits = joint.limits();
        if let ([lower], [upper], None) = (
            limits.lower.as_slice(),
            limits.upper.as_slice(),
            joint.mimic(),
        ) {
            let position = &mut q[joint.position_start()];
            *position = position.max(*lower).min(*upper);
        }
    }
    q
}
