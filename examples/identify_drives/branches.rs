//! The branches of a robot whose base is held.

use crate::support::Failure;
use dualbody::tree::{BodyIndex, RigidBodyTree, RigidBodyTreeBuilder};
use std::collections::HashMap;

/// What hangs on bodies that do not move, each branch as a tree of its own: nothing couples them. Damping and friction of
/// joints are left out.
///
/// # Errors
/// As trees are built.
pub fn branches(robot: &RigidBodyTree<f64>) -> Result<Vec<RigidBodyTree<f64>>, Failure> {
    let mut workspace = robot.workspace();
    let q = robot.neutral_configuration();
    robot.set_state(
        &mut workspace,
        q.as_slice(),
        &vec![0.0; robot.num_velocities()],
    )?;
    let mut builders = Vec::new();
    // Of each body that moves its branch and its index there.
    let mut copies = HashMap::new();
    for joint in robot.joints() {
        if robot.is_anchored(joint.child())? {
            continue;
        }
        let (branch, parent, pose) = match copies.get(&joint.parent()) {
            Some(&(branch, parent)) => (branch, parent, *joint.pose_in_parent()),
            None => {
                let mut builder = RigidBodyTreeBuilder::new();
                builder.set_gravity(*robot.gravity())?;
                builders.push(builder);
                let parent = robot.body_pose(&workspace, joint.parent())?;
                (
                    builders.len() - 1,
                    BodyIndex::WORLD,
                    parent * *joint.pose_in_parent(),
                )
            }
        };
        let body = robot.body(joint.child())?;
        let builder: &mut RigidBodyTreeBuilder<f64> = &mut builders[branch];
        let copy = builder.add_body_as_given(body.name(), *body.inertia())?;
        builder.add_joint(joint.name(), *joint.kind(), parent, pose, copy)?;
        copies.insert(joint.child(), (branch, copy));
    }
    let finish = |builder: RigidBodyTreeBuilder<f64>| Ok(builder.finish()?);
    builders.into_iter().map(finish).collect()
}
