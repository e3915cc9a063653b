//! Joints: what they allow, and their constants.

use super::column::{Column, ColumnKind};
use super::index::{BodyIndex, JointIndex};
use crate::Scalar;
use crate::math::RigidTransform;
use nalgebra::Vector3;

/// How a joint lets its child B move in the frame F that is fixed on its parent.
///
/// Axes are expressed in F; they need not have unit length when given to a builder, which
/// normalises them. At zero coordinates B coincides with F.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// No motion. No coordinates.
    Fixed,
    /// Rotation by the angle `q` (rad) about an axis through Fo, between limits.
    Revolute {
        /// The axis.
        axis: Vector3<f64>,
    },
    /// Rotation by the angle `q` (rad) about an axis through Fo, without limits.
    Continuous {
        /// The axis.
        axis: Vector3<f64>,
    },
    /// Translation by `q` (m) along an axis.
    Prismatic {
        /// The axis.
        axis: Vector3<f64>,
    },
    /// Motion in a plane: `q = (x, y, θ)`, translation by `x` and `y` (m) along two axes of F, and
    /// rotation by `θ` (rad) about their cross product; `v = (ẋ, ẏ, θ̇)`.
    Planar {
        /// The direction of `x`.
        x_axis: Vector3<f64>,
        /// The direction of `y`, perpendicular to `x_axis`.
        y_axis: Vector3<f64>,
    },
    /// Rotation about Fo: `q` is the quaternion (w, x, y, z) of `R_FB`, `v = w_FB_F` (rad/s).
    Ball,
    /// Any motion: `q` is the quaternion of `R_FB`, then `p_FoBo_F` (m); `v = [w_FB_F; v_FBo_F]`.
    Floating,
}

impl JointKind {
    /// Number of position coordinates.
    pub fn num_positions(&self) -> usize {
        match self {
            JointKind::Ball => 4,
            JointKind::Floating => 7,
            _ => self.num_velocities(),
        }
    }

    /// Number of velocity coordinates.
    pub fn num_velocities(&self) -> usize {
        match self {
            JointKind::Fixed => 0,
            JointKind::Revolute { .. }
            | JointKind::Continuous { .. }
            | JointKind::Prismatic { .. } => 1,
            JointKind::Planar { .. } | JointKind::Ball => 3,
            JointKind::Floating => 6,
        }
    }

    /// Whether the first four position coordinates are a quaternion.
    pub fn has_quaternion(&self) -> bool {
        matches!(self, JointKind::Ball | JointKind::Floating)
    }

    /// The columns of the motion subspace, in the order of the velocity coordinates, of which the
    /// first is `velocity_start`.
    pub(super) fn columns(&self, velocity_start: usize) -> Vec<Column> {
        use ColumnKind::{Rotation, Translation};
        let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
        let axes = match *self {
            JointKind::Fixed => vec![],
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                vec![(Rotation, axis)]
            }
            JointKind::Prismatic { axis } => vec![(Translation, axis)],
            JointKind::Planar { x_axis, y_axis } => vec![
                (Translation, x_axis),
                (Translation, y_axis),
                (Rotation, x_axis.cross(&y_axis)),
            ],
            JointKind::Ball => vec![(Rotation, x), (Rotation, y), (Rotation, z)],
            JointKind::Floating => vec![
                (Rotation, x),
                (Rotation, y),
                (Rotation, z),
                (Translation, x),
                (Translation, y),
                (Translation, z),
            ],
        };
        axes.into_iter()
            .enumerate()
            .map(|(k, (kind, axis))| Column::new(kind, axis, velocity_start + k))
            .collect()
    }
}

/// A joint follows another: `q = multiplier · q_followed + offset`.
///
/// Both have one degree of freedom. The follower has no coordinates of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mimic {
    /// The joint that is followed.
    pub joint: JointIndex,
    /// Ratio of the velocities.
    pub multiplier: f64,
    /// Coordinate of the follower where that of the followed joint is zero (rad or m).
    pub offset: f64,
}

/// A joint of a tree.
#[derive(Debug, Clone)]
pub struct Joint<T> {
    pub(super) name: String,
    pub(super) kind: JointKind,
    pub(super) parent: BodyIndex,
    pub(super) child: BodyIndex,
    pub(super) pose_in_parent: RigidTransform<T>,
    pub(super) damping: Vec<T>,
    pub(super) friction: Vec<T>,
    pub(super) limits: JointLimits,
    pub(super) mimic: Option<Mimic>,
    /// Where the coordinates start; of a follower, those of the joint that it follows.
    pub(super) position_start: usize,
    pub(super) velocity_start: usize,
}

/// Limits of a joint, infinite where there are none. Nothing in the tree enforces them.
#[derive(Debug, Clone, PartialEq)]
pub struct JointLimits {
    /// Smallest position coordinates (rad or m).
    pub lower: Vec<f64>,
    /// Largest position coordinates (rad or m).
    pub upper: Vec<f64>,
    /// Largest magnitude of the velocity coordinates (rad/s or m/s).
    pub velocity: Vec<f64>,
    /// Largest magnitude of the generalized forces of an actuator (N m or N).
    pub effort: Vec<f64>,
}

impl JointLimits {
    /// No limits.
    pub(super) fn none(kind: &JointKind) -> Self {
        let (nq, nv) = (kind.num_positions(), kind.num_velocities());
        JointLimits {
            lower: vec![f64::NEG_INFINITY; nq],
            upper: vec![f64::INFINITY; nq],
            velocity: vec![f64::INFINITY; nv],
            effort: vec![f64::INFINITY; nv],
        }
    }
}

impl<T: Scalar> Joint<T> {
    /// The full name, a path like `"quadruped/FL_knee"`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the child can move.
    pub fn kind(&self) -> &JointKind {
        &self.kind
    }

    /// The body that carries the frame F of the joint.
    pub fn parent(&self) -> BodyIndex {
        self.parent
    }

    /// The body that the joint carries.
    pub fn child(&self) -> BodyIndex {
        self.child
    }

    /// The pose `X_PF` of the joint's frame on the parent.
    pub fn pose_in_parent(&self) -> &RigidTransform<T> {
        &self.pose_in_parent
    }

    /// Viscous damping of each degree of freedom, in N m s/rad or N s/m.
    pub fn damping(&self) -> &[T] {
        &self.damping
    }

    /// Magnitude of the Coulomb friction of each degree of freedom, in N m or N.
    ///
    /// A constant of the joint for force elements; the tree's own dynamics do not apply it.
    pub fn friction(&self) -> &[T] {
        &self.friction
    }

    /// The limits of each coordinate.
    pub fn limits(&self) -> &JointLimits {
        &self.limits
    }

    /// The coupling to another joint, if there is one.
    ///
    /// In a finished tree the joint named here is not itself a follower.
    pub fn mimic(&self) -> Option<&Mimic> {
        self.mimic.as_ref()
    }

    /// Where the joint's coordinates start in `q`; of a follower, those that it follows.
    pub fn position_start(&self) -> usize {
        self.position_start
    }

    /// Where the joint's coordinates start in `v`; of a follower, those that it follows.
    pub fn velocity_start(&self) -> usize {
        self.velocity_start
    }

    /// Number of position coordinates.
    pub fn num_positions(&self) -> usize {
        self.kind.num_positions()
    }

    /// Number of velocity coordinates.
    pub fn num_velocities(&self) -> usize {
        self.kind.num_velocities()
    }

    /// Ratio of the joint's velocity to the velocity coordinate that drives it; 1 unless it follows.
    pub(super) fn multiplier(&self) -> f64 {
        self.mimic.map_or(1.0, |m| m.multiplier)
    }

    pub(super) fn cast<U: Scalar>(&self) -> Joint<U> {
        let cast = |values: &[T]| values.iter().map(|x| U::from(x.re())).collect();
        Joint {
            name: self.name.clone(),
            kind: self.kind,
            parent: self.parent,
            child: self.child,
            pose_in_parent: self.pose_in_parent.cast(),
            damping: cast(&self.damping),
            friction: cast(&self.friction),
            limits: self.limits.clone(),
            mimic: self.mimic,
            position_start: self.position_start,
            velocity_start: self.velocity_start,
        }
    }
}
