//! Mobilized bodies: a joint with what it carries, the unit of the recursions.

use super::column::Axis;
use super::index::{BodyIndex, JointIndex};
use super::inertia::Inertia;
use super::joint::{Joint, JointKind, Mimic};
use crate::Scalar;
use crate::math::RigidTransform;
use nalgebra::Vector3;
use std::ops::Range;

/// A joint that moves, and the rigid assembly that it carries: its child B and the bodies that
/// fixed joints weld to B.
///
/// (The term is Simbody's: Sherman, Seth & Delp 2011, *Procedia IUTAM* 2, 241–261.) The world with
/// what is welded to it is mobilized body 0. Parents come before their children.
#[derive(Debug, Clone)]
pub(super) struct MobilizedBody<T> {
    pub parent: usize,
    /// The body B whose frame stands for the assembly.
    pub body: BodyIndex,
    /// The joint that carries B; `None` for the world.
    pub joint: Option<JointIndex>,
    /// Up to date with the parameters of the joint.
    pub motion: Motion<T>,
    /// Pose `X_PF` of the joint's frame on the parent assembly.
    pub joint_frame: RigidTransform<T>,
    /// Whether the rotation of `joint_frame` is known to be the identity, with no derivatives.
    pub is_parallel: bool,
    /// Where the joint's coordinates start in `q`.
    pub position_start: usize,
    /// The joint's columns in the tree's list.
    pub columns: Range<usize>,
    /// Inertia of the assembly about Bo, expressed in B.
    pub inertia: Inertia<T>,
}

/// How `X_FB` depends on the coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) enum Motion<T> {
    /// Not at all: the world.
    None,
    Rotation {
        axis: Axis<T>,
        mimic: Option<Mimic<T>>,
    },
    Translation {
        axis: Axis<T>,
        mimic: Option<Mimic<T>>,
    },
    Planar {
        x_axis: Axis<T>,
        y_axis: Axis<T>,
        normal: Axis<T>,
    },
    Ball,
    Floating,
}

impl<T: Scalar> Motion<T> {
    pub fn of_joint(joint: &Joint<T>) -> Self {
        let (kind, mimic) = (&joint.kind, joint.mimic);
        match kind {
            JointKind::Fixed => Motion::None,
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => Motion::Rotation {
                axis: kind.axis(0),
                mimic,
            },
            JointKind::Prismatic { .. } => Motion::Translation {
                axis: kind.axis(0),
                mimic,
            },
            JointKind::Planar { .. } => Motion::Planar {
                x_axis: kind.axis(0),
                y_axis: kind.axis(1),
                normal: kind.axis(2),
            },
            JointKind::Ball => Motion::Ball,
            JointKind::Floating => Motion::Floating,
        }
    }

    /// Whether the first four coordinates are a quaternion.
    pub fn has_quaternion(&self) -> bool {
        matches!(self, Motion::Ball | Motion::Floating)
    }

    fn cast<U: Scalar>(&self) -> Motion<U> {
        match self {
            Motion::None => Motion::None,
            Motion::Rotation { axis, mimic } => Motion::Rotation {
                axis: axis.cast(),
                mimic: mimic.as_ref().map(Mimic::cast),
            },
            Motion::Translation { axis, mimic } => Motion::Translation {
                axis: axis.cast(),
                mimic: mimic.as_ref().map(Mimic::cast),
            },
            Motion::Planar {
                x_axis,
                y_axis,
                normal,
            } => Motion::Planar {
                x_axis: x_axis.cast(),
                y_axis: y_axis.cast(),
                normal: normal.cast(),
            },
            Motion::Ball => Motion::Ball,
            Motion::Floating => Motion::Floating,
        }
    }
}

impl<T: Scalar> MobilizedBody<T> {
    /// The world, with nothing welded to it yet.
    pub fn world() -> Self {
        MobilizedBody {
            parent: 0,
            body: BodyIndex::WORLD,
            joint: None,
            motion: Motion::None,
            joint_frame: RigidTransform::identity(),
            is_parallel: true,
            position_start: 0,
            columns: 0..0,
            inertia: Inertia::zero(),
        }
    }

    pub fn cast<U: Scalar>(&self) -> MobilizedBody<U> {
        MobilizedBody {
            parent: self.parent,
            body: self.body,
            joint: self.joint,
            motion: self.motion.cast(),
            joint_frame: self.joint_frame.cast(),
            is_parallel: self.is_parallel,
            position_start: self.position_start,
            columns: self.columns.clone(),
            inertia: self.inertia.cast(),
        }
    }
}

/// `x` with its first three components from index `start` of `values`.
pub(super) fn vector_at<T: Scalar>(values: &[T], start: usize) -> Vector3<T> {
    Vector3::new(values[start], values[start + 1], values[start + 2])
}
