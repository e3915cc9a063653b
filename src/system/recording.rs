//! What a rollout of a plant went through, in a table.

use super::discrete_plant::DiscretePlant;
use super::error::PlantError;
use super::plant_state::PlantState;
use crate::actuator::Actuator;
use crate::sensor::Sensor;
use std::io::{Error, Write};

/// A table with a row for each step: time, state, input, output, energy and contacts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recording {
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Recording {
    /// Names of the columns: `time` (s), `q/{i}`, `v/{i}`, `actuators/{i}`, `sensors/{i}`, the names of
    /// the inputs and of the outputs, `energy/kinetic` and `energy/potential` (J, of gravity),
    /// `contact/count` and `contact/normal_force` (N, the sum).
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

    /// Writes the table as CSV, with a line of names; numbers have as many digits as bring back their
    /// bits.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, writer: &mut impl Write) -> Result<(), Error> {
        writeln!(writer, "{}", self.columns.join(","))?;
        for row in &self.rows {
            let row: Vec<String> = row.iter().map(|x| format!("{x:?}")).collect();
            writeln!(writer, "{}", row.join(","))?;
        }
        writer.flush()
    }
}

impl<A: Actuator<f64>, S: Sensor<f64>> DiscretePlant<f64, A, S> {
    /// Makes `steps` steps from `state`, which is brought to the end, and records each.
    ///
    /// `control` writes the input of a step (zero beforehand) from the number of the step, the state at
    /// its start and the output of the step before it (zero at first). A step that fails ends the
    /// rollout with an error; what has been recorded before is kept in `recording`.
    ///
    /// # Errors
    /// As [`Self::step`].
    pub fn record(
        &mut self,
        state: &mut PlantState<f64>,
        steps: usize,
        mut control: impl FnMut(usize, &PlantState<f64>, &[f64], &mut [f64]),
        normal: &mut dyn FnMut() -> f64,
        recording: &mut Recording,
    ) -> Result<(), PlantError> {
        let mut workspace = self.workspace()?;
        let dt = self.system().time_step();
        let mut input = vec![0.0; self.num_inputs()];
        let mut output = vec![0.0; self.num_outputs()];
        let mut tree = self.system().tree().workspace();
        recording.columns = self.recorded_columns(state);
        for k in 0..steps {
            input.fill(0.0);
            control(k, state, &output, &mut input);
            self.step(&mut workspace, state, &input, normal)?;
            output.copy_from_slice(workspace.output().as_slice());
            let (q, v) = (&state.tree.q, &state.tree.v);
            let system = self.system().tree();
            system.set_state(&mut tree, q.as_slice(), v.as_slice())?;
            let (count, force) = workspace.contact_totals();
            let mut row = vec![k as f64 * dt];
            row.extend(
                q.iter()
                    .chain(v)
                    .chain(&state.actuators)
                    .chain(&state.sensors),
            );
            row.extend(input.iter().chain(&output));
            row.extend([
                system.kinetic_energy(&tree)?,
                system.potential_energy(&tree)?,
                count as f64,
                force,
            ]);
            recording.rows.push(row);
            state.clone_from(workspace.state());
        }
        Ok(())
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
            "contact/count",
            "contact/normal_force",
        ];
        columns.extend(totals.map(str::to_owned));
        columns
    }
}
