//! Machines from one format to another.

use crate::run::{data, files, folder, run};

#[test]
fn json_brings_back_the_machine() {
    for name in [
        "models/arm7.urdf",
        "models/quadruped.urdf",
        "mjcf/actuators.xml",
    ] {
        let (_place, file) = folder();
        let (from, to) = (data(name), file("machine.json"));
        assert_eq!(run(&["convert", &from, &to]).code, 0);
        let [before, after] = [&from, &to].map(|path| run(&["info", path, "--json"]).json());
        for part in [
            "bodies",
            "joints",
            "parameters",
            "inputs",
            "outputs",
            "time_step",
            "scheme",
        ] {
            assert_eq!(before[part], after[part], "{name}: {part}");
        }
    }
}

#[test]
fn constants_are_written_into_descriptions() {
    let (_place, file) = folder();
    let (from, to) = (data("models/double_pendulum.urdf"), file("other.urdf"));
    let written = run(&["convert", &from, &to, "--set", "lower/mass=1.75"]);
    assert_eq!(written.code, 0, "{written:?}");
    let read = run(&["info", &to, "--json"]).json();
    assert_eq!(read["bodies"][1]["mass"], 1.75);
    let text = std::fs::read_to_string(&to).unwrap();
    assert!(text.contains("1.75"));

    // By way of JSON.
    let (json, again) = (file("machine.json"), file("again.urdf"));
    assert_eq!(run(&["convert", &to, &json]).code, 0);
    let written = run(&["convert", &json, &again, "--into", &from]);
    assert_eq!(written.code, 0, "{written:?}");
    assert_eq!(std::fs::read_to_string(&again).unwrap(), text);
}

#[test]
fn what_cannot_be_said_is_named() {
    let (place, file) = folder();
    let (from, to) = (data("models/double_pendulum.urdf"), file("other.urdf"));
    let refused = run(&["convert", &from, &to, "--set", "elbow/armature=0.1"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("elbow"), "{refused:?}");
    let refused = run(&["convert", &from, &file("other.xml")]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("--into"), "{refused:?}");
    assert_eq!(run(&["convert", &from, &file("other.txt")]).code, 2);
    assert!(files(place.path()).is_empty());
}
