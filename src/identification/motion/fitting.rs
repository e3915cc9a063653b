//! Fits of recordings with unknown noise levels.

use super::channel_residuals::ChannelResiduals;
use super::contract::Finding;
use super::experiment::MotionExperiment;
use super::model::MotionModel;
use crate::error::Short;
use crate::identification::robust_cost::robust_deviation;
use crate::identification::{
    EvaluationError, IdentificationError, Iteration, MultipleShooting, MultipleShootingFit,
    SegmentedTrajectory, StopReason, Verdict,
};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// How often recordings are fitted with what their channels scatter by.
const MAX_FITS: usize = 5;
/// Factor within which that is the same.
const SAME: f64 = 1.05;
/// Deviations do not become smaller than this part of what they are in a fit.
const LEAST: f64 = 1e-3;
/// Range of the scatter of residuals, in deviations, in which deviations are right.
const RIGHT: std::ops::RangeInclusive<f64> = 0.5..=2.0;
/// Fewest residuals whose scatter is judged.
const FEWEST: usize = 20;
/// Outliers of a channel that a warning names.
const NAMED: usize = 5;

/// What [`fit_recordings`] has found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FittedRecordings {
    /// The model, with the deviations of channels that were estimated.
    pub model: Arc<MotionModel>,
    /// The recordings of that model.
    pub experiments: Vec<MotionExperiment>,
    /// What was found.
    pub found: MultipleShootingFit,
    /// The residuals of each recording by channels; none of one that was left out.
    pub channels: Vec<Vec<ChannelResiduals>>,
    /// How recordings that were held back are predicted, in the order in which they were [judged](Self::judge).
    pub held_out: Vec<HeldOut>,
}

/// A recording that was held back, and how it is predicted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HeldOut {
    /// The recording.
    pub recording: MotionExperiment,
    /// Its [misfit](FittedRecordings::misfit), in standard deviations, or why there is none.
    pub misfit: Result<f64, EvaluationError>,
}

/// Fits recordings, and estimates the deviations of some channels beside the unknowns.
///
/// Each of their deviations is multiplied by what its residuals scatter by (Huber's proposal 2 with squares up to nine times
/// their mean, times `√(m/(m − eliminated − rank))`), and the recordings are fitted again, until all stay within 5 %, at most
/// five times: the alternating maximum of the likelihood, with a scale that outliers do not spoil.
///
/// # Errors
/// As [`MultipleShooting::fit`].
pub fn fit_recordings(
    fitter: &MultipleShooting,
    model: &Arc<MotionModel>,
    experiments: &[MotionExperiment],
    estimated: &[String],
    mut progress: impl FnMut(usize, &Iteration) -> ControlFlow<()>,
) -> Result<FittedRecordings, IdentificationError> {
    let mut model = model.clone();
    let mut experiments = experiments.to_vec();
    let mut found = fitter.fit(model.unknowns(), &experiments, &mut progress)?;
    for _ in 1..MAX_FITS {
        let scales = scales(&model, &experiments, &found, estimated);
        let is_same = |scale: &f64| scale.ln().abs() <= SAME.ln();
        if scales.iter().flatten().all(is_same) || found.fit.stop == StopReason::Callback {
            break;
        }
        model = Arc::new(model.with_scaled_deviations(&scales));
        for experiment in &mut experiments {
            experiment.model = model.clone();
        }
        let start = found.fit.values();
        found = fitter.fit_from(model.unknowns(), &start, &experiments, &mut progress)?;
    }
    let channels = (experiments.iter().zip(&found.residuals))
        .map(|(experiment, residuals)| {
            let by_channel = residuals
                .as_deref()
                .map(|r| experiment.channel_residuals(r));
            by_channel.and_then(Result::ok).unwrap_or_default()
        })
        .collect();
    Ok(FittedRecordings {
        model,
        experiments,
        found,
        channels,
        held_out: Vec::new(),
    })
}

/// What the residuals of each entry of each channel scatter by; 1 of those that are not estimated.
fn scales(
    model: &MotionModel,
    experiments: &[MotionExperiment],
    found: &MultipleShootingFit,
    estimated: &[String],
) -> Vec<Vec<f64>> {
    let fit = &found.fit;
    let spare = fit.spare_residuals().unwrap_or(1.0);
    let lost = (fit.residual_count as f64 / spare).sqrt();
    let by_entry: Vec<_> = (experiments.iter().zip(&found.residuals))
        .filter_map(|(experiment, residuals)| experiment.by_entry(residuals.as_deref()?).ok())
        .collect();
    (model.channels().iter().enumerate())
        .map(|(c, channel)| {
            (0..channel.deviations.len())
                .map(|entry| {
                    let series = by_entry.iter().flat_map(|channels| &channels[c][entry]);
                    let scale = robust_deviation(series.map(|(_, r)| r.abs()).collect());
                    match scale {
                        Some(scale) if estimated.contains(&channel.name) => {
                            (lost * scale).max(LEAST)
                        }
                        _ => 1.0,
                    }
                })
                .collect()
        })
        .collect()
}

impl FittedRecordings {
    /// The [misfit](MotionExperiment::misfit) of another recording on this machine, in the deviations that were estimated.
    ///
    /// # Errors
    /// As there.
    pub fn misfit(&self, recording: &MotionExperiment) -> Result<f64, EvaluationError> {
        let recording = MotionExperiment {
            model: self.model.clone(),
            ..recording.clone()
        };
        recording.misfit(&self.found.fit.values())
    }

    /// Judges the fit by recordings that were held back, which [`Self::held_out`] has then. One that cannot be judged takes
    /// nothing with it.
    pub fn judge(&mut self, recordings: &[MotionExperiment]) {
        for recording in recordings {
            let misfit = self.misfit(recording);
            let recording = recording.clone();
            self.held_out.push(HeldOut { recording, misfit });
        }
    }

    /// Whether a minimum over whole recordings was found: the stage with the longest segments has converged, and none was
    /// discarded or failed.
    pub fn is_converged(&self) -> bool {
        let found = &self.found;
        let is_whole = found.failed.is_none() && found.discarded.is_empty();
        is_whole && found.fit.stop.is_converged()
    }

    /// What the residuals of each channel scatter by over all recordings, in its deviations and without outliers: 1 where model
    /// and deviations are right. `None` for fewer than twenty.
    pub fn scatter(&self) -> impl Iterator<Item = (&str, Option<f64>)> {
        let channels = self.model.channels().iter().enumerate();
        channels.map(|(c, channel)| (channel.name.as_str(), self.scatter_of(c)))
    }

    fn scatter_of(&self, channel: usize) -> Option<f64> {
        let all = || self.channels.iter().filter_map(move |all| all.get(channel));
        let count: usize = all().map(|channel| channel.count).sum();
        let squares: f64 = (all().map(|a| a.count as f64 * a.scatter.powi(2))).sum();
        (count >= FEWEST).then(|| (squares / count as f64).sqrt())
    }

    /// Whether the model explains the data: there are twice as many measured numbers as unknowns and coordinates of states at the start, and
    /// no channel [scatters](Self::scatter) by more than twice its deviations. Where it does not, the model is wrong or the
    /// deviations are too small, and standard errors say nothing.
    pub fn explains_data(&self) -> bool {
        let mut scatters = self.scatter().filter_map(|(_, scatter)| scatter);
        !self.has_too_few_data() && scatters.all(|s| s <= *RIGHT.end())
    }

    /// Whether there are less than two measured numbers for each unknown without prior and each coordinate of a state at the
    /// start: they could follow most residuals.
    fn has_too_few_data(&self) -> bool {
        self.measured() < 2 * (self.found.fit.eliminated_count + self.free_unknowns())
    }

    fn measured(&self) -> usize {
        self.channels
            .iter()
            .flatten()
            .map(|channel| channel.count)
            .sum()
    }

    fn free_unknowns(&self) -> usize {
        let unknowns = self.found.fit.unknowns.iter();
        unknowns.filter(|unknown| unknown.prior().is_none()).count()
    }

    /// What a reader of the estimates should know, a sentence each: [findings](MotionExperiment::findings) about the data;
    /// a result of segments, whose standard errors are too large; a fit that has not converged; data that are too few to judge it by;
    /// unknowns that are not determined, poorly so, or at a bound; recordings that are predicted badly; channels that
    /// scatter by less than a half or more than twice their deviations, residuals that are autocorrelated, and, of channels
    /// that do not scatter by more, outliers. The same of several recordings is one sentence.
    pub fn warnings(&self) -> Vec<String> {
        let judges = self.held_out.iter().map(|held_out| &held_out.recording);
        let recordings = self.experiments.iter().chain(judges);
        let mut warnings = sentences(recordings.flat_map(|e| e.findings()));
        let intervals = self.experiments.iter().map(|e| e.interval_count()).max();
        if intervals.is_some_and(|intervals| self.found.segment < intervals) {
            warnings.push(format!(
                "the result is of segments of {} intervals, from one to the next of which the state may jump by its \
                 deviations: standard errors are those of such a motion, too large by up to a factor of about two",
                self.found.segment
            ));
        }
        let fit = &self.found.fit;
        if !fit.stop.is_converged() {
            warnings.push(format!("the fit has not converged: {}", fit.stop));
        }
        if self.has_too_few_data() {
            let unknowns = fit.eliminated_count + self.free_unknowns();
            warnings.push(format!(
                "the data are too few to judge the fit by: {} measured numbers, {unknowns} unknowns and coordinates of states at \
                 the start",
                self.measured()
            ));
        }
        for (i, estimate) in fit.estimates.iter().enumerate() {
            let what = match fit.verdict(i) {
                Some(Verdict::NotDetermined { .. }) => {
                    "is not determined by the data: its value says nothing".to_owned()
                }
                Some(Verdict::PoorlyDetermined { .. }) => {
                    "is poorly determined: its error is larger than its size".to_owned()
                }
                Some(Verdict::AtBound { .. }) => format!("is {}", estimate.status),
                _ => continue,
            };
            warnings.push(format!("unknown {:?} {what}", estimate.name));
        }
        for c in 0..self.model.channels().len() {
            self.warn_of_channel(c, &mut warnings);
        }
        for HeldOut { recording, misfit } in &self.held_out {
            match misfit {
                Ok(misfit) if misfit <= RIGHT.end() => {}
                Ok(misfit) => warnings.push(format!(
                    "recording {:?}, which was held back: its residuals are {misfit:.3} standard deviations, outliers included, \
                     expected 1",
                    recording.name()
                )),
                Err(error) => warnings.push(format!("{:?}, which was held back: {error}", recording.name())),
            }
        }
        warnings
    }

    fn warn_of_channel(&self, c: usize, warnings: &mut Vec<String>) {
        let name = &self.model.channels()[c].name;
        let scatter = self
            .scatter_of(c)
            .filter(|scatter| !RIGHT.contains(scatter));
        if let Some(scatter) = scatter {
            let (size, or) = match scatter > 1.0 {
                true => ("small", ", or the model is wrong"),
                false => ("large", ""),
            };
            warnings.push(format!(
                "channel {name:?}: its residuals scatter by {scatter:.3} of its deviations, expected 1; they are too \
                 {size}{or}"
            ));
        }
        let of_recordings = || {
            let named = self.experiments.iter().zip(&self.channels);
            named
                .filter_map(move |(recording, channels)| Some((recording.name(), channels.get(c)?)))
        };
        let autocorrelated: Vec<&str> = of_recordings()
            .filter(|(_, channel)| channel.autocorrelation.is_some_and(|a| a.is_significant()))
            .map(|(recording, _)| recording)
            .collect();
        if let Some(first) = autocorrelated.first() {
            warnings.push(format!(
                "recording {first:?}{}, channel {name:?}: its residuals are autocorrelated, so that standard errors are too \
                 small",
                Others(autocorrelated.len() - 1)
            ));
        }
        if scatter.is_some_and(|scatter| scatter > 1.0) {
            return;
        }
        let outliers: Vec<_> = of_recordings()
            .flat_map(|(recording, channel)| channel.outliers.iter().map(move |o| (recording, o)))
            .collect();
        for (recording, outlier) in outliers.iter().take(NAMED) {
            let (residual, time) = (outlier.residual, Short::to_digits(outlier.time, 9));
            warnings.push(format!(
                "recording {recording:?}, channel {name:?}: outlier of {residual:.1} deviations at {time} s ({})",
                outlier.place
            ));
        }
        if outliers.len() > NAMED {
            let more = outliers.len() - NAMED;
            warnings.push(format!("channel {name:?}: {more} more outliers"));
        }
    }
}

impl fmt::Display for FittedRecordings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = &self.found;
        if !self.explains_data() {
            writeln!(
                f,
                "the model does not explain the data, as the lines below the table say"
            )?;
        }
        writeln!(f, "{}", found.fit)?;
        for warning in self.warnings() {
            writeln!(f, "{warning}")?;
        }
        if let Some(failed) = &found.failed {
            writeln!(
                f,
                "segments of {} samples: {}",
                failed.segment, failed.cause
            )?;
        }
        for stage in &found.discarded {
            writeln!(
                f,
                "segments of {} samples were not taken, those of {} were: {}",
                stage.segment,
                found.segment,
                stage.why_discarded()
            )?;
        }
        for HeldOut { recording, misfit } in &self.held_out {
            write!(f, "{}, which was held back: ", recording.name())?;
            match misfit {
                Ok(score) => writeln!(f, "residuals of {score:.4} standard deviations")?,
                Err(error) => writeln!(f, "{error}")?,
            }
        }
        Ok(())
    }
}

/// How many others a sentence about one is true of: ` and 3 others`.
struct Others(usize);

impl fmt::Display for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            1 => f.write_str(" and 1 other"),
            count => write!(f, " and {count} others"),
        }
    }
}

/// Findings as sentences; of those of one kind about signals of one name the first, with how many there are.
fn sentences<'f>(findings: impl Iterator<Item = &'f Finding>) -> Vec<String> {
    let mut kinds: Vec<(&Finding, usize)> = Vec::new();
    for finding in findings {
        let is_same = |of: &Finding| of.signal == finding.signal && of.defect == finding.defect;
        match kinds.iter_mut().find(|(of, _)| is_same(of)) {
            Some((_, others)) => *others += 1,
            None => kinds.push((finding, 0)),
        }
    }
    let sentence = |(finding, others): &(&Finding, usize)| match others {
        0 => finding.to_string(),
        _ => format!("{finding} (this one{} of the kind)", Others(*others)),
    };
    kinds.iter().map(sentence).collect()
}
