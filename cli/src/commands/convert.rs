//! `dualbody convert`: descriptions to JSON, and constants written back into descriptions.

use crate::failure::{Failure, Found, Outcome};
use crate::machine::{Machine, MachineArgs};
use crate::output;
use crate::source::{Format, Source};
use clap::Args;
use dualbody::contact::CollisionGeometry;
use dualbody::io::mjcf::{MjcfElements, MjcfReader};
use dualbody::io::urdf::UrdfReader;
use dualbody::system::RigidBodySystem;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Options of the command.
#[derive(Debug, Args)]
pub struct Convert {
    #[command(flatten)]
    machine: MachineArgs,
    /// The file to write: its extension says the format (.urdf, .xml and .mjcf for MJCF, .json)
    to: PathBuf,
    /// The URDF or MJCF in which to write the constants of the machine, in place of FILE: these
    /// formats are not made from nothing
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Convert {
    /// Does it.
    pub fn run(&self) -> Outcome {
        let format = Format::of_extension(&self.to);
        let is_xml = self
            .to
            .extension()
            .is_some_and(|extension| extension == "xml");
        let format = format.or(is_xml.then_some(Format::Mjcf)).ok_or_else(|| {
            Failure::Usage(format!(
                "{}: expected .urdf, .xml, .mjcf or .json",
                self.to.display()
            ))
        })?;
        output::check_writable([self.to.as_path()])?;
        let machine = self.machine.machine()?;
        match format {
            Format::Json => machine.system.save(&self.to).map_err(Failure::output)?,
            Format::Urdf | Format::Mjcf => {
                let template = match &self.into {
                    Some(path) => Source::read(path, Some(format))?,
                    None if machine.source.format == format => machine.source.clone(),
                    None => return Err(without_template(&machine, format)),
                };
                let readers = (self.machine.urdf_reader(), self.machine.mjcf_reader());
                let text = updated(&machine.system, &machine.geometries(), &template, readers)?;
                output::write(&self.to, &text)?;
            }
        }
        let to = self.to.display().to_string();
        output::print_either(
            self.json,
            || json!({"name": machine.name, "format": format.name(), "file": to, "notes": machine.notes}),
            || {
                let mut text = format!("wrote {to}\n");
                machine
                    .notes
                    .iter()
                    .for_each(|note| text += &format!("{note}\n"));
                text
            },
        )?;
        Ok(Found::Yes)
    }
}

fn without_template(machine: &Machine, format: Format) -> Failure {
    let (from, to) = (machine.source.format.name(), format.name());
    Failure::Usage(format!(
        "{to} is not made from {from}: name a {to} of the machine with --into, whose constants are to be replaced"
    ))
}

/// The text of a template with the constants of the machine.
pub fn updated(
    system: &RigidBodySystem<f64>,
    geometries: &[CollisionGeometry<f64>],
    template: &Source,
    (urdf, mjcf): (UrdfReader, MjcfReader),
) -> Outcome<String> {
    let tree = system.tree();
    match template.format {
        Format::Urdf => match &template.file {
            Some(file) => urdf.updated_file(file, tree, geometries),
            None => urdf.updated(&template.text, tree, geometries),
        }
        .map_err(template.mistake()),
        Format::Mjcf => {
            let elements = MjcfElements::of_system(system);
            let Some(file) = &template.file else {
                let text = mjcf.updated(&template.text, tree, geometries, &elements);
                return text.map_err(template.mistake());
            };
            let changed = mjcf.updated_file(file, tree, geometries, &elements);
            let mut changed = changed.map_err(template.mistake())?;
            let own = changed.iter().position(|(path, _)| path == file);
            let text = own.map_or_else(|| template.text.clone(), |own| changed.swap_remove(own).1);
            match changed.first() {
                None => Ok(text),
                Some((included, _)) => Err(included_file(file, included)),
            }
        }
        Format::Json => Err(Failure::Usage(
            "a JSON is written anew, without --into".to_owned(),
        )),
    }
}

fn included_file(file: &Path, included: &Path) -> Failure {
    Failure::Usage(format!(
        "{}: the constants that have changed are also in {}, which it includes, and one file is written",
        file.display(),
        included.display()
    ))
}
