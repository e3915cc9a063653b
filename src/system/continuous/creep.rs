//! The way of a machine with rigid contact to where it rests.
//!
//! Without inertia, and held back by its masses alone, a machine creeps along
//!
//! ```text
//! M q̇ = F(q) + Dᵀ λ          φ(q) = 0, or 0 ≤ φ(q) ⊥ λ ≥ 0
//! ```
//!
//! and rests where nothing moves. A step of the pace h (s²), implicit in the displacement u and the forces λ,
//!
//! ```text
//! (M/h − ∂(F + Dᵀ λ)/∂q) u − Dᵀ λ⁺ = F       φ + Φ u = 0, or ≥ 0 ⊥ λ⁺ ≥ 0
//! ```
//!
//! is a linear complementarity problem. Short ones follow the way; long ones are Newton's for the place of rest (Josephy
//! 1979), and steps become longer as the forces that are left become smaller (pseudo-transient continuation, Kelley & Keyes
//! 1998, *SIAM J. Numer. Anal.* 35(2), 508–523). None is so long that it would lead to a place from which what is beside it
//! moves away (the matrix of u is positive definite), or further than contacts have been looked for.

use super::equilibrium::{MAX_ITERATIONS, RestResidual, Root, Search};
use crate::contact::ContactWorkspace;
use crate::math::SpatialVelocity;
use crate::solver::lcp::{LcpSolver, LinearComplementarityProblem};
use crate::system::error::SystemError;
use nalgebra::{Cholesky, DMatrix, DVector};

/// The pace of the first step, in s².
const FIRST_PACE: f64 = 1.0;
/// The largest turn of a body in a step.
const MAX_TURN: f64 = 0.5;
/// How much rows of equations give to a change of their force, beside what the easiest to move does: redundant ones
/// share it.
const GIVE: f64 = 1e-9;
/// Number of paces that are tried for a step.
const MAX_TRIALS: usize = 20;

/// A step of the pace that it was solved for.
struct Step {
    displacement: DVector<f64>,
    multipliers: Vec<f64>,
    /// The largest force or error that its multipliers leave where it starts.
    left: f64,
}

impl Search<'_> {
    /// Where the machine comes to rest from a point, with the contacts that are near there.
    pub(super) fn creep(&mut self, mut at: Root, tolerance: f64) -> Result<Root, SystemError> {
        let extents = (self.real.system.contact.geometries().iter()).map(|g| g.shape.extent());
        let reach = extents.filter(|x| x.is_finite()).fold(0.0, f64::max);
        let limit = if reach > 0.0 { reach } else { f64::INFINITY };
        let (mut pace, mut left) = (FIRST_PACE, f64::INFINITY);
        let mut search = ContactWorkspace::new();
        let mut mass = DMatrix::zeros(0, 0);
        for iterations in 1..=MAX_ITERATIONS {
            self.look_around(&mut at, reach, &mut search, &mut mass)?;
            let residual = self.differentiate(&at, RestResidual::evaluate)?;
            let Some(step) = self.find_step(&at, &residual, &mass, (&mut pace, limit))? else {
                let force = left.min(residual.0.amax());
                return Err(SystemError::NoEquilibrium { iterations, force });
            };
            at.multipliers = step.multipliers;
            if step.left <= tolerance {
                return Ok(at);
            }
            pace *= (2.0 * left / step.left).clamp(0.1, 10.0);
            left = step.left;
            let u = step.displacement.as_slice();
            let to = self.real.state.q.as_mut_slice();
            (self.real.system.tree).integrate_exponential(at.q.as_slice(), u, 1.0, to)?;
            at.q.copy_from_slice(to);
        }
        Err(SystemError::NoEquilibrium {
            iterations: MAX_ITERATIONS,
            force: left,
        })
    }

    /// A step that is no longer than `limit`, with a pace that there is one for. What is pushed out of another
    /// body or into a constraint goes only a part of the way, if that is long.
    fn find_step(
        &self,
        at: &Root,
        residual: &(DVector<f64>, DMatrix<f64>),
        mass: &DMatrix<f64>,
        (pace, limit): (&mut f64, f64),
    ) -> Result<Option<Step>, SystemError> {
        let mut before = f64::INFINITY;
        for _ in 0..MAX_TRIALS {
            let Some(mut step) = self.solve_step(at, residual, mass, *pace) else {
                *pace *= 0.25;
                continue;
            };
            let excess = self.length(&step.displacement, limit)?;
            if excess <= 1.0 {
                return Ok(Some(step));
            }
            if excess > 0.5 * before {
                step.displacement /= excess;
                return Ok(Some(step));
            }
            before = excess;
            *pace *= (0.9 / excess).max(1e-3);
        }
        Ok(None)
    }

    /// Finds the contacts nearer than `reach`, and the mass matrix. Contacts that were there before keep their force.
    fn look_around(
        &mut self,
        at: &mut Root,
        reach: f64,
        search: &mut ContactWorkspace<f64>,
        mass: &mut DMatrix<f64>,
    ) -> Result<(), SystemError> {
        let RestResidual {
            system,
            workspace,
            state,
            ..
        } = &mut self.real;
        let (placed, nv) = (&mut workspace.placed, state.v.len());
        (system.tree).set_state(placed, at.q.as_slice(), state.v.as_slice())?;
        mass.resize_mut(nv, nv, 0.0);
        system.tree.mass_matrix(placed, mass)?;
        let mut found = Vec::new();
        (system.contact).find(system.tree, placed, reach, search, &mut found)?;
        let forces = at
            .multipliers
            .split_off(at.multipliers.len() - at.contacts.len());
        at.multipliers.extend(found.iter().map(|contact| {
            let mut before = at.contacts.iter().zip(&forces);
            (before.find(|(known, _)| *known == contact)).map_or(0.0, |(_, &force)| force)
        }));
        at.contacts = found;
        self.real.set_contacts(&at.contacts);
        Ok(())
    }

    /// A step, if there is one.
    fn solve_step(
        &self,
        at: &Root,
        (error, jacobian): &(DVector<f64>, DMatrix<f64>),
        mass: &DMatrix<f64>,
        pace: f64,
    ) -> Option<Step> {
        let (nv, unilateral) = (mass.nrows(), &self.real.unilateral);
        let rows = 0..unilateral.len();
        let (inequalities, equations): (Vec<_>, Vec<_>) = rows.partition(|&i| unilateral[i]);
        let order: Vec<usize> = (0..nv)
            .chain(equations.iter().chain(&inequalities).map(|i| nv + i))
            .collect();
        let is_motion = |i: usize| i < nv;
        let sign = |i: usize| if is_motion(i) { -1.0 } else { 1.0 };
        let mut matrix = DMatrix::from_fn(order.len(), order.len(), |i, j| {
            let (i, j) = (order[i], order[j]);
            let inertia = match is_motion(i) && is_motion(j) {
                true => mass[(i, j)] / pace,
                false => 0.0,
            };
            inertia + sign(i) * jacobian[(i, j)]
        });
        let stiffness = matrix.view((0, 0), (nv, nv));
        let stiffness = Cholesky::new((stiffness + stiffness.transpose()) * 0.5)?;
        let held = DVector::from_column_slice(&at.multipliers);
        let unloaded = error - jacobian.columns(nv, held.len()) * &held;
        let mut vector: Vec<f64> = order.iter().map(|&i| sign(i) * unloaded[i]).collect();
        let free = nv + equations.len();
        let easiest = (nv..free).fold(0.0, |easiest: f64, k| {
            let row = matrix.view((k, 0), (1, nv)).transpose();
            easiest.max(row.dot(&stiffness.solve(&row)))
        });
        let give = if easiest > 0.0 { GIVE * easiest } else { 1.0 };
        for k in nv..free {
            matrix[(k, k)] += give;
            vector[k] -= give * held[order[k] - nv];
        }
        let problem = LinearComplementarityProblem::mixed(&matrix, &vector, free).ok()?;
        let mut solver = LcpSolver::<f64>::default();
        let solution = solver.solve(problem).ok()?;
        let mut multipliers = vec![0.0; held.len()];
        for (&i, &z) in order.iter().zip(solution.z.iter()).skip(nv) {
            multipliers[i - nv] = z;
        }
        let pushed = jacobian.columns(nv, held.len()) * DVector::from_column_slice(&multipliers);
        let mut left = unloaded + pushed;
        for i in inequalities {
            left[nv + i] = left[nv + i].min(multipliers[i]);
        }
        Some(Step {
            displacement: solution.z.rows(0, nv).into_owned(),
            multipliers,
            left: left.amax(),
        })
    }

    /// The length of a displacement: 1 if a body moves by `limit` or turns by [`MAX_TURN`].
    fn length(&self, displacement: &DVector<f64>, limit: f64) -> Result<f64, SystemError> {
        let (tree, workspace) = (self.real.system.tree, &self.real.workspace);
        let mut bodies = vec![SpatialVelocity::zero(); tree.num_bodies()];
        tree.body_velocities(&workspace.placed, displacement.as_slice(), &mut bodies)?;
        let lengths = bodies.iter().map(|body| {
            let turn = body.angular.norm() / MAX_TURN;
            turn.max(body.linear.norm() / limit)
        });
        Ok(lengths.fold(0.0, f64::max))
    }
}
