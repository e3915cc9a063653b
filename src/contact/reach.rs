//! How far pairs of geometries are beyond the reach of contact detection.

use super::detection::Detection;
use super::error::ContactError;
use super::model::ContactModel;
use crate::Scalar;
use crate::geometry::signed_distance;
use crate::math::SpatialVelocity;
use crate::tree::{RigidBodyTree, TreeWorkspace};

impl<T: Scalar> ContactModel<T> {
    /// Calls `visit` for each of some pairs with its excess in m, by which it is further apart than a step of length `dt` reaches
    /// ahead from the state of a workspace (see [`Self::detect`]), and by how much, in m, a turn of one radian more in the
    /// step would reach further.
    pub(crate) fn visit_excess(
        &self,
        (tree, kinematics): (&RigidBodyTree<T>, &TreeWorkspace<T>),
        (detection, dt): (Detection, T),
        pairs: impl Iterator<Item = usize>,
        mut visit: impl FnMut(usize, T, f64),
    ) -> Result<(), ContactError> {
        let fallen = T::norm_lifted(tree.gravity().as_slice()) * dt;
        for pair in pairs {
            let ends = self.pair(pair);
            let [a, b] = [ends.first, ends.second].map(|g| &self.geometries()[g]);
            let (x_wa, x_wb) = (a.pose(tree, kinematics)?, b.pose(tree, kinematics)?);
            let Ok(distance) = signed_distance(&a.shape, &x_wa, &b.shape, &x_wb) else {
                continue;
            };
            let extent = a.shape.extent();
            if detection == Detection::Overlapping {
                visit(pair, distance, extent);
                continue;
            }
            let of_a = tree.body_velocity(kinematics, a.body)?;
            let of_b = tree.body_velocity(kinematics, b.body)?;
            let origin =
                |body| Ok::<_, ContactError>(tree.body_pose(kinematics, body)?.translation);
            let at_a = of_a.shift(&(x_wa.translation - origin(a.body)?));
            let at_b = of_b.shift(&(x_wa.translation - origin(b.body)?));
            let relative = at_a - at_b;
            let of_surface = |at: &SpatialVelocity<T>, extent: f64| {
                let [turning, moving] =
                    [at.angular, at.linear].map(|x| T::norm_lifted(x.as_slice()));
                moving + turning * extent
            };
            let mut speed = of_surface(&relative, extent);
            let other = b.shape.extent();
            if other.is_finite() {
                let at_center = of_b.shift(&(x_wb.translation - origin(b.body)?));
                let both = of_surface(&at_a, extent) + of_surface(&at_center, other);
                if both.re() < speed.re() {
                    speed = both;
                }
            }
            let speed = if speed.re() > fallen.re() {
                speed
            } else {
                fallen
            };
            visit(pair, distance - speed * dt * 2.0, 2.0 * extent);
        }
        Ok(())
    }
}
