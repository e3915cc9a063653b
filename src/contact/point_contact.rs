//! Contact points of a system in one configuration.

use super::material::ContactMaterial;
use super::model::ContactModel;
use crate::Scalar;
use crate::geometry::{ContactPoint, Witness};
use crate::math::{RigidTransform, SpatialForce, SpatialVelocity, rotation};
use crate::tree::{BodyIndex, RigidBodyTree, TreeError, TreeWorkspace};
use nalgebra::{Matrix3, Vector3};

/// A contact by the features that touch, as the configuration of some instant has decided.
#[doc(alias = "contact candidate")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundContact {
    /// The pair of geometries, as a position in [`ContactModel::pairs`].
    pub pair: usize,
    /// Their features.
    pub witness: Witness,
}

/// A contact point C between a body A and a body B, before any force is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointContact<T> {
    /// Body A.
    pub body_a: BodyIndex,
    /// Body B.
    pub body_b: BodyIndex,
    /// Position `p_WC`, in metres.
    pub position: Vector3<T>,
    /// The contact frame `R_WC`: two tangents, then the normal, which points from B into A.
    pub rotation: Matrix3<T>,
    /// Penetration in metres, positive when the bodies overlap.
    pub penetration: T,
    /// Dissipation and friction of the pair, and the stiffness of this point: that of the pair times
    /// the [weight](crate::geometry::ContactPoint::weight) of the point.
    pub material: ContactMaterial<T>,
}

/// A pair of geometries near a pose where its contacts are not smooth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeometryKink {
    /// The pair, as a position in [`ContactModel::pairs`].
    pub pair: usize,
    /// The feature margin, in metres: how far the geometries may move relative to each other before
    /// other features touch, as [`witnesses`](crate::geometry::witnesses) estimates it. At zero the
    /// derivative of the contacts is one-sided, or a force jumps.
    pub distance: f64,
}

impl<T: Scalar> PointContact<T> {
    /// The normal `nhat_BA_W`.
    pub fn normal(&self) -> Vector3<T> {
        self.rotation.column(2).into()
    }

    /// Velocity of A relative to B at C in the contact frame: two tangential components, and the
    /// separation velocity.
    ///
    /// `a` and `b` are the velocities `[w; v]` of the bodies about their origins `p_WAo`, `p_WBo`,
    /// all expressed in W.
    pub fn relative_velocity(
        &self,
        (a, p_wa): (&SpatialVelocity<T>, &Vector3<T>),
        (b, p_wb): (&SpatialVelocity<T>, &Vector3<T>),
    ) -> Vector3<T> {
        let a = a.shift(&(self.position - p_wa)).linear;
        let b = b.shift(&(self.position - p_wb)).linear;
        self.rotation.tr_mul(&(a - b))
    }

    /// The angular velocity of A relative to B in the contact frame, of angular velocities in W; zero, and not
    /// looked at, where the [material](ContactMaterial::rotational) does not resist it.
    pub(crate) fn relative_angular_velocity(&self, a: &Vector3<T>, b: &Vector3<T>) -> Vector3<T> {
        match self.material.rotational {
            Some(_) => self.rotation.tr_mul(&(a - b)),
            None => Vector3::zeros(),
        }
    }

    /// The motion of A relative to B at C in the contact frame: the
    /// [angular velocity](Self::relative_angular_velocity) and the [velocity](Self::relative_velocity).
    pub(crate) fn relative_motion(
        &self,
        (a, p_wa): (&SpatialVelocity<T>, &Vector3<T>),
        (b, p_wb): (&SpatialVelocity<T>, &Vector3<T>),
    ) -> SpatialVelocity<T> {
        SpatialVelocity::new(
            self.relative_angular_velocity(&a.angular, &b.angular),
            self.relative_velocity((a, p_wa), (b, p_wb)),
        )
    }

    /// As [`Self::relative_motion`], at the state of a workspace.
    pub(crate) fn relative_motion_in(
        &self,
        tree: &RigidBodyTree<T>,
        kinematics: &TreeWorkspace<T>,
    ) -> Result<SpatialVelocity<T>, TreeError> {
        let motion = |body| {
            let origin = tree.body_pose(kinematics, body)?.translation;
            Ok::<_, TreeError>((tree.body_velocity(kinematics, body)?, origin))
        };
        let ((va, pa), (vb, pb)) = (motion(self.body_a)?, motion(self.body_b)?);
        Ok(self.relative_motion((&va, &pa), (&vb, &pb)))
    }

    /// As [`Self::relative_velocity`], at the state of a workspace.
    pub(crate) fn relative_velocity_in(
        &self,
        tree: &RigidBodyTree<T>,
        kinematics: &TreeWorkspace<T>,
    ) -> Result<Vector3<T>, TreeError> {
        Ok(self.relative_motion_in(tree, kinematics)?.linear)
    }

    /// The torque and the force at C, given in the contact frame, as a force about the point `p_WQ`, in W.
    pub(crate) fn force_about(&self, at_c: &SpatialForce<T>, p_wq: &Vector3<T>) -> SpatialForce<T> {
        let force = rotation::applied(&self.rotation, &at_c.force);
        let mut torque = (self.position - p_wq).cross(&force);
        if self.material.rotational.is_some() {
            torque += rotation::applied(&self.rotation, &at_c.torque);
        }
        SpatialForce::new(torque, force)
    }
}

impl<T: Scalar> ContactModel<T> {
    /// Evaluates a contact in this scalar, at the given poses of all geometries.
    pub(super) fn evaluate(
        &self,
        contact: &FoundContact,
        poses: &[RigidTransform<T>],
    ) -> Result<PointContact<T>, super::ContactError> {
        let pair = self.pair(contact.pair);
        self.evaluate_between(contact, &poses[pair.first], &poses[pair.second])
    }

    /// As [`Self::evaluate`], at the poses of the two geometries of the contact.
    ///
    /// The point lies between the two surfaces, nearer to the stiffer one, which gives way less.
    pub(super) fn evaluate_between(
        &self,
        contact: &FoundContact,
        x_wa: &RigidTransform<T>,
        x_wb: &RigidTransform<T>,
    ) -> Result<PointContact<T>, super::ContactError> {
        let at = self.contact_point(contact, x_wa, x_wb)?;
        Ok(self.point_contact(contact, at))
    }

    /// The points of a contact on the two shapes, at the poses of these.
    pub(super) fn contact_point(
        &self,
        contact: &FoundContact,
        x_wa: &RigidTransform<T>,
        x_wb: &RigidTransform<T>,
    ) -> Result<ContactPoint<T>, super::ContactError> {
        let [a, b] = self.geometries_of(contact);
        (contact.witness)
            .contact_point(&a.shape, x_wa, &b.shape, x_wb)
            .map_err(|source| self.geometry_error(self.pair(contact.pair), source))
    }

    /// The contact with its material, between the points on the two shapes.
    pub(super) fn point_contact(
        &self,
        contact: &FoundContact,
        at: ContactPoint<T>,
    ) -> PointContact<T> {
        let [a, b] = self.geometries_of(contact);
        let depth = at.penetration * a.material.stiffness_share(&b.material);
        PointContact {
            body_a: a.body,
            body_b: b.body,
            position: at.p_WCb - at.nhat_BA_W * depth,
            rotation: rotation::frame_about(&at.nhat_BA_W),
            penetration: at.penetration,
            material: self.material_at(contact, at.weight),
        }
    }

    /// The material of a contact with this share in the stiffness.
    pub(super) fn material_at(&self, contact: &FoundContact, weight: T) -> ContactMaterial<T> {
        let mut material = self.pair_material(self.pair(contact.pair));
        if !material.is_rigid() {
            material.stiffness *= weight;
        }
        material
    }
}
