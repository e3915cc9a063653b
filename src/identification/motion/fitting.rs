//! Fits of recordings with unknown noise levels.

use super::channel_residuals::ChannelResiduals;
use super::experiment::MotionExperiment;
use super::model::MotionModel;
use crate::error::Short;
use crate::identification::robust_cost::robust_deviation;
use crate::identification::{
    EvaluationError, IdentificationError, Iteration, MultipleShooting, MultipleShootingFit,
    SegmentedTrajectory, StopReason,
};
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

    /// What a reader of the estimates should know, a sentence each: [findings](MotionExperiment::findings) about the data;
    /// a result of segments, whose standard errors are too large; channels that scatter by less than a half or more than twice
    /// their deviations, residuals that are autocorrelated, and outliers.
    pub fn warnings(&self) -> Vec<String> {
        let findings = self.experiments.iter().flat_map(|e| e.findings());
        let mut warnings: Vec<String> = findings.map(|finding| finding.to_string()).collect();
        let intervals = self.experiments.iter().map(|e| e.interval_count()).max();
        if intervals.is_some_and(|intervals| self.found.segment < intervals) {
            warnings.push(format!(
                "the result is of segments of {} intervals, from one to the next of which the state may jump by its \
                 deviations: standard errors are those of such a motion, too large by up to a factor of about two",
                self.found.segment
            ));
        }
        for (c, channel) in self.model.channels().iter().enumerate() {
            let all = || self.channels.iter().filter_map(move |all| all.get(c));
            let count: usize = all().map(|channel| channel.count).sum();
            let squares: f64 = (all().map(|a| a.count as f64 * a.scatter.powi(2))).sum();
            let scatter = (squares / count.max(1) as f64).sqrt();
            if count >= FEWEST && !RIGHT.contains(&scatter) {
                let size = if scatter > 1.0 { "small" } else { "large" };
                let or = if scatter > 1.0 {
                    ", or the model is wrong"
                } else {
                    ""
                };
                warnings.push(format!(
                    "channel {:?}: its residuals scatter by {scatter:.3} of its deviations, expected 1; they are too \
                     {size}{or}",
                    channel.name
                ));
            }
        }
        let named = self.experiments.iter().zip(&self.channels);
        for (recording, channels) in named {
            for channel in channels {
                let place = format!(
                    "recording {:?}, channel {:?}",
                    recording.name(),
                    channel.channel
                );
                if channel.autocorrelation.is_some_and(|a| a.is_significant()) {
                    warnings.push(format!(
                        "{place}: its residuals are autocorrelated, so that standard errors are too small"
                    ));
                }
                for outlier in channel.outliers.iter().take(NAMED) {
                    let (residual, time) = (outlier.residual, Short::to_digits(outlier.time, 9));
                    warnings.push(format!(
                        "{place}: outlier of {residual:.1} deviations at {time} s ({})",
                        outlier.place
                    ));
                }
                if channel.outliers.len() > NAMED {
                    let more = channel.outliers.len() - NAMED;
                    warnings.push(format!("{place}: {more} more outliers"));
                }
            }
        }
        warnings
    }
}
