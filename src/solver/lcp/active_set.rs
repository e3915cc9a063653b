//! Polish: the solution of the linear system of an active set, to round-off.

use super::null_space::NullSpace;
use super::scaling::larger;
use crate::InvalidInput;
use crate::math::{Factorization, Lu, Singular};
use nalgebra::DMatrix;

/// The active set, and the solution of its equations.
#[derive(Debug, Clone)]
pub(super) struct ActiveSet {
    /// Whether the row of each variable is an equation: free, or active.
    pub is_active: Vec<bool>,
    /// Whether an active variable keeps its share of what rows that depend on each other determine together.
    pub is_kept: Vec<bool>,
    /// The indices of the other active variables, ascending, which their rows determine.
    pub basic: Vec<usize>,
    /// Factor of the rows and columns of `M` that belong to these.
    pub lu: Lu,
    pub z: Vec<f64>,
    /// The rows `M z + q`.
    pub w: Vec<f64>,
    /// What each row is measured by.
    pub row_scale: Vec<f64>,
    /// Rows are measured by no less than this times the largest entry of the scaled `q`.
    pub least_scale: f64,
    correction: Vec<f64>,
    null_space: NullSpace,
}

/// A matrix, a vector, the number of free variables, and the scaling.
#[derive(Clone, Copy)]
pub(super) struct RealProblem<'a> {
    pub matrix: &'a DMatrix<f64>,
    pub vector: &'a [f64],
    pub free: usize,
    pub scaling: &'a [f64],
}

impl<'a> RealProblem<'a> {
    fn column(self, j: usize) -> &'a [f64] {
        let n = self.vector.len();
        &self.matrix.as_slice()[j * n..(j + 1) * n]
    }
}

/// What becomes of active variables that their rows do not determine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Dependent {
    /// As many as others can do without are left out.
    LeftOut,
    /// They keep the shares that the path gave them.
    Kept,
}

/// What the polish reached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accuracy {
    /// See [`LcpSolution::residual`](super::LcpSolution::residual).
    pub residual: f64,
    /// The largest term of a scaled row, relative to the largest entry of the scaled `q`.
    pub growth: f64,
    /// The largest scaled variable.
    pub variable_scale: f64,
}

const REFINEMENTS: usize = 1;
/// How often indices of the wrong sign may change sides.
const ROUNDS: usize = 8;
/// What proximal point iterations add to the diagonal of the scaled matrix.
const PROXIMITY: f64 = 1e-8;
/// Where the inverse of the scaled matrix of an active set is larger, some variable can be left out.
const SINGULAR: f64 = 1e11;
/// Variables that are left out one by one, each with a factorisation of its own; where there are more, as with dozens
/// of contacts on a body, all at once.
const SINGLE: usize = 8;
/// What is added to the diagonal of a singular scaled matrix.
const REGULARIZATION: f64 = 1e-12;
/// Variables that take part in a dependency by less than this are not left out.
const SHARE: f64 = 1e-6;
/// Rows are measured by their largest term, but by no more than this times the largest entry of `q`.
const GROWTH: f64 = 1e3;

impl ActiveSet {
    pub fn new() -> Self {
        ActiveSet {
            is_active: Vec::new(),
            is_kept: Vec::new(),
            basic: Vec::new(),
            lu: Lu::identity(0),
            z: Vec::new(),
            w: Vec::new(),
            row_scale: Vec::new(),
            least_scale: 0.0,
            correction: Vec::new(),
            null_space: NullSpace::default(),
        }
    }

    /// The indices of active variables that keep their shares, ascending.
    pub fn kept(&self) -> impl Iterator<Item = usize> {
        (0..self.is_kept.len()).filter(|&i| self.is_kept[i])
    }

    /// Solves for the active set in `is_active`, from the `z` of a path; where signs are wrong, mends it.
    pub fn polish(
        &mut self,
        problem: RealProblem<'_>,
        tolerance: f64,
    ) -> Result<Accuracy, PolishError> {
        self.keep_none();
        let accuracy = self.settle(problem, Dependent::LeftOut)?;
        if accuracy.residual <= tolerance || !self.repair(problem, tolerance) {
            return Ok(accuracy);
        }
        self.approach(problem, tolerance)?;
        self.settle(problem, Dependent::LeftOut)
    }

    /// Solves for the active set in `is_active`, of which all variables keep their shares that it does not determine;
    /// where signs are wrong, mends it.
    pub fn share(
        &mut self,
        problem: RealProblem<'_>,
        tolerance: f64,
    ) -> Result<Accuracy, PolishError> {
        let mut rounds = 0;
        loop {
            self.keep_none();
            self.spread(problem)?;
            let accuracy = self.settle(problem, Dependent::Kept)?;
            rounds += 1;
            let ends = accuracy.residual <= tolerance || rounds > ROUNDS;
            if ends || !self.repair(problem, tolerance) {
                return Ok(accuracy);
            }
        }
    }

    /// Solves for the active set of the last problem, from its `z`; where signs are wrong, mends it, unless variables
    /// keep their shares.
    pub fn resume(
        &mut self,
        problem: RealProblem<'_>,
        tolerance: f64,
    ) -> Result<Accuracy, PolishError> {
        if !self.is_kept.contains(&true) {
            return self.polish(problem, tolerance);
        }
        self.spread(problem)?;
        self.settle(problem, Dependent::Kept)
    }

    /// Factors the equations of a solution that was found otherwise, and leaves `z` as it is.
    pub fn adopt(&mut self, problem: RealProblem<'_>) -> Result<Accuracy, PolishError> {
        self.keep_none();
        self.factor(problem, 0.0, false)?;
        Ok(self.accuracy(problem))
    }

    /// Takes `z` as it is.
    pub fn take(&mut self, problem: RealProblem<'_>) -> Accuracy {
        self.keep_none();
        self.accuracy(problem)
    }

    /// Corrects all active variables, also those that keep their shares, so that they change together.
    fn spread(&mut self, problem: RealProblem<'_>) -> Result<(), PolishError> {
        self.factor(problem, PROXIMITY, true)?;
        Ok(self.correct(problem)?)
    }

    fn keep_none(&mut self) {
        self.is_kept.clear();
        self.is_kept.resize(self.is_active.len(), false);
    }

    /// Solves for the active set, where some of its variables are not determined.
    fn settle(
        &mut self,
        problem: RealProblem<'_>,
        dependent: Dependent,
    ) -> Result<Accuracy, PolishError> {
        let mut singles = 0;
        loop {
            let determined =
                self.factor(problem, 0.0, false).is_ok() && self.condition(problem)? <= SINGULAR;
            if !determined {
                self.factor(problem, REGULARIZATION, false)?;
            }
            // Otherwise shares would be lost in what a nearly singular factor makes of round-off.
            if determined || dependent == Dependent::LeftOut {
                for _ in 0..=REFINEMENTS {
                    self.correct(problem)?;
                }
            }
            if determined {
                return Ok(self.accuracy(problem));
            }
            if singles >= SINGLE && self.remove_all_dependent(problem, dependent)? {
                continue;
            }
            singles += 1;
            self.condition(problem)?;
            self.remove_dependent(problem, dependent)?;
        }
    }

    /// Proximal point iterations: the problem with a multiple of the identity added to the scaled matrix,
    /// and with that multiple of `z` taken from `q`, has well-conditioned active sets, and where `z` no
    /// longer moves it is solved (Rockafellar 1976, SIAM J. Control Optim. 14(5), 877–898). In each,
    /// indices of the wrong sign change sides once.
    fn approach(&mut self, problem: RealProblem<'_>, tolerance: f64) -> Result<(), PolishError> {
        for _ in 0..ROUNDS {
            for (i, z) in self.z.iter_mut().enumerate().skip(problem.free) {
                *z = if self.is_active[i] { z.max(0.0) } else { 0.0 };
            }
            self.factor(problem, PROXIMITY, false)?;
            self.correct(problem)?;
            let accuracy = self.accuracy(problem);
            if accuracy.residual <= tolerance {
                break;
            }
            self.repair(problem, tolerance);
        }
        Ok(())
    }

    /// Takes from the basic `z` what the factor makes of the errors of their rows.
    fn correct(&mut self, problem: RealProblem<'_>) -> Result<(), InvalidInput> {
        self.update_rows(problem);
        self.correction.clear();
        self.correction
            .extend(self.basic.iter().map(|&i| self.w[i]));
        self.lu.solve_in_place(&mut self.correction)?;
        for (&i, &d) in self.basic.iter().zip(&self.correction) {
            self.z[i] -= d;
        }
        Ok(())
    }

    /// Factors the rows and columns of the active set, with a multiple of the identity added to them as
    /// they are when scaled; without those that keep their shares, unless these take part.
    fn factor(
        &mut self,
        problem: RealProblem<'_>,
        regularization: f64,
        with_kept: bool,
    ) -> Result<(), Singular> {
        self.basic.clear();
        let takes_part = |i: &usize| self.is_active[*i] && (with_kept || !self.is_kept[*i]);
        let basic = (0..problem.vector.len()).filter(takes_part);
        self.basic.extend(basic);
        let basic = &self.basic;
        self.lu.factor_dense(basic.len(), |factors| {
            let columns = factors.chunks_exact_mut(basic.len().max(1));
            for (k, (column, &j)) in columns.zip(basic).enumerate() {
                let source = problem.column(j);
                for (entry, &i) in column.iter_mut().zip(basic) {
                    *entry = source[i];
                }
                let s = problem.scaling[j];
                column[k] += regularization / s / s;
            }
        })
    }

    /// `w = M z + q`.
    fn update_rows(&mut self, problem: RealProblem<'_>) {
        self.w.clear();
        self.w.extend_from_slice(problem.vector);
        for (j, &z) in self.z.iter().enumerate() {
            if self.is_active[j] && z != 0.0 {
                for (w, &m) in self.w.iter_mut().zip(problem.column(j)) {
                    *w += m * z;
                }
            }
        }
    }

    /// Rows, their scales and the residual of `z` without its negative parts, which are round-off or
    /// show in the rows.
    pub fn accuracy(&mut self, problem: RealProblem<'_>) -> Accuracy {
        let RealProblem {
            vector,
            free,
            scaling,
            ..
        } = problem;
        let (w, terms) = (&mut self.w, &mut self.row_scale);
        w.clear();
        w.extend_from_slice(vector);
        terms.clear();
        terms.extend(vector.iter().map(|q| q.abs()));
        let scales = self.z.iter().zip(scaling);
        let variable_scale = largest(scales.map(|(z, s)| z.abs() / s));
        for (j, &s) in scaling
            .iter()
            .enumerate()
            .filter(|&(j, _)| self.is_active[j])
        {
            let z = if j < free {
                self.z[j]
            } else {
                self.z[j].max(0.0)
            };
            let own = terms[j];
            for ((w, term), &m) in w.iter_mut().zip(&mut *terms).zip(problem.column(j)) {
                *w += m * z;
                *term = larger(*term, m.abs() * (variable_scale * s));
            }
            terms[j] = larger(own, (problem.column(j)[j] * z).abs());
        }
        let vector_scale = largest(vector.iter().zip(scaling).map(|(q, s)| q.abs() * s));
        let growth = largest(terms.iter().zip(scaling).map(|(t, s)| t * s)) / vector_scale;
        let mut residual = 0.0f64;
        for (i, (scale, &s)) in terms.iter_mut().zip(scaling).enumerate() {
            *scale =
                larger(*scale, self.least_scale * vector_scale / s).min(GROWTH * vector_scale / s);
            let w = self.w[i];
            let violation = if self.is_active[i] { w.abs() } else { -w };
            // Not `max`, which loses NaN.
            if violation > 0.0 && violation / *scale > residual || violation.is_nan() {
                residual = violation / *scale;
            }
        }
        Accuracy {
            residual: if residual.is_nan() {
                f64::INFINITY
            } else {
                residual
            },
            growth,
            variable_scale,
        }
    }

    /// An estimate of the norm of the inverse of the scaled matrix of the active set, whose entries are of
    /// the size of one. The change that it was found by, which almost keeps the rows when the norm is
    /// large, is left in `correction`.
    ///
    /// The answer to irregular numbers is a fair estimate (Dixon 1983, *SIAM J. Numer. Anal.* 20(4), 812–814).
    fn condition(&mut self, problem: RealProblem<'_>) -> Result<f64, InvalidInput> {
        let scaling = problem.scaling;
        self.correction.clear();
        let basic = self.basic.iter().enumerate();
        self.correction
            .extend(basic.map(|(k, &i)| irregular(k) / scaling[i]));
        self.lu.solve_in_place(&mut self.correction)?;
        let changes = self.basic.iter().zip(&self.correction);
        Ok(largest(changes.map(|(&i, x)| x.abs() / scaling[i])))
    }

    /// Removes as many variables as there are independent changes that keep the rows; returns whether there are
    /// any.
    fn remove_all_dependent(
        &mut self,
        problem: RealProblem<'_>,
        dependent: Dependent,
    ) -> Result<bool, PolishError> {
        let mut space = std::mem::take(&mut self.null_space);
        let (basic, scaling) = (&self.basic, problem.scaling);
        space.find(basic.len(), |i, j| {
            let (i, j) = (basic[i], basic[j]);
            problem.column(j)[i] * scaling[i] * scaling[j]
        });
        let any = space.count() > 0;
        let mut result = Ok(any);
        while space.count() > 0 && result.is_ok() {
            self.correction.clear();
            self.correction.resize(self.basic.len(), 0.0);
            for k in 0..space.count() {
                let terms = self.correction.iter_mut().zip(space.vector(k));
                terms.for_each(|(sum, x)| *sum += irregular(k) * x);
            }
            for (x, &i) in self.correction.iter_mut().zip(&self.basic) {
                *x *= scaling[i];
            }
            match self.remove_dependent(problem, dependent) {
                Ok(place) => space.hold(place),
                Err(error) => result = Err(error),
            }
        }
        self.null_space = space;
        result
    }

    /// Removes one basic variable that takes part in the change in `correction`, by which their rows hardly change, and
    /// returns its place among them. One that keeps its share is that which takes part most; one that is left out is that
    /// which reaches zero first where all change.
    fn remove_dependent(
        &mut self,
        problem: RealProblem<'_>,
        dependent: Dependent,
    ) -> Result<usize, PolishError> {
        let motion = || {
            let pairs = self.basic.iter().zip(&self.correction).enumerate();
            pairs.map(|(k, (&i, &x))| (k, i, x))
        };
        let size = |(_, i, x): (usize, usize, f64)| x.abs() / problem.scaling[i];
        let smallest = SHARE * largest(motion().map(size));
        let ratio = |(_, i, x): (usize, usize, f64)| self.z[i] / x;
        let takes_part =
            |&(k, i, x): &(usize, usize, f64)| i >= problem.free && size((k, i, x)) > smallest;
        if dependent == Dependent::Kept {
            let (place, index, _) = motion()
                .filter(takes_part)
                .filter(|&(_, i, _)| problem.column(i)[i] > 0.0)
                .max_by(|&a, &b| size(a).total_cmp(&size(b)))
                .ok_or(PolishError)?;
            self.is_kept[index] = true;
            return Ok(place);
        }
        let first = motion()
            .filter(takes_part)
            .min_by(|&a, &b| ratio(a).abs().total_cmp(&ratio(b).abs()))
            .ok_or(PolishError)?;
        let way = ratio(first);
        for (&i, &x) in self.basic.iter().zip(&self.correction) {
            self.z[i] -= way * x;
        }
        let (place, index, _) = first;
        self.z[index] = 0.0;
        self.is_active[index] = false;
        Ok(place)
    }

    /// Lets indices of the wrong sign change sides; returns whether there are any.
    fn repair(&mut self, problem: RealProblem<'_>, tolerance: f64) -> bool {
        let mut any = false;
        for i in problem.free..problem.vector.len() {
            let wrong = if self.is_active[i] {
                let z = self.z[i];
                let matters = |(m, scale): (&f64, &f64)| (m * z).abs() > tolerance * scale;
                z < 0.0 && problem.column(i).iter().zip(&self.row_scale).any(matters)
            } else {
                self.w[i] < -tolerance * self.row_scale[i]
            };
            if wrong {
                self.is_active[i] = !self.is_active[i];
                self.z[i] = 0.0;
                any = true;
            }
        }
        any
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, larger)
}

/// Numbers of either sign between 0.5 and 1.5 that repeat no pattern: null spaces of geometry have patterns, which can be
/// orthogonal to a vector of ±1.
fn irregular(k: usize) -> f64 {
    // The fractional parts of multiples of an irrational number fill the unit interval evenly.
    let fraction = (k as f64 * 0.618_033_988_749_895).fract();
    let size = 0.5 + (k as f64 * 0.414_213_562_373_095).fract();
    if fraction < 0.5 { size } else { -size }
}

/// The equations of an active set cannot be solved.
#[derive(Debug, Clone, Copy)]
pub(super) struct PolishError;

impl From<Singular> for PolishError {
    fn from(_: Singular) -> Self {
        PolishError
    }
}

impl From<InvalidInput> for PolishError {
    fn from(_: InvalidInput) -> Self {
        PolishError
    }
}
