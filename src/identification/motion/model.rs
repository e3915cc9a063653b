//! The model of a measured machine.

use super::channel::{BoundChannel, Channel, Source};
use super::error::MotionError;
use super::hold::Hold;
use crate::DefaultScalar;
use crate::identification::Unknown;
use crate::parameter::Parameters;
use crate::spelling::{Proposal, nearest_paths};
use crate::system::TimeSteppingRigidBodySystem;

/// What the value of an unknown sets.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Adjusts {
    /// Parameters of the machine, each to the unknown times a factor.
    Parameters(Vec<(String, f64)>),
    /// What an entry of the residual of a channel has beside the prediction, or an input beside what was recorded, in its
    /// unit.
    Bias {
        /// The channel, or else the input of the machine.
        channel: String,
        /// Which entry of its residual; 0 of an input.
        entry: usize,
        /// The experiment in which it is so, by its name; in all without one. Of a name that no experiment has, the unknown
        /// is not determined.
        experiment: Option<String>,
    },
    /// What an entry of a channel, not of a rotation, is multiplied by, or an input that was recorded.
    Gain {
        /// As of a bias.
        channel: String,
        /// As of a bias.
        entry: usize,
        /// As of a bias.
        experiment: Option<String>,
    },
    /// The time in s by which samples of channels are late, of one sensor or of its clock, or by which recorded inputs take
    /// effect late. Several delays of one channel or input add up.
    Delay {
        /// The channels and inputs; if there are none all channels that the model has so far.
        channels: Vec<String>,
        /// As of a bias.
        experiment: Option<String>,
    },
    /// Where the point of a channel is in its body, along one axis (0, 1, 2) of the body's frame, in m.
    Mounting {
        /// The channel.
        channel: String,
        /// The axis.
        axis: usize,
    },
}

/// What an unknown sets, found in the machine.
#[derive(Debug, Clone)]
enum Target {
    Parameters(Vec<(usize, f64)>),
    Bias(Entry),
    Gain(Entry),
    Delay(Vec<Signal>, Option<String>),
    Mounting(usize, usize),
}

/// A channel or an input, by its index.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Signal {
    Channel(usize),
    Input(usize),
}

#[derive(Debug, Clone)]
struct Entry {
    signal: Signal,
    entry: usize,
    experiment: Option<String>,
}

impl Target {
    /// Whether both set the same adjustment of a channel in some experiment; delays add up.
    fn overlaps(&self, other: &Target) -> bool {
        match (self, other) {
            (Target::Bias(a), Target::Bias(b)) | (Target::Gain(a), Target::Gain(b)) => {
                let both = (&a.experiment, &b.experiment);
                let together = both.0.is_none() || both.1.is_none() || both.0 == both.1;
                (a.signal, a.entry) == (b.signal, b.entry) && together
            }
            (Target::Mounting(c, axis), Target::Mounting(d, other)) => (c, axis) == (d, other),
            _ => false,
        }
    }
}

/// A machine in steps, what is measured on it, and what is not known of both.
#[derive(Debug, Clone)]
pub struct MotionModel {
    machine: TimeSteppingRigidBodySystem<f64>,
    channels: Vec<BoundChannel>,
    /// Of the inputs.
    holds: Vec<Hold>,
    unknowns: Vec<Unknown>,
    targets: Vec<Target>,
}

/// The unknowns by which a channel or an input differs from the machine, in one experiment.
#[derive(Debug, Clone, Default)]
pub(super) struct Adjustment {
    /// By entry of the residual; one of an input.
    pub gains: Vec<Option<usize>>,
    pub biases: Vec<Option<usize>>,
    pub delays: Vec<usize>,
    pub mounting: [Option<usize>; 3],
}

impl MotionModel {
    /// A machine on which nothing is measured and of which everything is known.
    pub fn new(machine: TimeSteppingRigidBodySystem<f64>) -> Self {
        let holds = vec![Hold::default(); machine.num_inputs()];
        MotionModel {
            machine,
            channels: Vec::new(),
            holds,
            unknowns: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Adds what is measured.
    ///
    /// # Errors
    /// [`MotionError::Channel`] for a second channel of a name, a name that the machine does not have, a joint without
    /// coordinates of its own, and another number of deviations than residuals.
    pub fn measure(mut self, channel: &Channel) -> Result<Self, MotionError> {
        if self.channels.iter().any(|c| c.name == channel.name()) {
            return Err(channel.rejected("there are two of this name".to_owned()));
        }
        let bound = BoundChannel::new(channel, self.machine.system())?;
        self.channels.push(bound);
        Ok(self)
    }

    /// Says what the device that applies an input makes of it between samples: [`Hold::ZeroOrder`] unless it is said.
    ///
    /// # Errors
    /// [`MotionError::System`] for an input that the machine does not have.
    pub fn hold(mut self, input: &str, hold: Hold) -> Result<Self, MotionError> {
        let index = self.machine.input_index(input)?;
        self.holds[index] = hold;
        Ok(self)
    }

    /// Adds an unknown.
    ///
    /// # Errors
    /// [`MotionError::Unknown`] for a second unknown of a name, channels and entries that there are not (channels come
    /// first), the gain of a rotation, the time step, and what another unknown sets already; [`MotionError::Parameter`] for a parameter that is not
    /// found.
    pub fn estimate(mut self, unknown: Unknown, adjusts: &Adjusts) -> Result<Self, MotionError> {
        if self.unknowns.iter().any(|u| u.name() == unknown.name()) {
            return Err(MotionError::Unknown {
                unknown: unknown.name().to_owned(),
                reason: "there are two of this name".to_owned(),
            });
        }
        let target = (self.target(adjusts)).map_err(|error| match error {
            Refused::Reason(reason) => MotionError::Unknown {
                unknown: unknown.name().to_owned(),
                reason,
            },
            Refused::Error(error) => error,
        })?;
        if self.targets.iter().any(|other| other.overlaps(&target)) {
            return Err(MotionError::Unknown {
                unknown: unknown.name().to_owned(),
                reason: "another unknown sets the same".to_owned(),
            });
        }
        self.unknowns.push(unknown);
        self.targets.push(target);
        Ok(self)
    }

    /// Adds a parameter of the machine as an unknown, with its name, unit, bounds and value.
    ///
    /// # Errors
    /// As [`Self::estimate`].
    pub fn estimate_parameter(self, name: &str) -> Result<Self, MotionError> {
        let index = self.machine.parameter_index(name)?;
        let parameter = self.machine.parameters()[index].clone();
        let unknown = Unknown::from_parameter(&parameter)?;
        self.estimate(unknown, &Adjusts::Parameters(vec![(parameter.name, 1.0)]))
    }

    /// The machine as it was given.
    pub fn machine(&self) -> &TimeSteppingRigidBodySystem<f64> {
        &self.machine
    }

    /// The unknowns, in their order.
    pub fn unknowns(&self) -> &[Unknown] {
        &self.unknowns
    }

    /// The machine with these values of the unknowns, such as those of a fit.
    ///
    /// # Errors
    /// [`MotionError::Parameter`] for values that make no machine, [`MotionError::Invalid`] for another number of
    /// them.
    pub fn identified(
        &self,
        values: &[f64],
    ) -> Result<TimeSteppingRigidBodySystem<f64>, MotionError> {
        let mut machine = self.machine.clone();
        machine.set_parameters(&self.settings(values)?)?;
        Ok(machine)
    }

    /// The same model with the deviations of all entries of all channels multiplied.
    pub(super) fn with_scaled_deviations(&self, scales: &[Vec<f64>]) -> Self {
        let mut model = self.clone();
        for (channel, scales) in model.channels.iter_mut().zip(scales) {
            for (deviation, scale) in channel.deviations.iter_mut().zip(scales) {
                *deviation *= scale;
            }
        }
        model
    }

    /// The standard deviations of the entries of a channel's residual, in the units of the machine; `None` of a channel that
    /// there is not.
    pub fn deviations(&self, channel: &str) -> Option<&[f64]> {
        let found = self.channels.iter().find(|c| c.name == channel)?;
        Some(&found.deviations)
    }

    pub(super) fn channels(&self) -> &[BoundChannel] {
        &self.channels
    }

    pub(super) fn holds(&self) -> &[Hold] {
        &self.holds
    }

    /// The machine in another scalar.
    pub(super) fn machine_at<T: DefaultScalar>(
        &self,
        values: &[T],
    ) -> Result<TimeSteppingRigidBodySystem<T>, MotionError> {
        let mut machine = self.machine.cast::<T>();
        machine.set_parameters(&self.settings(values)?)?;
        Ok(machine)
    }

    /// What is not known of the channels and of the inputs in an experiment.
    pub(super) fn adjustments(&self, experiment: &str) -> [Vec<Adjustment>; 2] {
        let is_here = |only: &Option<String>| only.as_deref().is_none_or(|name| name == experiment);
        let none = |entries: usize| Adjustment {
            gains: vec![None; entries],
            biases: vec![None; entries],
            ..Adjustment::default()
        };
        let of_channels = self.channels.iter().map(|c| none(c.deviations.len()));
        let mut all: Vec<_> = of_channels
            .chain(self.holds.iter().map(|_| none(1)))
            .collect();
        let index = |signal: Signal| match signal {
            Signal::Channel(index) => index,
            Signal::Input(index) => self.channels.len() + index,
        };
        for (unknown, target) in self.targets.iter().enumerate() {
            match target {
                Target::Gain(at) if is_here(&at.experiment) => {
                    all[index(at.signal)].gains[at.entry] = Some(unknown);
                }
                Target::Bias(at) if is_here(&at.experiment) => {
                    all[index(at.signal)].biases[at.entry] = Some(unknown);
                }
                Target::Delay(late, only) if is_here(only) => {
                    (late.iter()).for_each(|&signal| all[index(signal)].delays.push(unknown));
                }
                Target::Mounting(channel, axis) => {
                    all[*channel].mounting[*axis] = Some(unknown);
                }
                _ => {}
            }
        }
        let inputs = all.split_off(self.channels.len());
        [all, inputs]
    }

    /// Parameters of the machine, by their positions, and what the unknowns make of them.
    pub(super) fn settings<T: DefaultScalar>(
        &self,
        values: &[T],
    ) -> Result<Vec<(usize, T)>, crate::InvalidInput> {
        let n = self.unknowns.len();
        crate::InvalidInput::check_size("values of the unknowns", values.len(), n)?;
        let targets = self.targets.iter().zip(values);
        let settings = targets.flat_map(|(target, &value)| {
            let parameters = match target {
                Target::Parameters(parameters) => parameters.as_slice(),
                _ => &[],
            };
            parameters
                .iter()
                .map(move |&(i, factor)| (i, value * factor))
        });
        Ok(settings.collect())
    }

    fn target(&self, adjusts: &Adjusts) -> Result<Target, Refused> {
        let channel = |name: &str| {
            let index = self.channels.iter().position(|c| c.name == *name);
            index.ok_or_else(|| {
                let nearest = nearest_paths(self.channels.iter().map(|c| &*c.name), name);
                let proposal = Proposal(&nearest);
                Refused::Reason(format!("there is no channel {name:?}{proposal}"))
            })
        };
        // Where no channel has the name, an input may have it.
        let signal = |name: &str| match self.machine.input_index(name) {
            Ok(index) if !self.channels.iter().any(|c| c.name == name) => Ok(Signal::Input(index)),
            _ => channel(name).map(Signal::Channel),
        };
        let entry = |name: &str, entry: usize, experiment: &Option<String>| {
            let signal = signal(name)?;
            let (what, entries) = match signal {
                Signal::Channel(index) => ("channel", self.channels[index].deviations.len()),
                Signal::Input(_) => ("input", 1),
            };
            if entry >= entries {
                let reason = format!("there is no entry {entry}, {what} {name:?} has {entries}");
                return Err(Refused::Reason(reason));
            }
            Ok(Entry {
                signal,
                entry,
                experiment: experiment.clone(),
            })
        };
        Ok(match adjusts {
            Adjusts::Parameters(parameters) if parameters.is_empty() => {
                return Err(Refused::Reason("no parameter is named".to_owned()));
            }
            Adjusts::Parameters(parameters) => {
                let names: Vec<&String> = parameters.iter().map(|(name, _)| name).collect();
                let indices = self.machine.parameter_indices(&names)?;
                let last = self.machine.parameters().len() - 1;
                for (k, (index, (name, factor))) in indices.iter().zip(parameters).enumerate() {
                    let set = indices[..k].contains(index)
                        || self.targets.iter().any(|target| match target {
                            Target::Parameters(set) => set.iter().any(|(i, _)| i == index),
                            _ => false,
                        });
                    let reason = if set {
                        "it is set already"
                    } else if *index == last {
                        "samples are taken at it"
                    } else if *factor == 0.0 || !factor.is_finite() {
                        "its factor is not a number other than zero"
                    } else {
                        continue;
                    };
                    return Err(Refused::Reason(format!("parameter {name:?}: {reason}")));
                }
                let factors = parameters.iter().map(|(_, factor)| *factor);
                Target::Parameters(indices.into_iter().zip(factors).collect())
            }
            Adjusts::Bias {
                channel,
                entry: i,
                experiment,
            } => Target::Bias(entry(channel, *i, experiment)?),
            Adjusts::Gain {
                channel,
                entry: i,
                experiment,
            } => {
                let at = entry(channel, *i, experiment)?;
                if let Signal::Channel(index) = at.signal
                    && self.channels[index].rotates
                    && *i < 3
                {
                    return Err(Refused::Reason("a rotation has no gain".to_owned()));
                }
                Target::Gain(at)
            }
            Adjusts::Delay {
                channels,
                experiment,
            } => {
                let all = 0..self.channels.len();
                let late: Vec<Signal> = match channels[..] {
                    [] => all.map(Signal::Channel).collect(),
                    ref names => names.iter().map(|n| signal(n)).collect::<Result<_, _>>()?,
                };
                if let Some(k) = (1..late.len()).find(|&k| late[..k].contains(&late[k])) {
                    let reason = format!("channel {:?} is named twice", channels[k]);
                    return Err(Refused::Reason(reason));
                }
                Target::Delay(late, experiment.clone())
            }
            Adjusts::Mounting {
                channel: name,
                axis,
            } => {
                let index = channel(name)?;
                if !matches!(self.channels[index].source, Source::Point { .. }) || *axis > 2 {
                    let reason = format!("channel {name:?} has no point with an axis {axis}");
                    return Err(Refused::Reason(reason));
                }
                Target::Mounting(index, *axis)
            }
        })
    }
}

/// Why an unknown is refused.
enum Refused {
    Reason(String),
    Error(MotionError),
}

impl From<crate::ParameterError> for Refused {
    fn from(error: crate::ParameterError) -> Self {
        Refused::Error(error.into())
    }
}
