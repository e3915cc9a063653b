//! Which constraints are active: all in `f64`.

use super::delassus::Delassus;
use super::error::ConstraintError;
use super::independent_rows::IndependentRows;
use super::kink::{ConstraintKink, nearest_kinks};
use super::operators::ConstraintOperators;
use super::view::View;
use crate::math::{Factorization, Lu, reset_matrix};
use crate::solver::lcp::{LcpError, LcpSolver, LinearComplementarityProblem};
use nalgebra::DMatrix;
use std::borrow::Cow;

/// Decides a problem, and holds what it was decided by.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    pub lcp: LcpSolver<f64>,
    pub view: View<f64>,
    pub delassus: Delassus<f64>,
    /// The independent equations, by their position in the packed forces, ascending.
    pub equations: Vec<usize>,
    /// The other equations.
    pub redundant: Vec<usize>,
    pub variables: Vec<Variable>,
    /// Packed forces of the independent equations and the inequalities.
    pub packed: Vec<f64>,
    pub kinks: Vec<ConstraintKink>,
    pub residual: f64,
    pub pivots: usize,
    matrix: DMatrix<f64>,
    vector: Vec<f64>,
}

/// A variable of the complementarity problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Variable {
    /// A force by its position in the packed vector, taken with this sign.
    Force { packed: usize, sign: f64 },
    /// The slip `λ` of a cone.
    Slip { cone: usize },
}

/// Equations whose squared distance from the others is less than this part of their square depend
/// on them.
const DEPENDENT: f64 = 1e-12;
/// Friction that is this part of its limit away from it sticks.
const STICKS: f64 = 1e-9;
/// An equation that depends on others contradicts them when it is violated by more than this part
/// of the rates that the forces and constants of the problem are apt to give it,
const CONTRADICTION: f64 = 1e-6;
/// and by more than this: round-off of positions, in m/s² or m/s.
const ROUND_OFF: f64 = 1e-9;

impl Decision {
    pub fn new(lcp: LcpSolver<f64>) -> Self {
        Decision {
            lcp,
            view: View::new(),
            delassus: Delassus::new(),
            equations: Vec::new(),
            redundant: Vec::new(),
            variables: Vec::new(),
            packed: Vec::new(),
            kinks: Vec::new(),
            residual: 0.0,
            pivots: 0,
            matrix: DMatrix::zeros(0, 0),
            vector: Vec::new(),
        }
    }

    /// Solves the problem in `self.view`.
    pub fn decide(
        &mut self,
        operators: &mut impl ConstraintOperators<f64>,
        all_active: bool,
    ) -> Result<(), ConstraintError> {
        self.delassus.assemble(&self.view, operators)?;
        let layout = self.view.layout;
        let equations = if all_active {
            0..layout.size()
        } else {
            layout.bilateral()
        };
        let first = equations.start;
        // The others have a symmetric matrix, which finds those that depend on each other.
        let bilateral = layout.bilateral().start;
        let (own, along): (Vec<usize>, Vec<usize>) =
            equations.partition(|&e| e >= bilateral && operators.has_own_direction(e - bilateral));
        let delassus = &self.delassus;
        let entry = |i: usize, j: usize| delassus.frictionless_entry(along[i], along[j]);
        let mut search = IndependentRows::default();
        let independent = search.find(along.len(), entry, DEPENDENT);
        self.redundant.clear();
        let depends = |position: &usize| independent.binary_search(position).is_err();
        let redundant = (0..along.len()).filter(depends).map(|i| along[i]);
        self.redundant.extend(redundant);
        self.equations = independent.iter().map(|&i| along[i]).chain(own).collect();
        self.equations.sort_unstable();
        self.choose_variables(all_active);
        self.write_problem(|delassus, i, j| delassus.matrix[(i, j)]);
        let free = self.equations.len();
        let problem = LinearComplementarityProblem::mixed(&self.matrix, &self.vector, free)?;
        match self.lcp.solve(problem) {
            Ok(solution) => {
                self.packed.clear();
                self.packed.resize(layout.size(), 0.0);
                for (&variable, &z) in self.variables.iter().zip(solution.z.iter()) {
                    if let Variable::Force { packed, sign } = variable {
                        self.packed[packed] += z * sign;
                    }
                }
                self.kinks = nearest_kinks(&self.view, free, &self.vector, solution);
                (self.residual, self.pivots) = (solution.residual, solution.pivots);
            }
            Err(error) => return Err(self.explain(error)),
        }
        self.check_redundant(first)
    }

    /// The change of motion by the packed forces.
    pub fn change(&self) -> Vec<f64> {
        let mut change = vec![0.0; self.delassus.free_motion.len()];
        let responses = self.delassus.responses.column_iter();
        for (&f, response) in self.packed.iter().zip(responses) {
            for (change, &x) in change.iter_mut().zip(response.iter()) {
                *change += x * f;
            }
        }
        change
    }

    /// The places among the variables of both senses of friction along a direction.
    pub fn edges(&self, direction: usize) -> [usize; 2] {
        let first = self.equations.len() + self.view.layout.nc + direction;
        [first, first + self.view.layout.nnr]
    }

    /// The place among the variables of the slip of a cone.
    pub fn slip(&self, cone: usize) -> usize {
        let layout = self.view.layout;
        self.equations.len() + layout.nc + 2 * layout.nnr + cone
    }

    /// The variables that the solution determines by their rows, ascending, and the factor of these rows, where
    /// they are more than those of [`LcpSolver::basis`].
    ///
    /// A contact that sticks with less friction than it could exert keeps its rates along all directions at
    /// zero. Where a friction force is zero, as at rest on level ground, its row is not needed for the values,
    /// but is for derivatives.
    pub fn sticking_basis(&self) -> Option<(Vec<usize>, Lu)> {
        let (basic, lu) = self.lcp.basis();
        let z = &self.lcp.last().z;
        let (mut basic, mut lu) = (basic.to_vec(), Cow::Borrowed(lu));
        for cone in &self.view.cones {
            let limit = cone.mu * z[self.equations.len() + cone.contact];
            let friction = |k: usize| self.edges(k).map(|edge| z[edge]).iter().sum::<f64>();
            let used: f64 = cone.directions.clone().map(friction).sum();
            // Written so that a frictionless contact does not stick.
            let sticks = limit - used > STICKS * limit;
            for k in cone.directions.clone().filter(|_| sticks) {
                let edges = self.edges(k);
                let row = |&edge: &usize| basic.binary_search(&edge).err();
                let [Some(place), Some(_)] = edges.each_ref().map(row) else {
                    continue;
                };
                // What is left of the row beside the others: nothing, if it depends on them.
                let entry = |i: usize, j: usize| self.matrix[(i, j)];
                let edge = edges[0];
                let mut column: Vec<f64> = basic.iter().map(|&i| entry(i, edge)).collect();
                lu.solve_in_place(&mut column).ok()?;
                let known = basic.iter().zip(&column).map(|(&j, x)| entry(edge, j) * x);
                let rest = entry(edge, edge) - known.sum::<f64>();
                if rest <= DEPENDENT.sqrt() * entry(edge, edge) {
                    continue;
                }
                basic.insert(place, edge);
                let rows = self.matrix.select_rows(&basic).select_columns(&basic);
                lu.to_mut().factor(&rows).ok()?;
            }
        }
        match lu {
            Cow::Owned(lu) => Some((basic, lu)),
            Cow::Borrowed(_) => None,
        }
    }

    /// Independent equations first, then normal forces, friction in both senses, slips, limits.
    fn choose_variables(&mut self, all_active: bool) {
        let layout = self.view.layout;
        let force = |sign: f64| move |packed: usize| Variable::Force { packed, sign };
        self.variables.clear();
        self.variables
            .extend(self.equations.iter().copied().map(force(1.0)));
        if all_active {
            return;
        }
        self.variables.extend(layout.normal().map(force(1.0)));
        self.variables.extend(layout.friction().map(force(1.0)));
        self.variables.extend(layout.friction().map(force(-1.0)));
        let cones = (0..self.view.cones.len()).map(|cone| Variable::Slip { cone });
        self.variables.extend(cones);
        self.variables.extend(layout.limit().map(force(1.0)));
    }

    /// The complementarity problem, with `entry` for the entries of the Delassus matrix.
    fn write_problem(&mut self, entry: impl Fn(&Delassus<f64>, usize, usize) -> f64) {
        let n = self.variables.len();
        let view = &self.view;
        let is_of = |packed: usize, cone: usize| {
            let directions = &view.cones[cone].directions;
            let friction = view.layout.friction();
            friction.contains(&packed) && directions.contains(&(packed - friction.start))
        };
        reset_matrix(&mut self.matrix, n, n);
        self.vector.clear();
        self.vector.resize(n, 0.0);
        for (i, &row) in self.variables.iter().enumerate() {
            if let Variable::Force { packed, sign } = row {
                self.vector[i] = self.delassus.vector[packed] * sign;
            }
            for (j, &column) in self.variables.iter().enumerate() {
                use Variable::{Force, Slip};
                self.matrix[(i, j)] = match (row, column) {
                    (Force { packed: p, sign: s }, Force { packed: q, sign: t }) => {
                        let coupling = entry(&self.delassus, p, q) * (s * t) + view.coupling(p, q);
                        match view.gamma.get(p) {
                            Some(&gamma) if i == j => coupling + gamma,
                            _ => coupling,
                        }
                    }
                    (Force { packed, .. }, Slip { cone }) if is_of(packed, cone) => 1.0,
                    (Slip { cone }, Force { packed, .. }) if is_of(packed, cone) => -1.0,
                    (Slip { cone }, Force { packed, .. }) if packed == view.cones[cone].contact => {
                        view.cones[cone].mu
                    }
                    (Slip { cone }, Slip { .. }) if i == j => {
                        view.gamma_cone.get(cone).copied().unwrap_or(0.0)
                    }
                    _ => 0.0,
                };
            }
        }
    }

    /// Says in terms of mechanics why there is no solution.
    fn explain(&mut self, error: LcpError) -> ConstraintError {
        match error {
            LcpError::Infeasible { violation } => {
                if self.is_solvable_without_sliding_friction() {
                    ConstraintError::PainleveInconsistency { violation }
                } else {
                    ConstraintError::Infeasible { violation }
                }
            }
            LcpError::Ray { pivots } => ConstraintError::Unbounded { pivots },
            LcpError::Invalid(invalid) => ConstraintError::Invalid(invalid),
            other => ConstraintError::Lcp(other),
        }
    }

    fn is_solvable_without_sliding_friction(&mut self) -> bool {
        if !self.view.slides {
            return false;
        }
        self.write_problem(|delassus, i, j| delassus.frictionless_entry(i, j));
        let free = self.equations.len();
        LinearComplementarityProblem::mixed(&self.matrix, &self.vector, free)
            .is_ok_and(|problem| self.lcp.solve(problem).is_ok())
    }

    /// Checks that equations which depend on others agree with them.
    ///
    /// What remains of them is compared with `√Dᵢᵢ √(xᵀ M x)`, which bounds the rate `Jᵢ x` that a
    /// motion `x` gives row `i` (Cauchy and Schwarz); not with the terms of the row, which may all be
    /// round-off.
    fn check_redundant(&self, first: usize) -> Result<(), ConstraintError> {
        if self.redundant.is_empty() {
            return Ok(());
        }
        let (delassus, n) = (&self.delassus, self.packed.len());
        let size = |i: usize| delassus.frictionless_entry(i, i).max(0.0).sqrt();
        let free = self.view.right_hand_side.iter().zip(&delassus.free_motion);
        let power: f64 = free.map(|(b, a)| b * a).sum();
        let forces = self.packed.iter().enumerate();
        let constants = self.view.k.iter().enumerate();
        let motion = (constants.filter(|&(j, _)| size(j) > 0.0))
            .map(|(j, k)| k.abs() / size(j))
            .chain(forces.map(|(j, f)| f.abs() * size(j)))
            .fold(power.max(0.0).sqrt(), f64::max);
        for &row in &self.redundant {
            let change = (0..n).map(|j| delassus.matrix[(row, j)] * self.packed[j]);
            let rest = (delassus.vector[row] + change.sum::<f64>()).abs();
            let rate = size(row) * motion;
            let violation = if rate > 0.0 { rest / rate } else { rest };
            // Written so that NaN is a contradiction.
            let agrees = rest <= ROUND_OFF || violation <= CONTRADICTION;
            if !agrees {
                return Err(ConstraintError::Inconsistent {
                    equation: row - first,
                    violation,
                });
            }
        }
        Ok(())
    }
}
