//! Triangulation of shapes.

use crate::geometry::{HeightField, Shape};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Sides of a circle.
const SIDES: usize = 28;
/// Rings of a quarter of a circle, from equator to pole.
const RINGS: usize = 6;

/// Triangles with a normal at each vertex, counter-clockwise seen from outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Mesh {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The surface of a shape; `None` for one without end.
    pub fn of_shape(shape: &Shape<f64>) -> Option<Self> {
        let mut mesh = Mesh::default();
        match shape {
            Shape::Sphere { radius } => mesh.add_round_profile(&arc(*radius, 0.0, 0.0)),
            Shape::Capsule { radius, length } => {
                mesh.add_round_profile(&arc(*radius, length / 2.0, -length / 2.0));
            }
            Shape::Cylinder { radius, length } => {
                let (r, z) = (*radius, length / 2.0);
                let (up, out) = ([0.0, 1.0], [1.0, 0.0]);
                mesh.add_round_profile(&[([0.0, z], up), ([r, z], up)]);
                mesh.add_round_profile(&[([r, z], out), ([r, -z], out)]);
                mesh.add_round_profile(&[([r, -z], [0.0, -1.0]), ([0.0, -z], [0.0, -1.0])]);
            }
            Shape::Box { size } => mesh.add_box(&(size / 2.0)),
            Shape::Ellipsoid { semi_axes } => {
                mesh.add_round_profile(&arc(1.0, 0.0, 0.0));
                mesh.stretch(semi_axes);
            }
            Shape::Convex { polyhedron } => {
                for face in polyhedron.faces() {
                    let corners: Vec<_> = face.iter().map(|&i| polyhedron.vertices()[i]).collect();
                    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
                    mesh.add_face(&corners, &normal.normalize());
                }
            }
            Shape::Points { points } => {
                let extent = points.iter().map(|p| p.norm()).fold(0.0, f64::max);
                let dot = Vector3::repeat((0.03 * extent).max(1e-4));
                for point in points {
                    mesh.add_octahedron(point, &dot);
                }
            }
            Shape::HeightField { field } => mesh.add_height_field(field),
            Shape::HalfSpace => return None,
        }
        Some(mesh)
    }

    /// Multiplies coordinates by factors; normals stay normal.
    fn stretch(&mut self, factors: &Vector3<f64>) {
        for (position, normal) in self.positions.iter_mut().zip(&mut self.normals) {
            let normal_before = Vector3::from(normal.map(f64::from));
            let stretched = normal_before.component_div(factors).normalize();
            for axis in 0..3 {
                position[axis] *= factors[axis] as f32;
                normal[axis] = stretched[axis] as f32;
            }
        }
    }

    /// A surface of revolution about z from points `(r, z)` with normals, from top to bottom.
    fn add_round_profile(&mut self, profile: &[([f64; 2], [f64; 2])]) {
        let first = self.positions.len() as u32;
        let stride = SIDES as u32 + 1;
        for ([r, z], [nr, nz]) in profile {
            for side in 0..=SIDES {
                let (sin, cos) = (TAU * side as f64 / SIDES as f64).sin_cos();
                self.add_vertex([r * cos, r * sin, *z], [nr * cos, nr * sin, *nz]);
            }
        }
        for ring in 0..profile.len() as u32 - 1 {
            for side in 0..SIDES as u32 {
                let a = first + ring * stride + side;
                let b = a + stride;
                if profile[ring as usize].0[0] > 0.0 {
                    self.triangles.push([a, b, a + 1]);
                }
                if profile[ring as usize + 1].0[0] > 0.0 {
                    self.triangles.push([b, b + 1, a + 1]);
                }
            }
        }
    }

    fn add_box(&mut self, half: &Vector3<f64>) {
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let normal = Vector3::ith(axis, sign);
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let (u, v) = if sign > 0.0 { (u, v) } else { (v, u) };
                let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[a, b]| {
                    (normal + Vector3::ith(u, a) + Vector3::ith(v, b)).component_mul(half)
                });
                self.add_face(&corners, &normal);
            }
        }
    }

    /// Triangles whose normals at a vertex are the mean of those around it, by their areas.
    fn add_height_field(&mut self, field: &HeightField<f64>) {
        let points: Vec<_> = (0..field.heights().len()).map(|i| field.real(i)).collect();
        let mut normals = vec![Vector3::zeros(); points.len()];
        let faces = (0..2 * points.len() as u32).filter_map(|face| field.face(face));
        for [a, b, c] in faces {
            let normal = (points[b] - points[a]).cross(&(points[c] - points[a]));
            for vertex in [a, b, c] {
                normals[vertex] += normal;
            }
            self.triangles.push([a, b, c].map(|vertex| vertex as u32));
        }
        for (point, normal) in points.iter().zip(&normals) {
            self.add_vertex((*point).into(), normal.normalize().into());
        }
    }

    fn add_octahedron(&mut self, center: &Vector3<f64>, half: &Vector3<f64>) {
        for octant in 0..8 {
            let sign = |axis: usize| if octant >> axis & 1 == 0 { 1.0 } else { -1.0 };
            let signs = Vector3::new(sign(0), sign(1), sign(2));
            let mut corners =
                [0, 1, 2].map(|axis| center + Vector3::ith(axis, signs[axis]).component_mul(half));
            if signs.product() < 0.0 {
                corners.swap(1, 2);
            }
            self.add_face(&corners, &signs.normalize());
        }
    }

    /// A flat convex face.
    fn add_face(&mut self, corners: &[Vector3<f64>], normal: &Vector3<f64>) {
        let first = self.positions.len() as u32;
        for corner in corners {
            self.add_vertex((*corner).into(), (*normal).into());
        }
        for k in 2..corners.len() as u32 {
            self.triangles.push([first, first + k - 1, first + k]);
        }
    }

    fn add_vertex(&mut self, position: [f64; 3], normal: [f64; 3]) {
        self.positions.push(position.map(|x| x as f32));
        self.normals.push(normal.map(|x| x as f32));
    }

    /// A tube from one point to another.
    pub fn add_tube(&mut self, from: &Vector3<f64>, to: &Vector3<f64>, radius: f64) {
        let along = to - from;
        let length = along.norm();
        let z = along / length;
        let x = Vector3::ith(z.iamin(), 1.0).cross(&z).normalize();
        let turn = Matrix3::from_columns(&[x, z.cross(&x), z]);
        let profile = arc(radius, length, 0.0);
        let mut tube = Mesh::default();
        tube.add_round_profile(&profile);
        self.add(&tube, &turn, from);
    }

    /// The largest distance of a vertex from the origin, in m.
    pub fn radius(&self) -> f64 {
        let squares = (self.positions.iter()).map(|p| p.iter().map(|x| x * x).sum::<f32>());
        f64::from(squares.fold(0.0, f32::max)).sqrt()
    }

    /// Adds another mesh, turned and moved.
    pub fn add(&mut self, other: &Mesh, turn: &Matrix3<f64>, at: &Vector3<f64>) {
        let first = self.positions.len() as u32;
        let wide = |v: &[f32; 3]| Vector3::from(v.map(f64::from));
        for (position, normal) in other.positions.iter().zip(&other.normals) {
            self.add_vertex(
                (turn * wide(position) + at).into(),
                (turn * wide(normal)).into(),
            );
        }
        let moved = other.triangles.iter().map(|t| t.map(|i| i + first));
        self.triangles.extend(moved);
    }
}

/// Half a circle of points `(r, z)` with normals, whose upper quarter is about `top` and whose lower
/// about `bottom`.
fn arc(radius: f64, top: f64, bottom: f64) -> Vec<([f64; 2], [f64; 2])> {
    let quarter = |center: f64, sign: f64| {
        (0..=RINGS).map(move |ring| {
            let part = if sign > 0.0 { RINGS - ring } else { ring };
            let (sin, cos) = (FRAC_PI_2 * part as f64 / RINGS as f64).sin_cos();
            let cos = if part == RINGS { 0.0 } else { cos };
            let normal = [cos, sign * sin];
            ([radius * cos, center + radius * sign * sin], normal)
        })
    };
    // Without a tube between them, the quarters share the equator.
    let lower = quarter(bottom, -1.0).skip(usize::from(top == bottom));
    quarter(top, 1.0).chain(lower).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The volume that the triangles enclose, by the divergence theorem.
    fn volume(mesh: &Mesh) -> f64 {
        let vertex = |i: u32| Vector3::from(mesh.positions[i as usize].map(f64::from));
        let tetrahedra = (mesh.triangles.iter())
            .map(|&[a, b, c]| vertex(a).dot(&vertex(b).cross(&vertex(c))) / 6.0);
        tetrahedra.sum()
    }

    #[test]
    fn surfaces_are_closed_and_face_outwards() -> Result<(), Box<dyn std::error::Error>> {
        use std::f64::consts::PI;
        let (r, l) = (0.3, 0.8);
        let ball = 4.0 / 3.0 * PI * r * r * r;
        let tube = PI * r * r * l;
        for (shape, expected, tolerance) in [
            (Shape::new_box(Vector3::new(1.0, 2.0, 3.0))?, 6.0, 1e-6),
            (Shape::new_sphere(r)?, ball, 0.03),
            (Shape::new_cylinder(r, l)?, tube, 0.03),
            (Shape::new_capsule(r, l)?, tube + ball, 0.03),
        ] {
            let mesh = Mesh::of_shape(&shape).ok_or("no mesh")?;
            let found = volume(&mesh);
            assert!(
                (found / expected - 1.0).abs() < tolerance,
                "{shape:?}: {found}"
            );
            for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
                let (p, n) = (
                    Vector3::from(position.map(f64::from)),
                    Vector3::from(normal.map(f64::from)),
                );
                assert!((n.norm() - 1.0).abs() < 1e-6 && n.dot(&p) > -1e-6);
            }
            for t in &mesh.triangles {
                let [a, b, c] = t.map(|i| Vector3::from(mesh.positions[i as usize].map(f64::from)));
                let face = (b - a).cross(&(c - a));
                let normal = Vector3::from(mesh.normals[t[0] as usize].map(f64::from));
                assert!(face.norm() > 0.0 && face.dot(&normal) > 0.0, "{shape:?}");
            }
        }
        let mut tube = Mesh::default();
        let (from, to) = (Vector3::new(1.0, 0.0, 0.0), Vector3::new(1.0, 2.0, 0.0));
        tube.add_tube(&from, &to, 0.1);
        assert!((volume(&tube) / (PI * 0.01 * 2.0 + ball * 0.001 / 0.027) - 1.0).abs() < 0.05);
        Ok(())
    }
}
