//! The matrices of a constraint problem.

use super::inertia::{DenseInertia, InertiaOperator};
use crate::Scalar;
use nalgebra::{DMatrix, DVector};

/// The Jacobians of a constraint problem as matrices, with any operator for the inertia.
///
/// Matrices of constraints that a problem does not have are 0×nv.
#[derive(Debug, Clone)]
pub struct ConstraintMatrices<T: Scalar, I = DenseInertia<T>> {
    /// Solutions with the inertia matrix.
    pub inertia: I,
    /// Bilateral constraints (nb×nv).
    pub g: DMatrix<T>,
    /// Generalized forces (nv) of unit forces of bilateral constraints that do not act along their rows of
    /// `g`, with the row.
    pub own_directions: Vec<(usize, DVector<T>)>,
    /// Contact normals (nc×nv).
    pub n: DMatrix<T>,
    /// `μ Q` (nc×nv): directions of sliding times the coefficients of friction, zero rows where nothing slides; 0×nv
    /// when nothing slides anywhere.
    pub mu_q: DMatrix<T>,
    /// Spanning directions of the contact tangents (nnr×nv).
    pub f: DMatrix<T>,
    /// Unilateral constraints (nu×nv).
    pub l: DMatrix<T>,
}

impl<T: Scalar, I: InertiaOperator<T>> ConstraintMatrices<T, I> {
    /// A system without constraints.
    pub fn unconstrained(inertia: I) -> Self {
        Self::of_size(inertia.size(), inertia)
    }
}

impl<T: Scalar, I> ConstraintMatrices<T, I> {
    /// Without constraints, of so many velocities.
    pub(super) fn of_size(nv: usize, inertia: I) -> Self {
        let none = || DMatrix::zeros(0, nv);
        ConstraintMatrices {
            g: none(),
            own_directions: Vec::new(),
            n: none(),
            mu_q: none(),
            f: none(),
            l: none(),
            inertia,
        }
    }

    /// The same constraints with another inertia.
    pub(super) fn with_inertia<J>(self, inertia: J) -> ConstraintMatrices<T, J> {
        ConstraintMatrices {
            inertia,
            g: self.g,
            own_directions: self.own_directions,
            n: self.n,
            mu_q: self.mu_q,
            f: self.f,
            l: self.l,
        }
    }
}
