//! What a rollout of a plant went through, in a table.

use super::discrete_plant::DiscretePlant;
use crate::actuator::Actuator;
use crate::force::{ForceContext, ForceElement};
use crate::sensor::Sensor;
use crate::system::RolloutFailure;
use crate::system::error::PlantError;
use crate::system::plant_state::PlantState;
use crate::tree::TreeWorkspace;
use nalgebra::Vector3;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{BufWriter, Error, Write};
use std::path::Path;

/// A table with a row for each step: time, state, input, output, energy and contacts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recording {
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Recording {
    /// Names of the columns: `time` (s), `q/{i}`, `v/{i}`, `actuators/{i}`, `sensors/{i}`, the names of
    /// the inputs and of the outputs; `energy/kinetic`, `energy/potential` (of gravity) and
    /// `energy/stored` (in actuators and force elements), in J; `contact/count`, of all contact points;
    /// and for each pair of geometries the force that the second exerts on the first, in N, expressed in
    /// W, `contact/{first}|{second}/force/{x,y,z}`.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// The entries of the column of this name; `None` if there is no such column.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let index = self.columns.iter().position(|c| c == name)?;
        Some(self.rows.iter().map(|row| row[index]).collect())
    }

    /// Writes the table into a file as [`Self::write_csv`] does, whole or not at all: under another name
    /// in the same folder, and then renamed.
    ///
    /// # Errors
    /// Those of the file system; a file that was there before is then as it was.
    pub fn save_csv(&self, path: &Path) -> Result<(), Error> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(format!(".{}.partial", std::process::id()));
        let partial = Path::new(&partial);
        let write = || {
            let mut file = BufWriter::new(File::create(partial)?);
            self.write_csv(&mut file)?;
            file.into_inner()?.sync_all()?;
            fs::rename(partial, path)
        };
        write().inspect_err(|_| {
            // The error that matters is the one before.
            let _ = fs::remove_file(partial);
        })
    }

    /// Writes the table as CSV (RFC 4180), with a line of names; numbers have as many digits as bring
    /// back their bits.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, writer: &mut impl Write) -> Result<(), Error> {
        let names: Vec<_> = self.columns.iter().map(|name| quoted(name)).collect();
        writeln!(writer, "{}", names.join(","))?;
        for row in &self.rows {
            let row: Vec<String> = row.iter().map(|x| format!("{x:?}")).collect();
            writeln!(writer, "{}", row.join(","))?;
        }
        writer.flush()
    }
}

impl<A: Actuator<f64>, S: Sensor<f64>> DiscretePlant<f64, A, S> {
    /// Makes `steps` steps from `state`, which is brought to the end, and records each, in place of what
    /// `recording` held.
    ///
    /// `control` writes the input of a step (zero beforehand) from the number of the step, the state at
    /// its start and the output of the step before it (zero at first). A step that fails ends the
    /// rollout with an error; `recording` then holds the steps before it, and `state` the last state.
    ///
    /// # Errors
    /// The step that failed, as [`Self::step`] does.
    pub fn record(
        &mut self,
        state: &mut PlantState<f64>,
        steps: usize,
        mut control: impl FnMut(usize, &PlantState<f64>, &[f64], &mut [f64]),
        normal: &mut dyn FnMut() -> f64,
        recording: &mut Recording,
    ) -> Result<(), RolloutFailure<PlantError>> {
        let dt = self.system().time_step();
        let mut workspace = self.workspace().map_err(RolloutFailure::at(0, dt))?;
        let mut input = vec![0.0; self.num_inputs()];
        let mut output = vec![0.0; self.num_outputs()];
        let mut tree = self.system().tree().workspace();
        recording.columns = self.recorded_columns(state);
        recording.rows.clear();
        let mut forces = vec![Vector3::zeros(); self.system().contact().pairs().count()];
        for k in 0..steps {
            input.fill(0.0);
            control(k, state, &output, &mut input);
            self.step(&mut workspace, state, &input, normal)
                .map_err(RolloutFailure::at(k, dt))?;
            output.copy_from_slice(workspace.output().as_slice());
            let mut row = Vec::with_capacity(recording.columns.len());
            row.push(k as f64 * dt);
            let own = state.actuators.iter().chain(&state.sensors);
            row.extend(state.tree.q.iter().chain(&state.tree.v).chain(own));
            row.extend(input.iter().chain(&output));
            row.extend(
                self.energies(&mut tree, state)
                    .map_err(RolloutFailure::at(k, dt))?,
            );
            forces.fill(Vector3::zeros());
            for contact in workspace.contacts() {
                if let Some(force) = forces.get_mut(contact.contact.pair) {
                    *force += contact.force_on_a();
                }
            }
            row.push(workspace.contacts().len() as f64);
            row.extend(forces.iter().flat_map(|force| force.iter()));
            recording.rows.push(row);
            state.clone_from(workspace.state());
        }
        Ok(())
    }

    /// Kinetic energy, potential energy of gravity, and what actuators store at their present input.
    fn energies(
        &self,
        workspace: &mut TreeWorkspace<f64>,
        state: &PlantState<f64>,
    ) -> Result<[f64; 3], PlantError> {
        let tree = self.system().tree();
        tree.set_state(workspace, state.tree.q.as_slice(), state.tree.v.as_slice())?;
        let context = ForceContext::new(tree, workspace);
        Ok([
            tree.kinetic_energy(workspace)?,
            tree.potential_energy(workspace)?,
            self.system().forces().potential_energy(&context)?,
        ])
    }

    fn recorded_columns(&self, state: &PlantState<f64>) -> Vec<String> {
        let mut columns = vec!["time".to_owned()];
        for (name, size) in [
            ("q", state.tree.q.len()),
            ("v", state.tree.v.len()),
            ("actuators", state.actuators.len()),
            ("sensors", state.sensors.len()),
        ] {
            columns.extend((0..size).map(|i| format!("{name}/{i}")));
        }
        columns.extend(self.input_names());
        columns.extend(self.output_names());
        let totals = [
            "energy/kinetic",
            "energy/potential",
            "energy/stored",
            "contact/count",
        ];
        columns.extend(totals.map(str::to_owned));
        let contact = self.system().contact();
        let geometries = contact.geometries();
        for (a, b) in contact.pairs() {
            let (a, b) = (&geometries[a].name, &geometries[b].name);
            columns.extend(["x", "y", "z"].map(|axis| format!("contact/{a}|{b}/force/{axis}")));
        }
        columns
    }
}

/// A field of a CSV file: in quotes where it must be.
fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}
