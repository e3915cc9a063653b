//! Topological order of mobilized bodies: parents first.

use super::body::{Body, Frame};
use super::column::{Axis, Column};
use super::error::TreeError;
use super::index::{BodyIndex, JointIndex};
use super::joint::{Joint, Mimic};
use super::mobilized_body::{MobilizedBody, Motion};
use super::rigid_body_tree::{RigidBodyTree, unique_number};
use crate::math::RigidTransform;
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// The tree of bodies that all have an inboard joint, except the world.
pub(super) fn assemble<T: Scalar>(
    bodies: Vec<Body<T>>,
    joints: Vec<Joint<T>>,
    frames: Vec<Frame<T>>,
    gravity: Vector3<T>,
) -> Result<RigidBodyTree<T>, TreeError> {
    let depth_first = depth_first_order(&bodies, &joints)?;
    let mut tree = RigidBodyTree {
        bodies,
        joints,
        frames,
        gravity,
        depth_first,
        mobilized: vec![MobilizedBody::world()],
        columns: vec![],
        num_positions: 0,
        num_velocities: 0,
        has_mimic: false,
        topology: unique_number(),
        revision: unique_number(),
    };
    number_coordinates(&mut tree);
    resolve_mimics(&mut tree)?;
    create_mobilized_bodies(&mut tree);
    tree.update_mobilized_bodies();
    Ok(tree)
}

/// Every body after its parent, and after everything that earlier joints on its parent carry.
fn depth_first_order<T: Scalar>(
    bodies: &[Body<T>],
    joints: &[Joint<T>],
) -> Result<Vec<BodyIndex>, TreeError> {
    let mut children = vec![vec![]; bodies.len()];
    for joint in joints {
        children[joint.parent.get()].push(joint.child);
    }
    let mut order = Vec::with_capacity(bodies.len());
    let mut reached = vec![false; bodies.len()];
    let mut stack = vec![BodyIndex::WORLD];
    while let Some(body) = stack.pop() {
        order.push(body);
        reached[body.get()] = true;
        stack.extend(children[body.get()].iter().rev());
    }
    // Every body has one inboard joint, so what the world does not reach hangs on itself.
    match reached.iter().position(|r| !r) {
        None => Ok(order),
        Some(unreached) => Err(TreeError::KinematicLoop {
            body: member_of_loop(BodyIndex::new(unreached), bodies, joints),
        }),
    }
}

/// The name of a body on the loop that leads inwards from `body`.
fn member_of_loop<T: Scalar>(body: BodyIndex, bodies: &[Body<T>], joints: &[Joint<T>]) -> String {
    let mut member = body;
    for _ in 0..bodies.len() {
        if let Some(joint) = bodies[member.get()].inboard_joint {
            member = joints[joint.get()].parent;
        }
    }
    bodies[member.get()].name.clone()
}

/// Gives the joints that follow no other their coordinates.
fn number_coordinates<T: Scalar>(tree: &mut RigidBodyTree<T>) {
    for body in &tree.depth_first {
        let Some(joint) = tree.bodies[body.get()].inboard_joint else {
            continue;
        };
        let joint = &mut tree.joints[joint.get()];
        joint.position_start = tree.num_positions;
        joint.velocity_start = tree.num_velocities;
        if joint.mimic.is_none() {
            tree.num_positions += joint.kind.num_positions();
            tree.num_velocities += joint.kind.num_velocities();
        }
    }
}

/// Lets every follower follow a joint that does not follow itself, and share its coordinates.
fn resolve_mimics<T: Scalar>(tree: &mut RigidBodyTree<T>) -> Result<(), TreeError> {
    for index in 0..tree.joints.len() {
        let Some(mut mimic) = tree.joints[index].mimic else {
            continue;
        };
        for _ in 0..tree.joints.len() {
            let Some(next) = tree.joints[mimic.joint.get()].mimic else {
                break;
            };
            mimic = Mimic {
                joint: next.joint,
                multiplier: mimic.multiplier * next.multiplier,
                offset: mimic.multiplier * next.offset + mimic.offset,
            };
            InvalidInput::check_finite("multiplier", &[mimic.multiplier])?;
            InvalidInput::check_finite("offset", &[mimic.offset])?;
        }
        let followed = &tree.joints[mimic.joint.get()];
        if followed.mimic.is_some() {
            return Err(TreeError::InvalidMimic {
                joint: tree.joints[index].name.clone(),
                followed: followed.name.clone(),
                reason: "following goes round in a circle",
            });
        }
        let (position_start, velocity_start) = (followed.position_start, followed.velocity_start);
        let joint = &mut tree.joints[index];
        joint.mimic = Some(mimic);
        joint.position_start = position_start;
        joint.velocity_start = velocity_start;
        tree.has_mimic = true;
    }
    Ok(())
}

/// Mobilized bodies and columns; what depends on parameters is still to be filled in.
fn create_mobilized_bodies<T: Scalar>(tree: &mut RigidBodyTree<T>) {
    for &index in &tree.depth_first {
        let Some(inboard_joint) = tree.bodies[index.get()].inboard_joint else {
            continue;
        };
        let joint = &tree.joints[inboard_joint.get()];
        let parent = tree.bodies[joint.parent.get()].mobilized;
        tree.bodies[index.get()].mobilized = if joint.kind.num_velocities() == 0 {
            parent
        } else {
            let mobilized = mobilize(joint, inboard_joint, parent, tree.columns.len());
            let kinds = joint.kind.column_kinds().iter().enumerate();
            tree.columns.extend(kinds.map(|(dof, &kind)| Column {
                kind,
                axis: Axis::Aligned(0, 1.0),
                coordinate: joint.velocity_start + dof,
                armature: T::zero(),
            }));
            tree.mobilized.push(mobilized);
            tree.mobilized.len() - 1
        };
    }
}

fn mobilize<T: Scalar>(
    joint: &Joint<T>,
    index: JointIndex,
    parent: usize,
    first_column: usize,
) -> MobilizedBody<T> {
    MobilizedBody {
        parent,
        body: joint.child,
        joint: Some(index),
        motion: Motion::None,
        joint_frame: RigidTransform::identity(),
        is_parallel: false,
        position_start: joint.position_start,
        columns: first_column..first_column + joint.kind.num_velocities(),
        inertia: super::inertia::Inertia::zero(),
    }
}
