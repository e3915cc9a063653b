//! Wavefront OBJ.

use super::lines::Lines;
use super::{Mesh, MeshError};
use nalgebra::Vector3;
use tobj::{LoadError, LoadOptions};

impl Mesh {
    /// Reads OBJ; errors call the text `name`.
    ///
    /// # Errors
    /// [`MeshError::Invalid`] with the line of what cannot be read, and for a coordinate that is not
    /// finite or a text without points.
    pub fn from_obj(name: &str, text: &[u8]) -> Result<Self, MeshError> {
        let mut lines = Lines::new(text);
        let options = LoadOptions {
            triangulate: true,
            ..LoadOptions::default()
        };
        // Materials do not matter.
        let materials = |_: &std::path::Path| Ok(Default::default());
        let loaded = tobj::load_obj_buf(&mut lines, &options, materials);
        let (models, _) = loaded.map_err(|error| {
            // Indices are looked at behind the last face.
            let is_of_line = error != LoadError::FaceVertexOutOfBounds;
            MeshError::invalid(name, is_of_line.then(|| lines.line()), error)
        })?;
        let mut mesh = Mesh::default();
        for model in models {
            let (first, read) = (mesh.points.len(), model.mesh);
            let points = read.positions.chunks_exact(3);
            (mesh.points).extend(points.map(|p| Vector3::new(p[0], p[1], p[2])));
            let corners = read.indices.chunks_exact(3);
            (mesh.triangles).extend(corners.map(|c| [0, 1, 2].map(|k| first + c[k] as usize)));
        }
        mesh.faces = mesh.triangles.len();
        mesh.checked(name)
    }
}
