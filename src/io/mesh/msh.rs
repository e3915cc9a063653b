//! MSH, the binary format of MuJoCo before version 3.
//!
//! Four integers (the numbers of points, normals, texture coordinates and triangles), then positions,
//! normals, texture coordinates and the corners of triangles; all in 32 bits, the least significant first.

use super::{Mesh, MeshError};
use nalgebra::Vector3;

impl Mesh {
    /// Reads MSH; errors call it `name`.
    ///
    /// # Errors
    /// [`MeshError::Invalid`] for a file of another length than its header says, a corner that is none of
    /// its points, and a coordinate that is not finite.
    pub fn from_msh(name: &str, bytes: &[u8]) -> Result<Self, MeshError> {
        let invalid = |message: String| MeshError::invalid(name, None, message);
        let words = bytes.as_chunks::<4>().0;
        let Some((header, data)) = words.split_first_chunk::<4>() else {
            return Err(invalid("expected a header of 16 bytes".to_owned()));
        };
        let [points, normals, texture, triangles] =
            header.map(|n| u64::from(u32::from_le_bytes(n)));
        let end = 3 * (points + normals) + 2 * texture;
        if bytes.len() as u64 != 4 * (4 + end + 3 * triangles) {
            let message = format!("{} bytes are not what the header says", bytes.len());
            return Err(invalid(message));
        }
        let (coordinates, corners) = data.split_at(end as usize);
        let coordinates = &coordinates[..3 * points as usize];
        let (coordinates, corners) = (coordinates.as_chunks::<3>().0, corners.as_chunks::<3>().0);
        let coordinate = |x: [u8; 4]| f64::from(f32::from_le_bytes(x));
        let corner = |i: [u8; 4]| u32::from_le_bytes(i) as usize;
        let mesh = Mesh {
            points: (coordinates.iter())
                .map(|p| Vector3::from(p.map(coordinate)))
                .collect(),
            faces: corners.len(),
            triangles: corners.iter().map(|c| c.map(corner)).collect(),
        };
        match mesh
            .triangles
            .iter()
            .flatten()
            .find(|i| **i as u64 >= points)
        {
            Some(corner) => Err(invalid(format!("there is no point {corner}"))),
            None => mesh.checked(name),
        }
    }
}
