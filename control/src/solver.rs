//! Feasibility-driven differential dynamic programming (FDDP) with bounds.
//!
//! An iteration linearises all stages about a trajectory that may have gaps, runs the [Riccati
//! recursion](crate::backward_pass) with limits of inputs, and follows its policy with steps of falling length, in which
//! [gaps shrink](crate::forward_pass), or the [straight line](crate::line_step) to where it leads, until the merit falls as
//! Armijo asks:
//!
//! ```text
//! φ = J + P + ν Σ ‖g‖₁
//! ```
//!
//! with the cost J, the [penalties](crate::bounds) P of the augmented Lagrangian, and ν as large as makes the step lead down
//! (Nocedal and Wright, *Numerical Optimization*, 2nd ed., §18.3). Where no length will do, the regularisation μ grows;
//! where the model expects next to no reduction, multipliers are updated.

use crate::ControlError;
use crate::backward_pass::BackwardPass;
use crate::curvature::{write_costates, write_curvature};
use crate::dynamics::Dynamics;
use crate::evaluation::{
    Value, count_multipliers, evaluate, linearize, mark_given, update_multipliers,
};
use crate::forward_pass::{ForwardPass, Trajectory, Trial};
use crate::line_step::LineStep;
use crate::options::{GapClosing, Hessian, SolverOptions};
use crate::problem::Problem;
use crate::report::{Ending, Iteration, Report};
use crate::stage::Stage;
use nalgebra::DMatrix;
use std::ops::ControlFlow;
use std::time::Instant;

/// Part of the expected reduction that a step has to reach (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Of the merit, what sums of squares may be off by.
const ROUND_OFF: f64 = 1e-13;
/// The stack of a thread in bytes: where all is optimised as one, frames that hold memory of steps take more than the two
/// megabytes that are usual.
const STACK: usize = 16 << 20;
/// Iterations for which memory is there from the start.
const KEPT: usize = 1000;
const MAX_REGULARIZATION: f64 = 1e10;
const MIN_REGULARIZATION: f64 = 1e-9;

/// Solves a [`Problem`], and holds its trajectory and policy.
///
/// A solution that exists is where the next one starts from, so that a problem that has changed a little takes few
/// iterations. After the first solution of a [`Machine`](crate::Machine) by Gauss and Newton's Hessian nothing is allocated on one
/// thread, but for the errors of trial steps that fail and where residuals say so.
#[derive(Debug, Clone)]
pub struct Solver<D: Dynamics> {
    pub(crate) problem: Problem<D>,
    pub(crate) options: SolverOptions,
    pub(crate) workers: Vec<Problem<D>>,
    pub(crate) trajectory: Trajectory<D::State>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) backward: BackwardPass,
    /// Limits of δx₀.
    start_limits: [Vec<f64>; 2],
    pub(crate) forward: ForwardPass<D::State>,
    line: LineStep<D::State>,
    history: Vec<Iteration>,
    pub(crate) displacement: Vec<f64>,
    pub(crate) next: D::State,
}

/// Where an iteration stands.
#[derive(Debug, Clone, Copy)]
struct Search {
    regularization: f64,
    penalty: f64,
    /// ν.
    gap_weight: f64,
    /// What the sum of the absolute values of gaps may not exceed.
    max_gaps: f64,
    /// Of `1 + |J|`, for the multipliers that there are.
    tolerance: f64,
    /// When multipliers were updated.
    complementarity: f64,
    /// When the time is over.
    deadline: Option<Instant>,
}

impl<D: Dynamics> Solver<D> {
    /// For a problem, from zero inputs and the initial state, or the nearest that limits allow.
    ///
    /// # Errors
    /// [`ControlError::Step`] when a step of that start fails, and for options outside their range.
    pub fn new(problem: Problem<D>, options: SolverOptions) -> Result<Self, ControlError> {
        let mut solver = Self::at_rest(problem, options)?;
        solver.roll_out()?;
        Ok(solver)
    }

    /// For a problem, from states and inputs between which there may be gaps: N + 1 and N of them.
    ///
    /// # Errors
    /// For sizes that do not fit, entries that are not finite, and options outside their range.
    pub fn from_trajectory(
        problem: Problem<D>,
        options: SolverOptions,
        states: &[D::State],
        inputs: &[Vec<f64>],
    ) -> Result<Self, ControlError> {
        let mut solver = Self::at_rest(problem, options)?;
        solver.set_trajectory(states, inputs)?;
        Ok(solver)
    }

    /// With the initial state at all stages.
    fn at_rest(problem: Problem<D>, options: SolverOptions) -> Result<Self, ControlError> {
        options.check()?;
        let (n, m, horizon) = (
            problem.dynamics.num_displacements(),
            problem.dynamics.num_inputs(),
            problem.horizon,
        );
        let input: Vec<f64> = (0..m).map(|i| problem.input_bounds.clamp(i, 0.0)).collect();
        let trajectory = Trajectory {
            states: vec![problem.initial.clone(); horizon + 1],
            inputs: vec![input; horizon],
        };
        let counts = [&problem.running, &problem.terminal].map(|terms| count_multipliers(terms));
        let mut stages = vec![Stage::new(n, m, counts[0]); horizon];
        stages.push(Stage::new(n, m, counts[1]));
        Ok(Solver {
            forward: ForwardPass::new(&trajectory, n),
            line: LineStep::new(&problem.initial, n, m),
            backward: BackwardPass::new(n, m, problem.start_parts),
            start_limits: [vec![0.0; n], vec![0.0; n]],
            history: Vec::with_capacity(options.max_iterations.min(KEPT)),
            displacement: vec![0.0; n],
            next: problem.initial.clone(),
            workers: vec![problem.clone(); options.threads.min(horizon) - 1],
            trajectory,
            stages,
            options,
            problem,
        })
    }

    /// The problem.
    pub fn problem(&self) -> &Problem<D> {
        &self.problem
    }

    /// The options, to change.
    ///
    /// # Errors
    /// For options outside their range; they are then as before.
    pub fn set_options(&mut self, options: SolverOptions) -> Result<(), ControlError> {
        options.check()?;
        let threads = options.threads.min(self.problem.horizon);
        self.workers.resize(threads - 1, self.problem.clone());
        self.options = options;
        Ok(())
    }

    /// The options.
    pub fn options(&self) -> &SolverOptions {
        &self.options
    }

    /// The N + 1 states.
    pub fn states(&self) -> &[D::State] {
        &self.trajectory.states
    }

    /// The inputs of the N stages.
    pub fn inputs(&self) -> &[Vec<f64>] {
        &self.trajectory.inputs
    }

    /// `K` of a stage, m×n: the policy is `u + K (x ⊖ xₖ)`. It belongs to the trajectory that was linearised last, which after
    /// [`Ending::Converged`] is this one; it is regularised as the options say, and more where that is singular. Rows of inputs
    /// at a limit are zero.
    pub fn gain(&self, stage: usize) -> Option<&DMatrix<f64>> {
        self.stages[..self.problem.horizon]
            .get(stage)
            .map(|stage| &stage.gain)
    }

    /// The derivatives of the step of a stage, n×n and n×m, as linearised last.
    pub fn derivatives(&self, stage: usize) -> Option<(&DMatrix<f64>, &DMatrix<f64>)> {
        let stage = self.stages[..self.problem.horizon].get(stage)?;
        Some((&stage.a, &stage.b))
    }

    /// The iterations of the last solution.
    pub fn history(&self) -> &[Iteration] {
        &self.history
    }

    /// Solves the problem from the trajectory that there is.
    ///
    /// # Errors
    /// [`ControlError::Step`] and [`ControlError::Residual`] where the trajectory to start from cannot be evaluated; later ones
    /// shorten steps. [`ControlError::Undetermined`] for an input on which no cost depends,
    /// [`ControlError::UndeterminedStart`] for such a free entry of the first state.
    pub fn solve(&mut self) -> Result<Report, ControlError> {
        self.solve_with(&mut |_| ControlFlow::Continue(()))
    }

    /// As [`Self::solve`]; `progress` sees every iteration, and may end it.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn solve_with(
        &mut self,
        progress: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Report, ControlError> {
        let options = self.options;
        self.history.clear();
        self.set_clocks();
        self.mark_given();
        let has_constraints = self
            .stages
            .iter()
            .any(|stage| !stage.multipliers.is_empty());
        let mut search = Search {
            regularization: options.regularization,
            penalty: options.penalty,
            gap_weight: 0.0,
            max_gaps: f64::INFINITY,
            tolerance: match has_constraints {
                true => options.tolerance.max(1e-4),
                false => options.tolerance,
            },
            complementarity: f64::INFINITY,
            deadline: options
                .time_limit
                .and_then(|limit| Instant::now().checked_add(limit)),
        };
        let mut ending = Ending::IterationLimit;
        let mut value = self.linearize(search.penalty)?;
        let mut is_current = true;
        let mut gap = self.largest_gap();
        if options.gap_growth < f64::INFINITY {
            search.max_gaps = options.gap_growth * self.sum_of_gaps();
        }
        while self.history.len() < options.max_iterations {
            if search.is_late() {
                ending = Ending::TimeLimit;
                break;
            }
            if !is_current {
                value = self.linearize_or_return(&mut search)?;
                is_current = true;
                gap = self.largest_gap();
            }
            let iteration = match self.iterate(&mut search, value)? {
                Outcome::Step(iteration, left) => {
                    is_current = false;
                    gap = left;
                    value.cost = iteration.cost;
                    value.violation = iteration.violation;
                    iteration
                }
                Outcome::Optimal(iteration)
                    if value.complementarity <= options.violation_tolerance =>
                {
                    if search.is_optimal(options.tolerance, &iteration) {
                        ending = Ending::Converged;
                        if search.regularization > options.regularization {
                            self.forget_damping(&mut search, options.hessian == Hessian::Exact)?;
                        }
                        break;
                    }
                    search.tolerance = options.tolerance;
                    continue;
                }
                Outcome::Optimal(_) if search.penalty > options.max_penalty => {
                    // They have grown with the penalty, and say nothing to the next solution.
                    let multipliers = self.stages.iter_mut().flat_map(|it| &mut it.multipliers);
                    multipliers.for_each(|multiplier| multiplier.value = 0.0);
                    ending = Ending::Infeasible;
                    break;
                }
                Outcome::Optimal(mut iteration) => {
                    self.update_multipliers(&mut search, value.complementarity)?;
                    is_current = false;
                    iteration.penalty = search.penalty;
                    iteration
                }
                Outcome::None => {
                    ending = match search.is_late() {
                        true => Ending::TimeLimit,
                        false => Ending::Stalled,
                    };
                    break;
                }
            };
            self.history.push(iteration);
            if progress(&iteration).is_break() {
                ending = Ending::Cancelled;
                break;
            }
        }
        Ok(Report {
            ending,
            iterations: self.history.len(),
            cost: value.cost,
            violation: value.violation,
            gap,
        })
    }

    /// The policy of the linear-quadratic model, and a step along it.
    fn iterate(&mut self, search: &mut Search, value: Value) -> Result<Outcome, ControlError> {
        let gaps = self.sum_of_gaps();
        let gap = self.largest_gap();
        let is_line =
            self.options.gap_closing == GapClosing::Line && gap > self.options.gap_tolerance;
        let mut rollouts = 0;
        let mut is_exact = self.options.hessian == Hessian::Exact;
        while self.find_policy(search, is_line, &mut is_exact)? && !search.is_late() {
            let expected = self.backward.expected_change(&self.stages, is_exact);
            let change = expected.slope + 0.5 * expected.curvature;
            if gaps > 0.0 {
                search.gap_weight = search
                    .gap_weight
                    .max(change.max(expected.slope) / (0.5 * gaps));
            }
            let merit = value.cost + value.penalty + search.gap_weight * gaps;
            let mut iteration = Iteration {
                cost: value.cost,
                merit_before: merit,
                merit,
                violation: value.violation,
                gap,
                expected_reduction: search.gap_weight * gaps - change,
                step: 0.0,
                regularization: search.regularization,
                penalty: search.penalty,
                rollouts,
            };
            if search.is_optimal(search.tolerance, &iteration) && gap <= self.options.gap_tolerance
            {
                return Ok(Outcome::Optimal(iteration));
            }
            let slope = expected.slope - search.gap_weight * gaps;
            let model = [slope, expected.curvature];
            if let Some(left) = self.search_length(search, &mut iteration, model, is_line) {
                return Ok(Outcome::Step(iteration, left));
            }
            rollouts = iteration.rollouts;
            match is_exact {
                true => is_exact = false,
                false => search.increase_regularization(),
            }
        }
        self.forget_damping(search, false)?;
        Ok(Outcome::None)
    }

    /// Finds the policy without the regularisation that steps on the way have needed.
    fn forget_damping(
        &mut self,
        search: &mut Search,
        mut is_exact: bool,
    ) -> Result<(), ControlError> {
        search.regularization = self.options.regularization;
        self.find_policy(search, false, &mut is_exact)?;
        Ok(())
    }

    /// Runs the backward pass, with as much more regularisation as its Hessians need. Whether that was not too much.
    fn find_policy(
        &mut self,
        search: &mut Search,
        is_line: bool,
        is_exact: &mut bool,
    ) -> Result<bool, ControlError> {
        while search.regularization <= MAX_REGULARIZATION {
            let bounds = &self.problem.input_bounds;
            let inputs = &self.trajectory.inputs;
            let mu = search.regularization;
            let both = [mu, if is_line { mu } else { 0.0 }];
            let limits = &self.start_limits;
            let policies =
                (self.backward).run(&mut self.stages, inputs, bounds, both, limits, *is_exact);
            let Err((stage, singular)) = policies else {
                return Ok(true);
            };
            if *is_exact {
                *is_exact = false;
                continue;
            }
            search.increase_regularization();
            // Regularisation raises the diagonal by a factor, which a zero survives.
            if singular.pivot == 0.0 && search.regularization > MAX_REGULARIZATION {
                let entry = singular.column;
                return Err(match stage {
                    Some(stage) => ControlError::Undetermined {
                        input: entry,
                        stage,
                    },
                    None => ControlError::UndeterminedStart { entry },
                });
            }
        }
        Ok(false)
    }

    /// Takes the longest step, of halves, whose merit falls as much as its slope and curvature let expect; the largest gap
    /// that it leaves.
    fn search_length(
        &mut self,
        search: &mut Search,
        iteration: &mut Iteration,
        [slope, curvature]: [f64; 2],
        is_line: bool,
    ) -> Option<f64> {
        let ways: &[bool] = if is_line { &[true, false] } else { &[false] };
        let before = iteration.merit_before;
        let mut length = 1.0;
        while length > 1e-3 {
            let expected = length * slope + 0.5 * length * length * curvature;
            let bound = before + SUFFICIENT * expected.min(0.0) + ROUND_OFF * before.abs();
            for &by_line in ways {
                iteration.rollouts += 1;
                let Ok(trial) = self.try_step(by_line, length, search.penalty) else {
                    continue;
                };
                let Trial { value: next, .. } = trial;
                let merit = next.cost + next.penalty + search.gap_weight * trial.gaps;
                // The line makes gaps where the model is poor, which a merit of small weight overlooks.
                if merit <= bound && trial.gaps <= search.max_gaps {
                    std::mem::swap(&mut self.trajectory, &mut self.forward.candidate);
                    search.decrease_regularization(length);
                    iteration.cost = next.cost;
                    iteration.merit = merit;
                    iteration.violation = next.violation;
                    iteration.step = length;
                    return Some(trial.largest_gap);
                }
            }
            length *= 0.5;
        }
        None
    }

    /// Makes the candidate of a step, along the line or by a rollout.
    fn try_step(
        &mut self,
        by_line: bool,
        length: f64,
        penalty: f64,
    ) -> Result<Trial, ControlError> {
        let (problem, stages, from) = (&mut self.problem, &self.stages, &self.trajectory);
        if by_line {
            let candidate = &mut self.forward.candidate;
            (self.line).run(problem, stages, from, candidate, length, penalty)
        } else {
            (self.forward).run(problem, stages, from, length, penalty)
        }
    }

    /// Linearises all stages; where that fails after a step, goes back to where the step came from.
    fn linearize_or_return(&mut self, search: &mut Search) -> Result<Value, ControlError> {
        match self.linearize(search.penalty) {
            Err(_) if self.history.last().is_some_and(|last| last.step > 0.0) => {
                std::mem::swap(&mut self.trajectory, &mut self.forward.candidate);
                search.increase_regularization();
                search.increase_regularization();
                self.linearize(search.penalty)
            }
            result => result,
        }
    }

    /// Marks what constraints demand of a first state that is given: their entries that no input changes, at the input that
    /// there is and at one beside it.
    fn mark_given(&mut self) {
        if !self.problem.start_is_given() {
            let multipliers = self.stages[0].multipliers.iter_mut();
            multipliers.for_each(|it| it.is_given = false);
            return;
        }
        let (state, input) = (&self.trajectory.states[0], &self.trajectory.inputs[0]);
        let other = &mut self.forward.candidate.inputs[0];
        for (i, (other, &u)) in other.iter_mut().zip(input).enumerate() {
            let [above, below] = [1.0, -1.0].map(|d| self.problem.input_bounds.clamp(i, u + d));
            *other = if above > u { above } else { below };
        }
        let at = self.problem.at(0, state, input);
        mark_given(at, other, &mut self.stages[0].multipliers);
    }

    /// Linearises all stages.
    fn linearize(&mut self, penalty: f64) -> Result<Value, ControlError> {
        let is_exact = self.options.hessian == Hessian::Exact;
        let Solver {
            problem,
            workers,
            trajectory,
            stages,
            next,
            start_limits: [lower, upper],
            ..
        } = self;
        let horizon = problem.horizon;
        let (running, last) = stages.split_at_mut(horizon);
        let Trajectory { states, inputs } = &*trajectory;
        // The gap that a stage makes is that of the stage after it: kept by the stage, and moved afterwards.
        for_stages(
            (problem, workers),
            running,
            next,
            |problem, stage, k, next| {
                let (state, input) = (&states[k], &inputs[k]);
                next.clone_from(&states[k + 1]);
                (problem.dynamics)
                    .linearize(state, input, next, &mut stage.a, &mut stage.b)
                    .map_err(ControlError::in_step(k))?;
                (problem.dynamics)
                    .difference(&states[k + 1], next, &mut stage.gap)
                    .map_err(ControlError::in_step(k))?;
                linearize(problem.at(k, state, input), stage, penalty)
            },
        )?;
        let end = problem.at(horizon, &states[horizon], &[]);
        linearize(end, &mut last[0], penalty)?;
        if is_exact {
            write_costates(stages);
            let (running, last) = stages.split_at_mut(horizon);
            for_stages((problem, workers), running, next, |problem, stage, k, _| {
                write_curvature(problem, stage, (k, &states[k], &inputs[k]), penalty)
            })?;
            let end = (horizon, &states[horizon], &[][..]);
            write_curvature(problem, &mut last[0], end, penalty)?;
        }
        // From the end of each step to the state after it.
        for k in (0..horizon).rev() {
            let (before, after) = stages.split_at_mut(k + 1);
            after[0].gap.copy_from_slice(&before[k].gap);
        }
        let first = &mut stages[0].gap;
        (problem.start()).gap(&problem.dynamics, &states[0], first, [lower, upper])?;
        let mut sum = Value::default();
        stages.iter().for_each(|stage| sum.add(&stage.value));
        Ok(sum)
    }

    /// Updates the multipliers, and the penalty where they have not brought limits nearer.
    fn update_multipliers(
        &mut self,
        search: &mut Search,
        complementarity: f64,
    ) -> Result<(), ControlError> {
        let Trajectory { states, inputs } = &self.trajectory;
        for (k, stage) in self.stages.iter_mut().enumerate() {
            if stage.multipliers.is_empty() {
                continue;
            }
            let input = inputs.get(k).map_or(&[][..], Vec::as_slice);
            let (terms, at) = self.problem.at(k, &states[k], input);
            evaluate((&mut *terms, at), &stage.multipliers, search.penalty)?;
            update_multipliers(terms, &mut stage.multipliers, search.penalty);
        }
        if complementarity > 0.25 * search.complementarity {
            search.penalty *= self.options.penalty_growth;
        }
        search.complementarity = complementarity;
        search.tolerance = (0.1 * search.tolerance).max(self.options.tolerance);
        search.regularization = self.options.regularization;
        Ok(())
    }

    fn sum_of_gaps(&self) -> f64 {
        let gaps = self.stages.iter().flat_map(|stage| &stage.gap);
        gaps.map(|gap| gap.abs()).sum()
    }

    fn largest_gap(&self) -> f64 {
        let gaps = self.stages.iter().flat_map(|stage| &stage.gap);
        gaps.fold(0.0, |largest: f64, gap| largest.max(gap.abs()))
    }
}

/// What an iteration came to.
enum Outcome {
    /// With the largest gap that it leaves.
    Step(Iteration, f64),
    Optimal(Iteration),
    None,
}

impl Search {
    fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether the expected reduction is within the tolerance, of `1 + |J|`. Regularisation makes it small.
    fn is_optimal(&self, tolerance: f64, iteration: &Iteration) -> bool {
        let expected = iteration.expected_reduction * (1.0 + iteration.regularization);
        expected.abs() <= tolerance * (1.0 + iteration.cost.abs())
    }

    fn increase_regularization(&mut self) {
        self.regularization = (10.0 * self.regularization).max(1e-6);
    }

    fn decrease_regularization(&mut self, length: f64) {
        if length >= 0.5 {
            self.regularization *= 0.1;
            if self.regularization < MIN_REGULARIZATION {
                self.regularization = 0.0;
            }
        } else if length < 0.1 {
            self.increase_regularization();
        }
    }
}

/// Does a job for each stage but the last, on as many threads as there are problems, with memory for a state.
fn for_stages<D: Dynamics>(
    (problem, workers): (&mut Problem<D>, &mut [Problem<D>]),
    stages: &mut [Stage],
    memory: &mut D::State,
    job: impl Fn(&mut Problem<D>, &mut Stage, usize, &mut D::State) -> Result<(), ControlError> + Sync,
) -> Result<(), ControlError> {
    let size = stages.len().div_ceil(workers.len() + 1);
    let run = |problem: &mut Problem<D>, stages: &mut [Stage], first, memory: &mut D::State| {
        (stages.iter_mut().enumerate())
            .try_for_each(|(i, stage)| job(problem, stage, first + i, memory))
    };
    if workers.is_empty() {
        return run(problem, stages, 0, memory);
    }
    let problems = std::iter::once(problem).chain(workers);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (problems.zip(stages.chunks_mut(size)).enumerate())
            .map(|(i, (problem, stages))| {
                let (mut memory, run) = (memory.clone(), &run);
                (std::thread::Builder::new().stack_size(STACK))
                    .spawn_scoped(scope, move || run(problem, stages, i * size, &mut memory))
                    .map_err(|error| ControlError::NoThread {
                        reason: error.to_string(),
                    })
            })
            .collect::<Result<_, _>>()?;
        let mut result = Ok(());
        for thread in threads {
            match thread.join() {
                Ok(joined) => result = result.and(joined),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result
    })
}
