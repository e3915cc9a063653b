//! `dualbody fit`: parameters from measurements.

use super::convert;
use crate::failure::{Failure, Found, Outcome};
use crate::output;
use crate::progress;
use crate::source::{Format, Source};
use crate::table::figure;
use clap::Args;
use dualbody::Parallelism;
use dualbody::identification::motion::{FittedRecordings, MotionExperiment, Outlier};
use dualbody::identification::{Stage, Verdict};
use dualbody::io::json::{MotionFit, SourceFile};
use dualbody::io::mjcf::MjcfReader;
use dualbody::io::urdf::UrdfReader;
use dualbody::scene::FitReport;
use dualbody::system::TimeSteppingRigidBodySystem;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Options of the command.
#[derive(Debug, Args)]
pub struct Fit {
    /// What to fit: a machine, what was measured on it, what is not known, and tables of signals
    fit: PathBuf,
    /// Samples of the first, shortest segments
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u32).range(1..))]
    first: u32,
    /// How many threads: all, or one
    #[arg(long)]
    serial: bool,
    /// Folder for the machine with the values that were found (identified.json) and the page about the fit
    /// (fit.html)
    #[arg(long, value_name = "FOLDER", default_value = "out")]
    out: PathBuf,
    /// A URDF or MJCF of the machine, to write with these values into the folder
    #[arg(long, value_name = "FILE")]
    into: Option<PathBuf>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// What was found.
struct Result<'r> {
    fitted: &'r FittedRecordings,
    warnings: &'r [String],
    sources: &'r [SourceFile],
    /// The recordings that were held back.
    judges: &'r [MotionExperiment],
    /// Residuals of the recordings that were held back, in standard deviations, or why there are none.
    held_out: Vec<(String, std::result::Result<f64, String>)>,
    written: Vec<PathBuf>,
}

impl Fit {
    /// Does it.
    pub fn run(&self) -> Outcome {
        let template = self
            .into
            .as_ref()
            .map(|path| Source::read(path, None))
            .transpose()?;
        let motion = MotionFit::load(&self.fit).map_err(Failure::input)?;
        output::make_folder(&self.out)?;
        let threads = if self.serial {
            Parallelism::Serial
        } else {
            Parallelism::Threads
        };
        let line = progress::line();
        let fitted = motion.fit(self.first as usize, threads, |segment, iteration| {
            line.set_message(format!("segments of {segment} samples, {iteration}"));
            ControlFlow::Continue(())
        });
        line.finish_and_clear();
        let fitted = fitted.map_err(Failure::computation)?;

        let found = &fitted.found;
        let values = found.fit.values();
        let identified = fitted
            .model
            .identified(&values)
            .map_err(Failure::computation)?;
        let changed = template
            .as_ref()
            .map(|template| rewritten(&identified, template))
            .transpose()?;
        // Whatever the judgement does, the result is there.
        let mut written = vec![self.out.join("identified.json"), self.out.join("fit.html")];
        identified.save(&written[0]).map_err(Failure::output)?;
        if let (Some(text), Some(name)) = (changed, self.into.as_deref().and_then(Path::file_name))
        {
            let path = self.out.join(name);
            output::write(&path, &text)?;
            written.push(path);
        }
        let title = "A machine and its recordings";
        let write_page = |report: &FitReport| {
            let page = report.html().map_err(Failure::computation)?;
            output::write(&written[1], &page)
        };
        let mut warnings = fitted.warnings();
        let of_judges = motion
            .held_out
            .iter()
            .flat_map(|recording| recording.findings());
        warnings.extend(of_judges.map(|finding| finding.to_string()));
        let report = FitReport::new(title, &found.fit).with_recordings(&fitted);
        let mut report = found.stages.iter().fold(report, |report, stage| {
            report.with_stage(format!("segments of {} samples", stage.segment), &stage.fit)
        });
        for warning in &warnings {
            report = report.with_warning(warning);
        }
        for file in &motion.sources {
            report = report.with_source(file.path.display().to_string(), &file.sha256);
        }
        write_page(&report)?;
        let mut scores = Vec::new();
        for recording in &motion.held_out {
            let score = fitted.misfit(recording).map_err(|error| error.to_string());
            let words = match &score {
                Ok(score) => format!("{score:.3} standard deviations"),
                Err(error) => format!("none: {error}"),
            };
            report = report.with_score(format!("residuals of {:?}", recording.name()), words);
            scores.push((recording.name().to_owned(), score));
        }
        if !motion.held_out.is_empty() {
            write_page(&report)?;
        }
        let result = Result {
            fitted: &fitted,
            warnings: &warnings,
            sources: &motion.sources,
            judges: &motion.held_out,
            held_out: scores,
            written,
        };
        output::print_either(self.json, || result.json(), || result.text())?;
        let is_judged = result.held_out.iter().all(|(_, score)| score.is_ok());
        let is_whole = found.failed.is_none() && found.discarded.is_empty();
        let is_settled = is_whole && is_judged && found.fit.stop.is_converged();
        Ok(if is_settled { Found::Yes } else { Found::No })
    }
}

fn rewritten(identified: &TimeSteppingRigidBodySystem<f64>, template: &Source) -> Outcome<String> {
    let own: Vec<_> = match template.format {
        // Of geometries in the world a robot description knows nothing.
        Format::Urdf => (identified.contact().geometries().iter())
            .filter(|geometry| geometry.body != dualbody::tree::BodyIndex::WORLD)
            .cloned()
            .collect(),
        _ => identified.contact().geometries().to_vec(),
    };
    let readers = (UrdfReader::new(), MjcfReader::new());
    convert::updated(identified.system(), &own, template, readers)
}

/// Why a stage after the result is not the result.
fn why_discarded(stage: &Stage) -> String {
    let stop = stage.fit.stop;
    match stop.is_converged() {
        true => "shorter segments are far from its estimates".to_owned(),
        false => stop.to_string(),
    }
}

impl Result<'_> {
    fn text(&self) -> String {
        let found = &self.fitted.found;
        let mut text = format!("{}\n", found.fit);
        for warning in self.warnings {
            let _ = writeln!(text, "{warning}");
        }
        if let Some(failed) = &found.failed {
            let _ = writeln!(
                text,
                "segments of {} samples: {}",
                failed.segment, failed.cause
            );
        }
        for stage in &found.discarded {
            let _ = writeln!(
                text,
                "segments of {} samples were not taken, those of {} were: {}",
                stage.segment,
                found.segment,
                why_discarded(stage)
            );
        }
        for (name, score) in &self.held_out {
            let words = match score {
                Ok(score) => format!("residuals of {} standard deviations", figure(*score)),
                Err(error) => error.clone(),
            };
            let _ = writeln!(text, "{name}, which was held back: {words}");
        }
        for path in &self.written {
            let _ = writeln!(text, "wrote {}", path.display());
        }
        text
    }

    fn json(&self) -> Value {
        let found = &self.fitted.found;
        let fit = &found.fit;
        let recordings = self.fitted.experiments.iter().zip(&self.fitted.channels);
        let channels: Vec<Value> = recordings
            .flat_map(|(recording, channels)| {
                channels.iter().map(|channel| {
                    let outlier = |o: &Outlier| {
                        json!({
                            "entry": o.entry, "sample": o.sample, "time": o.time, "place": o.place,
                            "residual": o.residual,
                        })
                    };
                    json!({
                        "recording": recording.name(),
                        "channel": channel.channel,
                        "deviations": self.fitted.model.deviations(&channel.channel),
                        "residuals": channel.count,
                        "root_mean_square": channel.root_mean_square,
                        "scatter": channel.scatter,
                        "autocorrelated": channel.autocorrelation.map(|a| a.is_significant()),
                        "outliers": channel.outliers.iter().map(outlier).collect::<Vec<_>>(),
                    })
                })
            })
            .collect();
        let estimates: Map<_, _> = (fit.estimates.iter().enumerate())
            .map(|(i, estimate)| {
                let verdict = fit.verdict(i);
                let interval = fit.confidence_interval(i, 0.95).ok().flatten();
                let correlations: Map<_, _> = (fit.estimates.iter().enumerate())
                    .filter(|(j, _)| *j != i)
                    .filter_map(|(j, other)| {
                        Some((other.name.clone(), json!(fit.correlation(i, j)?)))
                    })
                    .collect();
                let value = json!({
                    "value": estimate.value,
                    "standard_error": estimate.standard_error,
                    "interval_95": interval.map(|(low, high)| [low, high]),
                    "unit": estimate.unit,
                    "status": estimate.status.to_string(),
                    "verdict": verdict.as_ref().map(Verdict::name),
                    "directions": verdict.as_ref().map(|verdict| json!(verdict.directions())),
                    "data_share": estimate.data_share,
                    "correlations": correlations,
                });
                (estimate.name.clone(), value)
            })
            .collect();
        let held_out =
            (self.held_out.iter()).map(|(name, score)| (name.clone(), json!(score.as_ref().ok())));
        let failures = (self.held_out.iter())
            .filter_map(|(name, score)| Some((name.clone(), json!(score.as_ref().err()?))));
        let recorded = self.fitted.experiments.iter().chain(self.judges);
        let data: Vec<Value> = recorded
            .map(|recording| {
                json!({
                    "recording": recording.name(),
                    "signals": recording.recorded(),
                    "findings": recording.findings(),
                })
            })
            .collect();
        let discarded = found.discarded.iter().map(|stage| {
            json!({"segment": stage.segment, "cost": stage.fit.cost, "cause": why_discarded(stage)})
        });
        json!({
            "stop": fit.stop.to_string(),
            "converged": fit.stop.is_converged(),
            "segment": found.segment,
            "failed_segment": found.failed.as_ref().map(|failed| {
                json!({"segment": failed.segment, "cause": failed.cause.to_string()})
            }),
            "discarded_segments": discarded.collect::<Vec<_>>(),
            "initial_cost": fit.initial_cost,
            "cost": fit.cost,
            "residuals": fit.residual_count,
            "residual_standard_deviation": fit.residual_standard_deviation(),
            "autocorrelated": fit.autocorrelated(),
            "data": data,
            "channels": channels,
            "warnings": self.warnings,
            "version": env!("CARGO_PKG_VERSION"),
            "sources": self.sources.iter().map(|file| json!({"path": file.path, "sha256": file.sha256})).collect::<Vec<_>>(),
            "estimates": estimates,
            "held_out_standard_deviations": held_out.collect::<Map<_, _>>(),
            "held_out_failures": failures.collect::<Map<_, _>>(),
            "files": self.written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        })
    }
}
