//! Constants of a machine in the description that it came from.

use crate::error::{Failure, Outcome};
use crate::source::{Reading, mjcf_reader, urdf_reader};
use crate::system::{Stepper, System};
use dualbody::Parameters as _;
use dualbody::io::mjcf::MjcfElements;
use dualbody::io::urdf::{UrdfModel, UrdfSurroundings};
use dualbody::tree::{BodyIndex, RigidBodyTree};
use pyo3::prelude::*;
use std::path::PathBuf;

#[pymethods]
impl System {
    /// The text of a robot description, a path or a text, with the constants of this machine in place of its own, all else to the
    /// byte as it was: masses and inertias, poses and axes of joints, damping, friction, limits, shapes. ``base``, ``lenient`` and
    /// ``mesh_folders`` are those it was read with. What a description cannot say and has changed, as armatures, gear ratios or
    /// gravity, is an error.
    #[pyo3(signature = (source, *, base=None, mesh_folders=vec![], lenient=false))]
    fn to_urdf(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        base: Option<&str>,
        mesh_folders: Vec<PathBuf>,
        lenient: bool,
    ) -> Outcome<String> {
        let (reading, stepper) = (Reading::of(source)?, self.stepper());
        py.detach(|| {
            let reader = urdf_reader(base, lenient, &mesh_folders)?;
            // Of geometries in the world a robot description knows nothing.
            let geometries: Vec<_> = (stepper.contact().geometries().iter())
                .filter(|geometry| geometry.body != BodyIndex::WORLD)
                .cloned()
                .collect();
            let tree = stepper.tree();
            let (text, read) = match &reading {
                Reading::File(path) => (
                    reader.updated_file(path, tree, &geometries)?,
                    reader.tree_from_file::<f64>(path)?,
                ),
                Reading::Text(text) => (
                    reader.updated(text, tree, &geometries)?,
                    reader.tree_from_str::<f64>(text)?,
                ),
            };
            check_written(&stepper, read)?;
            Ok(text)
        })
    }

    /// As :meth:`to_urdf`, of a model of MuJoCo, with constants of its springs, actuators and equality constraints, too. Files that a
    /// model includes cannot change.
    #[pyo3(signature = (source, *, lenient=false))]
    fn to_mjcf(&self, py: Python<'_>, source: &Bound<'_, PyAny>, lenient: bool) -> Outcome<String> {
        let (reading, stepper) = (Reading::of(source)?, self.stepper());
        py.detach(|| {
            let (tree, geometries) = (stepper.tree(), stepper.contact().geometries());
            let elements = MjcfElements::of_system(stepper.system());
            let reader = mjcf_reader(lenient);
            let path = match reading {
                Reading::Text(text) => {
                    return Ok(reader.updated(&text, tree, geometries, &elements)?);
                }
                Reading::File(path) => path,
            };
            let mut text = None;
            for (changed, new) in reader.updated_file(&path, tree, geometries, &elements)? {
                if changed != path {
                    let (file, included) = (path.display(), changed.display());
                    return Err(Failure::argument(format!(
                        "{file}: constants that have changed are in {included}, which it includes"
                    )));
                }
                text = Some(new);
            }
            match text {
                Some(text) => Ok(text),
                None => Ok(std::fs::read_to_string(&path)
                    .map_err(|error| Failure::argument(format!("{}: {error}", path.display())))?),
            }
        })
    }
}

/// Parts of a machine of which a robot description says nothing.
const NOT_OF_A_URDF: [&str; 3] = ["actuator/", "force/", "gravity/"];

/// Refuses such constants that differ from those of the machine of a description.
fn check_written(
    stepper: &Stepper,
    (tree, model): (RigidBodyTree<f64>, UrdfModel<f64>),
) -> Outcome<()> {
    let machine = model.system(tree, &UrdfSurroundings::default())?;
    let given = machine.parameters();
    let value_of = |name: &str| given.iter().find(|p| p.name == name).map(|p| p.value);
    let own = stepper.parameters();
    let of_machine = own
        .iter()
        .filter(|p| NOT_OF_A_URDF.iter().any(|part| p.name.starts_with(part)));
    let is_kept = |name: &str, own: f64| value_of(name).is_none_or(|value| value == own);
    match of_machine.into_iter().find(|p| !is_kept(&p.name, p.value)) {
        None => Ok(()),
        Some(p) => Err(Failure::argument(format!(
            "{} = {} cannot be written into a URDF",
            p.name, p.value
        ))),
    }
}
