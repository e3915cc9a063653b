//! What nobody should give, and what comes of it: an error, never a panic, never half a file.

use crate::run::{data, files, folder, run, run_with};

#[test]
fn commands_that_are_none() {
    let arm = data("models/arm7.urdf");
    for arguments in [
        &["nothing"][..],
        &[],
        &["info"],
        &["info", &arm, "--step", "0"],
        &["info", &arm, "--step", "nan"],
        &["info", &arm, "--set", "mass"],
        &["info", &arm, "--set", "no/such/mass=1"],
        &["info", &arm, "--set", "damping=1"],
        &["info", &arm, "--place", "world=0,0,0"],
        &["info", &arm, "--joint", "nobody=1"],
        &["info", &arm, "--floor=-1"],
        &["simulate", &arm, "--for", "-1"],
        &["simulate", &arm, "--for", "1e300"],
        &["simulate", &arm, "--hold", "nothing=1"],
        &["gradient", &arm, "--by", "gravity/z"],
        &["gradient", &arm, "--of", "1 +", "--by", "gravity/z"],
        &["gradient", &arm, "--of", "time", "--by", "nothing"],
        &["check", &arm, "--states", "0"],
        &["info", &data("mjcf/arm.xml"), "--floor"],
    ] {
        let refused = run(arguments);
        assert_eq!(refused.code, 2, "{arguments:?}: {refused:?}");
        assert!(
            refused.out.is_empty() && !refused.err.is_empty(),
            "{arguments:?}: {refused:?}"
        );
        assert!(
            !refused.err.contains("panicked"),
            "{arguments:?}: {refused:?}"
        );
    }
}

#[test]
fn what_is_printed_says_what_to_do() {
    let (_place, file) = folder();
    let arm = data("models/arm7.urdf");
    let table = file("table.csv");
    std::fs::write(&table, "time [s],a\n0,1\n1,1,2\n").unwrap();
    let short = file("short.csv");
    std::fs::write(&short, "time [s],a\n0,1\n").unwrap();
    let page = file("no/page.html");
    let simulate = |option: &'static str, value: &str| {
        vec![
            "simulate".to_owned(),
            arm.clone(),
            option.to_owned(),
            value.to_owned(),
        ]
    };
    for (arguments, expected) in [
        (simulate("--for", "-1"), "expected a positive time in s"),
        (simulate("--step", "-0.1"), "expected a positive time in s"),
        (
            simulate("--step", "10"),
            "1 s are less than a step of 10 s: set another --for or --step",
        ),
        (
            simulate("--for", "1e12"),
            "at most 1e9 are made: set another --for or --step",
        ),
        (simulate("--page", &page), "make it first"),
        (
            simulate("--input", &table),
            "line 3: 3 fields, where the lines before have 2",
        ),
        (
            simulate("--input", &short),
            "expected two or more lines of numbers",
        ),
        (
            ["gradient", &arm, "--of", "elbo.q", "--by", "gravity/z"]
                .map(str::to_owned)
                .to_vec(),
            "there is no joint \"elbo\"",
        ),
        (
            ["gradient", &arm, "--of", "sinus(1)", "--by", "gravity/z"]
                .map(str::to_owned)
                .to_vec(),
            "there is no function sinus, only abs, sqrt, sin",
        ),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let refused = run(&arguments);
        assert!(refused.err.contains(expected), "{arguments:?}: {refused:?}");
        let expected = match arguments[2] {
            "--input" => 3,
            "--page" => 5,
            _ => 2,
        };
        assert_eq!(refused.code, expected, "{arguments:?}: {refused:?}");
    }
}

#[test]
fn files_that_are_no_machines() {
    let (_place, file) = folder();
    let texts: [(&str, &[u8]); 12] = [
        ("empty.urdf", b""),
        ("text.urdf", b"hello"),
        ("cut.urdf", b"<robot name=\"a\">\n<link name=\"b\">"),
        ("link.urdf", b"<robot name=\"a\">\n\n<link/></robot>"),
        ("binary.urdf", b"<robot name=\"a\">\n\xff\xfe</robot>"),
        ("empty.xml", b""),
        ("html.xml", b"<html></html>"),
        ("cut.xml", b"<mujoco>\n<worldbody>\n<body"),
        (
            "wrong.xml",
            b"<mujoco>\n<worldbody><body><joint type=\"none\"/></body></worldbody></mujoco>",
        ),
        ("empty.json", b"{}"),
        ("cut.json", b"{\n\"format\":"),
        ("list.json", b"[1, 2]"),
    ];
    for (name, text) in texts {
        let path = file(name);
        std::fs::write(&path, text).unwrap();
        for command in ["info", "simulate", "view", "linearize", "jacobian", "check"] {
            let refused = run(&[command, &path]);
            assert_eq!(refused.code, 3, "{name}: {refused:?}");
            assert!(refused.err.contains(name), "the file is named: {refused:?}");
            assert!(!refused.err.contains("panicked"), "{refused:?}");
        }
    }
    for (name, line) in [("link.urdf", "3"), ("binary.urdf", "2"), ("cut.json", "2")] {
        let refused = run(&["info", &file(name)]);
        let place = refused.err.contains(&format!(":{line}"))
            || refused.err.contains(&format!("line {line}"));
        assert!(place, "the line is named: {refused:?}");
    }
    for missing in [file("missing.urdf"), file("")] {
        assert_eq!(run(&["info", &missing]).code, 3);
    }
    let refused = run_with(&["info", "-"], "<robot name=\"a\">\n\n<link/></robot>");
    assert!(
        refused.err.contains("standard input") && refused.err.contains(":3"),
        "{refused:?}"
    );
}

#[test]
fn deep_and_long_texts() {
    let deep = "<body>".repeat(200_000);
    let texts = [
        format!("<mujoco><worldbody>{deep}"),
        format!("<robot name=\"a\">{}", "<link>".repeat(200_000)),
        "{\"a\":".repeat(200_000),
        "[".repeat(200_000),
        "<!--".repeat(100_000),
    ];
    for text in texts {
        let refused = run_with(&["info", "-"], &text);
        assert_eq!(refused.code, 3, "{}", refused.err);
    }
}

#[test]
fn signals_that_do_not_fit() {
    let (place, file) = folder();
    let arm = data("models/double_pendulum.urdf");
    let (table, record) = (file("signals.csv"), file("record.csv"));
    let texts = [
        ("", "line 1"),
        ("time [s]\n0\n", "line 1"),
        ("time [s],nothing\n0,1\n1,1\n", "nothing"),
        ("time [s],double_pendulum/elbow/torque\n0,1\n1,\n", "line 3"),
        (
            "time [s],double_pendulum/elbow/torque\n0,1\n1,x\n",
            "line 3",
        ),
        (
            "time [s],double_pendulum/elbow/torque\n0,1\n0,1\n",
            "line 3",
        ),
    ];
    for (text, place) in texts {
        std::fs::write(&table, text).unwrap();
        let refused = run(&["simulate", &arm, "--input", &table, "--output", &record]);
        assert_eq!(refused.code, 3, "{text:?}: {refused:?}");
        assert!(
            refused.err.contains(place) && refused.err.contains("signals.csv"),
            "{text:?}: {refused:?}"
        );
    }
    assert_eq!(files(place.path()), ["signals.csv"]);
    let good = "time [s],elbow/torque [N m]\n0,1\n0.01,-1\n";
    std::fs::write(&table, good).unwrap();
    let found = run(&[
        "simulate", &arm, "--input", &table, "--for", "0.02", "--output", &record,
    ]);
    assert_eq!(found.code, 0, "{found:?}");
    // A record is a table of inputs, too.
    let again = file("again.csv");
    let found = run(&[
        "simulate", &arm, "--input", &record, "--for", "0.02", "--output", &again,
    ]);
    assert_eq!(found.code, 0, "{found:?}");
    let [first, second] = [record, again].map(|path| std::fs::read_to_string(path).unwrap());
    assert_eq!(first, second);
}

#[test]
fn results_that_cannot_be_written() {
    let (place, file) = folder();
    let arm = data("models/arm7.urdf");
    let nowhere = file("no/such/folder/a.csv");
    let here = place.path().to_str().unwrap();
    for target in [nowhere.as_str(), here] {
        let refused = run(&["simulate", &arm, "--output", target]);
        assert_eq!(refused.code, 5, "{refused:?}");
        let refused = run(&["view", &arm, "--no-open", "--page", target]);
        assert_eq!(refused.code, 5, "{refused:?}");
    }
    assert!(files(place.path()).is_empty());
}

#[test]
fn a_motion_that_fails_leaves_no_file() {
    let (place, file) = folder();
    let record = file("record.csv");
    std::fs::write(&record, "as it was").unwrap();
    let arm = data("models/double_pendulum.urdf");
    let failed = run(&[
        "simulate",
        &arm,
        "--hold",
        "double_pendulum/elbow/torque=1e200",
        "--output",
        &record,
        "--for",
        "1",
    ]);
    assert_eq!(failed.code, 4, "{failed:?}");
    assert_eq!(std::fs::read_to_string(&record).unwrap(), "as it was");
    assert_eq!(files(place.path()), ["record.csv"]);
}

#[test]
fn states_of_other_machines() {
    let (_place, file) = folder();
    let state = file("state.json");
    let (arm, pendulum) = (
        data("models/arm7.urdf"),
        data("models/double_pendulum.urdf"),
    );
    assert_eq!(run(&["info", &arm, "--state", &state]).code, 0);
    assert_eq!(run(&["info", &arm, "--from", &state]).code, 0);
    let refused = run(&["info", &pendulum, "--from", &state]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("state.json"), "{refused:?}");
}
