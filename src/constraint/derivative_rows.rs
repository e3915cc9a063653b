//! The active rows by which a solution is differentiated, also where it is degenerate (`zᵢ = wᵢ = 0`).
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
//! A row that holds in no solution is at a kink. There the active set of the solver is kept, which gives the derivative of
//! one side.

use super::decision::Decision;
use super::variable::{Places, Variable};
use super::view::Cone;
use crate::math::{Factorization, IndependentRows, Lu, resize_matrix};
use crate::solver::lcp::{
    LcpMethod, LcpSolution, LcpSolver, LcpSolverParameters, LinearComplementarityProblem,
};
use nalgebra::DMatrix;

/// Rows whose squared distance from others is less than this part of their square depend on them.
const DEPENDENT: f64 = 1e-12;
/// `ε`, for columns of length one, and what of `ε u` counts as positive.
const REGULARIZATION: f64 = 1e-9;
const POSITIVE: f64 = 1e-3;
/// Room in a friction cone below this part of the cone is none.
const NO_ROOM: f64 = 1e-10;

/// Which rows determine the derivatives of a solution; a workspace.
///
/// Friction of a contact that sticks is one variable for both senses, that along its direction.
#[derive(Debug, Clone)]
pub(super) struct DerivativeRows {
    /// Whether they are others than those of the solver.
    is_own: bool,
    /// Variables, ascending, that are determined by their rows, and the factor of these.
    basic: Vec<usize>,
    lu: Lu,
    /// Which cones stick; none if this is empty.
    pub sticks: Vec<bool>,
    zeros: Zeros,
    support: Support,
    core: Vec<bool>,
    /// What holds beside the core, and how the core answers each of these.
    others: Vec<usize>,
    answers: Vec<f64>,
    rows: IndependentRows,
}

impl DerivativeRows {
    pub fn new() -> Self {
        DerivativeRows {
            is_own: false,
            basic: Vec::new(),
            lu: Lu::identity(0),
            sticks: Vec::new(),
            zeros: Zeros::default(),
            support: Support::new(),
            core: Vec::new(),
            others: Vec::new(),
            answers: Vec::new(),
            rows: IndependentRows::default(),
        }
    }

    /// The variables, ascending, that are determined by their rows, and the factor of these.
    pub fn basis<'d>(&'d self, decision: &'d Decision) -> (&'d [usize], &'d Lu) {
        if self.is_own {
            (&self.basic, &self.lu)
        } else {
            decision.lcp.basis()
        }
    }

    /// Chooses those of a problem that has been solved.
    pub fn choose(&mut self, decision: &Decision) {
        self.sticks.clear();
        self.is_own = false;
        let solution = decision.lcp.last();
        // The solver has decided everything.
        if decision.places().free == solution.z.len() || solution.weakly_active.is_empty() {
            return;
        }
        self.is_own = self.choose_own(decision).is_some();
        if !self.is_own {
            self.sticks.clear();
        }
    }

    /// `None` where the rows are singular.
    fn choose_own(&mut self, decision: &Decision) -> Option<()> {
        self.zeros.find(decision);
        let state = State {
            decision,
            solution: decision.lcp.last(),
            places: decision.places(),
            zeros: &self.zeros,
        };
        self.support.find(&state);
        let holds = &self.support.holds;
        self.sticks.extend(state.cones().map(|(c, cone)| {
            holds[state.places.slip(c)] && holds[state.places.normal(cone.contact)]
        }));
        // What the solver has determined, but for cones that stick; and what holds beside that.
        self.core.clear();
        self.core.resize(holds.len(), false);
        for &i in decision.lcp.basis().0 {
            self.core[i] = true;
        }
        self.others.clear();
        for (c, cone) in state.cones().filter(|&(c, _)| self.sticks[c]) {
            self.core[state.places.slip(c)] = false;
            for edges in cone.directions.clone().map(|k| state.places.edges(k)) {
                edges.iter().for_each(|&edge| self.core[edge] = false);
                self.others.push(edges[0]);
            }
        }
        let core = &self.core;
        (self.others).extend(state.pushes().filter(|&i| holds[i] && !core[i]));
        self.basic.clear();
        self.basic.extend((0..core.len()).filter(|&i| core[i]));
        let entry = |i: usize, j: usize| decision.matrix[(i, j)];
        factor(&mut self.lu, &self.basic, entry)?;
        let size = self.basic.len();
        self.answers.clear();
        for &j in &self.others {
            let first = self.answers.len();
            self.answers.extend(self.basic.iter().map(|&i| entry(i, j)));
            // Of the size of the factor.
            let _ = self.lu.solve_in_place(&mut self.answers[first..]);
        }
        let (others, basic) = (&self.others, &self.basic);
        let rest = |a: usize, b: usize| {
            let through = basic.iter().zip(&self.answers[b * size..]);
            entry(others[a], others[b])
                - through.map(|(&i, x)| entry(others[a], i) * x).sum::<f64>()
        };
        (self.rows).load(others.len(), rest, |a| entry(others[a], others[a]));
        let independent = self.rows.choose(|_| true, DEPENDENT);
        (self.basic).extend(independent.iter().map(|&a| self.others[a]));
        self.basic.sort_unstable();
        factor(&mut self.lu, &self.basic, entry)
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
#[derive(Debug, Clone, Default)]
struct Zeros {
    no_force: Vec<bool>,
    no_motion: Vec<bool>,
}

impl Zeros {
    fn find(&mut self, decision: &Decision) {
        let solution = decision.lcp.last();
        let n = solution.z.len();
        let Zeros {
            no_force,
            no_motion,
        } = self;
        no_force.clear();
        no_force.resize(n, true);
        no_motion.clear();
        no_motion.resize(n, false);
        let free = 0..decision.places().free.min(n);
        for i in free.chain(solution.active.iter().copied()) {
            (no_force[i], no_motion[i]) = (false, true);
        }
        for &i in &solution.weakly_active {
            (no_force[i], no_motion[i]) = (true, true);
        }
    }
}

/// A solution, and what is zero in it.
struct State<'d> {
    decision: &'d Decision,
    solution: &'d LcpSolution<f64>,
    places: Places,
    zeros: &'d Zeros,
}

impl<'d> State<'d> {
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
        self.zeros.no_force[slip] && !self.zeros.no_force[normal] && self.has_room(cone)
    }

    /// Whether a contact that neither parts nor slips has no room in its cone.
    fn is_undecided(&self, c: usize, cone: &Cone<f64>) -> bool {
        self.zeros.no_force[self.places.slip(c)]
            && self.zeros.no_motion[self.places.normal(cone.contact)]
            && self.edges(cone).all(|i| self.zeros.no_motion[i])
            && !self.is_inside(c, cone)
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
#[derive(Debug, Clone)]
struct Column {
    variable: usize,
    /// The cone that it belongs to, if that is undecided.
    cone: Option<usize>,
    /// Its factor in `μ f_N − Σ f± − room = 0`.
    in_cone: f64,
}

/// The search for a solution of maximal support; a workspace.
#[derive(Debug, Clone)]
struct Support {
    /// Which variables are positive in it; for slips, whether their cones have room.
    holds: Vec<bool>,
    columns: Vec<Column>,
    positive: Vec<bool>,
    /// The undecided cone of each contact.
    undecided: Vec<Option<usize>>,
    rows: IndependentRows,
    /// Columns that are not positive, and those of them that turn out to be.
    zero: Vec<usize>,
    more: Vec<usize>,
    matrix: DMatrix<f64>,
    vector: Vec<f64>,
    lcp: LcpSolver<f64>,
}

impl Support {
    fn new() -> Self {
        let parameters = LcpSolverParameters {
            method: LcpMethod::PrincipalPivoting,
            ..Default::default()
        };
        Support {
            holds: Vec::new(),
            columns: Vec::new(),
            positive: Vec::new(),
            undecided: Vec::new(),
            rows: IndependentRows::default(),
            zero: Vec::new(),
            more: Vec::new(),
            matrix: DMatrix::zeros(0, 0),
            vector: Vec::new(),
            // The defaults are valid, with either method.
            lcp: LcpSolver::new(parameters).unwrap_or_default(),
        }
    }

    fn find(&mut self, state: &State<'_>) {
        let Support {
            holds,
            columns,
            undecided,
            positive,
            rows,
            ..
        } = self;
        holds.clear();
        holds.extend(state.zeros.no_force.iter().map(|none| !none));
        columns.clear();
        columns.extend((0..state.places.free).map(|i| state.column(i, None)));
        undecided.clear();
        undecided.resize(state.places.layout.nc, None);
        for (c, cone) in state.cones() {
            let slip = state.places.slip(c);
            holds[slip] = state.is_inside(c, cone);
            if holds[slip] {
                let along = cone.directions.clone();
                for edge in along.map(|k| state.places.edges(k)[0]) {
                    holds[edge] = true;
                    columns.push(state.column(edge, None));
                }
            } else if state.is_undecided(c, cone) {
                undecided[cone.contact] = Some(c);
                let of_cone = state.edges(cone).chain([slip]);
                columns.extend(of_cone.map(|i| state.column(i, Some(c))));
            }
        }
        let pushes = state.pushes().filter(|&i| state.zeros.no_motion[i]);
        columns.extend(pushes.map(|i| {
            let cone = undecided.get(i - state.places.free).copied().flatten();
            state.column(i, cone)
        }));
        positive.clear();
        positive.extend(columns.iter().map(|c| holds[c.variable]));
        let product = |i: usize, j: usize| state.product(&columns[i], &columns[j]);
        rows.load(columns.len(), product, |i| product(i, i));
        rows.choose(|i| positive[i], DEPENDENT);
        loop {
            self.find_more();
            if self.more.is_empty() {
                break;
            }
            for &i in &self.more {
                self.positive[i] = true;
                self.holds[self.columns[i].variable] = true;
            }
            let more = &self.more;
            self.rows.choose(|i| more.contains(&i), DEPENDENT);
        }
    }

    /// Finds columns that are positive in some `y ≥ 0` without effect; not all, but none only if there are none.
    fn find_more(&mut self) {
        let Support {
            columns,
            positive,
            rows,
            zero,
            more,
            matrix,
            vector,
            lcp,
            ..
        } = self;
        zero.clear();
        zero.extend((0..columns.len()).filter(|&i| !positive[i]));
        let n = zero.len();
        resize_matrix(matrix, n, n);
        for (b, a) in (0..n).flat_map(|b| (0..n).map(move |a| (b, a))) {
            let regularization = if a == b { REGULARIZATION } else { 0.0 };
            matrix[(a, b)] = rows.rest(zero[a], zero[b]) + regularization;
        }
        vector.clear();
        vector.resize(n, -1.0);
        more.clear();
        let problem = LinearComplementarityProblem::new(matrix, vector).ok();
        if let Some(solution) = problem.and_then(|problem| lcp.solve(problem).ok()) {
            let is_positive = |u: f64| u * REGULARIZATION > POSITIVE;
            let found = solution.z.iter().zip(&*zero);
            more.extend(found.filter(|(u, _)| is_positive(**u)).map(|(_, &i)| i));
        }
    }
}
