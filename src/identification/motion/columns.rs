//! The signals of a recording, by columns of a table.

use super::channel::BoundChannel;
use super::error::MotionError;
use super::signals::Signals;
use super::unit::in_si;
use crate::actuator::Actuator;
use crate::spelling::{Proposal, nearest_paths};
use crate::system::RigidBodySystem;

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

fn refused(signal: &str, reason: String) -> MotionError {
    MotionError::Signal {
        signal: signal.to_owned(),
        reason,
    }
}

/// The samples of what the channels of a machine measure and of its inputs, row by row.
pub(super) fn columns(
    signals: &Signals,
    channels: &[BoundChannel],
    machine: &RigidBodySystem<f64>,
) -> Result<[Vec<f64>; 2], MotionError> {
    let units = (machine.actuators.iter())
        .flat_map(|actuator| (0..actuator.num_inputs()).map(|i| actuator.input_unit(i)));
    let inputs: Vec<Input> = (machine.input_names().into_iter())
        .zip(units)
        .map(|(name, unit)| Input { name, unit })
        .collect();
    let measured = || channels.iter().flat_map(|c| &c.signals);
    let taken = || {
        let measured = measured().map(|(name, _)| name.as_str());
        measured.chain(inputs.iter().map(|input| input.name.as_str()))
    };
    let unused = || signals.names().filter(|name| !taken().any(|t| t == *name));
    let missing = || taken().filter(|name| signals.signal(name).is_none());

    let mut columns = Vec::new();
    for (name, expected) in measured() {
        let (values, unit) = signals.signal(name).ok_or_else(|| {
            let nearest = nearest_paths(unused(), name);
            refused(
                name,
                format!("there is none of this name{}", Proposal(&nearest)),
            )
        })?;
        if let Some(expected) = expected.filter(|expected| !is(unit, expected)) {
            return Err(refused(
                name,
                format!("it is in {unit:?}, expected {expected:?}"),
            ));
        }
        columns.push(values);
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
    for input in &inputs {
        let name = &input.name;
        let (values, unit) = signals.signal(name).ok_or_else(|| {
            refused(
                name,
                "no signal feeds this input: one that was zero has zeros, or is among the zero_inputs of the fit".to_owned(),
            )
        })?;
        if !input.takes(unit) {
            let expected = input.expected();
            return Err(refused(
                name,
                format!("it is in {unit:?}, expected {expected}"),
            ));
        }
        if let Some(row) = values.iter().position(|u| u.is_nan()) {
            let place = signals.place(row);
            return Err(refused(
                name,
                format!("{place}: a sample of an input is missing"),
            ));
        }
        fed.push(values);
    }
    Ok([columns, fed].map(|columns| rows(signals.len(), &columns)))
}

fn rows(count: usize, columns: &[&[f64]]) -> Vec<f64> {
    let row = |i: usize| columns.iter().map(move |column| column[i]);
    (0..count).flat_map(row).collect()
}
