//! The trajectory that a solver holds: setting where it starts from, and using it afterwards.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::forward_pass::Trajectory;
use crate::problem::Problem;
use crate::solver::Solver;
use dualbody::InvalidInput;

impl<D: Dynamics> Solver<D> {
    /// Sets the state at the start. The trajectory keeps its own, with a gap, from which the next solution starts.
    pub fn set_initial(&mut self, state: &D::State) {
        let Problem {
            dynamics,
            initial,
            start_bounds,
            absolute_starts,
            bounded_at,
            ..
        } = &mut self.problem;
        let displacement = &mut self.displacement;
        // Of a state that does not fit the next solution speaks.
        if !absolute_starts.is_empty()
            && dynamics.difference(bounded_at, state, displacement).is_ok()
        {
            for &entry in &*absolute_starts {
                start_bounds.lower[entry] -= displacement[entry];
                start_bounds.upper[entry] -= displacement[entry];
            }
            bounded_at.clone_from(state);
        }
        initial.clone_from(state);
    }

    /// Says by how many stages the horizon has receded.
    pub(crate) fn set_moved(&mut self, stages: usize) {
        self.problem.moved = stages;
        (self.workers.iter_mut()).for_each(|problem| problem.moved = stages);
    }

    /// Sets inputs, which are brought within their limits, and makes the steps from the first state.
    ///
    /// # Errors
    /// For sizes that do not fit, entries that are not finite, and [`ControlError::Step`].
    pub fn set_inputs(&mut self, inputs: &[Vec<f64>]) -> Result<(), ControlError> {
        self.take_inputs(inputs)?;
        self.roll_out()
    }

    /// Sets states and inputs; between steps and states there may be gaps.
    ///
    /// # Errors
    /// For sizes that do not fit and entries that are not finite.
    pub fn set_trajectory(
        &mut self,
        states: &[D::State],
        inputs: &[Vec<f64>],
    ) -> Result<(), ControlError> {
        InvalidInput::check_size("states", states.len(), self.problem.horizon + 1)?;
        for state in states {
            let initial = &self.problem.initial;
            (self.problem.dynamics).difference(initial, state, &mut self.displacement)?;
        }
        self.take_inputs(inputs)?;
        self.trajectory.states.clone_from_slice(states);
        self.align_start()
    }

    /// Lets the members of an ensemble start alike where their start is free.
    fn align_start(&mut self) -> Result<(), ControlError> {
        if self.problem.start_parts == 1 || self.problem.start_is_given() {
            return Ok(());
        }
        let first = &mut self.trajectory.states[0];
        (self.problem.start()).align(&self.problem.dynamics, first, &mut self.displacement)
    }

    /// Replaces the dynamics by others of the same sizes, which residuals of machines follow. Trajectory, costs and multipliers stay;
    /// where steps lead elsewhere now, there are gaps.
    ///
    /// # Errors
    /// For other sizes.
    pub fn set_dynamics(&mut self, dynamics: D) -> Result<(), ControlError> {
        let old = &self.problem.dynamics;
        let sizes = [
            (
                "displacements",
                dynamics.num_displacements(),
                old.num_displacements(),
            ),
            ("inputs", dynamics.num_inputs(), old.num_inputs()),
        ];
        for (quantity, size, expected) in sizes {
            InvalidInput::check_size(quantity, size, expected)?;
        }
        for problem in self.workers.iter_mut().chain([&mut self.problem]) {
            problem.dynamics = dynamics.clone();
            for term in problem.running.iter_mut().chain(&mut problem.terminal) {
                term.residual.follow(&dynamics);
            }
        }
        Ok(())
    }

    /// Lets the clocks of the states go on from that of the initial state.
    pub(crate) fn set_clocks(&mut self) {
        let Problem {
            dynamics, initial, ..
        } = &self.problem;
        for (k, state) in self.trajectory.states.iter_mut().enumerate() {
            dynamics.set_clock(state, initial, k as f64 * dynamics.time_step());
        }
    }

    /// Moves the trajectory forward by a time in s, for the next solution of a receding horizon: states between two are
    /// interpolated, inputs and gains move on by whole stages, and the last ones are repeated. A shift by less than a stage leaves
    /// inputs and gains where they are, however many follow each other: the solution after it moves them.
    ///
    /// # Errors
    /// For a time that is negative or not finite.
    pub fn shift(&mut self, time: f64) -> Result<(), ControlError> {
        InvalidInput::check_range("shift", &[time], "a time that is not negative", |t| {
            t >= 0.0 && t.is_finite()
        })?;
        let horizon = self.problem.horizon;
        let stages = time / self.problem.dynamics.time_step();
        let whole = (stages + 1e-9).floor();
        let part = (stages - whole).max(0.0);
        let whole = whole.min(horizon as f64) as usize;
        let length = self.problem.dynamics.time_step();
        for k in 0..=horizon {
            let (from, to) = ((k + whole).min(horizon), (k + whole + 1).min(horizon));
            let dynamics = &self.problem.dynamics;
            let states = &mut self.trajectory.states;
            if part > 0.0 && from < to {
                dynamics.difference(&states[from], &states[to], &mut self.displacement)?;
                self.displacement.iter_mut().for_each(|d| *d *= part);
                dynamics.displace(&states[from], &self.displacement, &mut self.next)?;
                states[k].clone_from(&self.next);
            } else if from > k {
                let (before, after) = states.split_at_mut(from);
                before[k].clone_from(&after[0]);
            }
            dynamics.advance_clock(&mut states[k], (k as f64 + stages - from as f64) * length);
            let input = (k + whole).min(horizon - 1);
            if k < input {
                let (before, after) = self.trajectory.inputs.split_at_mut(input);
                before[k].copy_from_slice(&after[0]);
                let (before, after) = self.stages.split_at_mut(input);
                before[k].gain.copy_from(&after[0].gain);
                before[k].multipliers.copy_from_slice(&after[0].multipliers);
            }
        }
        self.align_start()
    }

    /// Writes the input of the policy at a stage for a state, m entries, within the limits.
    ///
    /// # Errors
    /// For a stage that is not there, sizes that do not fit, and inputs that are too large for a number.
    pub fn policy(
        &mut self,
        stage: usize,
        state: &D::State,
        input: &mut [f64],
    ) -> Result<(), ControlError> {
        let last = self.problem.horizon - 1;
        InvalidInput::check_range("stage", &[stage as f64], "one of the horizon", |k| {
            k <= last as f64
        })?;
        InvalidInput::check_size("input", input.len(), self.problem.input_bounds.lower.len())?;
        let from = &self.trajectory.states[stage];
        (self.problem.dynamics).difference(from, state, &mut self.displacement)?;
        self.follow(stage, &self.displacement, input)
    }

    /// The input of the policy for a displacement from where it is to be at a stage.
    pub(crate) fn follow(
        &self,
        stage: usize,
        displacement: &[f64],
        input: &mut [f64],
    ) -> Result<(), ControlError> {
        input.copy_from_slice(&self.trajectory.inputs[stage]);
        crate::matrix::add_times(input, &self.stages[stage].gain, displacement);
        self.problem.input_bounds.clamp_all(input);
        Ok(InvalidInput::check_finite("input", input)?)
    }

    /// Runs the policy from the first state: makes its states and inputs the trajectory, without gaps. Returns the cost.
    ///
    /// # Errors
    /// [`ControlError::Step`] and [`ControlError::Residual`]; the trajectory is then as before.
    pub fn replay(&mut self) -> Result<f64, ControlError> {
        let trial = self
            .forward
            .replay(&mut self.problem, &self.stages, &self.trajectory)?;
        std::mem::swap(&mut self.trajectory, &mut self.forward.candidate);
        Ok(trial.value.cost)
    }

    /// What the policy costs on other dynamics of the same sizes, from the first state: on machines of which it does not know
    /// which it is. The trajectory and the dynamics stay.
    ///
    /// # Errors
    /// As [`Self::set_dynamics`] and [`Self::replay`].
    pub fn costs_on(&mut self, others: &[D]) -> Result<Vec<f64>, ControlError> {
        let own = self.problem.dynamics.clone();
        let mut cost = |other: &D| {
            self.set_dynamics(other.clone())?;
            let Solver {
                forward,
                problem,
                stages,
                trajectory,
                ..
            } = self;
            Ok(forward.replay(problem, stages, trajectory)?.value.cost)
        };
        let costs = others.iter().map(&mut cost).collect();
        self.set_dynamics(own)?;
        costs
    }

    fn take_inputs(&mut self, inputs: &[Vec<f64>]) -> Result<(), ControlError> {
        let (m, horizon) = (self.problem.dynamics.num_inputs(), self.problem.horizon);
        InvalidInput::check_size("stages with inputs", inputs.len(), horizon)?;
        for input in inputs {
            InvalidInput::check_size("input", input.len(), m)?;
            InvalidInput::check_finite("input", input)?;
        }
        for (to, from) in self.trajectory.inputs.iter_mut().zip(inputs) {
            to.copy_from_slice(from);
            self.problem.input_bounds.clamp_all(to);
        }
        Ok(())
    }

    /// Makes the steps from the first state that is allowed with the inputs that there are.
    pub(crate) fn roll_out(&mut self) -> Result<(), ControlError> {
        let Trajectory { states, inputs } = &mut self.trajectory;
        let (dynamics, scratch) = (&self.problem.dynamics, &mut self.displacement);
        (self.problem.start())
            .clamp(dynamics, &mut states[0], (0.0, &[]), scratch)
            .map_err(ControlError::in_step(0))?;
        for (k, input) in inputs.iter().enumerate() {
            let (before, after) = states.split_at_mut(k + 1);
            (self.problem.dynamics)
                .step(&before[k], input, &mut after[0])
                .map_err(ControlError::in_step(k))?;
        }
        Ok(())
    }
}
