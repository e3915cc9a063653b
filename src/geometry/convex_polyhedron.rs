//! Convex polyhedra.

use super::convex_faces::faces;
use super::convex_hull::convex_hull;
use crate::math::SpatialInertia;
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::{FRAC_2_PI, TAU};
use std::sync::Arc;

/// What a vertex may be in front of a face of which the vertices have been moved, relative to the size.
const CONVEX: f64 = 1e-2;

/// A convex polyhedron: the convex hull of points.
///
/// Vertices are numbers of the scalar `T`, in metres: contacts are differentiable with respect to them.
/// Which vertices make a face is decided when the polyhedron is made; faces are plane to within 4·10⁻⁶ of
/// the largest extent, and points that are less than 10⁻⁶ of it outside the others are left out.
///
/// ```
/// use dualbody::geometry::ConvexPolyhedron;
/// use nalgebra::Vector3;
///
/// // The corners of a cube, its centre, and the middle of an edge.
/// let mut points = vec![Vector3::zeros(), Vector3::new(0.5, 0.5, 0.0)];
/// for i in 0..8 {
///     points.push(Vector3::from_fn(|k, _| if i >> k & 1 == 0 { -0.5 } else { 0.5 }));
/// }
/// let cube = ConvexPolyhedron::hull_of(&points)?;
/// assert_eq!((cube.vertices().len(), cube.faces().len()), (8, 6));
/// assert!((cube.volume() - 1.0_f64).abs() < 1e-15);
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexPolyhedron<T> {
    vertices: Vec<Vector3<T>>,
    surface: Arc<Surface>,
}

/// The band above a face whose vertices share its contact, relative to the diagonal.
const BAND: f64 = 2.5e-3;

/// What does not depend on where exactly the vertices are.
#[derive(Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Surface {
    /// Vertices of each face, counterclockwise from outside.
    faces: Vec<Vec<usize>>,
    /// For each vertex, the weight of its contact with a half space.
    weights: Vec<f64>,
    /// The diagonal of the box around the vertices, in metres.
    diagonal: f64,
}

impl<T: Scalar> ConvexPolyhedron<T> {
    /// The convex hull of points.
    ///
    /// # Errors
    /// [`InvalidInput`] for coordinates that are not finite, and for points that lie in a plane to
    /// within 10⁻⁶ of their largest extent.
    pub fn hull_of(points: &[Vector3<T>]) -> Result<Self, InvalidInput> {
        Ok(Self::simplified_hull_of(points, usize::MAX)?.0)
    }

    /// The convex hull of those at most `max_vertices` points that come nearest to the hull of all (each
    /// is the one furthest outside those before it), and how far outside of it the others are at most, in
    /// metres.
    ///
    /// # Errors
    /// As [`Self::hull_of`], and for fewer than 4 vertices.
    pub fn simplified_hull_of(
        points: &[Vector3<T>],
        max_vertices: usize,
    ) -> Result<(Self, f64), InvalidInput> {
        check_finite(points)?;
        let allowed = max_vertices as f64;
        InvalidInput::check_range("number of vertices", &[allowed], "at least 4", |n| n >= 4.0)?;
        let real: Vec<Vector3<f64>> = points.iter().map(|p| p.map(|x| x.re())).collect();
        let size = real.iter().fold(0.0, |size: f64, p| size.max(p.amax()));
        InvalidInput::check_range("size of the points", &[size], "0 … 1e100 m", |x| {
            x < 1e100
        })?;
        // A power of two, so that no coordinate is rounded.
        let unit = size.max(f64::MIN_POSITIVE).log2().floor().exp2();
        let scaled: Vec<Vector3<f64>> = real.iter().map(|p| p / unit).collect();
        let hull =
            convex_hull(&scaled, max_vertices).map_err(|thickness| InvalidInput::OutOfRange {
                quantity: "thickness of the points",
                index: None,
                value: thickness * unit,
                expected: "points that enclose a volume",
            })?;
        let mut faces = faces(&scaled, &hull.triangles);
        let mut vertices: Vec<usize> = faces.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        for vertex in faces.iter_mut().flatten() {
            *vertex = vertices.binary_search(vertex).unwrap_or(0);
        }
        let real: Vec<_> = vertices.iter().map(|&i| real[i]).collect();
        let diagonal = diagonal(&real);
        let polyhedron = ConvexPolyhedron {
            vertices: vertices.iter().map(|&i| points[i]).collect(),
            surface: Arc::new(Surface {
                weights: weights(&real, &faces, BAND * diagonal),
                diagonal,
                faces,
            }),
        };
        Ok((polyhedron, hull.deviation * unit))
    }

    /// The vertices, in the order of the points that they come from.
    pub fn vertices(&self) -> &[Vector3<T>] {
        &self.vertices
    }

    pub(super) fn vertices_mut(&mut self) -> &mut [Vector3<T>] {
        &mut self.vertices
    }

    /// The faces: positions of their vertices, counterclockwise as seen from outside.
    pub fn faces(&self) -> &[Vec<usize>] {
        &self.surface.faces
    }

    /// For each vertex the weight of its contact with a [half space](super::convex_half_space).
    pub(super) fn weights(&self) -> &[f64] {
        &self.surface.weights
    }

    /// The diagonal of the box around the vertices at the time when the hull was taken, in metres.
    pub(super) fn diagonal(&self) -> f64 {
        self.surface.diagonal
    }

    /// The largest distance of a vertex from the origin, in metres.
    pub fn extent(&self) -> f64 {
        let norms = self.vertices.iter().map(|p| p.map(|x| x.re()).norm());
        norms.fold(0.0, f64::max)
    }

    /// The least width across a face, in metres.
    pub(super) fn thickness(&self) -> f64 {
        let widths = (0..self.faces().len()).map(|face| {
            let (normal, foot) = self.face_plane(face);
            let normal = normal.map(|x| x.re()).normalize();
            let depths = (self.vertices.iter()).map(|v| normal.dot(&(foot - v).map(|x| x.re())));
            depths.fold(0.0, f64::max)
        });
        widths.fold(f64::INFINITY, f64::min)
    }

    /// The outward normal of a face, of the length of twice its area (the sum of the cross products of successive
    /// vertices, Newell's method), and the mean of its vertices.
    pub(super) fn face_plane(&self, face: usize) -> (Vector3<T>, Vector3<T>) {
        let corners = &self.surface.faces[face];
        let foot = self.vertices[corners[0]];
        let (mut normal, mut middle) = (Vector3::zeros(), Vector3::zeros());
        for (k, &i) in corners.iter().enumerate() {
            let j = corners[(k + 1) % corners.len()];
            normal += (self.vertices[i] - foot).cross(&(self.vertices[j] - foot));
            middle += self.vertices[i];
        }
        let count = T::from(corners.len() as f64);
        (normal, middle.map(|x| x.div_lifted(count)))
    }

    /// The volume in m³.
    pub fn volume(&self) -> T {
        self.solid_inertia(T::one()).1
    }

    /// The inertia of the polyhedron filled with a mass, and its volume.
    ///
    /// Sums over the tetrahedra between a fixed point and the triangles of each face: with edges a, b, c
    /// from that point and `s = a + b + c`, the volume is `V = a · (b × c)/6`, the first moment `V s/4` and
    /// the second `V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20`.
    pub(super) fn solid_inertia(&self, mass: T) -> (SpatialInertia<T>, T) {
        let from = self.vertices[0];
        let (mut volume, mut first, mut second) = (T::zero(), Vector3::zeros(), Matrix3::zeros());
        for corners in &self.surface.faces {
            for pair in corners[1..].windows(2) {
                let [a, b, c] = [corners[0], pair[0], pair[1]].map(|i| self.vertices[i] - from);
                let v = a.dot(&b.cross(&c)) / 6.0;
                let s = a + b + c;
                volume += v;
                first += s * (v * 0.25);
                for r in [a, b, c, s] {
                    second += r * r.transpose() * (v * 0.05);
                }
            }
        }
        let center = first / volume;
        let moments = (second - center * center.transpose() * volume) * (mass / volume);
        let inertia = SpatialInertia {
            mass,
            center_of_mass: from + center,
            rotational_inertia: Matrix3::from_diagonal_element(moments.trace()) - moments,
        };
        (inertia, volume)
    }

    /// Checks that the vertices are finite, and that the faces are still those of a convex polyhedron to
    /// within a hundredth of its size, after vertices have been moved.
    pub(super) fn validate(&self) -> Result<(), InvalidInput> {
        check_finite(&self.vertices)?;
        let real: Vec<_> = self.vertices.iter().map(|p| p.map(|x| x.re())).collect();
        let size = diagonal(&real);
        for face in 0..self.surface.faces.len() {
            let (normal, middle) = self.face_plane(face);
            let (normal, middle) = (normal.map(|x| x.re()), middle.map(|x| x.re()));
            let normal = normal / normal.norm().max(f64::MIN_POSITIVE);
            for (index, p) in real.iter().enumerate() {
                let height = normal.dot(&(p - middle));
                if height > CONVEX * size {
                    return Err(InvalidInput::OutOfRange {
                        quantity: "height of a vertex above a face",
                        index: Some(index),
                        value: height,
                        expected: "vertices that are moved little: take the hull again",
                    });
                }
            }
        }
        Ok(())
    }

    /// The same polyhedron in another scalar; only real parts are carried over.
    pub(super) fn cast<U: Scalar>(&self) -> ConvexPolyhedron<U> {
        let vertices = self.vertices.iter().map(|p| p.map(|x| U::from(x.re())));
        ConvexPolyhedron {
            vertices: vertices.collect(),
            surface: self.surface.clone(),
        }
    }
}

pub(super) fn check_finite<T: Scalar>(points: &[Vector3<T>]) -> Result<(), InvalidInput> {
    let mut coordinates = points.iter().flat_map(|p| p.iter()).enumerate();
    match coordinates.find(|(_, x)| !x.re().is_finite()) {
        None => Ok(()),
        Some((index, x)) => Err(InvalidInput::NotFinite {
            quantity: "points",
            index: Some(index),
            value: x.re(),
        }),
    }
}

/// The diagonal of the box around points.
fn diagonal(points: &[Vector3<f64>]) -> f64 {
    let low = points.iter().copied().reduce(|a, b| a.inf(&b));
    let high = points.iter().copied().reduce(|a, b| a.sup(&b));
    (high.unwrap_or_default() - low.unwrap_or_default()).norm()
}

/// For each vertex its share of four, by curvature, of the vertices that a face it belongs to comes down with: those within
/// the band above it. Of several faces the one where it is largest.
fn weights(vertices: &[Vector3<f64>], faces: &[Vec<usize>], band: f64) -> Vec<f64> {
    let curvatures = curvatures(vertices, faces);
    let mut neighbours = vec![Vec::new(); vertices.len()];
    for face in faces {
        for (k, &i) in face.iter().enumerate() {
            neighbours[i].push(face[(k + 1) % face.len()]);
        }
    }
    let (mut weights, mut seen) = (vec![0.0; vertices.len()], vec![usize::MAX; vertices.len()]);
    let mut waiting = Vec::new();
    for (number, face) in faces.iter().enumerate() {
        let first = vertices[face[0]];
        let corners = face
            .windows(2)
            .map(|pair| [pair[0], pair[1]].map(|i| vertices[i] - first));
        let area: Vector3<f64> = corners.map(|[u, v]| u.cross(&v)).sum();
        let normal = area.normalize();
        let heights = face.iter().map(|&i| normal.dot(&vertices[i]));
        let height = heights.fold(f64::NEG_INFINITY, f64::max);
        waiting.extend_from_slice(face);
        face.iter().for_each(|&i| seen[i] = number);
        let mut shared = 0.0;
        while let Some(i) = waiting.pop() {
            let depth = 1.0 - (height - normal.dot(&vertices[i])) / band;
            if depth > 0.0 {
                shared += curvatures[i] * depth * depth;
                for &j in &neighbours[i] {
                    if seen[j] != number {
                        seen[j] = number;
                        waiting.push(j);
                    }
                }
            }
        }
        for &i in face {
            weights[i] = f64::max(weights[i], 4.0 * curvatures[i] / shared);
        }
    }
    weights
}

/// For each vertex its integral curvature, the angle that its faces lack of a full turn, in right angles: 1 for a vertex of
/// a box, and 8 in all.
fn curvatures(vertices: &[Vector3<f64>], faces: &[Vec<usize>]) -> Vec<f64> {
    let mut lacking = vec![TAU; vertices.len()];
    for face in faces {
        for (k, &i) in face.iter().enumerate() {
            let before = face[(k + face.len() - 1) % face.len()];
            let after = face[(k + 1) % face.len()];
            let [u, v] = [before, after].map(|j| vertices[j] - vertices[i]);
            lacking[i] -= u.cross(&v).norm().atan2(u.dot(&v));
        }
    }
    // Round-off must not make a vertex pull.
    (lacking.into_iter())
        .map(|angle| (angle * FRAC_2_PI).max(f64::EPSILON))
        .collect()
}

#[cfg(feature = "serde")]
mod document {
    use super::{ConvexPolyhedron, Surface, Vector3};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Document<V, S> {
        vertices: V,
        surface: S,
    }

    impl<T: crate::io::json::Number> Serialize for ConvexPolyhedron<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let (vertices, surface) = (&self.vertices, &*self.surface);
            Document { vertices, surface }.serialize(serializer)
        }
    }

    impl<'de, T: crate::io::json::Number> Deserialize<'de> for ConvexPolyhedron<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let Document { vertices, surface } =
                Document::<Vec<Vector3<T>>, Surface>::deserialize(deserializer)?;
            let is_face = |face: &Vec<usize>| {
                face.len() >= 3 && face.iter().all(|vertex| *vertex < vertices.len())
            };
            if surface.faces.len() < 4 || !surface.faces.iter().all(is_face) {
                return Err(D::Error::custom("faces need three of the vertices or more"));
            }
            let is_positive = |x: &f64| *x > 0.0 && x.is_finite();
            if surface.weights.len() != vertices.len()
                || !surface.weights.iter().all(is_positive)
                || !is_positive(&surface.diagonal)
            {
                return Err(D::Error::custom("each vertex needs a positive weight"));
            }
            Ok(ConvexPolyhedron {
                vertices,
                surface: surface.into(),
            })
        }
    }
}
