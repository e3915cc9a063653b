//! Linear dynamics.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::matrix::{add_times, check_matrix, check_shape};
use dualbody::InvalidInput;
use nalgebra::DMatrix;

/// `x⁺ = A x + B u`, with states in ℝⁿ.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    a: DMatrix<f64>,
    b: DMatrix<f64>,
    time_step: f64,
}

impl Linear {
    /// From `A`, n×n, `B`, n×m, and the length of a step in s.
    ///
    /// # Errors
    /// For sizes that do not fit, entries that are not finite and a length that is not positive.
    pub fn new(a: DMatrix<f64>, b: DMatrix<f64>, time_step: f64) -> Result<Self, ControlError> {
        check_matrix("A", &a, a.nrows(), a.nrows())?;
        check_matrix("B", &b, a.nrows(), b.ncols())?;
        InvalidInput::check_range("time step", &[time_step], "a positive time", |t| {
            t > 0.0 && t.is_finite()
        })?;
        Ok(Linear { a, b, time_step })
    }
}

impl Dynamics for Linear {
    type State = Vec<f64>;

    fn num_displacements(&self) -> usize {
        self.a.nrows()
    }

    fn num_inputs(&self) -> usize {
        self.b.ncols()
    }

    fn time_step(&self) -> f64 {
        self.time_step
    }

    fn displace(
        &self,
        state: &Vec<f64>,
        displacement: &[f64],
        to: &mut Vec<f64>,
    ) -> Result<(), ControlError> {
        InvalidInput::check_size("state", state.len(), self.a.nrows())?;
        InvalidInput::check_size("displacement", displacement.len(), self.a.nrows())?;
        InvalidInput::check_finite("displacement", displacement)?;
        to.clear();
        to.extend(state.iter().zip(displacement).map(|(x, d)| x + d));
        Ok(())
    }

    fn difference(
        &self,
        from: &Vec<f64>,
        to: &Vec<f64>,
        displacement: &mut [f64],
    ) -> Result<(), ControlError> {
        for (quantity, size) in [("state", from.len()), ("state", to.len())] {
            InvalidInput::check_size(quantity, size, displacement.len())?;
        }
        for (d, (to, from)) in displacement.iter_mut().zip(to.iter().zip(from)) {
            *d = to - from;
        }
        Ok(InvalidInput::check_finite(
            "difference of states",
            displacement,
        )?)
    }

    fn step(
        &mut self,
        state: &Vec<f64>,
        input: &[f64],
        next: &mut Vec<f64>,
    ) -> Result<(), ControlError> {
        InvalidInput::check_size("state", state.len(), self.a.nrows())?;
        InvalidInput::check_size("input", input.len(), self.b.ncols())?;
        next.clear();
        next.resize(state.len(), 0.0);
        add_times(next, &self.a, state);
        add_times(next, &self.b, input);
        Ok(InvalidInput::check_finite("state after the step", next)?)
    }

    fn linearize(
        &mut self,
        state: &Vec<f64>,
        input: &[f64],
        next: &mut Vec<f64>,
        a: &mut DMatrix<f64>,
        b: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.step(state, input, next)?;
        check_shape("A", a, self.a.shape())?;
        check_shape("B", b, self.b.shape())?;
        a.copy_from(&self.a);
        b.copy_from(&self.b);
        Ok(())
    }
}
