//! `dualbody fit`: parameters from measurements.

use super::convert;
use crate::failure::{Failure, Found, Outcome};
use crate::output;
use crate::progress;
use crate::source::{Format, Source};
use clap::Args;
use dualbody::Parallelism;
use dualbody::identification::motion::FittedRecordings;
use dualbody::io::json::{MotionFit, SourceFile};
use dualbody::io::mjcf::MjcfReader;
use dualbody::io::urdf::UrdfReader;
use dualbody::scene::FitReport;
use dualbody::system::TimeSteppingRigidBodySystem;
use serde_json::Value;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Options of the command.
#[derive(Debug, Args)]
pub struct Fit {
    /// What to fit: a machine, what was measured on it, what is not known, and tables of signals
    fit: PathBuf,
    /// Samples of the first, shortest segments
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u32).range(1..))]
    first: u32,
    /// How many threads: all, or one
    #[arg(long)]
    serial: bool,
    /// Folder for the machine with the values that were found (identified.json) and the page about the fit
    /// (fit.html)
    #[arg(long, value_name = "FOLDER", default_value = "out")]
    out: PathBuf,
    /// A URDF or MJCF of the machine, to write with these values into the folder
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Fit {
    /// Does it.
    pub fn run(&self) -> Outcome {
        let template = self
            .into
            .as_ref()
            .map(|path| Source::read(path, None))
            .transpose()?;
        let motion = MotionFit::load(&self.fit).map_err(Failure::input)?;
        output::make_folder(&self.out)?;
        let threads = if self.serial {
            Parallelism::Serial
        } else {
            Parallelism::Threads
        };
        let line = progress::line();
        let fitted = motion.fit(self.first as usize, threads, |segment, iteration| {
            line.set_message(format!("segments of {segment} samples, {iteration}"));
            ControlFlow::Continue(())
        });
        line.finish_and_clear();
        let mut fitted = fitted.map_err(Failure::computation)?;

        let found = &fitted.found;
        let values = found.fit.values();
        let identified = fitted
            .model
            .identified(&values)
            .map_err(Failure::computation)?;
        let changed = template
            .as_ref()
            .map(|template| rewritten(&identified, template))
            .transpose()?;
        // Whatever the judgement does, the result is there.
        let mut written = vec![self.out.join("identified.json"), self.out.join("fit.html")];
        identified.save(&written[0]).map_err(Failure::output)?;
        if let (Some(text), Some(name)) = (changed, self.into.as_deref().and_then(Path::file_name))
        {
            let path = self.out.join(name);
            output::write(&path, &text)?;
            written.push(path);
        }
        let write_page = |fitted: &FittedRecordings| {
            let mut report = FitReport::of_recordings("A machine and its recordings", fitted);
            for file in &motion.sources {
                report = report.with_source(file.path.display().to_string(), &file.sha256);
            }
            let page = report.html().map_err(Failure::computation)?;
            output::write(&written[1], &page)
        };
        write_page(&fitted)?;
        fitted.judge(&motion.held_out);
        if !motion.held_out.is_empty() {
            write_page(&fitted)?;
        }
        let json = || json(&fitted, &motion.sources, &written);
        output::print_either(self.json, json, || text(&fitted, &written))?;
        let is_judged = fitted.held_out.iter().all(|judged| judged.misfit.is_ok());
        Ok(if fitted.is_converged() && is_judged {
            Found::Yes
        } else {
            Found::No
        })
    }
}

fn rewritten(identified: &TimeSteppingRigidBodySystem<f64>, template: &Source) -> Outcome<String> {
    let own: Vec<_> = match template.format {
        // Of geometries in the world a robot description knows nothing.
        Format::Urdf => (identified.contact().geometries().iter())
            .filter(|geometry| geometry.body != dualbody::tree::BodyIndex::WORLD)
            .cloned()
            .collect(),
        _ => identified.contact().geometries().to_vec(),
    };
    let readers = (UrdfReader::new(), MjcfReader::new());
    convert::updated(identified.system(), &own, template, readers)
}

fn text(fitted: &FittedRecordings, written: &[PathBuf]) -> String {
    let mut text = fitted.to_string();
    for path in written {
        let _ = writeln!(text, "wrote {}", path.display());
    }
    text
}

/// What was found, with the files that were written.
fn json(fitted: &FittedRecordings, sources: &[SourceFile], written: &[PathBuf]) -> Value {
    let mut found: Value = serde_json::from_str(&fitted.to_json(sources)).unwrap_or_default();
    let paths = written.iter().map(|path| path.display().to_string());
    found["files"] = paths.collect();
    found
}
