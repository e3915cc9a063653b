//! A recording that the example makes itself.

use crate::leg::{Drives, Leg, Structure};
use crate::recording::Recording;
use crate::support::Failure;

/// Two legs under a base that is held, of two joints each.
pub const ROBOT: &str = r#"<mujoco model="two_legs"><compiler autolimits="true"/><worldbody>
  <body name="base" pos="0 0 0.6"><geom type="box" size="0.15 0.08 0.04"/>
    <body name="left_thigh" pos="0 0.1 0"><joint name="left_hip_joint" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="1"/>
      <body name="left_calf" pos="0 0 -0.2"><joint name="left_knee_joint" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.015" mass="0.3"/></body></body>
    <body name="right_thigh" pos="0 -0.1 0"><joint name="right_hip_joint" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="1"/>
      <body name="right_calf" pos="0 0 -0.2"><joint name="right_knee_joint" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.015" mass="0.3"/></body></body>
  </body></worldbody></mujoco>"#;

/// Samples at 200 Hz, and the resolution of the angles in rad.
const INTERVAL: f64 = 5e-3;
const SECONDS: f64 = 12.0;
const RESOLUTION: f64 = 1e-4;
/// The drives of a leg as they are: of each joint friction and torque at their knots, derivative gain, inertia of the rotor.
const STRUCTURE: Structure = Structure {
    name: "as it is",
    friction: 3,
    offset: 2,
};
const TRUTH: [f64; 14] = [
    0.3, 0.25, 0.35, -0.05, 0.1, 1.4, 0.012, //
    1.4, 0.8, 0.6, 0.05, -0.05, 1.6, 0.02,
];

/// Two legs that are told to go to and fro, ever faster.
///
/// # Errors
/// None that a user can cause.
pub fn recording(
    tree: &dualbody::tree::RigidBodyTree<f64>,
    drives: Drives,
) -> Result<Recording, Failure> {
    let samples = (SECONDS / INTERVAL) as usize;
    let joints = [
        "left_hip_joint",
        "left_knee_joint",
        "right_hip_joint",
        "right_knee_joint",
    ];
    let command = |joint: usize, sample: usize| {
        let t = sample as f64 * INTERVAL;
        let phase = (0.25 * t + 0.01 * t * t + 0.1 * joint as f64) % 1.0;
        let [center, half] = if joint.is_multiple_of(2) {
            [0.4, 0.4]
        } else {
            [-0.9, 0.6]
        };
        center + half * (4.0 * (phase - 0.5).abs() - 1.0)
    };
    let desired: Vec<Vec<f64>> = (0..joints.len())
        .map(|joint| (0..samples).map(|sample| command(joint, sample)).collect())
        .collect();
    let mut recording = Recording {
        interval: INTERVAL,
        joints: joints.map(str::to_owned).to_vec(),
        angles: desired.clone(),
        desired,
    };
    for tree in crate::branches::branches(tree)? {
        let leg = Leg::new(tree, drives, &recording)?;
        for (joint, angles) in leg
            .predict(STRUCTURE, &TRUTH, &recording)?
            .into_iter()
            .enumerate()
        {
            let rounded = angles
                .into_iter()
                .map(|q| (q / RESOLUTION).round() * RESOLUTION);
            recording.angles[leg.columns[joint]] = rounded.collect();
        }
    }
    Ok(recording)
}
