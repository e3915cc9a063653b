//! The complementarity solver: active set in `f64`, derivatives at the solution.

use super::active_set::Accuracy;
use super::error::LcpError;
use super::parameters::LcpSolverParameters;
use super::problem::LinearComplementarityProblem;
use super::real::{FEW, MATRICES, RealSolver};
use super::solution::{LcpKink, LcpKinkKind, LcpSolution};
use crate::autodiff::implicit_step;
use crate::math::{Lu, reset_vector};
use crate::{InvalidInput, Scalar};

/// Solves linear complementarity problems, and differentiates the solutions.
///
/// Owns its memory: after the first solve, problems of no larger size allocate nothing.
#[doc(alias = "Lemke")]
#[doc(alias = "linear complementarity")]
#[derive(Debug, Clone)]
pub struct LcpSolver<T: Scalar> {
    parameters: LcpSolverParameters,
    real: RealSolver,
    solution: LcpSolution<T>,
    root: Vec<T>,
    residual: Vec<T>,
}

impl<T: Scalar> Default for LcpSolver<T> {
    fn default() -> Self {
        Self::with_valid(LcpSolverParameters::default())
    }
}

impl<T: Scalar> LcpSolver<T> {
    /// Variables of the largest problem for [`Self::solve_by_whole`]: a basis that is factored anew for every pivot costs
    /// their third power.
    pub(crate) const LARGEST_WHOLE: usize = 400;
    /// Square matrices of the size of a problem that solving it makes at most.
    pub(crate) const MATRICES: u64 = MATRICES;

    /// A solver with these parameters.
    ///
    /// # Errors
    /// [`InvalidInput`] for a parameter outside its range.
    pub fn new(parameters: LcpSolverParameters) -> Result<Self, InvalidInput> {
        parameters.validate()?;
        Ok(Self::with_valid(parameters))
    }

    fn with_valid(parameters: LcpSolverParameters) -> Self {
        LcpSolver {
            parameters,
            real: RealSolver::new(),
            solution: LcpSolution::empty(),
            root: Vec::new(),
            residual: Vec::new(),
        }
    }

    /// The parameters.
    pub fn parameters(&self) -> &LcpSolverParameters {
        &self.parameters
    }

    /// Whether a problem of the size of the last one is first tried with the active set of its solution, mended where
    /// signs are wrong, before any path (default: no). What is accepted has the same residual; of several solutions
    /// it is that which is near the last.
    pub fn set_warm_start(&mut self, warm_start: bool) {
        self.real.warm_start = warm_start;
    }

    /// Solves a problem. When it has several solutions, which one is found depends on the method.
    ///
    /// The matrices that this takes are dense, five beside that of the problem: 4 GiB at 10,000 variables.
    ///
    /// # Errors
    /// [`LcpError`] when there is no solution or none was found, and before anything is allocated for a problem whose
    /// matrices would take more than 4 GiB.
    #[inline(never)]
    pub fn solve(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
    ) -> Result<&LcpSolution<T>, LcpError> {
        self.solve_along(problem, usize::MAX)
    }

    /// As [`Self::solve`], along the paths alone that cost least.
    pub(crate) fn solve_along_few(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
    ) -> Result<&LcpSolution<T>, LcpError> {
        self.solve_along(problem, FEW)
    }

    fn solve_along(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
        paths: usize,
    ) -> Result<&LcpSolution<T>, LcpError> {
        let accuracy = self.real.solve(problem, &self.parameters, paths)?;
        self.differentiate(problem)?;
        self.write_solution(problem, accuracy);
        Ok(&self.solution)
    }

    /// Finds a solution in which no contact of some sets slips, and rows of these share evenly what they can share in many
    /// ways; returns whether there is such a set. If not, the last solution is lost. Other variables are as they were
    /// decided. `sets` (n) says to which set a variable belongs, if to one that may stick. Forces that the active set
    /// does not determine are constants of it, without derivatives.
    pub(crate) fn solve_sticking(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
        decided: &LcpSolution<T>,
        sets: &[Option<usize>],
    ) -> Result<bool, LcpError> {
        let real = &mut self.real;
        let Some(accuracy) = real.solve_sticking(problem, &self.parameters, decided, sets)? else {
            return Ok(false);
        };
        self.differentiate(problem)?;
        self.write_solution(problem, accuracy);
        Ok(true)
    }

    /// Solves a problem after [`Self::solve_along_few`] has not, by way of the same problem with more free variables before its
    /// own, from which they were eliminated; whether that leads to a solution.
    pub(crate) fn solve_by_whole(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
        whole: LinearComplementarityProblem<'_, T>,
    ) -> Result<bool, InvalidInput> {
        let mut search = RealSolver::new();
        let Some(accuracy) = search.solve_whole(whole, &self.parameters)? else {
            return Ok(false);
        };
        let Some(accuracy) = self.real.take_from(problem, (&search, accuracy))? else {
            return Ok(false);
        };
        self.differentiate(problem)?;
        self.write_solution(problem, accuracy);
        Ok(true)
    }

    /// Whether the last solution has the active set of the one before it.
    pub(crate) fn is_resumed(&self) -> bool {
        self.real.is_resumed
    }

    /// The number of pivots of the last problem, solved or not.
    pub(crate) fn pivots(&self) -> usize {
        self.real.pivots
    }

    /// The last solution.
    pub(crate) fn last(&self) -> &LcpSolution<T> {
        &self.solution
    }

    /// Variables that their rows determine in the last solution, ascending, and the factor of these rows and
    /// columns. Where rows of active variables depend on each other these are some of them, and the others keep their
    /// shares.
    pub(crate) fn basis(&self) -> (&[usize], &Lu) {
        let set = &self.real.active_set;
        (&set.basic, &set.lu)
    }

    /// The basic variables with derivatives, in `self.root`.
    fn differentiate(
        &mut self,
        problem: LinearComplementarityProblem<'_, T>,
    ) -> Result<(), InvalidInput> {
        let set = &self.real.active_set;
        let free = problem.free;
        self.root.clear();
        self.root.extend(set.basic.iter().map(|&i| {
            // Round-off below zero is zero.
            let z = set.z[i];
            T::from(if i < free { z } else { z.max(0.0) })
        }));
        self.residual.clear();
        self.residual.resize(self.root.len(), T::zero());
        implicit_step(&set.lu, &mut self.root, &mut self.residual, |z, r| {
            for (r, &i) in r.iter_mut().zip(&set.basic) {
                *r = problem.vector[i];
            }
            for j in set.kept() {
                let column = problem.matrix.column(j);
                for (r, &i) in r.iter_mut().zip(&set.basic) {
                    *r += column[i] * T::from(set.z[j]);
                }
            }
            for (&z, &j) in z.iter().zip(&set.basic) {
                let column = problem.matrix.column(j);
                for (r, &i) in r.iter_mut().zip(&set.basic) {
                    *r += column[i] * z;
                }
            }
            Ok(())
        })
    }

    fn write_solution(&mut self, problem: LinearComplementarityProblem<'_, T>, accuracy: Accuracy) {
        let (n, set) = (problem.size(), &self.real.active_set);
        let LcpSolution {
            z,
            w,
            active,
            weakly_active,
            kinks,
            residual,
            pivots,
        } = &mut self.solution;
        reset_vector(z, n);
        reset_vector(w, n);
        *residual = accuracy.residual;
        *pivots = self.real.pivots;
        for (&i, &root) in set.basic.iter().zip(&self.root) {
            z[i] = root;
        }
        for i in set.kept() {
            z[i] = T::from(set.z[i].max(0.0));
        }
        active.clear();
        active.extend((problem.free..n).filter(|&i| set.is_active[i]));
        let inactive = || (0..n).filter(|&i| !set.is_active[i]);
        if T::NDERIV > 0 {
            for i in inactive() {
                w[i] = problem.vector[i];
            }
            for j in set.basic.iter().copied().chain(set.kept()) {
                let column = problem.matrix.column(j);
                for i in inactive() {
                    w[i] += column[i] * z[j];
                }
            }
        }
        for i in inactive() {
            let re = set.w[i].max(0.0);
            w[i] = w[i].with_real(re);
        }
        weakly_active.clear();
        kinks.clear();
        let (mut release, mut activation) = (None, None);
        for i in problem.free..n {
            let tolerance = self.parameters.residual_tolerance;
            let (kind, distance, is_zero) = if set.is_active[i] {
                let z = z[i].re();
                let size = z / self.real.scaling()[i] / accuracy.variable_scale;
                (&mut release, z, size <= tolerance)
            } else {
                let w = w[i].re();
                (&mut activation, w, w <= tolerance * set.row_scale[i])
            };
            if is_zero {
                weakly_active.push(i);
            }
            if kind.is_none_or(|(_, nearest)| distance < nearest) {
                *kind = Some((i, distance));
            }
        }
        for (kind, nearest) in [
            (LcpKinkKind::Release, release),
            (LcpKinkKind::Activation, activation),
        ] {
            if let Some((index, distance)) = nearest {
                kinks.push(LcpKink {
                    kind,
                    index,
                    distance,
                });
            }
        }
    }
}
