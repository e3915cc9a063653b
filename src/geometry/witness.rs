//! Contact features: which features of two shapes are in contact.

use super::feature::{
    BoxFeature, BoxReference, CapsuleFeature, ConvexFeature, CylinderFeature, End, FieldFeature,
    OverlapEdge, PatchSide,
};
use super::separating_axis::AxisSet;

/// The features of two shapes that are in contact, or nearer than a margin.
///
/// Found by [`witnesses`](super::witnesses), evaluated by [`Witness::contact_point`]. It names the
/// same contact at neighbouring poses, so that contacts can be followed over time.
///
/// The variant names the pair of shapes, whichever of them came first.
#[doc(alias = "contact features")]
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
    /// A part of the first and a part of the second of two convex shapes.
    Convex(ConvexFeature, ConvexFeature),
    /// An ellipsoid and a half space.
    EllipsoidHalfSpace,
    /// A vertex of a convex polyhedron, by its position, and a half space.
    ConvexHalfSpace(usize),
    /// One of the points and a half space.
    PointsHalfSpace(usize),
    /// Two boxes, touching on faces: a corner of their overlap.
    BoxBoxFace {
        /// The face of the first box and that of the second that meet.
        faces: (BoxFeature, BoxFeature),
        /// Which of them has the normal of the contact.
        reference: BoxReference,
        /// The edges of the faces that meet in the corner.
        corner: [OverlapEdge; 2],
        /// The directions that share the contact of the boxes.
        axes: AxisSet,
    },
    /// An edge of the first and an edge of the second of two boxes.
    BoxBoxEdges {
        /// The edges.
        edges: (BoxFeature, BoxFeature),
        /// The directions that share the contact of the boxes.
        axes: AxisSet,
    },
    /// One of the points, by its position, and a part of another shape.
    Points(usize, ConvexFeature),
    /// A part of a shape and the plane tangent to a height field where it is nearest.
    HeightFieldPlane {
        /// Where the plane touches the height field.
        feature: FieldFeature,
        /// Whether the part, or the centre of its rounding, is below the surface there.
        is_below: bool,
        /// The part of the shape; of a cylinder a rim.
        part: ConvexFeature,
        /// Of a rim, the quarter turns of [`Witness::CylinderHalfSpace`]; else 0.
        quarter: u8,
        /// Of a face, the sides that the part is beyond, under concave creases: that of the first and second corner, of
        /// the second and third, of the third and first.
        beyond: [bool; 3],
    },
    /// A part of a convex shape and an edge of a height field.
    HeightFieldEdge {
        /// The number of the edge, as in [`FieldFeature::Edge`].
        edge: u32,
        /// The end of the edge, where one is touched.
        end: Option<End>,
        /// The part of the shape.
        part: ConvexFeature,
        /// Where a flat part of the shape lies on the edge, the sides that meet in the end of what they share.
        corner: Option<[PatchSide; 2]>,
    },
    /// Flat parts of two convex shapes without a variant of their own: a corner of what they share. Or
    /// sides along each other: an end of one, or where they cross.
    ConvexPatch {
        /// The part of the first shape and that of the second.
        parts: [ConvexFeature; 2],
        /// Whether the normal is that of the first part, else of the second; of sides, whether an end of the second is
        /// on the first.
        on_first: bool,
        /// The sides of their outlines that meet in the corner; the last of a line says which end.
        corner: [PatchSide; 2],
        /// Whether the other part, too, is the reference of a share of the contact.
        is_shared: bool,
    },
}
