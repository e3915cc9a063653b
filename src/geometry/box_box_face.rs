//! Box against box, face contact.
//!
//! The *reference* is the box whose face it is, with outward normal `n`; the *incident* face is the
//! face of the other box that looks against `n` most. Seen along `n` both faces are convex
//! quadrilaterals, and their [overlap](super::box_box_overlap) has up to eight corners. Each is where
//! two edges meet:
//!
//! | edges | point of the incident box |
//! |---|---|
//! | two of the incident face | its vertex |
//! | one of each | where the incident edge crosses the plane through the reference edge along `n` |
//! | two of the reference face | where the line through its vertex along `n` meets the incident face |
//!
//! Every corner is a contact point: the point of the incident box, its distance from the reference
//! face along `n`, and its projection on that face. Under the reference face, its penetration is the
//! depth of that point in the reference box along `n`. Above it, the distance of a vertex is that
//! from the reference box; of the other two the distance along `n`, which is more than the distance of
//! the features by the tilt of the faces, in second order.
//!
//! # Weights
//! A corner weighs as much as the outline turns there, `(2/π) · (exterior angle)`, measured in the
//! plane of the incident face: 1 at a vertex of the incident face, so that a box on a larger one has
//! the contact points of a box on a half space. The exterior angles of a convex polygon add up to 2π,
//! where one corner splits into two their angles add up to that of the one, and a corner on a straight
//! side has none. Turning angles are the curvature measure of the outline, which is continuous in the
//! outline (Schneider 2014, *Convex Bodies: The Brunn–Minkowski Theory*, 2nd ed., section 4.2): total
//! force and moment of points with these weights are continuous functions of the poses.
//!
//! *Singular state.* An edge of one face on an edge of the other is a side of both. A corner there is
//! the mean of the corners of either, and follows both boxes by halves, as central differences would
//! have it.
//!
//! # Faces that share
//! Two faces that lie flat on each other and [share](super::box_box_sharing) the contact have the
//! same corners, with either as reference, while they are parallel to within 10⁻³ rad. These are then
//! one, at the mean of both in proportion to the shares.

use super::ContactPoint;
use super::box_box_overlap::PARALLEL;
use super::box_box_sharing::shares;
use super::box_box_side::Side;
use super::feature::{BoxFeature, BoxReference, OverlapEdge};
use super::placed_box::PlacedBox;
use super::separating_axis::{Axis, AxisSet};
use crate::Scalar;
use nalgebra::Vector3;
use std::f64::consts::FRAC_2_PI;

/// The contact of a corner of the overlap of two faces, one of A and one of B; `None` if the edges do
/// not meet.
pub(super) fn contact_point<T: Scalar>(
    (face_a, face_b): (BoxFeature, BoxFeature),
    reference: BoxReference,
    corner: [OverlapEdge; 2],
    axes: AxisSet,
    a: &PlacedBox<T>,
    b: &PlacedBox<T>,
) -> Option<ContactPoint<T>> {
    let axis_a = Axis::FaceOfFirst(face_a.face_axis());
    let axis_b = Axis::FaceOfSecond(face_b.face_axis());
    let on_a = || {
        let edges = corner.map(|edge| [edge.first, edge.second]);
        Some(on_reference((face_a, a), (face_b, b), edges)?.swapped())
    };
    let on_b = || {
        let edges = corner.map(|edge| [edge.second, edge.first]);
        on_reference((face_b, b), (face_a, a), edges)
    };
    match reference {
        BoxReference::First => Some(on_a()?.weighted(shares([axis_a], axes, a, b)?[0])),
        BoxReference::Second => Some(on_b()?.weighted(shares([axis_b], axes, a, b)?[0])),
        BoxReference::Both => {
            let [share_a, share_b] = shares([axis_a, axis_b], axes, a, b)?;
            let share = share_a + share_b;
            let (part_a, part_b) = (share_a.div_lifted(share), share_b.div_lifted(share));
            let (x, y) = (on_a()?, on_b()?);
            let mean = |p: &Vector3<T>, q: &Vector3<T>| p * part_a + q * part_b;
            let nhat = mean(&x.nhat_BA_W, &y.nhat_BA_W);
            let length = T::norm_lifted(nhat.as_slice());
            let penetration = x.penetration * part_a + y.penetration * part_b;
            Some(ContactPoint {
                weight: (x.weight * part_a + y.weight * part_b) * share,
                ..ContactPoint::new(
                    mean(&x.p_WCa, &y.p_WCa),
                    nhat.map(|x| x.div_lifted(length)),
                    -penetration,
                )
            })
        }
    }
}

/// The contact of the incident box, in the role of A, with the face of the reference. Edges are given
/// as those of the reference and of the incident face.
fn on_reference<T: Scalar>(
    reference: (BoxFeature, &PlacedBox<T>),
    incident: (BoxFeature, &PlacedBox<T>),
    corner: [[Option<BoxFeature>; 2]; 2],
) -> Option<ContactPoint<T>> {
    let (face, r) = reference;
    let sides = |[of_reference, of_incident]: [Option<BoxFeature>; 2]| {
        let one = of_reference.and_then(|edge| Side::of(face, edge, true));
        let other = of_incident.and_then(|edge| Side::of(incident.0, edge, false));
        one.into_iter().chain(other)
    };
    let nhat = r.outward(face);
    let zero = (Vector3::zeros(), T::zero(), T::zero());
    let (mut sum, mut count) = (zero, 0.0);
    for one in sides(corner[0]) {
        for other in sides(corner[1]) {
            if let Some((p_W, height)) = meeting_point(reference, incident, &nhat, one, other) {
                sum.0 += p_W;
                sum.1 += height;
                sum.2 += turn(r, incident, one, other);
                count += 1.0;
            }
        }
    }
    if count == 0.0 {
        return None;
    }
    let share = T::from(1.0 / count);
    Some(ContactPoint::new(sum.0 * share, nhat, sum.1 * share).weighted(sum.2 * share))
}

/// The point of the incident face where two sides meet, seen along the normal, and its height.
fn meeting_point<T: Scalar>(
    (face, r): (BoxFeature, &PlacedBox<T>),
    (incident_face, i): (BoxFeature, &PlacedBox<T>),
    nhat: &Vector3<T>,
    one: Side,
    other: Side,
) -> Option<(Vector3<T>, T)> {
    let half = r.half(face.face_axis());
    let height = |p_W: &Vector3<T>| nhat.dot(&(p_W - r.pose.translation)) - half;
    let crossing = |side: Side, edge: Side| {
        let edge = edge.edge_of(incident_face);
        let side_normal = r.axis(side.axis) * T::from(f64::from(side.sign));
        let (middle, direction) = (i.center(edge), i.axis(edge.edge_axis()));
        let short_of_plane = r.half(side.axis) - side_normal.dot(&(middle - r.pose.translation));
        let slope = side_normal.dot(&direction);
        (slope.re().abs() > PARALLEL).then(|| middle + direction * short_of_plane.div_lifted(slope))
    };
    match (one.is_reference, other.is_reference) {
        (true, false) => crossing(one, other).map(|p_W| (p_W, height(&p_W))),
        (false, true) => crossing(other, one).map(|p_W| (p_W, height(&p_W))),
        _ if one.axis == other.axis => None,
        (false, false) => {
            let vertex = other.edge_of(one.edge_of(incident_face));
            let p_W = i.center(vertex);
            Some((p_W, height(&p_W)))
        }
        (true, true) => {
            let vertex = r.center(other.edge_of(one.edge_of(face)));
            let incident_normal = i.outward(incident_face);
            let below_face = incident_normal.dot(&(i.center(incident_face) - vertex));
            let height = below_face.div_lifted(incident_normal.dot(nhat));
            Some((vertex + nhat * height, height))
        }
    }
}

/// The angle that the outline turns by between two sides, in right angles.
fn turn<T: Scalar>(
    r: &PlacedBox<T>,
    (incident_face, i): (BoxFeature, &PlacedBox<T>),
    one: Side,
    other: Side,
) -> T {
    // Outward normals of the sides, along the axes of the incident face.
    let k = incident_face.face_axis();
    let axes = [(k + 1) % 3, (k + 2) % 3];
    let outward = |side: Side| {
        let sign = T::from(f64::from(side.sign));
        if side.is_reference {
            let normal = r.axis(side.axis) * sign;
            axes.map(|axis| normal.dot(&i.axis(axis)))
        } else {
            axes.map(|axis| if axis == side.axis { sign } else { T::zero() })
        }
    };
    let ([x, y], [u, v]) = (outward(one), outward(other));
    let sine = (x * v - y * u).abs_lifted();
    sine.atan2_lifted(x * u + y * v) * FRAC_2_PI
}
