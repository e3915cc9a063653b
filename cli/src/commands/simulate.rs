//! `dualbody simulate`: a motion.

use crate::configuration::positive_time;
use crate::failure::{Failure, Found, Outcome};
use crate::inputs::InputArgs;
use crate::machine::{Machine, MachineArgs};
use crate::output;
use crate::progress;
use crate::table::{Table, figure};
use clap::Args;
use dualbody::Random;
use dualbody::system::{Recording, State};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Options of the command.
#[derive(Debug, Args)]
pub struct Simulate {
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    inputs: InputArgs,
    /// How long, in s
    #[arg(long = "for", value_name = "SECONDS", default_value = "1", allow_negative_numbers = true, value_parser = positive_time)]
    duration: f64,
    /// Gives sensors their noise, from this seed
    #[arg(long, value_name = "SEED")]
    noise: Option<u64>,
    /// Writes a row for each step: time, state, inputs, outputs, energies, contact forces
    #[arg(long, value_name = "CSV")]
    output: Option<PathBuf>,
    /// Writes a page that plays the motion
    #[arg(long, value_name = "HTML")]
    page: Option<PathBuf>,
    /// Writes the motion as binary glTF
    #[arg(long, value_name = "GLB")]
    glb: Option<PathBuf>,
    /// Writes the last state, a file for `--from`
    #[arg(long, value_name = "FILE")]
    end: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Simulate {
    /// Does it.
    pub fn run(&self) -> Outcome {
        let files = [&self.output, &self.page, &self.glb, &self.end];
        output::check_writable(files.into_iter().flatten().map(PathBuf::as_path))?;
        let machine = self.machine.machine()?;
        let inputs = self.inputs.inputs(&machine.system)?;
        let steps = machine.steps(self.duration)?;

        let bar = progress::bar(steps, "simulating");
        let (mut state, mut recording) = (machine.start.clone(), Recording::default());
        let mut noise = self.noise.map(Random::new);
        let recorded = machine.system.record(
            &mut state,
            steps,
            |step, state, _, input| {
                inputs.write(state.time, input);
                bar.set_position(step as u64);
            },
            &mut || noise.as_mut().map_or(0.0, Random::normal),
            &mut recording,
        );
        bar.finish_and_clear();
        recorded.map_err(Failure::computation)?;

        if let Some(path) = &self.output {
            recording.save_csv(path).map_err(Failure::output)?;
        }
        if let Some(path) = &self.end {
            machine
                .system
                .save_state(path, &state)
                .map_err(Failure::output)?;
        }
        if self.page.is_some() || self.glb.is_some() {
            let scene = recording
                .scene(&machine.system)
                .map_err(Failure::computation)?;
            let scene = scene.titled(machine.name.as_str());
            let save = |path: &Option<PathBuf>, save: &dyn Fn(&Path) -> std::io::Result<()>| {
                path.as_deref()
                    .map_or(Ok(()), save)
                    .map_err(Failure::output)
            };
            save(&self.page, &|path| scene.save(path))?;
            save(&self.glb, &|path| scene.save_glb(path))?;
        }
        let found = Motion {
            machine: &machine,
            steps,
            end: &state,
            recording: &recording,
        };
        output::print_either(self.json, || found.json(), || self.text(&found))?;
        Ok(Found::Yes)
    }

    fn text(&self, found: &Motion) -> String {
        let mut text = String::new();
        let (steps, end) = (found.steps, found.end);
        let _ = writeln!(text, "{steps} steps to {} s\n", figure(end.time));
        let mut table = Table::new(["energy/J", "first step", "last step"]);
        for (name, [first, last]) in found.energies() {
            table.row([name.to_owned(), figure(first), figure(last)]);
        }
        let _ = writeln!(text, "{table}");
        let mut table = Table::new(["joint", "position at the end"]);
        for joint in found.machine.system.tree().joints() {
            let q = found
                .machine
                .system
                .joint_position(end, joint.name())
                .unwrap_or_default();
            if !q.is_empty() && joint.mimic().is_none() {
                let numbers: Vec<_> = q.iter().map(|x| figure(*x)).collect();
                table.row([joint.name().to_owned(), numbers.join("  ")]);
            }
        }
        let _ = writeln!(text, "{table}");
        let _ = writeln!(
            text,
            "contact points in the last step: {}",
            found.contacts()
        );
        for path in [&self.output, &self.page, &self.glb, &self.end]
            .into_iter()
            .flatten()
        {
            let _ = writeln!(text, "wrote {}", path.display());
        }
        text
    }
}

/// What happened.
struct Motion<'m> {
    machine: &'m Machine,
    steps: usize,
    end: &'m State<f64>,
    recording: &'m Recording,
}

impl Motion<'_> {
    /// In the first and in the last step, in J.
    fn energies(&self) -> impl Iterator<Item = (&'static str, [f64; 2])> {
        ["kinetic", "potential", "stored"].into_iter().map(|name| {
            let column = self
                .recording
                .column(&format!("energy/{name}"))
                .unwrap_or_default();
            let ends = [column.first(), column.last()].map(|x| x.copied().unwrap_or(f64::NAN));
            (name, ends)
        })
    }

    fn contacts(&self) -> f64 {
        let column = self.recording.column("contact/count").unwrap_or_default();
        column.last().copied().unwrap_or(0.0)
    }

    fn json(&self) -> Value {
        let energies = self
            .energies()
            .map(|(name, ends)| (name.to_owned(), json!(ends)));
        json!({
            "name": self.machine.name,
            "steps": self.steps,
            "time_step": self.machine.system.time_step(),
            "end": {
                "time": self.end.time,
                "q": self.end.q.as_slice(),
                "v": self.end.v.as_slice(),
                "actuators": self.end.actuators.as_slice(),
                "sensors": self.end.sensors.as_slice(),
            },
            "energies_of_first_and_last_step": energies.collect::<serde_json::Map<_, _>>(),
            "contacts": self.contacts(),
        })
    }
}
