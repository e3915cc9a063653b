//! MJCF: models with the constants of a tree in place of their own.

use super::body::BodyReader;
use super::changes::Update;
use super::compiler::Compilers;
use super::defaults::Defaults;
use super::document::{Document, Source};
use super::element_constants::ElementConstants;
use super::elements::MjcfElements;
use super::equality_changes::site_names;
use super::error::{MjcfError, MjcfProblem};
use super::mesh::Meshes;
use super::reader::MjcfReader;
use super::report::MjcfReport;
use crate::Scalar;
use crate::contact::CollisionGeometry;
use crate::io::round_trip::RoundTrip;
use crate::io::xml::Edits;
use crate::tree::RigidBodyTree;
use std::path::{Path, PathBuf};

impl MjcfReader {
    /// The text of a model with the constants of `tree` (real parts) in place of its own, read with the
    /// options of this reader: what has been identified goes back to where the model came from.
    ///
    /// Gravity, mass properties, poses of bodies and sites, axes, damping, friction, armature and limits of
    /// joints are written where they differ from the model, and with `geometries`, if any have the name of
    /// one of the model, dimensions, poses and friction of geoms. From `elements`, which may lack any of the model's
    /// ([`MjcfModel::elements`](super::MjcfModel::elements)), come the constants of springs, of actuators (gains, gears,
    /// ranges, time constants) and of equality constraints, each on the element itself where a default class gave it. All
    /// else stays as it is, to the byte; where mass properties came from geoms, `<inertial>` is added, and sites where the points or frames of an
    /// equality do not follow from one another as the format has it. Geoms whose meshes are files take no part: for these
    /// there is [`Self::updated_file`].
    ///
    /// # Errors
    /// As [`Self::read_str`]; [`MjcfProblem::Tree`] when the tree lacks a body, a joint or a site;
    /// [`MjcfProblem::NotExpressible`] when reading the result would not give back a constant, as for joints
    /// of one body that have moved apart, masses between them, vertices of a mesh, a `fromto`, stiffness and dissipation of
    /// a surface, or constants of a sensor that have changed; or what is no constant: kinds of joints, and which bodies
    /// joints, sites and geometries are on; and [`MjcfProblem::Include`] for a model that includes files: see
    /// [`Self::updated_file`].
    pub fn updated<T: Scalar>(
        &self,
        text: &str,
        tree: &RigidBodyTree<T>,
        geometries: &[CollisionGeometry<T>],
        elements: &MjcfElements<T>,
    ) -> Result<String, MjcfError> {
        let document = Document::from_text(text)?;
        if let Some(included) = document.sources.get(1) {
            return Err(MjcfError::Invalid {
                place: document.place(document.root()),
                problem: Box::new(MjcfProblem::Include {
                    path: PathBuf::from(&included.name),
                    reason: "is another file, and one text is wanted".to_owned(),
                }),
            });
        }
        let reread = |sources: &[Source]| Document::from_text(&sources[0].text);
        let mut sources = self.update(&document, tree, geometries, elements, reread)?;
        Ok(sources.swap_remove(0).text)
    }

    /// As [`Self::updated`], of a model in a file and those that it includes: the files that change, with
    /// their texts. Nothing is written.
    ///
    /// # Errors
    /// As [`Self::updated`].
    pub fn updated_file<T: Scalar>(
        &self,
        path: impl AsRef<Path>,
        tree: &RigidBodyTree<T>,
        geometries: &[CollisionGeometry<T>],
        elements: &MjcfElements<T>,
    ) -> Result<Vec<(PathBuf, String)>, MjcfError> {
        let path = path.as_ref();
        let document = Document::from_file(path)?;
        let reread = |sources: &[Source]| Document::from_changed_file(path, sources);
        let updated = self.update(&document, tree, geometries, elements, reread)?;
        let pairs = document.sources.iter().zip(updated);
        let changed = pairs.filter(|(was, is)| was.text != is.text);
        Ok(changed
            .map(|(_, is)| (PathBuf::from(is.name), is.text))
            .collect())
    }

    fn update<T: Scalar>(
        &self,
        document: &Document,
        tree: &RigidBodyTree<T>,
        geometries: &[CollisionGeometry<T>],
        elements: &MjcfElements<T>,
        reread: impl Fn(&[Source]) -> Result<Document, MjcfError>,
    ) -> Result<Vec<Source>, MjcfError> {
        let tree = tree.cast::<f64>();
        let geometries: Vec<_> = geometries
            .iter()
            .map(CollisionGeometry::cast::<f64>)
            .collect();
        let wanted = ElementConstants::of(&elements.cast::<f64>());
        let (original, model) = self.tree::<f64>(document)?;
        let described = ElementConstants::of(&model.elements);
        let defaults = Defaults::new(document)?;
        let compilers = Compilers::new(document)?;
        let meshes = Meshes::new(&defaults, &compilers, self.hulls)?;
        let bodies = BodyReader::read(
            self,
            &defaults,
            &compilers,
            &meshes,
            &mut MjcfReport::default(),
        )?;
        let mut update = Update {
            edits: document.sources.iter().map(|_| Edits::default()).collect(),
            compilers: &compilers,
            root: document.root(),
            bodies: &bodies,
            original: &original,
            model: &model,
            tree: &tree,
            site_names: site_names(&bodies),
        };
        update.gravity();
        let resized = update.geoms(&geometries);
        update.bodies(&resized)?;
        update.joints()?;
        update.sites()?;
        let mut sources = update.texts(&document.sources);
        let (mut read, mut again) = self.tree::<f64>(&reread(&sources)?)?;
        // Constants of elements may follow from those of the tree.
        let written = ElementConstants::of(&again.elements);
        if update.elements(&defaults, [&described, &written, &wanted], (&read, &again))? {
            sources = update.texts(&document.sources);
            (read, again) = self.tree::<f64>(&reread(&sources)?)?;
            // The limit that a joint sets to its actuator depends on the gear.
            let written = ElementConstants::of(&again.elements);
            if update.actuators(&defaults, [&described, &written, &wanted])? {
                sources = update.texts(&document.sources);
                (read, again) = self.tree::<f64>(&reread(&sources)?)?;
            }
        }
        let round_trip = RoundTrip {
            wanted: &tree,
            found: &read,
        };
        update.check(round_trip, &geometries, &again)?;
        let found = ElementConstants::of(&again.elements);
        update.check_elements(&defaults, wanted.lost(&described, &found))?;
        Ok(sources)
    }
}
