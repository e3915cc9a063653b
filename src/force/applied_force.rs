//! A constant force on a body.

use super::body_point::BodyPoint;
use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use crate::erased::casts_by_list;
use crate::math::SpatialForce;
use crate::tree::RigidBodyTree;
use crate::{Scalar, constants};
use nalgebra::Vector3;

/// The frame in which a constant force keeps its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub enum ExpressedIn {
    /// The world: a weight.
    World,
    /// The body that it acts on: a thruster.
    Body,
}

/// A constant force and torque on a body at one of its points.
///
/// Its work counts as done from outside, not as stored.
///
/// Parameters: `name/torque/{x,y,z}` (N m), `name/force/{x,y,z}` (N), `name/point/{x,y,z}` (m).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct AppliedForce<T> {
    /// The name.
    pub name: String,
    /// Where it acts.
    pub point: BodyPoint<T>,
    /// Torque about the point in N m.
    pub torque: Vector3<T>,
    /// Force in N.
    pub force: Vector3<T>,
    /// The frame that both are expressed in.
    pub expressed_in: ExpressedIn,
}

impl<T: Scalar> AppliedForce<T> {
    /// With a torque about a point in N m, and a force in N.
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such body, or a constant is not finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        point: BodyPoint<T>,
        force: SpatialForce<T>,
        expressed_in: ExpressedIn,
    ) -> Result<Self, ForceError> {
        AppliedForce {
            name: name.into(),
            point,
            torque: force.torque,
            force: force.force,
            expressed_in,
        }
        .validated(tree)
    }
}

impl<T: Scalar> ForceElement<T> for AppliedForce<T> {
    casts_by_list! {}
    constants! { ForceElement for AppliedForce {
        name;
        torque: any("N m");
        force: any("N");
        point: any("m") in_tree;
        expressed_in;
    } }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let rotation = context.body_pose(self.point.body)?.rotation;
        let (torque, force) = match self.expressed_in {
            ExpressedIn::World => (self.torque, self.force),
            ExpressedIn::Body => (rotation * self.torque, rotation * self.force),
        };
        let moment = (rotation * self.point.position).cross(&force);
        forces.add_on_body(self.point.body, &SpatialForce::new(torque + moment, force))
    }
}
