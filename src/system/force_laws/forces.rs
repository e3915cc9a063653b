//! Forces of laws: found in `f64`, differentiated, turned into generalized forces.

use crate::Scalar;
use crate::autodiff::{CHUNK, implicit_step};
use crate::constraint::{ConstraintError, ConstraintForceLaw, ForceLawRow, ForceLaws};
use crate::decision::{Margin, Stage};
use crate::error::derivative_part;
use crate::math::PseudoInverse;
use crate::solver::mixed_complementarity::{
    self, Functions, NotSolved, Place, Solution, jacobian_of_places,
};
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::status::StepKink;
use nalgebra::{DMatrix, DVector};
use std::cell::Cell;

/// To which rows hold, in their units.
const TOLERANCE: f64 = 1e-11;
/// Singular values of the rows below this part of the largest are round-off.
const RANK: f64 = 1e-12;
/// Rows that follow from others have their derivatives to this part of the largest.
const CONSISTENT: f64 = 1e-8;

/// What forces are found for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Time {
    Step,
    Instant,
}

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
    time: Time,
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
        .map_err(|failed| name_row(laws, time, failed))
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

/// The forces of a solution with the derivatives of the implicit function, the smallest where rows that follow from others leave
/// them open; `evaluate` writes the rows for forces.
pub(super) fn lift_forces<T: Scalar>(
    laws: &ForceLaws<T>,
    solution: &Solution,
    mut evaluate: impl FnMut(&[T], &mut [ForceLawRow<T>]) -> Result<(), SystemError>,
) -> Result<Vec<T>, SystemError> {
    let size = solution.f.len();
    if T::NDERIV == 0 {
        return Ok(solution.f.iter().map(|&f| T::from(f)).collect());
    }
    // In units in which rows, then columns, are at most one.
    let scale = |largest: f64| if largest > 0.0 { largest } else { 1.0 };
    let mut jacobian = jacobian_of_places(&solution.functions, &solution.places);
    let of_rows: Vec<f64> = jacobian.row_iter().map(|row| scale(row.amax())).collect();
    for (mut row, &scale) in jacobian.row_iter_mut().zip(&of_rows) {
        row.unscale_mut(scale);
    }
    let of_columns: Vec<f64> = jacobian.column_iter().map(|c| scale(c.amax())).collect();
    for (mut column, &scale) in jacobian.column_iter_mut().zip(&of_columns) {
        column.unscale_mut(scale);
    }
    let inverse = PseudoInverse::new("derivative of the rows of force laws", jacobian, RANK)?;
    let forces = |scaled: &[T]| -> Vec<T> {
        let at = scaled.iter().zip(&of_columns).zip(&solution.f);
        at.map(|((&x, &scale), &f)| (x / scale).with_real(f))
            .collect()
    };
    let mut rows = vec![ForceLawRow::equation(T::zero()); size];
    let mut residual = |scaled: &[T], residual: &mut [T]| {
        let forces = forces(scaled);
        evaluate(&forces, &mut rows)?;
        for (i, residual) in residual.iter_mut().enumerate() {
            *residual = solution.places[i].residual(forces[i], rows[i]) / of_rows[i];
        }
        Ok::<(), SystemError>(())
    };
    let mut scaled = vec![T::zero(); size];
    let (mut before, mut after) = (scaled.clone(), scaled.clone());
    if inverse.rank < size {
        residual(&scaled, &mut before)?;
    }
    implicit_step(&inverse, &mut scaled, &mut after, &mut residual)?;
    if inverse.rank < size {
        residual(&scaled, &mut after)?;
        let largest = before.iter().map(largest_part).fold(0.0, f64::max);
        let is_left = |x: &T| largest_part(x) > CONSISTENT * largest;
        if let Some(row) = after.iter().position(is_left) {
            let (name, row) = name_of(laws, row);
            return Err(ConstraintError::LawNotDifferentiable { name, row }.into());
        }
    }
    Ok(forces(&scaled))
}

/// The largest derivative of a number.
fn largest_part<T: Scalar>(x: &T) -> f64 {
    let largest = Cell::new(0.0);
    derivative_part(x, |part| {
        largest.set(f64::max(largest.get(), part.abs()));
        false
    });
    largest.get()
}

/// How far the force of each row is from a bound, or its `φ` from where the force leaves it.
pub(super) fn kinks<T: Scalar>(
    laws: &ForceLaws<T>,
    solution: &Solution,
) -> impl Iterator<Item = StepKink> {
    let at = &solution.functions;
    let rows = (laws.iter().enumerate())
        .flat_map(|(law, of_law)| (0..of_law.num_rows()).map(move |row| (law, row)));
    let kink = |((law, row), (i, place)): ((usize, usize), (usize, &Place))| {
        let f = solution.f[i];
        let at_bound = *place != Place::Between;
        let distance = match at_bound {
            true => at.phi[i].abs(),
            false => f64::min(f - at.lower[i], at.upper[i] - f),
        };
        StepKink::ForceLaw {
            law,
            row,
            at_bound,
            distance,
        }
    };
    // An equation has none.
    let kinks = rows.zip(solution.places.iter().enumerate()).map(kink);
    kinks.filter(|kink| kink.distance().is_finite())
}

/// Shows where the rows of laws are, with their forces.
pub(super) fn show_rows<T: Scalar>(
    stage: &Stage<'_, T>,
    laws: &ForceLaws<T>,
    places: &[Place],
    (forces, rows): (&[T], &[ForceLawRow<T>]),
) {
    for (i, ((row, place), &force)) in rows.iter().zip(places).zip(forces).enumerate() {
        let Some((law, of_law)) = laws.row(i) else {
            continue;
        };
        let show = |change: &str, unit, number| {
            let (name, change) = (law.name(), format!("row {of_law}: {change}"));
            stage.show(format_args!("{name}"), &change, unit, Margin::Sign(number));
        };
        match place {
            Place::Between => {
                let bounds = [force - row.lower, row.upper - force];
                for margin in bounds.into_iter().filter(|x| x.re().is_finite()) {
                    show("the force comes to a bound", "of the force", margin);
                }
            }
            Place::AtLower | Place::AtUpper => show("the force leaves its bound", "of φ", row.phi),
        }
    }
}

/// The name of the law of a row, and its row.
fn name_of<T: Scalar>(laws: &ForceLaws<T>, row: usize) -> (String, usize) {
    match laws.row(row) {
        Some((law, row)) => (law.name().to_owned(), row),
        None => (String::new(), row),
    }
}

/// Names the row that is violated.
fn name_row<T: Scalar>(laws: &ForceLaws<T>, time: Time, failed: NotSolved) -> SystemError {
    let (name, row) = name_of(laws, failed.row);
    if !failed.is_moved {
        return SystemError::Constraint(ConstraintError::LawNotMoved {
            name,
            row,
            violation: failed.violation,
            hint: match time {
                Time::Step => {
                    "φ has to depend on the end of the step, or the law to write `force_directions`"
                }
                Time::Instant => {
                    "in continuous time φ has to depend on v̇, or the law to write `force_directions`"
                }
            },
        });
    }
    SystemError::Constraint(ConstraintError::LawNotSatisfied {
        name,
        row,
        violation: failed.violation,
        iterations: failed.iterations,
    })
}
