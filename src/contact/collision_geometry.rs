//! Collision geometries: shapes on bodies, with a material.

use super::material::ContactMaterial;
use crate::geometry::Shape;
use crate::math::RigidTransform;
use crate::parameter::{Parameter, visit_vector};
use crate::tree::{BodyIndex, Orientation, RigidBodyTree, TreeError, TreeWorkspace};
use crate::{InvalidInput, Scalar};

/// A shape that is fixed on a body, and the material of its surface.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct CollisionGeometry<T> {
    /// A name that no other geometry has, by convention the body's followed by a part of it:
    /// `"quadruped/FL_shank/collision"`.
    pub name: String,
    /// The body.
    pub body: BodyIndex,
    /// Pose `X_BG` of the shape's frame G in the body.
    pub pose_in_body: RigidTransform<T>,
    /// The shape.
    pub shape: Shape<T>,
    /// The material of its surface.
    pub material: ContactMaterial<T>,
}

impl<T: Scalar> CollisionGeometry<T> {
    /// The same geometry in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> CollisionGeometry<U> {
        CollisionGeometry {
            name: self.name.clone(),
            body: self.body,
            pose_in_body: self.pose_in_body.cast(),
            shape: self.shape.cast(),
            material: self.material.cast(),
        }
    }

    /// The pose `X_WG` of the shape at the positions of the workspace.
    pub(super) fn pose(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
    ) -> Result<RigidTransform<T>, TreeError> {
        Ok(tree.body_pose(workspace, self.body)? * self.pose_in_body)
    }

    pub(super) fn validate(&self) -> Result<(), InvalidInput> {
        self.shape.validate()?;
        self.material.validate()?;
        let RigidTransform {
            rotation,
            translation,
        } = &self.pose_in_body;
        InvalidInput::check_finite("position in the body", translation.as_slice())?;
        InvalidInput::check_finite("orientation in the body", rotation.as_slice())
    }

    /// Names are `geometry/` and that of the geometry, followed by `origin/{x,y,z}`, `rotation/{x,y,z}`, the
    /// dimensions of the shape, and the properties of the material.
    pub(super) fn visit_parameters(
        &mut self,
        orientation: &mut Orientation<T>,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        let name = &format_args!("geometry/{}", self.name);
        let origin = &mut self.pose_in_body.translation;
        visit_vector(visit, format_args!("{name}/origin"), "m", origin);
        orientation.visit_parameters(*name, visit);
        self.shape.visit_parameters(name, visit);
        self.material.visit_parameters(name, visit);
    }
}
