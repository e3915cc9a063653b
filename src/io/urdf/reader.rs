//! URDF: options, and the ways to read a description.

use super::assembly::Assembly;
use super::error::{UrdfError, UrdfProblem};
use super::meshes::MeshFiles;
use super::model::{UrdfBase, UrdfMimic, UrdfMistakes, UrdfModel};
use super::node::Node;
use super::repair::repair;
use super::report::UrdfRepair;
use crate::contact::ContactMaterial;
use crate::geometry::ConvexDecomposition;
use crate::io::XmlPlace;
use crate::io::xml::{self, Element};
use crate::tree::{RigidBodyTree, RigidBodyTreeBuilder};
use crate::{InvalidInput, Scalar};
use std::path::{Path, PathBuf};

/// Reads robot descriptions into a tree.
///
/// See the [module](super) for what becomes of each element.
///
/// ```
/// use dualbody::io::urdf::{UrdfBase, UrdfReader};
/// use dualbody::tree::RigidBodyTreeBuilder;
///
/// let pendulum = r#"
///     <robot name="pendulum">
///       <link name="stand"/>
///       <link name="bob">
///         <inertial>
///           <origin xyz="0 0 -0.5"/>
///           <mass value="2"/>
///           <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>
///         </inertial>
///       </link>
///       <joint name="hinge" type="continuous">
///         <parent link="stand"/>
///         <child link="bob"/>
///         <axis xyz="0 1 0"/>
///         <dynamics damping="0.1"/>
///       </joint>
///     </robot>"#;
///
/// // Two of them in one tree, told apart by their names.
/// let mut builder = RigidBodyTreeBuilder::<f64>::new();
/// for name in ["left", "right"] {
///     let reader = UrdfReader::new().with_base(UrdfBase::Fixed).with_model_name(name);
///     let model = reader.read_str(pendulum, &mut builder)?;
///     assert_eq!(model.report.without_inertia, [format!("{name}/stand")]);
/// }
/// let tree = builder.finish()?;
/// let hinge = tree.joint(tree.joint_by_name("left/hinge")?)?;
/// assert_eq!(hinge.damping(), [0.1]);
/// assert_eq!(tree.total_mass(), 4.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct UrdfReader {
    base: UrdfBase,
    mimic: UrdfMimic,
    mistakes: UrdfMistakes,
    model_name: Option<String>,
    material: ContactMaterial<f64>,
    meshes: MeshFiles,
}

impl Default for UrdfReader {
    fn default() -> Self {
        Self::new()
    }
}

impl UrdfReader {
    /// Reads descriptions with the base and mimic joints that they ask for, under the names of the
    /// robots.
    pub fn new() -> Self {
        UrdfReader {
            base: UrdfBase::default(),
            mimic: UrdfMimic::default(),
            mistakes: UrdfMistakes::default(),
            model_name: None,
            material: ContactMaterial {
                stiffness: 1e5,
                dissipation: 0.5,
                friction: 0.7,
                stribeck: None,
                restitution: None,
                rotational: None,
            },
            meshes: MeshFiles::default(),
        }
    }

    /// Sets what carries the root link.
    pub fn with_base(mut self, base: UrdfBase) -> Self {
        self.base = base;
        self
    }

    /// Sets what `<mimic>` does.
    pub fn with_mimic(mut self, mimic: UrdfMimic) -> Self {
        self.mimic = mimic;
        self
    }

    /// Sets what becomes of mistakes.
    ///
    /// ```
    /// use dualbody::io::urdf::{UrdfMistakes, UrdfReader};
    /// let text = r#"<robot name="arm"><link name="tip"><inertial><mass value="1"/></inertial></link></robot>"#;
    /// assert!(UrdfReader::new().tree_from_str::<f64>(text).is_err());
    /// let reader = UrdfReader::new().with_mistakes(UrdfMistakes::Repaired);
    /// let (_, model) = reader.tree_from_str::<f64>(text)?;
    /// assert_eq!(
    ///     model.report.repairs[0].to_string(),
    ///     r#"URDF text:1: link "tip"/inertial: <inertia> is missing: read as that of a point mass, zero"#
    /// );
    /// # Ok::<(), dualbody::Error>(())
    /// ```
    pub fn with_mistakes(mut self, mistakes: UrdfMistakes) -> Self {
        self.mistakes = mistakes;
        self
    }

    /// Sets the name that precedes those of bodies, joints, geometries and their parameters, as in
    /// `"joint/quadruped/FL_knee/damping"`, in place of the robot's. Nothing precedes them if it is empty.
    pub fn with_model_name(mut self, name: impl Into<String>) -> Self {
        self.model_name = Some(name.into());
        self
    }

    /// Sets the material of all surfaces, of which the format says nothing (default: 10⁵ N/m,
    /// 0.5 s/m, μ = 0.7).
    ///
    /// # Errors
    /// [`InvalidInput`] for a material that does not make sense.
    pub fn with_material(mut self, material: ContactMaterial<f64>) -> Result<Self, InvalidInput> {
        material.validate()?;
        self.material = material;
        Ok(self)
    }

    /// Adds a folder to search for meshes, after the folder of the description and those around it.
    ///
    /// `package://NAME/FILE` is the `FILE` in a folder called `NAME`: the one that is searched, or one in it.
    /// A name without a scheme is relative to the folder; `file:` is a path. Where there is no such file, backslashes are
    /// taken for slashes and `%20` for a blank, and then letters in any case, if that names one file alone.
    pub fn with_mesh_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.meshes.folders.push(folder.into());
        self
    }

    /// Takes hulls of meshes with at most this many vertices (default 64; `usize::MAX` for the exact
    /// hull). [`UrdfHull::deviation`](super::UrdfHull::deviation) says what that leaves out.
    ///
    /// # Errors
    /// [`InvalidInput`] for fewer than 4.
    pub fn with_hull_vertices(mut self, number: usize) -> Result<Self, InvalidInput> {
        self.meshes.hulls.set_max_vertices(number)?;
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
        self.meshes.hulls.set_decomposition(options)?;
        Ok(self)
    }

    /// Does not read meshes: nothing touches there.
    pub fn without_meshes(mut self) -> Self {
        self.meshes.are_read = false;
        self
    }

    /// Adds the robot of a file to a tree.
    ///
    /// # Errors
    /// [`UrdfError::Io`] when the file cannot be read, [`UrdfError::Invalid`] for a mistake in the
    /// description. The builder is then as before.
    pub fn read_file<T: Scalar>(
        &self,
        path: impl AsRef<Path>,
        builder: &mut RigidBodyTreeBuilder<T>,
    ) -> Result<UrdfModel<T>, UrdfError> {
        let path = path.as_ref();
        let (source, text) = (path.display().to_string(), text_of(path)?);
        self.read(&source, path.parent(), &text, builder)
    }

    /// Adds the robot of a text to a tree.
    ///
    /// # Errors
    /// [`UrdfError::Invalid`] for a mistake in the description. The builder is then as before.
    pub fn read_str<T: Scalar>(
        &self,
        text: &str,
        builder: &mut RigidBodyTreeBuilder<T>,
    ) -> Result<UrdfModel<T>, UrdfError> {
        self.read("URDF text", None, text, builder)
    }

    /// The tree of one robot alone, from a file.
    ///
    /// # Errors
    /// As [`Self::read_file`].
    pub fn tree_from_file<T: Scalar>(
        &self,
        path: impl AsRef<Path>,
    ) -> Result<(RigidBodyTree<T>, UrdfModel<T>), UrdfError> {
        let (path, text) = (path.as_ref(), text_of(path.as_ref())?);
        self.tree_of(&path.display().to_string(), path.parent(), &text)
    }

    /// The tree of one robot alone, from a text.
    ///
    /// # Errors
    /// As [`Self::read_str`].
    pub fn tree_from_str<T: Scalar>(
        &self,
        text: &str,
    ) -> Result<(RigidBodyTree<T>, UrdfModel<T>), UrdfError> {
        self.tree_of("URDF text", None, text)
    }

    pub(super) fn tree_of<T: Scalar>(
        &self,
        source: &str,
        folder: Option<&Path>,
        text: &str,
    ) -> Result<(RigidBodyTree<T>, UrdfModel<T>), UrdfError> {
        let mut builder = RigidBodyTreeBuilder::new();
        let model = self.read(source, folder, text, &mut builder)?;
        let tree = (builder.finish()).map_err(|error| at_line(source, 1, error.into()))?;
        Ok((tree, model))
    }

    fn read<T: Scalar>(
        &self,
        source: &str,
        folder: Option<&Path>,
        text: &str,
        builder: &mut RigidBodyTreeBuilder<T>,
    ) -> Result<UrdfModel<T>, UrdfError> {
        let (document, repairs) = self.document(source, text)?;
        let robot = Node::versioned_robot(source, &document)?;
        let name = match &self.model_name {
            Some(name) => name,
            None => robot.required_attribute("name")?,
        };
        let mut extended = builder.clone();
        let meshes = self.meshes.around(folder);
        let mut assembly = Assembly::new(&mut extended, name, self.material, meshes);
        assembly.take_repairs(self.mistakes, repairs);
        let model = assembly.assemble(&robot, self.base, self.mimic)?;
        let finished = extended.clone().finish();
        finished.map_err(|e| robot.error(e))?;
        *builder = extended;
        Ok(model)
    }

    /// The outermost element of a text, and what has been mended in it.
    pub(super) fn document(
        &self,
        source: &str,
        text: &str,
    ) -> Result<(Element, Vec<UrdfRepair>), UrdfError> {
        let mut document = parse_robot(source, text)?;
        let repairs = match self.mistakes {
            UrdfMistakes::Refused => Vec::new(),
            UrdfMistakes::Repaired => repair(source, &mut document),
        };
        Ok((document, repairs))
    }
}

/// The outermost element of a text.
pub(in crate::io) fn parse_robot(source: &str, text: &str) -> Result<Element, UrdfError> {
    xml::parse(text, 0).map_err(|error| {
        let message = error.message;
        at_line(source, error.line, UrdfProblem::Syntax { message })
    })
}

/// The text of a file.
pub(super) fn text_of(path: &Path) -> Result<String, UrdfError> {
    std::fs::read_to_string(path).map_err(|source| UrdfError::Io {
        path: path.to_owned(),
        source,
    })
}

fn at_line(source: &str, line: usize, problem: UrdfProblem) -> UrdfError {
    UrdfError::Invalid {
        place: XmlPlace {
            source: source.to_owned(),
            line,
            element: String::new(),
        },
        problem: Box::new(problem),
    }
}
