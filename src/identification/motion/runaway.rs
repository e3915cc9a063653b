//! Motions that have run away.

use super::columns::input_units;
use crate::Scalar;
use crate::error::{Brief, Short};
use crate::system::{RigidBodySystem, State};
use std::fmt;

/// A velocity that no machine has, in rad/s or m/s.
const FASTEST: f64 = 1e6;
/// Digits of numbers in the sentence.
const DIGITS: usize = 4;

/// A motion that has reached velocities of more than 10⁶ rad/s or m/s, which no machine has: inputs that are in other units
/// than they are said to be, or unknowns far from the machine's.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Runaway {
    /// Largest magnitude of a velocity, in rad/s or m/s.
    pub velocity: f64,
    /// The largest input until then; none of a machine without inputs.
    pub input: Option<LargestInput>,
}

/// The input of the largest magnitude, whatever its unit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LargestInput {
    /// Its name.
    pub name: String,
    /// Its value as the machine gets it, in its unit.
    pub value: f64,
    /// The unit.
    pub unit: &'static str,
}

impl Runaway {
    /// In a state, if it has run away, with the inputs of all steps until then.
    pub(super) fn of<T: Scalar>(
        state: &State<T>,
        machine: &RigidBodySystem<f64>,
        inputs: impl Iterator<Item = Vec<f64>>,
    ) -> Option<Self> {
        let velocities = state.v.iter().map(|v| v.re().abs());
        let velocity = velocities.max_by(f64::total_cmp)?;
        if velocity <= FASTEST {
            return None;
        }
        let each = inputs.flat_map(|inputs| inputs.into_iter().enumerate());
        let largest = each.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
        let input = largest.and_then(|(input, value)| {
            Some(LargestInput {
                name: machine.input_names().into_iter().nth(input)?,
                unit: input_units(machine).nth(input)?,
                value,
            })
        });
        Some(Runaway { velocity, input })
    }
}

impl fmt::Display for Runaway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let velocity = Short::to_digits(self.velocity, DIGITS);
        write!(f, "the motion has run away, to velocities of {velocity}")?;
        let Some(LargestInput { name, value, unit }) = &self.input else {
            return Ok(());
        };
        let (name, value) = (Brief(name), Short::to_digits(*value, DIGITS));
        write!(
            f,
            ", with inputs of which {name:?} = {value} {unit} is the largest"
        )
    }
}
