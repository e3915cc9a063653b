//! Poses of bodies over time.

use super::model::{Pose, pose};
use crate::math::{RigidTransform, rotation};
use crate::system::{State, SystemError};
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Vector3};
use num_dual::Dual64;

/// Frames in a second, if there are states for so many.
const RATE: f64 = 60.0;
/// The smallest number of frames, if there are so many states, and the largest.
const FRAMES: [f64; 2] = [300.0, 3000.0];
/// Distance in m whose square is a number of single precision.
const FARTHEST: f64 = 1e18;

/// How a motion is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// What the scene is about.
    Main,
    /// What it is compared with, translucent.
    Ghost,
}

/// Poses of some bodies at times.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Motion {
    pub name: String,
    pub role: Role,
    /// In s.
    pub times: Vec<f64>,
    /// Of each frame, the poses of all bodies of the motion.
    pub poses: Vec<Vec<Pose>>,
}

/// Which of some states are shown: at equal intervals, and the last.
pub(super) fn frames<T: Scalar>(states: &[State<T>]) -> Result<Vec<usize>, InvalidInput> {
    let count = states.len() as f64;
    InvalidInput::check_range("number of states", &[count], "at least 1", |n| n >= 1.0)?;
    let times: Vec<f64> = states.iter().map(|state| state.time.re()).collect();
    InvalidInput::check_finite("times of states", &times)?;
    let intervals: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    InvalidInput::check_range("time between states", &intervals, "positive", |dt| dt > 0.0)?;
    let last = states.len() - 1;
    let wanted = (RATE * (times[last] - times[0])).clamp(FRAMES[0], FRAMES[1]);
    let stride = (last as f64 / wanted).ceil().max(1.0) as usize;
    let mut frames: Vec<usize> = (0..=last).step_by(stride).collect();
    if frames[frames.len() - 1] != last {
        frames.push(last);
    }
    Ok(frames)
}

/// The poses of all bodies but the world in some of the states.
pub(super) fn poses<T: Scalar>(
    tree: &RigidBodyTree<T>,
    states: &[State<T>],
    frames: &[usize],
    pose_of: impl Fn(&RigidTransform<T>) -> RigidTransform<f64>,
) -> Result<Vec<Vec<Pose>>, SystemError> {
    let mut kinematics = tree.workspace();
    let at = frames.iter().map(|&frame| {
        tree.set_positions(&mut kinematics, states[frame].q.as_slice())?;
        let bodies = tree.bodies().skip(1);
        let poses = bodies.map(|body| {
            let shown = pose_of(&tree.body_pose(&kinematics, body.index())?);
            let position = shown.translation.as_slice();
            let near = |p: f64| p.abs() <= FARTHEST;
            InvalidInput::check_range("position of a body", position, "at most 1e18 m", near)?;
            Ok(pose(&shown))
        });
        poses.collect()
    });
    at.collect()
}

/// The real part of a pose.
pub(super) fn real<T: Scalar>(x: &RigidTransform<T>) -> RigidTransform<f64> {
    x.cast()
}

/// A pose moved by `amount` along its derivative: the position along a line, the orientation by the
/// rotation vector that is `amount` times its rate.
pub(super) fn moved(x: &RigidTransform<Dual64>, amount: f64) -> RigidTransform<f64> {
    let at = real(x);
    let rate = x.rotation.map(|r| r.eps) * at.rotation.transpose();
    let turn = Vector3::new(
        rate[(2, 1)] - rate[(1, 2)],
        rate[(0, 2)] - rate[(2, 0)],
        rate[(1, 0)] - rate[(0, 1)],
    );
    let turn: Matrix3<f64> = rotation::exp(&(turn * (0.5 * amount)));
    let shift = x.translation.map(|p| p.eps) * amount;
    RigidTransform::new(turn * at.rotation, at.translation + shift)
}
