//! A rollout as a table.

use super::error::{RolloutFailure, SystemError};
use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use super::stepper::Stepper;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::force::ForceContext;
use crate::io::{quoted, write_whole};
use crate::tree::TreeWorkspace;
use nalgebra::Vector3;
use std::io::{Error, Write};
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
        write_whole(path, |file| self.write_csv(file))
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

impl TimeSteppingRigidBodySystem<f64> {
    /// Makes `steps` steps from `state`, which is brought to the end, and records each, in place of what
    /// `recording` held.
    ///
    /// `control` writes the inputs of a step (zero beforehand) from the number of the step, the state at
    /// its start and the output of the step before it (zero at first). `normal` gives independent standard
    /// normal numbers for the noise of sensors. A step that fails ends the rollout with an error;
    /// `recording` then holds the steps before it, and `state` the last state.
    ///
    /// # Errors
    /// The step that failed, as [`Self::step`] does.
    pub fn record(
        &self,
        state: &mut State<f64>,
        steps: usize,
        mut control: impl FnMut(usize, &State<f64>, &[f64], &mut [f64]),
        normal: &mut dyn FnMut() -> f64,
        recording: &mut Recording,
    ) -> Result<(), RolloutFailure> {
        recording.columns = self.recorded_columns(state);
        recording.rows.clear();
        (self.stepper()).record(state, steps, &mut control, normal, &mut recording.rows)
    }

    fn recorded_columns(&self, state: &State<f64>) -> Vec<String> {
        let mut columns = vec!["time".to_owned()];
        for (name, size) in [
            ("q", state.q.len()),
            ("v", state.v.len()),
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
        let contact = self.contact();
        let geometries = contact.geometries();
        for (a, b) in contact.pairs() {
            let (a, b) = (&geometries[a].name, &geometries[b].name);
            columns.extend(["x", "y", "z"].map(|axis| format!("contact/{a}|{b}/force/{axis}")));
        }
        columns
    }
}

/// Writes the inputs of a step from its number, the state at its start and the output before it.
type Control<'a> = dyn FnMut(usize, &State<f64>, &[f64], &mut [f64]) + 'a;

impl Stepper<'_, f64> {
    /// As [`TimeSteppingRigidBodySystem::record`].
    fn record(
        self,
        state: &mut State<f64>,
        steps: usize,
        control: &mut Control<'_>,
        normal: &mut dyn FnMut() -> f64,
        rows: &mut Vec<Vec<f64>>,
    ) -> Result<(), RolloutFailure> {
        let mut workspace = self
            .workspace()
            .map_err(RolloutFailure::at(0, state.time))?;
        let system = self.system;
        let mut input = vec![0.0; system.num_inputs()];
        let mut output = vec![0.0; system.num_outputs()];
        let mut kinematics = system.tree.workspace();
        let mut forces = vec![Vector3::zeros(); system.contact.pairs().count()];
        for k in 0..steps {
            let at = RolloutFailure::at(k, state.time);
            input.fill(0.0);
            control(k, state, &output, &mut input);
            let mut step = self
                .step(&mut workspace, state, &input, normal)
                .map_err(RolloutFailure::at(k, state.time))?;
            output.copy_from_slice(step.output().as_slice());
            let mut row = Vec::new();
            row.push(state.time);
            row.extend(state.entries());
            row.extend(input.iter().chain(&output));
            row.extend(
                system
                    .energies(&mut kinematics, state, &input)
                    .map_err(at)?,
            );
            forces.fill(Vector3::zeros());
            let contacts = step.contacts().map_err(RolloutFailure::at(k, state.time))?;
            for contact in contacts {
                if let Some(force) = forces.get_mut(contact.contact.pair) {
                    *force += contact.force_on_a();
                }
            }
            row.push(contacts.len() as f64);
            row.extend(forces.iter().flat_map(|force| force.iter()));
            rows.push(row);
            state.clone_from(step.state());
        }
        Ok(())
    }
}

impl RigidBodySystem<f64> {
    /// Kinetic energy, potential energy of gravity, and what force elements and actuators store.
    fn energies(
        &self,
        kinematics: &mut TreeWorkspace<f64>,
        state: &State<f64>,
        input: &[f64],
    ) -> Result<[f64; 3], SystemError> {
        let tree = &self.tree;
        tree.set_state(kinematics, state.q.as_slice(), state.v.as_slice())?;
        let context = ForceContext::new(tree, kinematics).at_time(state.time);
        let actuators = state.actuators.as_slice();
        Ok([
            tree.kinetic_energy(kinematics)?,
            tree.potential_energy(kinematics)?,
            self.forces.potential_energy(&context)?
                + self
                    .actuators
                    .potential_energy(&context, input, actuators)?,
        ])
    }
}
