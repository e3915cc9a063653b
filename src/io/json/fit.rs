//! Fits of motions as JSON.

use super::document::{from_value, load, parse};
use super::element_types::ElementTypes;
use super::error::JsonError;
use super::source_file::SourceFile;
use super::tables::TablesDocument;
use crate::error::Short;
use crate::identification::motion::{
    Adjusts, Channel, FittedRecordings, Hold, Measured, MotionError, MotionExperiment, MotionModel,
    Signals, Start, StateDeviations, fit_recordings,
};
use crate::identification::{
    Blocks, IdentificationError, Iteration, LevenbergMarquardt, Loss, MultipleShooting, Noise,
    Unknown,
};
use crate::parameter::Parameters;
use crate::system::TimeSteppingRigidBodySystem;
use crate::{InvalidInput, Parallelism};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FORMAT: &str = "dualbody fit";
/// What ten steps must bring, in variances of the noise.
const NOISE_TOLERANCE: f64 = 1e-3;

/// A model of measured motions, and the recordings, as a [document](crate::io::json) describes them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MotionFit {
    /// The machine, its channels and its unknowns.
    pub model: Arc<MotionModel>,
    /// The recordings to fit.
    pub experiments: Vec<MotionExperiment>,
    /// Those that are held back, to judge the fit by.
    pub held_out: Vec<MotionExperiment>,
    /// How they are fitted: with the loss and the noise of the document.
    pub optimiser: LevenbergMarquardt,
    /// The channels whose deviations are estimated.
    pub estimated_deviations: Vec<String>,
    /// The document, the machine, the tables of signals and the states that it was read from.
    pub sources: Vec<SourceFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FitDocument {
    machine: PathBuf,
    channels: Vec<ChannelDocument>,
    unknowns: Vec<UnknownDocument>,
    state_deviations: StateDeviations,
    experiments: Vec<ExperimentDocument>,
    #[serde(default = "usual_loss")]
    loss: LossDocument,
    noise: Option<NoiseDocument>,
    /// What the devices that apply inputs make of them between samples.
    #[serde(default)]
    holds: BTreeMap<String, Hold>,
    /// Inputs that are zero where no column is theirs.
    #[serde(default)]
    zero_inputs: Vec<String>,
    /// Columns that nothing takes.
    #[serde(default)]
    unused_columns: Vec<String>,
}

/// Hardly less precise than least squares with normal noise, and hardly moved by an outlier.
const USUAL_LOSS: LossDocument = LossDocument::Huber(3.0);

fn usual_loss() -> LossDocument {
    USUAL_LOSS
}

fn optimiser(loss: Loss, noise: Noise) -> Result<LevenbergMarquardt, InvalidInput> {
    let blocks = match noise {
        Noise::Independent => Blocks::Experiment,
        _ => Blocks::Residual,
    };
    let optimiser = LevenbergMarquardt::new().loss(loss).noise(noise);
    optimiser.noise_tolerance(NOISE_TOLERANCE)?.blocks(blocks)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChannelDocument {
    name: String,
    measures: Measured,
    deviations: Vec<f64>,
    #[serde(default)]
    estimate_deviations: bool,
}

/// The loss of each residual.
#[derive(Clone, Copy, Deserialize)]
enum LossDocument {
    LeastSquares,
    Huber(f64),
    SoftL1(f64),
    Cauchy(f64),
}

impl LossDocument {
    fn loss(self) -> Result<Loss, InvalidInput> {
        match self {
            LossDocument::LeastSquares => Ok(Loss::least_squares()),
            LossDocument::Huber(threshold) => Loss::huber(threshold),
            LossDocument::SoftL1(threshold) => Loss::soft_l1(threshold),
            LossDocument::Cauchy(threshold) => Loss::cauchy(threshold),
        }
    }
}

/// What is known of the noise.
#[derive(Clone, Copy, Deserialize)]
enum NoiseDocument {
    Unit,
    Estimated,
    Independent,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnknownDocument {
    name: String,
    adjusts: Option<Adjusts>,
    unit: Option<String>,
    initial: Option<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
    scale: Option<f64>,
    #[serde(default)]
    logarithmic: bool,
    prior: Option<PriorDocument>,
}

/// What is known of an unknown before.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct PriorDocument {
    /// The first guess unless it is given.
    mean: Option<f64>,
    deviation: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExperimentDocument {
    name: String,
    signals: TablesDocument,
    start: StartDocument,
    #[serde(default)]
    held_out: bool,
}

#[derive(Deserialize)]
enum StartDocument {
    Known(PathBuf),
    Guessed(PathBuf),
    Measured,
}

impl MotionFit {
    /// Of recordings of a model, as a document that says nothing of loss and noise: Huber's loss with a threshold of three
    /// deviations, which an outlier hardly moves, and deviations that are right.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn new(
        model: Arc<MotionModel>,
        experiments: Vec<MotionExperiment>,
    ) -> Result<Self, InvalidInput> {
        Ok(MotionFit {
            optimiser: optimiser(USUAL_LOSS.loss()?, Noise::Unit)?,
            model,
            experiments,
            held_out: Vec::new(),
            estimated_deviations: Vec::new(),
            sources: Vec::new(),
        })
    }

    /// The same with a loss of each residual, or of each recording if these are what is independent, and with what is known
    /// of the noise; the [document](crate::io::json) says the same by `loss` and `noise`.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn with_noise(mut self, loss: Loss, noise: Noise) -> Result<Self, InvalidInput> {
        self.optimiser = optimiser(loss, noise)?;
        Ok(self)
    }

    /// Fits the recordings in stages whose first has segments of so many intervals, with a loss that
    /// [adapts](MultipleShooting::adapt_loss), and calls `progress` as [`MultipleShooting::fit`].
    ///
    /// # Errors
    /// As there, and for no intervals.
    pub fn fit(
        &self,
        first: usize,
        parallelism: Parallelism,
        progress: impl FnMut(usize, &Iteration) -> ControlFlow<()>,
    ) -> Result<FittedRecordings, IdentificationError> {
        let optimiser = self.optimiser.clone().parallelism(parallelism);
        let fitter = MultipleShooting::new(optimiser, first)?.adapt_loss(true);
        let (model, estimated) = (&self.model, &self.estimated_deviations);
        fit_recordings(&fitter, model, &self.experiments, estimated, progress)
    }

    /// Reads a [document](crate::io::json); the files that it names are found from its folder.
    ///
    /// # Errors
    /// [`JsonError`] with the place of whatever is not as it must be, in the document or a file that it names.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, JsonError> {
        Self::load_with(path, &ElementTypes::default())
    }

    /// As [`Self::load`], of a machine with elements of other types, too.
    ///
    /// # Errors
    /// As there.
    pub fn load_with(path: impl AsRef<Path>, types: &ElementTypes) -> Result<Self, JsonError> {
        let path = path.as_ref();
        Self::load_from(path, types).map_err(JsonError::in_file(path))
    }

    fn load_from(path: &Path, types: &ElementTypes) -> Result<Self, JsonError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut sources: Vec<SourceFile> = Vec::new();
        let mut note = |path: &Path, bytes: &[u8]| {
            if !sources.iter().any(|source| source.path == path) {
                sources.push(SourceFile::of(path, bytes));
            }
        };
        let text = load(path)?;
        note(path, text.as_bytes());
        let document: FitDocument = from_value(&parse(&text, FORMAT)?)?;
        let file = folder.join(&document.machine);
        let text = load(&file)?;
        note(&file, text.as_bytes());
        let machine = TimeSteppingRigidBodySystem::from_json_with(&text, types)
            .map_err(JsonError::in_file(&file))?;
        let mut model = MotionModel::new(machine);
        for (i, channel) in document.channels.iter().enumerate() {
            let place = at(format!("channels/{i}"));
            let ChannelDocument {
                name,
                measures,
                deviations,
                ..
            } = channel;
            let channel = Channel::new(name, measures.clone(), deviations.as_slice());
            model = channel.and_then(|c| model.measure(&c)).map_err(place)?;
        }
        for (input, hold) in &document.holds {
            let held = model.hold(input, *hold);
            model = held.map_err(at(format!("holds/{input}")))?;
        }
        for (i, unknown) in document.unknowns.iter().enumerate() {
            let (unknown, adjusts) = unknown.of(&model).map_err(at(format!("unknowns/{i}")))?;
            let estimated = model.estimate(unknown, &adjusts);
            model = estimated.map_err(at(format!("unknowns/{i}")))?;
        }
        let estimated = document.channels.iter().filter(|c| c.estimate_deviations);
        let mut fit = MotionFit {
            optimiser: document.optimiser()?,
            estimated_deviations: estimated.map(|c| c.name.clone()).collect(),
            model: Arc::new(model),
            experiments: Vec::new(),
            held_out: Vec::new(),
            sources: Vec::new(),
        };
        for (i, experiment) in document.experiments.iter().enumerate() {
            let place = format!("experiments/{i}");
            let name = &experiment.name;
            if document.experiments[..i].iter().any(|e| e.name == *name) {
                let reason = format!("there are two experiments named {name:?}");
                return Err(JsonError::value(place, reason));
            }
            let mut place = format!("{place}: recording {name:?}");
            let machine = fit.model.machine();
            let mut signals = Vec::new();
            for table in experiment.signals.tables() {
                let (read, bytes) = table.read(folder, &place)?;
                note(&folder.join(table.file()), &bytes);
                signals.push(read);
            }
            if let [table] = experiment.signals.tables() {
                place = format!("{place}, {}", folder.join(table.file()).display());
            }
            let signals = document.signals(signals, machine, &place)?;
            let mut state = |path: &Path| {
                let file = folder.join(path);
                let text = load(&file)?;
                note(&file, text.as_bytes());
                (machine.state_from_json(&text)).map_err(JsonError::in_file(&file))
            };
            let start = match &experiment.start {
                StartDocument::Known(path) => Start::Known(state(path)?),
                StartDocument::Guessed(path) => Start::Guessed(state(path)?),
                StartDocument::Measured => Start::Measured,
            };
            let (model, name) = (fit.model.clone(), experiment.name.clone());
            let made = MotionExperiment::new(
                model,
                name,
                signals.as_slice(),
                start,
                document.state_deviations,
            );
            let list = match experiment.held_out {
                true => &mut fit.held_out,
                false => &mut fit.experiments,
            };
            list.push(made.map_err(|error| match error {
                // It names the recording, the file and the line.
                MotionError::Data { .. } => at(format!("experiments/{i}"))(error),
                _ => at(place)(error),
            })?);
        }
        fit.sources = sources;
        Ok(fit)
    }
}

impl FitDocument {
    fn optimiser(&self) -> Result<LevenbergMarquardt, JsonError> {
        let loss = self.loss.loss().map_err(at("loss".to_owned()))?;
        let noise = match self.noise {
            None | Some(NoiseDocument::Unit) => Noise::Unit,
            Some(NoiseDocument::Estimated) => Noise::Estimated,
            Some(NoiseDocument::Independent) => Noise::Independent,
        };
        optimiser(loss, noise).map_err(at("noise".to_owned()))
    }

    /// The signals of tables, without columns that are said to be unused, and with inputs that are said to be zero.
    fn signals(
        &self,
        tables: Vec<Signals>,
        machine: &TimeSteppingRigidBodySystem<f64>,
        place: &str,
    ) -> Result<Vec<Signals>, JsonError> {
        let mut used = Vec::with_capacity(tables.len());
        for table in tables {
            let unused = (self.unused_columns.iter()).filter(|name| table.signal(name).is_some());
            let unused: Vec<_> = unused.cloned().collect();
            used.push(table.without(&unused).map_err(at(place.to_owned()))?);
        }
        for (i, name) in self.zero_inputs.iter().enumerate() {
            let place = format!("zero_inputs/{i}");
            let input = machine.input_index(name).map_err(at(place.clone()))?;
            let feeds = |column| {
                machine
                    .input_index(column)
                    .is_ok_and(|index| index == input)
            };
            let is_recorded = used.iter().flat_map(Signals::names).any(feeds);
            if !is_recorded && !used.is_empty() {
                let first = used.remove(0).with_zeros(name).map_err(at(place))?;
                used.insert(0, first);
            }
        }
        Ok(used)
    }
}

impl UnknownDocument {
    /// The unknown, and what it adjusts: the parameter of its name, unless something else is said.
    fn of(&self, model: &MotionModel) -> Result<(Unknown, Adjusts), MotionError> {
        let own = || vec![(self.name.clone(), 1.0)];
        let adjusts = (self.adjusts.clone()).unwrap_or_else(|| Adjusts::Parameters(own()));
        let (mut unit, mut initial, mut bounds) = ("1", 0.0, [f64::NEG_INFINITY, f64::INFINITY]);
        match &adjusts {
            Adjusts::Parameters(parameters) => {
                let listed = model.machine().parameters();
                // Other factors are refused with the unknown.
                let is_factor = |factor: f64| factor != 0.0 && factor.is_finite();
                let valid = parameters.iter().filter(|(_, factor)| is_factor(*factor));
                for (k, (name, factor)) in valid.enumerate() {
                    let parameter = &listed[model.machine().parameter_index(name)?];
                    if k == 0 {
                        (unit, initial) = (parameter.unit, parameter.value / factor);
                    }
                    let [a, b] = [parameter.lower, parameter.upper].map(|x| x / factor);
                    bounds = [bounds[0].max(a.min(b)), bounds[1].min(a.max(b))];
                }
                let [lower, upper] = bounds;
                if lower > upper {
                    let names: Vec<&str> = parameters.iter().map(|(name, _)| &**name).collect();
                    return Err(MotionError::Unknown {
                        unknown: self.name.clone(),
                        reason: format!(
                            "no value is within the bounds of all of {names:?}: it must be at least {} and at most {}",
                            Short(lower),
                            Short(upper)
                        ),
                    });
                }
            }
            Adjusts::Gain { .. } => initial = 1.0,
            Adjusts::Delay { .. } => unit = "s",
            Adjusts::Mounting { .. } => unit = "m",
            Adjusts::Bias { .. } => {}
        }
        let unit = self.unit.as_deref().unwrap_or(unit);
        let mut unknown = Unknown::new(&*self.name, unit, self.initial.unwrap_or(initial))?;
        let [lower, upper] = bounds;
        unknown = unknown.bounds(self.lower.unwrap_or(lower), self.upper.unwrap_or(upper))?;
        if let Some(scale) = self.scale {
            unknown = unknown.scale(scale)?;
        }
        if self.logarithmic {
            unknown = unknown.logarithmic()?;
        }
        if let Some(PriorDocument { mean, deviation }) = self.prior {
            let mean = mean.unwrap_or(unknown.initial());
            unknown = unknown.with_prior(mean, deviation)?;
        }
        Ok((unknown, adjusts))
    }
}

/// For `map_err`: an error at a place of the document.
fn at<E: std::fmt::Display>(place: String) -> impl FnOnce(E) -> JsonError {
    move |error| JsonError::value(place, error.to_string())
}
