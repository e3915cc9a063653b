//! Inputs of machines over time, from a table of signals or constant.

use crate::configuration::Assignment;
use crate::failure::{Failure, Outcome};
use clap::Args;
use dualbody::Scalar;
use dualbody::identification::motion::Signals;
use dualbody::system::{Recording, SystemError, TimeSteppingRigidBodySystem};
use std::fs::File;
use std::path::PathBuf;

/// Where inputs come from.
#[derive(Debug, Args)]
pub struct InputArgs {
    /// Table of signals: a column `time [s]`, and one for each input that is not zero, `name [unit]`;
    /// a value holds until the next. What `simulate` writes is such a table
    #[arg(long, value_name = "CSV")]
    input: Option<PathBuf>,
    /// Holds an input at a value
    #[arg(long, value_name = "NAME=VALUE")]
    hold: Vec<Assignment>,
}

/// Inputs at all times: of a table, or else constant, or else zero.
#[derive(Debug, Clone)]
pub struct Inputs {
    constant: Vec<f64>,
    table: Option<Table>,
}

/// Signals, and the columns that are inputs.
#[derive(Debug, Clone)]
struct Table {
    signals: Signals,
    /// The position of an input, and its samples.
    columns: Vec<(usize, Vec<f64>)>,
}

impl InputArgs {
    /// The inputs of a machine.
    pub fn inputs(&self, system: &TimeSteppingRigidBodySystem<f64>) -> Outcome<Inputs> {
        let mut constant = vec![0.0; system.num_inputs()];
        for held in &self.hold {
            let index = input_index(system, &held.name).map_err(Failure::usage)?;
            constant[index] = held.value;
        }
        let table = self.input.as_ref().map(|path| {
            let name = path.display();
            let of_file = |error: String| Failure::Input(format!("{name}: {error}"));
            let file = File::open(path).map_err(|error| of_file(error.to_string()))?;
            let signals = Signals::from_csv(file).map_err(|error| of_file(error.to_string()))?;
            let recorded = recorded_columns(system)?;
            let mut columns = Vec::new();
            for column in signals.names() {
                let index = match input_index(system, column) {
                    Ok(index) => index,
                    Err(_) if recorded.columns().iter().any(|known| known == column) => continue,
                    Err(error) => return Err(of_file(error.to_string())),
                };
                let values = signals.signal(column).map_or(&[][..], |(values, _)| values);
                if let Some(at) = values.iter().position(|value| value.is_nan()) {
                    // Lines count from 1, and the first has the names.
                    return Err(of_file(format!("line {}: no value of {column}", at + 2)));
                }
                columns.push((index, values.to_vec()));
            }
            Ok(Table { signals, columns })
        });
        Ok(Inputs {
            constant,
            table: table.transpose()?,
        })
    }
}

/// A recording without steps, which has the columns of all.
fn recorded_columns(system: &TimeSteppingRigidBodySystem<f64>) -> Outcome<Recording> {
    let (mut state, mut recording) = (system.initial_state(), Recording::default());
    let recorded = system.record(&mut state, 0, |_, _, _, _| {}, &mut || 0.0, &mut recording);
    recorded.map_err(Failure::computation)?;
    Ok(recording)
}

/// The input of this name, or the only one whose name ends so.
fn input_index(
    system: &TimeSteppingRigidBodySystem<f64>,
    name: &str,
) -> Result<usize, SystemError> {
    system.input_index(name).or_else(|error| {
        let names = system.input_names();
        let ends = |known: &String| {
            let path = known.strip_suffix(name);
            path.is_some_and(|path| !name.is_empty() && path.ends_with('/'))
        };
        let mut found = (0..names.len()).filter(|&k| ends(&names[k]));
        match (found.next(), found.next()) {
            (Some(index), None) => Ok(index),
            _ => Err(error),
        }
    })
}

impl Inputs {
    /// Whether all are zero at all times.
    pub fn are_zero(&self) -> bool {
        self.table.is_none() && self.constant.iter().all(|u| *u == 0.0)
    }

    /// The inputs at a time in s.
    pub fn at(&self, time: f64) -> Vec<f64> {
        let mut input = self.constant.clone();
        self.write(time, &mut input);
        input
    }

    /// Writes the inputs at a time in s.
    pub fn write<T: Scalar>(&self, time: f64, input: &mut [T]) {
        for (u, constant) in input.iter_mut().zip(&self.constant) {
            *u = T::from(*constant);
        }
        let Some(Table { signals, columns }) = &self.table else {
            return;
        };
        let Some(sample) = signals.sample_at(time) else {
            return;
        };
        for (index, values) in columns {
            if let (Some(u), Some(value)) = (input.get_mut(*index), values.get(sample)) {
                *u = T::from(*value);
            }
        }
    }
}
