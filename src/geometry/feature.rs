//! Features of shapes: ends, faces, edges, vertices.

use crate::Scalar;
use nalgebra::Vector3;

/// An end of a capsule or cylinder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// The end at negative z.
    Lower,
    /// The end at positive z.
    Upper,
}

impl End {
    /// Both ends.
    pub const ALL: [End; 2] = [End::Lower, End::Upper];

    /// −1 at the lower end, +1 at the upper.
    pub fn sign(self) -> f64 {
        match self {
            End::Lower => -1.0,
            End::Upper => 1.0,
        }
    }
}

/// A part of the surface of a capsule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CapsuleFeature {
    /// The tube between the ends.
    Side,
    /// The spherical cap at an end.
    Cap(End),
}

/// A part of the surface of a cylinder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CylinderFeature {
    /// The curved face.
    Side,
    /// The flat face at an end.
    Cap(End),
    /// The circle where they meet.
    Rim(End),
}

/// A vertex, an edge or a face of a box.
///
/// Named by the signs of its outward direction along x, y, z, as in the octants of space: 0 along an
/// axis that the feature extends over. `[1, 0, 0]` is the face at +x, `[1, -1, 0]` the edge along z
/// at +x and −y, `[1, 1, 1]` a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoxFeature([i8; 3]);

impl BoxFeature {
    /// A feature from its signs, which must not all be 0.
    pub(super) fn new(signs: [i8; 3]) -> Self {
        BoxFeature(signs)
    }

    /// The face whose outward normal is the axis, in the direction of the sign.
    pub(super) fn face(axis: usize, sign: i8) -> Self {
        BoxFeature([0; 3]).with(axis, sign)
    }

    /// The eight vertices.
    pub(super) fn vertices() -> impl Iterator<Item = BoxFeature> {
        (0..8u8).map(|i| BoxFeature([0, 1, 2].map(|axis| if i >> axis & 1 == 0 { -1 } else { 1 })))
    }

    /// The twelve edges.
    pub(super) fn edges() -> impl Iterator<Item = BoxFeature> {
        (0..3).flat_map(|axis| {
            [(-1, -1), (1, -1), (-1, 1), (1, 1)].map(|(u, v)| {
                BoxFeature([0; 3])
                    .with((axis + 1) % 3, u)
                    .with((axis + 2) % 3, v)
            })
        })
    }

    /// The same feature with another sign along one axis.
    pub(crate) fn with(self, axis: usize, sign: i8) -> Self {
        let mut signs = self.0;
        signs[axis] = sign;
        BoxFeature(signs)
    }

    /// Signs of the outward direction along x, y and z.
    pub fn signs(self) -> [i8; 3] {
        self.0
    }

    /// 0 for a vertex, 1 for an edge, 2 for a face.
    pub fn dimension(self) -> usize {
        self.0.iter().filter(|s| **s == 0).count()
    }

    /// The axis normal to a face; of another feature, some axis.
    pub(super) fn face_axis(self) -> usize {
        self.0.iter().position(|s| *s != 0).unwrap_or(0)
    }

    /// The axis along an edge; of another feature, some axis.
    pub(super) fn edge_axis(self) -> usize {
        self.0.iter().position(|s| *s == 0).unwrap_or(0)
    }

    /// Its centre, in the frame of the box.
    pub(super) fn center<T: Scalar>(self, size: &Vector3<T>) -> Vector3<T> {
        Vector3::from_fn(|axis, _| size[axis] * (0.5 * f64::from(self.0[axis])))
    }

    /// Unit vector of the outward direction, in the frame of the box.
    pub(super) fn outward<T: Scalar>(self) -> Vector3<T> {
        let scale = 1.0 / ((3 - self.dimension()) as f64).sqrt();
        Vector3::from(self.0.map(|s| T::from(f64::from(s) * scale)))
    }
}

/// A part of the surface of any convex shape.
///
/// Vertices are those of a box (by the bits of their positive signs along x, y, z), of a convex polyhedron,
/// of the axis of a capsule (0 the lower, 1 the upper), or the centre of a sphere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConvexFeature {
    /// A vertex.
    Vertex(u32),
    /// The edge between two vertices, the smaller number first.
    Edge(u32, u32),
    /// A face of a convex polyhedron, by its position, or of a box, 0 to 5: −x, +x, −y, ….
    Face(u32),
    /// The circle around an end of a cylinder.
    Rim(End),
    /// The curved face of a cylinder.
    Side,
    /// The flat face at an end of a cylinder.
    Cap(End),
    /// The surface of an ellipsoid.
    Surface,
}

/// A part of the surface of a height field.
///
/// Numbers count from the vertex with the least column and row of the part, which is at `row · columns + column`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldFeature {
    /// A triangle: twice the number of its vertex, and one more for that beside growing y.
    Face(u32),
    /// An edge: three times the number of its vertex, and 0 along x, 1 along y, 2 along the diagonal.
    Edge(u32),
    /// A vertex.
    Vertex(u32),
}

impl From<CapsuleFeature> for ConvexFeature {
    fn from(feature: CapsuleFeature) -> Self {
        match feature {
            CapsuleFeature::Side => ConvexFeature::Edge(0, 1),
            CapsuleFeature::Cap(End::Lower) => ConvexFeature::Vertex(0),
            CapsuleFeature::Cap(End::Upper) => ConvexFeature::Vertex(1),
        }
    }
}

impl From<CylinderFeature> for ConvexFeature {
    fn from(feature: CylinderFeature) -> Self {
        match feature {
            CylinderFeature::Side => ConvexFeature::Side,
            CylinderFeature::Cap(end) => ConvexFeature::Cap(end),
            CylinderFeature::Rim(end) => ConvexFeature::Rim(end),
        }
    }
}

impl From<BoxFeature> for ConvexFeature {
    fn from(feature: BoxFeature) -> Self {
        let bits = |feature: BoxFeature| {
            let bit = |axis: usize| u32::from(feature.0[axis] > 0) << axis;
            bit(0) | bit(1) | bit(2)
        };
        match feature.dimension() {
            0 => ConvexFeature::Vertex(bits(feature)),
            1 => {
                let axis = feature.edge_axis();
                ConvexFeature::Edge(bits(feature.with(axis, -1)), bits(feature.with(axis, 1)))
            }
            _ => {
                let axis = feature.face_axis();
                ConvexFeature::Face(2 * axis as u32 + u32::from(feature.0[axis] > 0))
            }
        }
    }
}

/// A side of what two flat parts of convex shapes share, one of which has the normal of the contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatchSide {
    /// A side of the outline of the part with the normal: the one that follows the corner of this number.
    Reference(u8),
    /// A side of the outline of the other part.
    Incident(u8),
    /// An end, 0 or 1, of the other part where it is a line.
    End(u8),
}

/// A side of the overlap of two faces of boxes: an edge of the first box, of the second, or of both
/// where one lies on the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OverlapEdge {
    /// The edge of the first box.
    pub first: Option<BoxFeature>,
    /// The edge of the second box.
    pub second: Option<BoxFeature>,
}

/// On whose face two boxes touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoxReference {
    /// That of the first box.
    First,
    /// That of the second box.
    Second,
    /// That of either, which lie flat on each other and share the contact.
    Both,
}

/// The sign of a number as [`BoxFeature`] has it; +1 for 0.
pub(super) fn sign(x: f64) -> i8 {
    if x < 0.0 { -1 } else { 1 }
}
