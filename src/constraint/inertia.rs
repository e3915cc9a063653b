//! Solutions with the inertia matrix.

use super::error::ConstraintError;
use crate::autodiff::implicit_step;
use crate::math::{Cholesky, Factorization, copy_matrix, real_parts, reset_matrix};
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
        self.right_hand_side.resize(n, T::zero());
        self.scratch.resize(n, T::zero());
        self.real.resize(n, 0.0);
        Ok(())
    }
}

impl<T: Scalar> Default for DenseInertia<T> {
    /// Of no velocities.
    fn default() -> Self {
        DenseInertia {
            matrix: DMatrix::zeros(0, 0),
            real_part: DMatrix::zeros(0, 0),
            factor: Cholesky::identity(0),
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
        copy_matrix(&self.real_part, &mut real.matrix);
        real.factor()?;
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
    fn write_real_part(&mut self, real: &mut DenseInertia<f64>) -> Result<bool, ConstraintError> {
        self.tree.check_workspace(self.workspace)?;
        let (n, matrix) = (self.size(), &mut real.matrix);
        reset_matrix(matrix, n, n);
        self.tree
            .for_each_mass_entry(self.workspace, |i, j, entry| {
                matrix[(i, j)] += entry.re();
                if i != j {
                    matrix[(j, i)] += entry.re();
                }
            });
        real.factor()?;
        Ok(true)
    }

    fn solve_in_place(&mut self, b: &mut [T]) -> Result<(), ConstraintError> {
        Ok(self.tree.solve_mass_matrix(self.workspace, b)?)
    }
}
