//! Identification from measured motions of machines, described as data.
//!
//! A [`MotionModel`] is a machine in steps with [`Channel`]s, that is what was measured on it and how well, and with
//! unknowns, each of which [`Adjusts`] parameters of the machine or the way in which a channel measures. A
//! [`MotionExperiment`] adds the [`Signals`] of one recording and what is known of the state at its start. It is a
//! [`SegmentedTrajectory`](super::SegmentedTrajectory), so that [`MultipleShooting`](super::MultipleShooting) fits it
//! without a closure.
//!
//! ```
//! use dualbody::contact::ContactModel;
//! use dualbody::identification::motion::{
//!     Channel, Measured, MotionExperiment, MotionModel, Signals, Start, StateDeviations,
//! };
//! use dualbody::identification::{LevenbergMarquardt, Problem};
//! use dualbody::prelude::*;
//! use dualbody::tree::{BodyIndex, JointKind};
//! use std::sync::Arc;
//!
//! // A wheel on an axle with friction, which slows down from 5 rad/s: ω = 5 exp(−d t/I).
//! let mut tree = RigidBodyTreeBuilder::new();
//! let wheel = tree.add_body("wheel", SpatialInertia::solid_sphere(1.0, 0.1))?; // 4 g m²
//! let (axle, here) = (JointKind::Continuous { axis: Vector3::z() }, RigidTransform::identity());
//! tree.add_joint("axle", axle, BodyIndex::WORLD, here, wheel)?;
//! let machine = RigidBodySystem::new(tree.finish()?, ContactModel::none())?;
//! let machine = TimeSteppingRigidBodySystem::compliant(machine, 1e-4)?;
//! let mut start = machine.initial_state();
//! start.v[0] = 5.0;
//!
//! let rate = Channel::new("rate", Measured::JointVelocity("axle".into()), [0.01])?; // rad/s
//! let model = MotionModel::new(machine).measure(&rate)?.estimate_parameter("axle/damping")?;
//! let measured: Vec<f64> = (0..50).map(|i| 5.0 * (-0.01 * f64::from(i) * 0.5).exp()).collect();
//! let signals = Signals::new(0.0, 0.01)?.with("rate", "rad/s", measured)?;
//! let deviations = StateDeviations { position: 0.1, velocity: 0.1, actuators: 1.0, sensors: 1.0 };
//! let model = Arc::new(model);
//! let run = MotionExperiment::new(model.clone(), "run", &signals, Start::Known(start), deviations)?;
//!
//! let experiments = [run];
//! let fit = LevenbergMarquardt::default().fit(&Problem::new(model.unknowns(), &experiments)?)?;
//! assert!((fit.values()[0] - 0.5 * 0.004).abs() < 1e-6); // N m s/rad
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a channel measures
//! With the prediction `y(t)`, its gain `g`, bias `b` and delay `d`, a sample at the time `t` has the residual
//!
//! ```text
//! r = (g y(t − d) + b − measured)/σ
//! ```
//!
//! and for a rotation, of which gains make no sense, `(log(q(t − d) q̄_measured) + b)/σ`, expressed in the parent frame
//! of the joint. Steps of the machine divide the time between two samples; in between, predictions are
//! interpolated linearly, so that they are continuous in the delay, with an error of second order in the step. Before the
//! start of a segment they are extrapolated from its first step. Angles without limits (of continuous and planar joints)
//! that were measured within one turn are continued by whole turns, by the shorter way from sample to sample, and from the
//! start if that is known or guessed. Samples that are missing (NaN, or an empty field) have no residual.
//!
//! Every input has a signal, of zeros if it was zero, and every signal is one of a
//! channel or an input: a name that is misspelt is an error. Units are brought to SI.
//!
//! # Signals with times of their own
//! Channels and inputs may stand in several [`Signals`], each at its own rate or at any times that grow. A sample of a channel
//! is compared with the prediction at its own time, interpolated between steps; what was measured is never changed. An input
//! goes on between its samples as its device [`Hold`]s it, and a step takes its mean over the step, so that it has the impulse of
//! the device. Before its first sample and after its last it is that sample. With its gain `g`, bias `b` and delay `d` as
//! unknowns the machine gets `g u(t − d) + b`, where `u` is made of the means, straight in `d` from one step to the next.
//!
//! Before anything is fitted, data are looked at: [`MotionExperiment::findings`] says what makes a fit doubtful, and data that make
//! it wrong are refused, with table, signal, line and time. Times that do not grow are refused where a table is read.
//!
//! | [`Defect`] | what | |
//! |---|---|---|
//! | `Missing` | there are no samples | an error of an input |
//! | `Coverage` | an input is not known throughout: only the part in which it is known is used | an error where a start is given for what is cut off |
//! | `Gap` | a sample is later than 1.5 usual intervals after the one before | an error of an input, unless it is written [on change](Hold::OnChange) |
//! | `Rate` | one interval in twenty is off the usual one by a fifth, at no constant rate: times of arrival? Samples of a channel so near that only the last counts | |
//! | `Saturation` | it runs into the end of its range without slowing down and stays there, twice or more | |
//! | `Excitation` | an input or a channel that never changes; inputs that are proportional | |
//!
//! # The state at the start
//! The coordinates of a state, of which [`StateDeviations`] say how well they are known, are the rotations and translations
//! from the guess ([`difference`](crate::tree::RigidBodyTree::difference)) and what is added to its velocities and to the
//! states of actuators and sensors. Guesses at later samples, where segments may begin, are those of positions
//! that are measured, with velocities that are measured or else central differences; the rest is that of the guess at the start.

mod channel;
mod channel_residuals;
mod columns;
mod comparison;
mod contract;
mod error;
mod experiment;
mod fitting;
mod grid;
mod guesses;
mod hold;
mod model;
#[cfg(feature = "parquet")]
mod parquet;
mod runaway;
mod sensitivities;
mod signals;
mod simulation;
#[cfg(feature = "serde")]
mod table;
mod trace;
mod unit;
mod unwrapping;

pub use channel::{Channel, Measured};
pub use channel_residuals::{ChannelResiduals, Outlier};
pub use comparison::Comparison;
pub use contract::{Defect, Finding, RecordedSignal, Severity};
pub use error::MotionError;
pub use experiment::{MotionExperiment, Start, StateDeviations};
pub use fitting::{FittedRecordings, HeldOut, fit_recordings};
pub use hold::Hold;
pub use model::{Adjusts, MotionModel};
pub use runaway::{LargestInput, Runaway};
pub use signals::Signals;
