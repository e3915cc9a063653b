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
use super::separating_axis::{FaceAxis, separating_axes};
use super::{box_box_edges, sphere_box};
use crate::Scalar;

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
    let (face, edge) = separating_axes(a, b);
    let edge = edge.filter(|edge| edge.separation > face.separation);
    let separation = edge.map_or(face.separation, |edge| edge.separation);
    if separation > 0.0 {
        nearest_features_apart(&face, a, b)
    } else if let Some(edge) = edge {
        Nearest::Edges(edge.edges)
    } else {
        deepest_vertex(&face, a, b)
    }
}

fn deepest_vertex(face: &FaceAxis, a: &PlacedBox<f64>, b: &PlacedBox<f64>) -> Nearest {
    let (reference, incident) = face.order(a, b);
    let normal = reference.outward(face.face);
    let vertex = [0, 1, 2].map(|axis| -sign(incident.axis(axis).dot(&normal)));
    Nearest::Vertex {
        of_first: !face.first_is_reference,
        vertex: BoxFeature::new(vertex),
        feature: face.face,
    }
}

fn nearest_features_apart(face: &FaceAxis, a: &PlacedBox<f64>, b: &PlacedBox<f64>) -> Nearest {
    let mut best = (f64::INFINITY, deepest_vertex(face, a, b));
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
