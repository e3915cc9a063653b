//! Linear systems with the mass matrix of a tree, by articulated bodies.

use super::damped_inertia::DampedInertia;
use super::error::ConstraintError;
use super::inertia::{DenseInertia, InertiaOperator, write_mass_matrix};
use crate::Scalar;
use crate::tree::{RigidBodyTree, TreeWorkspace};

/// The inertia of a tree at the state of a workspace, by its articulated bodies.
#[derive(Debug)]
pub struct TreeInertia<'a, T: Scalar> {
    tree: &'a RigidBodyTree<T>,
    workspace: &'a mut TreeWorkspace<T>,
    damping: Option<&'a mut DampedInertia<T>>,
}

impl<'a, T: Scalar> TreeInertia<'a, T> {
    /// At the state that has been set in the workspace.
    pub fn new(tree: &'a RigidBodyTree<T>, workspace: &'a mut TreeWorkspace<T>) -> Self {
        Self::with_damping(tree, workspace, None)
    }

    /// The same, with the damping of a time step.
    pub(super) fn with_damping(
        tree: &'a RigidBodyTree<T>,
        workspace: &'a mut TreeWorkspace<T>,
        damping: Option<&'a mut DampedInertia<T>>,
    ) -> Self {
        TreeInertia {
            tree,
            workspace,
            damping,
        }
    }

    /// Takes the product of the damping and `x` from `out`.
    pub(super) fn subtract_damping(&self, x: &[T], out: &mut [T]) {
        if let Some(damping) = &self.damping {
            damping.subtract_product(x, out);
        }
    }
}

impl<T: Scalar> InertiaOperator<T> for TreeInertia<'_, T> {
    fn size(&self) -> usize {
        self.tree.num_velocities()
    }

    /// The mass matrix costs about as much as two solutions.
    fn write_real_part(&mut self, real: &mut DenseInertia<f64>) -> Result<bool, ConstraintError> {
        if let Some(damping) = &self.damping {
            real.copy_from(damping.total());
            return Ok(true);
        }
        self.tree.check_workspace(self.workspace)?;
        self.tree.factor_mass_matrix(self.workspace)?;
        real.assemble(false, |matrix| {
            write_mass_matrix(self.tree, self.workspace, matrix);
        })?;
        Ok(true)
    }

    fn solve_in_place(&mut self, b: &mut [T]) -> Result<(), ConstraintError> {
        match &mut self.damping {
            Some(damping) => damping.solve_in_place(self.tree, self.workspace, b),
            None => Ok(self.tree.solve_mass_matrix(self.workspace, b)?),
        }
    }
}
