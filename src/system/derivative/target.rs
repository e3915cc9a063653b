//! Where derivatives of a step are written to: dense or sparse matrices, or a covector.

use super::directions::Directions;
use super::response::Column;
use super::slopes::StepSlopes;
use crate::InvalidInput;
use crate::autodiff::CHUNK;
use crate::math::{SparseColumns, reset_matrix, reset_vector, resize_matrix};
use crate::system::compliant::SaddlePoint;
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::state::State;
use nalgebra::{DMatrix, DVector};

/// The derivatives of a step; rows are those of the state `[q; v; a; s]` after it, or of its displacement.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StepJacobian {
    /// With respect to the state before it.
    pub state: DMatrix<f64>,
    /// With respect to the inputs.
    pub input: DMatrix<f64>,
    /// With respect to the chosen parameters.
    pub parameters: DMatrix<f64>,
}

/// As [`StepJacobian`], without the zeros between bodies that do not act on each other.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SparseStepJacobian {
    /// With respect to the state before the step.
    pub state: SparseColumns,
    /// With respect to the inputs.
    pub input: SparseColumns,
    /// With respect to the chosen parameters.
    pub parameters: SparseColumns,
}

/// The derivatives of a scalar that depends on the state after a step.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StepGradient {
    /// With respect to the state `[q; v; a; s]` before it.
    pub state: DVector<f64>,
    /// With respect to the inputs.
    pub input: DVector<f64>,
    /// With respect to the chosen parameters.
    pub parameters: DVector<f64>,
}

impl Default for StepJacobian {
    /// Matrices without entries, for [`jacobian`](crate::system::StepDifferentiator::jacobian) to fill.
    fn default() -> Self {
        let [state, input, parameters] = [(); 3].map(|()| DMatrix::zeros(0, 0));
        StepJacobian {
            state,
            input,
            parameters,
        }
    }
}

impl Default for StepGradient {
    /// Vectors without entries, for [`pull_back`](crate::system::StepDifferentiator::pull_back) to fill.
    fn default() -> Self {
        let [state, input, parameters] = [(); 3].map(|()| DVector::zeros(0));
        StepGradient {
            state,
            input,
            parameters,
        }
    }
}

impl StepJacobian {
    pub(in crate::system) fn matrices(&mut self) -> [&mut DMatrix<f64>; 3] {
        [&mut self.state, &mut self.input, &mut self.parameters]
    }

    /// Writes the derivatives of a chunk, of what is in the rows.
    pub(in crate::system) fn write_rows(
        &mut self,
        directions: Directions,
        rows: impl Iterator<Item = Dual>,
    ) {
        let (kind, first) = directions.place();
        let matrix = &mut *self.matrices()[kind];
        let columns = first..matrix.ncols().min(first + CHUNK);
        for (row, entry) in rows.enumerate() {
            let slopes = entry.eps.0.unwrap_or_default();
            for (k, column) in columns.clone().enumerate() {
                matrix[(row, column)] = slopes[k];
            }
        }
    }
}

impl SparseStepJacobian {
    fn matrices(&mut self) -> [&mut SparseColumns; 3] {
        [&mut self.state, &mut self.input, &mut self.parameters]
    }
}

impl StepGradient {
    pub(in crate::system) fn vectors(&mut self) -> [&mut DVector<f64>; 3] {
        [&mut self.state, &mut self.input, &mut self.parameters]
    }

    /// Writes the derivatives of a chunk, of a number.
    pub(in crate::system) fn write_chunk(&mut self, directions: Directions, number: Dual) {
        let (kind, first) = directions.place();
        let target = &mut *self.vectors()[kind];
        if let Some(slopes) = number.eps.0 {
            for (target, slope) in target.iter_mut().skip(first).zip(slopes.iter()) {
                *target = *slope;
            }
        }
    }
}

/// Checks derivatives of a step.
fn check(derivatives: &[f64]) -> Result<(), InvalidInput> {
    InvalidInput::check_finite("derivatives of a step", derivatives)
}

/// Where the derivatives of a step go.
pub(in crate::system) trait Target {
    /// Makes room for those with respect to as many entries of the state, inputs and parameters.
    fn reset(&mut self, sizes: [usize; 3]);

    /// Checks that they are finite.
    fn check(&mut self) -> Result<(), InvalidInput>;

    /// Writes those with respect to state and inputs, from analytic derivatives.
    fn write(&mut self, slopes: &mut StepSlopes, end: &SaddlePoint<'_>) -> Result<(), SystemError>;

    /// Writes those with respect to the parameters of a chunk from `first` on, from analytic derivatives.
    fn write_parameters(
        &mut self,
        first: usize,
        slopes: &mut StepSlopes,
        end: &SaddlePoint<'_>,
    ) -> Result<(), SystemError>;

    /// What the balance has to be multiplied with instead of being solved, once [`Self::write`] has been
    /// called.
    fn multipliers<'a>(&self, slopes: &'a StepSlopes) -> Option<&'a [f64]>;

    /// Writes those of a chunk: the state after the step carries them, but for what the multipliers make of
    /// the balance, `shift`.
    fn write_chunk(&mut self, directions: Directions, next: &State<Dual>, shift: Dual);
}

fn write_column(matrix: &mut DMatrix<f64>, number: usize, column: Column<'_>) {
    let mut target = matrix.column_mut(number);
    let target = target.as_mut_slice();
    for (rows, entries) in column.runs() {
        target[rows].copy_from_slice(entries);
    }
}

impl Target for StepJacobian {
    fn reset(&mut self, sizes: [usize; 3]) {
        // Each column with respect to the state is written, as a whole where it is not filled before.
        resize_matrix(&mut self.state, sizes[0], sizes[0]);
        reset_matrix(&mut self.input, sizes[0], sizes[1]);
        reset_matrix(&mut self.parameters, sizes[0], sizes[2]);
    }

    fn check(&mut self) -> Result<(), InvalidInput> {
        let mut matrices = self.matrices().into_iter();
        matrices.try_for_each(|matrix| check(matrix.as_slice()))
    }

    fn write(&mut self, slopes: &mut StepSlopes, end: &SaddlePoint<'_>) -> Result<(), SystemError> {
        let (by_state, by_input) = (&mut self.state, &mut self.input);
        if !slopes.are_dense() {
            by_state.fill(0.0);
        }
        slopes.for_each_column(
            end,
            |number, column| write_column(by_state, number, column),
            |number, column| write_column(by_input, number, column),
        )
    }

    fn write_parameters(
        &mut self,
        first: usize,
        slopes: &mut StepSlopes,
        end: &SaddlePoint<'_>,
    ) -> Result<(), SystemError> {
        let count = self.parameters.ncols() - first;
        slopes.for_each_parameter_column(end, count, |lane, column| {
            write_column(&mut self.parameters, first + lane, column);
        })
    }

    fn multipliers<'a>(&self, _: &'a StepSlopes) -> Option<&'a [f64]> {
        None
    }

    fn write_chunk(&mut self, directions: Directions, next: &State<Dual>, _: Dual) {
        self.write_rows(directions, next.entries());
    }
}

impl Target for SparseStepJacobian {
    fn reset(&mut self, sizes: [usize; 3]) {
        for (matrix, columns) in self.matrices().into_iter().zip(sizes) {
            matrix.reset(sizes[0], columns);
        }
    }

    fn check(&mut self) -> Result<(), InvalidInput> {
        let mut matrices = self.matrices().into_iter();
        matrices.try_for_each(|matrix| check(matrix.values()))
    }

    fn write(&mut self, slopes: &mut StepSlopes, end: &SaddlePoint<'_>) -> Result<(), SystemError> {
        let (by_state, by_input) = (&mut self.state, &mut self.input);
        slopes.for_each_column(
            end,
            |number, column| by_state.add_runs(number, column.runs()),
            |number, column| by_input.add_runs(number, column.runs()),
        )
    }

    fn write_parameters(
        &mut self,
        first: usize,
        slopes: &mut StepSlopes,
        end: &SaddlePoint<'_>,
    ) -> Result<(), SystemError> {
        let count = self.parameters.num_columns() - first;
        slopes.for_each_parameter_column(end, count, |lane, column| {
            (self.parameters).add_runs(first + lane, column.runs());
        })
    }

    fn multipliers<'a>(&self, _: &'a StepSlopes) -> Option<&'a [f64]> {
        None
    }

    fn write_chunk(&mut self, directions: Directions, next: &State<Dual>, _: Dual) {
        let (kind, first) = directions.place();
        let matrix = &mut *self.matrices()[kind];
        for k in 0..CHUNK.min(matrix.num_columns() - first) {
            let slope = |entry: Dual| entry.eps.0.map_or(0.0, |slopes| slopes[k]);
            let entries = next.entries().map(slope).enumerate();
            matrix.add_column(first + k, entries.filter(|(_, slope)| *slope != 0.0));
        }
    }
}

/// The derivatives of a covector's product with the state after the step.
pub(in crate::system) struct Against<'a> {
    pub covector: &'a [f64],
    pub gradient: &'a mut StepGradient,
}

impl Target for Against<'_> {
    fn reset(&mut self, sizes: [usize; 3]) {
        for (vector, size) in self.gradient.vectors().into_iter().zip(sizes) {
            reset_vector(vector, size);
        }
    }

    fn check(&mut self) -> Result<(), InvalidInput> {
        let mut vectors = self.gradient.vectors().into_iter();
        vectors.try_for_each(|vector| check(vector.as_slice()))
    }

    fn write(&mut self, slopes: &mut StepSlopes, end: &SaddlePoint<'_>) -> Result<(), SystemError> {
        let StepGradient { state, input, .. } = &mut *self.gradient;
        slopes.pull_back(
            end,
            self.covector,
            [state.as_mut_slice(), input.as_mut_slice()],
        )
    }

    fn write_parameters(
        &mut self,
        first: usize,
        slopes: &mut StepSlopes,
        _: &SaddlePoint<'_>,
    ) -> Result<(), SystemError> {
        let targets = self.gradient.parameters.iter_mut().skip(first);
        (targets.zip(slopes.pull_back_parameters())).for_each(|(target, slope)| *target = slope);
        Ok(())
    }

    fn multipliers<'a>(&self, slopes: &'a StepSlopes) -> Option<&'a [f64]> {
        Some(slopes.multipliers())
    }

    fn write_chunk(&mut self, directions: Directions, next: &State<Dual>, shift: Dual) {
        let products = next
            .entries()
            .zip(self.covector)
            .map(|(x, &weight)| x * weight);
        let sum = products.fold(shift, |sum, product| sum + product);
        self.gradient.write_chunk(directions, sum);
    }
}
