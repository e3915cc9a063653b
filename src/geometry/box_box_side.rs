//! Sides of the overlap polygon of two faces of boxes.

use super::feature::BoxFeature;

/// A side of the overlap: an edge of the reference face or of the incident face, by the axis across
/// it and the sign of the side that it is on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Side {
    pub(super) is_reference: bool,
    pub(super) axis: usize,
    pub(super) sign: i8,
}

impl Side {
    /// The side of an edge of a face.
    pub(super) fn of(face: BoxFeature, edge: BoxFeature, is_reference: bool) -> Option<Self> {
        let k = face.face_axis();
        let axis = (0..3).find(|&axis| axis != k && edge.signs()[axis] != 0)?;
        Some(Side {
            is_reference,
            axis,
            sign: edge.signs()[axis],
        })
    }

    pub(super) fn edge_of(self, face: BoxFeature) -> BoxFeature {
        face.with(self.axis, self.sign)
    }
}
