//! What a fit has found.

use crate::array::{array1, matrix};
use crate::error::Outcome;
use crate::system::System;
use dualbody::identification::motion::FittedRecordings;
use dualbody::identification::{Estimate, Fit, Verdict};
use dualbody::io::json::SourceFile;
use dualbody::nalgebra::DMatrix;
use dualbody::scene::FitReport;
use numpy::{PyArray1, PyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

const TITLE: &str = "A machine and its recordings";

/// What was found: estimates with what is known of them, and how recordings that were held back are predicted.
#[pyclass(frozen, module = "dualbody")]
pub struct FitResult {
    fitted: FittedRecordings,
    /// The files that it was read from.
    sources: Vec<SourceFile>,
}

impl FitResult {
    pub fn new(fitted: FittedRecordings, sources: Vec<SourceFile>) -> Self {
        FitResult { fitted, sources }
    }

    fn fit(&self) -> &Fit {
        &self.fitted.found.fit
    }

    /// Something of each estimate, by its name.
    fn by_name<'py, V: IntoPyObject<'py>>(
        &self,
        py: Python<'py>,
        value: impl Fn(&Estimate) -> V,
    ) -> Outcome<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for estimate in &self.fit().estimates {
            out.set_item(&estimate.name, value(estimate))?;
        }
        Ok(out)
    }

    fn page(&self, title: &str) -> FitReport<'_> {
        let report = FitReport::of_recordings(title, &self.fitted);
        (self.sources.iter()).fold(report, |report, file| {
            report.with_source(file.path.display().to_string(), &file.sha256)
        })
    }
}

#[pymethods]
impl FitResult {
    /// The estimates by the names of the unknowns.
    #[getter]
    fn estimates<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        self.by_name(py, |estimate| estimate.value)
    }

    /// Their standard errors; None of one that is not determined.
    #[getter]
    fn standard_errors<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        self.by_name(py, |estimate| estimate.standard_error)
    }

    /// Their standard errors by long stretches of the data, which count that residuals are correlated with their neighbours; None where
    /// residuals all together do not show it, or data are too few for it.
    #[getter]
    fn correlated_standard_errors<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        self.by_name(py, |estimate| estimate.correlated_standard_error)
    }

    /// What is known of each estimate, in words: determined, poorly determined (its error is larger than its size), held by the
    /// prior, at a bound, not determined.
    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for (i, estimate) in self.fit().estimates.iter().enumerate() {
            let status = match self.fit().verdict(i) {
                Some(Verdict::PoorlyDetermined { .. }) => "poorly determined".to_owned(),
                _ => estimate.status.to_string(),
            };
            out.set_item(&estimate.name, status)?;
        }
        Ok(out)
    }

    /// The part of the variance of each estimate that comes from the data, 1 without priors; None of one that neither data nor
    /// priors hold.
    #[getter]
    fn data_shares<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        self.by_name(py, |estimate| estimate.data_share)
    }

    /// The units of the unknowns.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        self.by_name(py, |estimate| estimate.unit.clone())
    }

    /// Confidence intervals ``(lower, upper)`` of this level; None of an estimate that is not determined.
    #[pyo3(signature = (level=0.95))]
    fn intervals<'py>(&self, py: Python<'py>, level: f64) -> Outcome<Bound<'py, PyDict>> {
        let fit = self.fit();
        let out = PyDict::new(py);
        for (k, unknown) in fit.unknowns.iter().enumerate() {
            out.set_item(unknown.name(), fit.confidence_interval(k, level)?)?;
        }
        Ok(out)
    }

    /// The correlations (n, n) of the estimates, in their order; NaN where one is not determined.
    #[getter]
    fn correlations<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyArrayDyn<f64>>> {
        let fit = self.fit();
        let n = fit.unknowns.len();
        let entry = |i, j| fit.correlation(i, j).unwrap_or(f64::NAN);
        matrix(py, &DMatrix::from_fn(n, n, entry))
    }

    /// The values (n,) of the unknowns, in their order.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        array1(py, self.fit().values())
    }

    /// The residuals of recordings that were held back, in standard deviations, by their names; NaN of one that cannot be
    /// simulated.
    #[getter]
    fn held_out<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for judged in &self.fitted.held_out {
            let score = judged.misfit.as_ref().copied().unwrap_or(f64::NAN);
            out.set_item(judged.recording.name(), score)?;
        }
        Ok(out)
    }

    /// What the residuals of each channel scatter by, in its deviations and without outliers: 1 where model and deviations are
    /// right; None of fewer than twenty.
    #[getter]
    fn scatter<'py>(&self, py: Python<'py>) -> Outcome<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for (channel, scatter) in self.fitted.scatter() {
            out.set_item(channel, scatter)?;
        }
        Ok(out)
    }

    /// Whether no channel scatters by more than twice its deviations, and data are more than what they determine. Where the model
    /// does not explain the data, estimates may be wrong and their standard errors say nothing, converged or not.
    #[getter]
    fn explains_data(&self) -> bool {
        self.fitted.explains_data()
    }

    /// What a reader of the estimates should know: deviations that are wrong, residuals that are autocorrelated, outliers.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.fitted.warnings()
    }

    /// The sum of the losses of the residuals: half their squares, but for outliers.
    #[getter]
    fn cost(&self) -> f64 {
        self.fit().cost
    }

    /// Whether the fit ended at a minimum over whole recordings.
    #[getter]
    fn converged(&self) -> bool {
        self.fitted.is_converged()
    }

    /// Why the fit ended.
    #[getter]
    fn stop(&self) -> String {
        let found = &self.fitted.found;
        match &found.failed {
            Some(failed) => format!("segments of {} samples: {}", failed.segment, failed.cause),
            None => match found.discarded.is_empty() {
                true => found.fit.stop.to_string(),
                false => format!(
                    "longer segments than {} samples were not taken: they have no minimum, or one far from the motion",
                    found.segment
                ),
            },
        }
    }

    /// The system with the values that were found.
    fn identified(&self) -> Outcome<System> {
        let identified = self.fitted.model.identified(&self.fit().values())?;
        Ok(System::new(identified, None, Vec::new()))
    }

    /// All of it as JSON, for other programs: what ``dualbody fit --json`` prints.
    fn to_json(&self) -> String {
        self.fitted.to_json(&self.sources)
    }

    /// Writes :meth:`to_json` into a file, whole or not at all.
    fn save(&self, path: PathBuf) -> Outcome<()> {
        Ok(self.fitted.save(path, &self.sources)?)
    }

    /// A page about the fit: what was measured over what is computed, estimates, intervals, correlations, residuals, scores.
    #[pyo3(signature = (title=TITLE))]
    fn to_html(&self, title: &str) -> Outcome<String> {
        Ok(self.page(title).html()?)
    }

    /// Writes the page into a file, whole or not at all.
    #[pyo3(signature = (path, title=TITLE))]
    fn save_page(&self, path: PathBuf, title: &str) -> Outcome<()> {
        Ok(self.page(title).save(path)?)
    }

    fn _repr_html_(&self) -> Outcome<String> {
        Ok(crate::rollout::frame(&self.to_html(TITLE)?))
    }

    fn __str__(&self) -> String {
        self.fitted.to_string()
    }

    fn __repr__(&self) -> String {
        let count = self.fit().unknowns.len();
        format!("<dualbody.FitResult: {count} unknowns, {}>", self.stop())
    }
}
