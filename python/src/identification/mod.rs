//! Fits of motions to recordings.

mod result;

pub use result::FitResult;

use crate::array::{numbers, vector, wrong_shape};
use crate::error::{Failure, Outcome};
use crate::system::{Stepper, System, check_acts, state_of, state_size};
use crate::threads::prepare_shared_pool;
use dualbody::identification::motion::{
    Adjusts, Channel, Measured, MotionExperiment, MotionModel, Signals, Start, StateDeviations,
};
use dualbody::identification::{Loss, Noise, Unknown};
use dualbody::io::json::MotionFit;
use dualbody::tree::JointKind;
use dualbody::{Parallelism, Parameters};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct ChannelArguments {
    name: String,
    kind: String,
    target: String,
    deviations: Vec<f64>,
    position: Option<[f64; 3]>,
    estimate_deviations: bool,
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
                check_acts(model.machine(), &self.name, index)?;
                let mut parameter = model.machine().parameters()[index].clone();
                let adjusts = Adjusts::Parameters(vec![(parameter.name.clone(), 1.0)]);
                parameter.name.clone_from(&self.name);
                parameter.value = self.initial.unwrap_or(parameter.value);
                (Unknown::from_parameter(&parameter)?, adjusts)
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

/// Signals of columns; of one without a unit it is the SI unit of what the column is.
fn signals(recording: &Bound<'_, PyDict>, units: &Units) -> Outcome<Signals> {
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    for (title, values) in recording {
        let mut title = title.extract::<String>()?;
        let read = numbers(&values, &title)?;
        let [_] = read.shape[..] else {
            return Err(wrong_shape(&title, &read.shape, "(samples,)"));
        };
        if title != "time" && !title.ends_with(']') {
            let unit = units.of_signal(&title);
            title = format!("{title} [{unit}]");
        }
        columns.push((title, read.values));
    }
    if !columns.iter().any(|(title, _)| title.starts_with("time")) {
        return Err(Failure::argument("recording: there is no \"time\""));
    }
    Ok(Signals::from_columns(columns)?)
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
    let x = vector(value, "start", state_size(stepper))?;
    let state = state_of(stepper, &x, 0.0);
    Ok(if is_known {
        Start::Known(state)
    } else {
        Start::Guessed(state)
    })
}

/// Fits a motion, see ``dualbody.Fit``.
#[pyfunction]
#[pyo3(signature = (system, channels, unknowns, recordings, state_deviations, loss, noise, first, threads, progress=None))]
#[allow(clippy::too_many_arguments)]
pub fn fit_motion(
    py: Python<'_>,
    system: &Bound<'_, System>,
    channels: Vec<Bound<'_, PyAny>>,
    unknowns: Vec<Bound<'_, PyAny>>,
    recordings: Vec<RecordingArguments<'_>>,
    state_deviations: [f64; 4],
    loss: (String, f64),
    noise: &str,
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
    let mut estimated = Vec::new();
    for channel in channels {
        if channel.estimate_deviations {
            estimated.push(channel.name.clone());
        }
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
    let mut motion =
        MotionFit::new(model, experiments)?.with_noise(loss_of(&loss)?, noise_of(noise)?)?;
    motion.held_out = held_out;
    motion.estimated_deviations = estimated;
    fit(py, &motion, first, threads, progress)
}

fn loss_of((name, threshold): &(String, f64)) -> Outcome<Loss> {
    Ok(match name.as_str() {
        "least_squares" => Loss::least_squares(),
        "huber" => Loss::huber(*threshold)?,
        "soft_l1" => Loss::soft_l1(*threshold)?,
        "cauchy" => Loss::cauchy(*threshold)?,
        other => {
            let expected = "expected least_squares, huber, soft_l1 or cauchy";
            return Err(Failure::argument(format!(
                "loss: found {other:?}, {expected}"
            )));
        }
    })
}

fn noise_of(name: &str) -> Outcome<Noise> {
    match name {
        "unit" => Ok(Noise::Unit),
        "estimated" => Ok(Noise::Estimated),
        "independent" => Ok(Noise::Independent),
        other => {
            let expected = "expected unit, estimated or independent";
            Err(Failure::argument(format!(
                "noise: found {other:?}, {expected}"
            )))
        }
    }
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
    fit(py, &motion, first, threads, progress)
}

fn fit(
    py: Python<'_>,
    motion: &MotionFit,
    first: usize,
    threads: bool,
    progress: Option<Py<PyAny>>,
) -> Outcome<FitResult> {
    let parallelism = match threads {
        true => {
            prepare_shared_pool();
            Parallelism::Threads
        }
        false => Parallelism::Serial,
    };
    let mut interrupted = None;
    let fitted = py.detach(|| {
        let mut fitted = motion.fit(first, parallelism, |segment, iteration| {
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
        fitted.judge(&motion.held_out);
        Ok::<_, Failure>(fitted)
    })?;
    match interrupted {
        Some(error) => Err(error.into()),
        None => Ok(FitResult::new(fitted, motion.sources.clone())),
    }
}
