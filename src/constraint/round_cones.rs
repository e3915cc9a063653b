//! Constraint problems with Coulomb's round friction cones.

use super::delassus::{Delassus, Turn};
use super::error::ConstraintError;
use super::kink::{
    ConstraintKink, ConstraintKinkKind, ConstraintKinkQuantity, ConstraintKinkSource, NearestKinks,
    RowState,
};
use super::view::{Cone, View};
use crate::Scalar;
use crate::math::check_squares;
use crate::solver::friction_cone::{ConeState, FrictionConeProblem, FrictionConeSolution};
use nalgebra::DMatrix;

/// Slip below this part of the largest term of its row is round-off.
const NO_SLIP: f64 = 1e-9;

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

    /// Replaces packed forces, which are a guess, by those within round cones, with derivatives; if they are to be `near`, by
    /// Newton's method alone.
    ///
    /// # Errors
    /// [`ConstraintError::FrictionCone`]; forces are then as they were.
    pub fn solve<T: Scalar>(
        &self,
        view: &View<T>,
        delassus: &Delassus<T>,
        (packed, near): (&mut [T], bool),
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
        let solution = match near {
            true => problem.solve_near(&guess)?,
            false => problem.solve(Some(&guess))?,
        };
        for (&p, &force) in rows.iter().zip(&solution.forces) {
            packed[p] = force;
        }
        Ok(solution)
    }

    /// Turns of the tangents of all cones onto the directions of their slips under packed forces, or onto those of friction where
    /// nothing slips.
    pub fn turns(&self, view: &View<f64>, delassus: &Delassus<f64>, packed: &[f64]) -> Vec<Turn> {
        let friction = view.layout.friction().start;
        let round = view.cones.iter().filter(|cone| cone.is_round);
        let turn = |cone: &Cone<f64>| {
            let i = friction + cone.directions.start;
            let rows = [i, i + 1];
            let (mut slip, mut size) = ([0.0; 2], 0.0f64);
            for (slip, row) in slip.iter_mut().zip(rows) {
                let forces = packed.iter().enumerate();
                let terms = forces.map(|(q, f)| delassus.column(q)[row] * f);
                for term in terms.chain([delassus.vector[row]]) {
                    *slip += term;
                    size = size.max(term.abs());
                }
            }
            let [x, y] = match slip[0].hypot(slip[1]) > NO_SLIP * size {
                true => slip,
                false => rows.map(|row| packed[row]),
            };
            let length = x.hypot(y);
            let direction = match length > 0.0 {
                true => [x / length, y / length],
                false => [1.0, 0.0],
            };
            Turn { rows, direction }
        };
        round.map(turn).collect()
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
