//! The workspace of a tree: state and kinematics cache.

use super::error::TreeError;
use super::forward_dynamics::MassMatrixFactor;
use super::inertia::Inertia;
use super::position_kinematics::Position;
use super::rigid_body_tree::RigidBodyTree;
use super::velocity_kinematics::Velocity;
use crate::math::{SpatialAcceleration, SpatialForce, SpatialVelocity};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// The state `(q, v)` of a tree, its kinematics, and the memory of the algorithms.
///
/// Made by [`RigidBodyTree::workspace`], in the neutral configuration and at rest. It holds one
/// consistent state at any time: positions, axes and velocities all belong to the `q` and `v` of
/// the last successful [`RigidBodyTree::set_state`]. Nothing that takes a workspace allocates
/// memory.
///
/// A workspace fits every tree with the same bodies and joints (copies of the tree it came from).
/// After a parameter has changed, the state must be set again.
#[derive(Debug, Clone)]
pub struct TreeWorkspace<T> {
    topology: u64,
    revision: u64,
    pub(super) q: Vec<T>,
    pub(super) v: Vec<T>,
    /// Of each mobilized body.
    pub(super) positions: Vec<Position<T>>,
    /// Of each mobilized body.
    pub(super) velocities: Vec<Velocity<T>>,
    /// Axis of each column, expressed in W.
    pub(super) axes: Vec<Vector3<T>>,
    pub(super) factor: MassMatrixFactor<T>,
    /// Whether `factor` belongs to the state.
    pub(super) is_factored: bool,
    // Scratch of the recursions, one entry a mobilized body or velocity coordinate.
    pub(super) accelerations: Vec<SpatialAcceleration<T>>,
    pub(super) forces: Vec<SpatialForce<T>>,
    pub(super) motions: Vec<SpatialVelocity<T>>,
    pub(super) composites: Vec<Inertia<T>>,
    /// The force of unit acceleration of each column about the origin of the first body of its branch.
    pub(super) branch_forces: Vec<SpatialForce<T>>,
    pub(super) generalized: [Vec<T>; 2],
}

impl<T: Scalar> TreeWorkspace<T> {
    /// The position coordinates.
    pub fn q(&self) -> &[T] {
        &self.q
    }

    /// The velocity coordinates.
    pub fn v(&self) -> &[T] {
        &self.v
    }
}

impl<T: Scalar> RigidBodyTree<T> {
    /// A workspace, in the neutral configuration and at rest.
    #[inline(never)]
    pub fn workspace(&self) -> TreeWorkspace<T> {
        let (bodies, dofs) = (self.mobilized.len(), self.num_velocities);
        let mut workspace = TreeWorkspace {
            topology: self.topology,
            revision: self.revision,
            q: self.neutral_configuration().as_slice().to_vec(),
            v: vec![T::zero(); dofs],
            positions: vec![Position::world(); bodies],
            velocities: vec![Velocity::zero(); bodies],
            axes: vec![Vector3::zeros(); self.columns.len()],
            factor: MassMatrixFactor::new(self),
            is_factored: false,
            accelerations: vec![SpatialAcceleration::zero(); bodies],
            forces: vec![SpatialForce::zero(); bodies],
            motions: vec![SpatialVelocity::zero(); bodies],
            composites: vec![Inertia::zero(); bodies],
            branch_forces: vec![SpatialForce::zero(); self.columns.len()],
            generalized: [vec![T::zero(); dofs], vec![T::zero(); dofs]],
        };
        self.update_positions(&mut workspace);
        workspace
    }

    /// Sets the state: positions `q` and velocities `v`.
    ///
    /// Quaternions stand for the rotation of `q/‖q‖`; derivatives are those along the unit sphere.
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when a size is wrong or an entry not finite,
    /// [`TreeError::NotUnitQuaternion`] when `|‖q‖² − 1| > 1e-3`, [`TreeError::ForeignWorkspace`].
    /// The workspace is then as before.
    #[inline(never)]
    pub fn set_state(
        &self,
        workspace: &mut TreeWorkspace<T>,
        q: &[T],
        v: &[T],
    ) -> Result<(), TreeError> {
        InvalidInput::check_size("v", v.len(), self.num_velocities)?;
        InvalidInput::check_finite("v", v)?;
        self.replace_positions(workspace, q)?;
        workspace.v.copy_from_slice(v);
        self.update_velocities(workspace);
        Ok(())
    }

    /// Sets the state to the positions `q`, at rest.
    ///
    /// # Errors
    /// As [`Self::set_state`].
    #[inline(never)]
    pub fn set_positions(
        &self,
        workspace: &mut TreeWorkspace<T>,
        q: &[T],
    ) -> Result<(), TreeError> {
        self.replace_positions(workspace, q)?;
        workspace.v.fill(T::zero());
        workspace.velocities.fill(Velocity::zero());
        Ok(())
    }

    /// Sets the positions `q` without placing bodies, which stay where they were.
    ///
    /// # Errors
    /// As [`Self::set_state`].
    pub(crate) fn set_coordinates(
        &self,
        workspace: &mut TreeWorkspace<T>,
        q: &[T],
    ) -> Result<(), TreeError> {
        if workspace.topology != self.topology {
            return Err(TreeError::ForeignWorkspace);
        }
        self.check_positions(q)?;
        workspace.q.copy_from_slice(q);
        Ok(())
    }

    fn replace_positions(
        &self,
        workspace: &mut TreeWorkspace<T>,
        q: &[T],
    ) -> Result<(), TreeError> {
        self.set_coordinates(workspace, q)?;
        workspace.revision = self.revision;
        self.update_positions(workspace);
        workspace.is_factored = false;
        Ok(())
    }

    /// Checks that the workspace belongs to this tree as it is now.
    pub(crate) fn check_workspace(&self, workspace: &TreeWorkspace<T>) -> Result<(), TreeError> {
        if workspace.revision == self.revision {
            Ok(())
        } else if workspace.topology == self.topology {
            Err(TreeError::OutdatedWorkspace)
        } else {
            Err(TreeError::ForeignWorkspace)
        }
    }
}
