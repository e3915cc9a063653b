//! Linear systems with the mass matrix: `M x = b`.

use super::error::ConstraintError;
use crate::autodiff::implicit_step;
use crate::math::{
    Cholesky, Factorization, Lu, RightHandSide, Singular, copy_matrix, real_parts, reset_matrix,
};
use crate::tree::{RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// Solves `M x = b`.
pub trait InertiaOperator<T: Scalar> {
    /// Number of velocity coordinates.
    fn size(&self) -> usize;

    /// Replaces `b` by `M⁻¹ b`.
    ///
    /// # Errors
    /// As the implementation says.
    fn solve_in_place(&mut self, b: &mut [T]) -> Result<(), ConstraintError>;

    /// Writes the real part of `M`, if it is cheap to come by; whether it is: by default it is not.
    ///
    /// # Errors
    /// As the implementation says.
    fn write_real_part(&mut self, real: &mut DenseInertia<f64>) -> Result<bool, ConstraintError> {
        let _ = real;
        Ok(false)
    }
}

/// An inertia matrix, factored once in `f64`.
#[derive(Debug, Clone)]
pub struct DenseInertia<T: Scalar> {
    matrix: DMatrix<T>,
    real_part: DMatrix<f64>,
    factor: InertiaFactor,
    right_hand_side: Vec<T>,
    scratch: Vec<T>,
    real: Vec<f64>,
}

impl<T: Scalar> DenseInertia<T> {
    /// Of a symmetric positive definite matrix.
    ///
    /// # Errors
    /// [`ConstraintError::Invalid`] when an entry is not finite,
    /// [`ConstraintError::SingularInertia`] when the matrix is not positive definite.
    pub fn new(matrix: DMatrix<T>) -> Result<Self, ConstraintError> {
        let mut inertia = DenseInertia {
            matrix,
            ..Self::default()
        };
        inertia.factor()?;
        Ok(inertia)
    }

    /// Factors the matrix that there is.
    fn factor(&mut self) -> Result<(), ConstraintError> {
        let n = self.matrix.nrows();
        InvalidInput::check_size("columns of the inertia matrix", self.matrix.ncols(), n)?;
        InvalidInput::check_finite("inertia matrix", self.matrix.as_slice())?;
        real_parts(&self.matrix, &mut self.real_part);
        self.factor.factor(&self.real_part)?;
        self.resize();
        Ok(())
    }

    fn resize(&mut self) {
        let n = self.matrix.nrows();
        self.right_hand_side.resize(n, T::zero());
        self.scratch.resize(n, T::zero());
        self.real.resize(n, 0.0);
    }
}

impl DenseInertia<f64> {
    /// Takes the matrix that `write` writes, which need not be symmetric if `unsymmetric` says so.
    pub(super) fn assemble(
        &mut self,
        unsymmetric: bool,
        write: impl FnOnce(&mut DMatrix<f64>),
    ) -> Result<(), ConstraintError> {
        write(&mut self.matrix);
        self.factor.is_unsymmetric = unsymmetric;
        self.factor()
    }

    /// Becomes a copy; allocates only when it has never been as large.
    pub(super) fn copy_from(&mut self, other: &Self) {
        copy_matrix(&other.matrix, &mut self.matrix);
        copy_matrix(&other.real_part, &mut self.real_part);
        self.factor.copy_from(&other.factor);
        self.resize();
    }

    pub(super) fn matrix(&self) -> &DMatrix<f64> {
        &self.matrix
    }

    pub(super) fn inverse(&self) -> &impl Factorization {
        &self.factor
    }
}

/// The factor of an inertia matrix: symmetric, unless forces that depend on velocities are part of it.
#[derive(Debug, Clone)]
struct InertiaFactor {
    cholesky: Cholesky,
    lu: Lu,
    is_unsymmetric: bool,
}

impl InertiaFactor {
    fn factor(&mut self, matrix: &DMatrix<f64>) -> Result<(), Singular> {
        match self.is_unsymmetric {
            true => self.lu.factor(matrix),
            false => self.cholesky.factor(matrix),
        }
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.is_unsymmetric = other.is_unsymmetric;
        match other.is_unsymmetric {
            true => self.lu.copy_from(&other.lu),
            false => self.cholesky.copy_from(&other.cholesky),
        }
    }
}

impl Factorization for InertiaFactor {
    fn size(&self) -> usize {
        match self.is_unsymmetric {
            true => self.lu.size(),
            false => self.cholesky.size(),
        }
    }

    fn solve_in_place<T: RightHandSide>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        match self.is_unsymmetric {
            true => self.lu.solve_in_place(b),
            false => self.cholesky.solve_in_place(b),
        }
    }
}

impl<T: Scalar> Default for DenseInertia<T> {
    /// Of no velocities.
    fn default() -> Self {
        DenseInertia {
            matrix: DMatrix::zeros(0, 0),
            real_part: DMatrix::zeros(0, 0),
            factor: InertiaFactor {
                cholesky: Cholesky::identity(0),
                lu: Lu::identity(0),
                is_unsymmetric: false,
            },
            right_hand_side: Vec::new(),
            scratch: Vec::new(),
            real: Vec::new(),
        }
    }
}

impl<T: Scalar> InertiaOperator<T> for DenseInertia<T> {
    fn size(&self) -> usize {
        self.matrix.nrows()
    }

    fn write_real_part(&mut self, real: &mut DenseInertia<f64>) -> Result<bool, ConstraintError> {
        real.assemble(self.factor.is_unsymmetric, |matrix| {
            copy_matrix(&self.real_part, matrix);
        })?;
        Ok(true)
    }

    fn solve_in_place(&mut self, b: &mut [T]) -> Result<(), ConstraintError> {
        InvalidInput::check_size("right-hand side", b.len(), self.size())?;
        self.right_hand_side.copy_from_slice(b);
        for (real, b) in self.real.iter_mut().zip(&*b) {
            *real = b.re();
        }
        self.factor.solve_in_place(&mut self.real)?;
        for (x, &real) in b.iter_mut().zip(&self.real) {
            *x = T::from(real);
        }
        let (matrix, right) = (&self.matrix, &self.right_hand_side);
        implicit_step(&self.factor, b, &mut self.scratch, |x, r| {
            for (r, &b) in r.iter_mut().zip(right) {
                *r = -b;
            }
            for (&x, column) in x.iter().zip(matrix.column_iter()) {
                for (r, &m) in r.iter_mut().zip(column.iter()) {
                    *r += m * x;
                }
            }
            Ok(())
        })
    }
}

/// Writes the real part of the mass matrix at the state of a workspace.
pub(super) fn write_mass_matrix<T: Scalar>(
    tree: &RigidBodyTree<T>,
    workspace: &mut TreeWorkspace<T>,
    matrix: &mut DMatrix<f64>,
) {
    let n = tree.num_velocities();
    reset_matrix(matrix, n, n);
    tree.for_each_mass_entry(workspace, |i, j, entry| {
        matrix[(i, j)] += entry.re();
        if i != j {
            matrix[(j, i)] += entry.re();
        }
    });
}
