//! A constant force on a body.

use super::body_point::BodyPoint;
use super::constants::{cast_vector, check_finite, visit_vector};
use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use crate::Scalar;
use crate::math::SpatialForce;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;

/// The frame in which a constant force keeps its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
pub struct AppliedForce<T> {
    /// The name.
    pub name: String,
    /// Where it acts.
    pub point: BodyPoint<T>,
    /// Torque about the point in N m, and force in N.
    pub force: SpatialForce<T>,
    /// The frame that both are expressed in.
    pub expressed_in: ExpressedIn,
}

impl<T: Scalar> ForceElement<T> for AppliedForce<T> {
    type Cast<U: Scalar> = AppliedForce<U>;

    fn cast<U: Scalar>(&self) -> AppliedForce<U> {
        let SpatialForce { torque, force } = &self.force;
        AppliedForce {
            name: self.name.clone(),
            point: self.point.cast(),
            force: SpatialForce::new(cast_vector(torque), cast_vector(force)),
            expressed_in: self.expressed_in,
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let rotation = context.body_pose(self.point.body)?.rotation;
        let SpatialForce { torque, force } = match self.expressed_in {
            ExpressedIn::World => self.force,
            ExpressedIn::Body => {
                SpatialForce::new(rotation * self.force.torque, rotation * self.force.force)
            }
        };
        let moment = (rotation * self.point.position).cross(&force);
        forces.add_on_body(self.point.body, &SpatialForce::new(torque + moment, force))
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let name = &self.name;
        visit_vector(visit, name, ("torque", "N m"), &mut self.force.torque);
        visit_vector(visit, name, ("force", "N"), &mut self.force.force);
        visit_vector(visit, name, ("point", "m"), &mut self.point.position);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        check_finite(&self.name, "torque", self.force.torque.as_slice())?;
        check_finite(&self.name, "force", self.force.force.as_slice())?;
        self.point.validate(&self.name, tree)
    }
}
