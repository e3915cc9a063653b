//! A recording of a motion as an experiment.

use super::channel::{BoundChannel, Source};
use super::columns::columns;
use super::error::MotionError;
use super::model::{Adjustment, MotionModel};
use super::signals::{JITTER, Signals, place};
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
    /// Of the samples in the table that they were read from.
    pub(super) lines: Vec<u64>,
    pub(super) start: f64,
    pub(super) is_start_known: bool,
    pub(super) deviations: StateDeviations,
    pub(super) samples: usize,
    /// Steps from sample to sample.
    pub(super) steps: usize,
    /// Row by row.
    pub(super) inputs: Vec<f64>,
    pub(super) measured: Vec<f64>,
    /// Where the signals of each channel begin in a row of `measured`.
    pub(super) columns: Vec<usize>,
    /// Number of residuals before each channel of each row.
    pub(super) residuals_before: Vec<usize>,
    pub(super) adjustments: Vec<Adjustment>,
    /// Guesses of the states at the samples.
    pub(super) references: Vec<State<f64>>,
}

/// Samples of a rotation may be off the unit sphere by this.
const NORM_TOLERANCE: f64 = 1e-2;
/// The interval of the samples may be off a number of steps by this part of it,
const GRID_TOLERANCE: f64 = 1e-6;
/// or by so much that the last sample is off its step by what the first and the last may be off the rate.
const DRIFT: f64 = 2.0 * JITTER;
/// Largest number of steps from sample to sample.
const MAX_STEPS: f64 = 1e5;

impl MotionExperiment {
    /// A recording on the machine of a model, with a signal for every entry of a channel and every input, and no others
    /// ([`Signals::without`] leaves them out). The unit of an input is the
    /// [one of its actuator](crate::actuator::Actuator::input_unit).
    ///
    /// # Errors
    /// [`MotionError::Signal`] for one that is missing, that nothing takes, or that is in another unit, an input with missing samples, or a rotation that is not of unit length;
    /// [`MotionError::Invalid`] for fewer than two samples, an interval that is not a multiple of the time step, or more
    /// than 10⁵ of them, and deviations that are not positive; [`MotionError::System`] for a state that is not one of the machine.
    pub fn new(
        model: Arc<MotionModel>,
        name: impl Into<String>,
        signals: &Signals,
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
        let samples = signals.len();
        let count = [samples as f64];
        InvalidInput::check_range("number of samples", &count, "at least 2", |n| n >= 2.0)?;
        let ratio = signals.interval() / machine.time_step();
        let steps = ratio.round();
        InvalidInput::check_range(
            "interval of the signals in time steps",
            &[ratio],
            "a whole number from 1 to 10⁵",
            |_| {
                let tolerance = GRID_TOLERANCE.max(DRIFT / (samples - 1) as f64);
                let on_grid = (ratio - steps).abs() <= tolerance * ratio;
                on_grid && (1.0..=MAX_STEPS).contains(&steps)
            },
        )?;
        let is_measured = start == Start::Measured;
        let (is_start_known, mut state) = match start {
            Start::Known(state) => (true, state),
            Start::Guessed(state) => (false, state),
            Start::Measured => (false, machine.initial_state()),
        };
        machine.check_state(&state)?;
        state.time = signals.start();
        let channels = model.channels();
        let [measured, inputs] = columns(signals, channels, machine.system())?;
        let mut starts = Vec::with_capacity(channels.len());
        let mut width = 0;
        for channel in channels {
            starts.push(width);
            width += channel.len();
        }
        let mut experiment = MotionExperiment {
            start: signals.start(),
            is_start_known,
            deviations,
            samples,
            steps: steps as usize,
            inputs,
            measured,
            columns: starts,
            residuals_before: vec![0],
            adjustments: model.adjustments(&name),
            references: Vec::new(),
            lines: signals.lines().to_vec(),
            model,
            name,
        };
        experiment.check_rotations(signals)?;
        experiment.count_turns((!is_measured).then_some(&state));
        let mut count = 0;
        for row in 0..samples {
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

    /// The state at a sample of these coordinates, as [`SegmentedTrajectory::guess`] has them.
    ///
    /// # Errors
    /// [`MotionError::Invalid`] for a sample that there is not, and another number of coordinates.
    pub fn state(&self, sample: usize, coordinates: &[f64]) -> Result<State<f64>, MotionError> {
        let index = [sample as f64];
        InvalidInput::check_range("sample", &index, "one of the recording", |i| {
            i < self.samples as f64
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
        let shooting = Shooting::new(self, self.samples - 1)?;
        let count = [Experiment::residual_count(self) as f64];
        InvalidInput::check_range("number of residuals", &count, "positive", |n| n > 0.0)?;
        shooting.standard_deviation(values)
    }

    /// The time of a sample, in s.
    pub(super) fn time(&self, sample: usize) -> f64 {
        let interval = self.steps as f64 * self.model.machine().time_step();
        self.start + interval * sample as f64
    }

    pub(super) fn signals(&self, row: usize, channel: usize) -> &[f64] {
        let width = self.measured.len() / self.samples;
        let start = row * width + self.columns[channel];
        &self.measured[start..start + self.model.channels()[channel].len()]
    }

    fn check_rotations(&self, recorded: &Signals) -> Result<(), MotionError> {
        for (c, channel) in self.model.channels().iter().enumerate() {
            for row in 0..self.samples {
                let signals = self.signals(row, c);
                if channel.rotates && channel.is_measured(signals, 0) {
                    let norm = f64::norm_lifted(&signals[..4]);
                    if (norm - 1.0).abs() > NORM_TOLERANCE {
                        let place = recorded.place(row);
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
        let in_recording = intervals.start < intervals.end && intervals.end < self.samples;
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
        self.samples - 1
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
        let intervals = 0..self.samples - 1;
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
        let duration = (self.samples * self.steps) as f64;
        let mut delays = Vec::with_capacity(channels.len());
        for adjustment in &self.adjustments {
            let add = |sum: T, &i: &usize| sum + unknowns[i] / dt;
            let delay = adjustment.delays.iter().fold(T::zero(), add);
            InvalidInput::check_range(
                "delay in steps",
                &[delay],
                "less than the recording",
                |d| d.abs() < duration,
            )?;
            delays.push((!adjustment.delays.is_empty()).then_some(delay));
        }
        let moment = |row: usize, channel: usize| {
            let at = ((row - intervals.start) * self.steps) as f64;
            let Some(delay) = delays[channel] else {
                let step = at as usize;
                return Moment { step, beyond: None };
            };
            let step = (at - delay.re()).floor().max(0.0);
            Moment {
                step: step as usize,
                beyond: Some(-delay + (at - step)),
            }
        };
        let end = intervals.len() * self.steps;
        let rows = Self::first_row(&intervals)..intervals.end + 1;
        // What is due at each step: the samples that need its prediction last.
        let mut due: Vec<(usize, usize, usize)> = Vec::new();
        for row in rows.clone() {
            for channel in 0..channels.len() {
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
        let width = self.measured.len() / self.samples;
        let (mut before, mut now) = (vec![T::zero(); width], vec![T::zero(); width]);
        let mut workspace = machine.workspace()?;
        let tree = machine.tree();
        let mut kinematics = tree.workspace();
        let mut current = self.state_from(tree, intervals.start, state)?;
        let mut next = current.clone();
        let inputs = self.inputs.len() / self.samples;
        let mut input = vec![T::zero(); inputs];
        let mut output = vec![T::zero(); machine.num_outputs()];
        let mut pending = due.into_iter().peekable();
        for step in 0..=last {
            if step == end {
                self.write_coordinates(tree, intervals.end, &current, state)?;
            }
            let row = (intervals.start + step / self.steps).min(self.samples - 1);
            if step < last || has_outputs {
                for (x, &u) in input.iter_mut().zip(&self.inputs[row * inputs..]) {
                    *x = T::from(u);
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
                    let out = &mut now[self.columns[c]..][..channel.len()];
                    let at = (&current, &kinematics, output.as_slice());
                    let mounting = self.mounting(c, channel, unknowns);
                    channel.predict(machine.system(), at, mounting, out)?;
                }
            }
            while let Some((_, row, c)) = pending.next_if(|at| at.0 == step) {
                let channel = &channels[c];
                let columns = self.columns[c]..self.columns[c] + channel.len();
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

    /// The sample of a residual.
    fn row_of(&self, residual: usize) -> usize {
        let after = self.residuals_before.partition_point(|&n| n <= residual);
        let row = after.saturating_sub(1) / self.model.channels().len().max(1);
        row.min(self.samples - 1)
    }

    fn failed_at(&self, row: usize, source: SystemError) -> MotionError {
        MotionError::Recording {
            recording: self.name.clone(),
            place: place(&self.lines, row),
            time: self.time(row),
            source: Box::new(source),
        }
    }

    fn mounting<T: DefaultScalar>(
        &self,
        c: usize,
        channel: &BoundChannel,
        unknowns: &[T],
    ) -> Option<Vector3<T>> {
        let axes = self.adjustments[c].mounting;
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
        let (signals, adjustment) = (self.signals(row, c), &self.adjustments[c]);
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
        SegmentedTrajectory::residual_count(self, 0..self.samples - 1)
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), MotionError> {
        let mut state = vec![T::zero(); self.state_deviations().len()];
        self.shoot(unknowns, 0..self.samples - 1, &mut state, residuals)
    }
}
