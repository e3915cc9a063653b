//! Box against box.
//!
//! The [separating axis test](super::separating_axis) says along which direction the boxes are
//! apart the most, or overlap the least. If it is a face normal, the boxes touch on
//! [a face](super::box_box_face), with up to eight contact points; if it is a cross product of edges,
//! with [an edge each](super::box_box_edges), in one point. Directions that are about equally good
//! [share](super::box_box_sharing) the contact, so that its force is a continuous function of the
//! poses where one takes over from another.
//!
//! Where no contact point on a face is as near as the edges that meet, to within a twentieth of their
//! distance and a thousandth of the smallest half size, the contact is that of the edges. Contact
//! points on a face are points of one box inside the other even where a cross product is slightly
//! better: the choice reports no overlap that is not there. Edges whose common normal does not meet
//! both are no contact. The choice does not depend on the margin.
//!
//! # What is exact
//! Among penetrating boxes the deepest contact point has the penetration depth, the least
//! translation that separates the boxes, up to the tolerance in favour of faces. Among boxes apart by
//! less than the margin, contact points are where they face each other: a vertex or an edge beyond
//! the sides of the reference face has none. [`signed_distance`](super::signed_distance) is exact in
//! every case.
//!
//! # Where force and derivative jump
//! Derivatives jump where a [side of the overlap](super::box_box_overlap) appears or vanishes. The
//! force itself jumps where another face of the incident box looks at the reference most, where edges
//! begin to meet while they have a share, and where edges take the place of faces that they are nearer
//! than. [`witnesses`](super::witnesses) says how far all of these are.

use super::box_box_overlap::{Overlap, SideOfBoth, incident_face};
use super::box_box_sharing::Sharing;
use super::feature::{BoxFeature, BoxReference, OverlapEdge};
use super::placed_box::PlacedBox;
use super::separating_axis::{Axis, AxisSet, Separation, face_along, separation, supporting_edges};
use super::{ContactPoint, Witness, box_box_edges, box_box_face};
use nalgebra::Vector3;
use std::f64::consts::FRAC_1_SQRT_2;

/// Faces with a smaller sine of the angle between them lie flat on each other.
const FLAT: f64 = 1e-3;

/// Two faces with a smaller sine of the angle between them share the contact in a way of which the
/// derivative jumps, where the tilt about an edge changes sign, by less than is worth saying: the jump
/// is in proportion to the tilt.
const ALIGNED: f64 = 1e-5;

/// An axis that may have a share.
#[derive(Clone, Copy)]
struct Candidate {
    axis: Axis,
    separation: Separation<f64>,
    score: f64,
    edges: Option<(BoxFeature, BoxFeature)>,
    /// The distance of the edges, if their common normal meets both; looked for where it decides only.
    met: Option<f64>,
}

/// Calls `visit` with the contacts and their distances, if the boxes may be nearer than `margin`.
/// Returns how far the nearest change of features is.
pub(super) fn visit_contact_features(
    a: &PlacedBox<f64>,
    b: &PlacedBox<f64>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let mut separations = [None; 15];
    for (slot, axis) in separations.iter_mut().zip(Axis::all()) {
        *slot = separation(axis, a, b);
        if slot.is_some_and(|separation| separation.distance >= margin) {
            return f64::INFINITY;
        }
    }
    let sharing = Sharing::of_boxes(a, b);
    let mut candidates = [None; 15];
    for ((slot, axis), separation) in candidates.iter_mut().zip(Axis::all()).zip(separations) {
        *slot = separation.map(|separation| candidate(axis, separation, &sharing, a, b));
    }
    let faces = || candidates.iter().flatten().filter(|c| c.axis.is_face());
    let largest = |of: fn(&Candidate) -> f64| faces().map(of).fold(f64::NEG_INFINITY, f64::max);
    let best_face = largest(|c| c.separation.distance);
    let highest_face = largest(|c| c.score);
    for c in candidates.iter_mut().flatten() {
        let is_near = c.separation.distance > best_face;
        if is_near || sharing.worth(c.score, highest_face) > 0.0 {
            c.met = (c.edges).and_then(|edges| box_box_edges::distance_if_met(edges, a, b));
        }
    }
    let candidates = || candidates.iter().flatten();
    let is_contact = |c: &&Candidate| c.axis.is_face() || c.met.is_some();
    let scores = candidates().filter(is_contact).map(|c| c.score);
    let highest = scores.fold(f64::NEG_INFINITY, f64::max);
    let counts = |c: &&Candidate| sharing.worth(c.score, highest) > 0.0;
    let mut axes = AxisSet::default();
    for candidate in candidates().filter(is_contact).filter(counts) {
        axes.insert(candidate.axis);
    }
    let mut contacts = Contacts {
        a,
        b,
        margin,
        lowest: f64::INFINITY,
        kink: f64::INFINITY,
        visit,
    };
    let extent = 0.5 * a.size.norm();
    let between = a.pose.translation - b.pose.translation;
    for c in candidates().filter(counts) {
        let n = &c.separation.normal;
        if let Some(edges) = c.edges {
            let met = box_box_edges::meeting_margin(edges, a, b);
            contacts.kink = contacts.kink.min(met);
        }
        // Where centres coincide along a normal, the way out may be the other one.
        if axes.contains(c.axis) {
            contacts.kink = contacts.kink.min(n.dot(&between).abs());
        }
        if axes.contains(c.axis)
            && (axes.len() > 1 && !is_flat_pair(axes, a, b) || c.edges.is_some())
        {
            contacts.kink = contacts.kink.min(extent * least_support(c.axis, n, a, b));
        }
    }
    // Edges that are nearer than everything on the faces take their place.
    let best_edges = candidates()
        .filter_map(|c| Some((c, c.edges?, c.met?)))
        .max_by(|x, y| x.0.separation.distance.total_cmp(&y.0.separation.distance))
        .filter(|(c, ..)| c.separation.distance > best_face);
    let shares_of_faces = axes.iter().any(Axis::is_face);
    if shares_of_faces && let Some((c, edges, distance)) = best_edges {
        for axis in axes.iter() {
            contacts.add_faces(axis, axes, false);
        }
        let short = contacts.lowest - distance - sharing.preference(best_face);
        if distance < margin {
            contacts.kink = contacts.kink.min(short.abs());
        }
        if short > 0.0 {
            let mut axes = AxisSet::default();
            axes.insert(c.axis);
            contacts.add(Witness::BoxBoxEdges { edges, axes });
            return contacts.kink;
        }
    }
    for axis in axes.iter() {
        contacts.add_faces(axis, axes, true);
    }
    for (axis, edges) in candidates().filter_map(|c| Some((c.axis, c.edges?))) {
        if axes.contains(axis) {
            contacts.add(Witness::BoxBoxEdges { edges, axes });
        }
    }
    contacts.kink
}

fn candidate(
    axis: Axis,
    separation: Separation<f64>,
    sharing: &Sharing<f64>,
    a: &PlacedBox<f64>,
    b: &PlacedBox<f64>,
) -> Candidate {
    let edges = match axis {
        Axis::Edges(i, j) => Some(supporting_edges((i, j), &separation.normal, a, b)),
        _ => None,
    };
    Candidate {
        axis,
        separation,
        score: sharing.score(axis, separation.distance, a, b),
        edges,
        met: None,
    }
}

/// Whether a face of each box share, parallel to each other.
fn is_flat_pair(axes: AxisSet, a: &PlacedBox<f64>, b: &PlacedBox<f64>) -> bool {
    let mut faces = axes.iter();
    match (faces.next(), faces.next(), faces.next()) {
        (Some(Axis::FaceOfFirst(i)), Some(Axis::FaceOfSecond(j)), None) => {
            a.axis(i).cross(&b.axis(j)).norm() < ALIGNED
        }
        _ => false,
    }
}

/// The least cosine between the normal of an axis and an edge that supports it: where it vanishes,
/// another edge does.
fn least_support(axis: Axis, normal: &Vector3<f64>, a: &PlacedBox<f64>, b: &PlacedBox<f64>) -> f64 {
    let cosines = |of: &PlacedBox<f64>, but: Option<usize>| {
        let all = (0..3).filter(move |k| but != Some(*k));
        all.fold(f64::INFINITY, |least, k| {
            least.min(normal.dot(&of.axis(k)).abs())
        })
    };
    match axis {
        Axis::FaceOfFirst(_) => cosines(b, None),
        Axis::FaceOfSecond(_) => cosines(a, None),
        Axis::Edges(i, j) => cosines(a, Some(i)).min(cosines(b, Some(j))),
    }
}

/// The contacts of two boxes, as they are found.
struct Contacts<'a> {
    a: &'a PlacedBox<'a, f64>,
    b: &'a PlacedBox<'a, f64>,
    margin: f64,
    /// The least distance of a contact on a face.
    lowest: f64,
    kink: f64,
    visit: &'a mut dyn FnMut(Witness, f64),
}

impl Contacts<'_> {
    fn add(&mut self, witness: Witness) {
        if let Some(contact) = contact_point(&witness, self.a, self.b) {
            (self.visit)(witness, -contact.penetration);
        }
    }

    /// Takes the contacts on the face of an axis into account, and visits them if asked to.
    fn add_faces(&mut self, axis: Axis, axes: AxisSet, visits: bool) {
        let (a, b) = (self.a, self.b);
        let Some(Pairing {
            faces,
            lead,
            reference,
        }) = pairing(axis, axes, a, b)
        else {
            return;
        };
        let overlap = match reference {
            BoxReference::Second => Overlap::new((faces.1, b), (faces.0, a)),
            _ => Overlap::new((faces.0, a), (faces.1, b)),
        };
        if visits {
            let to_other_face = lead * FRAC_1_SQRT_2 * 0.5 * a.size.norm();
            self.kink = self
                .kink
                .min(to_other_face)
                .min(overlap.margin(self.margin));
        }
        for corner in overlap.corners() {
            let corner = corner.map(|side| overlap_edge(side, faces, reference));
            let witness = Witness::BoxBoxFace {
                faces,
                reference,
                corner,
                axes,
            };
            if visits {
                self.add(witness);
            } else if let Some(contact) = contact_point(&witness, a, b) {
                self.lowest = self.lowest.min(-contact.penetration);
            }
        }
    }
}

/// A face and the one that it meets.
struct Pairing {
    faces: (BoxFeature, BoxFeature),
    /// By how much the cosine of the incident face is larger than that of another.
    lead: f64,
    reference: BoxReference,
}

/// The faces that meet along an axis; `None` for edges, and for the second of two faces that lie flat
/// on each other.
fn pairing(axis: Axis, axes: AxisSet, a: &PlacedBox<f64>, b: &PlacedBox<f64>) -> Option<Pairing> {
    let n = separation(axis, a, b)?.normal;
    let (faces, lead, other) = match axis {
        Axis::FaceOfFirst(k) => {
            let (incident, lead) = incident_face(b, &n);
            let other = Axis::FaceOfSecond(incident.face_axis());
            ((face_along(a, k, &-n), incident), lead, other)
        }
        Axis::FaceOfSecond(k) => {
            let (incident, lead) = incident_face(a, &-n);
            let other = Axis::FaceOfFirst(incident.face_axis());
            ((incident, face_along(b, k, &n)), lead, other)
        }
        Axis::Edges(..) => return None,
    };
    let sine = a.outward(faces.0).cross(&b.outward(faces.1)).norm();
    let is_shared = axes.contains(other) && sine < FLAT;
    let reference = match axis {
        Axis::FaceOfFirst(_) if is_shared => BoxReference::Both,
        Axis::FaceOfFirst(_) => BoxReference::First,
        _ if is_shared => return None,
        _ => BoxReference::Second,
    };
    Some(Pairing {
        faces,
        lead,
        reference,
    })
}

fn overlap_edge(
    [of_reference, of_incident]: SideOfBoth,
    faces: (BoxFeature, BoxFeature),
    reference: BoxReference,
) -> OverlapEdge {
    let (first, second) = match reference {
        BoxReference::Second => (of_incident, of_reference),
        _ => (of_reference, of_incident),
    };
    OverlapEdge {
        first: first.map(|side| side.edge_of(faces.0)),
        second: second.map(|side| side.edge_of(faces.1)),
    }
}

/// The contact of two boxes that a witness names; `None` if it names other shapes, or features that
/// do not meet.
pub(super) fn contact_point<T: crate::Scalar>(
    witness: &Witness,
    a: &PlacedBox<T>,
    b: &PlacedBox<T>,
) -> Option<ContactPoint<T>> {
    match *witness {
        Witness::BoxBoxFace {
            faces,
            reference,
            corner,
            axes,
        } if faces.0.dimension() == 2 && faces.1.dimension() == 2 => {
            box_box_face::contact_point(faces, reference, corner, axes, a, b)
        }
        Witness::BoxBoxEdges { edges, axes }
            if edges.0.dimension() == 1 && edges.1.dimension() == 1 =>
        {
            let axis = Axis::Edges(edges.0.edge_axis(), edges.1.edge_axis());
            let [share] = super::box_box_sharing::shares([axis], axes, a, b)?;
            Some(box_box_edges::contact_point(edges, a, b).weighted(share))
        }
        _ => None,
    }
}
