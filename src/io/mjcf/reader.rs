//! MJCF: options, and the ways to read a model.

use super::assembly::Assembly;
use super::body::BodyReader;
use super::compiler::Compilers;
use super::defaults::Defaults;
use super::document::Document;
use super::elements::MjcfElements;
use super::error::{MjcfError, MjcfProblem};
use super::mesh::Meshes;
use super::report::MjcfReport;
use super::resistance::Resistance;
use super::schema;
use crate::contact::{CollisionGeometry, ContactError, ContactMaterial, ContactModelBuilder};
use crate::geometry::ConvexDecomposition;
use crate::io::NamedConfiguration;
use crate::io::hulls::Hulls;
use crate::system::{RigidBodySystem, SystemError, SystemOptions};
use crate::tree::{BodyIndex, FrameIndex, JointIndex, RigidBodyTree, RigidBodyTreeBuilder};
use crate::{InvalidInput, Scalar};
use std::path::Path;

/// Reads models in MJCF into a tree.
///
/// See the [module](super) for what becomes of each element.
#[derive(Debug, Clone, PartialEq)]
pub struct MjcfReader {
    pub(super) model_name: Option<String>,
    pub(super) material: ContactMaterial<f64>,
    pub(super) hulls: Hulls,
    pub(super) is_lenient: bool,
}

/// What a model has added to a tree, and what lies on it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MjcfModel<T: Scalar> {
    /// The name that precedes those of all elements; empty if there is none.
    pub name: String,
    /// The bodies of the model in its order, the world first.
    pub bodies: Vec<BodyIndex>,
    /// The joints of the model in its order.
    pub joints: Vec<JointIndex>,
    /// The sites that have names, in their order.
    pub sites: Vec<FrameIndex>,
    /// The shapes that can touch something.
    pub collision_geometries: Vec<CollisionGeometry<T>>,
    /// Which pairs of [`Self::collision_geometries`] can touch, and the friction of some.
    pub(super) contact: super::contact::ContactRules,
    /// Springs, actuators, sensors and constraints.
    pub elements: MjcfElements<T>,
    pub(super) origins: Origins,
    pub(super) resistance: Resistance,
    /// The positions in which the model is described: free joints and `ref`; all else is at zero.
    pub reference: NamedConfiguration,
    /// The key frames that give positions.
    pub key_frames: Vec<NamedConfiguration>,
    /// The time step in s that the model asks for (0.002 if it does not).
    pub time_step: f64,
    /// Whether the model asks for elliptic friction cones instead of pyramids.
    pub round_friction_cones: bool,
    /// What was read and what was not.
    pub report: MjcfReport,
}

/// Which elements of their sections actuators and constraints came from.
#[derive(Debug, Clone, Default)]
pub(super) struct Origins {
    pub actuators: Vec<usize>,
    pub constraints: Vec<usize>,
}

impl<T: Scalar> MjcfModel<T> {
    /// The geometries, and of their pairs those that can touch by the rules of the format: by their
    /// bits, unless their bodies are excluded, welded together or parent and child of which neither is
    /// welded to the world; and pairs that are listed.
    ///
    /// # Errors
    /// [`ContactError`] when two geometries have the same name.
    pub fn contact_model_builder(&self) -> Result<ContactModelBuilder<T>, ContactError> {
        self.contact.builder(&self.collision_geometries)
    }

    /// The machine of a tree that holds the model, with its elements and its contact; its inputs are those of the
    /// actuators of the model. Its initial state is that of the
    /// tree, not that of [`Self::reference`]. Joints stay within the limits that they have in the tree, and rub with its
    /// friction, unless the model switches that off: constraints `JOINT/limits`
    /// ([`JointLimitConstraint`](crate::constraint::JointLimitConstraint) and
    /// [`BallLimitConstraint`](crate::constraint::BallLimitConstraint)) and a force
    /// ([`JointFriction`](crate::force::JointFriction) with a speed of 0.01 rad/s or m/s) beside [`Self::elements`]. Its
    /// options are the default ones with [`Self::round_friction_cones`], which only rigid contact has.
    ///
    /// # Errors
    /// [`SystemError`] for a tree that the model is not part of, and pairs of shapes that have no contact.
    pub fn system(&self, tree: RigidBodyTree<T>) -> Result<RigidBodySystem<T>, SystemError> {
        let contact = self.contact_model_builder()?.finish(&tree)?;
        let elements = self.elements.clone();
        let (friction, limits) = (self.friction(&tree)?, self.limits(&tree)?);
        let options = SystemOptions {
            round_friction_cones: self.round_friction_cones,
            ..SystemOptions::default()
        };
        RigidBodySystem::new(tree, contact)?
            .with_options(options)?
            .with_forces(elements.forces)?
            .with_forces(friction)?
            .with_actuators(elements.actuators)?
            .with_sensors(elements.sensors)?
            .with_constraints(elements.constraints)?
            .with_constraints(limits)
    }
}

impl Default for MjcfReader {
    fn default() -> Self {
        Self::new()
    }
}

impl MjcfReader {
    /// Reads models under their own names.
    pub fn new() -> Self {
        MjcfReader {
            model_name: None,
            material: ContactMaterial {
                stiffness: 1e5,
                dissipation: 0.5,
                friction: 1.0,
                stribeck: None,
                restitution: None,
                rotational: None,
            },
            hulls: Hulls::default(),
            is_lenient: false,
        }
    }

    /// Sets the name that precedes those of bodies, joints, geometries and elements, in place of the
    /// model's. Nothing precedes them if it is empty.
    pub fn with_model_name(mut self, name: impl Into<String>) -> Self {
        self.model_name = Some(name.into());
        self
    }

    /// Sets stiffness and dissipation of all surfaces (default: 10⁵ N/m, 0.5 s/m). Friction is the
    /// model's.
    ///
    /// # Errors
    /// [`InvalidInput`] for a material that does not make sense.
    pub fn with_material(mut self, material: ContactMaterial<f64>) -> Result<Self, InvalidInput> {
        material.validate()?;
        self.material = material;
        Ok(self)
    }

    /// Takes hulls of meshes with at most this many vertices (default 64; `usize::MAX` for the exact
    /// hull). [`MjcfMesh::deviation`](super::MjcfMesh::deviation) says what that leaves out.
    ///
    /// # Errors
    /// [`InvalidInput`] for fewer than 4.
    pub fn with_hull_vertices(mut self, number: usize) -> Result<Self, InvalidInput> {
        self.hulls.set_max_vertices(number)?;
        Ok(self)
    }

    /// Divides meshes into convex parts, in place of taking one convex hull, which fills notches and holes. Of
    /// several parts, each is a geometry on the same body, of the name of the mesh's followed by `/part_1`,
    /// `/part_2`, …; each stands on points of its own, so that a mesh on flat ground is the stiffer the more parts reach it.
    /// Meshes without triangles are not divided.
    ///
    /// # Errors
    /// [`InvalidInput`] for options that are out of range.
    pub fn with_convex_decomposition(
        mut self,
        options: ConvexDecomposition,
    ) -> Result<Self, InvalidInput> {
        self.hulls.set_decomposition(options)?;
        Ok(self)
    }

    /// Leaves out bodies that are not read, and masses that would follow from files that are not there, in place of
    /// refusing the model: [`MjcfReport::left_out`] and [`MjcfReport::unknown_inertia`] say which. The dynamics are then not
    /// those of the model.
    pub fn lenient(mut self) -> Self {
        self.is_lenient = true;
        self
    }

    /// Adds the model of a file to a tree.
    ///
    /// # Errors
    /// [`MjcfError::Io`] when the file cannot be read, [`MjcfError::Invalid`] for a mistake in the model
    /// or in a file that it includes. The builder is then as before.
    pub fn read_file<T: Scalar>(
        &self,
        path: impl AsRef<Path>,
        builder: &mut RigidBodyTreeBuilder<T>,
    ) -> Result<MjcfModel<T>, MjcfError> {
        self.read(&Document::from_file(path.as_ref())?, builder)
    }

    /// Adds the model of a text to a tree. Files that it includes are relative to the folder that the
    /// program runs in.
    ///
    /// # Errors
    /// [`MjcfError::Invalid`] for a mistake in the model. The builder is then as before.
    pub fn read_str<T: Scalar>(
        &self,
        text: &str,
        builder: &mut RigidBodyTreeBuilder<T>,
    ) -> Result<MjcfModel<T>, MjcfError> {
        self.read(&Document::from_text(text)?, builder)
    }

    /// The tree of one model alone, from a file.
    ///
    /// # Errors
    /// As [`Self::read_file`].
    pub fn tree_from_file<T: Scalar>(
        &self,
        path: impl AsRef<Path>,
    ) -> Result<(RigidBodyTree<T>, MjcfModel<T>), MjcfError> {
        self.tree(&Document::from_file(path.as_ref())?)
    }

    /// The tree of one model alone, from a text.
    ///
    /// # Errors
    /// As [`Self::read_str`].
    pub fn tree_from_str<T: Scalar>(
        &self,
        text: &str,
    ) -> Result<(RigidBodyTree<T>, MjcfModel<T>), MjcfError> {
        self.tree(&Document::from_text(text)?)
    }

    /// The machine of one model alone, with its elements and its contact, from a file.
    ///
    /// # Errors
    /// As [`Self::read_file`], and [`MjcfError::System`] as [`MjcfModel::system`] says.
    pub fn system_from_file<T: Scalar>(
        &self,
        path: impl AsRef<Path>,
    ) -> Result<(RigidBodySystem<T>, MjcfModel<T>), MjcfError> {
        let path = path.as_ref();
        let (tree, model) = self.tree_from_file(path)?;
        let system = model.system(tree).map_err(|e| MjcfError::System {
            path: path.to_owned(),
            source: Box::new(e),
        })?;
        Ok((system, model))
    }

    pub(super) fn tree<T: Scalar>(
        &self,
        document: &Document,
    ) -> Result<(RigidBodyTree<T>, MjcfModel<T>), MjcfError> {
        let mut builder = RigidBodyTreeBuilder::new();
        let model = self.read(document, &mut builder)?;
        let finished = builder.finish();
        let tree = finished.map_err(|e| invalid(document, e.into()))?;
        Ok((tree, model))
    }

    fn read<T: Scalar>(
        &self,
        document: &Document,
        builder: &mut RigidBodyTreeBuilder<T>,
    ) -> Result<MjcfModel<T>, MjcfError> {
        if document.root().name != "mujoco" {
            let found = document.root().name.clone();
            return Err(invalid(document, MjcfProblem::NotAModel { found }));
        }
        let mut report = MjcfReport {
            left_out: document.left_out.clone(),
            ..MjcfReport::default()
        };
        let defaults = Defaults::new(document)?;
        schema::survey(&defaults, ("", document.root()), &mut report)?;
        let compilers = Compilers::new(document)?;
        let meshes = Meshes::new(&defaults, &compilers, self.hulls)?;
        let bodies = BodyReader::read(self, &defaults, &compilers, &meshes, &mut report)?;
        report.meshes = meshes.used().cloned().collect();
        let mut extended = builder.clone();
        let assembly = Assembly::new(self, &defaults, &compilers, &bodies, report, &mut extended);
        let model = assembly.assemble()?;
        *builder = extended;
        Ok(model)
    }
}

fn invalid(document: &Document, problem: MjcfProblem) -> MjcfError {
    MjcfError::Invalid {
        place: document.place(document.root()),
        problem: Box::new(problem),
    }
}
