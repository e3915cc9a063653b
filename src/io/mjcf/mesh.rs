//! MJCF: meshes of `<asset>`.

use super::compiler::Compilers;
use super::defaults::{Defaults, Item, MAIN, Node, unknown};
use super::error::{MjcfError, MjcfProblem};
use super::height_field::HeightFields;
use super::mesh_inertia::Filling;
use super::report::MjcfMesh;
use crate::geometry::{ConvexPolyhedron, Shape};
use crate::io::hulls::{Hulls, different};
use crate::io::mesh::Mesh;
use crate::io::quaternion::rotation_of;
use crate::math::SpatialInertia;
use nalgebra::{Matrix3, Vector3};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The meshes and height fields of a model, by name. A file is read when something depends on it.
pub(super) struct Meshes<'a> {
    pub height_fields: HeightFields<'a>,
    /// With the models that they belong to.
    assets: BTreeMap<(usize, String), Asset<'a>>,
}

struct Asset<'a> {
    item: Item<'a>,
    source: Source,
    placement: Placement,
    filling: Filling,
    hulls: Hulls,
    /// With what is wrong with the file; none if there is no such file.
    mesh: OnceCell<Result<Option<Mesh>, String>>,
    shapes: OnceCell<Option<(Vec<Shape<f64>>, MjcfMesh)>>,
    /// With density 1.
    inertia: OnceCell<SpatialInertia<f64>>,
}

enum Source {
    File(PathBuf),
    /// Of the model itself.
    Inline(Mesh),
    /// Made by MuJoCo or by a plugin.
    Generated,
}

impl<'a> Meshes<'a> {
    pub fn new(
        defaults: &'a Defaults<'a>,
        compilers: &Compilers,
        hulls: Hulls,
    ) -> Result<Self, MjcfError> {
        let mut assets = BTreeMap::new();
        for element in defaults.assets().filter(|e| e.name == "mesh") {
            let item = defaults.item(element, MAIN, &["mesh"])?;
            let (name, asset) = Asset::new(item, compilers, hulls)?;
            let model = item.node.document.model_of(element);
            if assets.insert((model, name.clone()), asset).is_some() {
                let elements = "meshes";
                return Err(item
                    .node
                    .error(MjcfProblem::DuplicateName { elements, name }));
            }
        }
        Ok(Meshes {
            height_fields: HeightFields::new(defaults, compilers)?,
            assets,
        })
    }

    fn asset(&self, node: &Node, name: &str) -> Result<&Asset<'a>, MjcfError> {
        let model = node.document.model_of(node.element);
        let found = self.assets.get(&(model, name.to_owned()));
        let names = || self.assets.keys().filter(|key| key.0 == model);
        found.ok_or_else(|| unknown(node, "mesh", name, names().map(|(_, name)| name.as_str())))
    }

    /// The convex hull of a mesh, or those of its parts; none if its file is not there or encloses no volume.
    pub fn hulls(&self, node: &Node, name: &str) -> Result<Vec<Shape<f64>>, MjcfError> {
        let asset = self.asset(node, name)?;
        let Some(mesh) = asset.mesh()? else {
            return Ok(Vec::new());
        };
        let shapes = asset.shapes.get_or_init(|| asset.make_hulls(name, mesh));
        Ok(shapes
            .as_ref()
            .map_or(Vec::new(), |(shapes, _)| shapes.clone()))
    }

    /// The mass properties of a mesh with density 1; none if its file is not there.
    pub fn inertia(
        &self,
        node: &Node,
        name: &str,
    ) -> Result<Option<SpatialInertia<f64>>, MjcfError> {
        let asset = self.asset(node, name)?;
        let Some(mesh) = asset.mesh()? else {
            return Ok(None);
        };
        if let Some(inertia) = asset.inertia.get() {
            return Ok(Some(*inertia));
        }
        let of_hull = asset.filling == Filling::Convex || mesh.triangles.is_empty();
        let inertia = if of_hull {
            let hull = ConvexPolyhedron::hull_of(&different(&mesh.points));
            let hull = hull.map_err(|e| asset.item.node.error(e))?;
            asset.filling.inertia(&surface(&hull))
        } else {
            asset.filling.inertia(mesh)
        };
        let message = || "the mesh encloses no volume".to_owned();
        match inertia {
            Some(inertia) => Ok(Some(*asset.inertia.get_or_init(|| inertia))),
            None => Err((asset.item.node).error(MjcfProblem::Mesh { message: message() })),
        }
    }

    /// The file of a mesh, if it is not there.
    pub fn missing_file(&self, node: &Node, name: &str) -> Option<String> {
        match &self.asset(node, name).ok()?.source {
            Source::File(path) if !path.is_file() => Some(path.display().to_string()),
            _ => None,
        }
    }

    /// The meshes of which hulls were taken.
    pub fn used(&self) -> impl Iterator<Item = &MjcfMesh> {
        let hulls = self.assets.values().filter_map(|asset| asset.shapes.get());
        hulls.flatten().map(|(_, about)| about)
    }
}

impl<'a> Asset<'a> {
    /// The asset with its name.
    fn new(
        item: Item<'a>,
        compilers: &Compilers,
        hulls: Hulls,
    ) -> Result<(String, Self), MjcfError> {
        let file = compilers.asset_file(&item.node);
        let stem = file.as_deref().and_then(Path::file_stem);
        let name = match (item.node.text("name"), stem) {
            (Some(name), _) => name.to_owned(),
            (None, Some(stem)) => stem.to_string_lossy().into_owned(),
            (None, None) => item.node.required("name")?.to_owned(),
        };
        let source = match file {
            Some(file) => Source::File(file),
            None if item.text("builtin").is_some_and(|kind| kind != "none") => Source::Generated,
            None if item
                .node
                .element
                .children
                .iter()
                .any(|e| e.name == "plugin") =>
            {
                Source::Generated
            }
            None => Source::Inline(inline(&item)?),
        };
        let wanted = item.number("maxhullvert")?.filter(|n| *n != -1.0);
        if wanted.is_some_and(|n| n < 4.0 || n.fract() != 0.0) {
            let expected = "an integer of at least 4, or -1 for all";
            return Err(item.holder("maxhullvert").value("maxhullvert", expected));
        }
        let asset = Asset {
            placement: Placement::new(&item)?,
            filling: Filling::new(&item)?,
            item,
            source,
            hulls: Hulls {
                max_vertices: wanted
                    .map_or(hulls.max_vertices, |n| hulls.max_vertices.min(n as usize)),
                ..hulls
            },
            mesh: OnceCell::new(),
            shapes: OnceCell::new(),
            inertia: OnceCell::new(),
        };
        Ok((name, asset))
    }

    fn mesh(&self) -> Result<Option<&Mesh>, MjcfError> {
        let read = || {
            let mesh = match &self.source {
                Source::File(path) if path.is_file() => {
                    Mesh::load(path).map_err(|error| error.to_string())?
                }
                Source::Inline(mesh) => mesh.clone(),
                Source::File(_) | Source::Generated => return Ok(None),
            };
            Ok(Some(self.placement.place(mesh)))
        };
        match self.mesh.get_or_init(read) {
            Ok(mesh) => Ok(mesh.as_ref()),
            Err(message) => {
                let message = message.clone();
                Err(self.item.node.error(MjcfProblem::Mesh { message }))
            }
        }
    }

    fn make_hulls(&self, name: &str, mesh: &Mesh) -> Option<(Vec<Shape<f64>>, MjcfMesh)> {
        let (hulls, deviation) = self.hulls.of(mesh, &mesh.points).ok()?;
        let about = MjcfMesh {
            name: name.to_owned(),
            path: match &self.source {
                Source::File(path) => Some(path.clone()),
                _ => None,
            },
            triangles: mesh.triangles.len(),
            parts: hulls.len(),
            vertices: hulls.iter().map(|hull| hull.vertices().len()).sum(),
            deviation,
        };
        Some((hulls.into_iter().map(Shape::from).collect(), about))
    }
}

/// Where a mesh is in the frame of a geom, and its size.
struct Placement {
    origin: Vector3<f64>,
    rotation: Matrix3<f64>,
    scale: Vector3<f64>,
}

impl Placement {
    fn new(item: &Item) -> Result<Self, MjcfError> {
        let rotation = match item.array("refquat")? {
            None => Matrix3::identity(),
            Some(q) => rotation_of(q)
                .ok_or_else(|| item.holder("refquat").value("refquat", "not all zero"))?,
        };
        let scale = item.vector("scale")?.unwrap_or(Vector3::repeat(1.0));
        if scale.iter().any(|x| *x == 0.0) {
            return Err(item.holder("scale").value("scale", "none that is zero"));
        }
        Ok(Placement {
            origin: item.vector("refpos")?.unwrap_or_default(),
            rotation,
            scale,
        })
    }

    /// The mesh moved, turned and then scaled; its points are numbers of single precision.
    fn place(&self, mut mesh: Mesh) -> Mesh {
        for point in &mut mesh.points {
            let read = point.map(|x| f64::from(x as f32));
            let turned = self.rotation.tr_mul(&(read - self.origin));
            *point = turned.component_mul(&self.scale);
        }
        if self.scale.product() < 0.0 {
            for [_, b, c] in &mut mesh.triangles {
                std::mem::swap(b, c);
            }
        }
        mesh
    }
}

/// The mesh in `vertex` and `face`.
fn inline(item: &Item) -> Result<Mesh, MjcfError> {
    let vertices = item.holder("vertex");
    vertices.required("vertex")?;
    let coordinates = vertices.list("vertex")?;
    let (points, []) = coordinates.as_chunks::<3>() else {
        return Err(vertices.value("vertex", "three numbers for each point"));
    };
    let faces = item.holder("face");
    let corners = faces.list("face")?;
    let is_point = |i: &f64| i.fract() == 0.0 && (0.0..points.len() as f64).contains(i);
    let (triangles, []) = corners.as_chunks::<3>() else {
        return Err(faces.value("face", "three numbers for each triangle"));
    };
    if !corners.iter().all(is_point) {
        return Err(faces.value("face", "numbers of points, counted from 0"));
    }
    Ok(Mesh {
        points: points.iter().copied().map(Vector3::from).collect(),
        faces: triangles.len(),
        triangles: triangles.iter().map(|t| t.map(|i| i as usize)).collect(),
    })
}

/// The faces of a hull in triangles.
fn surface(hull: &ConvexPolyhedron<f64>) -> Mesh {
    let fans = hull.faces().iter().map(|face| {
        let others = face[1..].windows(2);
        others.map(|pair| [face[0], pair[0], pair[1]])
    });
    Mesh {
        points: hull.vertices().to_vec(),
        faces: hull.faces().len(),
        triangles: fans.flatten().collect(),
    }
}
