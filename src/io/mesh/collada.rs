//! Collada.
//!
//! The scene is a tree of nodes, each with transformations that follow one another, geometries, and other
//! nodes, which it has or refers to. A geometry is a list of positions, and primitives that are polygons between them;
//! lines and curves are not read.

use super::collada_polygons::{fan, polygons};
use super::document::{Element, parse};
use super::{Mesh, MeshError};
use crate::math::rotation;
use nalgebra::{Matrix3, Matrix4, Vector3};

/// More parts of a scene are a mistake, or nodes that refer to each other.
const MAX_PARTS: usize = 100_000;
/// Points and triangles; a short file can refer to a geometry many times.
const LARGEST_MESH: usize = 5_000_000;
const MAX_DEPTH: usize = 100;

impl Mesh {
    /// Reads Collada, in metres and with z up; errors call the text `name`.
    ///
    /// # Errors
    /// [`MeshError::Invalid`] with the line of what cannot be read.
    pub fn from_collada(name: &str, text: &[u8]) -> Result<Self, MeshError> {
        let text = std::str::from_utf8(text).map_err(|error| {
            let before = &text[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|b| **b == b'\n').count();
            MeshError::invalid(name, Some(line), "not UTF-8")
        })?;
        let document = parse(name, text)?;
        if document.name != "COLLADA" {
            let message = format!("expected <COLLADA>, found <{}>", document.name);
            return Err(MeshError::invalid(name, Some(document.line), message));
        }
        let mut scene = Scene {
            file: name,
            document: &document,
            parts: 0,
            mesh: Mesh::default(),
        };
        let to_metres = scene.asset()?;
        scene.add_all()?;
        for point in &mut scene.mesh.points {
            *point = to_metres * *point;
        }
        scene.mesh.checked(name)
    }
}

struct Scene<'a> {
    file: &'a str,
    document: &'a Element,
    parts: usize,
    mesh: Mesh,
}

impl<'a> Scene<'a> {
    fn error(&self, at: &Element, message: impl ToString) -> MeshError {
        MeshError::invalid(self.file, Some(at.line), message)
    }

    /// What takes the axes and the unit of the file to z up and metres.
    fn asset(&self) -> Result<Matrix3<f64>, MeshError> {
        let Some(asset) = self.document.child("asset") else {
            return Ok(Matrix3::identity());
        };
        let mut metre = 1.0;
        if let Some(unit) = asset.child("unit")
            && let Some(value) = unit.attribute("meter")
        {
            let number = value
                .trim()
                .parse()
                .ok()
                .filter(|x: &f64| *x > 0.0 && x.is_finite());
            metre = number.ok_or_else(|| {
                self.error(
                    unit,
                    format!("meter = {value:?}, expected a positive number"),
                )
            })?;
        }
        let axis = asset
            .child("up_axis")
            .map_or("Y_UP", |axis| axis.text.trim());
        let turned = match axis {
            "Z_UP" => Matrix3::identity(),
            "X_UP" => Matrix3::new(0.0, -1.0, 0.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0),
            "Y_UP" => Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0),
            _ => {
                let message = format!("up_axis = {axis:?}, expected X_UP, Y_UP or Z_UP");
                return Err(self.error(asset, message));
            }
        };
        Ok(turned * metre)
    }

    /// Adds the scene, or all geometries of a file without one.
    fn add_all(&mut self) -> Result<(), MeshError> {
        let shown = (self.document.child("scene")).and_then(|s| s.child("instance_visual_scene"));
        let scenes = || self.document.children("library_visual_scenes");
        let scene = match shown.and_then(|instance| instance.attribute("url")) {
            Some(url) => self
                .document
                .find("library_visual_scenes", "visual_scene", url),
            None => scenes().flat_map(|s| s.children("visual_scene")).next(),
        };
        if let Some(scene) = scene {
            return (scene.children("node"))
                .try_for_each(|node| self.add_node(node, &Matrix4::identity(), 0));
        }
        let libraries = self.document.children("library_geometries");
        for geometry in libraries.flat_map(|library| library.children("geometry")) {
            self.add_geometry(geometry, &Matrix4::identity())?;
        }
        Ok(())
    }

    fn count(&mut self, at: &Element) -> Result<(), MeshError> {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(self.error(at, format!("the scene has more than {MAX_PARTS} parts")));
        }
        Ok(())
    }

    fn add_node(
        &mut self,
        node: &'a Element,
        parent: &Matrix4<f64>,
        depth: usize,
    ) -> Result<(), MeshError> {
        self.count(node)?;
        if depth > MAX_DEPTH {
            return Err(self.error(node, "nodes refer to each other"));
        }
        let mut pose = *parent;
        for child in &node.children {
            pose *= self.transformation(child)?;
        }
        for child in &node.children {
            let url = child.attribute("url").unwrap_or_default();
            let missing = |scene: &Self| scene.error(child, format!("there is no {url:?}"));
            match child.name.as_str() {
                "node" => self.add_node(child, &pose, depth + 1)?,
                "instance_node" => {
                    let node = self.document.find("library_nodes", "node", url);
                    self.add_node(node.ok_or_else(|| missing(self))?, &pose, depth + 1)?;
                }
                "instance_geometry" => {
                    let geometry = self.document.find("library_geometries", "geometry", url);
                    self.add_geometry(geometry.ok_or_else(|| missing(self))?, &pose)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn transformation(&self, element: &Element) -> Result<Matrix4<f64>, MeshError> {
        Ok(match element.name.as_str() {
            "matrix" => Matrix4::from_row_slice(&self.numbers::<16>(element)?),
            "translate" => Matrix4::new_translation(&self.numbers::<3>(element)?.into()),
            "scale" => Matrix4::new_nonuniform_scaling(&self.numbers::<3>(element)?.into()),
            "rotate" => {
                let [x, y, z, angle] = self.numbers(element)?;
                let axis = Vector3::new(x, y, z);
                let axis = axis / axis.norm().max(f64::MIN_POSITIVE);
                rotation::exp(&(axis * angle.to_radians())).to_homogeneous()
            }
            "skew" | "lookat" => {
                return Err(self.error(element, format!("<{}> is not supported", element.name)));
            }
            _ => Matrix4::identity(),
        })
    }

    fn add_geometry(
        &mut self,
        geometry: &'a Element,
        pose: &Matrix4<f64>,
    ) -> Result<(), MeshError> {
        self.count(geometry)?;
        let Some(mesh) = geometry
            .child("mesh")
            .or_else(|| geometry.child("convex_mesh"))
        else {
            return Ok(());
        };
        let vertices = mesh.child("vertices");
        let mut inputs = vertices
            .iter()
            .flat_map(|vertices| vertices.children("input"));
        let positions = inputs.find(|input| input.attribute("semantic") == Some("POSITION"));
        let id = positions.and_then(|input| input.attribute("source")?.strip_prefix('#'));
        let source = (mesh.children("source")).find(|s| id.is_some() && s.attribute("id") == id);
        let Some(source) = source else {
            return Err(self.error(mesh, "the mesh has no source of positions"));
        };
        let Some(list) = source.child("float_array") else {
            return Err(self.error(source, "<float_array> is missing"));
        };
        let numbers = self.all_numbers(list)?;
        if numbers.len() % 3 != 0 {
            let message = format!("{} coordinates are not those of points", numbers.len());
            return Err(self.error(list, message));
        }
        let first = self.mesh.points.len();
        if first + self.mesh.triangles.len() + numbers.len() / 3 > LARGEST_MESH {
            let message = format!("more than {LARGEST_MESH} points and triangles");
            return Err(self.error(geometry, message));
        }
        let points = numbers.chunks_exact(3).map(|p| {
            let p = pose * nalgebra::Vector4::new(p[0], p[1], p[2], 1.0);
            p.xyz()
        });
        self.mesh.points.extend(points);
        let is_mirrored = pose.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        for primitive in &mesh.children {
            let polygons = polygons(primitive, numbers.len() / 3);
            for mut polygon in polygons.map_err(|(at, message)| self.error(at, message))? {
                if is_mirrored {
                    polygon.reverse();
                }
                self.mesh.faces += 1;
                let triangles = fan(&polygon).map(|corners| corners.map(|corner| first + corner));
                self.mesh.triangles.extend(triangles);
            }
        }
        Ok(())
    }

    fn all_numbers(&self, element: &Element) -> Result<Vec<f64>, MeshError> {
        let mut numbers = Vec::new();
        for (line, text) in (element.line..).zip(element.text.split('\n')) {
            for word in text.split_whitespace() {
                let number = word.parse().ok().filter(|x: &f64| x.is_finite());
                numbers.push(number.ok_or_else(|| {
                    let message = format!("{word:?}, expected a finite number");
                    MeshError::invalid(self.file, Some(line), message)
                })?);
            }
        }
        let count: Option<usize> = element.attribute("count").and_then(|c| c.parse().ok());
        match count {
            Some(count) if count != numbers.len() => {
                let message = format!("{} numbers, count = {count}", numbers.len());
                Err(self.error(element, message))
            }
            _ => Ok(numbers),
        }
    }

    fn numbers<const N: usize>(&self, element: &Element) -> Result<[f64; N], MeshError> {
        let numbers = self.all_numbers(element)?;
        let found = numbers.len();
        numbers
            .try_into()
            .map_err(|_| self.error(element, format!("{found} numbers, expected {N}")))
    }
}
