//! The mass matrix by the composite rigid body algorithm (CRBA), and products with it.
//!
//! # Recursion
//! The bodies outward of a joint, with their mass `m`, first moment `h` and rotational inertia `J`
//! about the origin of the body that the joint carries, take the force
//!
//! ```text
//! τ = J a, f = a × h   for unit acceleration about the axis a
//! τ = h × a, f = m a   for unit acceleration along the axis a
//! ```
//!
//! and its components along the columns of the joint itself, and, shifted inwards, of all joints
//! inward of it, are the entries of the mass matrix. Composite inertias follow inwards by the
//! parallel axes theorem. Entries of joints on different branches are zero.
//!
//! # Reference
//! Composite rigid body algorithm: Walker & Orin 1982, *ASME J. Dyn. Syst. Meas. Control* 104(3),
//! 205–211; Featherstone 2008, *Rigid Body Dynamics Algorithms*, §6.2.

use super::column::{Column, ColumnKind};
use super::error::TreeError;
use super::inertia::Inertia;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::math::{SpatialForce, SpatialVelocity};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, Vector3};

impl<T: Scalar> RigidBodyTree<T> {
    /// The mass matrix `M(q)` (nv×nv), symmetric: the kinetic energy is `½ vᵀ M v`.
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when `mass_matrix` has the wrong size or numbers overflow,
    /// [`TreeError::ForeignWorkspace`], [`TreeError::OutdatedWorkspace`].
    #[doc(alias = "CRBA")]
    #[inline(never)]
    pub fn mass_matrix(
        &self,
        workspace: &mut TreeWorkspace<T>,
        mass_matrix: &mut DMatrix<T>,
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        let n = self.num_velocities;
        InvalidInput::check_size("rows of the mass matrix", mass_matrix.nrows(), n)?;
        InvalidInput::check_size("columns of the mass matrix", mass_matrix.ncols(), n)?;
        let entries = mass_matrix.as_mut_slice();
        entries.fill(T::zero());
        self.for_each_mass_entry(workspace, |i, j, entry| {
            entries[i + n * j] += entry;
            if i != j {
                entries[j + n * i] += entry;
            }
        });
        Ok(InvalidInput::check_finite("mass matrix", entries)?)
    }

    /// Calls `visit` with row, column and value of the terms that entries of the mass matrix are the sums of,
    /// of each entry and the one across the diagonal only one. Their places are the same at every state.
    pub(crate) fn for_each_mass_entry(
        &self,
        workspace: &mut TreeWorkspace<T>,
        mut visit: impl FnMut(usize, usize, T),
    ) {
        let TreeWorkspace {
            positions,
            axes,
            composites,
            branch_forces,
            ..
        } = workspace;
        for ((m, position), composite) in
            self.mobilized.iter().zip(&*positions).zip(&mut *composites)
        {
            *composite = m
                .inertia
                .rotated(&position.pose.rotation, position.first_moment);
        }
        for (i, m) in self.mobilized.iter().enumerate().skip(1).rev() {
            let (inner_composites, outer_composites) = composites.split_at_mut(i);
            let composite = &outer_composites[0];
            let of_branch = &mut branch_forces[m.columns.clone()];
            for (k, of_branch) in m.columns.clone().zip(of_branch) {
                let column = &self.columns[k];
                let mut force = force_of_unit_acceleration(column, &axes[k], composite);
                let own = column.component(&axes[k], &force) + column.armature;
                visit(column.coordinate, column.coordinate, own);
                let mut add = |other: usize, force: &SpatialForce<T>| {
                    let row = &self.columns[other];
                    let entry = row.component(&axes[other], force);
                    visit(row.coordinate, column.coordinate, entry);
                    if row.coordinate == column.coordinate {
                        visit(row.coordinate, column.coordinate, entry);
                    }
                };
                for other in m.columns.start..k {
                    add(other, &force);
                }
                let mut inner = i;
                while self.mobilized[inner].parent != 0 {
                    force.torque += positions[inner].offset.cross(&force.force);
                    inner = self.mobilized[inner].parent;
                    for other in self.mobilized[inner].columns.clone() {
                        add(other, &force);
                    }
                }
                *of_branch = force;
            }
            if m.parent != 0 {
                inner_composites[m.parent].add_shifted(composite, &positions[i].offset);
            }
        }
    }

    /// Checks that the diagonal of a mass matrix of this tree, or of one with something added to it,
    /// is positive.
    ///
    /// # Errors
    /// [`TreeError::SingularInertia`] with the joint whose motion nothing opposes.
    pub(crate) fn check_diagonal(&self, diagonal: &[f64]) -> Result<(), TreeError> {
        match diagonal.iter().position(|&m| m <= 0.0) {
            Some(coordinate) => Err(self.singular_at_coordinate(coordinate)),
            None => Ok(()),
        }
    }

    /// The product `M(q) u`, without the matrix: the generalized momentum at the velocity `u`.
    ///
    /// # Errors
    /// As [`Self::mass_matrix`].
    #[inline(never)]
    pub fn multiply_mass_matrix(
        &self,
        workspace: &mut TreeWorkspace<T>,
        u: &[T],
        out: &mut [T],
    ) -> Result<(), TreeError> {
        self.check_dynamics(workspace, None, out)?;
        self.check_velocity_vector("u", u)?;
        self.mass_matrix_product(workspace, u, out);
        Ok(InvalidInput::check_finite(
            "product with the mass matrix",
            out,
        )?)
    }

    /// Outwards the velocities that `u` gives the bodies, inwards their momenta.
    pub(super) fn mass_matrix_product(
        &self,
        workspace: &mut TreeWorkspace<T>,
        u: &[T],
        out: &mut [T],
    ) {
        workspace.motions[0] = SpatialVelocity::zero();
        workspace.forces[0] = SpatialForce::zero();
        for (i, m) in self.mobilized.iter().enumerate().skip(1) {
            let position = &workspace.positions[i];
            let relative = self.joint_motion(workspace, m, u);
            let motion = workspace.motions[m.parent].shift(&position.offset) + relative;
            let momentum = position.momentum(&m.inertia, &motion);
            workspace.forces[i] = SpatialForce::new(momentum.angular, momentum.linear);
            workspace.motions[i] = motion;
        }
        self.project_forces(workspace, out);
        self.add_armature_forces(u, out);
    }
}

/// The force, about the same point, of a unit acceleration of the column; the momentum of its unit velocity.
pub(super) fn force_of_unit_acceleration<T: Scalar>(
    column: &Column<T>,
    axis: &Vector3<T>,
    inertia: &Inertia<T>,
) -> SpatialForce<T> {
    match column.kind {
        ColumnKind::Rotation => inertia.of_turning(axis),
        ColumnKind::Translation => inertia.of_moving(axis),
    }
}
