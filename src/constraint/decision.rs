//! The active set of a constraint problem, found in `f64`.

use super::coupled_rows::{CoupledRows, Friction};
use super::delassus::{Delassus, multiply};
use super::error::ConstraintError;
use super::kink::{
    ConstraintKink, ConstraintKinkKind, ConstraintKinkQuantity, ConstraintKinkSource, nearest_kinks,
};
use super::non_collocated_rows::NonCollocatedRows;
use super::operators::ConstraintOperators;
use super::round_cones::RoundCones;
use super::tree_rows::dot;
use super::variable::{Places, Variable};
use super::view::{Layout, View};
use crate::math::{IndependentRows, MOST_BYTES, bytes_of_squares, resize_matrix};
use crate::solver::friction_cone::FrictionConeSolution;
use crate::solver::lcp::{LcpError, LcpSolver, LinearComplementarityProblem};
use nalgebra::{DMatrix, DVector};

/// Decides a problem, and holds what it was decided by.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    pub lcp: LcpSolver<f64>,
    /// Solves the same where everything may stick.
    sticking: LcpSolver<f64>,
    pub view: View<f64>,
    pub delassus: Delassus<f64>,
    /// The independent equations, by their position in the packed forces, ascending.
    pub equations: Vec<usize>,
    /// The other equations.
    pub redundant: Vec<usize>,
    /// Equations whose forces act along them.
    along: Vec<usize>,
    /// Rows of contacts and inequalities that hold, and what they belong to.
    holding: Vec<(usize, ConstraintKinkSource)>,
    search: IndependentRows,
    non_collocated: NonCollocatedRows,
    coupled: CoupledRows,
    pub variables: Vec<Variable>,
    /// The rows of round cones, if there are any.
    pub round: Option<RoundCones>,
    /// Packed forces of the independent equations and the inequalities.
    pub packed: Vec<f64>,
    /// How these change the motion.
    pub change: Vec<f64>,
    pub kinks: Vec<ConstraintKink>,
    pub residual: f64,
    pub pivots: usize,
    /// The complementarity problem.
    pub matrix: DMatrix<f64>,
    vector: Vec<f64>,
}

/// Square matrices of as many rows as there are variables that a problem makes at most: its own, that of its rows, and those
/// of two complementarity solvers.
const MATRICES: u64 = 2 + 2 * LcpSolver::<f64>::MATRICES;
/// How often pyramids are turned towards the solution with round cones.
const TURNS: usize = 20;
/// Equations whose squared distance from the others is less than this part of their square depend
/// on them.
const DEPENDENT: f64 = 1e-12;
/// An equation that depends on others contradicts them when it is violated by more than this part
/// of the rates that the forces and constants of the problem are apt to give it,
const CONTRADICTION: f64 = 1e-6;
/// and by more than this: round-off of positions, in m/s² or m/s.
const ROUND_OFF: f64 = 1e-9;

impl Decision {
    pub fn new(lcp: LcpSolver<f64>) -> Self {
        Decision {
            sticking: lcp.clone(),
            lcp,
            view: View::new(),
            delassus: Delassus::new(),
            equations: Vec::new(),
            redundant: Vec::new(),
            along: Vec::new(),
            holding: Vec::new(),
            search: IndependentRows::default(),
            non_collocated: NonCollocatedRows::default(),
            coupled: CoupledRows::default(),
            variables: Vec::new(),
            round: None,
            packed: Vec::new(),
            change: Vec::new(),
            kinks: Vec::new(),
            residual: 0.0,
            pivots: 0,
            matrix: DMatrix::zeros(0, 0),
            vector: Vec::new(),
        }
    }

    /// Solves the problem in `self.view`.
    #[inline(never)]
    pub fn decide(
        &mut self,
        operators: &mut impl ConstraintOperators<f64>,
        all_active: bool,
    ) -> Result<(), ConstraintError> {
        self.check_memory(all_active)?;
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
        self.equations.clear();
        self.along.clear();
        for e in equations {
            if e >= bilateral && operators.has_own_direction(e - bilateral) {
                self.equations.push(e);
            } else {
                self.along.push(e);
            }
        }
        let (delassus, along) = (&self.delassus, &self.along);
        let entry = |i: usize, j: usize| delassus.frictionless_column(along[j])[along[i]];
        let independent = self.search.find(along.len(), entry, DEPENDENT);
        self.redundant.clear();
        let depends = |position: &usize| independent.binary_search(position).is_err();
        let redundant = (0..along.len()).filter(depends).map(|i| along[i]);
        self.redundant.extend(redundant);
        (self.equations).extend(independent.iter().map(|&i| along[i]));
        self.equations.sort_unstable();
        if !all_active {
            self.check_non_collocated(operators)?;
        }
        self.choose_variables(all_active);
        self.write_problem(Delassus::column);
        let free = self.equations.len();
        let places = self.places();
        let problem = LinearComplementarityProblem::mixed(&self.matrix, &self.vector, free)?;
        if self.lcp.solve_along_few(problem).is_err() && !self.solve_with_motion(operators)? {
            let problem = LinearComplementarityProblem::mixed(&self.matrix, &self.vector, free)?;
            if let Err(error) = self.lcp.solve(problem).map(|_| ()) {
                return Err(self.explain(error));
            }
        }
        self.pivots = self.lcp.pivots();
        if self.may_stick() {
            let problem = LinearComplementarityProblem::mixed(&self.matrix, &self.vector, free)?;
            let (decided, sets) = (self.lcp.last(), &self.coupled.sets);
            let solved = self.sticking.solve_sticking(problem, decided, sets);
            // A solution that is not found there leaves the one that there is.
            let sticks = matches!(solved, Ok(true));
            self.pivots += self.sticking.pivots();
            if sticks {
                std::mem::swap(&mut self.lcp, &mut self.sticking);
            }
        }
        let solution = self.lcp.last();
        self.packed.resize(layout.size(), 0.0);
        write_packed(&self.variables, &solution.z, &mut self.packed);
        nearest_kinks(&self.view, places, &self.vector, solution, &mut self.kinks);
        self.residual = solution.residual;
        self.find_overdetermined();
        self.round = None;
        if !all_active && self.view.cones.iter().any(|cone| cone.is_round) {
            let round = RoundCones::of(&self.view, &self.equations);
            let forces = (self.packed.as_mut_slice(), true);
            let solution = match round.solve(&self.view, &self.delassus, forces) {
                Err(ConstraintError::FrictionCone(_)) => self.solve_turned(&round)?,
                solution => solution?,
            };
            round.nearest_kinks(&self.view, &solution, &mut self.kinks);
            self.residual = solution.residual;
            self.pivots += solution.iterations;
            self.round = Some(round);
        }
        self.write_change();
        self.check_redundant(first)
    }

    /// Checks that the matrices of the problem are not too large, before they are there.
    fn check_memory(&self, all_active: bool) -> Result<(), ConstraintError> {
        let Layout { nc, nnr, nu, nb } = self.view.layout;
        let variables = match all_active {
            true => self.view.layout.size(),
            false => nb + nc + 2 * nnr + self.view.cones.len() + nu,
        };
        let bytes = bytes_of_squares::<f64>(MATRICES, variables);
        match bytes > MOST_BYTES {
            true => Err(ConstraintError::TooLarge {
                contacts: nc,
                variables,
                bytes,
            }),
            false => Ok(()),
        }
    }

    /// Solves for round cones from the solution with pyramids that are turned: one of their edges lies along the slip of the
    /// solution before, or along the friction of what sticks. There pyramids have the friction of round cones, so that
    /// solutions whose slips no longer turn are those of both. Where that does not help, all that there is is tried from the
    /// first solution.
    fn solve_turned(
        &mut self,
        round: &RoundCones,
    ) -> Result<FrictionConeSolution<f64>, ConstraintError> {
        let (straight, free) = (self.delassus.clone(), self.equations.len());
        let first = self.packed.clone();
        let mut pyramids = first.clone();
        for _ in 0..TURNS {
            let turns = round.turns(&self.view, &straight, &pyramids);
            self.delassus.turn(&turns);
            self.write_problem(Delassus::column);
            self.delassus.clone_from(&straight);
            let problem = LinearComplementarityProblem::mixed(&self.matrix, &self.vector, free)?;
            let Ok(solution) = self.lcp.solve(problem) else {
                break;
            };
            self.pivots += solution.pivots;
            write_packed(&self.variables, &solution.z, &mut pyramids);
            turns.iter().for_each(|turn| turn.back(&mut pyramids));
            self.packed.clone_from(&pyramids);
            let forces = (self.packed.as_mut_slice(), true);
            match round.solve(&self.view, &self.delassus, forces) {
                Err(ConstraintError::FrictionCone(_)) => {}
                solution => return solution,
            }
        }
        self.packed = first;
        let forces = (self.packed.as_mut_slice(), false);
        round.solve(&self.view, &self.delassus, forces)
    }

    /// Solves the problem with the motion `x` beside the forces, where without it too many digits cancel; whether there is a
    /// solution. With the rows `J` and the responses `R` of forces, each row of `x` by the size of its responses:
    ///
    /// ```text
    /// x − R f = 0,     w = J x + …
    /// ```
    fn solve_with_motion(
        &mut self,
        operators: &mut impl ConstraintOperators<f64>,
    ) -> Result<bool, ConstraintError> {
        let (nv, n) = (self.delassus.free_motion.len(), self.variables.len());
        if nv + n > LcpSolver::<f64>::LARGEST_WHOLE {
            return Ok(false);
        }
        self.write_problem(Delassus::no_column);
        let mut whole = DMatrix::zeros(nv + n, nv + n);
        whole.view_mut((nv, nv), (n, n)).copy_from(&self.matrix);
        let mut rates = vec![0.0; self.view.layout.size()];
        let mut unit = vec![0.0; nv];
        for i in 0..nv {
            unit[i] = 1.0;
            multiply(operators, &self.view, &unit, &mut rates)?;
            unit[i] = 0.0;
            let responses = self.delassus.responses.row(i);
            let size = 1.0 / responses.amax();
            let size = if size.is_finite() { size } else { 1.0 };
            whole[(i, i)] = size;
            for (j, variable) in self.variables.iter().enumerate() {
                if let Variable::Force { packed, sign } = *variable {
                    whole[(nv + j, i)] = rates[packed] * sign;
                    whole[(i, nv + j)] = -responses[packed] * sign * size;
                }
            }
        }
        let mut vector = vec![0.0; nv];
        vector.extend_from_slice(&self.vector);
        self.write_problem(Delassus::column);
        let free = self.equations.len();
        let problem = LinearComplementarityProblem::mixed(&self.matrix, &self.vector, free)?;
        let whole = LinearComplementarityProblem::mixed(&whole, &vector, nv + free)?;
        Ok(self.lcp.solve_by_whole(problem, whole)?)
    }

    /// Checks that non-collocated forces can satisfy the independent equations. What is coupled with forces by more
    /// than the inertia is left to elimination.
    fn check_non_collocated(
        &mut self,
        operators: &mut impl ConstraintOperators<f64>,
    ) -> Result<(), ConstraintError> {
        let (view, delassus, equations) = (&self.view, &self.delassus, &self.equations);
        let bilateral = view.layout.bilateral();
        let is_own = |i: usize| self.along.binary_search(&equations[i]).is_err();
        let none_own = (0..equations.len()).all(|i| !is_own(i));
        if none_own || view.coupling.iter().any(|x| *x != 0.0) {
            return Ok(());
        }
        let (nb, nv) = (bilateral.len(), operators.num_velocities());
        let mut rows = DMatrix::zeros(nb, nv);
        let mut unit = vec![0.0; nv];
        for (j, mut column) in rows.column_iter_mut().enumerate() {
            unit[j] = 1.0;
            operators.g_mult(&unit, column.as_mut_slice())?;
            unit[j] = 0.0;
        }
        let mut lengths = Vec::with_capacity(equations.len());
        let (mut force, mut row, mut vector) = (vec![0.0; nb], unit, vec![0.0; nv]);
        for (i, &e) in equations.iter().enumerate() {
            if !is_own(i) {
                lengths.push([delassus.column(e)[e].max(0.0).sqrt(); 2]);
                continue;
            }
            row.clear();
            row.extend(rows.row(e - bilateral.start).iter());
            vector.copy_from_slice(&row);
            operators.solve_inertia(&mut vector)?;
            let of_row = dot(&row, &vector);
            force[e - bilateral.start] = 1.0;
            operators.g_transpose_mult(&force, &mut vector)?;
            force[e - bilateral.start] = 0.0;
            let of_direction = dot(delassus.responses.column(e).as_slice(), &vector);
            lengths.push([of_row, of_direction].map(|l| l.max(0.0).sqrt()));
        }
        let missing = self.non_collocated.find_missing(
            equations.len(),
            is_own,
            |i, j| delassus.column(equations[j])[equations[i]],
            |i| lengths[i],
        );
        match missing {
            Some((i, effect)) => Err(ConstraintError::NotUpheld {
                equation: equations[i] - bilateral.start,
                effect,
            }),
            None => Ok(()),
        }
    }

    /// As [`LcpSolver::set_warm_start`].
    pub fn set_warm_start(&mut self, warm_start: bool) {
        self.lcp.set_warm_start(warm_start);
        self.sticking.set_warm_start(warm_start);
    }

    /// Whether contacts slip in the solution although their forces can be shared in many ways, with some of which they
    /// might stick: what paths lead to is one corner of these, where a thing that is held between two others turns about
    /// two of its corners. Every set of rows that nothing couples with others is looked at by itself. A solution that
    /// goes on as the one before is not looked at, nor are contacts that yield.
    fn may_stick(&mut self) -> bool {
        let (places, solution) = (self.places(), self.lcp.last());
        let (view, delassus, z) = (&self.view, &self.delassus, &solution.z);
        let slips = |c: usize| z[places.slip(c)];
        if self.lcp.is_resumed()
            || places.free == z.len()
            || view.gamma.iter().any(|x| *x > 0.0)
            || (0..places.cones).all(|c| slips(c) <= 0.0)
        {
            return false;
        }
        let coupled = &mut self.coupled;
        coupled.divide(view, delassus);
        let friction = view.layout.friction();
        for (c, cone) in view.cones.iter().enumerate() {
            let set = coupled.find(cone.contact);
            let rows = cone.directions.clone().map(|k| friction.start + k);
            let mobility = rows.map(|row| delassus.frictionless_column(row)[row]);
            let Friction {
                needed, at_hand, ..
            } = &mut coupled.friction[set];
            *at_hand += cone.mu * z[places.normal(cone.contact)];
            if slips(c) > 0.0 {
                *needed = needed.max(slips(c) / mobility.fold(0.0, f64::max));
            }
        }
        if !coupled.friction.iter().any(Friction::is_plausible) {
            return false;
        }
        let count = friction.end;
        let entry = |i: usize, j: usize| delassus.frictionless_column(j)[i];
        let independent = self.search.find(count, entry, DEPENDENT);
        for row in (0..count).filter(|row| independent.binary_search(row).is_err()) {
            let set = coupled.find(row);
            coupled.friction[set].is_shared = true;
        }
        coupled.choose(&self.variables, view);
        coupled.sets.iter().any(Option::is_some)
    }

    /// Names a contact or inequality whose row follows from equations and others that hold: they agree where they are,
    /// but need not nearby, and their forces are not unique.
    fn find_overdetermined(&mut self) {
        let (places, solution) = (self.places(), self.lcp.last());
        if self.equations.is_empty() || places.free == solution.z.len() {
            return;
        }
        let layout = places.layout;
        let is_active = |i: usize| solution.active.binary_search(&i).is_ok();
        let rows = &mut self.holding;
        rows.clear();
        for (normal, row) in layout.normal().enumerate() {
            if is_active(places.normal(normal)) {
                rows.push((row, ConstraintKinkSource::Contact(normal)));
            }
        }
        for (c, cone) in self.view.cones.iter().enumerate() {
            if is_active(places.normal(cone.contact)) && !is_active(places.slip(c)) {
                let source = ConstraintKinkSource::Contact(cone.contact);
                let friction = layout.friction().start;
                rows.extend(cone.directions.clone().map(|k| (friction + k, source)));
            }
        }
        for (limit, row) in layout.limit().enumerate() {
            if is_active(places.limit(limit)) {
                rows.push((row, ConstraintKinkSource::Unilateral(limit)));
            }
        }
        let Some(&(_, source)) = rows.first() else {
            return;
        };
        let (equations, delassus) = (&self.equations, &self.delassus);
        let count = rows.len();
        let row = |i: usize| {
            rows.get(i)
                .map_or_else(|| equations[i - count], |row| row.0)
        };
        let entry = |i: usize, j: usize| delassus.frictionless_column(row(j))[row(i)];
        (self.search).load(count + equations.len(), entry, |i| entry(i, i));
        let held = self.search.choose(|i| i < count, DEPENDENT).len();
        let all = self.search.choose(|_| true, DEPENDENT).len();
        if all < held + equations.len() {
            self.kinks.push(ConstraintKink {
                kind: match source {
                    ConstraintKinkSource::Contact(_) => ConstraintKinkKind::Parting,
                    ConstraintKinkSource::Unilateral(_) => ConstraintKinkKind::Releasing,
                },
                source,
                quantity: ConstraintKinkQuantity::Force,
                distance: 0.0,
            });
        }
    }

    /// Where the variables are.
    pub fn places(&self) -> Places {
        Places {
            free: self.equations.len(),
            layout: self.view.layout,
            cones: self.view.cones.len(),
        }
    }

    /// Writes the change of motion by the packed forces.
    fn write_change(&mut self) {
        let nv = self.delassus.free_motion.len();
        self.change.clear();
        self.change.resize(nv, 0.0);
        let responses = self.delassus.responses.as_slice().chunks_exact(nv.max(1));
        for (&f, response) in self.packed.iter().zip(responses) {
            for (change, &x) in self.change.iter_mut().zip(response) {
                *change += x * f;
            }
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

    /// The complementarity problem, with `column` for the columns of the Delassus matrix.
    fn write_problem(&mut self, column: impl for<'d> Fn(&'d Delassus<f64>, usize) -> &'d [f64]) {
        let n = self.variables.len();
        let (view, places) = (&self.view, self.places());
        let Layout { nc, nnr, .. } = view.layout;
        resize_matrix(&mut self.matrix, n, n);
        self.vector.clear();
        self.vector.resize(n, 0.0);
        let columns = self.matrix.as_mut_slice().chunks_exact_mut(n.max(1));
        for (j, (&variable, entries)) in self.variables.iter().zip(columns).enumerate() {
            let Variable::Force { packed: q, sign } = variable else {
                entries.fill(0.0);
                continue;
            };
            self.vector[j] = self.delassus.vector[q] * sign;
            let source = column(&self.delassus, q);
            let (equations, rest) = entries.split_at_mut(places.free);
            for (out, &p) in equations.iter_mut().zip(&self.equations) {
                *out = source[p] * sign + view.coupling(p, q);
            }
            if !rest.is_empty() {
                let (contacts, rest) = rest.split_at_mut(nc + nnr);
                let (against, rest) = rest.split_at_mut(nnr);
                let (slips, limits) = rest.split_at_mut(places.cones);
                set_multiple(contacts, sign, &source[..nc + nnr]);
                set_multiple(against, -sign, &source[view.layout.friction()]);
                slips.fill(0.0);
                set_multiple(limits, sign, &source[view.layout.limit()]);
            }
            if let Some(&gamma) = view.gamma.get(q) {
                entries[j] += gamma;
            }
        }
        if places.free == n {
            return;
        }
        for (c, cone) in view.cones.iter().enumerate() {
            let slip = places.slip(c);
            self.matrix[(slip, places.normal(cone.contact))] = cone.mu;
            for edge in cone.directions.clone().flat_map(|k| places.edges(k)) {
                self.matrix[(edge, slip)] = 1.0;
                self.matrix[(slip, edge)] = -1.0;
            }
            self.matrix[(slip, slip)] = view.gamma_cone.get(c).copied().unwrap_or(0.0);
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
        self.write_problem(Delassus::frictionless_column);
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
        let size = |i: usize| delassus.frictionless_column(i)[i].max(0.0).sqrt();
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

/// The packed forces of variables.
fn write_packed(variables: &[Variable], z: &DVector<f64>, packed: &mut [f64]) {
    packed.fill(0.0);
    for (&variable, &z) in variables.iter().zip(z) {
        if let Variable::Force { packed: p, sign } = variable {
            packed[p] += z * sign;
        }
    }
}

fn set_multiple(out: &mut [f64], factor: f64, x: &[f64]) {
    for (out, &x) in out.iter_mut().zip(x) {
        *out = factor * x;
    }
}
