//! Model predictive control (MPC): planning over a receding horizon.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::report::Report;
use crate::solver::Solver;
use dualbody::InvalidInput;
use std::time::{Duration, Instant};

/// A controller that plans from every state that it is given, from the last plan on, and acts by the policy of that plan in
/// between.
///
/// A step of the plan has one length: plan a design with a free `time_step` first, and control the machine that comes of it.
///
/// References that a problem has for each stage count from the time 0 of the first plan, and the last one from its end on; a plan
/// between two stages takes those of the nearer one.
///
/// How long a plan may take is in the options of the solver: a number of iterations, a time, or both. The best plan that was
/// found by then counts (Diehl, Bock and Schlöder 2005, *SIAM Journal on Control and Optimization* 43, 1714–1736).
#[derive(Debug, Clone)]
pub struct Mpc<D: Dynamics> {
    solver: Solver<D>,
    /// The time to which the plan belongs, s.
    start: f64,
    /// How long a plan takes, s.
    delay: f64,
    rolls_out: bool,
    input: Vec<f64>,
    displacement: Vec<f64>,
    predicted: D::State,
    next: D::State,
}

/// What a controller did in a closed loop.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MpcRun<S> {
    /// The states of the plant, one more than steps were made.
    pub states: Vec<S>,
    /// The inputs of its steps.
    pub inputs: Vec<Vec<f64>>,
    /// How each plan went.
    pub reports: Vec<Report>,
    /// How long each plan took.
    pub times: Vec<Duration>,
    /// Why it ended early.
    pub failure: Option<ControlError>,
}

impl<S> MpcRun<S> {
    /// Plans per second, by the mean time that a plan took.
    pub fn rate(&self) -> f64 {
        let total: Duration = self.times.iter().sum();
        self.times.len() as f64 / total.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// The longest time that a plan took.
    pub fn slowest(&self) -> Duration {
        self.times.iter().copied().max().unwrap_or_default()
    }
}

impl<D: Dynamics> Mpc<D> {
    /// With a solver that holds the first plan, for the time 0.
    pub fn new(solver: Solver<D>) -> Self {
        let dynamics = solver.problem().dynamics();
        Mpc {
            input: vec![0.0; dynamics.num_inputs()],
            displacement: vec![0.0; dynamics.num_displacements()],
            predicted: solver.states()[0].clone(),
            next: solver.states()[0].clone(),
            start: 0.0,
            delay: 0.0,
            rolls_out: false,
            solver,
        }
    }

    /// Sets how long a plan takes in a run, s (default 0).
    ///
    /// # Errors
    /// For a delay that is negative or longer than a step of the plan.
    pub fn set_delay(&mut self, delay: f64) -> Result<(), ControlError> {
        self.check_delay(delay)?;
        self.delay = delay;
        Ok(())
    }

    /// Sets whether a plan begins with a rollout of the policy of the last one (default no), where that does not fail: without gaps, which
    /// few iterations with short steps would leave and the next plan would add to. For machines that do not fall over in a rollout.
    pub fn set_rollout(&mut self, rolls_out: bool) {
        self.rolls_out = rolls_out;
    }

    fn check_delay(&self, delay: f64) -> Result<(), ControlError> {
        let length = self.solver.problem().dynamics().time_step();
        let words = "from 0 to a step of the plan";
        Ok(InvalidInput::check_range("delay", &[delay], words, |d| {
            (0.0..=length).contains(&d)
        })?)
    }

    /// The solver with the plan.
    pub fn solver(&self) -> &Solver<D> {
        &self.solver
    }

    /// Plans from the state at a time in s, which is not before that of the last plan.
    ///
    /// # Errors
    /// For an earlier time; as [`Solver::solve`].
    pub fn plan(&mut self, time: f64, state: &D::State) -> Result<Report, ControlError> {
        self.predicted.clone_from(state);
        self.plan_from_prediction(time)
    }

    /// As [`Self::plan`] for a plan that is there only after a delay in s, no longer than a step of the plan: from the state
    /// to which the policy leads until then, to first order of the delay.
    ///
    /// # Errors
    /// As [`Self::plan`], and for a delay that is negative or longer.
    pub fn plan_ahead(
        &mut self,
        time: f64,
        state: &D::State,
        delay: f64,
    ) -> Result<Report, ControlError> {
        self.check_delay(delay)?;
        if delay == 0.0 {
            return self.plan(time, state);
        }
        self.act(time, state)?;
        let dynamics = &mut self.solver.problem.dynamics;
        dynamics.step(state, &self.input, &mut self.next)?;
        dynamics.difference(state, &self.next, &mut self.displacement)?;
        let part = delay / dynamics.time_step();
        self.displacement.iter_mut().for_each(|d| *d *= part);
        dynamics.displace(state, &self.displacement, &mut self.predicted)?;
        dynamics.advance_clock(&mut self.predicted, delay);
        self.plan_from_prediction(time + delay)
    }

    fn plan_from_prediction(&mut self, time: f64) -> Result<Report, ControlError> {
        let start = self.start;
        InvalidInput::check_range(
            "time of a plan",
            &[time],
            "a time not before that of the last plan",
            |time| time >= start && time.is_finite(),
        )?;
        self.solver.shift(time - self.start)?;
        self.start = time;
        let length = self.solver.problem.dynamics.time_step();
        self.solver.set_moved((time / length).round() as usize);
        self.solver.set_initial(&self.predicted);
        if self.rolls_out {
            // Where it fails there are gaps, as without.
            let _ = self.solver.replay();
        }
        self.solver.solve()
    }

    /// The input at a time in s for a state: that of the policy of the stage to which the time belongs, about the state that
    /// was planned for then.
    ///
    /// # Errors
    /// For states that do not fit, a time that is not finite, and inputs that are too large for a number.
    pub fn act(&mut self, time: f64, state: &D::State) -> Result<&[f64], ControlError> {
        InvalidInput::check_finite("time of an input", &[time])?;
        let horizon = self.solver.problem().horizon();
        let dynamics = self.solver.problem().dynamics();
        let stages = ((time - self.start) / dynamics.time_step()).max(0.0);
        let stage = ((stages + 1e-9) as usize).min(horizon - 1);
        let part = (stages - stage as f64).clamp(0.0, 1.0);
        let states = self.solver.states();
        dynamics.difference(&states[stage], &states[stage + 1], &mut self.displacement)?;
        self.displacement.iter_mut().for_each(|d| *d *= part);
        dynamics.displace(&states[stage], &self.displacement, &mut self.predicted)?;
        dynamics.difference(&self.predicted, state, &mut self.displacement)?;
        (self.solver).follow(stage, &self.displacement, &mut self.input)?;
        Ok(&self.input)
    }

    /// Runs the controller against a plant of the same states and inputs: other parameters, shorter steps. The plan that there is
    /// counts as that for the time 0. It plans at the start and after every `period` s, and acts at every step of the plant. With a [delay](Self::set_delay) it acts by the
    /// plan before until a plan is there, which is [made for then](Self::plan_ahead).
    ///
    /// `disturb` changes the state of the plant before each of the steps, by their number: pushes. `estimate` makes of the
    /// state of the plant what the controller takes for it. A plan or a step that fails ends the run, and is in its result.
    ///
    /// # Errors
    /// For a period that is not positive.
    pub fn run<P: Dynamics<State = D::State>>(
        &mut self,
        plant: &mut P,
        start: &D::State,
        steps: usize,
        period: f64,
        mut disturb: impl FnMut(usize, &mut D::State),
        mut estimate: impl FnMut(&D::State) -> D::State,
    ) -> Result<MpcRun<D::State>, ControlError> {
        InvalidInput::check_range("period of plans", &[period], "a positive time", |t| {
            t > 0.0 && t.is_finite()
        })?;
        self.start = 0.0;
        let mut run = MpcRun {
            states: vec![start.clone()],
            inputs: Vec::new(),
            reports: Vec::new(),
            times: Vec::new(),
            failure: None,
        };
        let mut state = start.clone();
        // The state that a plan began with, and its time. It is computed only when it is there: until then the plan before acts.
        let mut begun = start.clone();
        let mut due = None;
        let mut next_plan = 0.0;
        for step in 0..steps {
            let time = step as f64 * plant.time_step();
            disturb(step, &mut state);
            let seen = estimate(&state);
            let mut control = || -> Result<D::State, ControlError> {
                // One may be there when the next begins, or at once.
                for _ in 0..2 {
                    if let Some(since) = due
                        && time >= since + self.delay - 1e-9
                    {
                        let begin = Instant::now();
                        let report = self.plan_ahead(since, &begun, self.delay)?;
                        run.times.push(begin.elapsed());
                        run.reports.push(report);
                        due = None;
                    }
                    if due.is_none() && time >= next_plan - 1e-9 {
                        begun.clone_from(&seen);
                        due = Some(time);
                        // Those that have been missed are left out.
                        let missed = ((time + 1e-9 - next_plan) / period).floor();
                        next_plan += (missed + 1.0) * period;
                    }
                }
                let input = self.act(time, &seen)?;
                let mut next = state.clone();
                plant.step(&state, input, &mut next)?;
                run.inputs.push(input.to_vec());
                Ok(next)
            };
            match control() {
                Ok(next) => state = next,
                Err(error) => {
                    run.failure = Some(error);
                    break;
                }
            }
            run.states.push(state.clone());
        }
        Ok(run)
    }
}
