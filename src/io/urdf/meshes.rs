//! Where meshes are, and their hulls.

use super::report::UrdfHull;
use crate::geometry::Shape;
use crate::io::hulls::Hulls;
use crate::io::mesh::Mesh;
use nalgebra::Vector3;
use std::path::{Path, PathBuf};

/// The shapes that stand for a mesh, and what is said of them.
type Found = (Vec<Shape<f64>>, UrdfHull);

/// What is read of meshes, and where they are looked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MeshFiles {
    pub are_read: bool,
    pub hulls: Hulls,
    pub folders: Vec<PathBuf>,
}

impl Default for MeshFiles {
    fn default() -> Self {
        MeshFiles {
            are_read: true,
            hulls: Hulls::default(),
            folders: Vec::new(),
        }
    }
}

impl MeshFiles {
    /// With the folder of a description and those around it before all others.
    pub fn around(&self, folder: Option<&Path>) -> Self {
        let folder = folder.map(|folder| {
            let absolute = std::path::absolute(folder);
            absolute.unwrap_or_else(|_| folder.to_owned())
        });
        let around = folder.iter().flat_map(|folder| folder.ancestors());
        let folders = around.map(Path::to_owned).chain(self.folders.clone());
        MeshFiles {
            folders: folders.collect(),
            ..*self
        }
    }

    /// The hull of a mesh, or those of its parts; `None` if there is no such file.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn hulls(&self, file_name: &str, scale: &Vector3<f64>) -> Result<Option<Found>, String> {
        let Some(path) = self.find(file_name).filter(|_| self.are_read) else {
            return Ok(None);
        };
        let mesh = Mesh::load(&path).map_err(|error| error.to_string())?;
        let points: Vec<_> = mesh.points.iter().map(|p| p.component_mul(scale)).collect();
        let (hulls, deviation) = (self.hulls.of(&mesh, &points))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let about = UrdfHull {
            path,
            faces: mesh.faces,
            parts: hulls.len(),
            vertices: hulls.iter().map(|hull| hull.vertices().len()).sum(),
            deviation,
        };
        Ok(Some((hulls.into_iter().map(Shape::from).collect(), about)))
    }

    fn find(&self, file_name: &str) -> Option<PathBuf> {
        let is_file = |path: &PathBuf| path.is_file();
        if Path::new(file_name).is_absolute() {
            return Some(PathBuf::from(file_name)).filter(is_file);
        }
        if let Some(path) = file_name.strip_prefix("file:") {
            let path = path.strip_prefix("//localhost").unwrap_or(path);
            let path = path.strip_prefix("//").unwrap_or(path);
            return Some(PathBuf::from(path)).filter(is_file);
        }
        let schemes = ["package://", "model://"];
        let path = schemes.iter().find_map(|s| file_name.strip_prefix(s));
        let Some(path) = path.map(|path| path.trim_start_matches('/')) else {
            let mut candidates = self.folders.iter().map(|folder| folder.join(file_name));
            return candidates.find(is_file);
        };
        let (package, rest) = path.split_once('/')?;
        let candidates = self.folders.iter().flat_map(|folder| {
            let is_package = folder.file_name().is_some_and(|name| name == package);
            let itself = is_package.then(|| folder.join(rest));
            itself.into_iter().chain([folder.join(path)])
        });
        candidates.into_iter().find(is_file)
    }
}
