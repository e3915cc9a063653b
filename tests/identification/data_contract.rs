//! What is said of data before anything is fitted.

use crate::motion::{DOCUMENT, arm, files_of_a_fit};
use crate::own_rates::DEVIATIONS;
use dualbody::identification::motion::{
    Channel, Defect, Finding, Hold, Measured, MotionError, MotionExperiment, MotionModel, Severity,
    Signals, Start,
};
use dualbody::io::json::MotionFit;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::Arc;

const INPUTS: [&str; 2] = ["joint/shoulder/force", "joint/elbow/force"];

fn model() -> MotionModel {
    let angle = Channel::new("angle", Measured::JointPosition("shoulder".into()), [1e-3]);
    MotionModel::new(arm()).measure(&angle.unwrap()).unwrap()
}

/// A sound table of a hundred samples with a change: times, angles and the two torques by the number of the sample.
fn table(change: impl Fn(usize, &mut [f64; 4])) -> Signals {
    let rows: Vec<[f64; 4]> = (0..100)
        .map(|i| {
            let t = 0.01 * i as f64;
            let mut row = [t, (TAU * 2.0 * t).sin(), (31.0 * t).sin(), (17.0 * t).cos()];
            change(i, &mut row);
            row
        })
        .collect();
    let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
    let signals = Signals::at(column(0))
        .unwrap()
        .with("angle", "rad", column(1))
        .unwrap();
    let signals = signals.with(INPUTS[0], "N m", column(2)).unwrap();
    signals.with(INPUTS[1], "N m", column(3)).unwrap()
}

fn experiment(
    model: MotionModel,
    tables: &[Signals],
    start: Start,
) -> Result<MotionExperiment, MotionError> {
    MotionExperiment::new(Arc::new(model), "swing", tables, start, DEVIATIONS)
}

/// All that is found, or that the recording is refused for.
fn findings(model: MotionModel, tables: &[Signals]) -> Vec<Finding> {
    match experiment(model, tables, Start::Measured) {
        Ok(experiment) => experiment.findings().to_vec(),
        Err(MotionError::Data { findings }) => findings,
        Err(error) => panic!("{error}"),
    }
}

fn only(model: MotionModel, tables: &[Signals]) -> Finding {
    let all = findings(model, tables);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}

#[test]
fn sound_data_have_no_findings() {
    assert_eq!(findings(model(), &[table(|_, _| {})]), []);
    // An encoder with few steps in a turn, which comes to rest at the end of its range; a drive that is switched.
    let coarse = |x: f64| (x * 50.0).round() / 50.0;
    let rests = table(|i, row| {
        row[1] = coarse((1.0 - 0.02 * i as f64).max(0.0).powi(2));
        row[2] = if (i / 20) % 2 == 0 { 1.0 } else { -1.0 };
    });
    assert_eq!(findings(model(), &[rests]), []);
    let signals = table(|_, _| {}).without(&[INPUTS[1]]).unwrap();
    let assumed = signals.with_zeros(INPUTS[1]).unwrap();
    assert_eq!(findings(model(), &[assumed]), []);
}

#[test]
fn gaps_are_found() {
    let dropped = |column: usize| {
        move |i: usize, row: &mut [f64; 4]| {
            if (40..43).contains(&i) {
                row[column] = f64::NAN;
            }
        }
    };
    let found = only(model(), &[table(dropped(1))]);
    assert_eq!(
        (found.severity, found.defect),
        (Severity::Warning, Defect::Gap)
    );
    assert_eq!((&*found.signal, &*found.place), ("angle", "sample 40"));
    assert!(
        (found.time - 0.4).abs() < 1e-12 && found.reason.contains("0.04 s"),
        "{found}"
    );
    let found = only(model(), &[table(dropped(2))]);
    assert_eq!(
        (found.severity, found.defect),
        (Severity::Error, Defect::Gap)
    );
    // Samples that are written when something changes may be any time apart.
    let changing = model().hold(INPUTS[0], Hold::OnChange).unwrap();
    assert_eq!(findings(changing, &[table(dropped(2))]), []);
    // A table without rows.
    let late = table(|i, row| row[0] += if i < 60 { 0.0 } else { 0.05 });
    let all = findings(model(), &[late]);
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(
        all.iter()
            .all(|f| f.place == "sample 60" && f.severity == Severity::Error),
        "{all:?}"
    );
}

#[test]
fn times_that_scatter_are_found() {
    let scattered = table(|i, row| row[0] += if i % 7 == 3 { 4e-3 } else { 0.0 });
    let all = findings(model(), &[scattered]);
    assert_eq!(all.len(), 3, "{all:?}");
    for found in all {
        assert_eq!(
            (found.severity, found.defect),
            (Severity::Warning, Defect::Rate),
            "{found}"
        );
        assert_eq!(found.place, "sample 3", "{found}");
    }
}

/// Two samples of a channel in one row.
#[test]
fn samples_that_are_too_near_are_found() {
    let whole = table(|_, _| {});
    let torques = whole.clone().without(&["angle"]).unwrap();
    let mut times: Vec<f64> = (0..100).map(|i| 0.01 * f64::from(i)).collect();
    times[51] = times[50] + 1e-3;
    let angle = Signals::at(times.clone()).unwrap();
    let way: Vec<f64> = times.iter().map(|t| (9.0 * t).sin()).collect();
    let angle = angle.with("angle", "rad", way).unwrap();
    let all = findings(model(), &[angle, torques]);
    let near = all.iter().find(|f| f.defect == Defect::Rate).unwrap();
    assert_eq!(
        (near.severity, &*near.place),
        (Severity::Warning, "sample 51")
    );
    assert!(
        near.reason.starts_with("1 samples come less than half"),
        "{near}"
    );
}

#[test]
fn inputs_must_be_known_throughout() {
    let whole = table(|_, _| {});
    let angle = whole.clone().without(&INPUTS).unwrap();
    let torques = |from: f64, count: usize| {
        let times: Vec<f64> = (0..count).map(|i| from + 0.005 * i as f64).collect();
        INPUTS
            .iter()
            .enumerate()
            .fold(Signals::at(times.clone()).unwrap(), |signals, (k, name)| {
                let way: Vec<f64> = times
                    .iter()
                    .map(|t| ((9.0 + 4.0 * k as f64) * t).sin())
                    .collect();
                signals
                    .with(*name, "N m", way)
                    .unwrap()
                    .in_file("torques.csv")
            })
    };
    assert_eq!(findings(model(), &[angle.clone(), torques(0.0, 200)]), []);
    let tables = [angle.clone(), torques(0.102, 150)];
    let all = findings(model(), &tables);
    let places: Vec<_> = all
        .iter()
        .map(|f| (f.severity, f.defect, f.place.as_str()))
        .collect();
    // Both begin too late and end too early; the first of them restricts the rest. The last is held for an interval.
    let [begins, ends] = ["sample 0", "sample 149"];
    let expected = [begins, ends].map(|place| (Severity::Warning, Defect::Coverage, place));
    assert_eq!(places, expected, "{all:?}");
    assert!(
        all[0]
            .to_string()
            .starts_with("recording \"swing\", torques.csv, signal \"joint/"),
        "{}",
        all[0]
    );
    let made = experiment(model(), &tables, Start::Measured).unwrap();
    let first = made.comparisons(&[0.0; 75]).unwrap();
    assert_eq!((first[0].times[0], first[0].times.len()), (0.11, 75));
    // A start that is given is that of the whole recording.
    let start = Start::Guessed(arm().initial_state());
    let error = experiment(model(), &tables, start).unwrap_err().to_string();
    assert!(
        error.contains("begins at 0.102 s and the recording at 0 s"),
        "{error}"
    );
    // Clocks with different zeros.
    let error = experiment(model(), &[angle, torques(1e9, 200)], Start::Measured);
    assert!(error.is_err());
}

#[test]
fn signals_that_say_nothing_are_found() {
    let found = only(model(), &[table(|_, row| row[3] = 0.2)]);
    assert_eq!(
        (found.severity, found.defect),
        (Severity::Warning, Defect::Excitation)
    );
    assert_eq!(
        (&*found.signal, &*found.reason),
        (INPUTS[1], "it is 0.2 throughout")
    );
    let found = only(model(), &[table(|_, row| row[3] = -2.0 * row[2])]);
    assert_eq!(
        (found.severity, found.defect),
        (Severity::Warning, Defect::Excitation)
    );
    assert!(
        found
            .reason
            .contains("proportional to \"joint/shoulder/force\""),
        "{found}"
    );
    let found = only(model(), &[table(|_, row| row[1] = f64::NAN)]);
    assert_eq!(
        (found.severity, found.defect),
        (Severity::Warning, Defect::Missing)
    );
    let found = only(model(), &[table(|_, row| row[2] = f64::NAN)]);
    assert_eq!(
        (found.severity, found.defect),
        (Severity::Error, Defect::Missing)
    );
}

#[test]
fn flat_tops_are_found() {
    let found = only(model(), &[table(|_, row| row[1] = row[1].min(0.7))]);
    assert_eq!(
        (found.severity, found.defect),
        (Severity::Warning, Defect::Saturation)
    );
    assert_eq!(found.signal, "angle");
    assert!(
        found
            .reason
            .starts_with("it stays at its largest value, 0.7, 2 times"),
        "{found}"
    );
    let found = only(model(), &[table(|_, row| row[2] = row[2].max(-0.8))]);
    assert_eq!(
        (&*found.signal, found.defect),
        (INPUTS[0], Defect::Saturation)
    );
}

#[test]
fn signals_are_listed_as_they_were_recorded() {
    let made = experiment(model(), &[table(|_, _| {})], Start::Measured).unwrap();
    let [angle, torque, _] = made.recorded() else {
        panic!("{:?}", made.recorded());
    };
    assert_eq!((&*angle.signal, angle.samples), ("angle", 100));
    assert!((angle.interval.unwrap() - 0.01).abs() < 1e-12);
    assert_eq!(torque.span.unwrap()[0], 0.0);
    assert!((torque.range.unwrap()[1] - 1.0).abs() < 1e-3);
}

/// Tables of other programs, with their titles, in a document.
#[test]
fn a_document_names_tables_columns_and_holds() {
    let (folder, table) = files_of_a_fit("tables");
    let lines: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    let header = lines[0].clone();
    let column = |title: &str| header.iter().position(|t| *t == title).unwrap();
    let of = |titles: &[(&str, &str)], more: &str| {
        let mut text = format!(
            "{}{more}",
            titles.iter().map(|t| t.1).collect::<Vec<_>>().join(",")
        );
        for line in &lines[1..] {
            let cells: Vec<&str> = titles.iter().map(|t| line[column(t.0)]).collect();
            text += &format!(
                "\n{}{}",
                cells.join(","),
                if more.is_empty() { "" } else { ",base_link" }
            );
        }
        text
    };
    let markers: Vec<_> = ["x", "y", "z"]
        .map(|e| (format!("marker/{e} [m]"), format!("p.{e}")))
        .to_vec();
    let mut titles = vec![("time [s]", "stamp"), ("angle [rad]", "position_0")];
    titles.extend(markers.iter().map(|(a, b)| (a.as_str(), b.as_str())));
    std::fs::write(folder.join("states.csv"), of(&titles, ",frame_id")).unwrap();
    let torques = [
        ("time [s]", "time [s]"),
        ("joint/shoulder/force [N m]", "joint/shoulder/force [N m]"),
        ("joint/elbow/force [N m]", "joint/elbow/force [N m]"),
    ];
    std::fs::write(folder.join("torques.csv"), of(&torques, "")).unwrap();
    let named: BTreeMap<&str, &str> = titles.iter().map(|(a, b)| (*b, *a)).collect();
    let tables = serde_json::json!([{"file": "states.csv", "titles": named}, "torques.csv"]);
    let document = DOCUMENT.replace("\"swing.csv\"", &tables.to_string());
    let load = |document: &str| {
        let path = folder.join("fit.json");
        std::fs::write(&path, document).unwrap();
        MotionFit::load(&path).map_err(|error| error.to_string())
    };
    let fit = load(&document).unwrap();
    let plain = load(DOCUMENT).unwrap();
    let residuals = |fit: &MotionFit| {
        use dualbody::identification::Experiment;
        let mut all = vec![f64::NAN; Experiment::residual_count(&fit.experiments[0])];
        fit.experiments[0]
            .residuals(&[1.4, 2e-3], &mut all)
            .unwrap();
        all
    };
    assert_eq!(residuals(&fit), residuals(&plain));
    assert!(
        fit.sources
            .iter()
            .any(|source| source.path.ends_with("torques.csv"))
    );
    let held = document.replacen(
        '{',
        "{\"holds\": {\"joint/elbow/force\": \"FirstOrder\"},",
        1,
    );
    assert_ne!(residuals(&load(&held).unwrap()), residuals(&plain));

    for (from, to, message) in [
        (
            "\"position_0\"",
            "\"position_00\"",
            "there is no column \"position_00\", is it \"position_0\"?",
        ),
        (
            "\"torques.csv\"",
            "\"states.csv\"",
            "there is no column \"time [s]\"",
        ),
        ("\"titles\"", "\"title\"", "expected a table, FILE or"),
        (",\"torques.csv\"", "", "no signal feeds this input"),
    ] {
        let error = load(&document.replace(from, to)).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    let error = load(&held.replace(
        "joint/elbow/force\": \"First",
        "joint/elbw/force\": \"First",
    ));
    assert!(error.unwrap_err().contains("holds/joint/elbw/force: "));
    // What is wrong with data names the file and the line.
    let torn = std::fs::read_to_string(folder.join("torques.csv")).unwrap();
    let torn: Vec<&str> = torn
        .lines()
        .enumerate()
        .filter(|(i, _)| *i != 7)
        .map(|l| l.1)
        .collect();
    std::fs::write(folder.join("torques.csv"), torn.join("\n")).unwrap();
    let error = load(&document).unwrap_err();
    let place = format!(
        "{}, signal \"joint/shoulder/force\", line 8",
        folder.join("torques.csv").display()
    );
    assert!(
        error.contains(&place) && error.contains("no sample for 0.02 s"),
        "{error}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}
