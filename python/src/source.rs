//! Machines from files and texts.

use crate::error::{Failure, Outcome};
use crate::system::{Stepper, System};
use dualbody::io::mjcf::MjcfReader;
use dualbody::io::urdf::{UrdfBase, UrdfDrive, UrdfMistakes, UrdfReader, UrdfSurroundings};
use dualbody::system::{IntegrationMethod, Scheme, TimeSteppingRigidBodySystem};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A file, or a text.
#[derive(Debug)]
pub enum Reading {
    /// To be read.
    File(PathBuf),
    /// As it is.
    Text(String),
}

impl Reading {
    /// A string that starts like a document is one; all else are paths.
    pub fn of(source: &Bound<'_, PyAny>) -> Outcome<Self> {
        if let Ok(text) = source.extract::<String>()
            && text.trim_start().starts_with(['<', '{'])
        {
            return Ok(Reading::Text(text));
        }
        let path = source.extract::<PathBuf>();
        path.map(Reading::File)
            .map_err(|_| Failure::argument("source: expected a path or a text"))
    }
}

/// How a robot description is read.
pub struct UrdfOptions<'o> {
    pub base: Option<&'o str>,
    pub floor: Option<f64>,
    pub drive: &'o str,
    pub self_contact: bool,
    pub mesh_folders: Vec<PathBuf>,
    pub lenient: bool,
}

/// The names of schemes, the last that of others in continuous time.
const SCHEMES: [&str; 6] = [
    "compliant",
    "rigid",
    "rk4",
    "midpoint",
    "radau3",
    "continuous",
];

/// The scheme of a name.
pub fn scheme(name: &str) -> Outcome<Scheme> {
    let continuous = |method| {
        Ok(Scheme::Continuous {
            method,
            substeps: 1,
        })
    };
    match name {
        "compliant" => Ok(Scheme::Compliant),
        "rigid" => Ok(Scheme::Rigid),
        "rk4" => continuous(IntegrationMethod::RungeKutta4),
        "midpoint" => continuous(IntegrationMethod::ImplicitMidpoint),
        "radau3" => continuous(IntegrationMethod::Radau3),
        "continuous" => continuous(IntegrationMethod::Radau5),
        _ => Err(Failure::argument(format!(
            "scheme: found {name:?}, expected one of {SCHEMES:?}"
        ))),
    }
}

/// The name of a scheme.
pub fn scheme_name(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::Compliant => "compliant",
        Scheme::Rigid => "rigid",
        Scheme::Continuous {
            method: IntegrationMethod::RungeKutta4,
            ..
        } => "rk4",
        Scheme::Continuous {
            method: IntegrationMethod::ImplicitMidpoint,
            ..
        } => "midpoint",
        Scheme::Continuous {
            method: IntegrationMethod::Radau3,
            ..
        } => "radau3",
        _ => "continuous",
    }
}

/// The reader of robot descriptions as options say.
pub fn urdf_reader(
    base: Option<&str>,
    lenient: bool,
    mesh_folders: &[PathBuf],
) -> Outcome<UrdfReader> {
    let mut reader = match base {
        None => UrdfReader::new(),
        Some("fixed") => UrdfReader::new().with_base(UrdfBase::Fixed),
        Some("floating") => UrdfReader::new().with_base(UrdfBase::Floating),
        Some(other) => {
            let expected = "expected \"fixed\", \"floating\" or None";
            return Err(Failure::argument(format!(
                "base: found {other:?}, {expected}"
            )));
        }
    };
    if lenient {
        reader = reader.with_mistakes(UrdfMistakes::Repaired);
    }
    let folders = mesh_folders.iter();
    Ok(folders.fold(reader, |reader, folder| reader.with_mesh_folder(folder)))
}

/// The reader of models of MuJoCo.
pub fn mjcf_reader(lenient: bool) -> MjcfReader {
    match lenient {
        true => MjcfReader::new().lenient(),
        false => MjcfReader::new(),
    }
}

/// A machine from a robot description.
pub fn urdf(
    reading: &Reading,
    options: &UrdfOptions<'_>,
    scheme_: &str,
    time_step: f64,
) -> Outcome<System> {
    let reader = urdf_reader(options.base, options.lenient, &options.mesh_folders)?;
    let (tree, model) = match reading {
        Reading::File(path) => reader.tree_from_file(path)?,
        Reading::Text(text) => reader.tree_from_str(text)?,
    };
    let drive = match options.drive {
        "joints" => UrdfDrive::Joints,
        "all" => UrdfDrive::All,
        "none" => UrdfDrive::None,
        other => {
            let expected = "expected \"joints\", \"all\" or \"none\"";
            return Err(Failure::argument(format!(
                "drive: found {other:?}, {expected}"
            )));
        }
    };
    let surroundings = UrdfSurroundings {
        floor: options.floor,
        self_contact: options.self_contact,
        drive,
    };
    let system = model.system(tree, &surroundings)?;
    let stepper = TimeSteppingRigidBodySystem::with_scheme(system, time_step, scheme(scheme_)?)?;
    let mut start = stepper.initial_state();
    if options.floor.is_some() {
        model.stand(&stepper, &mut start)?;
    }
    Ok(System::new(
        stepper,
        Some(start.q.as_slice().to_vec()),
        lines(&model.report),
    ))
}

/// A machine from a model of MuJoCo.
pub fn mjcf(
    reading: &Reading,
    lenient: bool,
    scheme_: &str,
    time_step: Option<f64>,
) -> Outcome<System> {
    let reader = mjcf_reader(lenient);
    let (system, model) = match reading {
        Reading::File(path) => reader.system_from_file(path)?,
        Reading::Text(text) => {
            let (tree, model) = reader.tree_from_str(text)?;
            (model.system(tree)?, model)
        }
    };
    let time_step = time_step.unwrap_or(model.time_step);
    let stepper = TimeSteppingRigidBodySystem::with_scheme(system, time_step, scheme(scheme_)?)?;
    let mut start = stepper.initial_state().q;
    model
        .reference
        .write(stepper.tree(), start.as_mut_slice())?;
    let configurations = model.key_frames.iter().map(|key| {
        let mut q = start.clone();
        key.write(stepper.tree(), q.as_mut_slice())?;
        Ok((key.name.clone(), q.as_slice().to_vec()))
    });
    let configurations = configurations.collect::<Outcome<Vec<_>>>()?;
    let notes = lines(&model.report);
    Ok(System::new(stepper, Some(start.as_slice().to_vec()), notes)
        .with_configurations(configurations))
}

/// A machine of this library.
pub fn json(reading: &Reading) -> Outcome<System> {
    match reading {
        Reading::Text(text) => json_text(text),
        Reading::File(path) => Ok(System::new(Stepper::load(path)?, None, Vec::new())),
    }
}

/// A machine of this library, from a text.
pub fn json_text(text: &str) -> Outcome<System> {
    Ok(System::new(Stepper::from_json(text)?, None, Vec::new()))
}

fn lines(report: &impl std::fmt::Display) -> Vec<String> {
    report.to_string().lines().map(str::to_owned).collect()
}
