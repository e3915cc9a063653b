//! Signed distance of two boxes.
//!
//! - Boxes that overlap: the largest separation among the 15 axes of the
//!   [separating axis test](super::separating_axis), the negative of the penetration depth. Along a
//!   face normal it is the height of the lowest vertex of the other box, along a cross product that of
//!   the edges.
//! - Boxes that are apart: the distance of their nearest features, which are a vertex of one and any
//!   feature of the other, as for a [sphere](super::sphere_box) without radius, or two edges.
//!
//! Exact in both cases. Where several features are equally near, the first of them counts, so that at
//! such a kink the derivative is one of the one-sided derivatives.

use super::feature::{BoxFeature, sign};
use super::placed_box::PlacedBox;
use super::separating_axis::{Axis, Separation, face_along, separation, supporting_edges};
use super::{box_box_edges, sphere_box};
use crate::Scalar;
use nalgebra::Vector3;

/// The features that determine the distance.
enum Nearest {
    /// A vertex of the first box and any feature of the second, or the other way round.
    Vertex {
        of_first: bool,
        vertex: BoxFeature,
        feature: BoxFeature,
    },
    Edges((BoxFeature, BoxFeature)),
}

/// The signed distance of two boxes.
pub(super) fn signed_distance<T: Scalar>(a: &PlacedBox<T>, b: &PlacedBox<T>) -> T {
    let (size_a, pose_a) = (a.size.map(|x| x.re()), a.pose.cast());
    let (size_b, pose_b) = (b.size.map(|x| x.re()), b.pose.cast());
    let nearest = nearest_features(
        &PlacedBox::new(&size_a, &pose_a),
        &PlacedBox::new(&size_b, &pose_b),
    );
    match nearest {
        Nearest::Vertex {
            of_first,
            vertex,
            feature,
        } => {
            let (from, to) = if of_first { (a, b) } else { (b, a) };
            let point = from.center(vertex);
            let contact = sphere_box::contact_point(feature, T::zero(), &point, to.size, to.pose);
            -contact.penetration
        }
        Nearest::Edges(edges) => -box_box_edges::contact_point(edges, a, b).penetration,
    }
}

fn nearest_features(a: &PlacedBox<f64>, b: &PlacedBox<f64>) -> Nearest {
    let mut best: Option<(Axis, Separation<f64>)> = None;
    for axis in Axis::all() {
        if let Some(separation) = separation(axis, a, b)
            && best.is_none_or(|(_, best)| separation.distance > best.distance)
        {
            best = Some((axis, separation));
        }
    }
    match best {
        Some((Axis::Edges(i, j), s)) if s.distance <= 0.0 => {
            Nearest::Edges(supporting_edges((i, j), &s.normal, a, b))
        }
        Some((axis, s)) if s.distance <= 0.0 => deepest_vertex(axis, &s.normal, a, b),
        _ => nearest_features_apart(a, b),
    }
}

/// The vertex deepest under the face of an axis.
fn deepest_vertex(
    axis: Axis,
    normal: &Vector3<f64>,
    a: &PlacedBox<f64>,
    b: &PlacedBox<f64>,
) -> Nearest {
    let vertex = |of: &PlacedBox<f64>, direction: Vector3<f64>| {
        BoxFeature::new([0, 1, 2].map(|k| sign(of.axis(k).dot(&direction))))
    };
    match axis {
        Axis::FaceOfFirst(k) => Nearest::Vertex {
            of_first: false,
            vertex: vertex(b, *normal),
            feature: face_along(a, k, &-normal),
        },
        Axis::FaceOfSecond(k) | Axis::Edges(_, k) => Nearest::Vertex {
            of_first: true,
            vertex: vertex(a, -normal),
            feature: face_along(b, k, normal),
        },
    }
}

fn nearest_features_apart(a: &PlacedBox<f64>, b: &PlacedBox<f64>) -> Nearest {
    let any = deepest_vertex(Axis::FaceOfFirst(0), &a.axis(0), a, b);
    let mut best = (f64::INFINITY, any);
    for of_first in [true, false] {
        let (from, to) = if of_first { (a, b) } else { (b, a) };
        for vertex in BoxFeature::vertices() {
            let point = from.center(vertex);
            let feature =
                sphere_box::nearest_feature(to.size, &to.pose.inverse_transform_point(&point));
            let contact = sphere_box::contact_point(feature, 0.0, &point, to.size, to.pose);
            if -contact.penetration < best.0 {
                let nearest = Nearest::Vertex {
                    of_first,
                    vertex,
                    feature,
                };
                best = (-contact.penetration, nearest);
            }
        }
    }
    for edge_a in BoxFeature::edges() {
        for edge_b in BoxFeature::edges() {
            if let Some(distance) = box_box_edges::distance_if_met((edge_a, edge_b), a, b)
                && distance.abs() < best.0
            {
                best = (distance.abs(), Nearest::Edges((edge_a, edge_b)));
            }
        }
    }
    best.1
}
