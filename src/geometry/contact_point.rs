//! A contact point: position, normal, penetration, weight.

use crate::Scalar;
use nalgebra::Vector3;

/// Where two shapes A and B touch, or come nearest.
///
/// `p_WCb − p_WCa = penetration · nhat_BA_W`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint<T> {
    /// The point of A that lies deepest in B, from the world's origin, expressed in the world.
    pub p_WCa: Vector3<T>,
    /// The point of B's surface that it has to be moved to, in the same way.
    pub p_WCb: Vector3<T>,
    /// Unit normal from B's surface into A, expressed in the world.
    pub nhat_BA_W: Vector3<T>,
    /// Depth of the overlap along the normal, in metres: the negative of the signed distance.
    pub penetration: T,
    /// Share in the stiffness of a contact point: 1 but where points that are near to each other, or axes that are about
    /// equally good, share it. Vertices of a polyhedron on a half space share by their curvature, so that it is about as
    /// stiff on a face as four points, however finely it is divided, and a rounded edge as a sharp one.
    pub weight: T,
}

impl<T: Scalar> ContactPoint<T> {
    /// The contact of the point `p_WCa` of A, at the signed distance from B along the normal.
    pub(super) fn new(p_WCa: Vector3<T>, nhat_BA_W: Vector3<T>, distance: T) -> Self {
        ContactPoint {
            p_WCa,
            p_WCb: p_WCa - nhat_BA_W * distance,
            nhat_BA_W,
            penetration: -distance,
            weight: T::one(),
        }
    }

    /// The contact of a ball A of the given radius, whose centre is at the signed distance from B.
    pub(super) fn of_ball(
        p_WAo: &Vector3<T>,
        radius: T,
        nhat_BA_W: Vector3<T>,
        distance_of_center: T,
    ) -> Self {
        let p_WCa = p_WAo - nhat_BA_W * radius;
        ContactPoint::new(p_WCa, nhat_BA_W, distance_of_center - radius)
    }

    /// The same contact with the roles of A and B exchanged.
    pub(super) fn swapped(self) -> Self {
        ContactPoint {
            p_WCa: self.p_WCb,
            p_WCb: self.p_WCa,
            nhat_BA_W: -self.nhat_BA_W,
            ..self
        }
    }

    /// The same contact with its share in the stiffness multiplied.
    pub(super) fn weighted(self, factor: T) -> Self {
        ContactPoint {
            weight: self.weight * factor,
            ..self
        }
    }
}
