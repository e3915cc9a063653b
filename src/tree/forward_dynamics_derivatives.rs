//! Derivatives of forward dynamics (ABA) with respect to positions, velocities and forces.
//!
//! Inverse dynamics undoes forward dynamics, so with [its derivatives](super::inverse_dynamics_derivatives)
//! at the accelerations `v̇` that `τ` causes,
//!
//! ```text
//! ∂v̇/∂τ = M⁻¹,   ∂v̇/∂q = −M⁻¹ ∂ID/∂q,   ∂v̇/∂v = −M⁻¹ ∂ID/∂v
//! ```
//!
//! The inverse of the real part of M is computed with the zeros that the branches of the tree leave
//! in it ([LTDL factor](super::ltdl)), and has its own derivatives, if the scalar carries
//! any, from the chord iteration `X ← X − M₀⁻¹ (M X − 1)`.
//!
//! # Reference
//! Carpentier & Mansard 2018, *Analytical derivatives of rigid body dynamics algorithms*, Robotics:
//! Science and Systems, §III.

use super::error::TreeError;
use super::inverse_dynamics_derivatives::InverseDynamicsDerivatives;
use super::ltdl::{LtdlFactor, subtract_columns};
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::math::SpatialForce;
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};

/// Accelerations of forward dynamics with their derivatives, and the memory to compute them.
///
/// Made by [`RigidBodyTree::new_forward_dynamics_derivatives`]. Derivatives with respect to positions
/// are along the velocity coordinates, as in [`InverseDynamicsDerivatives`].
#[derive(Debug, Clone)]
pub struct ForwardDynamicsDerivatives<T> {
    /// Accelerations `v̇`.
    pub vdot: DVector<T>,
    /// `∂v̇/∂q` (nv×nv).
    pub dvdot_dq: DMatrix<T>,
    /// `∂v̇/∂v` (nv×nv).
    pub dvdot_dv: DMatrix<T>,
    /// `∂v̇/∂τ` (nv×nv), the inverse of the mass matrix.
    pub inverse_mass_matrix: DMatrix<T>,
    inverse_dynamics: InverseDynamicsDerivatives<T>,
    factor: LtdlFactor,
    /// Of the chord iteration.
    residual: DMatrix<T>,
}

impl<T: Scalar> RigidBodyTree<T> {
    /// Memory for [`Self::forward_dynamics_derivatives`] of this tree and its copies.
    #[inline(never)]
    pub fn new_forward_dynamics_derivatives(&self) -> ForwardDynamicsDerivatives<T> {
        let n = self.num_velocities;
        let lifted = if T::NDERIV == 0 { 0 } else { n };
        ForwardDynamicsDerivatives {
            vdot: DVector::zeros(n),
            dvdot_dq: DMatrix::zeros(n, n),
            dvdot_dv: DMatrix::zeros(n, n),
            inverse_mass_matrix: DMatrix::zeros(n, n),
            inverse_dynamics: self.new_inverse_dynamics_derivatives(),
            factor: LtdlFactor::new(self),
            residual: DMatrix::zeros(lifted, lifted),
        }
    }

    /// [`Self::forward_dynamics`] with its derivatives with respect to positions, velocities and
    /// forces, at the state of the workspace.
    ///
    /// Derivatives of higher order come with a scalar `T` that carries them.
    ///
    /// # Errors
    /// As [`Self::forward_dynamics`], and [`TreeError::ForeignWorkspace`] when `out` was made for
    /// another tree.
    #[doc(alias = "ABA")]
    #[doc(alias = "LTDL")]
    #[inline(never)]
    pub fn forward_dynamics_derivatives(
        &self,
        workspace: &mut TreeWorkspace<T>,
        tau: &[T],
        external: Option<&[SpatialForce<T>]>,
        out: &mut ForwardDynamicsDerivatives<T>,
    ) -> Result<(), TreeError> {
        let ForwardDynamicsDerivatives {
            vdot,
            dvdot_dq,
            dvdot_dv,
            inverse_mass_matrix,
            inverse_dynamics,
            factor,
            residual,
        } = out;
        if !inverse_dynamics.belongs_to(self) {
            return Err(TreeError::ForeignWorkspace);
        }
        self.forward_dynamics(workspace, tau, external, vdot.as_mut_slice())?;
        self.inverse_dynamics_derivatives(workspace, vdot.as_slice(), external, inverse_dynamics)?;
        let m = &inverse_dynamics.mass_matrix;
        let real = (factor.invert(m)).map_err(|k| self.singular_at_coordinate(k))?;
        for (x, &real) in inverse_mass_matrix.iter_mut().zip(real) {
            *x = T::from(real);
        }
        for _ in 0..T::NDERIV {
            correct_inverse(inverse_mass_matrix, m, real, residual);
        }
        for (derivative, of_inverse) in [
            (&mut *dvdot_dq, &inverse_dynamics.dtau_dq),
            (&mut *dvdot_dv, &inverse_dynamics.dtau_dv),
        ] {
            subtract_product(derivative, inverse_mass_matrix, of_inverse, factor);
            InvalidInput::check_finite("derivatives of accelerations", derivative.as_slice())?;
        }
        Ok(())
    }
}

/// One step of the chord iteration `X ← X − M₀⁻¹ (M X − 1)`, of the infinitesimal parts.
fn correct_inverse<T: Scalar>(
    x: &mut DMatrix<T>,
    m: &DMatrix<T>,
    real_inverse: &DMatrix<f64>,
    residual: &mut DMatrix<T>,
) {
    let n = x.nrows();
    for k in 0..n {
        for i in 0..n {
            let product = (0..n).fold(T::zero(), |sum, j| sum + m[(i, j)] * x[(j, k)]);
            residual[(i, k)] = product.infinitesimal();
        }
    }
    for k in 0..n {
        for i in 0..n {
            let correction = (0..n).fold(T::zero(), |sum, j| {
                sum + residual[(j, k)] * real_inverse[(i, j)]
            });
            x[(i, k)] -= correction;
        }
    }
}

/// `out = −X D` for a matrix D with the pattern of the mass matrix.
fn subtract_product<T: Scalar>(
    out: &mut DMatrix<T>,
    x: &DMatrix<T>,
    d: &DMatrix<T>,
    pattern: &LtdlFactor,
) {
    let n = out.nrows();
    let (out, x, d) = (out.as_mut_slice(), x.as_slice(), d.as_slice());
    out.fill(T::zero());
    for k in 0..n {
        let column = &mut out[k * n..(k + 1) * n];
        subtract_columns(column, x, (n, 0), pattern.coupled(k), |l| d[l + k * n]);
    }
}
