//! The implicit Stribeck solver: from a problem to a solution with derivatives.

use super::condensed_rows::EqualityRows;
use super::direction_limiter::DirectionLimiter;
use super::error::ImplicitStribeckSolverError;
use super::islands::Islands;
use super::kink::{Kink, KinkKind};
use super::lifted::Lifted;
use super::linearization::{Buffers, Linearization};
use super::mass_matrix;
use super::newton::{NewtonLimits, Outcome};
use super::newton_system::{FoldAlong, FoldMemory, Laws};
use super::parameters::ImplicitStribeckSolverParameters;
use super::problem::ContactProblem;
use super::search::{self, Search, Task};
use super::solution::Solution;
use super::sparse_problem::SparseProblem;
use super::statistics::IterationStatistics;
use crate::autodiff::implicit_step;
use crate::{InvalidInput, Parallelism, Scalar};

/// Part of the largest speed of slip by which slips of one solution may differ.
const SAME: f64 = 1e-6;

/// Solves one-way and two-way coupled contact problems; see the [module](super).
///
/// The solver is a workspace: problems of any size may follow each other, and only those that are
/// larger than all before, or take more than a hundred iterations, allocate memory.
#[doc(alias = "TAMSI")]
#[derive(Debug, Clone)]
pub struct ImplicitStribeckSolver<T: Scalar> {
    parameters: ImplicitStribeckSolverParameters<T>,
    problem: SparseProblem,
    guess: Vec<f64>,
    mass_check: (Vec<f64>, Vec<usize>),
    islands: Islands,
    /// One for every thread.
    searches: Vec<Search>,
    parallelism: Parallelism,
    real: Solution<f64>,
    buffers: Buffers,
    solution: Solution<T>,
    found: Found,
    /// Root and residual in T.
    root: Vec<T>,
    lifted_residual: Vec<T>,
    fold: FoldMemory,
}

/// What the last solve left.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Found {
    Nothing,
    Iterate,
    Solution,
}

impl<T: Scalar> ImplicitStribeckSolver<T> {
    /// A solver with the given parameters.
    ///
    /// # Errors
    /// [`InvalidInput`] for a parameter outside its range.
    #[inline(never)]
    pub fn new(parameters: ImplicitStribeckSolverParameters<T>) -> Result<Self, InvalidInput> {
        parameters.validate()?;
        Ok(ImplicitStribeckSolver {
            parameters,
            problem: SparseProblem::default(),
            guess: Vec::new(),
            mass_check: Default::default(),
            islands: Islands::default(),
            searches: Vec::new(),
            parallelism: Parallelism::Serial,
            real: Solution::empty(),
            buffers: Buffers::new(),
            solution: Solution::empty(),
            found: Found::Nothing,
            root: Vec::new(),
            lifted_residual: Vec::new(),
            fold: FoldMemory::default(),
        })
    }

    /// The parameters.
    pub fn parameters(&self) -> &ImplicitStribeckSolverParameters<T> {
        &self.parameters
    }

    /// Changes the parameters.
    ///
    /// # Errors
    /// [`InvalidInput`] for a parameter outside its range; the parameters are then as before.
    #[inline(never)]
    pub fn set_parameters(
        &mut self,
        parameters: ImplicitStribeckSolverParameters<T>,
    ) -> Result<(), InvalidInput> {
        parameters.validate()?;
        self.parameters = parameters;
        Ok(())
    }

    /// Where the parts of a problem that nothing couples are solved (default: serially). Threads are used for
    /// as many as have 256 contacts each; the result has the same bits.
    pub fn set_parallelism(&mut self, parallelism: Parallelism) {
        self.parallelism = parallelism;
    }

    /// Finds the velocities at the end of a step of length `dt`.
    ///
    /// `guess` (nv) is where the iteration starts, as a rule the velocities at the start of the
    /// step; only its real parts matter.
    ///
    /// # Errors
    /// [`ImplicitStribeckSolverError::Invalid`] when `dt` is not positive or `guess` has the wrong
    /// size or an entry that is not finite, or the solution has a velocity or force of a contact that is not;
    /// otherwise an error that holds the last iterate.
    pub fn solve<'a>(
        &mut self,
        problem: impl Into<ContactProblem<'a, T>>,
        dt: T,
        guess: &[T],
    ) -> Result<&Solution<T>, ImplicitStribeckSolverError> {
        self.solve_posed(problem.into(), dt, guess)
    }

    #[inline(never)]
    pub(crate) fn solve_posed(
        &mut self,
        problem: ContactProblem<'_, T>,
        dt: T,
        guess: &[T],
    ) -> Result<&Solution<T>, ImplicitStribeckSolverError> {
        self.found = Found::Nothing;
        let lifted = self.posed(problem, dt);
        if let Err(error) = self.find(&lifted, guess) {
            if error.last().is_some() {
                self.root.clear();
                (self.root).extend(self.real.velocities.iter().map(|&v| T::from(v)));
                (self.solution).differentiate(&self.real, &lifted, &self.root);
                self.found = Found::Iterate;
            }
            return Err(error);
        }
        self.found = Found::Solution;
        Ok(&self.solution)
    }

    fn find(&mut self, lifted: &Lifted<T>, guess: &[T]) -> Result<(), ImplicitStribeckSolverError> {
        self.solve_lifted(lifted, guess)?;
        if T::NDERIV == 0 {
            self.solution.copy_real(&self.real);
            return Ok(());
        }
        self.differentiate(lifted)
    }

    /// What the last [`solve`](Self::solve) found; none before the first and after one that failed.
    pub fn last_solution(&self) -> Option<&Solution<T>> {
        (self.found == Found::Solution).then_some(&self.solution)
    }

    /// Where the last [`solve`](Self::solve) stopped, if it failed on the way.
    ///
    /// Forces and velocities of contacts have derivatives with respect to the data of the problem at these generalized
    /// velocities. The velocities themselves have none: an iterate is no root.
    pub fn last_iterate(&self) -> Option<&Solution<T>> {
        (self.found == Found::Iterate).then_some(&self.solution)
    }

    /// As [`ImplicitStribeckSolver::solve`] in `f64`, ready to give first derivatives as matrices
    /// or as an adjoint.
    ///
    /// # Errors
    /// As [`ImplicitStribeckSolver::solve`], and
    /// [`ImplicitStribeckSolverError::SingularJacobian`] at a solution without derivatives.
    pub fn solve_with_derivatives<'a>(
        &mut self,
        problem: impl Into<ContactProblem<'a, T>>,
        dt: T,
        guess: &[T],
    ) -> Result<Linearization<'_>, ImplicitStribeckSolverError> {
        let lifted = self.posed(problem.into(), dt);
        self.solve_lifted(&lifted, guess)?;
        self.factor_solution()
    }

    /// As [`ImplicitStribeckSolver::solve`] in `f64`, for a problem of which zeros are left out and that has been
    /// validated. The iteration starts from the other guess, if there is one and it is better. Only velocities,
    /// kinks and statistics of the solution are written.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn solve_sparse(
        &mut self,
        problem: &SparseProblem,
        dt: f64,
        guess: &[f64],
        other_guess: Option<&[f64]>,
    ) -> Result<&Solution<f64>, ImplicitStribeckSolverError> {
        self.converge(problem, dt, (guess, other_guess))?;
        self.real.read_velocities(&self.islands);
        Ok(&self.real)
    }

    /// As [`Self::solve_sparse`], on velocities that satisfy `rows`; writes their impulses, but those of rows whose gradient is zero.
    /// None where contacts of an island with rows are many, or the root is not found at once.
    ///
    /// # Errors
    /// [`InvalidInput`] as there.
    pub(crate) fn solve_sparse_with_rows(
        &mut self,
        (problem, rows): (&SparseProblem, &mut EqualityRows),
        dt: f64,
        guesses: (&[f64], Option<&[f64]>),
    ) -> Result<Option<&Solution<f64>>, InvalidInput> {
        if self.search(problem, Some(rows), dt, guesses)? != Outcome::Converged {
            return Ok(None);
        }
        rows.are_independent = self.searches.iter().all(|search| search.are_independent);
        for &(row, impulse) in self.searches.iter().flat_map(|search| &search.impulses) {
            rows.impulses[row] = impulse;
        }
        self.real.read_velocities(&self.islands);
        Ok(Some(&self.real))
    }

    /// Takes velocities that solve a problem for the solution.
    ///
    /// # Errors
    /// As [`ImplicitStribeckSolver::solve`].
    pub(crate) fn place(
        &mut self,
        problem: &SparseProblem,
        dt: f64,
        velocities: &[f64],
    ) -> Result<&Solution<f64>, ImplicitStribeckSolverError> {
        let laws = self.laws(dt);
        let (order, systems) = self.islands.prepare(problem);
        let mut residual = 0.0f64;
        for system in systems {
            let indices = &order[system.velocities.clone()];
            system.load(problem, laws, indices, (velocities, None))?;
            system.check_finite()?;
            residual = residual.max(system.relative_residual);
        }
        self.real.read_velocities(&self.islands);
        self.real.statistics.residual = residual;
        Ok(&self.real)
    }

    /// Writes what the balance of momenta lacks at the solution, `p* + δt Jᵀ f(v) − M v`.
    pub(crate) fn write_imbalance(&self, imbalance: &mut [f64]) {
        for system in self.islands.systems() {
            let rows = self.islands.indices(system).iter().zip(&system.residual);
            rows.for_each(|(&i, residual)| imbalance[i] = -residual);
        }
    }

    /// How near the solution of the last [`Self::solve_sparse`] is to a fold, where friction falls with the slip speed, and, in
    /// m/s, from where on there are other solutions.
    pub(crate) fn nearest_fold(&mut self) -> (Option<Kink>, Option<f64>) {
        let (mut nearest, mut other) = (None::<Kink>, None::<f64>);
        if !self.islands.have_stribeck() {
            return (nearest, other);
        }
        let memory = &mut self.fold;
        for system in self.islands.systems_mut() {
            let Some(folds) = system.find_folds(memory) else {
                continue;
            };
            for (distance, _) in folds.nearest.into_iter().flatten() {
                if nearest.is_none_or(|kink| distance < kink.distance) {
                    nearest = Some(Kink {
                        kind: KinkKind::Folding,
                        contact: system.numbers[folds.contact],
                        distance,
                    });
                }
            }
            other = [other, folds.other].into_iter().flatten().reduce(f64::min);
        }
        (nearest, other)
    }

    /// Whether friction of the problem of the last [`Self::solve_sparse`] falls with the slip speed where something presses.
    pub(crate) fn friction_falls(&self) -> bool {
        let mut systems = self.islands.systems().iter();
        self.islands.have_stribeck() && systems.any(|system| system.friction_falls())
    }

    /// Solves a problem from another guess than that from which the velocities `found` were: by how much in m/s the slip of a
    /// contact differs from them, if it has come to another solution. That is the last one then.
    pub(crate) fn distance_to_other(
        &mut self,
        problem: &SparseProblem,
        dt: f64,
        (found, guess): (&[f64], &[f64]),
    ) -> Option<f64> {
        let other = self.solve_sparse(problem, dt, guess, None).ok()?;
        let ends = [found, other.velocities.as_slice()];
        let (mut largest, mut fastest) = (0.0f64, 0.0f64);
        for contact in 0..problem.contacts.len() {
            let [a, b] = ends.map(|v| problem.contact_velocity(contact, v));
            largest = largest.max((a[1] - b[1]).hypot(a[2] - b[2]));
            fastest = fastest.max(a[1].hypot(a[2]));
        }
        let scale = fastest.max(self.laws(dt).stiction_tolerance);
        (largest > SAME * scale).then_some(largest)
    }

    /// The folds near the solution of the last [`Self::solve_sparse`].
    pub(crate) fn folds(&mut self) -> Vec<FoldAlong> {
        let mut all = Vec::new();
        if !self.islands.have_stribeck() {
            return all;
        }
        let memory = &mut self.fold;
        for island in 0..self.islands.systems().len() {
            let Some(folds) = self.islands.systems_mut()[island].find_folds(memory) else {
                continue;
            };
            let system = &self.islands.systems()[island];
            let indices = self.islands.indices(system).iter().copied();
            let direction: Vec<_> = indices.zip(memory.direction.iter().copied()).collect();
            for (_, lacking) in folds.nearest.into_iter().flatten() {
                all.push(FoldAlong {
                    contact: system.numbers[folds.contact],
                    lacking,
                    direction: direction.clone(),
                });
            }
        }
        all
    }

    fn laws(&self, dt: f64) -> Laws {
        let stiction_tolerance = self.parameters.stiction_tolerance.re();
        Laws {
            dt,
            stiction_tolerance,
            softening: stiction_tolerance * self.parameters.relative_tolerance,
        }
    }

    /// The solution of the last [`solve`](ImplicitStribeckSolver::solve) that succeeded, with its Jacobian
    /// factored: what [`ImplicitStribeckSolver::solve_with_derivatives`] gives, without solving again.
    ///
    /// # Errors
    /// [`ImplicitStribeckSolverError::SingularJacobian`] at a solution without derivatives.
    pub(crate) fn factor_solution(
        &mut self,
    ) -> Result<Linearization<'_>, ImplicitStribeckSolverError> {
        self.factor_at_solution()?;
        Ok(self.linearization())
    }

    /// The Jacobian as it has been factored last.
    pub(crate) fn linearization(&mut self) -> Linearization<'_> {
        Linearization {
            jacobian: &self.islands,
            solution: &self.real,
            relative_tolerance: self.parameters.relative_tolerance,
            buffers: &mut self.buffers,
        }
    }

    fn factor_at_solution(&mut self) -> Result<(), ImplicitStribeckSolverError> {
        for system in self.islands.systems_mut() {
            if let Err(cause) = system.factor() {
                let last = Box::new(self.real.clone());
                return Err(ImplicitStribeckSolverError::SingularJacobian { last, cause });
            }
        }
        Ok(())
    }

    fn posed<'a>(&self, problem: ContactProblem<'a, T>, dt: T) -> Lifted<'a, T> {
        let stiction_tolerance = self.parameters.stiction_tolerance;
        Lifted {
            common: problem.common,
            normal_forces: problem.normal_forces,
            dt,
            stiction_tolerance,
            softening: stiction_tolerance * self.parameters.relative_tolerance,
        }
    }

    fn solve_lifted(
        &mut self,
        lifted: &Lifted<T>,
        guess: &[T],
    ) -> Result<(), ImplicitStribeckSolverError> {
        InvalidInput::check_size("guess", guess.len(), lifted.common.nv())?;
        InvalidInput::check_finite("guess", guess)?;
        let mut problem = std::mem::take(&mut self.problem);
        problem.read(lifted);
        let mut start = std::mem::take(&mut self.guess);
        start.clear();
        start.extend(guess.iter().map(|v| v.re()));
        let mut result = Ok(());
        if !lifted.common.damped {
            let (factor, last) = &mut self.mass_check;
            let mass = lifted.common.mass_matrix;
            result = mass_matrix::check(mass, &problem.places, (factor, last));
        }
        let result = match result {
            Ok(()) => self.converge(&problem, lifted.dt.re(), (&start, None)),
            Err(invalid) => Err(invalid.into()),
        };
        (self.problem, self.guess) = (problem, start);
        result?;
        self.real.read(&self.islands);
        Ok(self.real.check_finite()?)
    }

    /// Finds the solution in `f64`: it ends up in `self.islands` and `self.real`.
    fn converge(
        &mut self,
        problem: &SparseProblem,
        dt: f64,
        guesses: (&[f64], Option<&[f64]>),
    ) -> Result<(), ImplicitStribeckSolverError> {
        let outcome = self.search(problem, None, dt, guesses)?;
        if outcome != Outcome::Converged {
            self.real.read(&self.islands);
        }
        let last = || Box::new(self.real.clone());
        match outcome {
            Outcome::Converged => Ok(()),
            Outcome::Exhausted => Err(ImplicitStribeckSolverError::NotConverged { last: last() }),
            Outcome::Singular(cause) => Err(ImplicitStribeckSolverError::SingularJacobian {
                last: last(),
                cause,
            }),
        }
    }

    /// Searches the roots of all islands.
    fn search(
        &mut self,
        problem: &SparseProblem,
        rows: Option<&EqualityRows>,
        dt: f64,
        guesses: (&[f64], Option<&[f64]>),
    ) -> Result<Outcome, InvalidInput> {
        InvalidInput::check_range("dt", &[dt], "a positive time", |dt| {
            dt > 0.0 && dt.is_finite()
        })?;
        let (parameters, laws) = (&self.parameters, self.laws(dt));
        let direction = DirectionLimiter {
            cos_theta_max: parameters.theta_max.cos(),
            stiction_tolerance: laws.stiction_tolerance,
            epsilon: laws.softening,
        };
        let mut limits = NewtonLimits::new(
            [parameters.max_iterations, parameters.max_total_iterations],
            parameters.residual_tolerance,
            laws.softening,
            direction,
        );
        if problem.has_stiff_terms {
            // As far as it goes.
            limits.target = 0.0;
        }
        let (order, systems) = self.islands.prepare(problem);
        let task = Task {
            problem,
            rows,
            laws,
            guesses,
            limits: &limits,
            order,
        };
        let scale = (self.parallelism, problem.contacts.len());
        for search in &mut self.searches {
            search.impulses.clear();
            search.are_independent = true;
        }
        let searches = search::share(scale, systems, &mut self.searches, |search, systems| {
            search.solve_all(systems, task);
        });
        let statistics = &mut self.real.statistics;
        statistics.reset();
        let mut outcome = Outcome::Converged;
        for search in searches {
            let found = search.outcome.clone()?;
            let IterationStatistics {
                history,
                strategy,
                residual,
                rounded_residual,
            } = &mut search.statistics;
            statistics.add(history, *strategy, [*residual, *rounded_residual]);
            if outcome == Outcome::Converged {
                outcome = found;
            }
        }
        Ok(outcome)
    }

    /// Gives the solution its derivatives, by the implicit function theorem.
    fn differentiate(&mut self, lifted: &Lifted<T>) -> Result<(), ImplicitStribeckSolverError> {
        self.factor_at_solution()?;
        self.root.clear();
        let velocities = self.real.velocities.iter();
        self.root.extend(velocities.map(|&v| T::from(v)));
        self.lifted_residual.resize(self.root.len(), T::zero());
        implicit_step(
            &self.islands,
            &mut self.root,
            &mut self.lifted_residual,
            |v, residual| {
                lifted.residual(v, residual);
                Ok::<(), InvalidInput>(())
            },
        )?;
        self.solution.differentiate(&self.real, lifted, &self.root);
        Ok(())
    }
}
