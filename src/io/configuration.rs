//! Named configurations: positions of joints.

use crate::tree::{JointIndex, RigidBodyTree, TreeError};
use crate::{InvalidInput, Scalar};

/// Positions of some joints of a tree, under a name: a state of a group in an SRDF, a key frame or the
/// reference configuration in an MJCF.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedConfiguration {
    /// The name.
    pub name: String,
    /// Position coordinates of joints, as many as the joint has (rad or m; quaternions w, x, y, z).
    pub joints: Vec<(JointIndex, Vec<f64>)>,
}

impl NamedConfiguration {
    /// Writes the positions into those of a tree.
    ///
    /// # Errors
    /// [`TreeError`] when the tree has no such joint, the joint has another number of coordinates or
    /// follows another, or the size of `q` is not that of the tree's positions.
    pub fn write<T: Scalar>(&self, tree: &RigidBodyTree<T>, q: &mut [T]) -> Result<(), TreeError> {
        InvalidInput::check_size("q", q.len(), tree.num_positions())?;
        for (index, positions) in &self.joints {
            let joint = tree.joint(*index)?;
            let count = if joint.mimic().is_some() {
                0
            } else {
                joint.num_positions()
            };
            InvalidInput::check_size("positions of a joint", positions.len(), count)?;
            for (q, x) in q[joint.position_start()..].iter_mut().zip(positions) {
                *q = T::from(*x);
            }
        }
        Ok(())
    }
}
