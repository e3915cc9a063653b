//! Joints: what they allow, and their constants.

use super::column::{Axis, ColumnKind};
use super::index::{BodyIndex, JointIndex};
use super::mounting::Mounting;
use super::validation::{orthogonal_part, unit_vector};
use crate::Scalar;
use crate::math::RigidTransform;
use nalgebra::Vector3;

/// How a joint lets its child B move in the frame F that is fixed on its parent.
///
/// Axes are expressed in F. Only their directions count: a builder normalises them, and when a
/// [parameter](crate::Parameters) has changed a component, an axis holds what was set. At zero
/// coordinates B coincides with F.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub enum JointKind<T = f64> {
    /// No motion. No coordinates.
    Fixed,
    /// Rotation by the angle `q` (rad) about an axis through Fo, between limits.
    Revolute {
        /// The axis.
        axis: Vector3<T>,
    },
    /// Rotation by the angle `q` (rad) about an axis through Fo, without limits.
    Continuous {
        /// The axis.
        axis: Vector3<T>,
    },
    /// Translation by `q` (m) along an axis.
    Prismatic {
        /// The axis.
        axis: Vector3<T>,
    },
    /// Motion in a plane: `q = (x, y, θ)`, translation by `x` and `y` (m) along two axes of F, and
    /// rotation by `θ` (rad) about their cross product; `v = (ẋ, ẏ, θ̇)`.
    Planar {
        /// The direction of `x`.
        x_axis: Vector3<T>,
        /// The direction of `y`, perpendicular to `x_axis`; a component along `x_axis` does not
        /// count.
        y_axis: Vector3<T>,
    },
    /// Rotation about Fo: `q` is the quaternion (w, x, y, z) of `R_FB`, `v = w_FB_F` (rad/s).
    Ball,
    /// Any motion: `q` is the quaternion of `R_FB`, then `p_FoBo_F` (m); `v = [w_FB_F; v_FBo_F]`.
    Floating,
}

impl<T: Scalar> JointKind<T> {
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

    /// The same kind in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> JointKind<U> {
        let cast = |axis: Vector3<T>| axis.map(|x| U::from(x.re()));
        match *self {
            JointKind::Fixed => JointKind::Fixed,
            JointKind::Revolute { axis } => JointKind::Revolute { axis: cast(axis) },
            JointKind::Continuous { axis } => JointKind::Continuous { axis: cast(axis) },
            JointKind::Prismatic { axis } => JointKind::Prismatic { axis: cast(axis) },
            JointKind::Planar { x_axis, y_axis } => JointKind::Planar {
                x_axis: cast(x_axis),
                y_axis: cast(y_axis),
            },
            JointKind::Ball => JointKind::Ball,
            JointKind::Floating => JointKind::Floating,
        }
    }

    /// What each degree of freedom does.
    pub(super) fn column_kinds(&self) -> &'static [ColumnKind] {
        use ColumnKind::{Rotation, Translation};
        match self {
            JointKind::Fixed => &[],
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => &[Rotation],
            JointKind::Prismatic { .. } => &[Translation],
            JointKind::Planar { .. } => &[Translation, Translation, Rotation],
            JointKind::Ball => &[Rotation; 3],
            JointKind::Floating => &[
                Rotation,
                Rotation,
                Rotation,
                Translation,
                Translation,
                Translation,
            ],
        }
    }

    /// The axis of a degree of freedom, of unit length.
    pub(super) fn axis(&self, dof: usize) -> Axis<T> {
        match self {
            JointKind::Revolute { axis }
            | JointKind::Continuous { axis }
            | JointKind::Prismatic { axis } => Axis::new(unit_vector(axis)),
            JointKind::Planar { x_axis, y_axis } => {
                let x = unit_vector(x_axis);
                let y = || unit_vector(&orthogonal_part(y_axis, &x));
                Axis::new(match dof {
                    0 => x,
                    1 => y(),
                    _ => x.cross(&y()),
                })
            }
            JointKind::Fixed | JointKind::Ball | JointKind::Floating => Axis::Aligned(dof % 3, 1.0),
        }
    }
}

/// A joint follows another: `q = multiplier · q_followed + offset`.
///
/// Both have one degree of freedom. The follower has no coordinates of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct Mimic<T = f64> {
    /// The joint that is followed.
    pub joint: JointIndex,
    /// Ratio of the velocities.
    pub multiplier: T,
    /// Coordinate of the follower where that of the followed joint is zero (rad or m).
    pub offset: T,
}

impl<T: Scalar> Mimic<T> {
    /// The same coupling in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> Mimic<U> {
        Mimic {
            joint: self.joint,
            multiplier: U::from(self.multiplier.re()),
            offset: U::from(self.offset.re()),
        }
    }
}

/// A joint of a tree.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct Joint<T> {
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) index: JointIndex,
    pub(super) name: String,
    pub(super) kind: JointKind<T>,
    pub(super) parent: BodyIndex,
    pub(super) child: BodyIndex,
    pub(super) mounting: Mounting<T>,
    pub(super) damping: Vec<T>,
    pub(super) friction: Vec<T>,
    #[cfg_attr(feature = "serde", serde(default = "Vec::new"))]
    pub(super) armature: Vec<T>,
    pub(super) limits: JointLimits<T>,
    pub(super) mimic: Option<Mimic<T>>,
    /// Where the coordinates start; of a follower, those of the joint that it follows.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) position_start: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) velocity_start: usize,
}

/// Limits of a joint, infinite where there are none. Nothing in the tree enforces them.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct JointLimits<T = f64> {
    /// Smallest position coordinates (rad or m).
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended_list"))]
    pub lower: Vec<T>,
    /// Largest position coordinates (rad or m).
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended_list"))]
    pub upper: Vec<T>,
    /// Largest magnitude of the velocity coordinates (rad/s or m/s).
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended_list"))]
    pub velocity: Vec<T>,
    /// Largest magnitude of the generalized forces of an actuator (N m or N).
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended_list"))]
    pub effort: Vec<T>,
}

impl<T: Scalar> JointLimits<T> {
    /// No limits.
    pub(super) fn none(kind: &JointKind<T>) -> Self {
        let (nq, nv) = (kind.num_positions(), kind.num_velocities());
        let infinite = T::from(f64::INFINITY);
        JointLimits {
            lower: vec![T::from(f64::NEG_INFINITY); nq],
            upper: vec![infinite; nq],
            velocity: vec![infinite; nv],
            effort: vec![infinite; nv],
        }
    }

    pub(super) fn cast<U: Scalar>(&self) -> JointLimits<U> {
        JointLimits {
            lower: cast(&self.lower),
            upper: cast(&self.upper),
            velocity: cast(&self.velocity),
            effort: cast(&self.effort),
        }
    }
}

impl<T: Scalar> Joint<T> {
    /// Its index in the tree.
    pub fn index(&self) -> JointIndex {
        self.index
    }

    /// The full name, a path like `"quadruped/FL_knee"`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the child can move.
    pub fn kind(&self) -> &JointKind<T> {
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
        &self.mounting.pose
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

    /// Inertia of each degree of freedom beside that of the bodies, in kg m² or kg: what a rotor opposes
    /// through its gear, `n² J` of a gear ratio n and a rotor's inertia J.
    ///
    /// It adds to the diagonal of the mass matrix, and ½ a v² to the kinetic energy; the momentum of the
    /// bodies does not hold it.
    pub fn armature(&self) -> &[T] {
        &self.armature
    }

    /// The limits of each coordinate.
    pub fn limits(&self) -> &JointLimits<T> {
        &self.limits
    }

    /// The coupling to another joint, if there is one.
    ///
    /// In a finished tree the joint named here is not itself a follower.
    pub fn mimic(&self) -> Option<&Mimic<T>> {
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
    pub(super) fn multiplier(&self) -> T {
        self.mimic.map_or(T::one(), |m| m.multiplier)
    }

    pub(super) fn cast<U: Scalar>(&self) -> Joint<U> {
        Joint {
            index: self.index,
            name: self.name.clone(),
            kind: self.kind.cast(),
            parent: self.parent,
            child: self.child,
            mounting: self.mounting.cast(),
            damping: cast(&self.damping),
            friction: cast(&self.friction),
            armature: cast(&self.armature),
            limits: self.limits.cast(),
            mimic: self.mimic.as_ref().map(Mimic::cast),
            position_start: self.position_start,
            velocity_start: self.velocity_start,
        }
    }
}

fn cast<T: Scalar, U: Scalar>(values: &[T]) -> Vec<U> {
    values.iter().map(|x| U::from(x.re())).collect()
}
