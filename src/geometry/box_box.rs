//! Box against box.
//!
//! The [separating axis test](super::separating_axis) says along which direction the boxes are
//! apart the most, or overlap the least. If it is a face normal, the boxes touch on
//! [a face](super::box_box_face), with up to eight contact points; if it is a cross product of edges,
//! with [an edge each](super::box_box_edges), in one point.
//!
//! Boxes that lie flat on each other are, to first order in their tilt, as deep along some cross
//! product as along the face normals. Edges are therefore preferred to a face only if they are apart
//! by more than the face by a tolerance: a twentieth of that distance and a thousandth of the
//! smallest half size; or if no contact point on the face is as near as the edges, to the same
//! tolerance. Contact points on a face are points of one box inside the other even where a cross
//! product is slightly better: the choice reports no overlap that is not there. Edges whose common
//! normal does not meet both are no contact. The choice does not depend on the margin.
//!
//! # What is exact
//! Among penetrating boxes the deepest contact point has the penetration depth, the least
//! translation that separates the boxes, up to the tolerance in favour of faces. Among boxes apart by
//! less than the margin, contact points are where they face each other: a vertex or an edge beyond
//! the sides of the reference face has none. [`signed_distance`](super::signed_distance) is exact in
//! every case.

use super::box_box_face::Corners;
use super::placed_box::PlacedBox;
use super::separating_axis::separating_axes;
use super::{Witness, box_box_edges};

/// Part of the tolerance in favour of faces that is relative to the separation.
const RELATIVE_TOLERANCE: f64 = 0.05;
/// Part of the tolerance in favour of faces that is relative to the smallest half size.
const SIZE_TOLERANCE: f64 = 1e-3;

/// Calls `visit` with the contacts and their distances, if the boxes may be nearer than `margin`.
pub(super) fn visit_witnesses(
    a: &PlacedBox<f64>,
    b: &PlacedBox<f64>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) {
    let (face, edge) = separating_axes(a, b);
    let edge = edge.filter(|edge| edge.separation > face.separation);
    let separation = edge.map_or(face.separation, |edge| edge.separation);
    if separation >= margin {
        return;
    }
    let tolerance = RELATIVE_TOLERANCE * face.separation.abs()
        + SIZE_TOLERANCE * 0.5 * a.size.min().min(b.size.min());
    let edges = edge.and_then(|edge| {
        let distance = box_box_edges::distance_if_met(edge.edges, a, b)?;
        Some((Witness::BoxBoxEdges(edge.edges.0, edge.edges.1), distance))
    });
    if let Some((witness, distance)) = edges
        && separation > face.separation + tolerance
    {
        return visit(witness, distance);
    }
    let corners = Corners::new(&face, a, b);
    if let Some((witness, distance)) = edges
        && corners.lowest() > distance + tolerance
    {
        return visit(witness, distance);
    }
    for (witness, distance) in corners.witnesses() {
        visit(witness, distance);
    }
}
