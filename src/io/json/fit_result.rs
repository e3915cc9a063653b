//! What a fit of recordings has found, as JSON.

use super::document::save;
use super::error::JsonError;
use super::source_file::SourceFile;
use crate::identification::motion::{
    ChannelResiduals, FittedRecordings, MotionExperiment, Outlier,
};
use crate::identification::{Fit, Verdict};
use serde_json::{Map, Value, json};
use std::path::Path;

impl FittedRecordings {
    /// What was found, as JSON for other programs: estimates with their errors, [verdicts](Verdict) and correlations, whether
    /// and why the fit has ended, how channels scatter, warnings, scores of what was held back, the data, and the files that
    /// they were read from. What there is not is null.
    ///
    /// | key | what |
    /// |---|---|
    /// | `converged`, `explains_data`, `stop` | [`is_converged`](Self::is_converged), [`explains_data`](Self::explains_data), why the fit ended |
    /// | `estimates` | by names: `value`, `unit`, `standard_error`, `correlated_standard_error`, `interval_95`, `status`, `verdict`, `directions`, `data_share`, `correlations` |
    /// | `cost`, `initial_cost`, `residuals`, `residual_standard_deviation`, `autocorrelated` | those of the [`Fit`] |
    /// | `segment`, `failed_segment`, `discarded_segments` | intervals of the segments of the result, and longer ones that are not the result |
    /// | `channels` | residuals by recordings and channels, with outliers |
    /// | `scatter` | [that](Self::scatter) of each channel |
    /// | `held_out_standard_deviations`, `held_out_failures` | [scores](Self::held_out) by recordings, and why there are none |
    /// | `data` | what each recording consists of, with its findings |
    /// | `warnings`, `version`, `sources` | [sentences](Self::warnings), the version of this library, the files |
    pub fn to_json(&self, sources: &[SourceFile]) -> String {
        format!("{:#}\n", self.json(sources))
    }

    /// Writes [`Self::to_json`] into a file, whole or not at all.
    ///
    /// # Errors
    /// [`JsonError`] of the file system.
    pub fn save(&self, path: impl AsRef<Path>, sources: &[SourceFile]) -> Result<(), JsonError> {
        save(path.as_ref(), &self.to_json(sources))
    }

    fn json(&self, sources: &[SourceFile]) -> Value {
        let found = &self.found;
        let fit = &found.fit;
        let channels =
            (self.experiments.iter().zip(&self.channels)).flat_map(|(recording, all)| {
                all.iter().map(|channel| self.channel(recording, channel))
            });
        let scatter = (self.scatter()).map(|(channel, s)| (channel.to_owned(), json!(s)));
        let named = || {
            self.held_out
                .iter()
                .map(|h| (h.recording.name().to_owned(), &h.misfit))
        };
        let held_out = named().map(|(name, misfit)| (name, json!(misfit.as_ref().ok())));
        let failures = named()
            .filter_map(|(name, misfit)| Some((name, json!(misfit.as_ref().err()?.to_string()))));
        let judges = self.held_out.iter().map(|h| &h.recording);
        let data = self.experiments.iter().chain(judges).map(|recording| {
            json!({
                "recording": recording.name(),
                "signals": recording.recorded(),
                "findings": recording.findings(),
            })
        });
        let failed = found
            .failed
            .as_ref()
            .map(|failed| json!({"segment": failed.segment, "cause": failed.cause.to_string()}));
        let discarded = found.discarded.iter().map(
            |stage| json!({"segment": stage.segment, "cost": stage.fit.cost, "cause": stage.why_discarded()}),
        );
        let sources = sources
            .iter()
            .map(|file| json!({"path": file.path, "sha256": file.sha256}));
        json!({
            "stop": fit.stop.to_string(),
            "converged": self.is_converged(),
            "explains_data": self.explains_data(),
            "segment": found.segment,
            "failed_segment": failed,
            "discarded_segments": discarded.collect::<Vec<_>>(),
            "initial_cost": fit.initial_cost,
            "cost": fit.cost,
            "residuals": fit.residual_count,
            "residual_standard_deviation": fit.residual_standard_deviation(),
            "autocorrelated": fit.autocorrelated(),
            "data": data.collect::<Vec<_>>(),
            "channels": channels.collect::<Vec<_>>(),
            "scatter": scatter.collect::<Map<_, _>>(),
            "warnings": self.warnings(),
            "version": env!("CARGO_PKG_VERSION"),
            "sources": sources.collect::<Vec<_>>(),
            "estimates": estimates(fit),
            "held_out_standard_deviations": held_out.collect::<Map<_, _>>(),
            "held_out_failures": failures.collect::<Map<_, _>>(),
        })
    }

    fn channel(&self, recording: &MotionExperiment, channel: &ChannelResiduals) -> Value {
        let outlier = |o: &Outlier| {
            json!({
                "entry": o.entry, "sample": o.sample, "time": o.time, "place": o.place, "residual": o.residual,
            })
        };
        json!({
            "recording": recording.name(),
            "channel": channel.channel,
            "deviations": self.model.deviations(&channel.channel),
            "residuals": channel.count,
            "root_mean_square": channel.root_mean_square,
            "scatter": channel.scatter,
            "autocorrelated": channel.autocorrelation.map(|a| a.is_significant()),
            "outliers": channel.outliers.iter().map(outlier).collect::<Vec<_>>(),
        })
    }
}

fn estimates(fit: &Fit) -> Map<String, Value> {
    let all = || fit.estimates.iter().enumerate();
    all()
        .map(|(i, estimate)| {
            let verdict = fit.verdict(i);
            let interval = fit.confidence_interval(i, 0.95).ok().flatten();
            let others = all().filter(|(j, _)| *j != i);
            let correlations = others
                .filter_map(|(j, other)| Some((other.name.clone(), json!(fit.correlation(i, j)?))));
            let value = json!({
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "correlated_standard_error": estimate.correlated_standard_error,
                "interval_95": interval.map(|(low, high)| [low, high]),
                "unit": estimate.unit,
                "status": estimate.status.to_string(),
                "verdict": verdict.as_ref().map(Verdict::name),
                "directions": verdict.as_ref().map(|verdict| json!(verdict.directions())),
                "data_share": estimate.data_share,
                "correlations": correlations.collect::<Map<_, _>>(),
            });
            (estimate.name.clone(), value)
        })
        .collect()
}
