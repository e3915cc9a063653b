//! Noise of recordings that is not what their fit says.

use crate::motion::{arm, files_of_a_fit, record, start, table_of};
use crate::own_rates;
use dualbody::identification::motion::{
    Adjusts, Channel, FittedRecordings, Measured, MotionExperiment, MotionModel, Start,
};
use dualbody::identification::{Status, Unknown};
use dualbody::io::json::MotionFit;
use dualbody::scene::FitReport;
use dualbody::{Parallelism, Parameters};
use std::ops::ControlFlow;
use std::sync::Arc;

const SAMPLES: usize = 120;
const MASS: f64 = 1.3;
/// Of the angle and the marker, as `record` has them.
const DEVIATIONS: [f64; 2] = [1e-3, 5e-4];

/// The fit of a recording with noise, of which one line may be changed.
fn fit(
    purpose: &str,
    deviations: [f64; 2],
    options: &str,
    change: impl Fn(usize, String) -> String,
) -> FittedRecordings {
    fit_with_prior(purpose, deviations, (options, ""), change)
}

/// The same with what is known of the damping.
fn fit_with_prior(
    purpose: &str,
    deviations: [f64; 2],
    (options, prior): (&str, &str),
    change: impl Fn(usize, String) -> String,
) -> FittedRecordings {
    let (folder, _) = files_of_a_fit(purpose);
    let mut truth = arm();
    truth.set_parameter("body/lower/mass", MASS).unwrap();
    let signals = record(&truth, &start(), SAMPLES, 0.0, 1.0);
    let table = table_of(&signals.without(&["rate", "elbow angle"]).unwrap());
    let lines = table.lines().map(str::to_owned).enumerate();
    let lines: Vec<String> = lines.map(|(k, line)| change(k + 1, line)).collect();
    std::fs::write(folder.join("swing.csv"), lines.join("\n")).unwrap();
    let [angle, marker] = deviations;
    let document = format!(
        r#"{{
        "format": "dualbody fit", "version": 1, "machine": "arm.json", {options}
        "channels": [
            {{"name": "angle", "measures": {{"JointPosition": "shoulder"}}, "deviations": [{angle}],
              "estimate_deviations": {}}},
            {{"name": "marker", "measures": {{"Point": {{"body": "lower", "position": [0.02, 0.0, -0.35]}}}},
              "deviations": [{marker}], "estimate_deviations": {}}}
        ],
        "unknowns": [{{"name": "body/lower/mass", "logarithmic": true}}, {{"name": "joint/elbow/damping"{prior}}}],
        "state_deviations": {{"position": 0.1, "velocity": 1.0, "actuators": 1.0, "sensors": 1.0}},
        "experiments": [{{"name": "swing", "signals": "swing.csv", "start": "Measured"}}]
    }}"#,
        purpose == "estimated",
        purpose == "estimated",
    );
    let path = folder.join("fit.json");
    std::fs::write(&path, document).unwrap();
    let motion = MotionFit::load(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let fitted = motion.fit(20, Parallelism::Serial, |_, _| ControlFlow::Continue(()));
    let fitted = fitted.unwrap();
    assert!(fitted.found.fit.stop.is_converged(), "{}", fitted.found.fit);
    fitted
}

fn same(_: usize, line: String) -> String {
    line
}

/// Adds 50° to the angle in one line.
fn spike(number: usize, line: String) -> String {
    let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
    if number == 72 {
        let angle: f64 = cells[1].parse().unwrap();
        cells[1] = (angle + 50f64.to_radians()).to_string();
    }
    cells.join(",")
}

#[test]
fn a_spike_hardly_moves_an_estimate_and_is_named() {
    let clean = fit("clean", DEVIATIONS, "", same);
    assert!(clean.warnings().is_empty(), "{:?}", clean.warnings());
    let fitted = fit("spike", DEVIATIONS, "", spike);
    let [mass, spoiled] = [&clean, &fitted].map(|f| f.found.fit.estimates[0].clone());
    let error = mass.standard_error.unwrap();
    assert!(
        (mass.value - MASS).abs() < 4.0 * error,
        "{}",
        clean.found.fit
    );
    let moved = (spoiled.value - mass.value).abs() / error;
    assert!(moved < 1.0, "{moved}");
    let error_ratio = spoiled.standard_error.unwrap() / error;
    assert!((0.8..1.3).contains(&error_ratio), "{error_ratio}");

    let outliers = &fitted.channels[0][0].outliers;
    assert_eq!(outliers.len(), 1);
    assert_eq!(
        (outliers[0].sample, outliers[0].place.as_str()),
        (70, "line 72")
    );
    assert!((outliers[0].residual + 872.7).abs() < 5.0, "{outliers:?}");
    let expected = "recording \"swing\", channel \"angle\": outlier of -87";
    let warnings = fitted.warnings();
    assert!(
        warnings.len() == 1
            && warnings[0].starts_with(expected)
            && warnings[0].ends_with("at 0.7 s (line 72)"),
        "{warnings:?}"
    );
    let plain = fit("plain", DEVIATIONS, "\"loss\": \"LeastSquares\",", spike);
    let moved = (plain.found.fit.estimates[0].value - mass.value).abs() / error;
    assert!(moved > 10.0, "{moved}");
}

#[test]
fn deviations_that_are_wrong_are_said() {
    let fitted = fit("small", DEVIATIONS.map(|s| 0.1 * s), "", same);
    let warnings = fitted.warnings();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    for (warning, channel) in warnings.iter().zip(["angle", "marker"]) {
        let start = format!("channel {channel:?}: its residuals scatter by ");
        let rest = warning.strip_prefix(&start).unwrap();
        let scatter: f64 = rest.split(' ').next().unwrap().parse().unwrap();
        assert!((8.0..12.0).contains(&scatter), "{warning}");
        assert!(warning.ends_with("they are too small, or the model is wrong"));
    }
    let large = fit("large", DEVIATIONS.map(|s| 10.0 * s), "", same).warnings();
    assert_eq!(large.len(), 2, "{large:?}");
}

#[test]
fn deviations_are_estimated_when_asked() {
    let expected = fit("right", DEVIATIONS, "", same);
    let fitted = fit("estimated", [2e-2, 2e-5], "", spike);
    for (channel, deviation) in ["angle", "marker"].into_iter().zip(DEVIATIONS) {
        let found = fitted.model.deviations(channel).unwrap();
        let ratios: Vec<f64> = found.iter().map(|s| s / deviation).collect();
        assert!(ratios.iter().all(|r| (0.8..1.25).contains(r)), "{ratios:?}");
    }
    let [found, right] = [&fitted, &expected].map(|f| f.found.fit.estimates[0].clone());
    let (error, right_error) = (found.standard_error.unwrap(), right.standard_error.unwrap());
    assert!((found.value - MASS).abs() < 4.0 * error);
    assert!(
        (0.7..1.4).contains(&(error / right_error)),
        "{error} {right_error}"
    );
}

/// A prior of a file that knows more than the recording holds its unknown, with its own deviation.
#[test]
fn a_prior_in_a_file_is_not_scaled_by_the_noise() {
    let prior = r#", "prior": {"mean": 0.101, "deviation": 1e-7}"#;
    let fitted = fit_with_prior("prior", DEVIATIONS, ("", prior), same);
    let held = &fitted.found.fit.estimates[1];
    assert!((held.value - 0.101).abs() < 1e-7, "{held:?}");
    assert_eq!(held.status, Status::HeldByPrior);
    let ratio = held.standard_error.unwrap() / 1e-7;
    assert!((ratio - 1.0).abs() < 1e-3, "{ratio}");
    assert!(held.data_share.unwrap() < 1e-3, "{held:?}");
}

#[test]
fn the_page_has_every_signal_and_the_digits_that_are_known() {
    let fitted = fit("page", DEVIATIONS, "", same);
    let found = &fitted.found;
    let residuals = found.residuals[0].as_ref().unwrap();
    let signals = fitted.experiments[0].comparisons(residuals).unwrap();
    let names: Vec<&str> = signals.iter().map(|s| s.signal.as_str()).collect();
    assert_eq!(names, ["angle", "marker/x", "marker/y", "marker/z"]);
    for signal in &signals {
        let far = (signal.fitted().zip(&signal.measured))
            .filter(|(fitted, measured)| (fitted - *measured).abs() > 5.0 * signal.deviation);
        assert_eq!(far.count(), 0, "{}", signal.signal);
    }

    let page = FitReport::of_recordings("A swing", &fitted).html().unwrap();
    let mass = &found.fit.estimates[0];
    let last = mass.standard_error.unwrap().log10().floor() as i32 - 1;
    let digits = &format!("<td>{:.*}</td>", last.unsigned_abs() as usize, mass.value);
    for part in [
        digits,
        "<p>dualbody 0.",
        "<th>segments of 20 samples</th>",
        "swing: marker/z",
        "swing: autocorrelation of the residuals",
        "swing: spectrum of the residuals",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// Recordings of an arm of which one torque was not recorded but taken for zero, with so many samples each.
fn spoiled(names: &[&str], samples: usize) -> FittedRecordings {
    let mut model = MotionModel::new(arm());
    let angle = Channel::new("angle", Measured::JointPosition("shoulder".into()), [1e-3]);
    model = model.measure(&angle.unwrap()).unwrap();
    for name in ["body/lower/mass", "joint/elbow/damping"] {
        let index = model.machine().parameter_index(name).unwrap();
        let unknown = Unknown::from_parameter(&model.machine().parameters()[index]).unwrap();
        let adjusts = Adjusts::Parameters(vec![(name.to_owned(), 1.0)]);
        model = model.estimate(unknown, &adjusts).unwrap();
    }
    let model = Arc::new(model);
    let signals = record(&arm(), &start(), samples, 0.0, 1.0);
    let unused: Vec<_> = (signals.names())
        .filter(|name| *name != "angle" && !name.ends_with("force"))
        .map(str::to_owned)
        .collect();
    let signals = signals.without(&unused).unwrap();
    let signals = signals.without(&["joint/elbow/force"]).unwrap();
    let signals = signals
        .with("elbow/force", "N m", vec![0.0; samples])
        .unwrap();
    let experiments = names.iter().map(|name| {
        MotionExperiment::new(
            model.clone(),
            *name,
            &signals,
            Start::Measured,
            own_rates::DEVIATIONS,
        )
        .unwrap()
    });
    let motion = MotionFit::new(model.clone(), experiments.collect()).unwrap();
    let fitted = motion.fit(20, Parallelism::Serial, |_, _| ControlFlow::Continue(()));
    fitted.unwrap()
}

#[test]
fn a_model_that_does_not_explain_the_data_is_said_once() {
    let mut fitted = spoiled(&["a", "b", "c"], SAMPLES);
    assert!(!fitted.explains_data());
    let (channel, scatter) = fitted.scatter().next().unwrap();
    assert!(channel == "angle" && scatter.unwrap() > 5.0, "{scatter:?}");
    let warnings = fitted.warnings();
    let about = |part: &str| warnings.iter().filter(|w| w.contains(part)).count();
    assert_eq!(about("it is 0 throughout"), 1, "{warnings:?}");
    assert_eq!(
        about("(this one and 2 others of the kind)"),
        1,
        "{warnings:?}"
    );
    assert_eq!(about("scatter"), 1, "{warnings:?}");
    assert_eq!(
        about("recording \"a\" and 2 others, channel \"angle\": its residuals are autocorrelated"),
        1,
        "{warnings:?}"
    );
    assert_eq!(about("outlier"), 0, "{warnings:?}");

    let held_out = fitted.experiments[1].clone();
    fitted.judge(&[held_out]);
    let found: serde_json::Value = serde_json::from_str(&fitted.to_json(&[])).unwrap();
    assert_eq!(found["explains_data"], false);
    assert_eq!(found["converged"], fitted.is_converged());
    assert_eq!(found["scatter"]["angle"].as_f64(), scatter);
    assert!(found["held_out_standard_deviations"]["b"].as_f64().unwrap() > 2.0);
    let mass = &found["estimates"]["body/lower/mass"];
    let estimate = &fitted.found.fit.estimates[0];
    for (key, error) in [
        ("standard_error", estimate.standard_error),
        (
            "correlated_standard_error",
            estimate.correlated_standard_error,
        ),
    ] {
        assert!(error.is_some() && mass[key].as_f64() == error, "{mass}");
    }
    assert!(
        fitted
            .to_string()
            .contains("b, which was held back: residuals of")
    );

    let explained = fit("explained", DEVIATIONS, "", same);
    assert!(explained.explains_data() && explained.is_converged());
}

#[test]
fn data_that_are_too_few_to_judge_a_fit_are_said() {
    let fitted = spoiled(&["a"], 2);
    let expected = "the data are too few to judge the fit by: 2 measured numbers, 6 unknowns and coordinates of states at the start";
    assert!(fitted.warnings().iter().any(|w| w == expected), "{fitted}");
    assert!(!fitted.explains_data());
}
