//! Loads that contacts can share in many ways, with other motions.
//!
//! A body on more points than hold it leaves open how these share its weight. As long as it is at rest, or slides without
//! turning, its motion does not depend on that: forces that change nothing between normals change nothing between frictions
//! that are parallel to each other. Where it turns as it slides, frictions are not parallel, and each way has another motion: a
//! step has many solutions, and the one that is found is a corner of them, another one for another input. No derivative tells
//! how it changes.

use super::decisions::{AT_LIMIT, along, slack};
use super::solver::VelocitySolution;
use super::tree_problem::VelMemory;
use crate::Scalar;
use nalgebra::{DMatrix, DVector};

/// A speed that is zero, relative to the largest.
const AT_REST: f64 = 1e-9;
/// A change of forces that leaves their rows at rest, relative to the largest singular value.
const NO_CHANGE: f64 = 1e-9;
/// The square of the speed that such forces of size 1 must cause, if rows of that size have 1.
const MOVES: f64 = 1e-10;

/// How fast a row is, and the generalized force that its contact can change there.
struct Share {
    contact: usize,
    row: DVector<f64>,
    force: DVector<f64>,
}

impl<T: Scalar> VelMemory<T> {
    /// A contact with a part in a load that can be shared otherwise, so that the step has another solution beside this one;
    /// `solve` replaces a vector by its product with the inverse of the mass matrix.
    pub(crate) fn shared_load<E>(
        &self,
        solution: &VelocitySolution<T>,
        mut solve: impl FnMut(&mut [f64]) -> Result<(), E>,
    ) -> Result<Option<usize>, E> {
        let shares = self.shares(solution);
        if shares.is_empty() {
            return Ok(None);
        }
        let columns = |of: fn(&Share) -> DVector<f64>| {
            DMatrix::from_columns(&shares.iter().map(of).collect::<Vec<_>>())
        };
        let rows = columns(|share| share.row.clone());
        let forces = columns(|share| share.force.clone());
        let (mut of_rows, mut of_forces) = (rows.clone(), forces.clone());
        for mut column in of_rows.column_iter_mut().chain(of_forces.column_iter_mut()) {
            solve(column.as_mut_slice())?;
        }
        let scale = |i: usize| 1.0 / rows.column(i).dot(&of_rows.column(i)).sqrt();
        let scales = DVector::from_fn(shares.len(), |i, _| scale(i));
        let scales = DMatrix::from_diagonal(&scales);
        let scaled = |left: &DMatrix<f64>| &scales * left.tr_mul(&of_forces) * &scales;
        let (effect, energy) = (scaled(&rows), scaled(&forces));
        // The search does not end where a number is not finite.
        let is_finite = effect.iter().all(|x| x.is_finite());
        let found = is_finite.then(|| effect.svd(false, true));
        let Some((values, directions)) =
            found.and_then(|svd| Some((svd.singular_values, svd.v_t?)))
        else {
            return Ok(None);
        };
        let largest = values.amax();
        let moving = (directions.row_iter().zip(values.iter()))
            .filter(|(_, value)| **value <= NO_CHANGE * largest)
            .map(|(direction, _)| direction.transpose())
            .find(|x| x.dot(&(&energy * x)) > MOVES);
        Ok(moving.map(|x| shares[x.icamax()].contact))
    }

    /// Those of contacts that press, or touch without a force: of one that slides the force along its cone, of one that holds
    /// a normal force and one along each spanning direction.
    fn shares(&self, solution: &VelocitySolution<T>) -> Vec<Share> {
        let (operators, impulses) = (&self.data.operators, &solution.impulses);
        let v = solution.generalized_velocity.as_slice();
        let at_rest = AT_REST * v.iter().fold(0.0, |most: f64, v| most.max(v.re().abs()));
        let real = |rows: &DMatrix<T>, i: usize| rows.row(i).map(|x| x.re()).transpose();
        let mut shares = Vec::new();
        for cone in &impulses.cones {
            let c = cone.contact;
            let pressed = impulses.normal()[c].re();
            let rate = along(&operators.n, c, v) + self.data.kN[c];
            if pressed <= 0.0 && rate.re().abs() > at_rest {
                continue;
            }
            let normal = real(&operators.n, c);
            let tangents = || cone.directions.clone().map(|k| real(&operators.f, k));
            let slips = (cone.directions.clone())
                .map(|k| (along(&operators.f, k, v) + self.data.kF[k]).re());
            let slips = DVector::from_iterator(cone.directions.len(), slips);
            let friction = &impulses.friction()[cone.directions.clone()];
            let (mu, slip) = (cone.mu.re(), slips.norm());
            let limit = cone.mu * impulses.normal()[c];
            let slides = match pressed > 0.0 {
                true => slack(limit, friction, cone.is_round).re() <= AT_LIMIT * limit.re(),
                false => slip > at_rest,
            };
            // Friction of a unit normal force, along each direction.
            let of_unit = |k: usize| match (pressed > 0.0, cone.is_round) {
                (true, _) => friction[k].re() / pressed,
                (false, true) => -mu * slips[k] / slip,
                (false, false) if slips[k].abs() == slips.amax() => -mu * slips[k].signum(),
                (false, false) => 0.0,
            };
            let mut force = normal.clone();
            for (k, tangent) in tangents().enumerate().filter(|_| slides) {
                force += tangent * of_unit(k);
            }
            shares.push(Share {
                contact: c,
                row: normal,
                force,
            });
            if !slides {
                let holds = tangents().map(|row| Share {
                    contact: c,
                    force: row.clone(),
                    row,
                });
                shares.extend(holds);
            }
        }
        shares
    }
}
