//! Solutions with the inertia matrix.

use super::error::ConstraintError;
use crate::autodiff::implicit_step;
use crate::math::{Cholesky, Factorization};
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

    /// The real part of `M`, if it is cheap to come by; `None` by default.
    ///
    /// # Errors
    /// As the implementation says.
    fn real_part(&mut self) -> Result<Option<DenseInertia<f64>>, ConstraintError> {
        Ok(None)
    }
}

/// An inertia matrix, factored once in `f64`.
#[derive(Debug, Clone)]
pub struct DenseInertia<T: Scalar> {
    matrix: DMatrix<T>,
    factor: Cholesky,
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
        let n = matrix.nrows();
        InvalidInput::check_size("columns of the inertia matrix", matrix.ncols(), n)?;
        InvalidInput::check_finite("inertia matrix", matrix.as_slice())?;
        let mut factor = Cholesky::identity(n);
        factor.factor(&matrix.map(|m| m.re()))?;
        Ok(DenseInertia {
            matrix,
            factor,
            right_hand_side: vec![T::zero(); n],
            scratch: vec![T::zero(); n],
            real: vec![0.0; n],
        })
    }
}

impl<T: Scalar> InertiaOperator<T> for DenseInertia<T> {
    fn size(&self) -> usize {
        self.matrix.nrows()
    }

    fn real_part(&mut self) -> Result<Option<DenseInertia<f64>>, ConstraintError> {
        let n = self.size();
        Ok(Some(DenseInertia {
            matrix: self.matrix.map(|m| m.re()),
            factor: self.factor.clone(),
            right_hand_side: vec![0.0; n],
            scratch: vec![0.0; n],
            real: vec![0.0; n],
        }))
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

/// The inertia of a tree at the state of a workspace, by its articulated bodies.
#[derive(Debug)]
pub struct TreeInertia<'a, T: Scalar> {
    tree: &'a RigidBodyTree<T>,
    workspace: &'a mut TreeWorkspace<T>,
}

impl<'a, T: Scalar> TreeInertia<'a, T> {
    /// At the state that has been set in the workspace.
    pub fn new(tree: &'a RigidBodyTree<T>, workspace: &'a mut TreeWorkspace<T>) -> Self {
        TreeInertia { tree, workspace }
    }
}

impl<T: Scalar> InertiaOperator<T> for TreeInertia<'_, T> {
    fn size(&self) -> usize {
        self.tree.num_velocities()
    }

    /// The mass matrix costs about as much as two solutions.
    fn real_part(&mut self) -> Result<Option<DenseInertia<f64>>, ConstraintError> {
        let n = self.size();
        let mut matrix = DMatrix::zeros(n, n);
        self.tree.mass_matrix(self.workspace, &mut matrix)?;
        DenseInertia::new(matrix.map(|m| m.re())).map(Some)
    }

    fn solve_in_place(&mut self, b: &mut [T]) -> Result<(), ConstraintError> {
        Ok(self.tree.solve_mass_matrix(self.workspace, b)?)
    }
}
