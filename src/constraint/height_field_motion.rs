//! Rates of the contact points and normals of shapes on height fields.
//!
//! The contacts of [`height_field_contact`](crate::geometry::height_field_contact) with their rates. Faces are planes that
//! move with the field, its edges capsules; at an edge or a vertex the plane turns with the line to the centre of the ball.

use super::contact_motion::{MovingContact, MovingShape, moving_contact};
use super::moving_vector::{MovingFrame, MovingVector};
use crate::Scalar;
use crate::geometry::convex_core::core;
use crate::geometry::height_field_contact::{tangent_plane, witness_on_plane};
use crate::geometry::height_field_edges::{segment, thin_capsule, witness_on_edge};
use crate::geometry::{ConvexFeature, FieldFeature, HeightField, Shape, Witness};
use crate::math::RigidTransform;
use nalgebra::Vector3;

fn placed<T: Scalar>(frame: &MovingFrame<T>, pose: RigidTransform<T>) -> MovingFrame<T> {
    MovingFrame {
        rotation: pose.rotation,
        origin: frame.carried(&pose.translation),
        ..*frame
    }
}

/// The contact that a witness names.
pub(super) fn field_contact<T: Scalar>(
    witness: Witness,
    a: MovingShape<'_, T>,
    (field, b): (&HeightField<T>, MovingFrame<T>),
) -> Option<MovingContact<T>> {
    let pose_b = b.pose();
    match witness {
        Witness::HeightFieldPlane {
            feature: feature @ FieldFeature::Face(_),
            is_below,
            part,
            quarter,
            ..
        } => {
            let (at, touching) = (Vector3::zeros(), (feature, is_below));
            let plane = tangent_plane(field, &pose_b, |x| *x, touching, &at)?;
            let witness = witness_on_plane(a.0.kind(), part, quarter)?;
            moving_contact(witness, a, (&Shape::HalfSpace, placed(&b, plane)))
        }
        Witness::HeightFieldPlane {
            feature,
            is_below,
            part,
            ..
        } => {
            let (center, radius) = ball(a, part)?;
            let nearest = nearest_on(feature, center, (field, &pose_b, &b))?;
            let face = FieldFeature::Face(field.face_at(feature)?);
            let plane = tangent_plane(field, &pose_b, |x| *x, (face, false), &center.at)?;
            let beside = placed(&b, plane).axis(2);
            let between = center - nearest;
            let away = if is_below { -between } else { between };
            let normal = away.length_and_direction(&beside).1;
            Some(MovingContact::of_ball(
                (center, radius),
                normal,
                normal.dot(&between),
            ))
        }
        Witness::HeightFieldEdge {
            edge,
            end,
            part,
            corner,
        } => {
            let (length, pose) = segment(field, &pose_b, |x| *x, edge)?;
            let line = (&thin_capsule(length), placed(&b, pose));
            moving_contact(witness_on_edge(part, end, corner), line, a).map(MovingContact::swapped)
        }
        _ => None,
    }
}

/// A part of a shape that is a ball, or a point.
fn ball<T: Scalar>(
    (shape, frame): MovingShape<'_, T>,
    part: ConvexFeature,
) -> Option<(MovingVector<T>, T)> {
    let pose = frame.pose();
    let core = core(shape, &pose);
    let center = core.point(part, &Vector3::zeros())?;
    Some((frame.carried(&center), core.radius(part)))
}

/// The point of an edge or a vertex of the field that is nearest to a point.
fn nearest_on<T: Scalar>(
    feature: FieldFeature,
    point: MovingVector<T>,
    (field, pose_b, b): (&HeightField<T>, &RigidTransform<T>, &MovingFrame<T>),
) -> Option<MovingVector<T>> {
    let vertex = |index: usize| {
        let p = field.vertex_in(index, |x| *x)?;
        Some(b.carried(&pose_b.transform_point(&p)))
    };
    match feature {
        FieldFeature::Edge(edge) => {
            let [from, end] = field.edge(edge)?;
            let (from, end) = (vertex(from)?, vertex(end)?);
            let along = end - from;
            Some(from + along * (along.dot(&(point - from)) / along.dot(&along)))
        }
        FieldFeature::Vertex(index) => vertex(index as usize),
        FieldFeature::Face(_) => None,
    }
}
