//! Jacobians of steps in the tangent space of configurations.
//!
//! A step has derivatives with respect to the entries of `[q; v; a; s]`. With `q̇ = N(q) v`, those of displacements
//! `[δq; δv; δa; δs]`, with as many entries of δq as of δv, are
//!
//! ```text
//! A = E⁺(x⁺) ∂x⁺/∂x E(x),     B = E⁺(x⁺) ∂x⁺/∂u,     E = diag(N(q), 1)
//! ```
//!
//! where N⁺ is the [inverse](RigidBodyTree::map_qdot_to_velocity) on the tangents of unit quaternions.

use super::derivative::StepJacobian;
use super::error::SystemError;
use super::jacobian::StepDifferentiator;
use super::state::State;
use crate::math::{copy_matrix, resize_matrix};
use crate::tree::RigidBodyTree;
use nalgebra::{DMatrix, DVector};

/// Memory of derivatives on the way to those of displacements.
#[derive(Debug, Clone, Default)]
pub(super) struct InCoordinates {
    jacobian: StepJacobian,
    /// With respect to displacements, of the entries of the state.
    by_displacement: DMatrix<f64>,
}

impl StepDifferentiator {
    /// As [`Self::jacobian`], by displacements `[δq; δv; δa; δs]` of the states before and after the step, as
    /// [`LinearModel`](super::LinearModel) counts them: `state` is n×n, its matrix A, `input` n×m, its B, and `parameters`
    /// n×p, with n = 2 nv + na + ns.
    ///
    /// # Errors
    /// As [`Self::jacobian`].
    pub fn tangent_jacobian(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        jacobian: &mut StepJacobian,
    ) -> Result<&State<f64>, SystemError> {
        let tree = self.system().tree();
        if tree.num_positions() == tree.num_velocities() {
            return self.jacobian(state, input, jacobian);
        }
        let mut memory = std::mem::take(&mut self.in_coordinates);
        let made = self.jacobian(state, input, &mut memory.jacobian).map(drop);
        let ends = (state.q.as_slice(), self.next.q.as_slice());
        let written =
            made.and_then(|()| memory.write_tangent(self.system().tree(), ends, jacobian));
        self.in_coordinates = memory;
        written.map(|()| &self.next)
    }

    /// As [`Self::output_jacobian`], by displacements of the state before the step: `state` is ny×n, the matrix C of a
    /// [`LinearModel`](super::LinearModel), `input` ny×m, its D, and `parameters` ny×p.
    ///
    /// # Errors
    /// As [`Self::output_jacobian`].
    pub fn tangent_output_jacobian(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        jacobian: &mut StepJacobian,
    ) -> Result<&DVector<f64>, SystemError> {
        self.output_jacobian(state, input, jacobian)?;
        let mut by_displacement = std::mem::take(&mut self.in_coordinates.by_displacement);
        let (tree, q) = (self.system().tree(), state.q.as_slice());
        write_by_displacement(tree, q, &jacobian.state, &mut by_displacement);
        copy_matrix(&by_displacement, &mut jacobian.state);
        self.in_coordinates.by_displacement = by_displacement;
        Ok(&self.output)
    }
}

impl InCoordinates {
    /// Writes the derivatives of displacements, about positions before and after the step.
    fn write_tangent(
        &mut self,
        tree: &RigidBodyTree<f64>,
        (start, end): (&[f64], &[f64]),
        to: &mut StepJacobian,
    ) -> Result<(), SystemError> {
        let InCoordinates {
            jacobian,
            by_displacement,
        } = self;
        let (nq, nv) = (tree.num_positions(), tree.num_velocities());
        write_by_displacement(tree, start, &jacobian.state, by_displacement);
        let (entries, size) = (jacobian.state.nrows(), by_displacement.ncols());
        for (from, to) in [
            (&*by_displacement, &mut to.state),
            (&jacobian.input, &mut to.input),
            (&jacobian.parameters, &mut to.parameters),
        ] {
            resize_matrix(to, size, from.ncols());
            let columns = to.as_mut_slice().chunks_exact_mut(size);
            for (from, to) in from.as_slice().chunks_exact(entries).zip(columns) {
                let ((dq, rest), (of_q, of_rest)) = (from.split_at(nq), to.split_at_mut(nv));
                tree.map_qdot_to_velocity(end, dq, of_q)?;
                of_rest.copy_from_slice(rest);
            }
        }
        Ok(())
    }
}

/// Writes `J E(x)` from the derivatives J with respect to the entries of a state.
fn write_by_displacement(
    tree: &RigidBodyTree<f64>,
    q: &[f64],
    by_entry: &DMatrix<f64>,
    to: &mut DMatrix<f64>,
) {
    let (nq, nv) = (tree.num_positions(), tree.num_velocities());
    let rest = by_entry.ncols() - nq;
    resize_matrix(to, by_entry.nrows(), nv + rest);
    tree.map_derivatives_to_velocity(q, by_entry, to);
    (to.columns_mut(nv, rest)).copy_from(&by_entry.columns(nq, rest));
}
