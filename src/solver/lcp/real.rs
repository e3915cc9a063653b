//! The solve in `f64`: elimination of free variables, pivoting, polish.

use super::active_set::{Accuracy, ActiveSet, RealProblem};
use super::dictionary::{Dictionary, Place};
use super::error::LcpError;
use super::lemke::Ending;
use super::parameters::{LcpMethod, LcpSolverParameters};
use super::problem::LinearComplementarityProblem;
use super::revised_lemke::RevisedLemke;
use super::scaling::{Scaling, larger};
use super::solution::LcpSolution;
use super::{feasibility, lemke, principal_pivoting};
use crate::math::{Factorization, Lu, check_squares, resize_matrix};
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// The data in `f64`, and the memory of the algorithms.
#[derive(Debug, Clone)]
pub(super) struct RealSolver {
    matrix: DMatrix<f64>,
    vector: Vec<f64>,
    free: usize,
    scaling: Scaling,
    /// The scaled problem without its free variables: `S M S` (row-major) and `S q`, normalised.
    reduced_matrix: Vec<f64>,
    reduced_vector: Vec<f64>,
    /// The scaled `z` from which proximal point iterations go on.
    center: Vec<f64>,
    /// What `S q` was divided by.
    normalization: f64,
    lu: Lu,
    column: Vec<f64>,
    /// The largest term of each row of it.
    size: Vec<f64>,
    /// Whether the equations determine a row without its own variable.
    is_held: Vec<bool>,
    dictionary: Dictionary,
    /// The largest variable of each set that may stick, and whether it does, before its rows are solved and after.
    largest: Vec<f64>,
    stuck: Vec<bool>,
    sticks: Vec<bool>,
    pub active_set: ActiveSet,
    pub pivots: usize,
    /// Whether the active set is first that of the last problem, if that was of the same size.
    pub warm_start: bool,
    /// The numbers of variables and of free ones of the last problem, if that was solved.
    solved: Option<[usize; 2]>,
    /// The active set from which a problem goes on.
    last_active: Vec<bool>,
    /// Whether the active set of the last problem has become that of this one.
    pub is_resumed: bool,
}

/// A strategy for finding the active set.
#[derive(Debug, Clone, Copy)]
enum Path {
    Principal,
    /// Initial active set without pivots: the rows that are violated at zero force. Variables that other rows bound, as a
    /// friction cone bounds friction, are left out: contacts without friction are a good guess where friction has
    /// nothing left to do, and there the rows of both depend on each other.
    Unbounded,
    /// Lemke's method, with the covering vector of this number, this multiple of the identity added to the matrix, and
    /// a new dictionary after so many pivots. The error by the multiple is removed by the proximal point method: the path is
    /// followed again with that multiple of the last `z` subtracted from `q`.
    Lemke {
        cover: u32,
        regularization: f64,
        refresh: usize,
    },
}

/// Square matrices of the size of a problem that solving it makes at most: its own, that without free variables, the
/// dictionary and that which it started from, and factors.
pub(super) const MATRICES: u64 = 5;

/// The path that is tried first, unless another is asked for.
const FIRST: Path = lemke(0, 0.0, usize::MAX);

/// The number of paths that are tried before those of the problem with its motion.
pub(super) const FEW: usize = 3;
/// Paths after the first.
const OTHERS: [Path; 18] = [
    Path::Unbounded,
    lemke(1, 0.0, usize::MAX),
    lemke(0, 1e-12, 10),
    Path::Principal,
    lemke(2, 0.0, 10),
    lemke(3, 0.0, 1),
    lemke(1, 1e-10, 10),
    lemke(2, 1e-8, 10),
    lemke(3, 1e-11, 10),
    lemke(4, 1e-9, 10),
    lemke(4, 0.0, 5),
    lemke(5, 1e-12, 1),
    lemke(6, 1e-10, 10),
    lemke(7, 1e-12, 10),
    lemke(8, 0.0, 10),
    lemke(9, 1e-9, 10),
    lemke(10, 1e-11, 10),
    lemke(11, 0.0, 10),
];

/// Number of paths of the whole problem.
const WHOLE: u32 = 8;

const fn lemke(cover: u32, regularization: f64, refresh: usize) -> Path {
    Path::Lemke {
        cover,
        regularization,
        refresh,
    }
}

/// In [`RealSolver::solve_sticking`], slips below this part of the largest variable come from what is added to the
/// diagonal.
const CREEP: f64 = 1e-2;
/// What is added to the diagonal in [`RealSolver::solve_sticking`].
const YIELD: f64 = 1e-5;
/// After this number of paths a residual of [`DEPENDENT`] is accepted: where rows say the same but for the
/// round-off of their data, as the normal and the sliding of a mechanism that stops in both directions at
/// once, every active set leaves one of them unsatisfied by that much.
const PATIENCE: usize = 6;
/// See [`PATIENCE`].
const DEPENDENT: f64 = 1e-9;
/// After the same number of paths rows are measured by no less than this times the largest entry of the scaled `q`: where
/// all small entries are round-off of larger numbers, as the slip of a contact that does not touch, paths do not see them.
const ROUND_OFF: f64 = 1e-2;
/// What elimination leaves of an entry is round-off below this part of its largest term. Where that is all of a row, the
/// equations hold it, and what it is violated by is compared with [`DEPENDENT`].
const CANCELLED: f64 = 1e-12;
/// A least cover above this, relative to the largest constant, shows that there is no solution.
const INFEASIBLE: f64 = 1e-9;
/// Where the terms of the rows are larger than `q` by more than this, `q` is lost in their round-off.
const UNRESOLVED: f64 = 1e10;

impl RealSolver {
    pub fn new() -> Self {
        RealSolver {
            matrix: DMatrix::zeros(0, 0),
            vector: Vec::new(),
            free: 0,
            scaling: Scaling::default(),
            reduced_matrix: Vec::new(),
            reduced_vector: Vec::new(),
            center: Vec::new(),
            normalization: 0.0,
            lu: Lu::identity(0),
            column: Vec::new(),
            size: Vec::new(),
            is_held: Vec::new(),
            dictionary: Dictionary::default(),
            largest: Vec::new(),
            stuck: Vec::new(),
            sticks: Vec::new(),
            active_set: ActiveSet::new(),
            pivots: 0,
            warm_start: false,
            solved: None,
            last_active: Vec::new(),
            is_resumed: false,
        }
    }

    /// The scaling of each row and variable.
    pub fn scaling(&self) -> &[f64] {
        &self.scaling.factors
    }

    /// Finds the solution of the real parts; it is then in the active set.
    pub fn solve<T: Scalar>(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
        parameters: &LcpSolverParameters,
        paths: usize,
    ) -> Result<Accuracy, LcpError> {
        self.start(problem)?;
        let sizes = Some([self.vector.len(), self.free]);
        let solved = self.solved.take();
        if self.warm_start && solved == sizes {
            let tolerance = parameters.residual_tolerance;
            (self.last_active).clone_from(&self.active_set.is_active);
            let (problem, active_set) = self.problem();
            if let Ok(accuracy) = active_set.resume(problem, tolerance)
                && is_solved(&accuracy, tolerance)
            {
                self.solved = sizes;
                self.is_resumed = self.active_set.is_active == self.last_active;
                return Ok(accuracy);
            }
        }
        let accuracy = self.search(parameters, paths)?;
        self.solved = sizes;
        Ok(accuracy)
    }

    /// Solves a problem from which free variables are not eliminated first, along paths whose bases are factored anew; `None` if no
    /// solution is found. Where the elimination cancels most digits, as that of the velocities of something light that carries
    /// something heavy, a factor of the whole keeps them.
    pub fn solve_whole<T: Scalar>(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
        parameters: &LcpSolverParameters,
    ) -> Result<Option<Accuracy>, InvalidInput> {
        self.start(problem)?;
        let (n, free) = (self.vector.len(), self.free);
        let scale = &self.scaling.factors;
        let sizes = self.vector.iter().zip(scale).map(|(q, s)| (q * s).abs());
        let largest = sizes.fold(0.0, larger);
        let size = if largest > 0.0 { largest } else { 1.0 };
        let limit = (parameters.max_pivots_per_variable).saturating_mul(n - free + 1);
        let tolerance = parameters.residual_tolerance.max(DEPENDENT);
        let mut lemke = RevisedLemke::new();
        for cover in 0..WHOLE {
            let (matrix, vector, scale) = (&self.matrix, &self.vector, &self.scaling.factors);
            lemke.load(
                (n, free),
                |i, j| matrix[(i, j)] * scale[i] * scale[j],
                |i| vector[i] * scale[i] / size,
                |i| covering_entry(i, cover),
                |i| covering_entry(i, WHOLE + cover),
            );
            let ending = lemke.solve(limit, &mut self.pivots);
            if ending != Ending::Complementary {
                continue;
            }
            let ActiveSet { is_active, z, .. } = &mut self.active_set;
            is_active.clear();
            z.clear();
            for (i, s) in scale.iter().enumerate() {
                let value = lemke.z(i);
                is_active.push(value.is_some());
                z.push(value.unwrap_or(0.0) * size * s);
            }
            let (problem, active_set) = self.problem();
            let accuracy = active_set.take(problem);
            if is_solved(&accuracy, parameters.residual_tolerance) {
                return Ok(Some(accuracy));
            }
            if let Ok(accuracy) = active_set.polish(problem, tolerance)
                && is_solved(&accuracy, tolerance)
            {
                return Ok(Some(accuracy));
            }
        }
        Ok(None)
    }

    /// Takes over the solution of a problem with more free variables before those of this one, from which they were
    /// eliminated; `None` if its active set has no factor here.
    pub fn take_from<T: Scalar>(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
        (whole, accuracy): (&RealSolver, Accuracy),
    ) -> Result<Option<Accuracy>, InvalidInput> {
        let pivots = self.pivots + whole.pivots;
        self.start(problem)?;
        self.pivots = pivots;
        let first = whole.vector.len() - self.vector.len();
        let source = &whole.active_set;
        let (problem, target) = self.problem();
        target.is_active.clear();
        target
            .is_active
            .extend_from_slice(&source.is_active[first..]);
        target.z.clear();
        target.z.extend_from_slice(&source.z[first..]);
        // As they are: what they are wrong by here is round-off.
        let Ok(own) = target.adopt(problem) else {
            return Ok(None);
        };
        target.w.copy_from_slice(&source.w[first..]);
        self.solved = Some([self.vector.len(), self.free]);
        Ok(Some(Accuracy {
            residual: accuracy.residual,
            ..own
        }))
    }

    /// Finds a solution in which nothing slips of some sets of variables that are coupled with nothing else, and rows of
    /// these share evenly what they can share in many ways; `None` where there is no such set.
    ///
    /// It follows Lemke's path in a problem nearby that has one solution: a small multiple of the identity is added, and
    /// what a variable without a diagonal entry does to rows, as the slip `λ` of a contact, is the opposite of what these
    /// do to its own. Of contacts that is the relaxation by Anitescu 2006 (*Math. Program.* 105, 113–143), whose matrix is
    /// positive semidefinite: a contact that slips at `λ` opens at `μ λ`. Where there are forces that let everything
    /// of a set stick, this finds them; only of such a set the solution is taken, as where something slips, shares have an
    /// effect on motion, and derivatives would have to know how they come about. Other variables are as they were
    /// `decided`. The active set is solved without both changes, and variables that it does not determine keep their
    /// shares.
    pub fn solve_sticking<T: Scalar>(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
        parameters: &LcpSolverParameters,
        decided: &LcpSolution<T>,
        sets: &[Option<usize>],
    ) -> Result<Option<Accuracy>, LcpError> {
        self.start(problem)?;
        self.solved = None;
        self.reduce()?;
        self.reset_yielding();
        let rest = self.reduced_vector.len();
        let limit = (parameters.max_pivots_per_variable).saturating_mul(rest + 1);
        let (dictionary, pivots) = (&mut self.dictionary, &mut self.pivots);
        if lemke::solve(dictionary, limit, usize::MAX, pivots) != Ending::Complementary {
            return Ok(None);
        }
        self.take_active_set();
        self.find_sticking(sets, CREEP);
        if !self.sticks.contains(&true) {
            return Ok(None);
        }
        for (i, set) in sets.iter().enumerate() {
            if set.is_none_or(|set| !self.sticks[set]) {
                let is_active = i < self.free || decided.active.binary_search(&i).is_ok();
                self.active_set.is_active[i] = is_active;
                self.active_set.z[i] = decided.z[i].re();
            }
        }
        (self.stuck).clone_from(&self.sticks);
        let sizes = Some([self.vector.len(), self.free]);
        let tolerance = parameters.residual_tolerance;
        let (problem, active_set) = self.problem();
        let accuracy = active_set.share(problem, tolerance).ok();
        self.find_sticking(sets, tolerance);
        let still = self
            .stuck
            .iter()
            .zip(&self.sticks)
            .all(|(was, is)| was <= is);
        let accuracy = accuracy.filter(|found| is_solved(found, tolerance) && still);
        self.solved = sizes.filter(|_| accuracy.is_some());
        Ok(accuracy)
    }

    /// Finds the sets of which all variables without a diagonal entry, as the slips of contacts, are below this part of
    /// the largest variable, all of them scaled.
    fn find_sticking(&mut self, sets: &[Option<usize>], tolerance: f64) {
        let count = sets.iter().flatten().max().map_or(0, |last| last + 1);
        let (z, scale, free) = (&self.active_set.z, &self.scaling.factors, self.free);
        let members =
            || (free..z.len()).filter_map(|i| Some((i - free, sets[i]?, z[i].abs() / scale[i])));
        self.largest.clear();
        self.largest.resize(count, 0.0);
        for (_, set, size) in members() {
            self.largest[set] = larger(self.largest[set], size);
        }
        self.sticks.clear();
        self.sticks
            .extend(self.largest.iter().map(|size| *size > 0.0));
        for (i, set, size) in members() {
            let is_slip = is_slip(&self.reduced_matrix, &self.is_held, i);
            // Written so that NaN slips.
            let sticks = !is_slip || size <= tolerance * self.largest[set];
            self.sticks[set] &= sticks;
        }
    }

    fn start<T: Scalar>(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
    ) -> Result<(), InvalidInput> {
        self.load(problem)?;
        self.scaling
            .compute(self.matrix.as_slice(), self.vector.len());
        self.pivots = 0;
        self.is_resumed = false;
        self.active_set.least_scale = 0.0;
        Ok(())
    }

    /// Tries the paths.
    fn search(
        &mut self,
        parameters: &LcpSolverParameters,
        paths: usize,
    ) -> Result<Accuracy, LcpError> {
        self.reduce()?;
        let first = match parameters.method {
            LcpMethod::Lemke => FIRST,
            LcpMethod::PrincipalPivoting => Path::Principal,
        };
        let variables = self.reduced_vector.len() + 1;
        let limit = (parameters.max_pivots_per_variable).saturating_mul(variables);
        let tolerance = parameters.residual_tolerance;
        let (mut met_ray, mut best, mut growth) = (false, f64::INFINITY, f64::INFINITY);
        for (attempt, path) in std::iter::once(first).chain(OTHERS).take(paths).enumerate() {
            match self.follow(path, limit, tolerance) {
                Ending::Complementary => {}
                Ending::PivotLimit => continue,
                Ending::Ray => {
                    // A second ray makes it worth asking whether there is a solution at all.
                    if met_ray && attempt <= 2 {
                        self.check_feasible(limit)?;
                    }
                    met_ray = true;
                    continue;
                }
            }
            let (problem, active_set) = self.problem();
            if attempt >= PATIENCE {
                active_set.least_scale = ROUND_OFF;
            }
            let Ok(accuracy) = active_set.polish(problem, tolerance) else {
                continue;
            };
            let acceptable = if attempt < PATIENCE {
                tolerance
            } else {
                tolerance.max(DEPENDENT)
            };
            if accuracy.residual > acceptable {
                best = best.min(accuracy.residual);
            } else if accuracy.growth > UNRESOLVED {
                growth = growth.min(accuracy.growth);
            } else {
                return Ok(accuracy);
            }
        }
        if paths > FEW {
            self.check_feasible(limit)?;
        }
        Err(if met_ray {
            LcpError::Ray {
                pivots: self.pivots,
            }
        } else if growth.is_finite() {
            LcpError::IllConditioned {
                pivots: self.pivots,
                growth,
            }
        } else if best.is_finite() {
            LcpError::Inaccurate {
                pivots: self.pivots,
                residual: best,
            }
        } else {
            LcpError::PivotLimit {
                pivots: self.pivots,
            }
        })
    }

    fn load<T: Scalar>(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
    ) -> Result<(), InvalidInput> {
        let n = problem.size();
        check_squares::<f64>("number of variables", MATRICES, n)?;
        resize_matrix(&mut self.matrix, n, n);
        let entries = self.matrix.as_mut_slice().iter_mut();
        for (x, y) in entries.zip(problem.matrix.as_slice()) {
            *x = y.re();
        }
        self.vector.clear();
        self.vector.extend(problem.vector.iter().map(|q| q.re()));
        self.free = problem.free;
        InvalidInput::check_finite("M", self.matrix.as_slice())?;
        InvalidInput::check_finite("q", &self.vector)
    }

    /// Eliminates the free variables `u` of the scaled problem: with
    /// `0 = A u + C z + a` and `w = D u + B z + b`, `w = (B − D A⁻¹ C) z + b − D A⁻¹ a`.
    fn reduce(&mut self) -> Result<(), LcpError> {
        let n = self.vector.len();
        let (free, scale) = (self.free, &self.scaling.factors);
        let rest = n - free;
        let matrix = &self.matrix;
        self.lu
            .factor_dense(free, |factors| {
                for (j, column) in factors.chunks_exact_mut(free.max(1)).enumerate() {
                    for (i, entry) in column.iter_mut().enumerate() {
                        *entry = matrix[(i, j)] * scale[i] * scale[j];
                    }
                }
            })
            .map_err(LcpError::SingularEquations)?;
        self.reduced_matrix.clear();
        self.reduced_matrix.resize(rest * rest, 0.0);
        self.reduced_vector.clear();
        self.reduced_vector.resize(rest, 0.0);
        self.is_held.clear();
        let matrix = self.matrix.as_slice();
        let scaled = |j: usize| (&matrix[j * n..(j + 1) * n], scale[j]);
        for j in 0..=rest {
            let (source, factor) = if j == rest {
                (self.vector.as_slice(), 1.0)
            } else {
                scaled(free + j)
            };
            self.column.clear();
            let entries = source.iter().zip(scale).map(|(&x, &s)| x * s * factor);
            self.column.extend(entries);
            let (u, rows) = self.column.split_at_mut(free);
            self.lu.solve_in_place(u)?;
            self.size.clear();
            self.size.extend(rows.iter().map(|x| x.abs()));
            for (k, &u) in u.iter().enumerate() {
                let (coupling, factor) = scaled(k);
                let coupling = coupling[free..].iter().zip(&scale[free..]);
                let sums = rows.iter_mut().zip(&mut self.size);
                for ((row, size), (&d, &s)) in sums.zip(coupling) {
                    let term = d * s * factor * u;
                    *row -= term;
                    *size = larger(*size, term.abs());
                }
            }
            for (i, (row, &size)) in rows.iter_mut().zip(&self.size).enumerate() {
                let is_held = j == rest && self.is_held[i];
                let cancelled = if is_held { DEPENDENT } else { CANCELLED };
                if row.abs() <= cancelled * size {
                    *row = 0.0;
                }
                if i == j {
                    self.is_held.push(*row == 0.0 && size > 0.0);
                }
            }
            if j == rest {
                self.reduced_vector.copy_from_slice(rows);
            } else {
                let reduced = self.reduced_matrix.chunks_exact_mut(rest);
                for (reduced, &row) in reduced.zip(&*rows) {
                    reduced[j] = row;
                }
            }
        }
        let largest = self
            .reduced_vector
            .iter()
            .fold(0.0f64, |m, q| m.max(q.abs()));
        self.normalization = largest;
        if largest > 0.0 {
            for q in &mut self.reduced_vector {
                *q /= largest;
            }
        }
        Ok(())
    }

    /// Follows a path, and leaves the active set and `z` where it ended.
    fn follow(&mut self, path: Path, limit: usize, tolerance: f64) -> Ending {
        let (cover, regularization, refresh) = match path {
            Path::Lemke {
                cover,
                regularization,
                refresh,
            } => (cover, regularization, refresh),
            Path::Principal => {
                self.reset_dictionary(0, 0.0, false);
                let (dictionary, pivots) = (&mut self.dictionary, &mut self.pivots);
                let ending = principal_pivoting::solve(dictionary, limit, pivots);
                self.take_active_set();
                return ending;
            }
            Path::Unbounded => {
                self.take_unbounded();
                return Ending::Complementary;
            }
        };
        self.center.clear();
        self.center.resize(self.reduced_vector.len(), 0.0);
        let mut last_step = f64::INFINITY;
        loop {
            self.reset_dictionary(cover, regularization, refresh < usize::MAX);
            let ending = lemke::solve(&mut self.dictionary, limit, refresh, &mut self.pivots);
            self.take_active_set();
            if ending != Ending::Complementary || regularization == 0.0 {
                return ending;
            }
            // What the rows are wrong by is the step of `z` times the regularization.
            let (mut step, mut size) = (0.0, 0.0);
            let z = &self.active_set.z[self.free..];
            let scale = &self.scaling.factors[self.free..];
            for ((center, z), s) in self.center.iter_mut().zip(z).zip(scale) {
                let z = z / s / self.normalization;
                step = larger(step, (z - *center).abs());
                size = larger(size, z);
                *center = z;
            }
            let solved = regularization * step <= 0.1 * tolerance * size;
            // Written so that NaN ends it.
            let goes_on = step < 0.1 * last_step;
            if solved || !goes_on {
                return ending;
            }
            last_step = step;
        }
    }

    fn problem(&mut self) -> (RealProblem<'_>, &mut ActiveSet) {
        let problem = RealProblem {
            matrix: &self.matrix,
            vector: &self.vector,
            free: self.free,
            scaling: &self.scaling.factors,
        };
        (problem, &mut self.active_set)
    }

    /// `keep` says whether the dictionary will be computed anew.
    fn reset_dictionary(&mut self, cover: u32, regularization: f64, keep: bool) {
        let n = self.reduced_vector.len();
        let (matrix, vector, center) = (&self.reduced_matrix, &self.reduced_vector, &self.center);
        self.dictionary.reset(
            n,
            keep,
            |i, j| matrix[i * n + j] + if i == j { regularization } else { 0.0 },
            |i| covering_entry(i, cover),
            |i| match regularization {
                0.0 => vector[i],
                _ => vector[i] - regularization * center[i],
            },
        );
    }

    /// The dictionary of [`Self::solve_sticking`].
    fn reset_yielding(&mut self) {
        let n = self.reduced_vector.len();
        let (matrix, vector) = (&self.reduced_matrix, &self.reduced_vector);
        let is_held = &self.is_held;
        let entry = |i: usize, j: usize| matrix[i * n + j];
        let yielding = |i: usize, j: usize| match i == j {
            true => entry(i, i) + YIELD,
            false if is_slip(matrix, is_held, j) => -entry(j, i),
            false => entry(i, j),
        };
        self.dictionary
            .reset(n, false, yielding, |_| 1.0, |i| vector[i]);
    }

    fn take_active_set(&mut self) {
        let (n, free) = (self.vector.len(), self.free);
        let dictionary = &self.dictionary;
        let ActiveSet { is_active, z, .. } = &mut self.active_set;
        is_active.clear();
        is_active.resize(free, true);
        z.clear();
        z.resize(free, 0.0);
        for i in free..n {
            let row = match dictionary.place(dictionary.z(i - free)) {
                Place::Row(row) => Some(row),
                Place::Column(_) => None,
            };
            is_active.push(row.is_some());
            let constant = row.map_or(0.0, |row| dictionary.constant(row).max(0.0));
            z.push(constant * self.normalization * self.scaling.factors[i]);
        }
    }

    fn take_unbounded(&mut self) {
        let (free, rest) = (self.free, self.reduced_vector.len());
        let (matrix, vector) = (&self.reduced_matrix, &self.reduced_vector);
        let entry = |i: usize, j: usize| matrix[i * rest + j];
        let bounded = |j: usize| (0..rest).any(|i| entry(i, i) == 0.0 && entry(i, j) < 0.0);
        let ActiveSet { is_active, z, .. } = &mut self.active_set;
        is_active.clear();
        is_active.resize(free, true);
        is_active.extend((0..rest).map(|j| vector[j] < 0.0 && entry(j, j) > 0.0 && !bounded(j)));
        z.clear();
        z.resize(free + rest, 0.0);
    }

    fn check_feasible(&mut self, limit: usize) -> Result<(), LcpError> {
        self.reset_dictionary(0, 0.0, false);
        let cover = feasibility::least_cover(&mut self.dictionary, limit, &mut self.pivots);
        match cover {
            Some(violation) if violation > INFEASIBLE => Err(LcpError::Infeasible { violation }),
            _ => Ok(()),
        }
    }
}

/// Whether a variable of the reduced problem has no diagonal entry of its own, as the slip of a contact.
fn is_slip(reduced_matrix: &[f64], is_held: &[bool], i: usize) -> bool {
    !is_held[i] && reduced_matrix[i * is_held.len() + i] == 0.0
}

fn is_solved(accuracy: &Accuracy, tolerance: f64) -> bool {
    accuracy.residual <= tolerance && accuracy.growth <= UNRESOLVED
}

/// Entry `i` of a covering vector: all ones, or numbers between 1 and 2 that repeat no pattern.
fn covering_entry(i: usize, cover: u32) -> f64 {
    // The fractional parts of multiples of the golden ratio fill the interval evenly.
    1.0 + (f64::from(cover) * (i as f64 + 1.0) * 0.618_033_988_749_895).fract()
}
