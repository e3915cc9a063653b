//! The configuration manifold of a tree.

use super::error::TreeError;
use super::rigid_body_tree::RigidBodyTree;
use crate::DefaultScalar;
use crate::autodiff::Manifold;

/// Displacements are velocities over unit time, by the exponential map
/// ([`integrate_exponential`](RigidBodyTree::integrate_exponential)): rotations in the coordinates of
/// `v`, for a floating body `[w_WB_W; v_WBo_W]`.
impl Manifold for RigidBodyTree<f64> {
    type Error = TreeError;

    fn dimension(&self) -> usize {
        self.num_velocities()
    }

    fn retract<T: DefaultScalar>(&self, q: &[f64], delta: &[T]) -> Result<Vec<T>, TreeError> {
        let q: Vec<T> = q.iter().map(|&q| T::from(q)).collect();
        let mut displaced = q.clone();
        self.cast::<T>()
            .integrate_exponential(&q, delta, T::one(), &mut displaced)?;
        Ok(displaced)
    }
}
