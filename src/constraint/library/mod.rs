//! The built-in constraints.

mod acceleration_limit;
mod ball;
mod ball_limit;
mod distance;
mod gear;
mod hinge;
mod joint_coordinate;
mod joint_limit;
mod motion_profile;
mod point_pair;
mod prescribed_motion;
mod weld;

pub use acceleration_limit::AccelerationLimit;
pub use ball::BallConstraint;
pub use ball_limit::BallLimitConstraint;
pub use distance::DistanceConstraint;
pub use gear::GearConstraint;
pub use hinge::HingeConstraint;
pub use joint_limit::JointLimitConstraint;
pub use motion_profile::{MotionProfile, MotionSpline};
pub use prescribed_motion::PrescribedMotion;
pub use weld::WeldConstraint;
