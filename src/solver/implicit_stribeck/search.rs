//! Strategies for finding the roots of islands, one after another.

use super::condensed_rows::{CondensedRows, EqualityRows};
use super::contact_space::{ContactSpace, InContactSpace, MOST_CONTACTS, most_contacts};
use super::lagged_friction::LaggedFriction;
use super::newton::{self, NewtonLimits, Outcome, StepRule, Workspace};
use super::newton_system::{Laws, NewtonSystem};
use super::path::PathFollower;
use super::sparse_problem::SparseProblem;
use super::statistics::{Iteration, IterationStatistics, RESERVED_ITERATIONS, Strategy};
use crate::{InvalidInput, Parallelism};

/// Times that convex problems in a row, and the curve from the last of them, are tried.
const CYCLES: usize = 40;
/// Contacts that are worth a thread.
#[cfg(feature = "parallel")]
const CONTACTS_OF_THREAD: usize = 256;

/// Finds roots; the memory of all strategies.
#[derive(Debug, Clone)]
pub(super) struct Search {
    newton: Workspace,
    contact_space: ContactSpace,
    rows: CondensedRows,
    lagged: LaggedFriction,
    path: PathFollower,
    history: Vec<Iteration>,
    guess: Vec<f64>,
    /// Numbers and impulses of rows.
    pub impulses: Vec<(usize, f64)>,
    /// Whether none of these rows depends on others.
    pub are_independent: bool,
    /// Of the islands that were given to it last.
    pub outcome: Result<Outcome, InvalidInput>,
    pub statistics: IterationStatistics,
}

impl Default for Search {
    fn default() -> Self {
        Search {
            newton: Workspace::default(),
            contact_space: ContactSpace::default(),
            rows: CondensedRows::default(),
            lagged: LaggedFriction::default(),
            path: PathFollower::default(),
            history: Vec::new(),
            guess: Vec::new(),
            impulses: Vec::new(),
            are_independent: true,
            outcome: Ok(Outcome::Converged),
            statistics: IterationStatistics::default(),
        }
    }
}

/// What there is to be solved in every island.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task<'a> {
    pub problem: &'a SparseProblem,
    /// What velocities satisfy besides.
    pub rows: Option<&'a EqualityRows>,
    pub laws: Laws,
    /// One guess of the velocities, and perhaps another.
    pub guesses: (&'a [f64], Option<&'a [f64]>),
    pub limits: &'a NewtonLimits,
    /// The original indices of the velocities of all islands.
    pub order: &'a [usize],
}

/// Shares islands, in their order, among searches, each in a thread. Returns the searches that were used.
pub(super) fn share<'s>(
    (parallelism, contacts): (Parallelism, usize),
    systems: &mut [NewtonSystem],
    searches: &'s mut Vec<Search>,
    solve: impl Fn(&mut Search, &mut [NewtonSystem]) + Sync,
) -> &'s mut [Search] {
    #[cfg(feature = "parallel")]
    if parallelism == Parallelism::Threads {
        use rayon::prelude::*;
        let threads = (contacts / CONTACTS_OF_THREAD).min(rayon::current_num_threads());
        let share = systems.len().div_ceil(threads.max(1));
        let used = systems.len().div_ceil(share);
        if used > 1 {
            searches.resize_with(used.max(searches.len()), Search::default);
            let searches = &mut searches[..used];
            (systems.par_chunks_mut(share).zip(&mut *searches))
                .for_each(|(systems, search)| solve(search, systems));
            return searches;
        }
    }
    #[cfg(not(feature = "parallel"))]
    let _ = (parallelism, contacts);
    if searches.is_empty() {
        searches.push(Search::default());
    }
    solve(&mut searches[0], systems);
    &mut searches[..1]
}

impl Search {
    /// Takes over the problem in each of some islands, to be started from the better one of two guesses, and solves
    /// it.
    pub fn solve_all(&mut self, systems: &mut [NewtonSystem], task: Task) {
        let Task {
            problem,
            rows,
            laws,
            guesses,
            limits,
            order,
        } = task;
        self.statistics.reset();
        self.outcome = Ok(Outcome::Converged);
        for system in systems {
            let indices = &order[system.velocities.clone()];
            self.history.clear();
            self.history.reserve(RESERVED_ITERATIONS);
            let result = (system.load(problem, laws, indices, guesses))
                .map(|()| match rows {
                    Some(rows) => {
                        self.rows.load(rows, problem.momentum.len(), indices);
                        self.solve_with_rows(system, limits)
                    }
                    None => self.solve(system, limits),
                })
                .and_then(|found| system.check_finite().map(|()| found));
            match result {
                Ok((outcome, strategy)) => {
                    let mut residuals = [system.residual_of_result(); 2];
                    if outcome == Outcome::Converged {
                        residuals[1] = system.rounded_residual();
                    }
                    (self.statistics).add(&mut self.history, strategy, residuals);
                    if self.outcome == Ok(Outcome::Converged) {
                        self.outcome = Ok(outcome);
                    }
                }
                Err(invalid) => {
                    self.outcome = Err(invalid);
                    return;
                }
            }
        }
    }

    /// Finds a root on velocities that satisfy the rows of an island, if contacts are few.
    fn solve_with_rows(
        &mut self,
        system: &mut NewtonSystem,
        limits: &NewtonLimits,
    ) -> (Outcome, Strategy) {
        if self.rows.is_empty() {
            return self.solve(system, limits);
        }
        let Search {
            contact_space,
            rows,
            history,
            ..
        } = self;
        let mut outcome = Outcome::Exhausted;
        contact_space.reserve(system.nv(), MOST_CONTACTS);
        if let StepRule::Direction(limiter) = limits.rule
            && system.contacts.len() <= MOST_CONTACTS
            && let Ok(mut problem) = InContactSpace::new(system, contact_space, Some(rows), limiter)
        {
            outcome = newton::solve(&mut problem, limits, history);
            if outcome == Outcome::Converged {
                problem.place();
                self.rows.write_impulses(&mut self.impulses);
                self.are_independent &= self.rows.are_independent();
            }
        }
        (outcome, Strategy::Newton)
    }

    /// Tries one strategy after another, until one leads to a root of an island that has been evaluated at the
    /// guess.
    fn solve(&mut self, system: &mut NewtonSystem, limits: &NewtonLimits) -> (Outcome, Strategy) {
        let Search {
            newton,
            contact_space,
            lagged,
            path,
            history,
            guess,
            ..
        } = self;
        let mut strategy = Strategy::Newton;
        contact_space.reserve(system.nv(), most_contacts(system.nv()));
        if let StepRule::Direction(limiter) = limits.rule
            && system.relative_residual > limits.target
        {
            if InContactSpace::suits(system)
                && let Ok(mut problem) = InContactSpace::new(system, contact_space, None, limiter)
            {
                if newton::solve(&mut problem, limits, history) == Outcome::Converged {
                    problem.place();
                    if system.relative_residual <= limits.residual_tolerance {
                        return (Outcome::Converged, strategy);
                    }
                } else {
                    system.evaluate();
                }
            } else {
                guess.clone_from(&system.v);
                if newton.solve(system, &limits.by_contact(), history) == Outcome::Converged {
                    return (Outcome::Converged, strategy);
                }
                system.place(guess);
            }
        }
        let mut outcome = newton.solve(system, limits, history);
        if outcome == Outcome::Converged {
            return (outcome, strategy);
        }
        lagged.start(system);
        for cycle in 0..CYCLES {
            let closely = cycle > 0;
            strategy = Strategy::LaggedFriction;
            outcome = lagged.solve(system, newton, limits, history, closely);
            if outcome != Outcome::Exhausted || system.is_convex() {
                break;
            }
            system.couple(1.0);
            outcome = newton.solve(system, &limits.by_contact(), history);
            if outcome == Outcome::Converged {
                break;
            }
            lagged.return_to_last(system);
            strategy = Strategy::PathFollowing;
            outcome = path.solve(system, newton, limits, history, closely);
            if outcome == Outcome::Converged {
                break;
            }
            lagged.return_to_last(system);
            if limits.left(history) == 0 {
                break;
            }
        }
        if outcome != Outcome::Converged {
            system.couple(1.0);
        }
        (outcome, strategy)
    }
}
