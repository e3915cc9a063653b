//! URDF: paths of meshes, and their hulls.

use super::report::UrdfHull;
use crate::geometry::Shape;
use crate::io::hulls::Hulls;
use crate::io::mesh::Mesh;
use nalgebra::Vector3;
use std::path::{Component, Path, PathBuf};

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

    /// The file of this name; without one, that of the name in another spelling, or in another case of letters.
    fn find(&self, file_name: &str) -> Option<PathBuf> {
        let spellings = spellings(file_name);
        let exact = spellings.iter().find_map(|name| {
            let mut candidates = self.candidates(name, |a, b| a == b).into_iter();
            candidates.find(|path| path.is_file())
        });
        exact.or_else(|| {
            spellings.iter().find_map(|name| {
                let candidates = self.candidates(name, same_letters);
                candidates.iter().find_map(|path| in_any_case(path))
            })
        })
    }

    /// Where a file may be; `is_same` compares the names of packages.
    fn candidates(&self, file_name: &str, is_same: fn(&str, &str) -> bool) -> Vec<PathBuf> {
        if Path::new(file_name).is_absolute() {
            return vec![PathBuf::from(file_name)];
        }
        if let Some(path) = file_name.strip_prefix("file:") {
            let path = path.strip_prefix("//localhost").unwrap_or(path);
            let path = path.strip_prefix("//").unwrap_or(path);
            return vec![PathBuf::from(path)];
        }
        let schemes = ["package://", "model://"];
        let path = schemes.iter().find_map(|s| file_name.strip_prefix(s));
        let Some(path) = path.map(|path| path.trim_start_matches('/')) else {
            let folders = self.folders.iter();
            return folders.map(|folder| folder.join(file_name)).collect();
        };
        let Some((package, rest)) = path.split_once('/') else {
            return Vec::new();
        };
        let candidates = self.folders.iter().flat_map(|folder| {
            let name = folder.file_name().and_then(|name| name.to_str());
            let is_package = name.is_some_and(|name| is_same(name, package));
            let itself = is_package.then(|| folder.join(rest));
            itself.into_iter().chain([folder.join(path)])
        });
        candidates.collect()
    }
}

/// A name as it stands; with slashes in place of backslashes, and characters in place of `%20` and the like.
fn spellings(file_name: &str) -> Vec<String> {
    let slashes = file_name.replace('\\', "/");
    let mut spellings = vec![file_name.to_owned(), slashes.clone()];
    spellings.extend(decoded(&slashes));
    spellings.dedup();
    spellings
}

/// A name with the bytes that `%` and two hexadecimal digits stand for; none where there is no such thing.
fn decoded(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|_| first == b'%');
        let byte = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).ok().filter(|text| text != name)
}

fn same_letters(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// The one file that has this path but for the case of letters.
fn in_any_case(path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for part in path.components() {
        let next = found.join(part);
        found = match part {
            Component::Normal(name) if !next.exists() => {
                let wanted = name.to_str()?;
                let folder = if found.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    &found
                };
                let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
                let mut alike = entries.filter(|entry| {
                    (entry.file_name().to_str()).is_some_and(|name| same_letters(name, wanted))
                });
                let first = alike.next()?;
                if alike.next().is_some() {
                    return None;
                }
                found.join(first.file_name())
            }
            _ => next,
        };
    }
    found.is_file().then_some(found)
}
