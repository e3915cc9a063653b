//! Contacts of convex shapes with convex edges of a height field.
//!
//! See [`height_field_contact`](super::height_field_contact).

use super::convex_core::{Core, real};
use super::direction::length_and_direction;
use super::feature::{CapsuleFeature, ConvexFeature, End, PatchSide};
use super::height_field_contact::{Placed, footprint};
use super::{ContactPoint, HeightField, Shape, ShapeKind, Witness, convex_pair, dispatch};
use crate::Scalar;
use crate::math::{RigidTransform, rotation};
use arrayvec::ArrayVec;
use nalgebra::Vector3;
use std::cell::Cell;

/// How much the normal of an edge's contact may lean out of those of the faces beside it.
const LEANING: f64 = 1e-9;

/// Contacts nearer to an end of an edge, relative to edge and shape, are one with those of other edges that end there.
const AT_END: f64 = 1e-9;

/// A ridge that bends by less, as a sine, goes on at a vertex of the grid.
const GOES_ON: f64 = 0.1;

/// The parts of a shape that are no balls against the edges of the field that stick out; where a flat part lies on an
/// edge, at the ends of what they share, or if `is_exact` where they are nearest.
pub(super) fn visit_edges<T: Scalar>(
    (a, X_WA): (&Shape<T>, &RigidTransform<f64>),
    b: &Placed<T>,
    (margin, is_exact): (f64, bool),
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let Some((low, high)) = footprint((a, X_WA), b, margin) else {
        return f64::INFINITY;
    };
    let core = real(a, X_WA);
    let extent = a.extent();
    let mut least = f64::INFINITY;
    // How far the shape may turn until a face beside an edge comes in the way of its contact.
    let turn = Cell::new(f64::INFINITY);
    // The vertices that have a contact: the first, which are most often all, without memory of their own.
    let (mut met, mut further) = (ArrayVec::<usize, 8>::new(), Vec::new());
    let edges = |at| 3 * at as u32..3 * at as u32 + 3;
    for edge in b.field.window(low, high).flat_map(edges) {
        if !b.field.is_ridge(edge) {
            continue;
        }
        let Some((length, pose)) = segment(b.field, b.X_WB, |x| x.re(), edge) else {
            continue;
        };
        if separation((&core, X_WA), (length, &pose)) >= margin {
            continue;
        }
        let segment = thin_capsule(T::from(length));
        let is_past_end = Cell::new(false);
        let mut found = |segment: &Shape<T>, is_longer: bool, witness: Witness, distance: f64| {
            let Some((part, end, corner)) = parts_on_edge(&witness) else {
                return;
            };
            let is_ball = matches!(part, ConvexFeature::Vertex(_));
            if distance >= margin || is_ball && corner.is_none() || is_longer && end.is_some() {
                return;
            }
            let contact = convex_pair::real_contact_point(
                &witness_on_edge(part, end, corner),
                (segment, &pose),
                (a, X_WA),
            );
            let Some(contact) = contact else {
                return;
            };
            let normal = b.X_WB.rotation.tr_mul(&-contact.nhat_BA_W);
            if distance < 0.0 && leads_along(b.field, edge, &normal) {
                is_past_end.set(true);
                return;
            }
            let is_free = !is_longer && (distance >= 0.0 || end.is_some() || corner.is_some());
            let is_there = is_free || is_on((length, &pose), &contact.p_WCa);
            // The ends of a straight part have contacts of their own.
            let is_straight = matches!(part, ConvexFeature::Edge(..));
            if !is_there
                || is_straight && end.is_some_and(|end| goes_on(b.field, edge, end, &normal))
            {
                return;
            }
            let vertex = (end.or_else(|| end_at((length, &pose), extent, &contact.p_WCa)))
                .filter(|_| corner.is_none())
                .and_then(|end| Some(b.field.edge(edge)?[usize::from(end == End::Upper)]));
            if vertex.is_some_and(|vertex| met.contains(&vertex) || further.contains(&vertex)) {
                return;
            }
            if end.is_none() {
                let lean = leaning(b.field, edge, None, &normal);
                turn.set(turn.get().min(lean.abs() * extent));
            }
            if is_between(b.field, edge, end, (&normal, is_exact)) {
                if let Some(vertex) = vertex {
                    (met.try_push(vertex)).unwrap_or_else(|full| further.push(full.element()));
                }
                let witness = Witness::HeightFieldEdge {
                    edge,
                    end,
                    part,
                    corner,
                };
                visit(witness, distance);
            }
        };
        let mut search = |segment: &Shape<T>, is_longer| {
            let visit = &mut |witness, distance| found(segment, is_longer, witness, distance);
            match is_exact && a.kind() != ShapeKind::Capsule {
                true => convex_pair::visit_nearest(segment, &pose, a, X_WA, margin, visit),
                false => dispatch::visit_contact_features(segment, &pose, a, X_WA, margin, visit)
                    .unwrap_or(f64::INFINITY),
            }
        };
        let mut change = search(&segment, false);
        if is_past_end.get() {
            // Of a shape across the edge near its end the shortest way out is past the end, into the next edge.
            let longer = thin_capsule(T::from(length + 4.0 * a.extent()));
            change = change.min(search(&longer, true));
        }
        least = least.min(change);
    }
    least.min(0.5 * turn.get())
}

/// The end of a segment at which a point of a shape is that reaches so far.
fn end_at(
    (length, pose): (f64, &RigidTransform<f64>),
    extent: f64,
    p: &Vector3<f64>,
) -> Option<End> {
    let along = pose.rotation.column(2).dot(&(p - pose.translation));
    let near = (length + extent) * AT_END;
    let is_at = |end: &End| (along * end.sign() - 0.5 * length).abs() <= near;
    End::ALL.into_iter().find(is_at)
}

/// Whether an edge goes on at an end across a normal, so that something straight along it does not end there.
fn goes_on<T: Scalar>(field: &HeightField<T>, edge: u32, end: End, n: &Vector3<f64>) -> bool {
    let next = field.next(edge, end).filter(|&next| field.is_ridge(next));
    let ends = next.and_then(|next| field.edge(next));
    ends.is_some_and(|ends| {
        let [from, to] = ends.map(|vertex| field.real(vertex));
        let (_, along) = length_and_direction(&(to - from), Vector3::x);
        n.dot(&along) * end.sign() >= -LEANING
    })
}

/// Whether a point is beside a segment: of two in a line, beside one.
fn is_on((length, pose): (f64, &RigidTransform<f64>), p: &Vector3<f64>) -> bool {
    let along = pose.rotation.column(2).dot(&(p - pose.translation));
    let past = length * LEANING;
    (past - 0.5 * length..past + 0.5 * length).contains(&along)
}

/// The separation of a shape and a segment along the line between their origins; they are no nearer.
fn separation<T: Scalar>(
    (core, X_WA): (&Core<'_, T, f64>, &RigidTransform<f64>),
    (length, pose): (f64, &RigidTransform<f64>),
) -> f64 {
    let between = X_WA.translation - pose.translation;
    let (distance, n) = length_and_direction(&between, Vector3::z);
    let (_, nearest) = core.relative_support(&-n);
    let half = 0.5 * length * pose.rotation.column(2).dot(&n).abs();
    distance + nearest.dot(&n) - core.core_radius() - half
}

/// An edge of the field as the axis of a capsule: its length and pose in W.
pub(crate) fn segment<U: Scalar, T: Scalar>(
    field: &HeightField<U>,
    X_WB: &RigidTransform<T>,
    to: fn(&U) -> T,
    edge: u32,
) -> Option<(T, RigidTransform<T>)> {
    let [from, end] = field.edge(edge)?;
    let (from, end) = (field.vertex_in(from, to)?, field.vertex_in(end, to)?);
    let (length, along) = length_and_direction(&(end - from), Vector3::x);
    let middle = X_WB.transform_point(&((from + end) * T::from(0.5)));
    let pose = RigidTransform::new(rotation::frame_about(&(X_WB.rotation * along)), middle);
    Some((length, pose))
}

pub(crate) fn thin_capsule<T: Scalar>(length: T) -> Shape<T> {
    let radius = T::zero();
    Shape::Capsule { radius, length }
}

/// Whether a normal, in the frame of the field, leads away from all that is beside an edge, or beside its end; at the
/// border upwards, or from all sides.
fn is_between<T: Scalar>(
    field: &HeightField<T>,
    edge: u32,
    end: Option<End>,
    (n, from_all_sides): (&Vector3<f64>, bool),
) -> bool {
    let Some(ends) = field.edge(edge) else {
        return false;
    };
    let is_inside = match end {
        Some(end) => field.around(ends[usize::from(end == End::Upper)]).len() == 6,
        None => field.beside(edge).len() == 2,
    };
    let is_up = n.z >= -LEANING || from_all_sides;
    leaning(field, edge, end, n) <= LEANING && (is_inside || is_up)
}

/// How much a normal, in the frame of the field, leads towards what is beside an edge, or beside its end: the largest
/// sine, negative where it leads away from all.
fn leaning<T: Scalar>(
    field: &HeightField<T>,
    edge: u32,
    end: Option<End>,
    n: &Vector3<f64>,
) -> f64 {
    let Some(ends) = field.edge(edge) else {
        return f64::INFINITY;
    };
    let from = ends[usize::from(end == Some(End::Upper))];
    let origin = field.real(from);
    let lean = |most: f64, other: usize| {
        let (_, along) = length_and_direction(&(field.real(other) - origin), Vector3::x);
        most.max(n.dot(&along))
    };
    match end {
        Some(_) => (field.around(from).into_iter()).fold(f64::NEG_INFINITY, lean),
        None => (field.beside(edge).into_iter()).fold(f64::NEG_INFINITY, lean),
    }
}

/// The contact of a part of a shape with an edge; `None` if the shape or the field do not have them.
pub(super) fn contact_point<T: Scalar>(
    (edge, end): (u32, Option<End>),
    (part, corner): (ConvexFeature, Option<[PatchSide; 2]>),
    (a, X_WA): (&Shape<T>, &RigidTransform<T>),
    field: &HeightField<T>,
    X_WB: &RigidTransform<T>,
) -> Option<ContactPoint<T>> {
    let (length, pose) = segment(field, X_WB, |x| *x, edge)?;
    let witness = witness_on_edge(part, end, corner);
    convex_pair::contact_point(&witness, &thin_capsule(length), &pose, a, X_WA)
        .map(ContactPoint::swapped)
}

/// Whether a normal leads past an end of an edge into one that goes on there.
fn leads_along<T: Scalar>(field: &HeightField<T>, edge: u32, n: &Vector3<f64>) -> bool {
    let along = |edge: u32| {
        let ends = field.edge(edge)?.map(|vertex| field.real(vertex));
        Some((ends[1] - ends[0]).normalize())
    };
    let Some(own) = along(edge) else {
        return false;
    };
    let lean = n.dot(&own);
    let end = if lean > 0.0 { End::Upper } else { End::Lower };
    lean.abs() > GOES_ON
        && (field
            .next(edge, end)
            .filter(|&next| field.is_ridge(next))
            .and_then(along))
        .is_some_and(|next| own.cross(&next).norm() < GOES_ON)
}

/// The part of a shape, the end of an edge and the corner of a contact of the edge, as a capsule, and the shape.
fn parts_on_edge(
    witness: &Witness,
) -> Option<(ConvexFeature, Option<End>, Option<[PatchSide; 2]>)> {
    let (edge, part, corner) = match *witness {
        Witness::CapsuleCapsule(edge, part) => (edge.into(), part.into(), None),
        Witness::Convex(edge, part) => (edge, part, None),
        Witness::ConvexPatch {
            parts: [edge, part],
            corner,
            ..
        } => (edge, part, Some(corner)),
        _ => return None,
    };
    let end = match edge {
        ConvexFeature::Vertex(end) => End::ALL.get(end as usize).copied(),
        _ => None,
    };
    Some((part, end, corner))
}

pub(crate) fn witness_on_edge(
    part: ConvexFeature,
    end: Option<End>,
    corner: Option<[PatchSide; 2]>,
) -> Witness {
    let edge = end.map_or(CapsuleFeature::Side, CapsuleFeature::Cap).into();
    match corner {
        None => Witness::Convex(edge, part),
        Some(corner) => Witness::ConvexPatch {
            parts: [edge, part],
            on_first: false,
            corner,
            is_shared: false,
        },
    }
}
