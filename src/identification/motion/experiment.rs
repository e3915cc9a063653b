//! A recording of a motion as an experiment.

use super::channel::{BoundChannel, Source};
use super::columns::columns;
use super::contract::{Contract, Finding, RecordedSignal, Severity};
use super::error::MotionError;
use super::grid::{Grid, Span};
use super::model::{Adjustment, MotionModel};
use super::signals::Signals;
use crate::autodiff::{ChunkDual, JacobianWithRadius, jacobian_with_radius_of};
use crate::decision::Observable;
use crate::identification::{EvaluationError, Experiment, SegmentedTrajectory, Shooting};
use crate::system::{State, SystemError, TimeSteppingRigidBodySystem};
use crate::tree::RigidBodyTree;
use crate::{DefaultScalar, InvalidInput, Scalar};
use nalgebra::Vector3;
use std::ops::Range;
use std::sync::Arc;

/// What is known of the state at the first sample.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Start {
    /// It is this.
    Known(State<f64>),
    /// It is near this, by the [`StateDeviations`] of the experiment.
    Guessed(State<f64>),
    /// It is near what was measured there, and where nothing was, near the
    /// [initial state](crate::system::RigidBodySystem::initial_state). The guess counts beside the first sample, so that
    /// deviations should be wide.
    Measured,
}

/// By how much guesses of states may be off, as standard deviations.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StateDeviations {
    /// Of positions, in m and rad.
    pub position: f64,
    /// Of velocities, in m/s and rad/s.
    pub velocity: f64,
    /// Of the states of actuators, in their units.
    pub actuators: f64,
    /// Of the states of sensors, in their units.
    pub sensors: f64,
}

/// Signals that were recorded on a machine, as an experiment.
///
/// It is a [`SegmentedTrajectory`] with an interval from sample to sample, whose state at the start is fitted unless it
/// is known, and an [`Experiment`] that starts from the state that is known or guessed.
#[derive(Debug, Clone)]
pub struct MotionExperiment {
    pub(super) model: Arc<MotionModel>,
    pub(super) name: String,
    pub(super) is_start_known: bool,
    pub(super) deviations: StateDeviations,
    pub(super) grid: Grid,
    /// Number of residuals before each channel of each row.
    pub(super) residuals_before: Vec<usize>,
    /// Of channels, and of inputs.
    pub(super) adjustments: [Vec<Adjustment>; 2],
    /// Guesses of the states at the rows.
    pub(super) references: Vec<State<f64>>,
    pub(super) recorded: Vec<RecordedSignal>,
    pub(super) findings: Vec<Finding>,
}

/// Samples of a rotation may be off the unit sphere by this.
const NORM_TOLERANCE: f64 = 1e-2;

impl MotionExperiment {
    /// A recording on the machine of a model, with a signal for every entry of a channel and every input, and no others
    /// ([`Signals::without`] leaves them out), in one table or in several with times of their own. The unit of an input is the
    /// [one of its actuator](crate::actuator::Actuator::input_unit).
    ///
    /// Rows are at the interval of the fastest channel, or as many steps as fit into it. The recording goes from the first row
    /// of a channel to the last, as far as all inputs are known; inputs are averaged over the steps, by the
    /// [`Hold`](super::Hold) of each.
    ///
    /// # Errors
    /// [`MotionError::Signal`] for one that is missing, that nothing takes, or that is in another unit, or a rotation that is not of unit length;
    /// [`MotionError::Data`] for [data](Self::findings) that make a fit wrong;
    /// [`MotionError::Invalid`] for fewer than two rows, an interval of less than the time step or more
    /// than 10⁵ of them, more than 10⁷ steps in all, and deviations that are not positive; [`MotionError::System`] for a state that is not one of the machine.
    pub fn new(
        model: Arc<MotionModel>,
        name: impl Into<String>,
        signals: &(impl AsRef<[Signals]> + ?Sized),
        start: Start,
        deviations: StateDeviations,
    ) -> Result<Self, MotionError> {
        let name = name.into();
        let machine = model.machine();
        let StateDeviations {
            position,
            velocity,
            actuators,
            sensors,
        } = deviations;
        let all = [position, velocity, actuators, sensors];
        InvalidInput::check_range("deviations of states", &all, "a positive number", |s| {
            s > 0.0 && s.is_finite()
        })?;
        let is_measured = start == Start::Measured;
        let (is_start_known, mut state) = match start {
            Start::Known(state) => (true, state),
            Start::Guessed(state) => (false, state),
            Start::Measured => (false, machine.initial_state()),
        };
        machine.check_state(&state)?;
        let columns = columns(signals.as_ref(), model.channels(), machine.system())?;
        let mut contract = Contract {
            recording: &name,
            columns: &columns,
            holds: model.holds(),
            span: Span::of_channels(&columns),
            findings: Vec::new(),
        };
        contract.cover(!is_measured);
        contract.check();
        let (recorded, span, findings) = (contract.signals(), contract.span, contract.findings);
        let is_wrong = |finding: &Finding| finding.severity == Severity::Error;
        if findings.iter().any(is_wrong) {
            let findings = findings.into_iter().filter(is_wrong).collect();
            return Err(MotionError::Data { findings });
        }
        let grid = Grid::new(&columns, model.holds(), span, machine.time_step())?;
        state.time = grid.start;
        let mut experiment = MotionExperiment {
            is_start_known,
            deviations,
            grid,
            residuals_before: vec![0],
            adjustments: model.adjustments(&name),
            references: Vec::new(),
            recorded,
            findings,
            model,
            name,
        };
        experiment.check_rotations()?;
        experiment.count_turns((!is_measured).then_some(&state));
        let mut count = 0;
        for row in 0..experiment.grid.rows {
            for (c, channel) in experiment.model.channels().iter().enumerate() {
                let signals = experiment.signals(row, c);
                let entries = 0..channel.deviations.len();
                count += entries.filter(|&i| channel.is_measured(signals, i)).count();
                experiment.residuals_before.push(count);
            }
        }
        experiment.references = experiment.guess_states(state, is_measured)?;
        Ok(experiment)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The signals as they were recorded, with their rates and ranges.
    pub fn recorded(&self) -> &[RecordedSignal] {
        &self.recorded
    }

    /// What of the data may make a fit doubtful: gaps, times that scatter, inputs that are not known throughout, flat tops of
    /// signals that are saturated, inputs and channels that never change.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The state at a row of these coordinates, as [`SegmentedTrajectory::guess`] has them.
    ///
    /// # Errors
    /// [`MotionError::Invalid`] for a sample that there is not, and another number of coordinates.
    pub fn state(&self, sample: usize, coordinates: &[f64]) -> Result<State<f64>, MotionError> {
        let index = [sample as f64];
        InvalidInput::check_range("sample", &index, "one of the recording", |i| {
            i < self.grid.rows as f64
        })?;
        let n = self.state_deviations().len();
        InvalidInput::check_size("coordinates of a state", coordinates.len(), n)?;
        self.state_from(self.model.machine().tree(), sample, coordinates)
    }

    /// The standard deviation of the residuals for these values of the unknowns, with the state at the start that fits best
    /// unless it is known: 1 where model and deviations are right. Of a recording that was held back it judges a fit.
    /// Where the search for the state reaches no [minimum](Shooting::is_minimum), it is larger.
    ///
    /// The square is `‖r‖²/(m − tr H)`, where `H = J (JᵀJ + σ⁻²)⁻¹ Jᵀ` is what m residuals of measurements follow of their
    /// own noise, by their Jacobian `J` with respect to the state, of which a guess is known to the deviations σ: the more
    /// the wider these are, in all one for each coordinate that is measured.
    ///
    /// # Errors
    /// [`EvaluationError`] when the motion cannot be simulated, when nothing was measured, and when nothing of it is left
    /// beside the state at the start.
    pub fn misfit(&self, values: &[f64]) -> Result<f64, EvaluationError> {
        let shooting = Shooting::new(self, self.grid.rows - 1)?;
        let count = [Experiment::residual_count(self) as f64];
        InvalidInput::check_range("number of residuals", &count, "positive", |n| n > 0.0)?;
        shooting.standard_deviation(values)
    }

    /// The time of the sample of a channel in a row, in s.
    pub(super) fn sample_time(&self, row: usize, channel: usize) -> f64 {
        self.grid.time(row) + self.grid.offset(row, channel)
    }

    pub(super) fn signals(&self, row: usize, channel: usize) -> &[f64] {
        let width = self.grid.measured.len() / self.grid.rows;
        let start = row * width + self.grid.columns[channel];
        &self.grid.measured[start..start + self.model.channels()[channel].len()]
    }

    fn check_rotations(&self) -> Result<(), MotionError> {
        for (c, channel) in self.model.channels().iter().enumerate() {
            for row in 0..self.grid.rows {
                let signals = self.signals(row, c);
                if channel.rotates && channel.is_measured(signals, 0) {
                    let norm = f64::norm_lifted(&signals[..4]);
                    if (norm - 1.0).abs() > NORM_TOLERANCE {
                        let place = self.grid.place(row, c);
                        return Err(MotionError::Signal {
                            signal: channel.signals[0].0.clone(),
                            reason: format!("{place}: a quaternion of length {norm:.3}"),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn state_from<T: DefaultScalar>(
        &self,
        tree: &RigidBodyTree<T>,
        row: usize,
        coordinates: &[T],
    ) -> Result<State<T>, MotionError> {
        let reference = self.references[row].cast::<T>();
        let mut state = reference.clone();
        let (turn, rest) = coordinates.split_at(tree.num_velocities());
        let (from, to) = (reference.q.as_slice(), state.q.as_mut_slice());
        tree.integrate_exponential(from, turn, T::one(), to)?;
        let others = (state.v.iter_mut())
            .chain(&mut state.actuators)
            .chain(&mut state.sensors);
        others.zip(rest).for_each(|(x, &change)| *x += change);
        Ok(state)
    }

    fn write_coordinates<T: DefaultScalar>(
        &self,
        tree: &RigidBodyTree<T>,
        row: usize,
        state: &State<T>,
        coordinates: &mut [T],
    ) -> Result<(), MotionError> {
        let reference = self.references[row].cast::<T>();
        let (turn, rest) = coordinates.split_at_mut(tree.num_velocities());
        tree.difference(reference.q.as_slice(), state.q.as_slice(), turn)?;
        let others = (state.v.iter().zip(&reference.v))
            .chain(state.actuators.iter().zip(&reference.actuators))
            .chain(state.sensors.iter().zip(&reference.sensors));
        for (x, (&here, &there)) in rest.iter_mut().zip(others) {
            *x = here - there;
        }
        Ok(())
    }

    /// The first sample whose residuals belong to an interval.
    fn first_row(intervals: &Range<usize>) -> usize {
        if intervals.start == 0 {
            0
        } else {
            intervals.start + 1
        }
    }

    fn residuals_at(&self, row: usize, channel: usize) -> usize {
        let channels = self.model.channels().len();
        let index = row.saturating_mul(channels).saturating_add(channel);
        self.residuals_before[index.min(self.residuals_before.len() - 1)]
    }

    /// Checks what a motion is simulated with; `settings` checks the unknowns.
    fn check_shot(
        &self,
        intervals: &Range<usize>,
        [state, residuals]: [usize; 2],
    ) -> Result<(), InvalidInput> {
        let ends = [intervals.start as f64, intervals.end as f64];
        let in_recording = intervals.start < intervals.end && intervals.end < self.grid.rows;
        let expected = "intervals of the recording, in order";
        InvalidInput::check_range("intervals", &ends, expected, |_| in_recording)?;
        let coordinates = self.state_deviations().len();
        InvalidInput::check_size("coordinates of a state", state, coordinates)?;
        let count = SegmentedTrajectory::residual_count(self, intervals.clone());
        InvalidInput::check_size("residuals", residuals, count)
    }
}

/// The prediction of a channel between two steps.
struct Moment<T> {
    /// The step before it, from the start of the segment.
    step: usize,
    /// How far it is from there, in steps; `None` if it is there.
    beyond: Option<T>,
}

impl SegmentedTrajectory for MotionExperiment {
    type Error = MotionError;

    fn interval_count(&self) -> usize {
        self.grid.rows - 1
    }

    fn residual_count(&self, intervals: Range<usize>) -> usize {
        let first = Self::first_row(&intervals);
        let before = self.residuals_at(first, 0);
        (self.residuals_at(intervals.end.saturating_add(1), 0)).saturating_sub(before)
    }

    fn state_deviations(&self) -> Vec<f64> {
        let state = &self.references[0];
        let (nv, deviations) = (state.v.len(), self.deviations);
        let mut all = vec![deviations.position; nv];
        all.resize(2 * nv, deviations.velocity);
        all.resize(all.len() + state.actuators.len(), deviations.actuators);
        all.resize(all.len() + state.sensors.len(), deviations.sensors);
        all
    }

    fn guess(&self, _: usize) -> Vec<f64> {
        vec![0.0; self.state_deviations().len()]
    }

    fn is_start_known(&self) -> bool {
        self.is_start_known
    }

    fn shoot<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        intervals: Range<usize>,
        state: &mut [T],
        residuals: &mut [T],
    ) -> Result<(), MotionError> {
        let machine = self.model.machine_at(unknowns)?;
        self.shoot_with(&machine, unknowns, intervals, (state, residuals))
    }
}

impl MotionExperiment {
    /// The residuals from the start that is known or guessed, their exact Jacobian, and for each unknown how far it may
    /// change before something in the motion is decided otherwise, such as a contact.
    ///
    /// # Errors
    /// As its [`Experiment::residuals`].
    pub fn residuals_with_radius(
        &self,
        unknowns: &[f64],
    ) -> Result<JacobianWithRadius, MotionError> {
        let intervals = 0..self.grid.rows - 1;
        let residuals = SegmentedTrajectory::residual_count(self, intervals.clone());
        let coordinates = self.state_deviations().len();
        jacobian_with_radius_of(
            |observer, unknowns: &[ChunkDual]| {
                let mut machine = self.model.machine_at(unknowns)?;
                machine.observe(Some(observer.clone()));
                let mut state = vec![ChunkDual::from_re(0.0); coordinates];
                let mut out = vec![ChunkDual::from_re(f64::NAN); residuals];
                let at = (state.as_mut_slice(), out.as_mut_slice());
                self.shoot_with(&machine, unknowns, intervals.clone(), at)?;
                Ok::<_, MotionError>(out)
            },
            unknowns,
        )
    }

    /// As [`SegmentedTrajectory::shoot`], of the machine that has these unknowns.
    fn shoot_with<T: DefaultScalar>(
        &self,
        machine: &TimeSteppingRigidBodySystem<T>,
        unknowns: &[T],
        intervals: Range<usize>,
        (state, residuals): (&mut [T], &mut [T]),
    ) -> Result<(), MotionError> {
        self.check_shot(&intervals, [state.len(), residuals.len()])?;
        let channels = self.model.channels();
        let dt = self.model.machine().time_step();
        let duration = (self.grid.rows * self.grid.steps) as f64;
        let delays = |adjustments: &[Adjustment]| -> Result<Vec<_>, InvalidInput> {
            let of = |adjustment: &Adjustment| {
                let add = |sum: T, &i: &usize| sum + unknowns[i] / dt;
                let delay = adjustment.delays.iter().fold(T::zero(), add);
                let expected = "less than the recording";
                InvalidInput::check_range("delay in steps", &[delay], expected, |d| {
                    d.abs() < duration
                })?;
                Ok((!adjustment.delays.is_empty()).then_some(delay))
            };
            adjustments.iter().map(of).collect()
        };
        let [of_channels, of_inputs] = &self.adjustments;
        let (delays, late_inputs) = (delays(of_channels)?, delays(of_inputs)?);
        let moment = |row: usize, channel: usize| {
            let at = ((row - intervals.start) * self.grid.steps) as f64;
            let offset = self.grid.offset(row, channel) / dt;
            if delays[channel].is_none() && offset == 0.0 {
                let step = at as usize;
                return Moment { step, beyond: None };
            }
            let (at, delay) = (at + offset, delays[channel].unwrap_or(T::zero()));
            let step = (at - delay.re()).floor().max(0.0);
            Moment {
                step: step as usize,
                beyond: Some(-delay + (at - step)),
            }
        };
        let end = intervals.len() * self.grid.steps;
        let rows = Self::first_row(&intervals)..intervals.end + 1;
        // What is due at each step: the samples that need its prediction last.
        let mut due: Vec<(usize, usize, usize)> = Vec::new();
        for row in rows.clone() {
            for channel in 0..channels.len() {
                if self.residuals_at(row, channel) == self.residuals_at(row, channel + 1) {
                    continue;
                }
                let at = moment(row, channel);
                due.push((at.step + usize::from(at.beyond.is_some()), row, channel));
            }
        }
        due.sort_unstable();
        let last = due.last().map_or(end, |&(step, ..)| step.max(end));
        let has_outputs = channels
            .iter()
            .any(|c| matches!(c.source, Source::Output(_)));
        let has_points = (channels.iter()).any(|c| matches!(c.source, Source::Point { .. }));
        let offset = self.residuals_at(rows.start, 0);
        let width = self.grid.measured.len() / self.grid.rows;
        let (mut before, mut now) = (vec![T::zero(); width], vec![T::zero(); width]);
        let mut workspace = machine.workspace()?;
        let tree = machine.tree();
        let mut kinematics = tree.workspace();
        let mut current = self.state_from(tree, intervals.start, state)?;
        let mut next = current.clone();
        let mut input = vec![T::zero(); of_inputs.len()];
        let first_step = intervals.start * self.grid.steps;
        let mut output = vec![T::zero(); machine.num_outputs()];
        let mut pending = due.into_iter().peekable();
        for step in 0..=last {
            if step == end {
                self.write_coordinates(tree, intervals.end, &current, state)?;
            }
            let row = (intervals.start + step / self.grid.steps).min(self.grid.rows - 1);
            if step < last || has_outputs {
                for (i, x) in input.iter_mut().enumerate() {
                    *x = self.input(i, (first_step + step) as f64, late_inputs[i], unknowns);
                }
                let made = machine.step(&mut workspace, &current, &input);
                let made = made.map_err(|source| self.failed_at(row, source))?;
                output.copy_from_slice(made.output().as_slice());
                next.clone_from(made.state());
            }
            let is_due = |at: &(usize, usize, usize)| at.0 <= step + 1;
            if pending.peek().is_some_and(is_due) {
                std::mem::swap(&mut before, &mut now);
                if has_points {
                    let (q, v) = (current.q.as_slice(), current.v.as_slice());
                    tree.set_state(&mut kinematics, q, v)?;
                }
                for (c, channel) in channels.iter().enumerate() {
                    let out = &mut now[self.grid.columns[c]..][..channel.len()];
                    let at = (&current, &kinematics, output.as_slice());
                    let mounting = self.mounting(c, channel, unknowns);
                    channel.predict(machine.system(), at, mounting, out)?;
                }
            }
            while let Some((_, row, c)) = pending.next_if(|at| at.0 == step) {
                let channel = &channels[c];
                let columns = self.grid.columns[c]..self.grid.columns[c] + channel.len();
                let beyond = moment(row, c).beyond;
                let predicted: Vec<T> = match beyond {
                    None => now[columns].to_vec(),
                    Some(way) => (before[columns.clone()].iter())
                        .zip(&now[columns])
                        .map(|(&a, &b)| a + (b - a) * way)
                        .collect(),
                };
                let start = self.residuals_at(row, c) - offset;
                self.write_residuals((row, c), unknowns, &predicted, &mut residuals[start..]);
            }
            std::mem::swap(&mut current, &mut next);
        }
        let checked = InvalidInput::check_finite("residuals", residuals);
        checked.map_err(|error| {
            let first = residuals.iter().position(|r| !r.re().is_finite());
            let row = self.row_of(offset + first.unwrap_or(0));
            self.failed_at(row, error.into())
        })
    }

    /// An input during a step, counted from the start of the recording, with its delay in steps.
    fn input<T: DefaultScalar>(
        &self,
        input: usize,
        step: f64,
        delay: Option<T>,
        unknowns: &[T],
    ) -> T {
        let adjustment = &self.adjustments[1][input];
        let count = self.adjustments[1].len();
        let last = (self.grid.inputs.len() / count - 1) as f64;
        let mean = |step: f64| self.grid.inputs[step.clamp(0.0, last) as usize * count + input];
        let mut value = match delay {
            None => T::from(mean(step)),
            Some(delay) => {
                let before = (step - delay.re()).floor();
                let part = -delay + (step - before);
                let (from, to) = (mean(before), mean(before + 1.0));
                part * (to - from) + from
            }
        };
        if let Some(gain) = adjustment.gains[0] {
            value *= unknowns[gain];
        }
        if let Some(bias) = adjustment.biases[0] {
            value += unknowns[bias];
        }
        value
    }

    /// The row of a residual.
    fn row_of(&self, residual: usize) -> usize {
        let after = self.residuals_before.partition_point(|&n| n <= residual);
        let row = after.saturating_sub(1) / self.model.channels().len().max(1);
        row.min(self.grid.rows - 1)
    }

    fn failed_at(&self, row: usize, source: SystemError) -> MotionError {
        MotionError::Recording {
            recording: self.name.clone(),
            place: self.grid.place_of_row(row),
            time: self.grid.time(row),
            source: Box::new(source),
        }
    }

    fn mounting<T: DefaultScalar>(
        &self,
        c: usize,
        channel: &BoundChannel,
        unknowns: &[T],
    ) -> Option<Vector3<T>> {
        let axes = self.adjustments[0][c].mounting;
        let Source::Point { position, .. } = &channel.source else {
            return None;
        };
        let at = |axis: usize| axes[axis].map_or(T::from(position[axis]), |i| unknowns[i]);
        Some(Vector3::from_fn(|axis, _| at(axis)))
    }

    /// Writes the residuals of one channel at one sample.
    fn write_residuals<T: DefaultScalar>(
        &self,
        (row, c): (usize, usize),
        unknowns: &[T],
        predicted: &[T],
        residuals: &mut [T],
    ) {
        let channel = &self.model.channels()[c];
        let (signals, adjustment) = (self.signals(row, c), &self.adjustments[0][c]);
        let mut difference = vec![T::zero(); channel.deviations.len()];
        let unknown = |i: Option<usize>| i.map(|i| unknowns[i]);
        let of_entry = |i: usize| {
            let (gain, bias) = (adjustment.gains[i], adjustment.biases[i]);
            (unknown(gain), unknown(bias))
        };
        channel.difference(predicted, signals, of_entry, &mut difference);
        let entries = (difference.iter().zip(&channel.deviations)).enumerate();
        let measured = entries.filter(|(i, _)| channel.is_measured(signals, *i));
        for (r, (_, (&difference, &deviation))) in residuals.iter_mut().zip(measured) {
            *r = difference / deviation;
        }
    }
}

impl Experiment for MotionExperiment {
    type Error = MotionError;

    fn residual_count(&self) -> usize {
        SegmentedTrajectory::residual_count(self, 0..self.grid.rows - 1)
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), MotionError> {
        let mut state = vec![T::zero(); self.state_deviations().len()];
        self.shoot(unknowns, 0..self.grid.rows - 1, &mut state, residuals)
    }
}
