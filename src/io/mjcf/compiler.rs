//! MJCF: the element `<compiler>`, and orientations, which depend on it.

use super::defaults::{Item, Node};
use super::document::Document;
use super::error::MjcfError;
use crate::io::quaternion::rotation_of;
use crate::math::{RigidTransform, rotation};
use nalgebra::{Matrix3, Vector3};
use std::path::{Path, PathBuf};

/// The attributes that say how something is turned.
pub(super) const ORIENTATIONS: [&str; 5] = ["euler", "axisangle", "xyaxes", "zaxis", "quat"];

/// How numbers and bodies without mass properties are to be understood.
pub(super) struct Compiler {
    in_radians: bool,
    euler_sequence: [u8; 3],
    pub automatic_limits: bool,
    /// Whether mass properties come from the geoms: always, never, or where a body has none.
    pub inertia_from_geoms: Option<bool>,
    /// The first and last group of geoms that have mass.
    pub inertia_groups: [f64; 2],
    pub least_mass: f64,
    pub least_inertia: f64,
    pub balance_inertia: bool,
    pub total_mass: Option<f64>,
    /// Whether frames of free bodies move to their centres of mass.
    pub aligns_free_bodies: bool,
    /// The folder of meshes, relative to that of the model.
    pub mesh_folder: Option<String>,
    /// Whether only the names of files count, not their folders.
    pub strips_paths: bool,
    /// Whether shapes are fitted to the box about a mesh, not to its inertia.
    pub fits_boxes: bool,
}

/// What each model of a document says: elements are understood as the model says that they came from.
pub(super) struct Compilers(Vec<Compiler>);

impl Compilers {
    pub fn new(document: &Document) -> Result<Self, MjcfError> {
        let models = 0..document.models.len();
        let all: Result<Vec<_>, _> = models.map(|k| Compiler::new(document, k)).collect();
        Ok(Compilers(all?))
    }

    /// What is said for an element.
    pub fn of(&self, node: &Node) -> &Compiler {
        &self.0[node.document.model_of(node.element)]
    }

    /// What is said by the model itself.
    pub fn of_model(&self) -> &Compiler {
        &self.0[0]
    }

    /// What `pos` and the attributes of orientation say.
    pub fn pose(&self, item: &Item) -> Result<RigidTransform<f64>, MjcfError> {
        self.of(&item.node).pose(item)
    }

    /// Where the file of an asset is, if it has one: in the folder of meshes, which is relative to that of the model; what
    /// is not there, beside the file with the element.
    pub fn asset_file(&self, node: &Node) -> Option<PathBuf> {
        let (compiler, document) = (self.of(node), node.document);
        let file = Path::new(node.text("file")?);
        let stripped = file.file_name().filter(|_| compiler.strips_paths);
        let file = stripped.map_or(file, Path::new);
        let meshes = Path::new(compiler.mesh_folder.as_deref().unwrap_or_default());
        let of_model = &document.models[document.model_of(node.element)].folder;
        let beside = &document.sources[node.element.source].folder;
        let first = of_model.join(meshes).join(file);
        let others = [beside.join(file), beside.join(meshes).join(file)];
        let found = others.into_iter().find(|path| path.is_file());
        Some(found.filter(|_| !first.is_file()).unwrap_or(first))
    }
}

impl Compiler {
    pub fn new(document: &Document, model: usize) -> Result<Self, MjcfError> {
        let mut compiler = Compiler {
            in_radians: false,
            euler_sequence: *b"xyz",
            automatic_limits: true,
            inertia_from_geoms: None,
            inertia_groups: [0.0, 5.0],
            least_mass: 0.0,
            least_inertia: 0.0,
            balance_inertia: false,
            total_mass: None,
            aligns_free_bodies: false,
            mesh_folder: None,
            strips_paths: false,
            fits_boxes: false,
        };
        let sections = document.models[model].root.children.iter();
        for element in sections.filter(|e| e.name == "compiler") {
            compiler.read(&Node { document, element })?;
        }
        Ok(compiler)
    }

    fn read(&mut self, node: &Node) -> Result<(), MjcfError> {
        match node.text("coordinate") {
            None | Some("local") => {}
            Some(_) => return Err(node.value("coordinate", "local")),
        }
        match node.text("angle") {
            None => {}
            Some("radian") => self.in_radians = true,
            Some("degree") => self.in_radians = false,
            Some(_) => return Err(node.value("angle", "radian or degree")),
        }
        if let Some(sequence) = node.text("eulerseq") {
            let expected = "three of the letters x, y, z, X, Y, Z";
            let sequence = <[u8; 3]>::try_from(sequence.as_bytes()).ok();
            self.euler_sequence = sequence
                .filter(|s| s.iter().all(|axis| b"xyzXYZ".contains(axis)))
                .ok_or_else(|| node.value("eulerseq", expected))?;
        }
        let set = |name, value: &mut f64| -> Result<(), MjcfError> {
            *value = node.number(name)?.unwrap_or(*value);
            Ok(())
        };
        set("boundmass", &mut self.least_mass)?;
        set("boundinertia", &mut self.least_inertia)?;
        if let Some(mass) = node.number("settotalmass")? {
            self.total_mass = Some(mass).filter(|mass| *mass > 0.0);
        }
        self.automatic_limits = node.flag("autolimits")?.unwrap_or(self.automatic_limits);
        self.balance_inertia = node.flag("balanceinertia")?.unwrap_or(self.balance_inertia);
        if let Some(folder) = node.text("meshdir").or(node.text("assetdir")) {
            self.mesh_folder = Some(folder.to_owned());
        }
        self.strips_paths = node.flag("strippath")?.unwrap_or(self.strips_paths);
        self.aligns_free_bodies = node.flag("alignfree")?.unwrap_or(self.aligns_free_bodies);
        self.fits_boxes = node.flag("fitaabb")?.unwrap_or(self.fits_boxes);
        if node.text("inertiafromgeom").is_some() {
            self.inertia_from_geoms = node.flag("inertiafromgeom")?;
        }
        if let Some(groups) = node.array("inertiagrouprange")? {
            self.inertia_groups = groups;
        }
        Ok(())
    }

    /// In radians.
    pub fn angle(&self, angle: f64) -> f64 {
        if self.in_radians {
            angle
        } else {
            angle.to_radians()
        }
    }

    /// What `pos` and the attributes of orientation say.
    pub fn pose(&self, item: &Item) -> Result<RigidTransform<f64>, MjcfError> {
        let translation = item.vector("pos")?.unwrap_or_default();
        Ok(RigidTransform::new(self.orientation(item)?, translation))
    }

    /// What `euler`, `axisangle`, `xyaxes`, `zaxis` or `quat` says: of an element and its defaults, the first that has
    /// any of these.
    pub fn orientation(&self, item: &Item) -> Result<Matrix3<f64>, MjcfError> {
        let says = |node: &Node| ORIENTATIONS.iter().any(|name| node.has(name));
        match item.layers().into_iter().find(says) {
            Some(node) => self.orientation_in(&node),
            None => Ok(Matrix3::identity()),
        }
    }

    /// What `euler` says.
    pub fn euler_rotation(&self, angles: [f64; 3]) -> Matrix3<f64> {
        let turn = |r: Matrix3<f64>, (letter, angle): (&u8, &f64)| {
            let axis = Vector3::ith(usize::from(letter.to_ascii_lowercase() - b'x'), 1.0);
            let turn = rotation::exp(&(axis * self.angle(*angle)));
            match letter.is_ascii_lowercase() {
                true => r * turn,
                false => turn * r,
            }
        };
        let turns = self.euler_sequence.iter().zip(&angles);
        turns.fold(Matrix3::identity(), turn)
    }

    fn orientation_in(&self, node: &Node) -> Result<Matrix3<f64>, MjcfError> {
        let mut said = ORIENTATIONS.iter().filter(|name| node.has(name));
        if let Some(second) = said.nth(1) {
            return Err(node.value(second, "no other orientation beside it"));
        }
        if let Some(angles) = node.array::<3>("euler")? {
            return Ok(self.euler_rotation(angles));
        }
        let direction = |attribute, v: Vector3<f64>| {
            // Scaled by the largest first, so that squaring cannot underflow or overflow.
            let unit = (v / v.amax()).try_normalize(0.0);
            unit.ok_or_else(|| node.value(attribute, "not all zero"))
        };
        if let Some([x, y, z, angle]) = node.array("axisangle")? {
            let axis = direction("axisangle", Vector3::new(x, y, z))?;
            return Ok(rotation::exp(&(axis * self.angle(angle))));
        }
        if let Some([a, b, c, d, e, f]) = node.array("xyaxes")? {
            let x = direction("xyaxes", Vector3::new(a, b, c))?;
            let y = Vector3::new(d, e, f);
            let y = direction("xyaxes", y - x * x.dot(&y))?;
            return Ok(Matrix3::from_columns(&[x, y, x.cross(&y)]));
        }
        if let Some(axis) = node.array::<3>("zaxis")? {
            return Ok(from_z_axis(&direction("zaxis", axis.into())?));
        }
        match node.array("quat")? {
            Some([w, x, y, z]) => {
                rotation_of([w, x, y, z]).ok_or_else(|| node.value("quat", "not all zero"))
            }
            None => Ok(Matrix3::identity()),
        }
    }
}

/// The pose and the length that `fromto` gives an element of the kind.
pub(super) fn span(
    item: &Item,
    kind: &str,
) -> Result<Option<(RigidTransform<f64>, f64)>, MjcfError> {
    let Some([a, b, c, d, e, f]) = item.array("fromto")? else {
        return Ok(None);
    };
    let error = |expected| Err(item.holder("fromto").value("fromto", expected));
    if !matches!(kind, "capsule" | "cylinder" | "box" | "ellipsoid") {
        return error("a capsule, a cylinder, a box or an ellipsoid around it");
    }
    if item
        .vector("pos")?
        .is_some_and(|pos| pos != Vector3::zeros())
    {
        return Err(item.holder("pos").value("pos", "no fromto beside it"));
    }
    let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
    let span = from - to;
    let length = span.norm();
    if !(length > 0.0 && length.is_finite()) {
        return error("two different points");
    }
    let rotation = from_z_axis(&(span / length));
    let pose = RigidTransform::new(rotation, (from + to) / 2.0);
    Ok(Some((pose, length)))
}

/// The least rotation that takes z to a unit vector; for −z about x.
pub(super) fn from_z_axis(axis: &Vector3<f64>) -> Matrix3<f64> {
    let normal = Vector3::z().cross(axis);
    let sine = normal.norm();
    let direction = if sine < 1e-10 {
        Vector3::x()
    } else {
        normal / sine
    };
    rotation::exp(&(direction * sine.atan2(axis.z)))
}
