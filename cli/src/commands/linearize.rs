//! `dualbody linearize`: a state-space model.

use crate::failure::{Failure, Found, Outcome};
use crate::inputs::InputArgs;
use crate::labelled_matrix::LabelledMatrix;
use crate::machine::MachineArgs;
use crate::output;
use crate::table::{Table, figure};
use clap::Args;
use dualbody::nalgebra::linalg::Schur;
use dualbody::nalgebra::{Complex, DMatrix};
use dualbody::system::LinearModel;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// Options of the command.
#[derive(Debug, Args)]
pub struct Linearize {
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    inputs: InputArgs,
    /// The rates of continuous time in place of a step
    #[arg(long)]
    continuous: bool,
    /// At the equilibrium that is found from the state and the inputs
    #[arg(long)]
    equilibrium: bool,
    /// Writes [A B; C D] with names as CSV, or all as JSON if the file is called so
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// The acceleration that counts as none, in rad/s² or m/s².
const AT_REST: f64 = 1e-9;
/// Modes in a table.
const SHOWN: usize = 12;

impl Linearize {
    /// Does it.
    pub fn run(&self) -> Outcome {
        output::check_writable(self.output.as_deref())?;
        let machine = self.machine.machine()?;
        let (system, mut state) = (&machine.system, machine.start.clone());
        let input = self.inputs.inputs(system)?.at(state.time);
        if self.equilibrium {
            state = system
                .equilibrium(&state, &input, AT_REST)
                .map_err(Failure::computation)?;
        }
        let (matrices, names) = match self.continuous {
            true => parts(
                system
                    .system()
                    .linearize(&state, &input)
                    .map_err(Failure::computation)?,
            ),
            false => parts(
                system
                    .linearize(&state, &input)
                    .map_err(Failure::computation)?,
            ),
        };
        let [a, b, c, d] = &matrices;
        let [states, inputs, outputs] = &names;
        let eigenvalues = eigenvalues(a);
        let json = || {
            json!({
                "name": machine.name,
                "time_step": if self.continuous { None } else { Some(system.time_step()) },
                "states": states, "inputs": inputs, "outputs": outputs,
                "A": LabelledMatrix::json(a), "B": LabelledMatrix::json(b),
                "C": LabelledMatrix::json(c), "D": LabelledMatrix::json(d),
                "q": state.q.as_slice(), "v": state.v.as_slice(), "input": input,
                "eigenvalues": eigenvalues.as_ref().map(|list| {
                    list.iter().map(|z| json!([z.re, z.im])).collect::<Value>()
                }),
            })
        };
        let table = joined(&matrices, &names);
        if let Some(path) = &self.output {
            table.save(path, json)?;
        }
        output::print_either(self.json, json, || {
            let mut text = table.text();
            if let Some(eigenvalues) = &eigenvalues {
                text += &self.modes(eigenvalues, system.time_step());
            }
            text
        })?;
        Ok(Found::Yes)
    }

    /// The modes, the fastest growing first.
    fn modes(&self, eigenvalues: &[Complex<f64>], time_step: f64) -> String {
        let rate = |z: &Complex<f64>| match self.continuous {
            true => *z,
            false => z.ln() / time_step,
        };
        let mut rates: Vec<_> = eigenvalues.iter().map(rate).collect();
        rates.sort_by(|a, b| b.re.total_cmp(&a.re));
        let growing = rates.iter().filter(|rate| rate.re > 1e-6).count();
        let mut table = Table::new(["mode", "growth/(1/s)", "frequency/(rad/s)"]);
        for (k, rate) in rates.iter().enumerate().take(SHOWN) {
            table.row([(k + 1).to_string(), figure(rate.re), figure(rate.im)]);
        }
        let mut text = String::new();
        let _ = writeln!(text, "\n{table}");
        if rates.len() > SHOWN {
            let _ = writeln!(text, "and others, which --json lists");
        }
        let _ = writeln!(text, "{} modes, {growing} of them grow", rates.len());
        text
    }
}

/// Its matrices, and the names of states, inputs and outputs.
fn parts<X>(model: LinearModel<X>) -> ([DMatrix<f64>; 4], [Vec<String>; 3]) {
    let matrices = [model.a, model.b, model.c, model.d];
    (matrices, [model.states, model.inputs, model.outputs])
}

/// `[A B; C D]`.
fn joined(
    [a, b, c, d]: &[DMatrix<f64>; 4],
    [states, inputs, outputs]: &[Vec<String>; 3],
) -> LabelledMatrix {
    let mut entries = DMatrix::zeros(a.nrows() + c.nrows(), a.ncols() + b.ncols());
    let (i, j) = a.shape();
    for (at, block) in [((0, 0), a), ((0, j), b), ((i, 0), c), ((i, j), d)] {
        entries.view_mut(at, block.shape()).copy_from(block);
    }
    LabelledMatrix {
        rows: states.iter().chain(outputs).cloned().collect(),
        columns: states.iter().chain(inputs).cloned().collect(),
        entries,
    }
}

fn eigenvalues(a: &DMatrix<f64>) -> Option<Vec<Complex<f64>>> {
    if a.is_empty() {
        return None;
    }
    let schur = Schur::try_new(a.clone(), f64::EPSILON, 10_000)?;
    Some(schur.complex_eigenvalues().iter().copied().collect())
}
