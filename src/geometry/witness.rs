//! Names of contact points.

use super::feature::{BoxFeature, CapsuleFeature, CylinderFeature, End};
use super::placed_box::PlacedBox;
use super::{
    ContactPoint, GeometryError, Shape, box_box_edges, box_box_face, box_half_space,
    capsule_capsule, capsule_half_space, cylinder_half_space, points_half_space, sphere_box,
    sphere_capsule, sphere_cylinder, sphere_half_space, sphere_sphere,
};
use crate::{InvalidInput, Scalar, math::RigidTransform};

/// The features of two shapes that are in contact, or nearer than a margin.
///
/// Found by [`witnesses`](super::witnesses), evaluated by [`Witness::contact_point`]. It names the
/// same contact at neighbouring poses, so that contacts can be followed over time.
///
/// The variant names the pair of shapes, whichever of them came first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Witness {
    /// Two spheres.
    SphereSphere,
    /// A sphere and a part of a capsule.
    SphereCapsule(CapsuleFeature),
    /// A sphere and a part of a cylinder.
    SphereCylinder(CylinderFeature),
    /// A sphere and a face, an edge or a vertex of a box.
    SphereBox(BoxFeature),
    /// A sphere and a half space.
    SphereHalfSpace,
    /// A part of the first and a part of the second of two capsules.
    CapsuleCapsule(CapsuleFeature, CapsuleFeature),
    /// A cap of a capsule and a half space.
    CapsuleHalfSpace(End),
    /// A point on the rim of a cylinder and a half space.
    CylinderHalfSpace {
        /// Whose rim.
        end: End,
        /// Number of quarter turns, 0 to 3, about +z from the deepest point of the rim.
        quarter: u8,
    },
    /// A vertex of a box and a half space.
    BoxHalfSpace(BoxFeature),
    /// One of the points and a half space.
    PointsHalfSpace(usize),
    /// Two boxes, touching on a face of one of them: the reference.
    BoxBoxFace {
        /// Whether the reference is the first of the two boxes.
        first_is_reference: bool,
        /// The feature of the reference: its face, or an edge or a vertex of this face.
        reference: BoxFeature,
        /// The axis normal to the face of the reference.
        axis: u8,
        /// The feature of the other box that meets it, seen along the normal: a vertex that meets
        /// the face, an edge that crosses an edge, a face that meets a vertex.
        incident: BoxFeature,
    },
    /// An edge of the first and an edge of the second of two boxes.
    BoxBoxEdges(BoxFeature, BoxFeature),
}

impl Witness {
    /// The contact of these features, evaluated in the scalar `T`.
    ///
    /// Arguments as those of the call of [`witnesses`](super::witnesses) that found the features, in
    /// the same order, in any scalar and at any pose near by.
    ///
    /// # Errors
    /// [`GeometryError::WitnessMismatch`] when the shapes do not have these features;
    /// [`GeometryError::Invalid`] when the result is not finite, because the poses or dimensions are
    /// not, or so far from those of the call that the features do not meet.
    pub fn contact_point<T: Scalar>(
        &self,
        a: &Shape<T>,
        X_WA: &RigidTransform<T>,
        b: &Shape<T>,
        X_WB: &RigidTransform<T>,
    ) -> Result<ContactPoint<T>, GeometryError> {
        let contact = if a.kind() <= b.kind() {
            self.ordered_contact_point(a, X_WA, b, X_WB)
        } else {
            (self.ordered_contact_point(b, X_WB, a, X_WA)).map(ContactPoint::swapped)
        };
        let contact = contact.ok_or(GeometryError::WitnessMismatch {
            witness: *self,
            a: a.kind(),
            b: b.kind(),
        })?;
        InvalidInput::check_finite("penetration", &[contact.penetration])?;
        InvalidInput::check_finite("p_WCa", contact.p_WCa.as_slice())?;
        InvalidInput::check_finite("nhat_BA_W", contact.nhat_BA_W.as_slice())?;
        Ok(contact)
    }

    /// The contact of kinds in their order; `None` if the features are not those of the shapes.
    fn ordered_contact_point<T: Scalar>(
        &self,
        a: &Shape<T>,
        X_WA: &RigidTransform<T>,
        b: &Shape<T>,
        X_WB: &RigidTransform<T>,
    ) -> Option<ContactPoint<T>> {
        use Shape::{Box, Capsule, Cylinder, HalfSpace, Points, Sphere};
        let p_WAo = &X_WA.translation;
        Some(match (*self, a, b) {
            (Witness::SphereSphere, Sphere { radius: r_A }, Sphere { radius: r_B }) => {
                sphere_sphere::contact_point(*r_A, p_WAo, *r_B, X_WB)
            }
            (
                Witness::SphereCapsule(feature),
                Sphere { radius: r_A },
                Capsule { radius, length },
            ) => sphere_capsule::contact_point(feature, *r_A, p_WAo, (*radius, *length), X_WB),
            (
                Witness::SphereCylinder(feature),
                Sphere { radius: r_A },
                Cylinder { radius, length },
            ) => sphere_cylinder::contact_point(feature, *r_A, p_WAo, (*radius, *length), X_WB),
            (Witness::SphereBox(feature), Sphere { radius: r_A }, Box { size }) => {
                sphere_box::contact_point(feature, *r_A, p_WAo, size, X_WB)
            }
            (Witness::SphereHalfSpace, Sphere { radius: r_A }, HalfSpace) => {
                sphere_half_space::contact_point(*r_A, p_WAo, X_WB)
            }
            (
                Witness::CapsuleCapsule(feature_A, feature_B),
                Capsule { radius, length },
                Capsule {
                    radius: r_B,
                    length: length_B,
                },
            ) => {
                let (a, b) = ((*radius, *length), (*r_B, *length_B));
                capsule_capsule::contact_point((feature_A, feature_B), (a, X_WA), (b, X_WB))
            }
            (Witness::CapsuleHalfSpace(end), Capsule { radius, length }, HalfSpace) => {
                capsule_half_space::contact_point(end, (*radius, *length), X_WA, X_WB)
            }
            (
                Witness::CylinderHalfSpace {
                    end,
                    quarter: quarter @ 0..=3,
                },
                Cylinder { radius, length },
                HalfSpace,
            ) => {
                let a = (*radius, *length);
                cylinder_half_space::contact_point(end, quarter, a, X_WA, X_WB)
            }
            (
                Witness::BoxBoxFace {
                    first_is_reference,
                    reference,
                    axis,
                    incident,
                },
                Box { size: size_A },
                Box { size: size_B },
            ) => {
                let (a, b) = (PlacedBox::new(size_A, X_WA), PlacedBox::new(size_B, X_WB));
                let axis = usize::from(axis);
                if first_is_reference {
                    box_box_face::contact_point(axis, reference, &a, incident, &b)?.swapped()
                } else {
                    box_box_face::contact_point(axis, reference, &b, incident, &a)?
                }
            }
            (Witness::BoxBoxEdges(edge_A, edge_B), Box { size: size_A }, Box { size: size_B })
                if edge_A.dimension() == 1 && edge_B.dimension() == 1 =>
            {
                let (a, b) = (PlacedBox::new(size_A, X_WA), PlacedBox::new(size_B, X_WB));
                box_box_edges::contact_point((edge_A, edge_B), &a, &b)
            }
            (Witness::BoxHalfSpace(vertex), Box { size }, HalfSpace) if vertex.dimension() == 0 => {
                box_half_space::contact_point(vertex, size, X_WA, X_WB)
            }
            (Witness::PointsHalfSpace(index), Points { points }, HalfSpace) => {
                points_half_space::contact_point(points.get(index)?, X_WA, X_WB)
            }
            _ => return None,
        })
    }
}
