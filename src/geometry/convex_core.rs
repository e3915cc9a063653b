//! Convex shapes as cores with a radius: support functions and normal cones of their features.
//!
//! | shape | core | radius |
//! |---|---|---|
//! | sphere | point | that of the sphere |
//! | capsule | segment | that of the capsule |
//! | box, convex polyhedron | the polyhedron | 0 |
//! | cylinder, ellipsoid | itself | 0 |
//!
//! The side of a cylinder counts as its axis with its radius.

use super::direction::length_and_direction;
use super::feature::{BoxFeature, ConvexFeature, End};
use super::{Shape, ShapeKind};
use crate::Scalar;
use crate::math::{RigidTransform, rotation};
use nalgebra::Vector3;

/// A shape at a pose in the scalar `T`, with dimensions in `U`.
pub(crate) struct Core<'a, U, T> {
    pub(crate) shape: &'a Shape<U>,
    pub(crate) pose: &'a RigidTransform<T>,
    /// Takes a dimension to the scalar of the pose.
    pub(crate) to: fn(&U) -> T,
}

impl<U, T> Clone for Core<'_, U, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<U, T> Copy for Core<'_, U, T> {}

/// A shape at a pose in its own scalar.
pub(crate) fn core<'a, T: Scalar>(
    shape: &'a Shape<T>,
    pose: &'a RigidTransform<T>,
) -> Core<'a, T, T> {
    let to = |x: &T| *x;
    Core { shape, pose, to }
}

/// A shape at a pose in `f64`.
pub(super) fn real<'a, U: Scalar>(
    shape: &'a Shape<U>,
    pose: &'a RigidTransform<f64>,
) -> Core<'a, U, f64> {
    let to = |x: &U| x.re();
    Core { shape, pose, to }
}

/// What a feature says of the normal of a contact.
pub(crate) enum Constraint<V> {
    /// Nothing.
    Free,
    /// It is perpendicular to a direction, of any length.
    Across(V),
    /// It is this unit vector, outward.
    Along(V),
}

/// Whether contacts of a shape can come by its support points.
pub(super) fn has_core(kind: ShapeKind) -> bool {
    use ShapeKind::{Box, Capsule, Convex, Cylinder, Ellipsoid, Sphere};
    matches!(kind, Sphere | Capsule | Cylinder | Box | Ellipsoid | Convex)
}

/// The vertex of a box whose position in this list of bits is set along positive axes.
pub(super) fn box_vertex(index: u32) -> BoxFeature {
    BoxFeature::new([0, 1, 2].map(|axis| if index >> axis & 1 == 0 { -1 } else { 1 }))
}

fn box_face(index: u32) -> BoxFeature {
    let sign = if index.is_multiple_of(2) { -1 } else { 1 };
    BoxFeature::face((index / 2) as usize, sign)
}

impl<U: Scalar, T: Scalar> Core<'_, U, T> {
    /// The radius around the core at a feature.
    pub(crate) fn radius(&self, feature: ConvexFeature) -> T {
        match (self.shape, feature) {
            (Shape::Sphere { radius } | Shape::Capsule { radius, .. }, _)
            | (Shape::Cylinder { radius, .. }, ConvexFeature::Side) => (self.to)(radius),
            _ => T::zero(),
        }
    }

    /// The radius of the cap of a cylinder; `None` of other features.
    pub(crate) fn disk_radius(&self, feature: ConvexFeature) -> Option<T> {
        match (self.shape, feature) {
            (Shape::Cylinder { radius, .. }, ConvexFeature::Cap(_)) => Some((self.to)(radius)),
            _ => None,
        }
    }

    /// A vertex of the core, in W.
    pub(super) fn vertex(&self, index: u32) -> Option<Vector3<T>> {
        let p = match self.shape {
            Shape::Sphere { .. } if index == 0 => Vector3::zeros(),
            Shape::Capsule { length, .. } if index < 2 => {
                let sign = f64::from(index) - 0.5;
                Vector3::new(T::zero(), T::zero(), (self.to)(length) * sign)
            }
            Shape::Box { size } if index < 8 => {
                box_vertex(index).center(&size.map(|x| (self.to)(&x)))
            }
            Shape::Convex { polyhedron } => {
                let vertex = polyhedron.vertices().get(usize::try_from(index).ok()?)?;
                vertex.map(|x| (self.to)(&x))
            }
            Shape::Points { points } => {
                let point = points.get(usize::try_from(index).ok()?)?;
                point.map(|x| (self.to)(&x))
            }
            _ => return None,
        };
        Some(self.pose.transform_point(&p))
    }

    /// The point of the core at a feature of which the outward normal is `n`, in W; of an edge or a face
    /// some point. `None` if the shape has no such feature.
    pub(crate) fn point(&self, feature: ConvexFeature, n: &Vector3<T>) -> Option<Vector3<T>> {
        let local = match (feature, self.shape) {
            (ConvexFeature::Vertex(i) | ConvexFeature::Edge(i, _), _) => return self.vertex(i),
            (ConvexFeature::Face(face), Shape::Box { size }) if face < 6 => {
                box_face(face).center(&size.map(|x| (self.to)(&x)))
            }
            (ConvexFeature::Face(face), Shape::Convex { polyhedron }) => {
                let corners = polyhedron.faces().get(usize::try_from(face).ok()?)?;
                return self.vertex(u32::try_from(corners[0]).ok()?);
            }
            (ConvexFeature::Side, Shape::Cylinder { .. }) => Vector3::zeros(),
            (ConvexFeature::Cap(end), Shape::Cylinder { length, .. }) => {
                Vector3::z() * ((self.to)(length) * (0.5 * end.sign()))
            }
            (ConvexFeature::Rim(end), Shape::Cylinder { radius, length }) => {
                let n = self.pose.rotation.tr_mul(n);
                let across = Vector3::new(n.x, n.y, T::zero());
                let (_, direction) = length_and_direction(&across, Vector3::x);
                let mut p = direction * (self.to)(radius);
                p.z = (self.to)(length) * (0.5 * end.sign());
                p
            }
            (ConvexFeature::Surface, Shape::Ellipsoid { semi_axes }) => {
                let d = semi_axes.map(|x| (self.to)(&x));
                let scaled = d.component_mul(&self.pose.rotation.tr_mul(n));
                let (_, direction) = length_and_direction(&scaled, Vector3::x);
                d.component_mul(&direction)
            }
            _ => return None,
        };
        Some(self.pose.transform_point(&local))
    }

    /// The ends of an edge, or of the axis of the side of a cylinder, in W.
    pub(crate) fn ends(&self, feature: ConvexFeature) -> Option<[Vector3<T>; 2]> {
        match (feature, self.shape) {
            (ConvexFeature::Edge(i, j), _) => Some([self.vertex(i)?, self.vertex(j)?]),
            (ConvexFeature::Side, Shape::Cylinder { .. }) => {
                let end = |end| self.point(ConvexFeature::Cap(end), &Vector3::zeros());
                Some([end(End::Lower)?, end(End::Upper)?])
            }
            _ => None,
        }
    }

    /// What a feature says of the normal; `None` if the shape has no such feature.
    pub(crate) fn constraint(&self, feature: ConvexFeature) -> Option<Constraint<Vector3<T>>> {
        Some(match feature {
            ConvexFeature::Vertex(_) | ConvexFeature::Rim(_) | ConvexFeature::Surface => {
                Constraint::Free
            }
            ConvexFeature::Edge(..) | ConvexFeature::Side => {
                let [from, to] = self.ends(feature)?;
                Constraint::Across(to - from)
            }
            ConvexFeature::Cap(end) => {
                Constraint::Along(self.pose.rotation.column(2) * T::from(end.sign()))
            }
            ConvexFeature::Face(face) => Constraint::Along(match self.shape {
                Shape::Box { .. } if face < 6 => self.pose.rotation * box_face(face).outward(),
                Shape::Convex { polyhedron } => {
                    let face = usize::try_from(face).ok()?;
                    let corners = polyhedron.faces().get(face)?;
                    let vertices = polyhedron.vertices();
                    let at = |k: usize| vertices[corners[k % corners.len()]].map(|x| (self.to)(&x));
                    // Newell's normal.
                    let turns =
                        (1..corners.len() - 1).map(|k| (at(k) - at(0)).cross(&(at(k + 1) - at(0))));
                    let normal = turns.fold(Vector3::zeros(), |sum, turn| sum + turn);
                    self.pose.rotation * rotation::unit(&normal)
                }
                _ => return None,
            }),
        })
    }

    /// Some point inside the shape, in W.
    pub(super) fn center(&self) -> Vector3<f64> {
        let mut local = Vector3::zeros();
        if let Shape::Convex { polyhedron } = self.shape {
            let vertices = polyhedron.vertices();
            local = vertices
                .iter()
                .map(|p| p.map(|x| x.re()))
                .sum::<Vector3<f64>>();
            local /= vertices.len() as f64;
        }
        self.pose.cast().transform_point(&local)
    }
}

impl<U: Scalar> Core<'_, U, f64> {
    /// The vertex of the core (0 for one without) that is furthest along a direction in W, and where it
    /// is from the origin of the shape, in W.
    pub(super) fn relative_support(&self, direction: &Vector3<f64>) -> (u32, Vector3<f64>) {
        let d = self.pose.rotation.tr_mul(direction);
        let (index, p) = match self.shape {
            Shape::Capsule { length, .. } => {
                let index = u32::from(d.z > 0.0);
                let z = length.re() * (f64::from(index) - 0.5);
                (index, Vector3::new(0.0, 0.0, z))
            }
            Shape::Cylinder { radius, length } => {
                let across = d.x.hypot(d.y);
                let scale = if across > 0.0 {
                    radius.re() / across
                } else {
                    0.0
                };
                let z = 0.5 * length.re() * if d.z < 0.0 { -1.0 } else { 1.0 };
                (0, Vector3::new(d.x * scale, d.y * scale, z))
            }
            Shape::Box { size } => {
                let bit = |axis: usize| u32::from(d[axis] > 0.0) << axis;
                let index = bit(0) | bit(1) | bit(2);
                (index, box_vertex(index).center(&size.map(|x| x.re())))
            }
            Shape::Ellipsoid { semi_axes } => {
                let semi_axes = semi_axes.map(|x| x.re());
                let scaled = semi_axes.component_mul(&d);
                let length = scaled.norm().max(f64::MIN_POSITIVE);
                (0, semi_axes.component_mul(&scaled) / length)
            }
            Shape::Convex { polyhedron } => {
                let mut best = (0, f64::NEG_INFINITY);
                for (index, p) in polyhedron.vertices().iter().enumerate() {
                    let along = p.x.re() * d.x + p.y.re() * d.y + p.z.re() * d.z;
                    if along > best.1 {
                        best = (index, along);
                    }
                }
                (best.0 as u32, polyhedron.vertices()[best.0].map(|x| x.re()))
            }
            _ => (0, Vector3::zeros()),
        };
        (index, self.pose.rotation * p)
    }

    /// Whether a point in W belongs to the shape, to within a tolerance in metres.
    pub(super) fn contains(&self, p_W: &Vector3<f64>, tolerance: f64) -> bool {
        let p = self.pose.inverse_transform_point(p_W);
        let beyond = match self.shape {
            Shape::Sphere { radius } => p.norm() - radius.re(),
            Shape::Capsule { radius, length } => {
                let half = 0.5 * length.re();
                let z = p.z - p.z.clamp(-half, half);
                Vector3::new(p.x, p.y, z).norm() - radius.re()
            }
            Shape::Cylinder { radius, length } => {
                f64::max(p.x.hypot(p.y) - radius.re(), p.z.abs() - 0.5 * length.re())
            }
            Shape::Box { size } => (p.abs() - size.map(|x| 0.5 * x.re())).max(),
            Shape::Ellipsoid { semi_axes } => {
                let semi_axes = semi_axes.map(|x| x.re());
                (p.component_div(&semi_axes).norm() - 1.0) * semi_axes.min()
            }
            Shape::Convex { polyhedron } => (0..polyhedron.faces().len())
                .map(|face| {
                    let (normal, foot) = polyhedron.face_plane(face);
                    let (normal, foot) = (normal.map(|x| x.re()), foot.map(|x| x.re()));
                    normal.normalize().dot(&(p - foot))
                })
                .fold(f64::NEG_INFINITY, f64::max),
            _ => return false,
        };
        beyond <= tolerance
    }

    /// Calls `visit` with the faces that have one of the vertices, and the edges between them.
    pub(super) fn visit_features(&self, of: &[u32], visit: &mut dyn FnMut(ConvexFeature)) {
        let pairs = || {
            let pair =
                |(at, &i): (usize, &u32)| of[at + 1..].iter().map(move |&j| (i.min(j), i.max(j)));
            of.iter().enumerate().flat_map(pair)
        };
        match self.shape {
            Shape::Capsule { .. } => pairs().for_each(|(i, j)| visit(ConvexFeature::Edge(i, j))),
            Shape::Box { .. } => {
                for face in 0..6 {
                    let has = |i: &u32| i >> (face / 2) & 1 == face % 2;
                    if of.iter().any(has) {
                        visit(ConvexFeature::Face(face));
                    }
                }
                let edges = pairs().filter(|(i, j)| (i ^ j).count_ones() == 1);
                edges.for_each(|(i, j)| visit(ConvexFeature::Edge(i, j)));
            }
            Shape::Convex { polyhedron } => {
                for (index, corners) in polyhedron.faces().iter().enumerate() {
                    if !corners.iter().any(|i| of.contains(&(*i as u32))) {
                        continue;
                    }
                    visit(ConvexFeature::Face(index as u32));
                    for (k, &i) in corners.iter().enumerate() {
                        let j = corners[(k + 1) % corners.len()];
                        // Each edge is in two faces, once in either direction.
                        if i < j && of.contains(&(i as u32)) && of.contains(&(j as u32)) {
                            visit(ConvexFeature::Edge(i as u32, j as u32));
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Calls `visit` with the vertices of a face.
    pub(super) fn visit_corners(&self, face: ConvexFeature, visit: &mut dyn FnMut(u32)) {
        match (face, self.shape) {
            (ConvexFeature::Face(face), Shape::Box { .. }) => {
                (0..8)
                    .filter(|i| i >> (face / 2) & 1 == face % 2)
                    .for_each(visit);
            }
            (ConvexFeature::Face(face), Shape::Convex { polyhedron }) => {
                let corners = &polyhedron.faces()[face as usize];
                corners.iter().for_each(|&i| visit(i as u32));
            }
            _ => {}
        }
    }

    /// About half the least width of the shape.
    pub(super) fn half_width(&self) -> f64 {
        match self.shape {
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => radius.re(),
            Shape::Cylinder { radius, length } => radius.re().min(0.5 * length.re()),
            Shape::Box { size } => 0.5 * size.map(|x| x.re()).min(),
            Shape::Ellipsoid { semi_axes } => semi_axes.map(|x| x.re()).min(),
            Shape::Convex { polyhedron } => 0.05 * polyhedron.diagonal(),
            _ => 0.0,
        }
    }

    /// The radius around the whole core.
    pub(super) fn core_radius(&self) -> f64 {
        self.radius(ConvexFeature::Vertex(0))
    }

    /// The feature without a constraint on the normal that is furthest along a direction.
    pub(super) fn free_feature(&self, direction: &Vector3<f64>) -> ConvexFeature {
        match self.shape {
            Shape::Cylinder { .. } => ConvexFeature::Rim(self.end(direction)),
            Shape::Ellipsoid { .. } => ConvexFeature::Surface,
            _ => ConvexFeature::Vertex(self.relative_support(direction).0),
        }
    }

    /// The end of a shape along z that is further along a direction.
    pub(super) fn end(&self, direction: &Vector3<f64>) -> End {
        if self.pose.rotation.column(2).dot(direction) < 0.0 {
            End::Lower
        } else {
            End::Upper
        }
    }
}
