//! Static equilibrium with rigid contact by pseudo-transient continuation.
//!
//! The gradient flow of a machine, with its mass matrix as metric and no inertia,
//!
//! ```text
//! M q̇ = F(q) + Dᵀ λ          φ(q) = 0, or 0 ≤ φ(q) ⊥ λ ≥ 0, or φ(q) ⊥ l ≤ λ ≤ u
//! ```
//!
//! ends where nothing moves. A step of the pseudo-time h (s²), implicit in the displacement u and the forces λ,
//!
//! ```text
//! (M/h + K) u − Dᵀ λ⁺ = F       φ + Φ u = 0, or ≥ 0 ⊥ λ⁺ ≥ 0       K = −∂(F + Dᵀ λ)/∂q
//! ```
//!
//! is a linear complementarity problem; a force between two bounds is `l + x` with `0 ≤ φ + s ⊥ x ≥ 0` and
//! `0 ≤ u − l − x ⊥ s ≥ 0`. Short steps follow the flow; long ones are Newton steps for the equilibrium
//! (Josephy 1979), and steps become longer as the remaining forces become smaller (pseudo-transient continuation, Kelley &
//! Keyes 1998, *SIAM J. Numer. Anal.* 35(2), 508–523). Where the matrix of u is not positive definite in the directions
//! that closed rows leave free, a step would lead to an unstable equilibrium: the negative part of K is left out or, once
//! that has led back and forth, the step is made shorter. No step goes further than contacts have been searched for; that
//! distance grows after a step that was too short, and is halved after one that is taken back without a gain.

use super::equilibrium::{MAX_ITERATIONS, RestResidual, Root, Search};
use crate::contact::ContactWorkspace;
use crate::math::SpatialVelocity;
use crate::solver::lcp::{LcpSolver, LinearComplementarityProblem};
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::tree::BodyIndex;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, SymmetricEigen};

/// The first pseudo-time step, in s².
const FIRST_PSEUDO_STEP: f64 = 1.0;
/// The largest turn of a body in a step.
const MAX_TURN: f64 = 0.5;
/// How much rows of equations give to a change of their force, beside what the easiest to move does: redundant ones
/// share it.
const GIVE: f64 = 1e-9;
/// What is left after all steps, in tolerances, of which Newton's method makes nothing.
const NEARLY: f64 = 1e3;
/// Number of pseudo-time steps that are tried for one displacement.
const MAX_TRIALS: usize = 20;
/// The least part of how far a step may go that is taken.
const LEAST_PART: f64 = 1e-3;
/// How often the way for which contacts are looked for is doubled.
const MAX_DOUBLINGS: i32 = 12;
/// Gaps up to this (m or rad) are closed.
const CLOSED: f64 = 1e-10;
/// Rows whose part that is independent of others is no larger than this do not count.
const DEPENDENT: f64 = 1e-9;

/// A displacement, solved for a pseudo-time step.
struct Step {
    displacement: DVector<f64>,
    multipliers: Vec<f64>,
    /// The rows that have no gap at its end.
    closed: Vec<usize>,
    /// The forces and errors that its multipliers leave where it starts.
    left: DVector<f64>,
}

/// How far steps go.
struct Stride {
    /// The median of how far shapes of bodies that may move reach, in m.
    shortest: f64,
    /// How far contacts are looked for.
    reach: f64,
    /// The part of the reach, and of the largest turn, that a step may go.
    part: f64,
    /// Whether a step has been taken back without a gain.
    is_careful: bool,
    before: Option<DVector<f64>>,
}

impl Stride {
    fn new(system: &RigidBodySystem<f64>) -> Self {
        let extents = |moving: bool| {
            let geometries = system.contact.geometries().iter();
            let counted = geometries.filter(move |g| !moving || g.body != BodyIndex::WORLD);
            let mut extents: Vec<f64> = counted.map(|g| g.shape.extent()).collect();
            extents.retain(|x| x.is_finite() && *x > 0.0);
            extents.sort_by(f64::total_cmp);
            extents.get(extents.len() / 2).copied()
        };
        let shortest = extents(true).or_else(|| extents(false)).unwrap_or(0.0);
        Stride {
            shortest,
            reach: shortest,
            part: 1.0,
            is_careful: false,
            before: None,
        }
    }

    /// The length of a displacement, relative to how far it may go.
    fn excess(&self, search: &Search<'_>, u: &DVector<f64>) -> Result<f64, SystemError> {
        let (tree, workspace) = (&search.real.system.tree, &search.real.workspace);
        let mut bodies = vec![SpatialVelocity::zero(); tree.num_bodies()];
        tree.body_velocities(&workspace.kinematics, u.as_slice(), &mut bodies)?;
        let is_limited = self.reach > 0.0;
        let way = if is_limited {
            self.reach
        } else {
            f64::INFINITY
        };
        let lengths = bodies.iter().map(|body| {
            let turn = body.angular.norm() / MAX_TURN;
            turn.max(body.linear.norm() / way)
        });
        Ok(lengths.fold(0.0, f64::max) / self.part)
    }

    /// Takes note of a step; `is_stuck` says that it leaves about as much as the one before it.
    fn take(&mut self, step: &Step, excess: f64, is_stuck: bool, mass: &DMatrix<f64>) {
        let u = &step.displacement;
        let is_back = (self.before.as_ref()).is_some_and(|before| u.dot(&(mass * before)) < 0.0);
        let is_short = excess > 0.8;
        if is_back && is_stuck {
            self.is_careful = true;
            self.part = (0.5 * self.part * excess).max(LEAST_PART);
        } else if self.part < 1.0 {
            self.part = (2.0 * self.part).min(1.0);
        } else if is_short && !is_back {
            let longest = self.shortest * 2.0_f64.powi(MAX_DOUBLINGS);
            self.reach = (2.0 * self.reach).min(longest);
        }
        if is_back || !is_short {
            self.reach = (0.5 * self.reach).max(self.shortest);
        }
        self.before = Some(u.clone());
    }
}

impl Search<'_> {
    /// Where the machine comes to rest from a point, with the contacts that are near there.
    pub(super) fn pseudo_transient(
        &mut self,
        mut at: Root,
        tolerance: f64,
    ) -> Result<Root, SystemError> {
        let mut stride = Stride::new(self.real.system);
        let (mut pseudo_step, mut left) = (FIRST_PSEUDO_STEP, f64::INFINITY);
        let (mut search, mut rest) = (ContactWorkspace::new(), DVector::zeros(0));
        let mut mass = DMatrix::zeros(0, 0);
        for iterations in 1..=MAX_ITERATIONS {
            self.look_around(&mut at, stride.reach, &mut search, &mut mass)?;
            let residual = self.differentiate(&at, RestResidual::evaluate)?;
            let bounds = self.dual.bounds.iter();
            let bounds: Vec<[f64; 2]> = bounds.map(|bounds| bounds.map(|b| b.re)).collect();
            let problem = StepProblem::new(&bounds, &at, &residual, &mass);
            let found = self.find_step(&problem, &stride, &mut pseudo_step)?;
            let Some((step, excess)) = found else {
                let is_less = left < residual.0.amax();
                let residual = if is_less { &rest } else { &residual.0 };
                return Err(self.not_found(iterations, &at, residual));
            };
            let before = std::mem::replace(&mut left, step.left.amax());
            if left <= tolerance {
                at.multipliers = step.multipliers;
                return Ok(at);
            }
            stride.take(&step, excess, left > 0.5 * before, &mass);
            pseudo_step *= (2.0 * before / left).clamp(0.1, 10.0);
            let u = step.displacement.as_slice();
            let to = self.real.state.q.as_mut_slice();
            (self.real.system.tree).integrate_exponential(at.q.as_slice(), u, 1.0, to)?;
            at.q.copy_from_slice(to);
            (at.multipliers, rest) = (step.multipliers, step.left);
        }
        match left <= NEARLY * tolerance {
            true => Ok(at),
            false => Err(self.not_found(MAX_ITERATIONS, &at, &rest)),
        }
    }

    /// A step that goes as far as it may, with a pseudo-time step for which there is one, and its length relative to that. What is
    /// pushed out of another body or into a constraint goes only a part of the way, if that is long.
    fn find_step(
        &self,
        problem: &StepProblem<'_>,
        stride: &Stride,
        pseudo_step: &mut f64,
    ) -> Result<Option<(Step, f64)>, SystemError> {
        let (first, mut before) = (*pseudo_step, f64::INFINITY);
        for _ in 0..MAX_TRIALS {
            let Some(mut step) = problem.solve(*pseudo_step, stride.is_careful) else {
                *pseudo_step *= 0.25;
                continue;
            };
            let excess = stride.excess(self, &step.displacement)?;
            if excess <= 1.0 {
                return Ok(Some((step, excess)));
            }
            if excess > 0.5 * before {
                *pseudo_step = first;
                step.displacement /= excess;
                return Ok(Some((step, 1.0)));
            }
            before = excess;
            *pseudo_step *= (0.9 / excess).max(1e-3);
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
        let (kinematics, nv) = (&mut workspace.kinematics, state.v.len());
        (system.tree).set_state(kinematics, at.q.as_slice(), state.v.as_slice())?;
        mass.resize_mut(nv, nv, 0.0);
        system.tree.mass_matrix(kinematics, mass)?;
        let mut found = Vec::new();
        (system.contact).find(&system.tree, kinematics, reach, search, &mut found)?;
        let first = at.multipliers.len() - at.contacts.len();
        let forces = at.multipliers.split_off(first);
        at.multipliers.extend(found.iter().map(|contact| {
            let mut before = at.contacts.iter().zip(&forces);
            (before.find(|(known, _)| *known == contact)).map_or(0.0, |(_, &force)| force)
        }));
        at.contacts = found;
        self.real.set_contacts(&at.contacts);
        Ok(())
    }
}

/// The complementarity problem of a step, for any pseudo-time step: in displacements, then in the forces of equations, of rows
/// with two bounds, of rows with one, and in the errors of rows at their upper one of two bounds.
struct StepProblem<'a> {
    mass: &'a DMatrix<f64>,
    /// The factor of the mass matrix.
    inertia: Option<Cholesky<f64, Dyn>>,
    /// Forces and errors without multipliers, in the order of the residual.
    unloaded: DVector<f64>,
    jacobian: &'a DMatrix<f64>,
    bounds: &'a [[f64; 2]],
    held: &'a [f64],
    /// The place of each displacement and force in the residual.
    order: Vec<usize>,
    /// The number of variables of either sign, and of these and the forces between two bounds.
    free: usize,
    giving: usize,
    /// How far the equation that is the easiest to move gives way to a unit force, at a unit pseudo-time step.
    easiest: f64,
}

/// A force by a variable that is not negative, or free: `from + sign · variable`.
fn of_variable([lower, upper]: [f64; 2]) -> (f64, f64) {
    match (lower.is_finite(), upper.is_finite()) {
        (true, _) => (lower, 1.0),
        (false, true) => (upper, -1.0),
        (false, false) => (0.0, 1.0),
    }
}

impl<'a> StepProblem<'a> {
    fn new(
        bounds: &'a [[f64; 2]],
        at: &'a Root,
        (error, jacobian): &'a (DVector<f64>, DMatrix<f64>),
        mass: &'a DMatrix<f64>,
    ) -> Self {
        let nv = mass.nrows();
        let rows_with = |count: usize| {
            let count_of = |i: &usize| bounds[*i].iter().filter(|b| b.is_finite()).count();
            (0..bounds.len()).filter(move |i| count_of(i) == count)
        };
        let order = (0..nv).chain([0, 2, 1].into_iter().flat_map(rows_with).map(|i| nv + i));
        let order: Vec<usize> = order.collect();
        let free = nv + rows_with(0).count();
        let giving = free + rows_with(2).count();
        let held = DVector::from_column_slice(&at.multipliers);
        let inertia = Cholesky::new(mass.clone());
        let easiest = inertia.as_ref().map_or(0.0, |inertia| {
            (order[nv..giving].iter()).fold(0.0, |easiest: f64, &place| {
                let row = jacobian.view((place, 0), (1, nv)).transpose();
                easiest.max(row.dot(&inertia.solve(&row)))
            })
        });
        StepProblem {
            mass,
            inertia,
            unloaded: error - jacobian.columns(nv, held.len()) * held,
            jacobian,
            bounds,
            held: &at.multipliers,
            order,
            free,
            giving,
            easiest,
        }
    }

    /// The step for a pseudo-time step, if there is one; a careful one that does not go down is none.
    fn solve(&self, pseudo_step: f64, is_careful: bool) -> Option<Step> {
        let mut matrix = self.matrix(pseudo_step);
        let stiffness = self.stiffness(&matrix);
        if Cholesky::new(stiffness.clone()).is_none() {
            let step = self.solve_with(&matrix, pseudo_step);
            let step = step.filter(|step| self.is_held(stiffness, step));
            if step.is_some() || is_careful {
                return step;
            }
            self.make_definite(&mut matrix)?;
        }
        self.solve_with(&matrix, pseudo_step)
    }

    /// The signs of an equation and of its variable.
    fn signs(&self, place: usize) -> (f64, f64) {
        match place.checked_sub(self.mass.nrows()) {
            None => (-1.0, 1.0),
            Some(row) => {
                let (_, sign) = of_variable(self.bounds[row]);
                (sign, sign)
            }
        }
    }

    /// How much rows of equations give to a change of their force.
    fn give(&self, pseudo_step: f64) -> f64 {
        match (&self.inertia, self.easiest) {
            (None, _) => 0.0,
            (Some(_), 0.0) => 1.0,
            (Some(_), easiest) => GIVE * pseudo_step * easiest,
        }
    }

    fn matrix(&self, pseudo_step: f64) -> DMatrix<f64> {
        let (nv, order) = (self.mass.nrows(), &self.order);
        let size = order.len() + self.giving - self.free;
        let mut matrix = DMatrix::zeros(size, size);
        for (j, &by) in order.iter().enumerate() {
            let (_, sign) = self.signs(by);
            for (i, &of) in order.iter().enumerate() {
                matrix[(i, j)] = self.signs(of).0 * self.jacobian[(of, by)] * sign;
            }
        }
        for (bounded, error) in (self.free..self.giving).zip(order.len()..) {
            (matrix[(bounded, error)], matrix[(error, bounded)]) = (1.0, -1.0);
        }
        let mut motion = matrix.view_mut((0, 0), (nv, nv));
        motion += self.mass / pseudo_step;
        for k in nv..self.giving {
            matrix[(k, k)] += self.give(pseudo_step);
        }
        matrix
    }

    /// The symmetric part of `M/h + K`.
    fn stiffness(&self, matrix: &DMatrix<f64>) -> DMatrix<f64> {
        let nv = self.mass.nrows();
        let stiffness = matrix.view((0, 0), (nv, nv));
        (stiffness + stiffness.transpose()) * 0.5
    }

    fn solve_with(&self, matrix: &DMatrix<f64>, pseudo_step: f64) -> Option<Step> {
        let (nv, order) = (self.mass.nrows(), &self.order);
        let from = self.bounds.iter().map(|&bounds| of_variable(bounds).0);
        let by_forces = self.jacobian.columns(nv, self.bounds.len());
        let at_bounds = &self.unloaded + by_forces * DVector::from_iterator(from.len(), from);
        let signed = |&place: &usize| self.signs(place).0 * at_bounds[place];
        let mut vector: Vec<f64> = order.iter().map(signed).collect();
        for (x, &place) in vector.iter_mut().zip(order).take(self.giving).skip(nv) {
            let (from, sign) = of_variable(self.bounds[place - nv]);
            *x -= self.give(pseudo_step) * sign * (self.held[place - nv] - from);
        }
        vector.extend(order[self.free..self.giving].iter().map(|place| {
            let [lower, upper] = self.bounds[place - nv];
            upper - lower
        }));
        let problem = LinearComplementarityProblem::mixed(matrix, &vector, self.free);
        let mut solver = LcpSolver::<f64>::default();
        let solution = solver.solve(problem.ok()?).ok()?;
        let mut multipliers = vec![0.0; self.bounds.len()];
        let mut closed = Vec::new();
        let variables = solution.z.iter().zip(solution.w.iter());
        for (k, (&place, (&z, &w))) in order.iter().zip(variables).enumerate().skip(nv) {
            let (from, sign) = of_variable(self.bounds[place - nv]);
            multipliers[place - nv] = from + sign * z;
            let beyond = match (self.free..self.giving).contains(&k) {
                true => solution.z[order.len() + k - self.free],
                false => 0.0,
            };
            if w.max(beyond) <= CLOSED {
                closed.push(place - nv);
            }
        }
        let mut left = &self.unloaded + by_forces * DVector::from_column_slice(&multipliers);
        let mut rows = left.rows_mut(nv, multipliers.len());
        for (left, (&force, [lower, upper])) in
            rows.iter_mut().zip(multipliers.iter().zip(self.bounds))
        {
            *left = left.min(force - lower).max(force - upper);
        }
        Some(Step {
            displacement: solution.z.rows(0, nv).into_owned(),
            multipliers,
            closed,
            left,
        })
    }

    /// Whether a stiffness is positive definite on what rows that are closed after a step leave free.
    fn is_held(&self, mut stiffness: DMatrix<f64>, step: &Step) -> bool {
        let nv = self.mass.nrows();
        let mut directions: Vec<DVector<f64>> = Vec::new();
        for &i in &step.closed {
            let mut row = DVector::from_fn(nv, |j, _| self.jacobian[(nv + i, j)]);
            let size = row.norm();
            for _ in 0..2 {
                for known in &directions {
                    row.axpy(-known.dot(&row), known, 1.0);
                }
            }
            if row.norm() > DEPENDENT * size {
                directions.push(row.normalize());
            }
        }
        let size = stiffness.amax();
        for direction in &directions {
            let along = &stiffness * direction;
            let twice = direction.dot(&along);
            stiffness -= &along * direction.transpose() + direction * along.transpose();
            stiffness += direction * direction.transpose() * (twice + size);
        }
        Cholesky::new(stiffness).is_some()
    }

    /// Leaves out of K what is negative relative to M.
    fn make_definite(&self, matrix: &mut DMatrix<f64>) -> Option<()> {
        let nv = self.mass.nrows();
        let factor = self.inertia.as_ref()?.l();
        let stiffness = self.jacobian.view((0, 0), (nv, nv));
        let stiffness = (stiffness + stiffness.transpose()) * -0.5;
        let relative = factor.solve_lower_triangular(&stiffness)?;
        let relative = factor.solve_lower_triangular(&relative.transpose())?;
        let eigen = SymmetricEigen::try_new(relative, f64::EPSILON, 1000)?;
        let modes = &factor * eigen.eigenvectors;
        let mut motion = matrix.view_mut((0, 0), (nv, nv));
        for (&value, mode) in eigen.eigenvalues.iter().zip(modes.column_iter()) {
            if value < 0.0 {
                motion += mode * mode.transpose() * -value;
            }
        }
        Some(())
    }
}
