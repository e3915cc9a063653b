//! Pairs of geometries that a contact model excludes.

use super::error::ContactError;
use super::model::ContactModelBuilder;
use crate::Scalar;
use crate::geometry::{is_supported, signed_distance};
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};

impl<T: Scalar> ContactModelBuilder<T> {
    /// Lets all geometries on these bodies pass through each other, such as those of one robot.
    #[inline(never)]
    pub fn exclude_within(&mut self, bodies: &[BodyIndex]) {
        let is_on = |index: &usize| bodies.contains(&self.geometries()[*index].body);
        let within: Vec<usize> = (0..self.geometries().len()).filter(is_on).collect();
        for (k, &i) in within.iter().enumerate() {
            for &j in &within[k + 1..] {
                self.exclude_pair(i, j);
            }
        }
    }

    /// Lets geometries pass through each other that overlap at the state of the workspace, such as the
    /// parts of a robot that are drawn larger than they are. Returns the names of these pairs.
    ///
    /// Geometries that can touch anyway, as [`ContactModel`](super::ContactModel) says, are looked at,
    /// and of these pairs of supported shapes.
    ///
    /// # Errors
    /// [`ContactError`] when a pose or a dimension is not finite, the tree lacks a body of the geometries,
    /// or the workspace does not belong to the tree.
    #[inline(never)]
    pub fn exclude_overlapping(
        &mut self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
    ) -> Result<Vec<(String, String)>, ContactError> {
        let mut poses = Vec::new();
        for geometry in self.geometries() {
            poses.push(geometry.pose(tree, workspace)?);
        }
        let mut found = Vec::new();
        for i in 0..poses.len() {
            for j in i + 1..poses.len() {
                let (a, b) = (&self.geometries()[i], &self.geometries()[j]);
                if !is_supported(a.shape.kind(), b.shape.kind()) || !self.can_touch(tree, i, j)? {
                    continue;
                }
                let distance = signed_distance(&a.shape, &poses[i], &b.shape, &poses[j]).map_err(
                    |source| ContactError::Geometry {
                        first: a.name.clone(),
                        second: b.name.clone(),
                        source,
                    },
                )?;
                if distance.re() < 0.0 {
                    found.push((a.name.clone(), b.name.clone()));
                    self.exclude_pair(i, j);
                }
            }
        }
        Ok(found)
    }
}
