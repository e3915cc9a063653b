//! A flat part of a convex shape, and the corners of its outline.

use super::Shape;
use super::convex_core::{Constraint, Core};
use super::direction::length_and_direction;
use super::feature::{ConvexFeature, End};
use crate::Scalar;
use nalgebra::Vector3;

/// A flat part of a shape, or a side, and the shape.
pub(crate) struct Part<'a, 'b, U, T> {
    pub(crate) core: &'a Core<'b, U, T>,
    pub(crate) feature: ConvexFeature,
}

impl<U: Scalar, T: Scalar> Part<'_, '_, U, T> {
    pub(crate) fn count(&self) -> Option<usize> {
        Some(match (self.feature, self.core.shape) {
            (ConvexFeature::Face(_), Shape::Box { .. }) | (ConvexFeature::Cap(_), _) => 4,
            (ConvexFeature::Face(face), Shape::Convex { polyhedron }) => {
                polyhedron.faces().get(face as usize)?.len()
            }
            (ConvexFeature::Side, Shape::Cylinder { .. })
            | (ConvexFeature::Edge(..), Shape::Capsule { .. }) => 2,
            _ => return None,
        })
    }

    pub(crate) fn is_line(&self) -> bool {
        matches!(self.feature, ConvexFeature::Side | ConvexFeature::Edge(..))
    }

    /// A corner of the outline, counterclockwise from outside, in W. `n` is the normal of the reference.
    pub(crate) fn corner(&self, index: usize, n: &Vector3<T>) -> Option<Vector3<T>> {
        let core = self.core;
        match (self.feature, core.shape) {
            (ConvexFeature::Face(face), Shape::Box { .. }) => {
                let (axis, positive) = (face / 2, face % 2);
                let turn = if positive == 1 {
                    index % 4
                } else {
                    3 - index % 4
                };
                let [u, v] = [[0, 0], [1, 0], [1, 1], [0, 1]][turn];
                let vertex = positive << axis | u << ((axis + 1) % 3) | v << ((axis + 2) % 3);
                core.point(ConvexFeature::Vertex(vertex), n)
            }
            (ConvexFeature::Face(face), Shape::Convex { polyhedron }) => {
                let corners = polyhedron.faces().get(face as usize)?;
                let vertex = corners[index % corners.len()];
                core.point(ConvexFeature::Vertex(vertex as u32), n)
            }
            (ConvexFeature::Cap(end), Shape::Cylinder { radius, length }) => {
                let n = core.pose.rotation.tr_mul(n);
                let downhill = Vector3::new(-n.x, -n.y, T::zero());
                let (sine, mut u) = length_and_direction(&downhill, Vector3::x);
                if sine.re() < super::cylinder_half_space::STANDING {
                    u = Vector3::x();
                }
                let v = Vector3::new(-u.y, u.x, T::zero()) * T::from(end.sign());
                let turned = [u, v, -u, -v][index % 4];
                let mut p = turned * (core.to)(radius);
                p.z = (core.to)(length) * (0.5 * end.sign());
                Some(core.pose.transform_point(&p))
            }
            (ConvexFeature::Side, _) => core.point(ConvexFeature::Rim(End::ALL[index % 2]), &-n),
            (ConvexFeature::Edge(..), Shape::Capsule { radius, .. }) => {
                let center = core.point(ConvexFeature::Vertex((index % 2) as u32), n)?;
                Some(center - n * (core.to)(radius))
            }
            _ => None,
        }
    }

    pub(super) fn normal(&self) -> Option<Vector3<T>> {
        match self.core.constraint(self.feature)? {
            Constraint::Along(n) => Some(n),
            _ => None,
        }
    }
}
