//! Kinematics of a step: bodies at its start, and the momentum that they carry over it.

use super::error::SystemError;
use super::fast_rotation::FastRotation;
use crate::Scalar;
use crate::tree::{FreeBody, RigidBodyTree, TreeWorkspace};

/// Bodies at the start of a step; a workspace.
#[derive(Debug, Clone)]
pub(super) struct StepKinematics<T: Scalar> {
    pub bodies: TreeWorkspace<T>,
    pub fast_rotation: FastRotation<T>,
    pub free: Vec<FreeBody>,
}

impl<T: Scalar> StepKinematics<T> {
    pub fn new(tree: &RigidBodyTree<T>) -> Self {
        StepKinematics {
            bodies: tree.workspace(),
            fast_rotation: FastRotation::new(tree),
            free: tree.free_bodies(),
        }
    }

    /// Places bodies at the start of a step of length `dt`, which projects the momentum of all of them, or of those that
    /// rotate fast.
    #[inline(never)]
    pub fn place(
        &mut self,
        tree: &RigidBodyTree<T>,
        (q, v): (&[T], &[T]),
        dt: T,
        projects_momentum: bool,
    ) -> Result<(), SystemError> {
        tree.set_state(&mut self.bodies, q, v)?;
        let step = (dt, projects_momentum);
        (self.fast_rotation).evaluate(tree, &mut self.bodies, (q, v), step)
    }

    /// Writes the generalized forces by which bodies that rotate carry their momentum over.
    pub fn carry_momentum(
        &mut self,
        tree: &RigidBodyTree<T>,
        out: &mut [T],
    ) -> Result<(), SystemError> {
        out.fill(T::zero());
        if let Some(forces) = self.fast_rotation.forces() {
            tree.generalized_forces(&mut self.bodies, forces, out)?;
        }
        tree.add_gyroscopic_forces(&self.free, &self.bodies, T::one(), out);
        Ok(())
    }
}
