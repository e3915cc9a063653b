//! Gravity as a force element.

use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use crate::erased::casts_by_list;
use crate::math::SpatialForce;
use crate::tree::RigidBodyTree;
use crate::{Scalar, constants};
use nalgebra::Vector3;

/// A uniform field of gravity on all bodies, in addition to that of the tree.
///
/// The tree's own [gravity](RigidBodyTree::gravity) costs nothing and is what a system needs as a rule;
/// this one is for fields besides, an accelerating frame for instance.
///
/// Parameters: `name/acceleration/{x,y,z}` (m/s²).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct UniformGravity<T> {
    /// The name.
    pub name: String,
    /// The acceleration `g` in m/s², expressed in W.
    pub acceleration: Vector3<T>,
}

impl<T: Scalar> UniformGravity<T> {
    /// With an acceleration in m/s².
    ///
    /// # Errors
    /// [`ForceError::InvalidElement`] when it is not finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        acceleration: Vector3<T>,
    ) -> Result<Self, ForceError> {
        let name = name.into();
        UniformGravity { name, acceleration }.validated(tree)
    }
}

impl<T: Scalar> ForceElement<T> for UniformGravity<T> {
    casts_by_list! {}
    constants! { ForceElement for UniformGravity {
        name;
        acceleration: any("m/s²");
    } }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        for body in context.tree().bodies().skip(1) {
            let index = body.index();
            let inertia = body.inertia();
            let weight = self.acceleration * inertia.mass;
            let offset = context.body_pose(index)?.rotation * inertia.center_of_mass;
            forces.add_on_body(index, &SpatialForce::new(offset.cross(&weight), weight))?;
        }
        Ok(())
    }

    /// `−Σ m g·p_WBcm`, zero for a mass at the origin of W.
    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let mut energy = T::zero();
        for body in context.tree().bodies().skip(1) {
            let index = body.index();
            let inertia = body.inertia();
            let p = context.point_position(index, &inertia.center_of_mass)?;
            energy -= self.acceleration.dot(&p) * inertia.mass;
        }
        Ok(energy)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let mut power = T::zero();
        for body in context.tree().bodies().skip(1) {
            let index = body.index();
            let inertia = body.inertia();
            let v = context
                .point_velocity(index, &inertia.center_of_mass)?
                .linear;
            power += self.acceleration.dot(&v) * inertia.mass;
        }
        Ok(power)
    }
}
