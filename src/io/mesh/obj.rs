//! Wavefront OBJ.

use super::ear_clipping::triangles;
use super::lines::Lines;
use super::{Mesh, MeshError};
use nalgebra::Vector3;
use tobj::{LoadError, LoadOptions};

impl Mesh {
    /// Reads OBJ; errors call the text `name`. Without faces the points are those of all vertices.
    ///
    /// # Errors
    /// [`MeshError::Invalid`] with the line of what cannot be read, and for a coordinate that is not
    /// finite or a text without points.
    pub fn from_obj(name: &str, text: &[u8]) -> Result<Self, MeshError> {
        let mut lines = Lines::new(text);
        let options = LoadOptions::default();
        // Materials do not matter.
        let materials = |_: &std::path::Path| Ok(Default::default());
        let loaded = tobj::load_obj_buf(&mut lines, &options, materials);
        let (models, _) = loaded.map_err(|error| {
            let line = match error {
                // Indices are looked at behind the last face.
                LoadError::FaceVertexOutOfBounds => line_of_missing_vertex(text),
                _ => Some(lines.line()),
            };
            MeshError::invalid(name, line, error)
        })?;
        let mut mesh = Mesh::default();
        for model in models {
            let (first, read) = (mesh.points.len(), model.mesh);
            let points = read.positions.chunks_exact(3);
            (mesh.points).extend(points.map(|p| Vector3::new(p[0], p[1], p[2])));
            let corners: Vec<usize> = read.indices.iter().map(|i| first + *i as usize).collect();
            let (mut rest, mut arities) = (&corners[..], read.face_arities.into_iter());
            // Where no numbers of corners are given, all faces are triangles.
            while let Some((face, behind)) =
                rest.split_at_checked(arities.next().unwrap_or(3) as usize)
            {
                mesh.triangles.extend(triangles(&mesh.points, face));
                rest = behind;
            }
        }
        if mesh.triangles.is_empty() {
            // Points that no face has are left out above.
            mesh.points = points(text);
        }
        mesh.faces = mesh.triangles.len();
        mesh.checked(name)
    }
}

/// The positions of vertices; their lines have been read before.
fn points(text: &[u8]) -> Vec<Vector3<f64>> {
    let lines = text.split(|byte| *byte == b'\n');
    let vertices = lines.filter_map(|line| line.trim_ascii().strip_prefix(b"v "));
    let numbers = |words: &[u8]| {
        let words = std::str::from_utf8(words).ok()?.split_whitespace();
        let numbers: Result<Vec<f64>, _> = words.take(3).map(str::parse).collect();
        numbers.ok().filter(|numbers| numbers.len() == 3)
    };
    let points = vertices.filter_map(numbers);
    points.map(|p| Vector3::new(p[0], p[1], p[2])).collect()
}

/// The line of the first face with a vertex that is not in the text.
fn line_of_missing_vertex(text: &[u8]) -> Option<usize> {
    let lines = || {
        text.split(|byte| *byte == b'\n')
            .map(<[u8]>::trim_ascii_start)
    };
    let vertices = lines().filter(|line| line.starts_with(b"v ")).count() as u64;
    let is_missing = |corner: &[u8]| {
        let index = corner.split(|byte| *byte == b'/').next();
        let index = index.and_then(|index| std::str::from_utf8(index).ok()?.parse::<i64>().ok());
        index.is_some_and(|index| index.unsigned_abs() > vertices)
    };
    let mut faces = lines().zip(1..).filter(|(line, _)| line.starts_with(b"f "));
    let face = faces.find(|(line, _)| {
        let mut corners = line[2..].split(u8::is_ascii_whitespace);
        corners.any(is_missing)
    });
    face.map(|(_, number)| number)
}
