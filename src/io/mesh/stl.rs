//! STL, binary and as text.

use super::lines::Lines;
use super::{Mesh, MeshError};
use nalgebra::Vector3;
use std::borrow::Cow;
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
    /// `solid` as text does. A text may hold several solids, which become one mesh.
    ///
    /// # Errors
    /// [`MeshError::Invalid`], of a text with the line; also for a binary file in which more triangles follow than
    /// it says.
    pub fn from_stl(name: &str, bytes: &[u8]) -> Result<Self, MeshError> {
        if bytes.starts_with(b"solid") && binary_length(bytes) != Some(bytes.len()) {
            return solids(name, &named_solids(bytes))?.checked(name);
        }
        let Some(length) = binary_length(bytes) else {
            let message = "expected `solid`, or a header of 84 bytes";
            return Err(MeshError::invalid(name, None, message));
        };
        if bytes.len() >= length.saturating_add(TRIANGLE) {
            let [count, room] = [length, bytes.len()].map(|l| (l - HEADER - COUNT) / TRIANGLE);
            let message = format!("the header says {count} triangles, {room} follow");
            return Err(MeshError::invalid(name, None, message));
        }
        let mut binary = bytes.to_vec();
        binary[0] = 0; // Not the `s` of `solid`.
        let mut mesh = Mesh::default();
        triangles(&mut Cursor::new(binary), &mut mesh)
            .map_err(|error| MeshError::invalid(name, None, error))?;
        mesh.checked(name)
    }
}

/// The length that a binary file has by its number of triangles.
fn binary_length(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEADER..HEADER + COUNT)?.try_into().ok()?;
    (u32::from_le_bytes(count) as usize)
        .checked_mul(TRIANGLE)?
        .checked_add(HEADER + COUNT)
}

/// The text with a space where a solid has no name, which the reader wants to see.
fn named_solids(text: &[u8]) -> Cow<'_, [u8]> {
    let lines = || text.split(|byte| *byte == b'\n');
    let is_unnamed = |line: &[u8]| line.trim_ascii() == b"solid";
    if !lines().any(is_unnamed) {
        return text.into();
    }
    let named = lines().map(|line| if is_unnamed(line) { b"solid " } else { line });
    named.collect::<Vec<_>>().join(&b'\n').into()
}

fn solids(name: &str, text: &[u8]) -> Result<Mesh, MeshError> {
    let mut lines = Lines::new(text);
    let mut mesh = Mesh::default();
    while lines.restart() {
        if !lines.rest().starts_with(b"solid ") {
            let message = "expected `solid`, or the end of the file";
            return Err(MeshError::invalid(name, Some(lines.line()), message));
        }
        triangles(&mut lines, &mut mesh)
            .map_err(|error| MeshError::invalid(name, Some(lines.line()), error))?;
    }
    Ok(mesh)
}

fn triangles(reader: &mut (impl Read + Seek), mesh: &mut Mesh) -> std::io::Result<()> {
    for triangle in stl_io::create_stl_reader(reader)? {
        let (corners, first) = (triangle?.vertices, mesh.points.len());
        (mesh.points).extend(corners.map(|p| Vector3::from(p.0.map(f64::from))));
        mesh.triangles.push([first, first + 1, first + 2]);
        mesh.faces += 1;
    }
    Ok(())
}
