//! Measured channels of a motion, with their noise.

use super::error::MotionError;
use crate::math::rotation;
use crate::system::{RigidBodySystem, State};
use crate::tree::{BodyIndex, JointKind, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::{Quaternion, Vector3};
use std::ops::Range;

/// What a channel measures.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Measured {
    /// The position coordinates of a joint, in the order and units of its
    /// [`JointKind`](crate::tree::JointKind).
    JointPosition(String),
    /// The velocity coordinates of a joint.
    JointVelocity(String),
    /// The position of a point of a body in the world, in m.
    Point {
        /// The body.
        body: String,
        /// The point from the origin of the body, expressed in its frame, in m.
        position: [f64; 3],
    },
    /// An output of a sensor of the machine, by its name.
    Output(String),
}

/// One measured quantity: signals, and the standard deviation of their noise.
///
/// The signal of a quantity with one entry has the name of the channel. Of several, the signals are
/// `{channel}/{entry}` with the entries `qw, qx, qy, qz` of a rotation and `x, y, z` of a translation (in this order
/// those of a floating body; `x, y, angle` of a planar joint), and `wx, wy, wz, vx, vy, vz` (`vx, vy, w`) of velocities.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    name: String,
    measured: Measured,
    deviations: Vec<f64>,
}

impl Channel {
    /// A channel; `deviations` are those of all entries of the residual, or one for all, in the units of the machine: a
    /// rotation has three, in rad.
    ///
    /// # Errors
    /// [`MotionError::Channel`] for deviations that are not positive.
    pub fn new(
        name: impl Into<String>,
        measured: Measured,
        deviations: impl Into<Vec<f64>>,
    ) -> Result<Self, MotionError> {
        let channel = Channel {
            name: name.into(),
            measured,
            deviations: deviations.into(),
        };
        let valid = |s: f64| s > 0.0 && s.is_finite();
        let checked = InvalidInput::check_range(
            "deviations",
            &channel.deviations,
            "a positive number",
            valid,
        );
        checked.map_err(|error| channel.rejected(error.to_string()))?;
        Ok(channel)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it measures.
    pub fn measured(&self) -> &Measured {
        &self.measured
    }

    pub(super) fn rejected(&self, reason: String) -> MotionError {
        MotionError::Channel {
            channel: self.name.clone(),
            reason,
        }
    }
}

/// Where the prediction of a channel comes from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    Position {
        q: Range<usize>,
        v: Range<usize>,
    },
    Velocity(Range<usize>),
    Point {
        body: BodyIndex,
        position: Vector3<f64>,
    },
    Output(usize),
}

/// A channel of a machine.
#[derive(Debug, Clone)]
pub(super) struct BoundChannel {
    pub name: String,
    pub source: Source,
    /// Names of the signals, and their units; an output may have any.
    pub signals: Vec<(String, Option<&'static str>)>,
    /// Whether the first four entries are those of a unit quaternion, which has three in the residual.
    pub rotates: bool,
    /// The entry that is an angle without limits.
    pub turns: Option<usize>,
    /// Of each entry of the residual.
    pub deviations: Vec<f64>,
}

impl BoundChannel {
    pub fn new(channel: &Channel, machine: &RigidBodySystem<f64>) -> Result<Self, MotionError> {
        let tree = machine.tree();
        let unknown = |error: &dyn std::fmt::Display| channel.rejected(error.to_string());
        let joint = |name: &str| {
            let index = tree.joint_by_name(name).map_err(|e| unknown(&e))?;
            tree.joint(index).map_err(|e| unknown(&e))
        };
        let mut turns = None;
        let (source, entries): (Source, &[(&str, &'static str)]) = match &channel.measured {
            Measured::JointPosition(name) => {
                let joint = joint(name)?;
                let (q, v) = (joint.position_start(), joint.velocity_start());
                let source = Source::Position {
                    q: q..q + joint.num_positions(),
                    v: v..v + joint.num_velocities(),
                };
                turns = match joint.kind() {
                    JointKind::Continuous { .. } => Some(0),
                    JointKind::Planar { .. } => Some(2),
                    _ => None,
                };
                (source, position_entries(joint.kind()))
            }
            Measured::JointVelocity(name) => {
                let joint = joint(name)?;
                let start = joint.velocity_start();
                let range = start..start + joint.num_velocities();
                (Source::Velocity(range), velocity_entries(joint.kind()))
            }
            Measured::Point { body, position } => {
                let source = Source::Point {
                    body: tree.body_by_name(body).map_err(|e| unknown(&e))?,
                    position: Vector3::from(*position),
                };
                (source, &[("x", "m"), ("y", "m"), ("z", "m")])
            }
            Measured::Output(name) => {
                let index = machine.output_index(name).map_err(|e| unknown(&e))?;
                (Source::Output(index), &[("", "")])
            }
        };
        let size = match &source {
            Source::Position { q: range, .. } | Source::Velocity(range) => range.len(),
            Source::Point { .. } => 3,
            Source::Output(_) => 1,
        };
        if size == 0 || size != entries.len() {
            return Err(channel.rejected("the joint has no coordinates of its own".to_owned()));
        }
        let rotates = entries[0].0 == "qw";
        let residuals = entries.len() - usize::from(rotates);
        let deviations = match channel.deviations[..] {
            [one] => vec![one; residuals],
            ref all if all.len() == residuals => all.to_vec(),
            ref other => {
                let n = other.len();
                return Err(channel.rejected(format!("{n} deviations, expected 1 or {residuals}")));
            }
        };
        let name = |entry: &str| match entries.len() {
            1 => channel.name.clone(),
            _ => format!("{}/{entry}", channel.name),
        };
        Ok(BoundChannel {
            name: channel.name.clone(),
            signals: (entries.iter())
                .map(|(entry, unit)| (name(entry), Some(*unit).filter(|u| !u.is_empty())))
                .collect(),
            source,
            rotates,
            turns,
            deviations,
        })
    }

    /// Number of signals.
    pub fn len(&self) -> usize {
        self.signals.len()
    }

    /// Writes the prediction in a state that is placed; outputs are those of the step that begins there.
    pub fn predict<T: Scalar>(
        &self,
        machine: &RigidBodySystem<T>,
        (state, kinematics, output): (&State<T>, &TreeWorkspace<T>, &[T]),
        mounting: Option<Vector3<T>>,
        out: &mut [T],
    ) -> Result<(), MotionError> {
        match &self.source {
            Source::Position { q, .. } => out.copy_from_slice(&state.q.as_slice()[q.clone()]),
            Source::Velocity(range) => out.copy_from_slice(&state.v.as_slice()[range.clone()]),
            Source::Point { body, position } => {
                let pose = machine.tree().body_pose(kinematics, *body)?;
                let point = mounting.unwrap_or_else(|| position.map(T::from));
                let point = pose.rotation * point + pose.translation;
                out.copy_from_slice(point.as_slice());
            }
            Source::Output(index) => out[0] = output[*index],
        }
        Ok(())
    }

    /// Prediction minus measurement, with `gain` and `bias` of each entry.
    pub fn difference<T: Scalar>(
        &self,
        predicted: &[T],
        measured: &[f64],
        adjustment: impl Fn(usize) -> (Option<T>, Option<T>),
        out: &mut [T],
    ) {
        let (mut linear, mut first) = (0, 0);
        if self.rotates {
            let quaternion = |q: &[T]| Quaternion::new(q[0], q[1], q[2], q[3]);
            let m: [T; 4] = std::array::from_fn(|i| T::from(measured[i]));
            let turn = unit(quaternion(predicted)) * unit(quaternion(&m)).conjugate();
            out[..3].copy_from_slice(rotation::log(&turn).as_slice());
            (linear, first) = (4, 3);
        }
        for (out, (&y, &m)) in
            (out[first..].iter_mut()).zip(predicted[linear..].iter().zip(&measured[linear..]))
        {
            *out = y - m;
        }
        for (i, out) in out.iter_mut().enumerate() {
            let (gain, bias) = adjustment(i);
            if let Some(gain) = gain {
                *out += (gain - 1.0) * predicted[i - first + linear];
            }
            if let Some(bias) = bias {
                *out += bias;
            }
        }
    }

    /// Whether an entry of the residual can be computed from measurements.
    pub fn is_measured(&self, measured: &[f64], entry: usize) -> bool {
        match (self.rotates, entry) {
            (true, 0..3) => measured[..4].iter().all(|x| !x.is_nan()),
            (true, _) => !measured[entry + 1].is_nan(),
            (false, _) => !measured[entry].is_nan(),
        }
    }
}

/// A quaternion of unit length.
pub(super) fn unit<T: Scalar>(q: Quaternion<T>) -> Quaternion<T> {
    let norm = T::norm_lifted(&[q.w, q.i, q.j, q.k]);
    Quaternion::from(q.coords.map(|x| x.div_lifted(norm)))
}

fn position_entries(kind: &JointKind<f64>) -> &'static [(&'static str, &'static str)] {
    match kind {
        JointKind::Fixed => &[],
        JointKind::Prismatic { .. } => &[("", "m")],
        JointKind::Planar { .. } => &[("x", "m"), ("y", "m"), ("angle", "rad")],
        JointKind::Ball => &[("qw", "1"), ("qx", "1"), ("qy", "1"), ("qz", "1")],
        JointKind::Floating => &[
            ("qw", "1"),
            ("qx", "1"),
            ("qy", "1"),
            ("qz", "1"),
            ("x", "m"),
            ("y", "m"),
            ("z", "m"),
        ],
        _ => &[("", "rad")],
    }
}

fn velocity_entries(kind: &JointKind<f64>) -> &'static [(&'static str, &'static str)] {
    match kind {
        JointKind::Fixed => &[],
        JointKind::Prismatic { .. } => &[("", "m/s")],
        JointKind::Planar { .. } => &[("vx", "m/s"), ("vy", "m/s"), ("w", "rad/s")],
        JointKind::Ball => &[("wx", "rad/s"), ("wy", "rad/s"), ("wz", "rad/s")],
        JointKind::Floating => &[
            ("wx", "rad/s"),
            ("wy", "rad/s"),
            ("wz", "rad/s"),
            ("vx", "m/s"),
            ("vy", "m/s"),
            ("vz", "m/s"),
        ],
        _ => &[("", "rad/s")],
    }
}
