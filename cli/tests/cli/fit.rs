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
