//! Kinetic and potential energy.

use super::error::TreeError;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::{InvalidInput, Scalar};

impl<T: Scalar> RigidBodyTree<T> {
    /// Kinetic energy `½ Σ (w·L + v·p)` in J, with the angular momentum L of each body about its
    /// origin and its linear momentum p, and ½ a v² of each [armature](super::Joint::armature) a.
    ///
    /// # Errors
    /// [`TreeError::ForeignWorkspace`], [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when
    /// numbers overflow.
    #[inline(never)]
    pub fn kinetic_energy(&self, workspace: &TreeWorkspace<T>) -> Result<T, TreeError> {
        self.check_workspace(workspace)?;
        let mut twice = T::zero();
        for (i, m) in self.mobilized.iter().enumerate().skip(1) {
            let velocity = &workspace.velocities[i].spatial;
            let momentum = workspace.positions[i].momentum(&m.inertia, velocity);
            twice +=
                velocity.angular.dot(&momentum.angular) + velocity.linear.dot(&momentum.linear);
        }
        for column in &self.columns {
            let rate = workspace.v[column.coordinate];
            twice += column.armature * rate * rate;
        }
        InvalidInput::check_finite("kinetic energy", &[twice])?;
        Ok(twice * 0.5)
    }

    /// Potential energy `−Σ m g·p_WBcm` of gravity in J, zero for a mass at the origin of W. Bodies
    /// that are [anchored](Self::is_anchored) count.
    ///
    /// # Errors
    /// [`TreeError::ForeignWorkspace`], [`TreeError::OutdatedWorkspace`], [`TreeError::Invalid`] when
    /// numbers overflow.
    #[inline(never)]
    pub fn potential_energy(&self, workspace: &TreeWorkspace<T>) -> Result<T, TreeError> {
        self.check_workspace(workspace)?;
        let mut sum = T::zero();
        for (m, position) in self.mobilized.iter().zip(&workspace.positions) {
            let moment = position.pose.translation * m.inertia.mass + position.first_moment;
            sum -= self.gravity.dot(&moment);
        }
        InvalidInput::check_finite("potential energy", &[sum])?;
        Ok(sum)
    }
}
