//! The signals of a recording, by columns of tables.

use super::channel::BoundChannel;
use super::error::MotionError;
use super::signals::Signals;
use super::unit::in_si;
use crate::actuator::Actuator;
use crate::spelling::{Proposal, nearest_paths, paths_of};
use crate::system::RigidBodySystem;
use std::fmt;

/// An input of a machine.
struct Input {
    name: String,
    /// The units that it may have; `SI` for any.
    unit: &'static str,
}

impl Input {
    fn takes(&self, unit: &str) -> bool {
        match self.unit {
            _ if unit == "SI" => true,
            "SI" => in_si(unit).is_some(),
            expected => expected.split(" or ").any(|expected| is(unit, expected)),
        }
    }

    fn expected(&self) -> String {
        match self.unit {
            "SI" => "one of SI".to_owned(),
            unit => format!("{:?}", unit.replace(" or ", "\" or \"")).replace("\\\"", "\""),
        }
    }
}

/// Whether a unit of a signal is the expected one, which may be written otherwise (`kg/m/s²` for `kg/m s²`).
fn is(unit: &str, expected: &str) -> bool {
    unit == expected || in_si(expected).is_some_and(|(si, scale)| scale == 1.0 && si == unit)
}

/// The names of signals for a message, the first of many.
struct There<'a>(&'a [Signals]);

impl fmt::Display for There<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 30;
        let names = || self.0.iter().flat_map(Signals::names);
        for (k, name) in names().take(MOST).enumerate() {
            let separator = if k > 0 { ", " } else { "" };
            write!(f, "{separator}{name:?}")?;
        }
        match names().count() {
            0 => f.write_str("no signals"),
            1..=MOST => Ok(()),
            count => write!(f, " and {} more", count - MOST),
        }
    }
}

fn refused(signal: &str, reason: String) -> MotionError {
    MotionError::Signal {
        signal: signal.to_owned(),
        reason,
    }
}

/// A signal of a recording.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column<'s> {
    pub name: &'s str,
    /// The table in which it stands.
    pub table: &'s Signals,
    pub values: &'s [f64],
}

impl<'s> Column<'s> {
    /// The samples that are not missing.
    pub fn present(self) -> impl Iterator<Item = usize> + 's {
        (0..self.values.len()).filter(move |&i| !self.values[i].is_nan())
    }

    /// The times of these samples, in s.
    pub fn times(self) -> Vec<f64> {
        self.present().map(|i| self.table.time(i)).collect()
    }
}

/// What the channels of a machine measure, by channels, and its inputs.
pub(super) struct Columns<'s> {
    pub measured: Vec<Vec<Column<'s>>>,
    pub inputs: Vec<Column<'s>>,
}

/// The units of the inputs of a machine, in their order.
pub(super) fn input_units(
    machine: &RigidBodySystem<f64>,
) -> impl Iterator<Item = &'static str> + '_ {
    let actuators = machine.actuators.iter();
    actuators.flat_map(|actuator| (0..actuator.num_inputs()).map(|i| actuator.input_unit(i)))
}

/// What the columns of inputs are called: each as its input, or as an end of its path that no other input has.
fn column_names<'s>(inputs: &'s [Input], columns: &[&'s str]) -> Vec<&'s str> {
    let all: Vec<String> = inputs.iter().map(|input| input.name.clone()).collect();
    let of_input = |i: usize| {
        let own = |column: &&&str| matches!(paths_of(&all, column)[..], [(index, _)] if index == i);
        let whole = columns.iter().find(|column| **column == all[i]);
        whole.or_else(|| columns.iter().find(own)).copied()
    };
    (inputs.iter().enumerate())
        .map(|(i, input)| of_input(i).unwrap_or(&input.name))
        .collect()
}

/// Finds the signals of all channels and inputs, which take every column.
pub(super) fn columns<'s>(
    tables: &'s [Signals],
    channels: &[BoundChannel],
    machine: &RigidBodySystem<f64>,
) -> Result<Columns<'s>, MotionError> {
    let inputs: Vec<Input> = (machine.input_names().into_iter())
        .zip(input_units(machine))
        .map(|(name, unit)| Input { name, unit })
        .collect();
    let names = || tables.iter().flat_map(Signals::names);
    let measured = || {
        channels
            .iter()
            .flat_map(|c| &c.signals)
            .map(|(name, _)| name.as_str())
    };
    let free: Vec<&str> = names()
        .filter(|name| !measured().any(|m| m == *name))
        .collect();
    let feeds = column_names(&inputs, &free);
    let taken = || measured().chain(feeds.iter().copied());
    let unused = || names().filter(|name| !taken().any(|t| t == *name));
    let missing = || taken().filter(|name| !names().any(|n| n == *name));
    let found = |wanted: &str| {
        let mut found = tables.iter().filter_map(|table| {
            let name = table.names().find(|name| *name == wanted)?;
            let (values, unit) = table.signal(name)?;
            Some((
                Column {
                    name,
                    table,
                    values,
                },
                unit,
            ))
        });
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(refused(
                wanted,
                "two tables have one of this name".to_owned(),
            )),
            (found, None) => Ok(found),
        }
    };

    let mut measured = Vec::new();
    for channel in channels {
        let mut columns: Vec<Column> = Vec::new();
        for (name, expected) in &channel.signals {
            let (column, unit) = found(name)?.ok_or_else(|| {
                let nearest = nearest_paths(unused(), name);
                let (there, proposal) = (There(tables), Proposal(&nearest));
                let reason = format!("there is none of this name among {there}{proposal}");
                refused(name, reason)
            })?;
            if let Some(expected) = expected.filter(|expected| !is(unit, expected)) {
                let reason = format!("it is in {unit:?}, expected {expected:?}");
                return Err(refused(name, reason));
            }
            if columns.iter().any(|c| !std::ptr::eq(c.table, column.table)) {
                let reason = "it stands in another table than the rest of its channel";
                return Err(refused(name, reason.to_owned()));
            }
            columns.push(column);
        }
        measured.push(columns);
    }
    if let Some(name) = unused().next() {
        let nearest = nearest_paths(missing(), name);
        let reason = format!(
            "neither a channel nor an input takes it{}",
            Proposal(&nearest)
        );
        return Err(refused(name, reason));
    }
    let mut fed = Vec::new();
    for (input, column) in inputs.iter().zip(&feeds) {
        let name = &input.name;
        let (column, unit) = found(column)?.ok_or_else(|| {
            let there = There(tables);
            refused(
                name,
                format!(
                    "no signal feeds this input, there are {there}: one that was zero has zeros, or is among the \
                     zero_inputs of the fit"
                ),
            )
        })?;
        if !input.takes(unit) {
            let expected = input.expected();
            return Err(refused(
                name,
                format!("it is in {unit:?}, expected {expected}"),
            ));
        }
        fed.push(column);
    }
    Ok(Columns {
        measured,
        inputs: fed,
    })
}
