//! Two points, each fixed on a body, and their relative motion.

use super::constants::{cast_vector, visit_vector};
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::PointForce;
use crate::math::SpatialAcceleration;
use crate::parameter::Parameter;
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// The motion of P on A relative to Q on B, expressed in W.
pub(super) struct RelativeMotion<T> {
    /// `p_WP − p_WQ`.
    pub position: Vector3<T>,
    /// `v_WP − v_WQ`.
    pub velocity: Vector3<T>,
    /// Of A and B: orientation, angular velocity, and bias acceleration at the point.
    pub a: BodyMotion<T>,
    pub b: BodyMotion<T>,
    /// Jacobians (6×nv) about the points, angular rows first; A less B.
    pub jacobian: DMatrix<T>,
}

pub(super) struct BodyMotion<T> {
    pub rotation: Matrix3<T>,
    pub angular_velocity: Vector3<T>,
    pub bias: SpatialAcceleration<T>,
}

/// The point P of body A, at `p_AoP_A` in m, and the point Q of body B, at `p_BoQ_B`.
#[derive(Debug, Clone, PartialEq)]
#[allow(non_snake_case)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub(super) struct PointPair<T> {
    body_a: BodyIndex,
    #[cfg_attr(feature = "serde", serde(rename = "point_a"))]
    p_AP: Vector3<T>,
    body_b: BodyIndex,
    #[cfg_attr(feature = "serde", serde(rename = "point_b"))]
    p_BQ: Vector3<T>,
}

impl<T: Scalar> PointPair<T> {
    pub fn new(
        (body_a, p_ap): (BodyIndex, Vector3<T>),
        (body_b, p_bq): (BodyIndex, Vector3<T>),
    ) -> Self {
        PointPair {
            body_a,
            p_AP: p_ap,
            body_b,
            p_BQ: p_bq,
        }
    }

    pub fn cast<U: Scalar>(&self) -> PointPair<U> {
        PointPair {
            body_a: self.body_a,
            p_AP: cast_vector(&self.p_AP),
            body_b: self.body_b,
            p_BQ: cast_vector(&self.p_BQ),
        }
    }

    /// Shows `name/point_a/{x,y,z}` and `name/point_b/{x,y,z}`.
    pub fn visit_parameters(&mut self, name: &str, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        visit_vector(visit, name, ("point_a", "m"), &mut self.p_AP);
        visit_vector(visit, name, ("point_b", "m"), &mut self.p_BQ);
    }

    /// Checks that the points are finite.
    pub fn check(&self, name: &str) -> Result<(), ConstraintError> {
        let invalid = ConstraintError::invalid(name);
        InvalidInput::check_finite("point on body A", self.p_AP.as_slice()).map_err(&invalid)?;
        InvalidInput::check_finite("point on body B", self.p_BQ.as_slice()).map_err(&invalid)
    }

    /// Checks that the points are finite, and that the tree has the bodies.
    pub fn validate(&self, name: &str, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        tree.body(self.body_a)?;
        tree.body(self.body_b)?;
        self.check(name)
    }

    /// A force on A at P, expressed in W.
    pub fn force(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        force: Vector3<T>,
    ) -> Result<Option<PointForce<T>>, ConstraintError> {
        Ok(Some(PointForce {
            body_a: self.body_a,
            body_b: self.body_b,
            point: tree.point_position(workspace, self.body_a, &self.p_AP)?,
            force,
        }))
    }

    /// The relative motion at the state of a workspace.
    pub fn motion(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
    ) -> Result<RelativeMotion<T>, ConstraintError> {
        let (body_a, p_ap, body_b, p_bq) = (self.body_a, &self.p_AP, self.body_b, &self.p_BQ);
        let nv = tree.num_velocities();
        let (mut jacobian, mut other) = (DMatrix::zeros(6, nv), DMatrix::zeros(6, nv));
        tree.spatial_jacobian(workspace, body_a, p_ap, &mut jacobian)?;
        tree.spatial_jacobian(workspace, body_b, p_bq, &mut other)?;
        jacobian -= other;
        let (pose_a, pose_b) = (
            tree.body_pose(workspace, body_a)?,
            tree.body_pose(workspace, body_b)?,
        );
        let velocity_a = tree.point_velocity(workspace, body_a, p_ap)?;
        let velocity_b = tree.point_velocity(workspace, body_b, p_bq)?;
        Ok(RelativeMotion {
            position: pose_a.transform_point(p_ap) - pose_b.transform_point(p_bq),
            velocity: velocity_a.linear - velocity_b.linear,
            a: BodyMotion {
                rotation: pose_a.rotation,
                angular_velocity: velocity_a.angular,
                bias: tree.bias_acceleration(workspace, body_a, p_ap)?,
            },
            b: BodyMotion {
                rotation: pose_b.rotation,
                angular_velocity: velocity_b.angular,
                bias: tree.bias_acceleration(workspace, body_b, p_bq)?,
            },
            jacobian,
        })
    }
}

impl<T: Scalar> RelativeMotion<T> {
    /// Bias acceleration of P relative to Q.
    pub fn bias(&self) -> Vector3<T> {
        self.a.bias.linear - self.b.bias.linear
    }

    /// The row `dᵀ J` of the angular (`first` = 0) or linear (`first` = 3) part of the Jacobian.
    pub fn add_row(&self, first: usize, d: &Vector3<T>, out: &mut DMatrix<T>, row: usize) {
        for j in 0..self.jacobian.ncols() {
            for k in 0..3 {
                out[(row, j)] += d[k] * self.jacobian[(first + k, j)];
            }
        }
    }
}
