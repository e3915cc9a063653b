//! Residuals of one number, to try costs of one's own.

use dualbody_control::{ControlError, Dynamics, Point, Residual};
use nalgebra::DMatrix;

/// A function of the only state or the only input.
#[derive(Debug, Clone)]
pub struct ScalarResidual {
    /// Its value, and its first and second derivative.
    f: fn(f64) -> [f64; 3],
    of_input: bool,
}

impl ScalarResidual {
    pub fn of_state(f: fn(f64) -> [f64; 3]) -> Self {
        let of_input = false;
        ScalarResidual { f, of_input }
    }

    pub fn of_input(f: fn(f64) -> [f64; 3]) -> Self {
        let of_input = true;
        ScalarResidual { f, of_input }
    }

    fn at<D: Dynamics<State = Vec<f64>>>(&self, at: &Point<'_, D>) -> [f64; 3] {
        (self.f)(match self.of_input {
            true => at.input[0],
            false => at.state[0],
        })
    }
}

impl<D: Dynamics<State = Vec<f64>>> Residual<D> for ScalarResidual {
    fn size(&self, _: &D) -> usize {
        1
    }

    fn evaluate(&mut self, at: &Point<'_, D>, value: &mut [f64]) -> Result<(), ControlError> {
        [value[0], ..] = self.at(at);
        Ok(())
    }

    fn linearize(
        &mut self,
        at: &Point<'_, D>,
        value: &mut [f64],
        by_state: &mut DMatrix<f64>,
        by_input: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let slope = match self.of_input {
            true => &mut by_input[(0, 0)],
            false => &mut by_state[(0, 0)],
        };
        [value[0], *slope, _] = self.at(at);
        Ok(())
    }

    fn add_curvature(
        &mut self,
        at: &Point<'_, D>,
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let [.., second] = self.at(at);
        let place = usize::from(self.of_input);
        curvature[(place, place)] += covector[0] * second;
        Ok(())
    }
}
