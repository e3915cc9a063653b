//! The result of a step at each contact: point, frame, velocity, force.

use super::material::ContactMaterial;
use super::model::ContactModel;
use super::point_contact::{FoundContact, PointContact};
use crate::Scalar;
use crate::math::{SpatialForce, SpatialVelocity};
use crate::tree::BodyIndex;
use nalgebra::{Matrix3, Vector3};

/// A contact point of a step: where it was, and the force that acted there.
///
/// Positions and penetrations are those at the start of the step, velocities and forces those at its
/// end; all carry derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ContactResult<T> {
    /// The geometries and the features that are in contact.
    pub contact: FoundContact,
    /// Body A.
    pub body_a: BodyIndex,
    /// Body B.
    pub body_b: BodyIndex,
    /// Position `p_WC` of the contact point, in metres.
    pub position: Vector3<T>,
    /// The contact frame `R_WC`: two tangents, then the normal, which points from B into A.
    pub rotation: Matrix3<T>,
    /// Penetration in metres, positive when the bodies overlap.
    pub penetration: T,
    /// Stiffness, dissipation and friction of the contact.
    pub material: ContactMaterial<T>,
    /// Velocity of A relative to B at C, in the contact frame, in m/s; the third component is
    /// positive when the bodies part.
    pub velocity: Vector3<T>,
    /// Force on A at C, in the contact frame, in N; the third component is the normal force, never
    /// negative. The force on B is the opposite.
    pub force: Vector3<T>,
    /// Angular velocity of A relative to B, in the contact frame, in rad/s; zero where the
    /// [material](ContactMaterial::rotational) does not resist it, whatever it is.
    pub angular_velocity: Vector3<T>,
    /// Torque on A beside that of the force, of rolling friction about the tangents and of torsional friction about
    /// the normal, in the contact frame, in N m. The torque on B is the opposite.
    pub torque: Vector3<T>,
}

impl<T: Scalar> ContactResult<T> {
    pub(crate) fn new(
        contact: FoundContact,
        point: &PointContact<T>,
        velocity: Vector3<T>,
        force: Vector3<T>,
    ) -> Self {
        ContactResult {
            contact,
            body_a: point.body_a,
            body_b: point.body_b,
            position: point.position,
            rotation: point.rotation,
            penetration: point.penetration,
            material: point.material,
            velocity,
            force,
            angular_velocity: Vector3::zeros(),
            torque: Vector3::zeros(),
        }
    }

    /// A contact that may resist turning, by the motion and the torque and the force there, in the contact frame.
    pub(crate) fn of_motion(
        contact: FoundContact,
        point: &PointContact<T>,
        motion: &SpatialVelocity<T>,
        at_c: &SpatialForce<T>,
    ) -> Self {
        ContactResult {
            angular_velocity: motion.angular,
            torque: at_c.torque,
            ..Self::new(contact, point, motion.linear, at_c.force)
        }
    }

    /// The force on A, expressed in W.
    pub fn force_on_a(&self) -> Vector3<T> {
        self.rotation * self.force
    }

    /// The force on B, expressed in W.
    pub fn force_on_b(&self) -> Vector3<T> {
        -self.force_on_a()
    }

    /// The torque on A beside that of the force, expressed in W.
    pub fn torque_on_a(&self) -> Vector3<T> {
        self.rotation * self.torque
    }

    /// The power of torsional and rolling friction, in W; never positive.
    pub(crate) fn power_of_turning(&self) -> T {
        self.torque.dot(&self.angular_velocity)
    }

    /// Speed of the tangential motion, in m/s; its derivative at rest is taken as zero.
    pub fn slip_speed(&self) -> T {
        T::norm_lifted(&[self.velocity.x, self.velocity.y])
    }

    /// Names of the geometries on A and on B.
    pub fn names<'m, U: Scalar>(&self, contact: &'m ContactModel<U>) -> Option<(&'m str, &'m str)> {
        let (a, b) = contact.pairs().nth(self.contact.pair)?;
        let geometries = contact.geometries();
        Some((&geometries[a].name, &geometries[b].name))
    }
}
