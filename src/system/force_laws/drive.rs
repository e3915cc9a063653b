//! Between forces of rows and generalized forces, and between rows in duals and functions of forces.

use crate::Scalar;
use crate::autodiff::CHUNK;
use crate::constraint::{ConstraintError, ConstraintForceLaw, ForceLawRow, ForceLaws};
use crate::solver::mixed_complementarity::{Functions, NotSolved, Solution};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use nalgebra::{DMatrix, DVector};

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

/// The forces in duals, [`CHUNK`] of them varied at a time, with the first that is.
pub(super) fn seeded_chunks(f: &DVector<f64>) -> impl Iterator<Item = (usize, Vec<Dual>)> {
    (0..f.len()).step_by(CHUNK).map(move |first| {
        let seeded = |(i, &f): (usize, &f64)| match i.checked_sub(first) {
            Some(k) if k < CHUNK => Dual::from_re(f).derivative(k),
            _ => Dual::from_re(f),
        };
        (first, f.iter().enumerate().map(seeded).collect())
    })
}

/// Takes over rows, and their derivatives by the forces of a chunk.
pub(super) fn write_rows(functions: &mut Functions, first: usize, rows: &[ForceLawRow<Dual>]) {
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

/// The forces of a solution, without derivatives.
pub(super) fn constant_forces<T: Scalar>(solution: &Solution) -> Vec<T> {
    solution.f.iter().map(|&f| T::from(f)).collect()
}

/// Names the row that is violated.
pub(super) fn name_row(laws: &ForceLaws<f64>, failed: NotSolved) -> SystemError {
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
