//! Two points, each fixed on a body, and their relative motion.

use crate::constants::TreeReference;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::PointForce;
use crate::math::SpatialAcceleration;
use crate::tree::{BodyIndex, RigidBodyTree, TreeError, TreeWorkspace};
use crate::{InvalidInput, Scalar, constants};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Velocities below this part of what they are the difference of are zero.
const ROUND_OFF: f64 = 1e-13;

/// The motion of P on A relative to Q on B, expressed in W.
pub(super) struct RelativeMotion<T> {
    /// `p_WP − p_WQ`.
    pub position: Vector3<T>,
    /// `v_WP − v_WQ`, or that of P as B sees it.
    pub velocity: Vector3<T>,
    /// Its rate where `v̇ = 0`.
    pub bias: Vector3<T>,
    /// Of A and B: orientation, angular velocity, and bias acceleration at the point.
    pub a: BodyMotion<T>,
    pub b: BodyMotion<T>,
    /// The points of A and B, in W, whose velocities differ by that.
    points: [Vector3<T>; 2],
}

/// A direction, expressed in W, in which A turns or P moves relative to B and Q.
pub(super) enum Direction<T> {
    Angular(Vector3<T>),
    Linear(Vector3<T>),
}

impl<T: Scalar> Direction<T> {
    /// The axes of W.
    pub fn axes(direction: impl Fn(Vector3<T>) -> Self) -> [Self; 3] {
        [Vector3::x(), Vector3::y(), Vector3::z()].map(direction)
    }
}

pub(super) struct BodyMotion<T> {
    pub rotation: Matrix3<T>,
    pub angular_velocity: Vector3<T>,
    pub bias: SpatialAcceleration<T>,
}

/// The point P of body A, at `p_AoP_A` in m, and the point Q of body B, at `p_BoQ_B`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub(crate) struct PointPair<T> {
    pub body_a: BodyIndex,
    pub point_a: Vector3<T>,
    pub body_b: BodyIndex,
    pub point_b: Vector3<T>,
}

impl<S> TreeReference for PointPair<S> {
    fn check_in<T: Scalar>(&self, tree: &RigidBodyTree<T>) -> Result<(), TreeError> {
        [self.body_a, self.body_b].check_in(tree)
    }
}

impl<T: Scalar> PointPair<T> {
    constants! { struct PointPair, checked by check_points {
        body_a;
        point_a: unchecked("m");
        body_b;
        point_b: unchecked("m");
    } }

    pub fn new(
        (body_a, point_a): (BodyIndex, Vector3<T>),
        (body_b, point_b): (BodyIndex, Vector3<T>),
    ) -> Self {
        PointPair {
            body_a,
            point_a,
            body_b,
            point_b,
        }
    }

    fn check_points(&self) -> Result<(), InvalidInput> {
        InvalidInput::check_finite("point on body A", self.point_a.as_slice())?;
        InvalidInput::check_finite("point on body B", self.point_b.as_slice())
    }

    /// A force and a torque on A at P, expressed in W.
    pub fn force(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        (force, torque): (Vector3<T>, Vector3<T>),
    ) -> Result<Option<PointForce<T>>, ConstraintError> {
        Ok(Some(PointForce {
            body_a: self.body_a,
            body_b: self.body_b,
            point: tree.point_position(workspace, self.body_a, &self.point_a)?,
            force,
            torque,
        }))
    }

    /// The motion of P relative to Q at the state of a workspace.
    pub(super) fn motion(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
    ) -> Result<RelativeMotion<T>, ConstraintError> {
        self.motion_to(tree, workspace, &self.point_b)
    }

    /// The motion of P relative to Q as B sees it: with `p_BP = R_BW (p_WP − p_WQ) + p_BQ`, the velocity is `R_WB ṗ_BP`,
    /// that of P less that of the point of B which is where P is, and its rate `R_WB p̈_BP`.
    ///
    /// Where the points coincide that is the motion of P relative to Q. Where they do not, a motion that A and B have in
    /// common is none still: a loop that is open by round-off resists nothing that it would not resist closed.
    pub(super) fn motion_seen_by_b(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
    ) -> Result<RelativeMotion<T>, ConstraintError> {
        let pose_b = tree.body_pose(workspace, self.body_b)?;
        let q = pose_b.transform_point(&self.point_b);
        let p = tree.point_position(workspace, self.body_a, &self.point_a)?;
        let p_bp = self.point_b + pose_b.rotation.tr_mul(&(p - q));
        let motion = self.motion_to(tree, workspace, &p_bp)?;
        let turning = motion.b.angular_velocity.cross(&motion.velocity);
        Ok(RelativeMotion {
            position: p - q,
            bias: motion.bias - turning * T::from(2.0),
            points: [p; 2],
            ..motion
        })
    }

    /// The motion of P relative to a point of B.
    fn motion_to(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        p_bq: &Vector3<T>,
    ) -> Result<RelativeMotion<T>, ConstraintError> {
        let (body_a, p_ap, body_b) = (self.body_a, &self.point_a, self.body_b);
        let (pose_a, pose_b) = (
            tree.body_pose(workspace, body_a)?,
            tree.body_pose(workspace, body_b)?,
        );
        let velocity_a = tree.point_velocity(workspace, body_a, p_ap)?;
        let velocity_b = tree.point_velocity(workspace, body_b, p_bq)?;
        let bias_a = tree.bias_acceleration(workspace, body_a, p_ap)?;
        let bias_b = tree.bias_acceleration(workspace, body_b, p_bq)?;
        let points = [pose_a.transform_point(p_ap), pose_b.transform_point(p_bq)];
        Ok(RelativeMotion {
            position: points[0] - points[1],
            velocity: velocity_a.linear - velocity_b.linear,
            bias: bias_a.linear - bias_b.linear,
            a: BodyMotion {
                rotation: pose_a.rotation,
                angular_velocity: velocity_a.angular,
                bias: bias_a,
            },
            b: BodyMotion {
                rotation: pose_b.rotation,
                angular_velocity: velocity_b.angular,
                bias: bias_b,
            },
            points,
        })
    }

    /// Adds the rows, from the first, of the Jacobian of the relative motion in some directions.
    ///
    /// Entries that are zero but for the round-off of positions are zero: a point on the axis of a hinge is at rest, and
    /// its row, which resists nothing, is told from that of a short lever.
    pub(super) fn add_rows(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        motion: &RelativeMotion<T>,
        directions: &[Direction<T>],
        out: &mut DMatrix<T>,
    ) -> Result<(), ConstraintError> {
        let [p, q] = &motion.points;
        let far = |x: &Vector3<T>| x.map(|x| x.re()).amax();
        let mut reach = far(p).max(far(q));
        for body in [self.body_a, self.body_b] {
            reach = reach.max(tree.path_extent(workspace, body)?);
        }
        for (body, point, sign) in [(self.body_a, p, 1.0), (self.body_b, q, -1.0)] {
            tree.for_each_point_column(workspace, body, point, |j, column| {
                for (row, direction) in directions.iter().enumerate() {
                    out[(row, j)] += match direction {
                        Direction::Angular(d) => d.dot(&column.angular),
                        Direction::Linear(d) => d.dot(&column.linear),
                    } * sign;
                }
            })?;
        }
        for (row, direction) in directions.iter().enumerate() {
            let (d, size) = match direction {
                Direction::Angular(d) => (d, 1.0),
                Direction::Linear(d) => (d, reach),
            };
            let least = ROUND_OFF * size * d.map(|x| x.re()).norm();
            for entry in out.row_mut(row).iter_mut() {
                if entry.re().abs() < least {
                    *entry = entry.with_real(0.0);
                }
            }
        }
        Ok(())
    }
}
