//! The matrix M + δt D: inertia with linearised, velocity-dependent forces, implicit over a time step.
//!
//! Forces `τ(v⁺)` at the end of a step of length δt are linear about a velocity `w`, with `D = −∂τ/∂v`:
//!
//! ```text
//! (M + δt D) v⁺ = p + δt (τ(w) + D w) + Jᵀ f
//! ```
//!
//! The matrix on the left takes the place of the inertia. D is of real numbers: what its derivatives would add is in
//! `τ(w) + D w`, where `w` has those of `v⁺`.

use super::error::ConstraintError;
use super::inertia::{DenseInertia, InertiaOperator, write_mass_matrix};
use crate::autodiff::implicit_step;
use crate::math::{copy_matrix, reset_matrix};
use crate::tree::{MassMatrixFactor, RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// What a time step adds to the inertia of a tree: `δt D`, with D of the joints and of other forces; a workspace.
#[derive(Debug, Clone)]
pub(crate) struct DampedInertia<T: Scalar> {
    /// `δt d` of the joints.
    joints: Vec<T>,
    /// `δt D` of other forces; empty if there are none.
    others: DMatrix<f64>,
    dt: T,
    /// Of `M + δt d`, which must be regular.
    factor: MassMatrixFactor<T>,
    /// `M + δt D`.
    total: DenseInertia<f64>,
    right: Vec<T>,
    scratch: Vec<T>,
    real: Vec<f64>,
}

impl<T: Scalar> DampedInertia<T> {
    pub fn new(tree: &RigidBodyTree<T>) -> Self {
        let nv = tree.num_velocities();
        DampedInertia {
            joints: vec![T::zero(); nv],
            others: DMatrix::zeros(0, 0),
            dt: T::zero(),
            factor: MassMatrixFactor::new(tree),
            total: DenseInertia::default(),
            right: vec![T::zero(); nv],
            scratch: vec![T::zero(); nv],
            real: vec![0.0; nv],
        }
    }

    /// Takes the damping of the joints over a step of length `dt`; whether there is any.
    pub fn set_joints(&mut self, tree: &RigidBodyTree<T>, dt: T) -> Result<bool, ConstraintError> {
        self.dt = dt;
        tree.joint_damping(&mut self.joints)?;
        let any = self.joints.iter().any(|d| *d != T::zero());
        self.joints.iter_mut().for_each(|d| *d *= dt);
        Ok(any)
    }

    /// Factors the sum with the inertia at the positions of a workspace, with the damping `others` (nv×nv) of other
    /// forces.
    pub fn factor(
        &mut self,
        tree: &RigidBodyTree<T>,
        workspace: &mut TreeWorkspace<T>,
        others: Option<&DMatrix<f64>>,
    ) -> Result<(), ConstraintError> {
        tree.check_workspace(workspace)?;
        match others {
            Some(others) => copy_matrix(others, &mut self.others),
            None => reset_matrix(&mut self.others, 0, 0),
        }
        let joints = &self.joints;
        tree.check_regular(workspace, &mut self.factor, |i| joints[i].re())?;
        let (joints, others, dt) = (&self.joints, &self.others, self.dt.re());
        self.total.assemble(!others.is_empty(), |matrix| {
            write_mass_matrix(tree, workspace, matrix);
            for (i, d) in joints.iter().enumerate() {
                matrix[(i, i)] += d.re();
            }
            for (entry, &d) in matrix.iter_mut().zip(others) {
                *entry += dt * d;
            }
        })
    }

    /// `M + δt D`.
    pub(super) fn total(&self) -> &DenseInertia<f64> {
        &self.total
    }

    /// `M + δt D`, real.
    pub fn matrix(&self) -> &DMatrix<f64> {
        self.total.matrix()
    }

    /// Replaces `b` by `(M + δt D)⁻¹ b`.
    pub(super) fn solve_in_place(
        &mut self,
        tree: &RigidBodyTree<T>,
        workspace: &mut TreeWorkspace<T>,
        b: &mut [T],
    ) -> Result<(), ConstraintError> {
        InvalidInput::check_size("right-hand side", b.len(), self.joints.len())?;
        self.right.copy_from_slice(b);
        for (real, b) in self.real.iter_mut().zip(&*b) {
            *real = b.re();
        }
        self.total.solve_in_place(&mut self.real)?;
        for (x, &real) in b.iter_mut().zip(&self.real) {
            *x = T::from(real);
        }
        let (joints, others, right, dt) = (&self.joints, &self.others, &self.right, self.dt);
        implicit_step(self.total.inverse(), b, &mut self.scratch, |x, r| {
            tree.multiply_mass_matrix(workspace, x, r)?;
            for (r, ((&d, &x), &b)) in r.iter_mut().zip(joints.iter().zip(x).zip(right)) {
                *r += d * x - b;
            }
            add_product(others, x, dt, r);
            Ok(())
        })
    }

    /// `out −= δt D x`.
    pub fn subtract_product(&self, x: &[T], out: &mut [T]) {
        for (out, (&d, &x)) in out.iter_mut().zip(self.joints.iter().zip(x)) {
            *out -= d * x;
        }
        add_product(&self.others, x, -self.dt, out);
    }
}

/// `out += s A x`.
fn add_product<T: Scalar>(a: &DMatrix<f64>, x: &[T], s: T, out: &mut [T]) {
    for (&x, column) in x.iter().zip(a.column_iter()) {
        let x = x * s;
        for (out, &a) in out
            .iter_mut()
            .zip(column.iter())
            .filter(|(_, a)| **a != 0.0)
        {
            *out += x * a;
        }
    }
}
