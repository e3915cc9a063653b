//! Simulates a part of a recording, and compares it with what was measured.

use super::channel::{BoundChannel, Source};
use super::error::MotionError;
use super::experiment::MotionExperiment;
use super::model::Adjustment;
use super::runaway::Runaway;
use crate::system::{State, StepWorkspace, SystemError, TimeSteppingRigidBodySystem};
use crate::tree::TreeWorkspace;
use crate::{DefaultScalar, InvalidInput, Scalar};
use nalgebra::Vector3;
use std::ops::Range;

/// A motion of the machine, in a scalar.
pub(super) struct Motion<T: Scalar> {
    pub machine: TimeSteppingRigidBodySystem<T>,
    unknowns: Vec<T>,
    /// The coordinates of the state that it starts from, and in the end of that to which it leads.
    pub coordinates: Vec<T>,
    pub residuals: Vec<T>,
    pub state: State<T>,
    pub next: State<T>,
    pub input: Vec<T>,
    pub output: Vec<T>,
    /// In steps, of channels and of inputs.
    delays: [Vec<Option<T>>; 2],
    kinematics: TreeWorkspace<T>,
    /// Predictions of all channels after the last two steps.
    before: Vec<T>,
    now: Vec<T>,
    /// Of one channel.
    predicted: Vec<T>,
    difference: Vec<T>,
}

/// The prediction of a channel between two steps.
struct Moment<T> {
    /// The step before it, from the start of the segment.
    step: usize,
    /// How far it is from there, in steps; `None` if it is there.
    beyond: Option<T>,
}

impl<T: DefaultScalar> Motion<T> {
    /// Makes a step of the machine.
    pub fn step(&mut self, workspace: &mut StepWorkspace<T>) -> Result<(), SystemError> {
        let made = self.machine.step(workspace, &self.state, &self.input)?;
        self.output.copy_from_slice(made.output().as_slice());
        self.next.clone_from(made.state());
        Ok(())
    }
}

impl MotionExperiment {
    /// A motion of the machine that has these unknowns.
    pub(super) fn motion<T: DefaultScalar>(
        &self,
        unknowns: &[T],
    ) -> Result<Motion<T>, MotionError> {
        let machine = self.model.machine_at(unknowns)?;
        let duration = (self.grid.rows * self.grid.steps) as f64;
        let dt = self.model.machine().time_step();
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
        let width = self.grid.measured.len() / self.grid.rows;
        let state = self.references[0].cast::<T>();
        Ok(Motion {
            delays: [delays(of_channels)?, delays(of_inputs)?],
            unknowns: unknowns.to_vec(),
            coordinates: Vec::new(),
            residuals: Vec::new(),
            input: vec![T::zero(); of_inputs.len()],
            output: vec![T::zero(); machine.num_outputs()],
            kinematics: machine.tree().workspace(),
            before: vec![T::zero(); width],
            now: vec![T::zero(); width],
            predicted: Vec::new(),
            difference: Vec::new(),
            next: state.clone(),
            state,
            machine,
        })
    }

    /// Simulates motions that differ in derivatives alone over some intervals, from the state of their coordinates.
    pub(super) fn simulate<T: DefaultScalar>(
        &self,
        motions: &mut [Motion<T>],
        intervals: Range<usize>,
        mut make_step: impl FnMut(&mut [Motion<T>]) -> Result<(), SystemError>,
    ) -> Result<(), MotionError> {
        let Some(first) = motions.first() else {
            return Ok(());
        };
        let channels = self.model.channels();
        let end = intervals.len() * self.grid.steps;
        let rows = Self::first_row(&intervals)..intervals.end + 1;
        // What is due at each step: the samples that need its prediction last.
        let mut due: Vec<(usize, usize, usize)> = Vec::new();
        for row in rows.clone() {
            for channel in 0..channels.len() {
                if self.residuals_at(row, channel) == self.residuals_at(row, channel + 1) {
                    continue;
                }
                let at = self.moment(first, intervals.start, (row, channel));
                due.push((at.step + usize::from(at.beyond.is_some()), row, channel));
            }
        }
        due.sort_unstable();
        let last = due.last().map_or(end, |&(step, ..)| step.max(end));
        let has_outputs = self.has_outputs();
        let has_points = (channels.iter()).any(|c| matches!(c.source, Source::Point { .. }));
        let offset = self.residuals_at(rows.start, 0);
        let count = self.residuals_at(rows.end, 0) - offset;
        for motion in &mut *motions {
            motion.residuals.clear();
            motion.residuals.resize(count, T::from(f64::NAN));
            let tree = motion.machine.tree();
            motion.state = self.state_from(tree, intervals.start, &motion.coordinates)?;
        }
        let first_step = intervals.start * self.grid.steps;
        let mut pending = due.into_iter().peekable();
        for step in 0..=last {
            if step == end {
                for motion in &mut *motions {
                    let (tree, state) = (motion.machine.tree(), &motion.state);
                    let coordinates = &mut motion.coordinates;
                    self.write_coordinates(tree, intervals.end, state, coordinates)?;
                }
            }
            let row = (intervals.start + step / self.grid.steps).min(self.grid.rows - 1);
            if step < last || has_outputs {
                for motion in &mut *motions {
                    for i in 0..motion.input.len() {
                        motion.input[i] = self.input(motion, i, (first_step + step) as f64);
                    }
                }
                let made = make_step(motions);
                made.map_err(|source| self.failed_at(row, &motions[0], source))?;
            }
            let is_due = |at: &(usize, usize, usize)| at.0 <= step + 1;
            if pending.peek().is_some_and(is_due) {
                for motion in &mut *motions {
                    self.predict(motion, has_points)?;
                }
            }
            while let Some((_, row, c)) = pending.next_if(|at| at.0 == step) {
                let start = self.residuals_at(row, c) - offset;
                for motion in &mut *motions {
                    let beyond = self.moment(motion, intervals.start, (row, c)).beyond;
                    self.write_residuals(motion, (row, c), beyond, start);
                }
            }
            for motion in &mut *motions {
                std::mem::swap(&mut motion.state, &mut motion.next);
            }
        }
        for motion in &*motions {
            let checked = InvalidInput::check_finite("residuals", &motion.residuals);
            checked.map_err(|error| {
                let first = motion.residuals.iter().position(|r| !r.re().is_finite());
                let row = self.row_of(offset + first.unwrap_or(0));
                self.failed_at(row, motion, error.into())
            })?;
        }
        Ok(())
    }

    /// Whether outputs of the machine were measured.
    pub(super) fn has_outputs(&self) -> bool {
        let mut channels = self.model.channels().iter();
        channels.any(|channel| matches!(channel.source, Source::Output(_)))
    }

    /// When the sample of a channel is predicted in a motion that starts from a row.
    fn moment<T: DefaultScalar>(
        &self,
        motion: &Motion<T>,
        start: usize,
        (row, channel): (usize, usize),
    ) -> Moment<T> {
        let at = ((row - start) * self.grid.steps) as f64;
        let offset = self.grid.offset(row, channel) / self.model.machine().time_step();
        let delay = motion.delays[0][channel];
        if delay.is_none() && offset == 0.0 {
            let step = at as usize;
            return Moment { step, beyond: None };
        }
        let (at, delay) = (at + offset, delay.unwrap_or(T::zero()));
        let step = (at - delay.re()).floor().max(0.0);
        Moment {
            step: step as usize,
            beyond: Some(-delay + (at - step)),
        }
    }

    /// An input during a step, counted from the start of the recording.
    fn input<T: DefaultScalar>(&self, motion: &Motion<T>, input: usize, step: f64) -> T {
        let adjustment = &self.adjustments[1][input];
        let count = self.adjustments[1].len();
        let last = (self.grid.inputs.len() / count - 1) as f64;
        let mean = |step: f64| self.grid.inputs[step.clamp(0.0, last) as usize * count + input];
        let mut value = match motion.delays[1][input] {
            None => T::from(mean(step)),
            Some(delay) => {
                let before = (step - delay.re()).floor();
                let part = -delay + (step - before);
                let (from, to) = (mean(before), mean(before + 1.0));
                part * (to - from) + from
            }
        };
        if let Some(gain) = adjustment.gains[0] {
            value *= motion.unknowns[gain];
        }
        if let Some(bias) = adjustment.biases[0] {
            value += motion.unknowns[bias];
        }
        value
    }

    /// Predicts all channels in the present state.
    fn predict<T: DefaultScalar>(
        &self,
        motion: &mut Motion<T>,
        has_points: bool,
    ) -> Result<(), MotionError> {
        std::mem::swap(&mut motion.before, &mut motion.now);
        let Motion {
            machine,
            unknowns,
            state,
            output,
            kinematics,
            now,
            ..
        } = motion;
        if has_points {
            let (q, v) = (state.q.as_slice(), state.v.as_slice());
            machine.tree().set_state(kinematics, q, v)?;
        }
        for (c, channel) in self.model.channels().iter().enumerate() {
            let out = &mut now[self.grid.columns[c]..][..channel.len()];
            let at = (&*state, &*kinematics, output.as_slice());
            let mounting = self.mounting(c, channel, unknowns);
            channel.predict(machine.system(), at, mounting, out)?;
        }
        Ok(())
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

    /// Writes the residuals of one channel at one sample, from `start` on.
    fn write_residuals<T: DefaultScalar>(
        &self,
        motion: &mut Motion<T>,
        (row, c): (usize, usize),
        beyond: Option<T>,
        start: usize,
    ) {
        let channel = &self.model.channels()[c];
        let (signals, adjustment) = (self.signals(row, c), &self.adjustments[0][c]);
        let columns = self.grid.columns[c]..self.grid.columns[c] + channel.len();
        let Motion {
            unknowns,
            residuals,
            before,
            now,
            predicted,
            difference,
            ..
        } = motion;
        predicted.clear();
        let between = before[columns.clone()].iter().zip(&now[columns]);
        predicted.extend(between.map(|(&a, &b)| match beyond {
            None => b,
            Some(way) => a + (b - a) * way,
        }));
        difference.clear();
        difference.resize(channel.deviations.len(), T::zero());
        let unknown = |i: Option<usize>| i.map(|i| unknowns[i]);
        let of_entry = |i: usize| {
            let (gain, bias) = (adjustment.gains[i], adjustment.biases[i]);
            (unknown(gain), unknown(bias))
        };
        channel.difference(predicted, signals, of_entry, difference);
        let entries = (difference.iter().zip(&channel.deviations)).enumerate();
        let measured = entries.filter(|(i, _)| channel.is_measured(signals, *i));
        for (r, (_, (&difference, &deviation))) in residuals[start..].iter_mut().zip(measured) {
            *r = difference / deviation;
        }
    }

    /// The row of a residual.
    fn row_of(&self, residual: usize) -> usize {
        let after = self.residuals_before.partition_point(|&n| n <= residual);
        let row = after.saturating_sub(1) / self.model.channels().len().max(1);
        row.min(self.grid.rows - 1)
    }

    fn failed_at<T: DefaultScalar>(
        &self,
        row: usize,
        motion: &Motion<T>,
        source: SystemError,
    ) -> MotionError {
        let system = self.model.machine().system();
        let fed = (0..(row + 1) * self.grid.steps).map(|step| {
            let at = |input: usize| self.input(motion, input, step as f64).re();
            (0..motion.input.len()).map(at).collect()
        });
        MotionError::Recording {
            recording: self.name.clone(),
            place: self.grid.place_of_row(row),
            time: self.grid.time(row),
            runaway: Runaway::of(&motion.state, system, fed).map(Box::new),
            source: Box::new(source),
        }
    }
}
