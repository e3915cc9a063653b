//! Derivatives of functions of state and inputs, by dual numbers.

use crate::ControlError;
use crate::machine::lift_state;
use dualbody::InvalidInput;
use dualbody::autodiff::{CHUNK, ChunkDual};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use nalgebra::DMatrix;

/// A state that is displaced, and inputs, along eight directions at a time; memory.
#[derive(Debug, Clone)]
pub(crate) struct Lift {
    base: State<ChunkDual>,
    displaced: State<ChunkDual>,
    displacement: Vec<ChunkDual>,
    input: Vec<ChunkDual>,
    out: Vec<ChunkDual>,
}

impl Lift {
    pub fn new(system: &TimeSteppingRigidBodySystem<ChunkDual>) -> Self {
        let base = system.neutral_state();
        Lift {
            displaced: base.clone(),
            base,
            displacement: Vec::new(),
            input: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Writes the values of a function, and its derivatives with respect to a displacement and the inputs.
    pub fn differentiate(
        &mut self,
        system: &TimeSteppingRigidBodySystem<ChunkDual>,
        (state, input): (&State<f64>, &[f64]),
        value: &mut [f64],
        [by_state, by_input]: [&mut DMatrix<f64>; 2],
        mut function: impl FnMut(
            &State<ChunkDual>,
            &[ChunkDual],
            &mut [ChunkDual],
        ) -> Result<(), ControlError>,
    ) -> Result<(), ControlError> {
        let (n, m) = (by_state.ncols(), input.len());
        lift_state(state, &mut self.base);
        for first in (0..(n + m).max(1)).step_by(CHUNK) {
            let seed = |at: usize, value: f64| match at.checked_sub(first) {
                Some(k) if k < CHUNK => ChunkDual::from_re(value).derivative(k),
                _ => ChunkDual::from_re(value),
            };
            self.displacement.clear();
            self.displacement.extend((0..n).map(|i| seed(i, 0.0)));
            self.input.clear();
            (self.input).extend(input.iter().enumerate().map(|(j, &u)| seed(n + j, u)));
            let displacement = &self.displacement;
            (self.base).displace(system.tree(), displacement, &mut self.displaced)?;
            self.out.clear();
            self.out.resize(value.len(), ChunkDual::from_re(0.0));
            function(&self.displaced, &self.input, &mut self.out)?;
            for (i, y) in self.out.iter().enumerate() {
                value[i] = y.re;
                let slopes = y.eps.0.unwrap_or_default();
                for (k, &slope) in slopes.iter().enumerate() {
                    match first + k {
                        j if j < n => by_state[(i, j)] = slope,
                        j if j < n + m => by_input[(i, j - n)] = slope,
                        _ => {}
                    }
                }
            }
        }
        InvalidInput::check_finite("derivatives", by_state.as_slice())?;
        Ok(InvalidInput::check_finite(
            "derivatives",
            by_input.as_slice(),
        )?)
    }
}
