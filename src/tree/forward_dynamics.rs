//! Forward dynamics by the articulated body algorithm (ABA): accelerations caused by forces.
//!
//! # Two stages
//! With the forces `b = ID(q, v, 0)` that the state takes without acceleration, the accelerations
//! are `v̇ = M⁻¹(τ − b)`. The first stage is one run of the
//! [inverse dynamics](super::inverse_dynamics); the second, a linear system with the mass matrix,
//! costs O(n) by articulated bodies and never forms the matrix.
//!
//! # Articulated bodies
//! Let the force `F = [τ; f]` on a mobilized body B, about Bo, and the acceleration `A = [α; a]` of
//! Bo be related by `F = I A`, where everything outward of B is free to give way. `I` consists of
//! three blocks, `τ = J α + H a` and `f = Hᵀ α + M a`; for a rigid body `H = [h]×` and `M = m 1`.
//! A column `s` of the inboard joint (axis in the first three components if it rotates, in the last
//! three if it translates) with generalized force `u` leaves for the side inward of it
//!
//! ```text
//! U = I s,  D = s·U + a,   I ← I − U Uᵀ/D,   v̇ = (u − U·A)/D
//! ```
//!
//! with the joint's [armature](super::Joint::armature) a.
//! A joint with several columns is a chain of bodies without mass in between, so its columns are
//! eliminated one after another, the outermost (last) first, and no small matrix is inverted. With
//! the offset `p` from the parent's origin, `[p]×` written A, the parent receives
//!
//! ```text
//! M,   H + A M,   J + K + Kᵀ  with  K = (H + ½ A M) Aᵀ
//! ```
//!
//! The elimination does not depend on velocities or forces; it is a factorisation of the mass
//! matrix, kept in the workspace for as many right-hand sides as there are for the state.
//!
//! # Derivatives
//! The factorisation is of the real parts. Derivatives come from the chord iteration
//! `x ← x − M₀⁻¹ (M x − b)` with products `M x` in the scalar `T`, as in
//! [`implicit_step`](crate::autodiff::implicit_step), so a dual number never
//! passes through an elimination.
//!
//! # Trees with joints that follow others
//! Their columns share coordinates across the tree, which no recursion from the leaves can
//! eliminate; the mass matrix is formed and factored instead.
//!
//! # Reference
//! Articulated body algorithm: Featherstone 2008, *Rigid Body Dynamics Algorithms*, ch. 7. As a
//! factorisation of the mass matrix: Jain 2011, *Robot and Multibody Dynamics*, ch. 7.

use super::articulated_bodies::ArticulatedBodies;
use super::error::TreeError;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::math::{Cholesky, Factorization, Singular, SpatialForce};
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// The smallest inertia that a column may move, relative to that of the rigid composite of
/// everything outward of its joint. Round-off of an elimination is a few units of 1e-16.
pub(super) const SINGULARITY: f64 = 1e-13;

/// The factorisation of the real part of a mass matrix.
#[derive(Debug, Clone)]
pub(crate) enum MassMatrixFactor<T> {
    Articulated(ArticulatedBodies),
    Dense {
        mass_matrix: DMatrix<T>,
        real: DMatrix<f64>,
        cholesky: Cholesky,
    },
}

impl<T: Scalar> MassMatrixFactor<T> {
    pub(crate) fn new(tree: &RigidBodyTree<T>) -> Self {
        if tree.has_mimic {
            let n = tree.num_velocities;
            MassMatrixFactor::Dense {
                mass_matrix: DMatrix::zeros(n, n),
                real: DMatrix::zeros(n, n),
                cholesky: Cholesky::identity(n),
            }
        } else {
            MassMatrixFactor::Articulated(ArticulatedBodies::new(
                tree.mobilized.len(),
                tree.columns.len(),
            ))
        }
    }
}

impl<T> Default for MassMatrixFactor<T> {
    /// The factorisation of an empty matrix.
    fn default() -> Self {
        MassMatrixFactor::Articulated(ArticulatedBodies::new(0, 0))
    }
}

impl<T: Scalar> RigidBodyTree<T> {
    /// Accelerations `v̇ = M⁻¹ (τ − C(q, v) v + τ_g + Σ Jᵀ F)` under the generalized forces `tau`.
    ///
    /// The inverse of [`Self::inverse_dynamics`]: `tau` are all generalized forces beside gravity
    /// and the `external` forces on bodies (torque about the body origin and force, expressed in
    /// W); [`Self::joint_damping_forces`] are for the caller to add.
    ///
    /// # Errors
    /// [`TreeError::SingularInertia`] when a joint moves without moving inertia,
    /// [`TreeError::Invalid`] when a size is wrong or an entry not finite (of the result, when
    /// numbers overflow),
    /// [`TreeError::ForeignWorkspace`], [`TreeError::OutdatedWorkspace`].
    #[doc(alias = "ABA")]
    #[inline(never)]
    pub fn forward_dynamics(
        &self,
        workspace: &mut TreeWorkspace<T>,
        tau: &[T],
        external: Option<&[SpatialForce<T>]>,
        vdot: &mut [T],
    ) -> Result<(), TreeError> {
        self.check_velocity_vector("tau", tau)?;
        self.check_dynamics(workspace, external, vdot)?;
        self.newton_euler(workspace, -self.gravity, |_| T::zero());
        self.subtract_external(workspace, external);
        self.project_forces(workspace, vdot);
        for (vdot, &tau) in vdot.iter_mut().zip(tau) {
            *vdot = tau - *vdot;
        }
        self.solve_with_mass_matrix(workspace, vdot)
    }

    /// Replaces `b` by `M(q)⁻¹ b`.
    ///
    /// The first solution in a state factors the mass matrix; further ones reuse that.
    ///
    /// # Errors
    /// As [`Self::forward_dynamics`].
    #[doc(alias = "ABA")]
    #[doc(alias = "inverse mass matrix")]
    #[inline(never)]
    pub fn solve_mass_matrix(
        &self,
        workspace: &mut TreeWorkspace<T>,
        b: &mut [T],
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        self.check_velocity_vector("b", b)?;
        self.solve_with_mass_matrix(workspace, b)
    }

    fn solve_with_mass_matrix(
        &self,
        workspace: &mut TreeWorkspace<T>,
        b: &mut [T],
    ) -> Result<(), TreeError> {
        self.factor_mass_matrix(workspace)?;
        if T::NDERIV == 0 {
            self.solve_real(workspace, b)?;
        } else {
            let [mut rhs, mut residual] = std::mem::take(&mut workspace.generalized);
            rhs.copy_from_slice(b);
            let result = self.solve_dual(workspace, &rhs, b, &mut residual);
            workspace.generalized = [rhs, residual];
            result?;
        }
        Ok(InvalidInput::check_finite("accelerations", b)?)
    }

    /// Replaces `b` by `(M(q) + diag(added))⁻¹ b`, in O(n); real parts only. Whether it has: trees with coupled mimic joints
    /// have no articulated bodies.
    ///
    /// # Errors
    /// As [`Self::solve_mass_matrix`].
    pub(crate) fn solve_damped_mass_matrix(
        &self,
        workspace: &mut TreeWorkspace<T>,
        factor: &mut MassMatrixFactor<T>,
        added: impl Fn(usize) -> f64,
        b: &mut [T],
    ) -> Result<bool, TreeError> {
        self.check_workspace(workspace)?;
        self.check_velocity_vector("b", b)?;
        let MassMatrixFactor::Articulated(bodies) = factor else {
            return Ok(false);
        };
        (bodies.factor(self, workspace, added)).map_err(|body| self.singular_at_body(body))?;
        bodies.solve(self, &mut workspace.forces, &mut workspace.motions, b);
        InvalidInput::check_finite("velocities", b)?;
        Ok(true)
    }

    /// Checks that `M(q) + diag(added)` is regular, but for round-off.
    ///
    /// # Errors
    /// [`TreeError::SingularInertia`].
    pub(crate) fn check_regular(
        &self,
        workspace: &mut TreeWorkspace<T>,
        factor: &mut MassMatrixFactor<T>,
        added: impl Fn(usize) -> f64,
    ) -> Result<(), TreeError> {
        match factor {
            MassMatrixFactor::Articulated(bodies) => bodies
                .factor(self, workspace, added)
                .map_err(|body| self.singular_at_body(body)),
            MassMatrixFactor::Dense {
                mass_matrix,
                real,
                cholesky,
            } => {
                self.mass_matrix(workspace, mass_matrix)?;
                real.zip_apply(mass_matrix, |real, entry| *real = entry.re());
                for i in 0..real.nrows() {
                    real[(i, i)] += added(i);
                }
                factor_regular(real, cholesky)
                    .map_err(|singular| self.singular_at_coordinate(singular.column))
            }
        }
    }

    /// Factors the mass matrix at the state of a workspace, if it has not been yet.
    ///
    /// # Errors
    /// [`TreeError::SingularInertia`].
    pub(crate) fn factor_mass_matrix(
        &self,
        workspace: &mut TreeWorkspace<T>,
    ) -> Result<(), TreeError> {
        if workspace.is_factored {
            return Ok(());
        }
        let mut factor = std::mem::take(&mut workspace.factor);
        let result = self.check_regular(workspace, &mut factor, |_| 0.0);
        workspace.factor = factor;
        workspace.is_factored = result.is_ok();
        result
    }

    fn solve_dual(
        &self,
        workspace: &mut TreeWorkspace<T>,
        b: &[T],
        x: &mut [T],
        residual: &mut [T],
    ) -> Result<(), TreeError> {
        for x in x.iter_mut() {
            *x = T::from(x.re());
        }
        self.solve_real(workspace, x)?;
        for _ in 0..T::NDERIV {
            self.mass_matrix_product(workspace, x, residual);
            for (r, &b) in residual.iter_mut().zip(b) {
                *r = (*r - b).infinitesimal();
            }
            self.solve_real(workspace, residual)?;
            for (x, &correction) in x.iter_mut().zip(&*residual) {
                *x = (*x - correction).with_real(x.re());
            }
        }
        Ok(())
    }

    /// Replaces `b` by `M₀⁻¹ b`, with the factored real part `M₀`.
    fn solve_real(&self, workspace: &mut TreeWorkspace<T>, b: &mut [T]) -> Result<(), TreeError> {
        match &workspace.factor {
            MassMatrixFactor::Articulated(bodies) => {
                bodies.solve(self, &mut workspace.forces, &mut workspace.motions, b);
                Ok(())
            }
            MassMatrixFactor::Dense { cholesky, .. } => Ok(cholesky.solve_in_place(b)?),
        }
    }

    fn singular_at_body(&self, mobilized: usize) -> TreeError {
        let m = &self.mobilized[mobilized];
        TreeError::SingularInertia {
            joint: self.joint_name(m),
            body: self.bodies[m.body.get()].name.clone(),
        }
    }

    pub(super) fn singular_at_coordinate(&self, coordinate: usize) -> TreeError {
        let is_driven = |k: usize| self.columns[k].coordinate == coordinate;
        let body = (self.mobilized.iter()).position(|m| m.columns.clone().any(is_driven));
        self.singular_at_body(body.unwrap_or(0))
    }

    /// Checks the size and the entries of a vector with one entry a velocity coordinate.
    pub(super) fn check_velocity_vector(
        &self,
        quantity: &'static str,
        values: &[T],
    ) -> Result<(), TreeError> {
        InvalidInput::check_size(quantity, values.len(), self.num_velocities)?;
        Ok(InvalidInput::check_finite(quantity, values)?)
    }
}

/// Factors `m`, unless the margin of its eigenvalues to zero is round-off: with a diagonal that is
/// smaller by that much it must be positive definite too.
fn factor_regular(m: &mut DMatrix<f64>, cholesky: &mut Cholesky) -> Result<(), Singular> {
    for i in 0..m.nrows() {
        m[(i, i)] *= 1.0 - SINGULARITY;
    }
    cholesky.factor(m)?;
    for i in 0..m.nrows() {
        m[(i, i)] /= 1.0 - SINGULARITY;
    }
    cholesky.factor(m)
}
