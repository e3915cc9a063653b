//! A recording of a motion as an experiment.

use super::columns::columns;
use super::contract::{Contract, Finding, RecordedSignal, Severity};
use super::error::MotionError;
use super::grid::{Grid, Span};
use super::model::{Adjustment, MotionModel};
use super::sensitivities::{Parts, Slopes};
use super::signals::Signals;
use super::simulation::Motion;
use super::trace::{LastTrace, Trace};
use crate::autodiff::{ChunkDual, JacobianWithRadius, JacobianWorkspace, jacobian_with_radius_of};
use crate::decision::Observable;
use crate::identification::experiment::jacobian_by_duals;
use crate::identification::segmented_trajectory::differentiate_by_duals;
use crate::identification::{EvaluationError, Experiment, SegmentedTrajectory, Shooting};
use crate::system::State;
use crate::tree::RigidBodyTree;
use crate::{DefaultScalar, InvalidInput, Scalar};
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
    pub(super) last: LastTrace,
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
            last: LastTrace::default(),
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

    pub(super) fn state_from<T: DefaultScalar>(
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

    pub(super) fn write_coordinates<T: DefaultScalar>(
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
    pub(super) fn first_row(intervals: &Range<usize>) -> usize {
        if intervals.start == 0 {
            0
        } else {
            intervals.start + 1
        }
    }

    pub(super) fn residuals_at(&self, row: usize, channel: usize) -> usize {
        let channels = self.model.channels().len();
        let index = row.saturating_mul(channels).saturating_add(channel);
        self.residuals_before[index.min(self.residuals_before.len() - 1)]
    }

    /// Number of coordinates of a state.
    pub(super) fn num_coordinates(&self) -> usize {
        let state = &self.references[0];
        2 * state.v.len() + state.actuators.len() + state.sensors.len()
    }

    /// Checks what motions are simulated with; `settings` checks the unknowns.
    pub(super) fn check_parts(
        &self,
        parts: &[Range<usize>],
        [states, residuals]: [usize; 2],
    ) -> Result<(), InvalidInput> {
        let mut count = 0;
        for intervals in parts {
            let ends = [intervals.start as f64, intervals.end as f64];
            let in_recording = intervals.start < intervals.end && intervals.end < self.grid.rows;
            let expected = "intervals of the recording, in order";
            InvalidInput::check_range("intervals", &ends, expected, |_| in_recording)?;
            count += SegmentedTrajectory::residual_count(self, intervals.clone());
        }
        let coordinates = parts.len() * self.num_coordinates();
        InvalidInput::check_size("coordinates of a state", states, coordinates)?;
        InvalidInput::check_size("residuals", residuals, count)
    }
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
        self.shoot_each(unknowns, &[intervals], state, residuals)
    }

    fn shoot_each<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        segments: &[Range<usize>],
        states: &mut [T],
        residuals: &mut [T],
    ) -> Result<(), MotionError> {
        self.check_parts(segments, [states.len(), residuals.len()])?;
        let motion = self.motion(unknowns)?;
        if T::NDERIV > 0 {
            return self.shoot_motion(motion, segments, (states, residuals), |_| ());
        }
        let [values, starts] = [unknowns, &*states].map(|numbers| {
            let reals: Vec<f64> = numbers.iter().map(|x| x.re()).collect();
            reals
        });
        let mut trace = Trace::new(&values, segments, &starts);
        self.shoot_motion(motion, segments, (states, residuals), |state| {
            trace.push(state.iter().map(|x| x.re()));
        })?;
        self.last.keep(trace);
        Ok(())
    }

    fn differentiate_each(
        &self,
        unknowns: &[f64],
        segments: &[Range<usize>],
        states: &[f64],
        jacobian: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let parts = Parts {
            intervals: segments,
            states,
        };
        let to = Slopes {
            columns: 0..self.num_coordinates() + unknowns.len(),
            jacobian,
        };
        match self.differentiate_by_steps(unknowns, parts, to, |_| ()) {
            Ok(true) => Ok(()),
            // Where it fails, duals say what is wrong.
            _ => differentiate_by_duals(self, unknowns, segments, states, jacobian),
        }
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
                let mut motion = self.motion(unknowns)?;
                motion.machine.observe(Some(observer.clone()));
                let mut state = vec![ChunkDual::from_re(0.0); coordinates];
                let mut out = vec![ChunkDual::from_re(f64::NAN); residuals];
                let to = (&mut state[..], &mut out[..]);
                self.shoot_motion(motion, std::slice::from_ref(&intervals), to, |_| ())?;
                Ok::<_, MotionError>(out)
            },
            unknowns,
        )
    }

    /// As [`SegmentedTrajectory::shoot_each`], of a motion; `visit` is called with the state after every step.
    fn shoot_motion<T: DefaultScalar>(
        &self,
        motion: Motion<T>,
        segments: &[Range<usize>],
        (states, mut residuals): (&mut [T], &mut [T]),
        mut visit: impl FnMut(&State<T>),
    ) -> Result<(), MotionError> {
        let mut workspace = motion.machine.workspace()?;
        let (size, mut motion) = (self.num_coordinates(), [motion]);
        for (k, intervals) in segments.iter().enumerate() {
            let state = &mut states[k * size..(k + 1) * size];
            motion[0].coordinates.clear();
            motion[0].coordinates.extend_from_slice(state);
            self.simulate(&mut motion, intervals.clone(), |motion| {
                motion.iter_mut().try_for_each(|motion| {
                    motion.step(&mut workspace)?;
                    visit(&motion.next);
                    Ok(())
                })
            })?;
            state.copy_from_slice(&motion[0].coordinates);
            let own;
            (own, residuals) = residuals.split_at_mut(motion[0].residuals.len());
            own.copy_from_slice(&motion[0].residuals);
        }
        Ok(())
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

    fn jacobian(
        &self,
        unknowns: &[f64],
        workspace: &mut JacobianWorkspace,
        residuals: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (size, whole) = (self.num_coordinates(), 0..self.grid.rows - 1);
        let (start, count) = (vec![0.0; size], residuals.len());
        let rows = count + size;
        let mut with_end = vec![0.0; rows * unknowns.len()];
        let parts = Parts {
            intervals: std::slice::from_ref(&whole),
            states: &start,
        };
        let to = Slopes {
            columns: size..size + unknowns.len(),
            jacobian: &mut with_end,
        };
        let made = self.differentiate_by_steps(unknowns, parts, to, |motion| {
            let values = motion.residuals.iter().map(|r| r.re);
            residuals.iter_mut().zip(values).for_each(|(to, r)| *to = r);
        });
        match made {
            Ok(true) => {
                let columns = with_end.chunks_exact(rows);
                (jacobian.chunks_exact_mut(count.max(1)).zip(columns))
                    .for_each(|(to, column)| to.copy_from_slice(&column[..to.len()]));
                Ok(())
            }
            _ => jacobian_by_duals(self, unknowns, workspace, residuals, jacobian),
        }
    }
}
