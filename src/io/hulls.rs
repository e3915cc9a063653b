//! Convex hulls and convex parts in place of meshes.

use super::mesh::Mesh;
use crate::InvalidInput;
use crate::geometry::{ConvexDecomposition, ConvexPolyhedron};
use nalgebra::Vector3;
use std::collections::HashSet;

/// How convex shapes are made of meshes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hulls {
    /// Of each hull, at most.
    pub max_vertices: usize,
    /// Into hulls of parts; none for one hull of the whole mesh.
    pub decomposition: Option<ConvexDecomposition>,
}

impl Default for Hulls {
    fn default() -> Self {
        Hulls {
            max_vertices: 64,
            decomposition: None,
        }
    }
}

impl Hulls {
    pub fn set_max_vertices(&mut self, number: usize) -> Result<(), InvalidInput> {
        let allowed = number as f64;
        InvalidInput::check_range("number of vertices", &[allowed], "at least 4", |n| n >= 4.0)?;
        self.max_vertices = number;
        Ok(())
    }

    pub fn set_decomposition(&mut self, options: ConvexDecomposition) -> Result<(), InvalidInput> {
        options.validate()?;
        self.decomposition = Some(options);
        Ok(())
    }

    /// The hulls for a mesh, of which the points are given apart, and how far it reaches beyond them.
    pub fn of(
        &self,
        mesh: &Mesh,
        points: &[Vector3<f64>],
    ) -> Result<(Vec<ConvexPolyhedron<f64>>, f64), InvalidInput> {
        match self.decomposition {
            Some(options) if !mesh.triangles.is_empty() => {
                options.parts_of(points, &mesh.triangles, self.max_vertices)
            }
            _ => {
                let points = different(points);
                let simplified = ConvexPolyhedron::simplified_hull_of(&points, self.max_vertices);
                simplified.map(|(hull, deviation)| (vec![hull], deviation))
            }
        }
    }
}

/// Points without those that are there before: in files of triangles each is there six times.
pub(super) fn different(points: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut known = HashSet::with_capacity(points.len() / 4);
    let is_new = |p: &&Vector3<f64>| known.insert([p.x, p.y, p.z].map(f64::to_bits));
    points.iter().filter(is_new).copied().collect()
}

/// The names of shapes that stand for one mesh.
pub(super) fn part_names(name: &str, parts: usize) -> Vec<String> {
    match parts {
        1 => vec![name.to_owned()],
        _ => (1..=parts)
            .map(|part| format!("{name}/part_{part}"))
            .collect(),
    }
}
