//! `dualbody info`: what a machine consists of.

use crate::failure::{Failure, Found, Outcome};
use crate::machine::{Machine, MachineArgs};
use crate::output;
use crate::table::{Table, figure};
use clap::Args;
use dualbody::Parameters;
use dualbody::system::Scheme;
use dualbody::tree::{Joint, JointKind};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// Options of the command.
#[derive(Debug, Args)]
pub struct Info {
    #[command(flatten)]
    machine: MachineArgs,
    /// Lists the parameters, too
    #[arg(long)]
    parameters: bool,
    /// Writes the state to start from, a file for `--from`
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Info {
    /// Does it.
    pub fn run(&self) -> Outcome {
        output::check_writable(self.state.as_deref())?;
        let machine = self.machine.machine()?;
        if let Some(path) = &self.state {
            machine
                .system
                .save_state(path, &machine.start)
                .map_err(Failure::output)?;
        }
        output::print_either(self.json, || json(&machine), || self.text(&machine))?;
        Ok(Found::Yes)
    }

    fn text(&self, machine: &Machine) -> String {
        let (system, tree) = (&machine.system, machine.system.tree());
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{} ({}): {} bodies, {} positions, {} velocities, {} kg; {} steps of {} s\n",
            machine.name,
            machine.source.format.name(),
            tree.num_bodies() - 1,
            tree.num_positions(),
            tree.num_velocities(),
            figure(tree.total_mass()),
            scheme_name(system.scheme()),
            figure(system.time_step()),
        );
        let mut bodies = Table::new(["body", "mass/kg", "x/m", "y/m", "z/m"]);
        for body in tree.bodies().skip(1) {
            let inertia = body.inertia();
            let center = inertia.center_of_mass.iter().map(|x| figure(*x));
            let cells = [body.name().to_owned(), figure(inertia.mass)]
                .into_iter()
                .chain(center);
            bodies.row(cells);
        }
        let mut joints = Table::new([
            "joint", "kind", "from", "to", "damping", "friction", "child",
        ]);
        for joint in tree.joints() {
            let limits = joint.limits();
            let child = tree.body(joint.child()).map_or("", |body| body.name());
            let single = |values: &[f64]| match values {
                [x] => figure(*x),
                _ => String::new(),
            };
            let cells = [
                &limits.lower[..],
                &limits.upper,
                joint.damping(),
                joint.friction(),
            ]
            .map(single);
            let names = [joint.name().to_owned(), kind_name(joint).to_owned()];
            joints.row(names.into_iter().chain(cells).chain([child.to_owned()]));
        }
        let mut geometries = Table::new(["geometry", "shape", "body"]);
        for geometry in system.contact().geometries() {
            let body = tree.body(geometry.body).map_or("", |body| body.name());
            geometries.row([&geometry.name, &geometry.shape.kind().to_string(), body]);
        }
        for table in [bodies, joints, geometries] {
            if !table.is_empty() {
                let _ = writeln!(text, "{table}");
            }
        }
        for (what, names) in [
            ("inputs", system.input_names()),
            ("outputs", system.output_names()),
        ] {
            if !names.is_empty() {
                let _ = writeln!(text, "{what} ({}): {}", names.len(), names.join(", "));
            }
        }
        let elements = [
            ("forces", system.forces().len()),
            ("actuators", system.actuators().len()),
            ("sensors", system.sensors().len()),
            ("constraints", system.constraints().len()),
            ("pairs that can touch", system.contact().pairs().len()),
        ];
        let elements = elements.map(|(what, count)| format!("{count} {what}"));
        let _ = writeln!(text, "{}", elements.join(", "));
        if let Some(step) = system.recommended_time_step() {
            let _ = writeln!(text, "recommended step: {step}");
        }
        let parameters = system.parameters();
        match self.parameters {
            false => {
                let _ = writeln!(
                    text,
                    "{} parameters, listed with --parameters",
                    parameters.len()
                );
            }
            true => {
                let mut table = Table::new(["parameter", "value", "from", "to", "unit"]);
                for p in parameters {
                    let numbers = [p.value, p.lower, p.upper].map(figure);
                    table.row(
                        [p.name]
                            .into_iter()
                            .chain(numbers)
                            .chain([p.unit.to_owned()]),
                    );
                }
                let _ = write!(text, "\n{table}");
            }
        }
        if !machine.notes.is_empty() {
            let _ = writeln!(text);
            for note in &machine.notes {
                let _ = writeln!(text, "{}", shortened(note));
            }
        }
        text
    }
}

/// A note as people read it: a list on one line is cut, what is on a line of its own is not.
fn shortened(note: &str) -> String {
    const MOST: usize = 240;
    match note.char_indices().nth(MOST) {
        Some((end, _)) if !note.starts_with(' ') => {
            format!("{} … (all with --json)", &note[..end])
        }
        _ => note.to_owned(),
    }
}

fn json(machine: &Machine) -> Value {
    let (system, tree) = (&machine.system, machine.system.tree());
    let body_name = |index| tree.body(index).map_or("", |body| body.name());
    let bodies = tree.bodies().skip(1).map(|body| {
        let inertia = body.inertia();
        json!({
            "name": body.name(),
            "mass": inertia.mass,
            "center_of_mass": inertia.center_of_mass.as_slice(),
            "rotational_inertia": inertia.rotational_inertia.as_slice(),
        })
    });
    let joints = tree.joints().map(|joint| {
        let limits = joint.limits();
        let followed = joint.mimic().and_then(|mimic| tree.joint(mimic.joint).ok());
        json!({
            "name": joint.name(),
            "kind": kind_name(joint),
            "parent": body_name(joint.parent()),
            "child": body_name(joint.child()),
            "lower": limits.lower,
            "upper": limits.upper,
            "velocity_limit": limits.velocity,
            "effort_limit": limits.effort,
            "damping": joint.damping(),
            "friction": joint.friction(),
            "armature": joint.armature(),
            "follows": followed.map(Joint::name),
            "position_start": joint.position_start(),
            "velocity_start": joint.velocity_start(),
        })
    });
    let geometries = system.contact().geometries().iter().map(|geometry| {
        json!({
            "name": geometry.name,
            "shape": geometry.shape.kind().to_string(),
            "body": body_name(geometry.body),
        })
    });
    let parameters = system.parameters().into_iter().map(|p| {
        json!({"name": p.name, "value": p.value, "lower": p.lower, "upper": p.upper, "unit": p.unit})
    });
    let recommended = system.recommended_time_step();
    json!({
        "name": machine.name,
        "format": machine.source.format.name(),
        "scheme": scheme_name(system.scheme()),
        "time_step": system.time_step(),
        "recommended_time_step": recommended.map(|step| step.time_step),
        "total_mass": tree.total_mass(),
        "num_positions": tree.num_positions(),
        "num_velocities": tree.num_velocities(),
        "bodies": bodies.collect::<Value>(),
        "joints": joints.collect::<Value>(),
        "frames": tree.frames().map(|frame| frame.name()).collect::<Value>(),
        "geometries": geometries.collect::<Value>(),
        "pairs": system.contact().pairs().len(),
        "inputs": system.input_names(),
        "outputs": system.output_names(),
        "forces": system.forces().len(),
        "actuators": system.actuators().len(),
        "sensors": system.sensors().len(),
        "constraints": system.constraints().len(),
        "parameters": parameters.collect::<Value>(),
        "start": {
            "q": machine.start.q.as_slice(),
            "v": machine.start.v.as_slice(),
            "actuators": machine.start.actuators.as_slice(),
            "sensors": machine.start.sensors.as_slice(),
        },
        "notes": machine.notes,
    })
}

fn scheme_name(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::Compliant => "compliant",
        Scheme::Rigid => "rigid",
        Scheme::Continuous { .. } => "continuous",
        _ => "other",
    }
}

fn kind_name(joint: &Joint<f64>) -> &'static str {
    match joint.kind() {
        JointKind::Fixed => "fixed",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Continuous { .. } => "continuous",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Planar { .. } => "planar",
        JointKind::Ball => "ball",
        JointKind::Floating => "floating",
        _ => "other",
    }
}
