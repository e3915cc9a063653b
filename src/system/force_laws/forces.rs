//! Forces of laws: found in `f64`, differentiated, turned into generalized forces.

use crate::Scalar;
use crate::autodiff::{CHUNK, implicit_step};
use crate::constraint::{ConstraintError, ConstraintForceLaw, ForceLawRow, ForceLaws};
use crate::math::Lu;
use crate::solver::mixed_complementarity::{
    self, Functions, NotSolved, Solution, jacobian_of_places,
};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use nalgebra::{DMatrix, DVector};

/// To which rows hold, in their units.
const TOLERANCE: f64 = 1e-11;

/// Writes the inputs of a driven machine: those of the machine, then `Gᵀ f`.
pub(super) fn drive<T: Scalar>(
    out: &mut Vec<T>,
    input: &[T],
    directions: &DMatrix<T>,
    forces: &[T],
) {
    out.clear();
    out.extend_from_slice(input);
    for column in directions.column_iter() {
        let terms = column.iter().zip(forces);
        out.push(terms.fold(T::zero(), |sum, (&g, &f)| sum + g * f));
    }
}

/// The forces that solve the rows of laws; `evaluate` writes these in duals for forces in duals, [`CHUNK`] of them varied
/// at a time.
pub(super) fn find_forces<T: Scalar>(
    laws: &ForceLaws<T>,
    mut evaluate: impl FnMut(&[Dual], &mut [ForceLawRow<Dual>]) -> Result<(), SystemError>,
) -> Result<Solution, SystemError> {
    let size = laws.num_rows();
    let mut rows = vec![ForceLawRow::equation(Dual::from_re(0.0)); size];
    let functions = |f: &DVector<f64>, at: &mut Functions| {
        for first in (0..size).step_by(CHUNK) {
            let seeded = |(i, &f): (usize, &f64)| match i.checked_sub(first) {
                Some(k) if k < CHUNK => Dual::from_re(f).derivative(k),
                _ => Dual::from_re(f),
            };
            let forces: Vec<Dual> = f.iter().enumerate().map(seeded).collect();
            evaluate(&forces, &mut rows)?;
            write_rows(at, first, &rows);
        }
        Ok::<(), SystemError>(())
    };
    mixed_complementarity::solve(DVector::zeros(size), TOLERANCE, functions)?
        .map_err(|failed| name_row(laws, failed))
}

/// Takes over rows, and their derivatives by the forces of a chunk.
fn write_rows(functions: &mut Functions, first: usize, rows: &[ForceLawRow<Dual>]) {
    let size = rows.len();
    for (i, row) in rows.iter().enumerate() {
        functions.phi[i] = row.phi.re;
        functions.lower[i] = row.lower.re;
        functions.upper[i] = row.upper.re;
        let parts = [row.phi, row.lower, row.upper];
        for (matrix, part) in functions.by_force.iter_mut().zip(parts) {
            for k in 0..CHUNK.min(size - first) {
                matrix[(i, first + k)] = part.eps.0.map_or(0.0, |eps| eps[k]);
            }
        }
    }
}

/// The forces of a solution with the derivatives of the implicit function; `evaluate` writes the rows for forces.
pub(super) fn lift_forces<T: Scalar>(
    solution: &Solution,
    mut evaluate: impl FnMut(&[T], &mut [ForceLawRow<T>]) -> Result<(), SystemError>,
) -> Result<Vec<T>, SystemError> {
    let mut forces: Vec<T> = solution.f.iter().map(|&f| T::from(f)).collect();
    if T::NDERIV > 0 {
        let mut jacobian = Lu::identity(forces.len());
        jacobian.factor(&jacobian_of_places(&solution.functions, &solution.places))?;
        let mut rows = vec![ForceLawRow::equation(T::zero()); forces.len()];
        let mut scratch = vec![T::zero(); forces.len()];
        implicit_step(&jacobian, &mut forces, &mut scratch, |forces, residual| {
            evaluate(forces, &mut rows)?;
            for (i, residual) in residual.iter_mut().enumerate() {
                *residual = solution.places[i].residual(forces[i], rows[i]);
            }
            Ok::<(), SystemError>(())
        })?;
    }
    Ok(forces)
}

/// Names the row that is violated.
fn name_row<T: Scalar>(laws: &ForceLaws<T>, failed: NotSolved) -> SystemError {
    let (name, row) = match laws.row(failed.row) {
        Some((law, row)) => (law.name().to_owned(), row),
        None => (String::new(), failed.row),
    };
    SystemError::Constraint(ConstraintError::LawNotSatisfied {
        name,
        row,
        violation: failed.violation,
        iterations: failed.iterations,
    })
}
