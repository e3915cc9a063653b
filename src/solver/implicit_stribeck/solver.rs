//! The solver: from a problem to a solution with derivatives.

use super::direction_limiter::DirectionLimiter;
use super::error::ImplicitStribeckSolverError;
use super::lagged_friction::LaggedFriction;
use super::lifted::Lifted;
use super::linearization::{Buffers, Linearization};
use super::newton::{NewtonLimits, Outcome, Workspace};
use super::newton_system::{FactoredJacobian, NewtonSystem};
use super::parameters::ImplicitStribeckSolverParameters;
use super::path::PathFollower;
use super::problem::ContactProblem;
use super::solution::Solution;
use super::statistics::Strategy;
use crate::autodiff::implicit_step;
use crate::{InvalidInput, Scalar};

/// Iterations that there is memory for from the first solve on.
pub(super) const RESERVED_ITERATIONS: usize = 128;

/// Times that convex problems in a row, and the curve from the last of them, are tried.
const CYCLES: usize = 20;

/// Solves one-way and two-way coupled contact problems; see the [module](super).
///
/// The solver is a workspace: problems of any size may follow each other, and only those that are
/// larger than all before, or take more than a hundred iterations, allocate memory.
#[derive(Debug, Clone)]
pub struct ImplicitStribeckSolver<T: Scalar> {
    parameters: ImplicitStribeckSolverParameters<T>,
    system: NewtonSystem,
    newton: Workspace,
    lagged: LaggedFriction,
    path: PathFollower,
    real: Solution<f64>,
    buffers: Buffers,
    solution: Solution<T>,
    /// Root and residual in T.
    root: Vec<T>,
    lifted_residual: Vec<T>,
}

impl<T: Scalar> ImplicitStribeckSolver<T> {
    /// A solver with the given parameters.
    ///
    /// # Errors
    /// [`InvalidInput`] for a parameter outside its range.
    pub fn new(parameters: ImplicitStribeckSolverParameters<T>) -> Result<Self, InvalidInput> {
        parameters.validate()?;
        Ok(ImplicitStribeckSolver {
            parameters,
            system: NewtonSystem::new(),
            newton: Workspace::new(),
            lagged: LaggedFriction::default(),
            path: PathFollower::default(),
            real: Solution::empty(),
            buffers: Buffers::new(),
            solution: Solution::empty(),
            root: Vec::new(),
            lifted_residual: Vec::new(),
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
    pub fn set_parameters(
        &mut self,
        parameters: ImplicitStribeckSolverParameters<T>,
    ) -> Result<(), InvalidInput> {
        parameters.validate()?;
        self.parameters = parameters;
        Ok(())
    }

    /// Finds the velocities at the end of a step of length `dt`.
    ///
    /// `guess` (nv) is where the iteration starts, as a rule the velocities at the start of the
    /// step; only its real parts matter.
    ///
    /// # Errors
    /// [`ImplicitStribeckSolverError::Invalid`] when `dt` is not positive or `guess` has the wrong
    /// size or an entry that is not finite; otherwise an error that holds the last iterate.
    pub fn solve<'a>(
        &mut self,
        problem: impl Into<ContactProblem<'a, T>>,
        dt: T,
        guess: &[T],
    ) -> Result<&Solution<T>, ImplicitStribeckSolverError> {
        let lifted = self.lift(problem.into(), dt);
        self.converge(&lifted, guess)?;
        if T::NDERIV == 0 {
            self.solution.copy_real(&self.real);
        } else {
            self.differentiate(&lifted)?;
        }
        Ok(&self.solution)
    }

    /// As [`ImplicitStribeckSolver::solve`] in `f64`, ready to give first derivatives as matrices
    /// or as an adjoint.
    ///
    /// # Errors
    /// As [`ImplicitStribeckSolver::solve`], and
    /// [`ImplicitStribeckSolverError::SingularJacobian`] at a solution without derivatives.
    pub fn linearize<'a>(
        &mut self,
        problem: impl Into<ContactProblem<'a, T>>,
        dt: T,
        guess: &[T],
    ) -> Result<Linearization<'_>, ImplicitStribeckSolverError> {
        let lifted = self.lift(problem.into(), dt);
        self.converge(&lifted, guess)?;
        self.factor_solution()
    }

    /// The solution of the last [`solve`](ImplicitStribeckSolver::solve) that succeeded, with its Jacobian
    /// factored: what [`ImplicitStribeckSolver::linearize`] gives, without solving again.
    ///
    /// # Errors
    /// [`ImplicitStribeckSolverError::SingularJacobian`] at a solution without derivatives.
    pub(crate) fn factor_solution(
        &mut self,
    ) -> Result<Linearization<'_>, ImplicitStribeckSolverError> {
        self.factor_at_solution()?;
        Ok(Linearization {
            jacobian: FactoredJacobian {
                system: &self.system,
                lu: &self.newton.lu,
            },
            solution: &self.real,
            relative_tolerance: self.parameters.relative_tolerance,
            buffers: &mut self.buffers,
        })
    }

    fn factor_at_solution(&mut self) -> Result<(), ImplicitStribeckSolverError> {
        self.system.factor(&mut self.newton.lu).map_err(|cause| {
            ImplicitStribeckSolverError::SingularJacobian {
                last: Box::new(self.real.clone()),
                cause,
            }
        })
    }

    fn lift<'a>(&self, problem: ContactProblem<'a, T>, dt: T) -> Lifted<'a, T> {
        let stiction_tolerance = self.parameters.stiction_tolerance;
        Lifted {
            common: problem.common,
            normal_forces: problem.normal_forces,
            dt,
            stiction_tolerance,
            softening: stiction_tolerance * self.parameters.relative_tolerance,
        }
    }

    /// Finds the solution in `f64`: it ends up in `self.system` and `self.real`.
    fn converge(
        &mut self,
        lifted: &Lifted<T>,
        guess: &[T],
    ) -> Result<(), ImplicitStribeckSolverError> {
        InvalidInput::check_size("guess", guess.len(), lifted.common.nv())?;
        InvalidInput::check_finite("guess", guess)?;
        InvalidInput::check_range("dt", &[lifted.dt], "a positive time", |dt| {
            dt > 0.0 && dt.is_finite()
        })?;
        let system = &mut self.system;
        system.load_problem(&mut self.newton.lu, lifted)?;
        for (v, &i) in system.v.iter_mut().zip(system.order.indices()) {
            *v = guess[i].re();
        }
        system.evaluate();
        let direction = DirectionLimiter {
            cos_theta_max: self.parameters.theta_max.cos(),
            stiction_tolerance: system.stiction_tolerance,
            epsilon: system.softening,
        };
        let limits = NewtonLimits::new(
            self.parameters.max_iterations,
            self.parameters.residual_tolerance,
            system.softening,
            direction,
        );
        let outcome = self.search(&limits);
        let system = &self.system;
        system.check_finite()?;
        self.real.read(system);
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

    /// Tries one strategy after another, until one leads to a root.
    fn search(&mut self, limits: &NewtonLimits) -> Outcome {
        let (system, newton) = (&mut self.system, &mut self.newton);
        let statistics = &mut self.real.statistics;
        let history = &mut statistics.history;
        history.clear();
        history.reserve(RESERVED_ITERATIONS);
        statistics.strategy = Strategy::Newton;
        let mut outcome = newton.solve(system, limits, history);
        if outcome == Outcome::Converged {
            return outcome;
        }
        self.lagged.start(system);
        for _ in 0..CYCLES {
            statistics.strategy = Strategy::LaggedFriction;
            outcome = self.lagged.solve(system, newton, limits, history);
            if outcome != Outcome::Exhausted || system.has_given_forces() {
                break;
            }
            statistics.strategy = Strategy::PathFollowing;
            outcome = self.path.solve(system, newton, limits, history);
            if outcome == Outcome::Converged {
                break;
            }
            self.lagged.return_to_last(system);
        }
        outcome
    }

    /// Gives the solution its derivatives, by the implicit function theorem.
    fn differentiate(&mut self, lifted: &Lifted<T>) -> Result<(), ImplicitStribeckSolverError> {
        self.factor_at_solution()?;
        let jacobian = FactoredJacobian {
            system: &self.system,
            lu: &self.newton.lu,
        };
        self.root.clear();
        let velocities = self.real.velocities.iter();
        self.root.extend(velocities.map(|&v| T::from(v)));
        self.lifted_residual.resize(self.root.len(), T::zero());
        implicit_step(
            &jacobian,
            &mut self.root,
            &mut self.lifted_residual,
            |v, residual| {
                lifted.residual(v, residual);
                Ok::<(), InvalidInput>(())
            },
        )?;
        self.solution.lift(&self.real, lifted, &self.root);
        Ok(())
    }
}
