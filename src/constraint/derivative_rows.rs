//! The rows that determine the derivatives of a solution.
//!
//! Where `zᵢ` and `wᵢ` both vanish, the active set of one solution says nothing about motion nearby: friction that
//! is zero without slip, or the fourth corner of a box on three. Such a row holds on both sides of the
//! data if it holds in *some* solution with the same motion, that is with a positive force or with room in its cone: then
//! forces with either sign of change are there to uphold it. The forces `y` that change no motion,
//!
//! ```text
//! Ĵᵀ y = 0,      yᵢ ≥ 0 where zᵢ = 0
//! ```
//!
//! lead from one solution to all others. With `S` the Gram matrix of the columns with `zᵢ = 0`, once those with
//! `zᵢ > 0` are projected out, they are the `y ≥ 0` with `S y = 0`; and `ε u`, where `u ≥ 0 ⊥ (S + ε I) u ≥ 1`, tends
//! to the one nearest to `(1, …, 1)` (Tikhonov). Repeated until none is left, this finds a solution with as many
//! positive variables as any (one that is maximally complementary).
//!
//! What holds in none is at a kink. There the active set of the solver stands, for one side.

use super::decision::{Decision, Places, Variable};
use super::independent_rows::IndependentRows;
use super::view::Cone;
use crate::math::{Factorization, Lu};
use crate::solver::lcp::{
    LcpMethod, LcpSolution, LcpSolver, LcpSolverParameters, LinearComplementarityProblem,
};
use nalgebra::DMatrix;
use std::borrow::Cow;

/// Rows whose squared distance from others is less than this part of their square depend on them.
const DEPENDENT: f64 = 1e-12;
/// `ε`, for columns of length one, and what of `ε u` counts as positive.
const REGULARIZATION: f64 = 1e-9;
const POSITIVE: f64 = 1e-3;
/// Room in a friction cone below this part of the cone is none.
const NO_ROOM: f64 = 1e-10;

/// Variables, ascending, that are determined by their rows, and the factor of these.
///
/// Friction of a contact that sticks is one variable for both senses, that along its direction.
pub(super) struct DerivativeRows<'d> {
    pub basic: Cow<'d, [usize]>,
    pub lu: Cow<'d, Lu>,
    /// Which cones stick.
    pub sticks: Vec<bool>,
}

impl<'d> DerivativeRows<'d> {
    /// Of a problem that has been solved.
    pub fn choose(decision: &'d Decision) -> Self {
        let state = State::new(decision);
        let (basic, lu) = decision.lcp.basis();
        let of_solver = DerivativeRows {
            basic: Cow::Borrowed(basic),
            lu: Cow::Borrowed(lu),
            sticks: vec![false; decision.view.cones.len()],
        };
        if state.is_smooth() {
            return of_solver;
        }
        let holds = state.maximal_support();
        let sticks: Vec<bool> = (state.cones())
            .map(|(c, cone)| {
                holds[state.places.slip(c)] && holds[state.places.normal(cone.contact)]
            })
            .collect();
        // What the solver has determined, but for cones that stick; and what holds beside that.
        let mut core = vec![false; holds.len()];
        basic.iter().for_each(|&i| core[i] = true);
        let mut others = Vec::new();
        for (c, cone) in state.cones().filter(|&(c, _)| sticks[c]) {
            core[state.places.slip(c)] = false;
            for edges in cone.directions.clone().map(|k| state.places.edges(k)) {
                edges.iter().for_each(|&edge| core[edge] = false);
                others.push(edges[0]);
            }
        }
        others.extend(state.pushes().filter(|&i| holds[i] && !core[i]));
        let mut basic: Vec<usize> = (0..core.len()).filter(|&i| core[i]).collect();
        let mut lu = Lu::identity(0);
        let entry = |i: usize, j: usize| decision.matrix[(i, j)];
        if factor(&mut lu, &basic, entry).is_none() {
            return of_solver;
        }
        let answers: Vec<Vec<f64>> = (others.iter())
            .map(|&j| {
                let mut answer: Vec<f64> = basic.iter().map(|&i| entry(i, j)).collect();
                // Of the size of the factor.
                let _ = lu.solve_in_place(&mut answer);
                answer
            })
            .collect();
        let rest = |a: usize, b: usize| {
            let through = basic.iter().zip(&answers[b]);
            entry(others[a], others[b])
                - through.map(|(&i, x)| entry(others[a], i) * x).sum::<f64>()
        };
        let mut rows = IndependentRows::default();
        rows.load(others.len(), rest, |a| entry(others[a], others[a]));
        basic.extend(rows.choose(|_| true, DEPENDENT).iter().map(|&a| others[a]));
        basic.sort_unstable();
        match factor(&mut lu, &basic, entry) {
            Some(()) => DerivativeRows {
                basic: Cow::Owned(basic),
                lu: Cow::Owned(lu),
                sticks,
            },
            None => of_solver,
        }
    }
}

fn factor(lu: &mut Lu, basic: &[usize], entry: impl Fn(usize, usize) -> f64) -> Option<()> {
    lu.factor_dense(basic.len(), |factors| {
        for (column, &j) in factors.chunks_exact_mut(basic.len().max(1)).zip(basic) {
            for (factor, &i) in column.iter_mut().zip(basic) {
                *factor = entry(i, j);
            }
        }
    })
    .ok()
}

/// What is zero in a solution.
struct State<'d> {
    decision: &'d Decision,
    solution: &'d LcpSolution<f64>,
    places: Places,
    no_force: Vec<bool>,
    no_motion: Vec<bool>,
}

impl<'d> State<'d> {
    fn new(decision: &'d Decision) -> Self {
        let solution = decision.lcp.last();
        let n = solution.z.len();
        let (mut no_force, mut no_motion) = (vec![true; n], vec![false; n]);
        let free = 0..decision.places().free.min(n);
        for i in free.chain(solution.active.iter().copied()) {
            (no_force[i], no_motion[i]) = (false, true);
        }
        for &i in &solution.weakly_active {
            (no_force[i], no_motion[i]) = (true, true);
        }
        State {
            decision,
            solution,
            places: decision.places(),
            no_force,
            no_motion,
        }
    }

    /// Whether the solver has decided everything.
    fn is_smooth(&self) -> bool {
        self.places.free == self.no_force.len() || self.solution.weakly_active.is_empty()
    }

    fn cones(&self) -> impl Iterator<Item = (usize, &'d Cone<f64>)> {
        self.decision.view.cones.iter().enumerate()
    }

    /// Normal forces and limits.
    fn pushes(&self) -> impl Iterator<Item = usize> {
        let (places, layout) = (self.places, self.places.layout);
        (0..layout.nc)
            .map(move |i| places.normal(i))
            .chain((0..layout.nu).map(move |i| places.limit(i)))
    }

    fn edges(&self, cone: &Cone<f64>) -> impl Iterator<Item = usize> {
        let places = self.places;
        cone.directions.clone().flat_map(move |k| places.edges(k))
    }

    /// Room in a cone, relative to its size.
    fn has_room(&self, cone: &Cone<f64>) -> bool {
        let z = &self.solution.z;
        let size = cone.mu * z[self.places.normal(cone.contact)];
        let friction = (cone.directions.clone()).map(|k| self.places.edges(k));
        let used: f64 = friction.map(|[a, b]| (z[a] - z[b]).abs()).sum();
        size - used > NO_ROOM * size
    }

    /// Whether the friction of a contact that is pressed has room in its cone.
    fn is_inside(&self, c: usize, cone: &Cone<f64>) -> bool {
        let [slip, normal] = [self.places.slip(c), self.places.normal(cone.contact)];
        self.no_force[slip] && !self.no_force[normal] && self.has_room(cone)
    }

    /// Whether a contact that neither parts nor slips has no room in its cone.
    fn is_undecided(&self, c: usize, cone: &Cone<f64>) -> bool {
        self.no_force[self.places.slip(c)]
            && self.no_motion[self.places.normal(cone.contact)]
            && self.edges(cone).all(|i| self.no_motion[i])
            && !self.is_inside(c, cone)
    }

    /// Which variables are positive in a solution of maximal support; for slips, whether their cones have room.
    fn maximal_support(&self) -> Vec<bool> {
        let mut holds: Vec<bool> = self.no_force.iter().map(|none| !none).collect();
        let mut columns: Vec<Column> = (0..self.places.free)
            .map(|i| self.column(i, None))
            .collect();
        let mut undecided = vec![None; self.places.layout.nc];
        for (c, cone) in self.cones() {
            let slip = self.places.slip(c);
            holds[slip] = self.is_inside(c, cone);
            if holds[slip] {
                let along = cone.directions.clone().map(|k| self.places.edges(k)[0]);
                for edge in along {
                    holds[edge] = true;
                    columns.push(self.column(edge, None));
                }
            } else if self.is_undecided(c, cone) {
                undecided[cone.contact] = Some(c);
                let of_cone = self.edges(cone).chain([slip]);
                columns.extend(of_cone.map(|i| self.column(i, Some(c))));
            }
        }
        columns.extend((self.pushes()).filter(|&i| self.no_motion[i]).map(|i| {
            let cone = undecided.get(i - self.places.free).copied().flatten();
            self.column(i, cone)
        }));
        let mut positive: Vec<bool> = columns.iter().map(|c| holds[c.variable]).collect();
        let mut rows = IndependentRows::default();
        let product = |i: usize, j: usize| self.product(&columns[i], &columns[j]);
        rows.load(columns.len(), product, |i| product(i, i));
        rows.choose(|i| positive[i], DEPENDENT);
        loop {
            let zero: Vec<usize> = (0..columns.len()).filter(|&i| !positive[i]).collect();
            let more = positive_forces_without_effect(&rows, &zero);
            if more.is_empty() {
                break;
            }
            for &i in &more {
                positive[i] = true;
                holds[columns[i].variable] = true;
            }
            rows.choose(|i| more.contains(&i), DEPENDENT);
        }
        holds
    }

    fn column(&self, variable: usize, cone: Option<usize>) -> Column {
        let in_cone = match cone.map(|c| &self.decision.view.cones[c]) {
            Some(cone) if variable == self.places.normal(cone.contact) => cone.mu,
            Some(_) => -1.0,
            None => 0.0,
        };
        Column {
            variable,
            cone,
            in_cone,
        }
    }

    /// The product of two columns of forces in the metric of the inverse inertia, beside which room in a cone
    /// is measured as its normal force.
    fn product(&self, a: &Column, b: &Column) -> f64 {
        let delassus = &self.decision.delassus;
        let of_forces = match [a, b].map(|c| self.decision.variables[c.variable]) {
            [
                Variable::Force { packed: p, sign: s },
                Variable::Force { packed: q, sign: t },
            ] => {
                let gamma = self.decision.view.gamma.get(p).filter(|_| p == q);
                s * t * (delassus.frictionless_column(q)[p] + gamma.copied().unwrap_or(0.0))
            }
            _ => 0.0,
        };
        match a.cone.filter(|_| a.cone == b.cone) {
            Some(cone) => {
                let normal = self.decision.view.cones[cone].contact;
                of_forces + a.in_cone * b.in_cone * delassus.frictionless_column(normal)[normal]
            }
            None => of_forces,
        }
    }
}

/// A force, or the room in a cone, of a contact or constraint that does not move.
struct Column {
    variable: usize,
    /// The cone that it belongs to, if that is undecided.
    cone: Option<usize>,
    /// Its factor in `μ f_N − Σ f± − room = 0`.
    in_cone: f64,
}

/// Those of `zero` that are positive in some `y ≥ 0` without effect; not all, but none only if there are none.
fn positive_forces_without_effect(rows: &IndependentRows, zero: &[usize]) -> Vec<usize> {
    let n = zero.len();
    let matrix = DMatrix::from_fn(n, n, |a, b| {
        let regularization = if a == b { REGULARIZATION } else { 0.0 };
        rows.rest(zero[a], zero[b]) + regularization
    });
    let vector = vec![-1.0; n];
    let parameters = LcpSolverParameters {
        method: LcpMethod::PrincipalPivoting,
        ..Default::default()
    };
    let solution = LcpSolver::<f64>::new(parameters)
        .ok()
        .and_then(|mut solver| {
            let problem = LinearComplementarityProblem::new(&matrix, &vector).ok()?;
            Some(solver.solve(problem).ok()?.z.clone())
        });
    let positive = |u: f64| u * REGULARIZATION > POSITIVE;
    let found = solution.iter().flat_map(|u| u.iter().zip(zero));
    found
        .filter(|(u, _)| positive(**u))
        .map(|(_, &i)| i)
        .collect()
}
