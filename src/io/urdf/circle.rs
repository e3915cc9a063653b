//! URDF: detection of cycles among links and among mimic joints.

use super::error::{UrdfError, UrdfProblem};
use super::joint::Mimic;
use super::node::Node;
use crate::tree::JointIndex;
use std::collections::{HashMap, HashSet};
use std::iter;

/// The first circle that the way from one of the names to the next, and so on, leads into.
pub(super) fn circle<'a>(
    next: &HashMap<&'a str, &'a str>,
    names: impl Iterator<Item = &'a str>,
) -> Option<Vec<&'a str>> {
    let mut walks = HashMap::new();
    for (walk, start) in names.enumerate() {
        let mut name = start;
        while !walks.contains_key(name) {
            walks.insert(name, walk);
            name = next.get(name).copied().unwrap_or(name);
        }
        if walks.get(name) == Some(&walk) && next.contains_key(name) {
            let after = |last: &&str| next.get(last).copied().filter(|after| *after != name);
            return Some(iter::successors(Some(name), after).collect());
        }
    }
    None
}

/// Checks that no joints follow each other in a circle.
///
/// # Errors
/// [`UrdfProblem::MimicCircle`] at the last of them.
pub(super) fn check_mimics<'a>(
    mimics: &[(Node<'a>, JointIndex, Mimic<'a>)],
) -> Result<(), UrdfError> {
    let name = |node: &Node<'a>| node.attribute("name").unwrap_or_default();
    let pairs = mimics
        .iter()
        .map(|(node, _, mimic)| (name(node), mimic.joint));
    let next: HashMap<_, _> = pairs.collect();
    let Some(joints) = circle(&next, mimics.iter().map(|(node, ..)| name(node))) else {
        return Ok(());
    };
    let in_circle: HashSet<_> = joints.iter().collect();
    let mut backwards = mimics.iter().rev();
    let last = backwards.find(|(node, ..)| in_circle.contains(&name(node)));
    let Some((last, ..)) = last else {
        return Ok(());
    };
    let joints = joints.iter().map(|joint| (*joint).to_owned()).collect();
    Err(last.error(UrdfProblem::MimicCircle { joints }))
}
