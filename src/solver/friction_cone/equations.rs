//! The active equations of a solution, and derivatives by the implicit function theorem.

use super::problem::FrictionConeProblem;
use super::projection::Projection;
use super::scaled::Scaled;
use super::solution::ConeState;
use crate::autodiff::implicit_step;
use crate::math::PseudoInverse;
use crate::{InvalidInput, Scalar};
use nalgebra::Matrix2;

/// A singular value below this part of the largest is round-off.
const RANK: f64 = 1e-11;

/// The forces with derivatives, whose real parts `at` has found; those without force stay zero.
pub(super) fn differentiate<T: Scalar>(
    problem: &FrictionConeProblem<'_, T>,
    scaled: &Scaled,
    at: &Projection,
    forces: &mut [T],
) -> Result<(), InvalidInput> {
    let acting: Vec<usize> = (0..problem.equations)
        .chain(
            (at.contacts.iter().enumerate()).flat_map(|(contact, state)| {
                let i = problem.normal(contact);
                i..i + if *state == ConeState::Open { 0 } else { 3 }
            }),
        )
        .chain(
            problem
                .inequalities()
                .zip(&at.active)
                .filter(|(_, active)| **active)
                .map(|(i, _)| i),
        )
        .collect();
    if T::NDERIV == 0 || acting.is_empty() {
        return Ok(());
    }
    let mut jacobian = scaled.matrix.select_rows(&acting).select_columns(&acting);
    // Contacts that slide: their first row, its place, and a factor that makes slow slip no larger than the other rows.
    let mut sliding = Vec::new();
    for (contact, &state) in at.contacts.iter().enumerate() {
        let i = problem.normal(contact);
        let (ConeState::Sliding, Ok(k)) = (state, acting.binary_search(&i)) else {
            continue;
        };
        let slip = at.rates.fixed_rows::<2>(i + 1).into_owned();
        let speed = slip.norm();
        if speed == 0.0 {
            // Without friction, at rest.
            for t in [k + 1, k + 2] {
                jacobian.row_mut(t).fill(0.0);
                jacobian[(t, t)] = 1.0;
            }
            sliding.push((contact, i, k, 1.0));
            continue;
        }
        let direction = slip / speed;
        let limit = scaled.mu[contact] * forces[i].re() / scaled.scales[i];
        let factor = speed / (speed + limit);
        let turning = Matrix2::identity() - direction * direction.transpose();
        let tangents = jacobian.fixed_rows::<2>(k + 1).into_owned();
        let mut rows = turning * tangents * (limit / (speed + limit));
        let mut own = rows.fixed_columns_mut::<2>(k + 1);
        own += Matrix2::identity() * factor;
        let mut column = rows.column_mut(k);
        column += direction * (scaled.mu[contact] * factor);
        jacobian.fixed_rows_mut::<2>(k + 1).copy_from(&rows);
        sliding.push((contact, i, k, factor));
    }
    let inverse = PseudoInverse::new("derivative of the rows that hold", jacobian, RANK)?;
    let mut root: Vec<T> = acting
        .iter()
        .map(|&i| forces[i] / T::from(scaled.scales[i]))
        .collect();
    let mut residual = vec![T::zero(); root.len()];
    let mut rates = vec![T::zero(); forces.len()];
    let write = |root: &[T], forces: &mut [T]| {
        for (&i, &f) in acting.iter().zip(root) {
            forces[i] = f * scaled.scales[i];
        }
    };
    let mut evaluate = |root: &[T], residual: &mut [T]| {
        write(root, forces);
        problem.rates(forces, &mut rates);
        for (residual, &i) in residual.iter_mut().zip(&acting) {
            *residual = rates[i] * scaled.scales[i];
        }
        for &(contact, i, k, factor) in &sliding {
            let speed = T::norm_lifted(&rates[i + 1..i + 3]);
            let limit = problem.mu[contact] * forces[i];
            for t in 1..3 {
                let force = match speed.re() > 0.0 {
                    true => forces[i + t] + limit * rates[i + t] / speed,
                    false => forces[i + t],
                };
                residual[k + t] = force * (factor / scaled.scales[i + t]);
            }
        }
        Ok::<(), InvalidInput>(())
    };
    // Once more for what round-off has left, which slow slip makes large.
    for _ in 0..2 {
        implicit_step(&inverse, &mut root, &mut residual, &mut evaluate)?;
    }
    let real: Vec<f64> = forces.iter().map(|f| f.re()).collect();
    write(&root, forces);
    for (f, real) in forces.iter_mut().zip(real) {
        *f = f.with_real(real);
    }
    Ok(())
}
