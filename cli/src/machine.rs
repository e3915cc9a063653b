//! Machines from files, in steps, at a state.

use crate::configuration::{Assignment, Placement, positive_time};
use crate::failure::{Failure, Outcome};
use crate::source::{Format, Source};
use clap::{Args, ValueEnum};
use dualbody::Parameters;
use dualbody::contact::{CollisionGeometry, ContactMaterial};
use dualbody::io::NamedConfiguration;
use dualbody::io::mjcf::MjcfReader;
use dualbody::io::urdf::{
    UrdfBase, UrdfDrive, UrdfMistakes, UrdfModel, UrdfReader, UrdfSurroundings,
};
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, State, TimeSteppingRigidBodySystem,
};
use std::path::{Path, PathBuf};

/// In s, where neither the file nor the command line says.
const TIME_STEP: f64 = 1e-3;

/// Which machine, how it steps, and where it starts.
#[derive(Debug, Args)]
pub struct MachineArgs {
    /// URDF, MJCF or a machine's JSON; `-` is standard input
    file: PathBuf,
    /// What the file is, where its name and its contents do not say
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Mends the mistakes of a URDF that can be mended, leaves out what an MJCF has and the library
    /// has not
    #[arg(long)]
    lenient: bool,
    /// Another folder to search for the meshes of a URDF
    #[arg(long, value_name = "FOLDER")]
    meshes: Vec<PathBuf>,
    /// What carries the root of a URDF: what it asks for, if not said
    #[arg(long, value_enum)]
    base: Option<Base>,
    /// Puts a URDF on the ground z = 0, with this coefficient of friction [default: 0.7]. A robot that
    /// floats starts with its lowest point on it, unless --from or --place says where
    #[arg(long, value_name = "FRICTION", num_args = 0..=1, require_equals = true, default_missing_value = "0.7")]
    floor: Option<f64>,
    /// Lets the bodies of a URDF touch each other, but for those that overlap at zero
    #[arg(long)]
    self_contact: bool,
    /// What drives a URDF, which says nothing of it
    #[arg(long, value_enum, default_value = "joints")]
    drive: Drive,
    /// How steps are made: as the file says, else compliant
    #[arg(long, value_enum)]
    scheme: Option<SchemeName>,
    /// Length of a step in s: that of the file, else 0.001
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = positive_time)]
    step: Option<f64>,
    /// Sets a parameter; names may be shortened from the left, as far as they stay clear
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Assignment>,
    /// The state to start from: a file (JSON), or the name of a key frame of an MJCF
    #[arg(long, value_name = "STATE")]
    from: Option<String>,
    /// Puts a body that floats at a position in the world, in m
    #[arg(long, value_name = "BODY=X,Y,Z")]
    place: Vec<Placement>,
    /// Sets the position of a joint of one coordinate, in rad or m
    #[arg(long, value_name = "NAME=VALUE")]
    joint: Vec<Assignment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Base {
    Fixed,
    Floating,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Drive {
    /// a torque or force at each joint of one coordinate of its own
    Joints,
    /// a force on every velocity coordinate
    All,
    /// nothing
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemeName {
    /// compliant contact, implicit in velocities
    Compliant,
    /// rigid contact
    Rigid,
    /// continuous time, by Radau's method of order 5
    Continuous,
    /// continuous time, by the classical method of Runge and Kutta
    Rk4,
    /// continuous time, by the implicit midpoint rule
    Midpoint,
    /// continuous time, by Radau's method of order 3
    Radau3,
}

impl SchemeName {
    fn scheme(self) -> Scheme {
        let method = match self {
            SchemeName::Compliant => return Scheme::Compliant,
            SchemeName::Rigid => return Scheme::Rigid,
            SchemeName::Continuous => IntegrationMethod::Radau5,
            SchemeName::Rk4 => IntegrationMethod::RungeKutta4,
            SchemeName::Midpoint => IntegrationMethod::ImplicitMidpoint,
            SchemeName::Radau3 => IntegrationMethod::Radau3,
        };
        Scheme::Continuous {
            method,
            substeps: 1,
        }
    }
}

/// A machine, and what its file is.
#[derive(Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Its text.
    pub source: Source,
    /// The machine in steps.
    pub system: TimeSteppingRigidBodySystem<f64>,
    /// Where it starts.
    pub start: State<f64>,
    /// What was left out, mended, or needs attention; a line each.
    pub notes: Vec<String>,
}

/// What a reader makes of a text.
struct Read {
    name: String,
    system: RigidBodySystem<f64>,
    steps: Option<(f64, Scheme)>,
    /// Where it stands, unless at zero.
    reference: Option<NamedConfiguration>,
    key_frames: Vec<NamedConfiguration>,
    /// What a URDF has been read to.
    robot: Option<UrdfModel<f64>>,
    notes: Vec<String>,
}

impl MachineArgs {
    /// Reads the machine.
    pub fn machine(&self) -> Outcome<Machine> {
        let source = Source::read(&self.file, self.format)?;
        let read = match source.format {
            Format::Urdf => self.of_urdf(&source)?,
            Format::Mjcf => self.of_mjcf(&source)?,
            Format::Json => of_json(&source)?,
        };
        if source.format != Format::Urdf {
            self.check_options_of_urdf(&source)?;
        }
        let (time_step, scheme) = read.steps.unwrap_or((TIME_STEP, Scheme::Compliant));
        let scheme = self.scheme.map_or(scheme, SchemeName::scheme);
        let time_step = self.step.unwrap_or(time_step);
        let made = TimeSteppingRigidBodySystem::with_scheme(read.system, time_step, scheme);
        let mut system = made.map_err(source.mistake())?;
        let mut settings = Vec::new();
        for set in &self.set {
            settings.push((
                system.parameter_index(&set.name).map_err(Failure::usage)?,
                set.value,
            ));
        }
        system.set_parameters(&settings).map_err(Failure::usage)?;
        let start = self.start(
            &system,
            read.reference,
            &read.key_frames,
            read.robot.as_ref(),
        )?;
        Ok(Machine {
            name: read.name,
            source,
            system,
            start,
            notes: read.notes,
        })
    }

    fn check_options_of_urdf(&self, source: &Source) -> Outcome<()> {
        let given = [
            ("--floor", self.floor.is_some()),
            ("--base", self.base.is_some()),
            ("--self-contact", self.self_contact),
            ("--drive", self.drive != Drive::Joints),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => {
                let format = source.format.name();
                let reason =
                    format!("{option} is for URDF; the {format} says itself what there is");
                Err(Failure::Usage(reason))
            }
        }
    }

    /// The reader of URDF as the options say.
    pub fn urdf_reader(&self) -> UrdfReader {
        let mut reader = UrdfReader::new();
        reader = match self.base {
            None => reader,
            Some(Base::Fixed) => reader.with_base(UrdfBase::Fixed),
            Some(Base::Floating) => reader.with_base(UrdfBase::Floating),
        };
        if self.lenient {
            reader = reader.with_mistakes(UrdfMistakes::Repaired);
        }
        self.meshes
            .iter()
            .fold(reader, |reader, folder| reader.with_mesh_folder(folder))
    }

    /// The reader of MJCF as the options say.
    pub fn mjcf_reader(&self) -> MjcfReader {
        match self.lenient {
            true => MjcfReader::new().lenient(),
            false => MjcfReader::new(),
        }
    }

    fn of_urdf(&self, source: &Source) -> Outcome<Read> {
        let reader = self.urdf_reader();
        let read = match &source.file {
            Some(file) => reader.tree_from_file(file),
            None => reader.with_mesh_folder(".").tree_from_str(&source.text),
        };
        let (tree, model) = read.map_err(source.mistake())?;
        if let Some(friction) = self.floor {
            let material = ContactMaterial::rigid(friction);
            material.map_err(|error| Failure::usage(format!("--floor: {error}")))?;
        }
        let surroundings = UrdfSurroundings {
            floor: self.floor,
            self_contact: self.self_contact,
            drive: match self.drive {
                Drive::Joints => UrdfDrive::Joints,
                Drive::All => UrdfDrive::All,
                Drive::None => UrdfDrive::None,
            },
        };
        let system = model
            .system(tree, &surroundings)
            .map_err(source.mistake())?;
        Ok(Read {
            notes: lines(&model.report),
            name: model.name.clone(),
            system,
            steps: None,
            reference: None,
            key_frames: Vec::new(),
            robot: Some(model),
        })
    }

    fn of_mjcf(&self, source: &Source) -> Outcome<Read> {
        let reader = self.mjcf_reader();
        let (system, model) = match &source.file {
            Some(file) => reader.system_from_file(file).map_err(source.mistake())?,
            None => {
                let read = reader.tree_from_str(&source.text);
                let (tree, model) = read.map_err(source.mistake())?;
                (model.system(tree).map_err(source.mistake())?, model)
            }
        };
        Ok(Read {
            notes: lines(&model.report),
            name: match model.name.is_empty() {
                true => source.stem(),
                false => model.name,
            },
            system,
            steps: Some((model.time_step, Scheme::Compliant)),
            reference: Some(model.reference),
            key_frames: model.key_frames,
            robot: None,
        })
    }

    fn start(
        &self,
        system: &TimeSteppingRigidBodySystem<f64>,
        reference: Option<NamedConfiguration>,
        key_frames: &[NamedConfiguration],
        robot: Option<&UrdfModel<f64>>,
    ) -> Outcome<State<f64>> {
        let tree = system.tree();
        let mut start = system.initial_state();
        let key_frame = |name: &String| key_frames.iter().find(|frame| frame.name == *name);
        let mut configurations: Vec<&NamedConfiguration> = reference.iter().collect();
        match &self.from {
            None => {}
            Some(name) if let Some(frame) = key_frame(name) => configurations.push(frame),
            Some(path) => {
                start = system.load_state(Path::new(path)).map_err(|error| {
                    let names: Vec<_> = key_frames.iter().map(|frame| &*frame.name).collect();
                    match names.is_empty() || Path::new(path).exists() {
                        true => Failure::input(error),
                        false => Failure::Input(format!("{error}; key frames are {names:?}")),
                    }
                })?;
                configurations.clear();
            }
        }
        for configuration in configurations {
            configuration
                .write(tree, start.q.as_mut_slice())
                .map_err(Failure::input)?;
        }
        for place in &self.place {
            let placed = system.set_body_position(&mut start, &place.body, place.position);
            placed.map_err(Failure::usage)?;
        }
        for set in &self.joint {
            let placed = system.set_joint_position(&mut start, &set.name, &[set.value]);
            placed.map_err(Failure::usage)?;
        }
        let is_placed = self.floor.is_none() || self.from.is_some() || !self.place.is_empty();
        if let Some(robot) = robot.filter(|_| !is_placed) {
            (robot.stand(system, &mut start)).map_err(Failure::computation)?;
        }
        Ok(start)
    }
}

fn of_json(source: &Source) -> Outcome<Read> {
    let mistake = |error| match &source.file {
        Some(file) => Failure::Input(format!("{}: {error}", file.display())),
        None => source.mistake()(error),
    };
    let stepping = TimeSteppingRigidBodySystem::from_json(&source.text);
    let (system, steps) = match stepping {
        Ok(system) => {
            let steps = (system.time_step(), system.scheme());
            (system.into_system(), Some(steps))
        }
        // A machine that does not say how it steps, unless it is wrong in another way.
        Err(error) => match RigidBodySystem::from_json(&source.text) {
            Ok(system) if error.to_string().starts_with("steps: expected") => (system, None),
            _ => return Err(mistake(error)),
        },
    };
    Ok(Read {
        name: source.stem(),
        system,
        steps,
        reference: None,
        key_frames: Vec::new(),
        robot: None,
        notes: Vec::new(),
    })
}

fn lines(report: &impl std::fmt::Display) -> Vec<String> {
    report.to_string().lines().map(str::to_owned).collect()
}

impl Machine {
    /// The geometries that its file has, without the ground of the command line.
    pub fn geometries(&self) -> Vec<CollisionGeometry<f64>> {
        let is_own = |geometry: &&CollisionGeometry<f64>| {
            self.source.format != Format::Urdf || geometry.name != UrdfSurroundings::FLOOR
        };
        self.system
            .contact()
            .geometries()
            .iter()
            .filter(is_own)
            .cloned()
            .collect()
    }

    /// How many steps take this time in s.
    pub fn steps(&self, duration: f64) -> Outcome<usize> {
        let steps = (duration / self.system.time_step()).round();
        match steps {
            1.0..=1e9 => Ok(steps as usize),
            0.0 => Err(Failure::Usage(format!(
                "{duration} s are less than a step of {} s: set another --for or --step",
                self.system.time_step()
            ))),
            _ => Err(Failure::Usage(format!(
                "{duration} s are {steps} steps, at most 1e9 are made: set another --for or --step"
            ))),
        }
    }
}
