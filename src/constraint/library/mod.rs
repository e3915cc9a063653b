//! Constraints that are built in.

mod acceleration_limit;
mod ball;
mod distance;
mod gear;
mod hinge;
mod joint_limit;
mod point_pair;
mod prescribed_motion;
mod weld;

pub use acceleration_limit::AccelerationLimit;
pub use ball::BallConstraint;
pub use distance::DistanceConstraint;
pub use gear::GearConstraint;
pub use hinge::HingeConstraint;
pub use joint_limit::{JointBound, JointLimitConstraint};
pub use prescribed_motion::PrescribedMotion;
pub use weld::WeldConstraint;

use super::error::ConstraintError;
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{InvalidInput, Scalar};

/// Position, velocity coordinate and ratio of a joint with one degree of freedom: the joint moves
/// `ratio` times as fast as the coordinates, and lies `offset` further, when it follows another.
struct Coordinate<T> {
    position: usize,
    velocity: usize,
    ratio: T,
    offset: T,
}

fn coordinate<T: Scalar>(
    tree: &RigidBodyTree<T>,
    joint: JointIndex,
) -> Result<Coordinate<T>, ConstraintError> {
    let joint = tree.joint(joint)?;
    InvalidInput::check_size(
        "velocities of a constrained joint",
        joint.num_velocities(),
        1,
    )?;
    let independent = (T::one(), T::zero());
    let (ratio, offset) = (joint.mimic()).map_or(independent, |m| (m.multiplier, m.offset));
    Ok(Coordinate {
        position: joint.position_start(),
        velocity: joint.velocity_start(),
        ratio,
        offset,
    })
}
