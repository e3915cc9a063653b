//! Convex shapes and points against height fields.
//!
//! A shape touches a height field as it touches half spaces: every point that a [half space](super::box_half_space) has
//! contacts at (the ends of a capsule, the vertices of a box, the deepest points of the rims of a cylinder, …) touches the
//! plane that is tangent to the field where the point, or the centre of the rounding there, is
//! [nearest](super::height_field_nearest). On a flat field contacts, weights and forces are those of a half space, whatever
//! the cells; at no depth does an edge between faces in a plane push sideways.
//!
//! Edges of the field that stick out touch the other parts of a shape: its edges, faces and curved sides. An edge is
//! then a [capsule](super::capsule_capsule) without radius, and the contact counts if its normal is between those of the
//! faces beside the edge, so that moving along these leads away.
//!
//! | shape | with planes | with edges |
//! |---|---|---|
//! | sphere, points | the centre, each point | |
//! | capsule | its ends | its side |
//! | cylinder | 4 points of both rims, at faces and creases | side, rims, caps |
//! | ellipsoid | its deepest point, at faces and creases | its surface |
//! | box, convex polyhedron | its vertices | edges and faces |
//!
//! # What is exact
//! Of shapes that are apart, the signed distance. The nearest contact is at it, but for flat parts, of which faces are
//! [preferred](super::convex_pair), and round ones above a crease: their contacts, which do not touch yet, may be further or
//! nearer. Of shapes that overlap, the field does
//! not tell what the shortest way out is: a penetration is that of the deepest contact. Points of a cylinder deeper below
//! the surface than half its least width, and of an ellipsoid deeper than the radius of a ball that rolls inside, are
//! pushed out at the nearest face; edges do not push parts that are entirely below them. Where each of these points is
//! nearest to a face that another is deepest below, the face that is nearest to the deepest pushes.
//!
//! In a crease a ball touches both sides, each as if it were alone, also where these are nearly in a plane: it is twice as
//! stiff there as beside. Where it is deeper than `r (1 − cos φ)`, with the angle φ between the sides, the force jumps as its
//! centre comes above the other side; a step names that kink. Points below a crease are pushed by the crease, rims and curved surfaces by both sides, which
//! [share](super::height_field_crease) the contact. A ridge that bends by less than 0.1 at a vertex goes on there: what is
//! across it comes out upwards, not past the end of an edge.
//!
//! The ground ends at the border of the grid, without walls, and has no bottom: a shape that is under the surface, at any
//! depth, is pushed out; what is beside the border touches nothing, also below the heights there, and its signed distance
//! is that from the surface as a sheet, which ends at the border. Where a shape passes under the border from outside, the
//! distance jumps and contacts appear.
//!
//! *Singular states.* Those of the shapes against half spaces and against capsules. A point on an edge takes the normal of a
//! face.

use super::convex_core::{box_vertex, core, has_core, real};
use super::direction::length_and_direction;
use super::feature::{ConvexFeature, End, FieldFeature};
use super::height_field_nearest::{Foot, Nearest};
use super::{
    ContactPoint, HeightField, Shape, ShapeKind, Witness, dispatch, height_field_crease,
    height_field_edges,
};
use crate::Scalar;
use crate::math::{RigidTransform, rotation};
use nalgebra::{Vector2, Vector3};

/// Whether contacts of a kind with height fields are implemented.
pub(super) fn is_supported(kind: ShapeKind) -> bool {
    has_core(kind) || kind == ShapeKind::Points
}

/// A field in the world, in `f64`.
pub(super) struct Placed<'a, T> {
    pub(super) field: &'a HeightField<T>,
    pub(super) X_WB: &'a RigidTransform<f64>,
}

/// Calls `visit` with the contacts nearer than the margin and their distances. Returns about how far the nearest change
/// of features is.
pub(super) fn visit_contact_features<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<f64>,
    field: &HeightField<T>,
    X_WB: &RigidTransform<f64>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    visit_all((a, X_WA), &Placed { field, X_WB }, (margin, false), visit)
}

fn visit_all<T: Scalar>(
    a: (&Shape<T>, &RigidTransform<f64>),
    b: &Placed<T>,
    (margin, is_exact): (f64, bool),
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let mut is_apart = true;
    let mut found = |witness, distance| {
        is_apart = false;
        visit(witness, distance);
    };
    let has_balls = !matches!(a.0.kind(), ShapeKind::Cylinder | ShapeKind::Ellipsoid);
    let mut deepest = Deepest::default();
    let mut least = match has_balls {
        true => visit_balls(a, b, (margin, is_exact), &mut found),
        false => visit_faces(a, b, margin, &mut deepest, &mut found),
    };
    if !matches!(a.0.kind(), ShapeKind::Sphere | ShapeKind::Points) {
        let change = height_field_edges::visit_edges(a, b, (margin, is_exact), &mut found);
        least = least.min(change);
    }
    // Where each of the deepest points is nearest to a face that another is deepest below.
    if is_apart
        && let Some(out) = (deepest.point).and_then(|p| way_out(b.field, &p))
        && let Some(face) = b.field.face_at(out.feature)
    {
        let foot = &mut |_: &ContactPoint<f64>| Some(Foot::with_room(out.room));
        least = least.min(0.5 * (deepest.depth - deepest.second));
        least = least.min(visit_plane(a, b, (face, margin), foot, visit));
    }
    least
}

/// The deepest point of a shape below the surface, and how deep the next is.
#[derive(Default)]
struct Deepest {
    point: Option<Vector3<f64>>,
    depth: f64,
    second: f64,
}

impl Deepest {
    /// Points nearer to each other, relative to the depth, are one, as of faces in a plane.
    const SAME: f64 = 1e-6;

    fn offer(&mut self, p: Vector3<f64>, depth: f64) {
        let is_other = |q: Vector3<f64>| (p - q).norm() > Self::SAME * depth;
        let is_other = self.point.is_some_and(is_other);
        if depth > self.depth {
            if is_other {
                self.second = self.depth;
            }
            (self.point, self.depth) = (Some(p), depth);
        } else if is_other {
            self.second = self.second.max(depth);
        }
    }
}

/// The parts of a shape that are balls, points among them, with their radius: centres in W.
fn visit_centers<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<f64>,
    visit: &mut dyn FnMut(u32, Vector3<f64>, f64),
) {
    let core = real(a, X_WA);
    let (count, radius) = match a {
        Shape::Sphere { radius } => (1, radius.re()),
        Shape::Capsule { radius, .. } => (2, radius.re()),
        Shape::Box { .. } => (8, 0.0),
        Shape::Convex { polyhedron } => (polyhedron.vertices().len(), 0.0),
        Shape::Points { points } => (points.len(), 0.0),
        _ => (0, 0.0),
    };
    for index in 0..count as u32 {
        if let Some(center) = core.point(ConvexFeature::Vertex(index), &Vector3::zeros()) {
            visit(index, center, radius);
        }
    }
}

fn visit_balls<T: Scalar>(
    (a, X_WA): (&Shape<T>, &RigidTransform<f64>),
    b: &Placed<T>,
    (margin, is_exact): (f64, bool),
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let mut least = f64::INFINITY;
    visit_centers(a, X_WA, &mut |index, center, radius| {
        let q = b.X_WB.inverse_transform_point(&center);
        let reach = (radius + margin, is_exact);
        let to_others = b.field.visit_nearest(&q, reach, &mut |nearest| {
            let Nearest {
                feature,
                distance,
                room,
            } = nearest;
            let is_below = distance < 0.0 && !matches!(feature, FieldFeature::Face(_));
            let witness = Witness::HeightFieldPlane {
                feature,
                is_below,
                part: ConvexFeature::Vertex(index),
                quarter: 0,
                beyond: [false; 3],
            };
            least = least.min(0.5 * room);
            visit(witness, distance - radius);
        });
        least = least.min(0.5 * to_others);
    });
    least
}

/// The faces of the field that have the foot of a contact with their planes. Notes the deepest point.
fn visit_faces<T: Scalar>(
    (a, X_WA): (&Shape<T>, &RigidTransform<f64>),
    b: &Placed<T>,
    margin: f64,
    deepest: &mut Deepest,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let Some((low, high)) = footprint((a, X_WA), b, margin) else {
        return f64::INFINITY;
    };
    // The radius of a ball that rolls inside.
    let radius = match a {
        Shape::Ellipsoid { semi_axes } => {
            let semi_axes = semi_axes.map(|x| x.re());
            semi_axes.min().powi(2) / semi_axes.max()
        }
        _ => real(a, X_WA).half_width(),
    };
    let mut least = f64::INFINITY;
    for face in (b.field.window(low, high)).flat_map(|at| [2 * at as u32, 2 * at as u32 + 1]) {
        let Some(facet) = b.field.facet(face) else {
            continue;
        };
        let foot = &mut |contact: &ContactPoint<f64>| {
            let p = b.X_WB.inverse_transform_point(&contact.p_WCa);
            let depth = (b.field.height_at(p.x, p.y)).map_or(0.0, |height| height - p.z);
            deepest.offer(p, depth);
            // Through a ridge, or below a plane that goes on beyond its face, a point may be above the surface again.
            if depth < 0.0 && contact.penetration > 1e-9 * radius {
                return None;
            }
            let center = p + facet.normal * radius;
            if radius > contact.penetration {
                let foot = b.field.foot(face, &facet, &p, true);
                return foot.filter(|f| f.beyond.contains(&true) || !b.field.is_below(&center));
            }
            let out = way_out(b.field, &center).filter(|out| b.field.has(face, out.feature))?;
            Some(Foot::with_room(out.room))
        };
        least = least.min(visit_plane((a, X_WA), b, (face, margin), foot, visit));
    }
    least
}

/// The contacts of a shape with the plane of a face that have a foot on the field.
fn visit_plane<T: Scalar>(
    (a, X_WA): (&Shape<T>, &RigidTransform<f64>),
    b: &Placed<T>,
    (face, margin): (u32, f64),
    foot: &mut dyn FnMut(&ContactPoint<f64>) -> Option<Foot>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let feature = FieldFeature::Face(face);
    let (at, real) = (X_WA.translation, |x: &T| x.re());
    let Some(plane) = tangent_plane(b.field, b.X_WB, real, (feature, false), &at) else {
        return f64::INFINITY;
    };
    let (small, mut least) = (a.cast::<f64>(), f64::INFINITY);
    let mut found = |witness: Witness, distance: f64| {
        let contact = (distance < margin)
            .then(|| dispatch::contact_point(&witness, &small, X_WA, &Shape::HalfSpace, &plane))
            .flatten();
        if let (Some(contact), Some((part, quarter))) = (contact, part_on_plane(&witness))
            && let Some(Foot { room, beyond }) = foot(&contact)
        {
            least = least.min(0.5 * room);
            let witness = Witness::HeightFieldPlane {
                feature,
                is_below: false,
                part,
                quarter,
                beyond,
            };
            visit(witness, distance);
        }
    };
    let change =
        dispatch::visit_contact_features(a, X_WA, &Shape::HalfSpace, &plane, margin, &mut found);
    least.min(change.unwrap_or(f64::INFINITY))
}

/// Where a point below the surface is nearest.
fn way_out<T: Scalar>(field: &HeightField<T>, from: &Vector3<f64>) -> Option<Nearest> {
    let mut out = None;
    field.visit_nearest(from, (0.0, false), &mut |nearest| {
        out = (nearest.distance < 0.0).then_some(nearest);
    });
    out
}

/// The rectangle of the field that a shape with a core may touch.
pub(super) fn footprint<T: Scalar>(
    (a, X_WA): (&Shape<T>, &RigidTransform<f64>),
    b: &Placed<T>,
    margin: f64,
) -> Option<(Vector2<f64>, Vector2<f64>)> {
    let core = real(a, X_WA);
    let center = b.X_WB.inverse_transform_point(&X_WA.translation);
    let reach = |axis: usize, sign: f64| {
        let direction = b.X_WB.rotation.column(axis) * sign;
        let to = core.relative_support(&direction).1.dot(&direction);
        center[axis] + sign * (to + core.core_radius() + margin)
    };
    let depth = b.field.range()[1] - reach(2, -1.0);
    if depth <= 0.0 {
        return None;
    }
    let sides = |sign: f64| Vector2::new(reach(0, sign), reach(1, sign));
    let (low, high) = (sides(-1.0), sides(1.0));
    // What is below the surface may have its foot beside the shape.
    let way = Vector2::repeat(0.5 * depth.min((high - low).max()));
    Some((low - way, high + way))
}

/// The plane that is tangent to the field at a feature, with the outward normal for z. At an edge or a vertex it is
/// across the line to a point `q` in W, which is above or below the surface.
pub(crate) fn tangent_plane<U: Scalar, T: Scalar>(
    field: &HeightField<U>,
    X_WB: &RigidTransform<T>,
    to: fn(&U) -> T,
    (feature, is_below): (FieldFeature, bool),
    q: &Vector3<T>,
) -> Option<RigidTransform<T>> {
    let vertex = |index: usize| Some(X_WB.transform_point(&field.vertex_in(index, to)?));
    let at_face = |face: u32| {
        let [a, b, c] = field.face(face)?;
        let (a, b, c) = (vertex(a)?, vertex(b)?, vertex(c)?);
        Some((a, rotation::unit(&(b - a).cross(&(c - a)))))
    };
    let (origin, normal) = match feature {
        FieldFeature::Face(face) => at_face(face)?,
        _ => {
            let nearest = match feature {
                FieldFeature::Edge(edge) => {
                    let [from, end] = field.edge(edge)?;
                    let (from, end) = (vertex(from)?, vertex(end)?);
                    let along = end - from;
                    let t = along.dot(&(q - from)).div_lifted(along.dot(&along));
                    from + along * t
                }
                FieldFeature::Vertex(index) => vertex(index as usize)?,
                FieldFeature::Face(_) => return None,
            };
            let away = if is_below { nearest - q } else { q - nearest };
            let (_, beside) = at_face(field.face_at(feature)?)?;
            (nearest, length_and_direction(&away, || beside).1)
        }
    };
    Some(RigidTransform::new(rotation::frame_about(&normal), origin))
}

/// The contact that a witness names; `None` if the shapes do not have its features.
pub(super) fn contact_point<T: Scalar>(
    witness: &Witness,
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    field: &HeightField<T>,
    X_WB: &RigidTransform<T>,
) -> Option<ContactPoint<T>> {
    match *witness {
        Witness::HeightFieldPlane {
            feature,
            is_below,
            part,
            quarter,
            beyond,
        } => {
            let center = match part {
                ConvexFeature::Vertex(_) => core(a, X_WA).point(part, &Vector3::zeros())?,
                _ => X_WA.translation,
            };
            let plane = tangent_plane(field, X_WB, |x| *x, (feature, is_below), &center)?;
            let witness = witness_on_plane(a.kind(), part, quarter)?;
            let mut contact =
                dispatch::contact_point(&witness, a, X_WA, &Shape::HalfSpace, &plane)?;
            if let FieldFeature::Face(face) = feature {
                let at = X_WB.inverse_transform_point(&contact.p_WCa);
                contact.weight *= height_field_crease::weight(field, face, beyond, &at)?;
            }
            Some(contact)
        }
        Witness::HeightFieldEdge {
            edge,
            end,
            part,
            corner,
        } => {
            let on_edge = (edge, end);
            height_field_edges::contact_point(on_edge, (part, corner), (a, X_WA), field, X_WB)
        }
        _ => None,
    }
}

/// The signed distance.
pub(super) fn signed_distance<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    field: &HeightField<T>,
    X_WB: &RigidTransform<T>,
) -> Option<T> {
    let (real_A, real_B) = (X_WA.cast(), X_WB.cast());
    let b = Placed {
        field,
        X_WB: &real_B,
    };
    let from = (real_A.translation - real_B.translation).norm();
    let size = a.extent().max(field.spacing().map(|x| x.re()).min());
    let all = (2.0 * (from + field.extent()) + size).min(f64::MAX / 8.0);
    let mut margin = size;
    loop {
        let mut nearest = (margin, None);
        let mut found = |witness, distance| {
            // Above a crease, the plane of a face that goes on beyond it may be nearer than the surface.
            let goes_on = matches!(witness, Witness::HeightFieldPlane { beyond, .. } if beyond.contains(&true));
            if distance < nearest.0 && !(goes_on && distance > 0.0) {
                nearest = (distance, Some(witness));
            }
        };
        visit_all((a, &real_A), &b, (margin, true), &mut found);
        // Where a flat part lies on an edge that is not nearest to the shape by itself.
        visit_all((a, &real_A), &b, (margin, false), &mut found);
        if let Some(witness) = nearest.1 {
            return Some(-contact_point(&witness, a, X_WA, field, X_WB)?.penetration);
        }
        if margin > all {
            return None;
        }
        margin *= 4.0;
    }
}

/// The parts of a rim or a surface that a contact with a plane names.
fn part_on_plane(witness: &Witness) -> Option<(ConvexFeature, u8)> {
    match *witness {
        Witness::CylinderHalfSpace { end, quarter } => Some((ConvexFeature::Rim(end), quarter)),
        Witness::EllipsoidHalfSpace => Some((ConvexFeature::Surface, 0)),
        _ => None,
    }
}

/// The contact of a part of a shape with a half space.
pub(crate) fn witness_on_plane(
    kind: ShapeKind,
    part: ConvexFeature,
    quarter: u8,
) -> Option<Witness> {
    Some(match (kind, part) {
        (ShapeKind::Sphere, ConvexFeature::Vertex(0)) => Witness::SphereHalfSpace,
        (ShapeKind::Capsule, ConvexFeature::Vertex(end @ 0..2)) => {
            Witness::CapsuleHalfSpace(End::ALL[end as usize])
        }
        (ShapeKind::Cylinder, ConvexFeature::Rim(end)) => {
            Witness::CylinderHalfSpace { end, quarter }
        }
        (ShapeKind::Box, ConvexFeature::Vertex(index @ 0..8)) => {
            Witness::BoxHalfSpace(box_vertex(index))
        }
        (ShapeKind::Ellipsoid, ConvexFeature::Surface) => Witness::EllipsoidHalfSpace,
        (ShapeKind::Convex, ConvexFeature::Vertex(index)) => {
            Witness::ConvexHalfSpace(index as usize)
        }
        (ShapeKind::Points, ConvexFeature::Vertex(index)) => {
            Witness::PointsHalfSpace(index as usize)
        }
        _ => return None,
    })
}
