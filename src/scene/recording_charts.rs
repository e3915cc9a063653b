//! Charts of recordings and of what was fitted to them.

use crate::identification::autocorrelation::autocorrelations;
use crate::identification::motion::{Comparison, FittedRecordings};
use crate::plot::{Chart, Mark};
use std::f64::consts::TAU;

/// Points of a signal that a chart shows at most.
const SHOWN: usize = 1000;
/// Lags of an autocorrelation, and bands of a spectrum.
const LAGS: usize = 50;
const BANDS: usize = 50;
/// Residuals of which a spectrum is made at most.
const TRANSFORMED: usize = 4000;

/// Of each recording: every signal as it was measured and fitted, with the band of its noise, and autocorrelations and
/// spectra of the residuals.
pub(super) fn charts(fitted: &FittedRecordings) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (recording, residuals) in fitted.experiments.iter().zip(&fitted.found.residuals) {
        let found = residuals
            .as_ref()
            .and_then(|r| recording.comparisons(r).ok());
        let (name, signals) = (recording.name(), found.unwrap_or_default());
        charts.extend(
            signals
                .iter()
                .map(|signal| measured_and_fitted(name, signal)),
        );
        let title = |what: &str| format!("{name}: {what} of the residuals");
        let mut correlations =
            Chart::new(title("autocorrelation"), "samples apart", "autocorrelation");
        let mut spectra = Chart::new(
            title("spectrum"),
            "frequency [Hz]",
            "power, 1 of white noise",
        );
        // Signals of as many samples have one band.
        let mut banded = Vec::new();
        for signal in &signals {
            let points = autocorrelation(&signal.residuals);
            if let Some(&(last, _)) = points.last() {
                let count = signal.residuals.len();
                correlations = correlations.with(&*signal.signal, Mark::Line, points);
                if !banded.contains(&count) {
                    banded.push(count);
                    let white = 2.0 / (count as f64).sqrt();
                    let band = vec![(1.0, -white, white), (last, -white, white)];
                    correlations = correlations.with_band("95 % of white noise", band);
                }
            }
            let points = spectrum(signal);
            if !points.is_empty() {
                spectra = spectra.with(&*signal.signal, Mark::Line, points);
            }
        }
        charts.extend((!signals.is_empty()).then_some(correlations));
        charts.extend((!signals.is_empty()).then(|| spectra.logarithmic()));
    }
    charts
}

fn measured_and_fitted(recording: &str, signal: &Comparison) -> Chart {
    let stride = signal.times.len().div_ceil(SHOWN).max(1);
    let thin = |values: &mut dyn Iterator<Item = f64>| -> Vec<(f64, f64)> {
        (signal.times.iter().copied().zip(values))
            .step_by(stride)
            .collect()
    };
    let fitted = thin(&mut signal.fitted());
    let noise = 2.0 * signal.deviation;
    let band = fitted
        .iter()
        .map(|&(t, y)| (t, y - noise, y + noise))
        .collect();
    let label = match signal.unit {
        "" => signal.signal.clone(),
        unit => format!("{} [{unit}]", signal.signal),
    };
    Chart::new(format!("{recording}: {}", signal.signal), "time [s]", label)
        .with("fitted", Mark::Line, fitted)
        .with_band("± 2 deviations", band)
        .beside(
            "measured",
            Mark::Dots,
            thin(&mut signal.measured.iter().copied()),
        )
}

/// The autocorrelations at up to so many lags, beside these; none where all residuals are 0.
fn autocorrelation(residuals: &[f64]) -> Vec<(f64, f64)> {
    let at = autocorrelations(residuals, LAGS.min(residuals.len() / 4));
    let by_lag = at.enumerate().skip(1).filter(|(_, at)| at.is_finite());
    by_lag.map(|(k, at)| (k as f64, at)).collect()
}

/// The periodogram of residuals whose samples may have gaps, averaged over bands, relative to its mean.
fn spectrum(signal: &Comparison) -> Vec<(f64, f64)> {
    let count = signal.residuals.len().min(TRANSFORMED);
    let (times, residuals) = (&signal.times[..count], &signal.residuals[..count]);
    let duration = match times {
        [first, .., last] => (last - first) * count as f64 / (count - 1) as f64,
        _ => return Vec::new(),
    };
    let square: f64 = residuals.iter().map(|r| r * r).sum();
    let band = (count / 2).div_ceil(BANDS).max(1);
    if square == 0.0 || duration <= 0.0 {
        return Vec::new();
    }
    let power = |k: usize| {
        let rate = TAU * k as f64 / duration;
        let parts = (residuals.iter().zip(times)).map(|(r, t)| {
            let (sin, cos) = (rate * (t - times[0])).sin_cos();
            [r * cos, r * sin]
        });
        let [a, b] = parts.fold([0.0; 2], |[a, b], [x, y]| [a + x, b + y]);
        (a * a + b * b) / square
    };
    (1..=count / 2)
        .collect::<Vec<_>>()
        .chunks(band)
        .map(|band| {
            let middle = (band[0] + band[band.len() - 1]) as f64 / 2.0;
            let sum: f64 = band.iter().map(|&k| power(k)).sum();
            (middle / duration, sum / band.len() as f64)
        })
        .collect()
}
