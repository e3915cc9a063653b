//! Fits of motions to recordings.

use crate::array::{array1, matrix, numbers, wrong_shape};
use crate::error::{Failure, Outcome};
use crate::system::{Stepper, System, state_of, state_size};
use crate::threads::prepare_shared_pool;
use dualbody::identification::motion::{
    Adjusts, Channel, FittedRecordings, Measured, MotionExperiment, MotionModel, Signals, Start,
    StateDeviations, fit_recordings,
};
use dualbody::identification::{
    IdentificationError, Iteration, LevenbergMarquardt, MultipleShooting, MultipleShootingFit,
    Noise, Unknown,
};
use dualbody::io::json::MotionFit;
use dualbody::nalgebra::DMatrix;
use dualbody::scene::FitReport;
use dualbody::tree::JointKind;
use dualbody::{Parallelism, Parameters};
use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

/// As fit files have it.
const NOISE_TOLERANCE: f64 = 1e-3;

/// What was found: estimates with what is known of them, and how recordings that were held back are predicted.
#[pyclass(frozen, module = "dualbody")]
pub struct FitResult {
    model: Arc<MotionModel>,
    found: MultipleShootingFit,
    held_out: Vec<(String, f64)>,
    warnings: Vec<String>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ChannelArguments {
    name: String,
    kind: String,
    target: String,
    deviations: Vec<f64>,
    position: Option<[f64; 3]>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct UnknownArguments {
    name: String,
    initial: Option<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
    scale: Option<f64>,
    logarithmic: bool,
    /// Mean and standard deviation of what is known of it before.
    prior: Option<(f64, f64)>,
    /// ``"parameter"``, ``"delay"``, ``"bias"``, ``"gain"``, ``"mounting"``.
    kind: String,
    channel: Option<String>,
    entry: usize,
}

impl ChannelArguments {
    fn channel(self) -> Outcome<Channel> {
        let target = self.target;
        let measured = match self.kind.as_str() {
            "joint_position" => Measured::JointPosition(target),
            "joint_velocity" => Measured::JointVelocity(target),
            "output" => Measured::Output(target),
            "point" => Measured::Point {
                body: target,
                position: self.position.unwrap_or_default(),
            },
            other => {
                let expected = "expected joint_position, joint_velocity, point or output";
                return Err(Failure::argument(format!(
                    "channel {}: found {other:?}, {expected}",
                    self.name
                )));
            }
        };
        Ok(Channel::new(self.name, measured, self.deviations)?)
    }
}

impl UnknownArguments {
    fn estimate(self, model: MotionModel) -> Outcome<MotionModel> {
        let channel = || {
            let missing =
                || Failure::argument(format!("unknown {}: expected a channel", self.name));
            self.channel.clone().ok_or_else(missing)
        };
        let (mut unknown, adjusts) = match self.kind.as_str() {
            "parameter" => {
                let index = model.machine().parameter_index(&self.name)?;
                let mut parameter = model.machine().parameters()[index].clone();
                parameter.value = self.initial.unwrap_or(parameter.value);
                (
                    Unknown::from_parameter(&parameter)?,
                    Adjusts::Parameters(vec![(parameter.name, 1.0)]),
                )
            }
            "delay" => {
                let channels = self.channel.clone().into_iter().collect();
                (
                    self.of_unit("s", 0.0)?,
                    Adjusts::Delay {
                        channels,
                        experiment: None,
                    },
                )
            }
            "bias" => {
                let adjusts = Adjusts::Bias {
                    channel: channel()?,
                    entry: self.entry,
                    experiment: None,
                };
                (self.of_unit("1", 0.0)?, adjusts)
            }
            "gain" => {
                let adjusts = Adjusts::Gain {
                    channel: channel()?,
                    entry: self.entry,
                    experiment: None,
                };
                (self.of_unit("1", 1.0)?, adjusts)
            }
            "mounting" => (
                self.of_unit("m", 0.0)?,
                Adjusts::Mounting {
                    channel: channel()?,
                    axis: self.entry,
                },
            ),
            other => {
                let expected = "expected parameter, delay, bias, gain or mounting";
                return Err(Failure::argument(format!(
                    "unknown {}: found {other:?}, {expected}",
                    self.name
                )));
            }
        };
        if self.lower.is_some() || self.upper.is_some() {
            let (lower, upper) = (unknown.lower(), unknown.upper());
            unknown = unknown.bounds(self.lower.unwrap_or(lower), self.upper.unwrap_or(upper))?;
        }
        if let Some(scale) = self.scale {
            unknown = unknown.scale(scale)?;
        }
        if self.logarithmic {
            unknown = unknown.logarithmic()?;
        }
        if let Some((mean, deviation)) = self.prior {
            unknown = unknown.with_prior(mean, deviation)?;
        }
        Ok(model.estimate(unknown, &adjusts)?)
    }

    fn of_unit(&self, unit: &str, initial: f64) -> Outcome<Unknown> {
        Ok(Unknown::new(
            self.name.as_str(),
            unit,
            self.initial.unwrap_or(initial),
        )?)
    }
}

/// A name and a unit, `name [unit]`.
fn name_and_unit(title: &str) -> (String, Option<String>) {
    match title
        .strip_suffix(']')
        .and_then(|title| title.split_once('['))
    {
        Some((name, unit)) => (name.trim().to_owned(), Some(unit.trim().to_owned())),
        None => (title.trim().to_owned(), None),
    }
}

/// Channels and the units of what they measure, in SI.
struct Units(Vec<(String, &'static str)>);

impl Units {
    fn of(channels: &[ChannelArguments], stepper: &Stepper) -> Outcome<Self> {
        let mut units = Vec::new();
        for channel in channels {
            let slides = |name: &str| {
                let joint = stepper.tree().joint(stepper.tree().joint_by_name(name)?)?;
                Ok::<_, Failure>(matches!(joint.kind(), JointKind::Prismatic { .. }))
            };
            let unit = match channel.kind.as_str() {
                "joint_position" if slides(&channel.target)? => "m",
                "joint_position" => "rad",
                "joint_velocity" if slides(&channel.target)? => "m/s",
                "joint_velocity" => "rad/s",
                _ => "SI",
            };
            units.push((channel.name.clone(), unit));
        }
        Ok(Units(units))
    }

    /// Of a signal that does not say: of a channel, or of one of its entries; of inputs any will do.
    fn of_signal(&self, signal: &str) -> &str {
        let of_entry = |(name, unit): &'_ (String, &'static str)| {
            Some(match signal.strip_prefix(name.as_str())? {
                "" => *unit,
                "/qw" | "/qx" | "/qy" | "/qz" => "1",
                "/x" | "/y" | "/z" => "m",
                "/vx" | "/vy" | "/vz" => "m/s",
                "/w" | "/wx" | "/wy" | "/wz" => "rad/s",
                "/angle" => "rad",
                _ => return None,
            })
        };
        self.0.iter().find_map(of_entry).unwrap_or("SI")
    }
}

/// Times in s, and signals of as many samples.
fn signals(recording: &Bound<'_, PyDict>, units: &Units) -> Outcome<Signals> {
    let column = |value: &Bound<'_, PyAny>, name: &str| {
        let read = numbers(value, name)?;
        match read.shape[..] {
            [_] => Ok(read.values),
            _ => Err(wrong_shape(name, &read.shape, "(samples,)")),
        }
    };
    let time = match recording.get_item("time")? {
        None => recording.get_item("time [s]")?,
        time => time,
    };
    let time = time.ok_or_else(|| Failure::argument("recording: there is no \"time\""))?;
    let time = column(&time, "time")?;
    let count = time.len();
    let mut signals = Signals::at(time)?;
    for (name, value) in recording {
        let (name, unit) = name_and_unit(&name.extract::<String>()?);
        if name != "time" {
            let values = column(&value, &name)?;
            if values.len() != count {
                return Err(wrong_shape(&name, &[values.len()], &format!("({count},)")));
            }
            let unit = unit.unwrap_or_else(|| units.of_signal(&name).to_owned());
            signals = signals.with(name, unit, values)?;
        }
    }
    Ok(signals)
}

/// A recording as Python gives it: its name, signals, the state at its start, and what is known of that.
type RecordingArguments<'py> = (
    String,
    Vec<Bound<'py, PyDict>>,
    Option<Bound<'py, PyAny>>,
    bool,
    bool,
);

fn start(stepper: &Stepper, value: Option<&Bound<'_, PyAny>>, is_known: bool) -> Outcome<Start> {
    let Some(value) = value else {
        return Ok(Start::Measured);
    };
    let x = crate::array::vector(value, "start", state_size(stepper))?;
    let state = state_of(stepper, &x, 0.0);
    Ok(if is_known {
        Start::Known(state)
    } else {
        Start::Guessed(state)
    })
}

/// Fits a motion, see ``dualbody.Fit``.
#[pyfunction]
#[pyo3(signature = (system, channels, unknowns, recordings, state_deviations, first, threads, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn fit_motion(
    py: Python<'_>,
    system: &Bound<'_, System>,
    channels: Vec<Bound<'_, PyAny>>,
    unknowns: Vec<Bound<'_, PyAny>>,
    recordings: Vec<RecordingArguments<'_>>,
    state_deviations: [f64; 4],
    first: usize,
    threads: bool,
    progress: Option<Py<PyAny>>,
) -> Outcome<FitResult> {
    let stepper = system.get().stepper();
    let mut model = MotionModel::new((*stepper).clone());
    let channels = channels
        .iter()
        .map(|channel| channel.extract::<ChannelArguments>());
    let channels = channels.collect::<PyResult<Vec<_>>>()?;
    let units = Units::of(&channels, &stepper)?;
    for channel in channels {
        model = model.measure(&channel.channel()?)?;
    }
    for unknown in unknowns {
        model = unknown.extract::<UnknownArguments>()?.estimate(model)?;
    }
    let model = Arc::new(model);
    let [position, velocity, actuators, sensors] = state_deviations;
    let deviations = StateDeviations {
        position,
        velocity,
        actuators,
        sensors,
    };
    let (mut experiments, mut held_out) = (Vec::new(), Vec::new());
    for (name, columns, at_start, is_known, is_held_out) in recordings {
        let tables = (columns.iter()).map(|table| signals(table, &units));
        let signals: Vec<Signals> = tables.collect::<Result<_, _>>()?;
        let start = start(&stepper, at_start.as_ref(), is_known)?;
        let experiment = MotionExperiment::new(model.clone(), name, &signals, start, deviations)?;
        if is_held_out {
            &mut held_out
        } else {
            &mut experiments
        }
        .push(experiment);
    }
    let optimiser = LevenbergMarquardt::default()
        .noise(Noise::Unit)
        .noise_tolerance(NOISE_TOLERANCE)
        .map_err(dualbody::Error::from)?
        .parallelism(parallelism(threads));
    let fitter = MultipleShooting::new(optimiser, first).map_err(dualbody::Error::from)?;
    let run = |note: Note| fit_recordings(&fitter, &model, &experiments, &[], note);
    fit(py, run, &held_out, progress)
}

/// Fits what a file describes: a machine, what was measured on it, what is not known, and tables of signals.
#[pyfunction]
#[pyo3(signature = (path, first=20, threads=true, progress=None))]
pub fn fit_file(
    py: Python<'_>,
    path: PathBuf,
    first: usize,
    threads: bool,
    progress: Option<Py<PyAny>>,
) -> Outcome<FitResult> {
    let motion = py.detach(|| MotionFit::load(path))?;
    let run = |note: Note| motion.fit(first, parallelism(threads), note);
    fit(py, run, &motion.held_out, progress)
}

/// Is told of every step of segments of so many samples.
type Note<'a> = &'a mut dyn FnMut(usize, &Iteration) -> ControlFlow<()>;

fn parallelism(threads: bool) -> Parallelism {
    if threads {
        prepare_shared_pool();
        Parallelism::Threads
    } else {
        Parallelism::Serial
    }
}

fn fit(
    py: Python<'_>,
    run: impl FnOnce(Note) -> Result<FittedRecordings, IdentificationError> + Send,
    held_out: &[MotionExperiment],
    progress: Option<Py<PyAny>>,
) -> Outcome<FitResult> {
    let mut interrupted = None;
    let (fitted, scores) = py.detach(|| {
        let fitted = run(&mut |segment, iteration| {
            let told = Python::attach(|py| {
                py.check_signals()?;
                match &progress {
                    Some(progress) => progress
                        .call1(py, (segment, iteration.number, iteration.cost))
                        .map(|_| ()),
                    None => Ok(()),
                }
            });
            match told {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    interrupted = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        // One that cannot be judged does not take the result with it.
        let score = |recording: &MotionExperiment| {
            let score = fitted.misfit(recording).unwrap_or(f64::NAN);
            (recording.name().to_owned(), score)
        };
        let scores = held_out.iter().map(score).collect::<Vec<_>>();
        Ok::<_, Failure>((fitted, scores))
    })?;
    match interrupted {
        Some(error) => Err(error.into()),
        None => Ok(FitResult {
            warnings: fitted.warnings(),
            model: fitted.model,
            found: fitted.found,
            held_out: scores,
        }),
    }
}

#[pymethods]
impl FitResult {
    /// The estimates by the names of the unknowns.
    #[getter]
    fn estimates<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let fit = &self.found.fit;
        let out = PyDict::new(py);
        for estimate in &fit.estimates {
            out.set_item(&estimate.name, estimate.value)?;
        }
        Ok(out)
    }

    /// Their standard errors; None of one that is not determined.
    #[getter]
    fn standard_errors<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let fit = &self.found.fit;
        let out = PyDict::new(py);
        for estimate in &fit.estimates {
            out.set_item(&estimate.name, estimate.standard_error)?;
        }
        Ok(out)
    }

    /// What is known of each estimate, in words: determined, held by the prior, at a bound, not determined.
    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let fit = &self.found.fit;
        let out = PyDict::new(py);
        for estimate in &fit.estimates {
            out.set_item(&estimate.name, estimate.status.to_string())?;
        }
        Ok(out)
    }

    /// The part of the variance of each estimate that comes from the data, 1 without priors; None of one that neither data nor
    /// priors hold.
    #[getter]
    fn data_shares<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for estimate in &self.found.fit.estimates {
            out.set_item(&estimate.name, estimate.data_share)?;
        }
        Ok(out)
    }

    /// The units of the unknowns.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for unknown in &self.found.fit.unknowns {
            out.set_item(unknown.name(), unknown.unit())?;
        }
        Ok(out)
    }

    /// Confidence intervals ``(lower, upper)`` of this level; None of an estimate that is not determined.
    #[pyo3(signature = (level=0.95))]
    fn intervals<'py>(&self, py: Python<'py>, level: f64) -> Outcome<Bound<'py, PyDict>> {
        let fit = &self.found.fit;
        let out = PyDict::new(py);
        for (k, unknown) in fit.unknowns.iter().enumerate() {
            out.set_item(unknown.name(), fit.confidence_interval(k, level)?)?;
        }
        Ok(out)
    }

    /// The correlations (n, n) of the estimates, in their order; NaN where one is not determined.
    #[getter]
    fn correlations<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
        let fit = &self.found.fit;
        let n = fit.unknowns.len();
        let entry = |i, j| fit.correlation(i, j).unwrap_or(f64::NAN);
        matrix(py, &DMatrix::from_fn(n, n, entry))
    }

    /// The values (n,) of the unknowns, in their order.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array1(py, self.found.fit.values())
    }

    /// The residuals of recordings that were held back, in standard deviations, by their names; NaN of one that cannot be
    /// simulated.
    #[getter]
    fn held_out<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for (name, score) in &self.held_out {
            out.set_item(name, score)?;
        }
        Ok(out)
    }

    /// What a reader of the estimates should know: deviations that are wrong, residuals that are autocorrelated, outliers.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Half the sum of the squares of the residuals.
    #[getter]
    fn cost(&self) -> f64 {
        self.found.fit.cost
    }

    /// Whether the fit ended at a minimum over whole recordings.
    #[getter]
    fn converged(&self) -> bool {
        let is_whole = self.found.failed.is_none() && self.found.discarded.is_empty();
        is_whole && self.found.fit.stop.is_converged()
    }

    /// Why the fit ended.
    #[getter]
    fn stop(&self) -> String {
        match &self.found.failed {
            Some(failed) => format!("segments of {} samples: {}", failed.segment, failed.cause),
            None => match self.found.discarded.is_empty() {
                true => self.found.fit.stop.to_string(),
                false => format!(
                    "longer segments than {} samples were not taken: they have no minimum, or one far from the motion",
                    self.found.segment
                ),
            },
        }
    }

    /// The system with the values that were found.
    fn identified(&self) -> Outcome<System> {
        Ok(System::new(
            self.model.identified(&self.found.fit.values())?,
            None,
            Vec::new(),
        ))
    }

    /// A page about the fit: estimates, intervals, correlations, residuals, scores.
    #[pyo3(signature = (title="A machine and its recordings"))]
    fn to_html(&self, title: &str) -> Outcome<String> {
        let mut report = FitReport::new(title, &self.found.fit);
        for warning in &self.warnings {
            report = report.with_warning(warning);
        }
        for (name, score) in &self.held_out {
            report = report.with_score(
                format!("residuals of {name:?}"),
                format!("{score:.3} standard deviations"),
            );
        }
        Ok(report.html()?)
    }

    fn _repr_html_(&self) -> Outcome<String> {
        Ok(crate::rollout::frame(
            &self.to_html("A machine and its recordings")?,
        ))
    }

    fn __str__(&self) -> String {
        let mut text = self.found.fit.to_string();
        for warning in &self.warnings {
            text += &format!("\n{warning}");
        }
        for (name, score) in &self.held_out {
            text += &format!("\n{name}, held back: residuals of {score:.3} standard deviations");
        }
        text
    }

    fn __repr__(&self) -> String {
        format!(
            "<dualbody.FitResult: {} unknowns, {}>",
            self.found.fit.unknowns.len(),
            self.stop()
        )
    }
}
