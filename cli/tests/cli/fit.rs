//! Fits that are files.

use crate::run::{data, files, folder, run};
use serde_json::json;

#[test]
fn a_mass_is_found_again() {
    let (place, file) = folder();
    let (robot, machine) = (data("models/double_pendulum.urdf"), file("machine.json"));
    assert_eq!(run(&["convert", &robot, &machine]).code, 0);
    let mut experiments = Vec::new();
    for (name, angle, held_out) in [("slow", "0.5", false), ("fast", "-0.9", true)] {
        let (record, signals) = (file("record.csv"), file(&format!("{name}.csv")));
        let motion = run(&[
            "simulate",
            &machine,
            "--set",
            "lower/mass=1.75",
            "--joint",
            &format!("elbow={angle}"),
            "--for",
            "0.4",
            "--output",
            &record,
        ]);
        assert_eq!(motion.code, 0, "{motion:?}");
        let record = std::fs::read_to_string(&record).unwrap();
        let mut table = String::from("time [s],shoulder [rad],elbow [rad]\n");
        for row in record.lines().skip(1).step_by(10) {
            let cells: Vec<_> = row.split(',').take(3).collect();
            table += &format!("{}\n", cells.join(","));
        }
        std::fs::write(&signals, table).unwrap();
        experiments.push(json!({"name": name, "signals": format!("{name}.csv"), "start": "Measured", "held_out": held_out}));
    }
    let channel = |joint: &str| json!({"name": joint, "measures": {"JointPosition": joint}, "deviations": [1e-4]});
    let document = json!({
        "format": "dualbody fit", "version": 1, "machine": "machine.json",
        "channels": [channel("shoulder"), channel("elbow")],
        "unknowns": [{"name": "lower/mass", "logarithmic": true}],
        "state_deviations": {"position": 0.01, "velocity": 0.1, "actuators": 1.0, "sensors": 1.0},
        "zero_inputs": ["double_pendulum/shoulder/torque", "double_pendulum/elbow/torque"],
        "experiments": experiments,
    });
    std::fs::write(file("fit.json"), document.to_string()).unwrap();
    let (fit, out) = (file("fit.json"), file("out"));
    let found = run(&["fit", &fit, "--out", &out, "--into", &robot, "--json"]).json();
    let (_, estimate) = found["estimates"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    assert!(
        (estimate["value"].as_f64().unwrap() - 1.75).abs() < 1e-3,
        "{found}"
    );
    assert!(
        found["held_out_standard_deviations"]["fast"]
            .as_f64()
            .unwrap()
            < 1.0,
        "{found}"
    );
    let written = files(&place.path().join("out"));
    assert_eq!(
        written,
        ["double_pendulum.urdf", "fit.html", "identified.json"]
    );
    let identified = run(&["info", &format!("{out}/double_pendulum.urdf"), "--json"]).json();
    assert_eq!(identified["bodies"][1]["mass"], estimate["value"]);
}

/// A recording that is held back and tells nothing is no reason to lose what was found.
#[test]
fn a_recording_that_cannot_be_judged_leaves_the_result() {
    let (place, file) = folder();
    let (robot, machine) = (data("models/double_pendulum.urdf"), file("machine.json"));
    assert_eq!(run(&["convert", &robot, &machine]).code, 0);
    let (record, fit, out) = (file("record.csv"), file("fit.json"), file("out"));
    let of = ["--joint", "elbow=0.5", "--for", "0.2", "--output", &record];
    assert_eq!(run(&[&["simulate", &machine], &of[..]].concat()).code, 0);
    let record = std::fs::read_to_string(&record).unwrap();
    let [mut good, mut empty] = ["time [s],elbow [rad]\n"; 2].map(str::to_owned);
    for (k, row) in record.lines().skip(1).step_by(10).enumerate() {
        let angle = row.split(',').nth(2).unwrap();
        good += &format!("{},{angle}\n", 0.01 * k as f64);
        empty += &format!("{},\n", 0.01 * k as f64);
    }
    std::fs::write(file("good.csv"), good).unwrap();
    std::fs::write(file("empty.csv"), empty).unwrap();
    let document = json!({
        "format": "dualbody fit", "version": 1, "machine": "machine.json",
        "channels": [{"name": "elbow", "measures": {"JointPosition": "elbow"}, "deviations": [1e-3]}],
        "unknowns": [{"name": "lower/mass", "logarithmic": true}],
        "state_deviations": {"position": 0.01, "velocity": 0.1, "actuators": 1.0, "sensors": 1.0},
        "zero_inputs": ["double_pendulum/shoulder/torque", "double_pendulum/elbow/torque"],
        "experiments": [
            {"name": "good", "signals": "good.csv", "start": "Measured"},
            {"name": "empty", "signals": "empty.csv", "start": "Measured", "held_out": true},
        ],
    });
    std::fs::write(&fit, document.to_string()).unwrap();
    let found = run(&["fit", &fit, "--out", &out, "--json"]);
    assert_eq!(found.code, 1, "{found:?}");
    let found: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    assert!(
        found["held_out_standard_deviations"]["empty"].is_null(),
        "{found}"
    );
    let failure = found["held_out_failures"]["empty"].as_str().unwrap();
    assert!(failure.contains("residuals"), "{failure}");
    let written = files(&place.path().join("out"));
    assert_eq!(written, ["fit.html", "identified.json"]);
}

#[test]
fn a_fit_that_cannot_be_read_leaves_nothing() {
    let (place, file) = folder();
    let (fit, out) = (file("fit.json"), file("out"));
    std::fs::write(&fit, "{\"format\": \"dualbody fit\", \"version\": 1}").unwrap();
    let refused = run(&["fit", &fit, "--out", &out]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("fit.json"), "{refused:?}");
    assert_eq!(files(place.path()), ["fit.json"]);
}
