//! Triangle meshes from files.
//!
//! | format | what is read |
//! |---|---|
//! | STL | binary and text; single precision |
//! | MSH | MuJoCo's former binary format: positions and faces; single precision |
//! | OBJ | positions and faces, which are divided into triangles, also if they are not convex |
//! | Collada | the geometries that the scene shows, with the transformations of their nodes, in metres and with z up, as the file's `unit` and `up_axis` say: triangles, and polygons, which are divided into triangles |
//!
//! Meshes serve as the points of a [`ConvexPolyhedron`](crate::geometry::ConvexPolyhedron): what a hull
//! does not need (whether the mesh is closed, the side that faces look to) is not asked for. With their triangles they
//! are divided into [convex parts](crate::geometry::ConvexDecomposition).
//!
//! ```
//! use dualbody::geometry::{ConvexPolyhedron, Shape};
//! use dualbody::io::mesh::Mesh;
//!
//! let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
//! let mesh = Mesh::from_obj("corner.obj", text.as_bytes())?;
//! assert_eq!((mesh.points.len(), mesh.triangles.len()), (4, 4));
//! let shape: Shape<f64> = ConvexPolyhedron::hull_of(&mesh.points)?.into();
//!
//! let error = Mesh::from_obj("corner.obj", &text.as_bytes()[..12]).unwrap_err();
//! assert_eq!(error.to_string(), "corner.obj:2: position parse error");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod collada;
mod collada_polygons;
mod document;
mod ear_clipping;
mod error;
mod lines;
mod msh;
mod obj;
mod stl;

pub use error::MeshError;

use nalgebra::Vector3;
use std::path::Path;

/// The points and triangles of a mesh.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Its points, in the unit of the file (of Collada in metres); some may be there several times.
    pub points: Vec<Vector3<f64>>,
    /// The number of faces: triangles, in Collada also polygons.
    pub faces: usize,
    /// The corners of each triangle, as positions in `points`.
    pub triangles: Vec<[usize; 3]>,
}

impl Mesh {
    /// Reads a file by its extension, in any case of letters.
    ///
    /// # Errors
    /// [`MeshError`] for a file that cannot be read, an extension that is not known, and a mistake in
    /// the file, with its line if it has lines.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let extension = path
            .extension()
            .and_then(|e| e.to_str())
            .unwrap_or_default();
        let read = match extension.to_ascii_lowercase().as_str() {
            "stl" => Self::from_stl,
            "msh" => Self::from_msh,
            "obj" => Self::from_obj,
            "dae" => Self::from_collada,
            _ => {
                let path = path.to_owned();
                return Err(MeshError::UnknownFormat { path });
            }
        };
        let bytes = std::fs::read(path).map_err(|source| MeshError::Io {
            path: path.to_owned(),
            source,
        })?;
        read(&path.display().to_string(), &bytes)
    }

    /// Checks that there are points, and that they are finite.
    fn checked(self, source: &str) -> Result<Self, MeshError> {
        if self.points.is_empty() {
            return Err(MeshError::invalid(source, None, "there is no point"));
        }
        let is_finite = |p: &Vector3<f64>| p.iter().all(|x| x.is_finite());
        match self.points.iter().position(|p| !is_finite(p)) {
            None => Ok(self),
            Some(index) => {
                let [x, y, z] = self.points[index].into();
                let message = format!("point {index} is ({x}, {y}, {z})");
                Err(MeshError::invalid(source, None, message))
            }
        }
    }
}
