//! `dualbody jacobian`: the Jacobian of a step.

use crate::configuration::positive_time;
use crate::failure::{Failure, Found, Outcome};
use crate::inputs::InputArgs;
use crate::labelled_matrix::LabelledMatrix;
use crate::machine::MachineArgs;
use crate::motion;
use crate::output;
use crate::variables::Variables;
use clap::Args;
use dualbody::Error;
use dualbody::autodiff::{ChunkDual, jacobian_of};
use dualbody::nalgebra::DMatrix;
use serde_json::json;
use std::path::PathBuf;

/// Options of the command.
#[derive(Debug, Args)]
pub struct Jacobian {
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    inputs: InputArgs,
    /// Parameters, with derivatives by state and inputs; several with commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    by: Vec<String>,
    /// How long, in s: one step if not said. Derivatives by inputs are of inputs that change by the same
    /// in all steps
    #[arg(long = "for", value_name = "SECONDS", allow_negative_numbers = true, value_parser = positive_time)]
    duration: Option<f64>,
    /// Writes all with names as CSV, or as JSON if the file is called so
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

impl Jacobian {
    /// Does it.
    pub fn run(&self) -> Outcome {
        output::check_writable(self.output.as_deref())?;
        let machine = self.machine.machine()?;
        let (system, start) = (&machine.system, &machine.start);
        let inputs = self.inputs.inputs(system)?;
        let steps = self
            .duration
            .map_or(Ok(1), |duration| machine.steps(duration))?;
        let variables = Variables::find(system, &self.by)?;

        let (states, input_names) = (system.displacement_names(), system.input_names());
        let (nx, nu) = (states.len(), input_names.len());
        let (end, _) = motion::end(system, start, &inputs, &[], steps)?;
        let dual = system.cast::<ChunkDual>();
        let end = end.cast::<ChunkDual>();
        let mut point = vec![0.0; nx + nu];
        point.extend(variables.values());
        let (value, entries) = jacobian_of(
            |x| {
                let (displacement, rest) = x.split_at(nx);
                let (added, values) = rest.split_at(nu);
                let mut system = dual.clone();
                let start = variables.apply(&mut system, start, values)?;
                let start = motion::displaced(&system, &start, displacement)?;
                let (state, output) = motion::end(&system, &start, &inputs, added, steps)?;
                let difference = system.displacement(&end, &state)?;
                Ok::<Vec<ChunkDual>, Error>(difference.iter().copied().chain(output).collect())
            },
            &point,
        )?;

        let outputs = system.output_names();
        let parameters: Vec<_> = variables.iter().map(|v| v.name.clone()).collect();
        let block = |rows: (usize, usize), columns: (usize, usize)| -> DMatrix<f64> {
            entries
                .view((rows.0, columns.0), (rows.1, columns.1))
                .into_owned()
        };
        let json = || {
            let rows = [(0, nx), (nx, outputs.len())];
            let columns = [(0, nx), (nx, nu), (nx + nu, parameters.len())];
            let of = |i: usize, j: usize| LabelledMatrix::json(&block(rows[i], columns[j]));
            json!({
                "name": machine.name,
                "steps": steps, "time_step": system.time_step(),
                "states": states, "inputs": input_names, "outputs": outputs, "parameters": parameters,
                "A": of(0, 0), "B": of(0, 1), "state_by_parameters": of(0, 2),
                "C": of(1, 0), "D": of(1, 1), "output_by_parameters": of(1, 2),
                "output": value.iter().skip(nx).collect::<Vec<_>>(),
            })
        };
        let table = LabelledMatrix {
            rows: states.iter().chain(&outputs).cloned().collect(),
            columns: states
                .iter()
                .chain(&input_names)
                .chain(&parameters)
                .cloned()
                .collect(),
            entries: entries.clone(),
        };
        if let Some(path) = &self.output {
            table.save(path, json)?;
        }
        if entries.iter().any(|x| !x.is_finite()) {
            return Err(Failure::computation("a derivative is not finite"));
        }
        output::print_either(self.json, json, || match parameters.is_empty() {
            true => table.text(),
            // What was asked for, if all is too much.
            false => LabelledMatrix {
                columns: parameters.clone(),
                entries: entries.columns(nx + nu, parameters.len()).into_owned(),
                ..table.clone()
            }
            .text(),
        })?;
        Ok(Found::Yes)
    }
}
