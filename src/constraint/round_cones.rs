//! Constraint problems with Coulomb's round friction cones.

use super::delassus::Delassus;
use super::error::ConstraintError;
use super::kink::{
    ConstraintKink, ConstraintKinkKind, ConstraintKinkQuantity, ConstraintKinkSource, NearestKinks,
    RowState,
};
use super::view::View;
use crate::Scalar;
use crate::math::check_squares;
use crate::solver::friction_cone::{ConeState, FrictionConeProblem, FrictionConeSolution};
use nalgebra::DMatrix;

/// The rows of a problem as a [`FrictionConeProblem`] has them: independent equations, round cones, other contacts and
/// limits, by their position in the packed forces.
#[derive(Debug, Clone)]
pub(super) struct RoundCones {
    rows: Vec<usize>,
    equations: usize,
}

impl RoundCones {
    /// Orders the rows.
    pub fn of<T: Scalar>(view: &View<T>, equations: &[usize]) -> Self {
        let layout = view.layout;
        let round = || view.cones.iter().filter(|cone| cone.is_round);
        let mut rows = equations.to_vec();
        for cone in round() {
            let tangents = cone.directions.clone().map(|k| layout.friction().start + k);
            rows.push(layout.normal().start + cone.contact);
            rows.extend(tangents);
        }
        let is_round =
            |row: &usize| round().any(|cone| layout.normal().start + cone.contact == *row);
        rows.extend(layout.normal().filter(|row| !is_round(row)));
        rows.extend(layout.limit());
        RoundCones {
            rows,
            equations: equations.len(),
        }
    }

    /// Replaces packed forces, which are a guess, by those within round cones, with derivatives.
    ///
    /// # Errors
    /// [`ConstraintError::FrictionCone`].
    pub fn solve<T: Scalar>(
        &self,
        view: &View<T>,
        delassus: &Delassus<T>,
        packed: &mut [T],
    ) -> Result<FrictionConeSolution<T>, ConstraintError> {
        let rows = &self.rows;
        let n = rows.len();
        check_squares::<T>("rows of round cones and constraints", 1, n)?;
        let matrix = DMatrix::from_fn(n, n, |i, j| {
            let (p, q) = (rows[i], rows[j]);
            let own = match i == j {
                true => view.gamma.get(p).copied().unwrap_or_else(T::zero),
                false => T::zero(),
            };
            delassus.column(q)[p] + view.coupling(p, q) + own
        });
        let vector: Vec<T> = rows.iter().map(|&p| delassus.vector[p]).collect();
        let round = view.cones.iter().filter(|cone| cone.is_round);
        let mu: Vec<T> = round.map(|cone| cone.mu).collect();
        let guess: Vec<f64> = rows.iter().map(|&p| packed[p].re()).collect();
        let problem = FrictionConeProblem::new(&matrix, &vector, self.equations, &mu)?;
        let solution = problem.solve(Some(&guess))?;
        for (&p, &force) in rows.iter().zip(&solution.forces) {
            packed[p] = force;
        }
        Ok(solution)
    }

    /// Writes the nearest kinks of a solution.
    pub fn nearest_kinks(
        &self,
        view: &View<f64>,
        solution: &FrictionConeSolution<f64>,
        nearest: &mut Vec<ConstraintKink>,
    ) {
        nearest.clear();
        let mut nearest = NearestKinks(nearest);
        let (forces, rates) = (&solution.forces, &solution.rates);
        let row = |i: usize, is_active| RowState {
            is_active,
            force: forces[i],
            rate: rates[i],
        };
        let round = view.cones.iter().filter(|cone| cone.is_round);
        for (c, (cone, &state)) in round.zip(&solution.contacts).enumerate() {
            let i = self.equations + 3 * c;
            let source = ConstraintKinkSource::Contact(cone.contact);
            nearest.offer_normal(view, cone.contact, row(i, state != ConeState::Open));
            match state {
                ConeState::Open => {}
                // Without friction nothing sticks.
                _ if cone.mu == 0.0 => {}
                ConeState::Sticking => {
                    let slack = cone.mu * forces[i] - forces[i + 1].hypot(forces[i + 2]);
                    nearest.offer(
                        ConstraintKinkKind::Slipping,
                        source,
                        ConstraintKinkQuantity::Force,
                        slack,
                    );
                }
                ConeState::Sliding => {
                    let slip = rates[i + 1].hypot(rates[i + 2]);
                    nearest.offer(
                        ConstraintKinkKind::Sticking,
                        source,
                        ConstraintKinkQuantity::Motion,
                        slip,
                    );
                }
            }
        }
        let first = self.equations + 3 * solution.contacts.len();
        let limits = view.layout.limit();
        for (i, &is_active) in (first..).zip(&solution.active) {
            let state = row(i, is_active);
            let p = self.rows[i];
            match limits.contains(&p) {
                true => nearest.offer_limit(view, p - limits.start, state),
                false => nearest.offer_normal(view, p, state),
            }
        }
    }
}
