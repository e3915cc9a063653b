//! STL, binary and as text.

use super::lines::Lines;
use super::{Mesh, MeshError};
use nalgebra::Vector3;
use std::io::{Cursor, Read, Seek};

/// Bytes of the header, which nothing reads, and of the number of triangles behind it.
const HEADER: usize = 80;
const COUNT: usize = 4;
/// Bytes of a triangle.
const TRIANGLE: usize = 50;

impl Mesh {
    /// Reads STL; errors call it `name`.
    ///
    /// A file of the length that its number of triangles asks for is binary, even where it begins with
    /// `solid` as text does.
    ///
    /// # Errors
    /// [`MeshError::Invalid`], of a text with the line.
    pub fn from_stl(name: &str, bytes: &[u8]) -> Result<Self, MeshError> {
        if bytes.starts_with(b"solid") && !has_binary_length(bytes) {
            let mut lines = Lines::new(bytes);
            return triangles(&mut lines)
                .map_err(|error| MeshError::invalid(name, Some(lines.line()), error))?
                .checked(name);
        }
        let mut binary = bytes.to_vec();
        if let Some(first) = binary.first_mut() {
            *first = 0; // Not the `s` of `solid`.
        }
        if binary.len() < HEADER + COUNT {
            let message = "expected `solid`, or a header of 84 bytes";
            return Err(MeshError::invalid(name, None, message));
        }
        triangles(&mut Cursor::new(binary))
            .map_err(|error| MeshError::invalid(name, None, error))?
            .checked(name)
    }
}

fn has_binary_length(bytes: &[u8]) -> bool {
    let count = bytes
        .get(HEADER..HEADER + COUNT)
        .and_then(|b| b.try_into().ok());
    let Some(count) = count.map(u32::from_le_bytes) else {
        return false;
    };
    (count as usize).checked_mul(TRIANGLE) == Some(bytes.len() - HEADER - COUNT)
}

fn triangles(reader: &mut (impl Read + Seek)) -> std::io::Result<Mesh> {
    let mut mesh = Mesh::default();
    for triangle in stl_io::create_stl_reader(reader)? {
        let (corners, first) = (triangle?.vertices, mesh.points.len());
        (mesh.points).extend(corners.map(|p| Vector3::from(p.0.map(f64::from))));
        mesh.triangles.push([first, first + 1, first + 2]);
        mesh.faces += 1;
    }
    Ok(mesh)
}
