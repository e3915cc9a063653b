//! Jacobians of points and bodies, and bias accelerations `J̇ v`.
//!
//! The velocity of a point Q on a body B is linear in `v`. A column that rotates about an axis `a`
//! through the origin Ao of the body that it carries contributes `[a; a × p_AoQ]`, one that
//! translates `[0; a]`, for the columns between B and the world. The acceleration is `J v̇ + J̇ v`;
//! what products of velocities add at each joint is carried to Q the same way, so that
//!
//! ```text
//! J̇ v = [Σ γ_α; Σ (γ_a + γ_α × p_AoQ) + w × (w × p_BoQ)]
//! ```
//!
//! with the terms `γ` of the [velocity kinematics](super::velocity_kinematics).

use super::column::ColumnKind;
use super::error::TreeError;
use super::index::BodyIndex;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::math::{SpatialAcceleration, SpatialVelocity};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, Matrix3, Vector3};

impl<T: Scalar> RigidBodyTree<T> {
    /// The Jacobian (3×nv) of the velocity in W of a point that is fixed on a body at `p_BoQ_B`:
    /// `v_WQ = J v`, expressed in W.
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when `jacobian` has the wrong size, `p_boq_b` is not finite or numbers
    /// overflow, [`TreeError::NoSuchBody`], [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`].
    #[inline(never)]
    pub fn point_jacobian(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
        jacobian: &mut DMatrix<T>,
    ) -> Result<(), TreeError> {
        let (mobilized, offset) = self.point_offset(workspace, body, p_boq_b)?;
        self.clear_jacobian(jacobian, 3)?;
        let q = workspace.positions[mobilized].pose.translation + offset;
        self.for_each_column(workspace, mobilized, &q, |coordinate, column| {
            add_to_column(jacobian, 0, coordinate, &column.linear);
        });
        check_jacobian(jacobian)
    }

    /// The Jacobian (6×nv) of the velocity in W of a body, about a point that is fixed on it at
    /// `p_BoQ_B`: `[w_WB; v_WQ] = J v`, expressed in W.
    ///
    /// Its transpose takes a force on the body, torque about Q and force, to generalized forces.
    ///
    /// # Errors
    /// As [`Self::point_jacobian`].
    #[inline(never)]
    pub fn spatial_jacobian(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
        jacobian: &mut DMatrix<T>,
    ) -> Result<(), TreeError> {
        let (mobilized, offset) = self.point_offset(workspace, body, p_boq_b)?;
        self.clear_jacobian(jacobian, 6)?;
        let q = workspace.positions[mobilized].pose.translation + offset;
        self.for_each_column(workspace, mobilized, &q, |coordinate, column| {
            add_to_column(jacobian, 0, coordinate, &column.angular);
            add_to_column(jacobian, 3, coordinate, &column.linear);
        });
        check_jacobian(jacobian)
    }

    /// The Jacobian (6×nv) of the velocity of a body B relative to a body A, about a point that is
    /// fixed on B at `p_BoQ_B`: `[w_AB; v_AQ] = J v`, expressed in the frame of the body
    /// `expressed_in`.
    ///
    /// # Errors
    /// As [`Self::point_jacobian`].
    #[inline(never)]
    pub fn relative_spatial_jacobian(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
        relative_to: BodyIndex,
        expressed_in: BodyIndex,
        jacobian: &mut DMatrix<T>,
    ) -> Result<(), TreeError> {
        let (mobilized, offset) = self.point_offset(workspace, body, p_boq_b)?;
        let (reference, _) = self.placement(relative_to)?;
        let r_we = self.body_pose(workspace, expressed_in)?.rotation;
        self.clear_jacobian(jacobian, 6)?;
        let q = workspace.positions[mobilized].pose.translation + offset;
        let mut add = |coordinate: usize, column: SpatialVelocity<T>, r_ew: &Matrix3<T>| {
            add_to_column(jacobian, 0, coordinate, &(r_ew * column.angular));
            add_to_column(jacobian, 3, coordinate, &(r_ew * column.linear));
        };
        let r_ew = r_we.transpose();
        self.for_each_column(workspace, mobilized, &q, |k, column| add(k, column, &r_ew));
        self.for_each_column(workspace, reference, &q, |k, column| add(k, -column, &r_ew));
        check_jacobian(jacobian)
    }

    /// The velocity of a body B relative to a body A, about a point that is fixed on B at
    /// `p_BoQ_B`: `[w_AB; v_AQ]`, expressed in the frame of the body `expressed_in`.
    ///
    /// # Errors
    /// [`TreeError::NoSuchBody`], [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when `p_boq_b` is not finite or numbers
    /// overflow.
    #[inline(never)]
    pub fn relative_velocity(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
        relative_to: BodyIndex,
        expressed_in: BodyIndex,
    ) -> Result<SpatialVelocity<T>, TreeError> {
        let (mobilized, offset) = self.point_offset(workspace, body, p_boq_b)?;
        let (reference, _) = self.placement(relative_to)?;
        let r_we = self.body_pose(workspace, expressed_in)?.rotation;
        let position = |i: usize| workspace.positions[i].pose.translation;
        let from_reference = position(mobilized) + offset - position(reference);
        let velocity = workspace.velocities[mobilized].spatial.shift(&offset)
            - (workspace.velocities[reference].spatial).shift(&from_reference);
        let expressed = SpatialVelocity::new(
            r_we.tr_mul(&velocity.angular),
            r_we.tr_mul(&velocity.linear),
        );
        InvalidInput::check_finite("relative velocity", expressed.to_vector().as_slice())?;
        Ok(expressed)
    }

    /// The acceleration `J̇ v` in W of a body about a point that is fixed on it at `p_BoQ_B`, when
    /// `v̇ = 0`: `[α_WB; a_WQ]`, expressed in W.
    ///
    /// # Errors
    /// [`TreeError::NoSuchBody`], [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when `p_boq_b` is not finite or numbers
    /// overflow.
    #[inline(never)]
    pub fn bias_acceleration(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
    ) -> Result<SpatialAcceleration<T>, TreeError> {
        let (mobilized, offset) = self.point_offset(workspace, body, p_boq_b)?;
        let q = workspace.positions[mobilized].pose.translation + offset;
        let w = workspace.velocities[mobilized].spatial.angular;
        let mut sum = SpatialAcceleration::zero();
        sum.linear = w.cross(&w.cross(&offset));
        let mut i = mobilized;
        while i != 0 {
            let bias = &workspace.velocities[i].bias;
            let p = q - workspace.positions[i].pose.translation;
            sum.angular += bias.angular;
            sum.linear += bias.linear + bias.angular.cross(&p);
            i = self.mobilized[i].parent;
        }
        InvalidInput::check_finite("bias acceleration", sum.to_vector().as_slice())?;
        Ok(sum)
    }

    /// Calls `visit` with the coordinate of every column between a body and the world, and the
    /// velocity `[w; v]` in W that it gives the body about its point at `p_WQ`.
    pub(crate) fn for_each_point_column(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
        p_wq: &Vector3<T>,
        visit: impl FnMut(usize, SpatialVelocity<T>),
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        let (mobilized, _) = self.placement(body)?;
        self.for_each_column(workspace, mobilized, p_wq, visit);
        Ok(())
    }

    /// The largest coordinate in W of the origins of the bodies between a body and the world.
    pub(crate) fn path_extent(
        &self,
        workspace: &TreeWorkspace<T>,
        body: BodyIndex,
    ) -> Result<f64, TreeError> {
        self.check_workspace(workspace)?;
        let (mut i, _) = self.placement(body)?;
        let mut extent = 0.0f64;
        while i != 0 {
            let origin = &workspace.positions[i].pose.translation;
            extent = extent.max(origin.map(|x| x.re()).amax());
            i = self.mobilized[i].parent;
        }
        Ok(extent)
    }

    /// Calls `visit` with the coordinate of every column between a mobilized body and the world,
    /// and the velocity `[w; v]` that it gives the body about the point at `p_WQ`.
    fn for_each_column(
        &self,
        workspace: &TreeWorkspace<T>,
        mobilized: usize,
        p_wq: &Vector3<T>,
        mut visit: impl FnMut(usize, SpatialVelocity<T>),
    ) {
        let mut i = mobilized;
        while i != 0 {
            let m = &self.mobilized[i];
            let p = p_wq - workspace.positions[i].pose.translation;
            let axes = &workspace.axes[m.columns.clone()];
            for (column, axis) in self.columns[m.columns.clone()].iter().zip(axes) {
                let velocity = match column.kind {
                    ColumnKind::Rotation => SpatialVelocity::new(*axis, axis.cross(&p)),
                    ColumnKind::Translation => SpatialVelocity::new(Vector3::zeros(), *axis),
                };
                visit(column.coordinate, velocity);
            }
            i = m.parent;
        }
    }

    fn clear_jacobian(&self, jacobian: &mut DMatrix<T>, rows: usize) -> Result<(), TreeError> {
        InvalidInput::check_size("rows of the Jacobian", jacobian.nrows(), rows)?;
        let columns = self.num_velocities;
        InvalidInput::check_size("columns of the Jacobian", jacobian.ncols(), columns)?;
        jacobian.as_mut_slice().fill(T::zero());
        Ok(())
    }
}

fn check_jacobian<T: Scalar>(jacobian: &DMatrix<T>) -> Result<(), TreeError> {
    Ok(InvalidInput::check_finite("Jacobian", jacobian.as_slice())?)
}

fn add_to_column<T: Scalar>(m: &mut DMatrix<T>, first_row: usize, column: usize, v: &Vector3<T>) {
    for row in 0..3 {
        m[(first_row + row, column)] += v[row];
    }
}
