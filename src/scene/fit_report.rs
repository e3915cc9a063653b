//! The result of a fit as a page.

use super::correlations::write_correlations;
use super::page::escaped;
use super::recording_charts::charts;
use super::rounding::{figure, rounded};
use super::scene::Scene;
use crate::identification::motion::FittedRecordings;
use crate::identification::{Direction, Estimate, Fit, Status, Verdict};
use crate::io::write_whole;
use crate::plot::{Chart, Mark, PlotError, svg};
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::path::Path;

/// Residuals that a chart shows at most.
const RESIDUALS_SHOWN: usize = 1500;

/// Charts of measured over computed signals that are open at first.
const CHARTS_SHOWN: usize = 8;

/// A page about a fit: what was measured over what was computed, estimates with 95 % intervals, correlations, what the data do not determine, how
/// the cost fell, the residuals, and what the caller adds: stages, scores on other data, charts, scenes. Estimates have the
/// digits that their standard errors leave.
///
/// ```
/// use dualbody::Scalar;
/// use dualbody::identification::{Experiment, LevenbergMarquardt, Problem, Unknown};
/// use dualbody::scene::FitReport;
///
/// /// A line through points.
/// struct Line(Vec<(f64, f64)>);
///
/// impl Experiment for Line {
///     type Error = std::convert::Infallible;
///     fn residual_count(&self) -> usize {
///         self.0.len()
///     }
///     fn residuals<T: Scalar>(&self, u: &[T], r: &mut [T]) -> Result<(), Self::Error> {
///         self.0.iter().zip(r).for_each(|(&(x, y), r)| *r = u[0] + u[1] * x - y);
///         Ok(())
///     }
/// }
///
/// let unknowns = vec![Unknown::new("height", "m", 0.0)?, Unknown::new("slope", "1", 0.0)?];
/// let lines = [Line(vec![(0.0, 1.0), (1.0, 3.1), (2.0, 4.9), (3.0, 7.0)])];
/// let fit = LevenbergMarquardt::new().fit(&Problem::new(unknowns, &lines)?)?;
/// let page = FitReport::new("A line", &fit).with_score("other points", "0.1 m").html()?;
/// assert!(page.contains("slope") && page.contains("0.1 m"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct FitReport<'a> {
    title: String,
    fit: &'a Fit,
    warnings: Vec<String>,
    stages: Vec<(String, &'a Fit)>,
    scores: Vec<(String, String)>,
    sources: Vec<(String, String)>,
    charts: Vec<Chart>,
    scenes: Vec<(String, Scene)>,
}

impl<'a> FitReport<'a> {
    /// Of a fit alone.
    pub fn new(title: impl Into<String>, fit: &'a Fit) -> Self {
        FitReport {
            title: title.into(),
            fit,
            warnings: Vec::new(),
            stages: Vec::new(),
            scores: Vec::new(),
            sources: Vec::new(),
            charts: Vec::new(),
            scenes: Vec::new(),
        }
    }

    /// Adds what a reader of the estimates should know, a sentence.
    pub fn with_warning(mut self, warning: impl Into<String>) -> Self {
        self.warnings.push(warning.into());
        self
    }

    /// Adds a fit that led to this one, in order.
    pub fn with_stage(mut self, name: impl Into<String>, fit: &'a Fit) -> Self {
        self.stages.push((name.into(), fit));
        self
    }

    /// Of recordings: with the stages before, every signal as it was measured and fitted with the band of its noise,
    /// autocorrelations and spectra of residuals, what a reader should know, and scores of recordings that were held back.
    pub fn of_recordings(title: impl Into<String>, fitted: &'a FittedRecordings) -> Self {
        let mut report = FitReport::new(title, &fitted.found.fit);
        for stage in &fitted.found.stages {
            report =
                report.with_stage(format!("segments of {} samples", stage.segment), &stage.fit);
        }
        report.charts = charts(fitted);
        report.warnings = fitted.warnings();
        for held_out in &fitted.held_out {
            let score = match &held_out.misfit {
                Ok(score) => format!("{score:.3} standard deviations"),
                Err(error) => format!("none: {error}"),
            };
            report = report.with_score(
                format!("residuals of {:?}", held_out.recording.name()),
                score,
            );
        }
        report
    }

    /// Adds how well something else is predicted: data that were held out.
    pub fn with_score(mut self, what: impl Into<String>, score: impl Into<String>) -> Self {
        self.scores.push((what.into(), score.into()));
        self
    }

    /// Adds a file that the fit was made from, with the SHA-256 digest of its bytes: a reader then knows that data are those.
    pub fn with_source(mut self, file: impl Into<String>, sha256: impl Into<String>) -> Self {
        self.sources.push((file.into(), sha256.into()));
        self
    }

    /// Adds a chart.
    pub fn with_chart(mut self, chart: Chart) -> Self {
        self.charts.push(chart);
        self
    }

    /// Adds a scene with a heading: the experiment that is predicted worst.
    pub fn with_scene(mut self, heading: impl Into<String>, scene: Scene) -> Self {
        self.scenes.push((heading.into(), scene));
        self
    }

    /// Writes the page into a file, whole or not at all.
    ///
    /// # Errors
    /// As [`Self::html`], and those of the file system.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        let page = self.html()?;
        Ok(write_whole(path.as_ref(), |file| {
            file.write_all(page.as_bytes())
        })?)
    }

    /// The page, which needs nothing else.
    ///
    /// # Errors
    /// [`PlotError::Drawing`] when a chart cannot be drawn.
    pub fn html(&self) -> Result<String, PlotError> {
        let mut page = String::new();
        let (mut compared, others): (Vec<&Chart>, Vec<&Chart>) =
            self.charts.iter().partition(|chart| chart.compares());
        let of_scenes = self.scenes.iter().flat_map(|(_, scene)| &scene.charts);
        compared.extend(of_scenes.filter(|chart| chart.compares()));
        // Writing into a string does not fail.
        let _ = self.write_summary(&mut page);
        if !compared.is_empty() {
            page.push_str("<h2>Measured and computed</h2>\n");
            let (first, rest) = compared.split_at(compared.len().min(CHARTS_SHOWN));
            write_charts(&mut page, first)?;
            if !rest.is_empty() {
                let _ = writeln!(page, "<details><summary>{} more</summary>", rest.len());
                write_charts(&mut page, rest)?;
                page.push_str("</details>\n");
            }
        }
        let _ = self.write_findings(&mut page);
        let own = [Some(self.cost_chart()), self.residual_chart()];
        let own = own.iter().flatten().chain(others);
        write_charts(&mut page, &own.collect::<Vec<_>>())?;
        for (heading, scene) in &self.scenes {
            let heading = escaped(heading);
            let scene = escaped(&scene.html());
            let _ = writeln!(
                page,
                "<h2>{heading}</h2>\n<iframe title=\"{heading}\" srcdoc=\"{scene}\"></iframe>"
            );
        }
        let text = escaped(&self.fit.to_string());
        Ok(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
             {page}<details><summary>All of it as text</summary><pre>{text}</pre></details>\n\
             {sources}<p>dualbody {version}</p>\n</body>\n</html>\n",
            title = escaped(&self.title),
            version = env!("CARGO_PKG_VERSION"),
            sources = self.sources_table(),
        ))
    }

    fn write_summary(&self, page: &mut String) -> fmt::Result {
        let fit = self.fit;
        writeln!(
            page,
            "<p>{}. {} residuals of {} experiments, {} steps, cost {} (at the start {}).",
            escaped(&capitalised(&fit.stop.to_string())),
            fit.residual_count,
            fit.experiment_count,
            fit.iterations.len(),
            figure(fit.cost),
            figure(fit.initial_cost),
        )?;
        if let Some(advice) = fit.stop.advice() {
            write!(page, " What to do: {}.", escaped(advice))?;
        }
        if let Some(deviation) = fit.residual_standard_deviation() {
            write!(
                page,
                " Standard deviation of the residuals {}.",
                figure(deviation)
            )?;
        }
        writeln!(page, "</p>")?;
        for e in fit.autocorrelated() {
            writeln!(
                page,
                "<p class=\"warning\">The residuals of experiment {e} are autocorrelated, so that the \
                 standard errors are wrong.</p>"
            )?;
        }
        for warning in &self.warnings {
            let warning = escaped(&capitalised(warning));
            writeln!(page, "<p class=\"warning\">{warning}.</p>")?;
        }
        Ok(())
    }

    fn write_findings(&self, page: &mut String) -> fmt::Result {
        let fit = self.fit;
        self.write_estimates(page)?;
        write_correlations(page, fit)?;
        self.write_determinability(page)?;
        self.write_stages(page)?;
        if !self.scores.is_empty() {
            writeln!(page, "<h2>Data that were not fitted</h2>\n<table>")?;
            for (what, score) in &self.scores {
                writeln!(
                    page,
                    "<tr><th>{}</th><td>{}</td></tr>",
                    escaped(what),
                    escaped(score)
                )?;
            }
            writeln!(page, "</table>")?;
        }
        writeln!(page, "<h2>Charts</h2>")
    }

    fn sources_table(&self) -> String {
        if self.sources.is_empty() {
            return String::new();
        }
        let rows = self.sources.iter().map(|(file, digest)| {
            let (file, digest) = (escaped(file), escaped(digest));
            format!("<tr><th>{file}</th><td><code>{digest}</code></td></tr>\n")
        });
        let rows: String = rows.collect();
        format!(
            "<h2>Made from</h2>\n<table class=\"files\">\n<tr><th>file</th><td>SHA-256</td></tr>\n{rows}</table>\n"
        )
    }

    fn write_stages(&self, page: &mut String) -> fmt::Result {
        if self.stages.is_empty() {
            return Ok(());
        }
        writeln!(
            page,
            "<h2>Stages</h2>\n<table>\n<tr><th>stage</th><th>residuals</th><th>steps</th>\
             <th>cost at the start</th><th>cost</th><th>end</th></tr>"
        )?;
        let all = self.stages.iter().map(|(name, fit)| (&name[..], *fit));
        for (name, fit) in all.chain([("result", self.fit)]) {
            writeln!(
                page,
                "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(name),
                fit.residual_count,
                fit.iterations.len(),
                figure(fit.initial_cost),
                figure(fit.cost),
                escaped(&fit.stop.to_string()),
            )?;
        }
        writeln!(page, "</table>")
    }

    fn write_estimates(&self, page: &mut String) -> fmt::Result {
        let fit = self.fit;
        let has_priors = fit.unknowns.iter().any(|u| u.prior().is_some());
        let correlated = |e: &Estimate| e.correlated_standard_error;
        let are_correlated = fit.estimates.iter().any(|e| correlated(e).is_some());
        writeln!(
            page,
            "<h2>Estimates</h2>\n<table>\n<tr><th>unknown</th><th>estimate</th><th>standard error</th>\
             <th>95 % interval</th>{}<th>unit</th>{}</tr>",
            if are_correlated {
                "<th>standard error with neighbours</th>"
            } else {
                ""
            },
            if has_priors { "<th>held by</th>" } else { "" }
        )?;
        for (i, estimate) in fit.estimates.iter().enumerate() {
            let (name, unit) = (escaped(&estimate.name), escaped(&estimate.unit));
            let value = match estimate.standard_error {
                Some(error) => rounded(estimate.value, error),
                None => figure(estimate.value),
            };
            write!(page, "<tr><th>{name}</th><td>{value}</td>")?;
            match (estimate.standard_error, fit.confidence_interval(i, 0.95)) {
                (Some(error), Ok(Some((low, high)))) => {
                    let relative = match estimate.value {
                        0.0 => String::new(),
                        value => {
                            let percent = 100.0 * (error / value).abs();
                            format!(" ({} %)", rounded(percent, percent))
                        }
                    };
                    let [error, low, high] = [error, low, high].map(|x| rounded(x, error));
                    let (class, verdict) = match fit.verdict(i) {
                        Some(Verdict::PoorlyDetermined { .. }) => {
                            (" class=\"warning\"", ", poorly determined")
                        }
                        _ => ("", ""),
                    };
                    write!(
                        page,
                        "<td{class}>{error}{relative}{verdict}</td><td>{low} … {high}</td>"
                    )?;
                }
                _ => {
                    let status = match estimate.status {
                        Status::Determined => "no standard error".to_owned(),
                        status => status.to_string(),
                    };
                    write!(page, "<td colspan=\"2\" class=\"warning\">{status}</td>")?;
                }
            }
            if are_correlated {
                let error = correlated(estimate).map(|error| rounded(error, error));
                write!(page, "<td>{}</td>", error.unwrap_or_default())?;
            }
            write!(page, "<td>{unit}</td>")?;
            match (has_priors, estimate.data_share) {
                (true, Some(share)) => {
                    let class = match estimate.status {
                        Status::HeldByPrior => " class=\"warning\"",
                        _ => "",
                    };
                    let [data, prior] = [share, 1.0 - share].map(|part| 100.0 * part);
                    writeln!(
                        page,
                        "<td{class}>data {data:.0} %, priors {prior:.0} %</td></tr>"
                    )?;
                }
                (true, None) => writeln!(page, "<td></td></tr>")?,
                (false, _) => writeln!(page, "</tr>")?,
            }
        }
        writeln!(page, "</table>")
    }

    fn write_determinability(&self, page: &mut String) -> fmt::Result {
        let findings = &self.fit.determinability;
        let condition = figure(findings.condition_number());
        writeln!(
            page,
            "<h2>What the data determine</h2>\n<ul><li>condition number {condition}</li>"
        )?;
        for direction in &findings.undetermined {
            writeln!(
                page,
                "<li class=\"warning\">not determined: {}</li>",
                self.words(direction)
            )?;
        }
        if let Some(weakest) = &findings.weakest {
            writeln!(page, "<li>hardest to tell: {}</li>", self.words(weakest))?;
        }
        writeln!(page, "</ul>")
    }

    /// A direction as changes of unknowns.
    fn words(&self, direction: &Direction) -> String {
        let change = |&(j, change): &(usize, f64)| {
            let unknown = &self.fit.unknowns[j];
            let sign = if change < 0.0 { '−' } else { '+' };
            let (name, unit) = (escaped(unknown.name()), escaped(unknown.unit()));
            format!("{name} {sign} {} {unit}", figure(change.abs()))
        };
        direction
            .changes
            .iter()
            .map(change)
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn cost_chart(&self) -> Chart {
        let accepted = self.fit.iterations.iter().filter(|i| i.accepted);
        let costs = accepted.map(|i| (i.number as f64, i.cost));
        let costs = std::iter::once((0.0, self.fit.initial_cost)).chain(costs);
        Chart::new("How the cost fell", "step", "cost")
            .logarithmic()
            .with("cost", Mark::Line, costs.collect())
    }

    /// The residuals of all experiments one after the other, thinned to what can be told apart.
    fn residual_chart(&self) -> Option<Chart> {
        let deviation = self.fit.residual_standard_deviation()?;
        let all = self.fit.experiments.iter().flat_map(|e| &e.residuals);
        let numbered = all.enumerate().map(|(k, &r)| ((k + 1) as f64, r));
        let stride = self.fit.residual_count.div_ceil(RESIDUALS_SHOWN).max(1);
        let shown: Vec<_> = numbered.step_by(stride).collect();
        let (title, label) = ("Residuals", "number, experiment after experiment");
        (deviation > 0.0).then(|| Chart::of_residuals(title, label, &shown, deviation))
    }
}

fn write_charts(page: &mut String, charts: &[&Chart]) -> Result<(), PlotError> {
    for &chart in charts {
        page.push_str("<figure>");
        page.push_str(&svg(std::slice::from_ref(chart))?);
        page.push_str("</figure>\n");
    }
    Ok(())
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c232b;--soft:#5b6773;--rule:#dfe4ea;--page:#f5f7fa;--warn:#b3470a}\
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf1;--soft:#9aa6b3;--rule:#2b343f;--page:#14181e;--warn:#f0a36c}}\
body{margin:0 auto;max-width:900px;overflow-wrap:break-word;padding:24px 18px 48px;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\
h1{font-size:24px;margin:0 0 8px}h2{font-size:17px;margin:26px 0 8px}.warning{color:var(--warn)}\
table{display:block;max-width:100%;overflow-x:auto;border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:3px 12px 3px 0;border-bottom:1px solid var(--rule);text-align:right}\
th:first-child{text-align:left;font-weight:500}.wide{overflow-x:auto}.wide td,.wide th{padding:3px 8px}\
figure{margin:0 0 10px;background:#fff;border-radius:10px;overflow:hidden}svg{display:block;width:100%;height:auto}\
iframe{width:100%;height:640px;border:1px solid var(--rule);border-radius:12px}pre{overflow-x:auto;font-size:12.5px}code{font-size:11px}\
@media screen and (max-width:600px){figure{overflow-x:auto}svg{min-width:620px}}\
@page{size:A4;margin:10mm}@media print{:root{color-scheme:light;--ink:#000;--soft:#333;--rule:#bbb;--page:#fff}\
body{max-width:none;padding:0;font-size:9px;line-height:1.3}h1{font-size:15px}h2{font-size:11px;margin:8px 0 2px;break-after:avoid}\
p,ul{margin:2px 0}table{display:table}td,th{padding:1px 8px 1px 0}figure{display:inline-block;overflow:hidden;width:23.5%;margin:0 1% 2px 0;break-inside:avoid}\
code{font-size:7px}details,iframe,iframe+h2{display:none}}";
